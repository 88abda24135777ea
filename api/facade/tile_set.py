"""The tile set that a detector reads with, from the configured data folder."""

from __future__ import annotations

from pydantic import ValidationError

from hupai.api.tile_sets.store import configured_store
from hupai.vision.enrolment.store import UnknownTileSetError, with_choice
from hupai.vision.protocols import TileDetector


def with_tile_set(detector: TileDetector, choice: str) -> TileDetector:
    """Return the detector with a tile set of the configured data folder in use.

    Args:
        detector: as it was opened.
        choice: name of a set; ``auto``: any that a photo is recognised as showing; ``none``.

    Raises:
        TileSetError: no such set, or one that cannot be used.
    """
    if choice == "none":
        return detector
    try:
        store = configured_store()
    except ValidationError:
        if choice == "auto":
            return detector  # a wrong setting of the service does not prevent reading a photo
        raise
    if store is not None:
        return with_choice(detector, choice, store)
    if choice == "auto":
        return detector
    raise UnknownTileSetError(choice, ())
