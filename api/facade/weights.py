"""The weights that a name means, the user's own in the configured data folder included."""

from __future__ import annotations

from pydantic import ValidationError

from hupai.api.tile_sets.store import configured_folder
from hupai.models.learning.library import Library


def weights_of_name(model: str) -> str:
    """Return what `hupai.models.registry.load` takes for the name of a model, as it is now.

    ``default`` is what `hupai models use` chose.
    """
    try:
        folder = configured_folder()
    except ValidationError:
        folder = None  # a wrong setting of the service does not prevent reading a photo
    return Library.of_data_folder(folder).resolve(model)
