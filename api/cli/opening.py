"""What commands open: the settings of the service, and its storage.

What does not open ends the command with a message.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pydantic import ValidationError

from hupai.api.cli.terminal import ExitCode, fail
from hupai.api.storage import Storage
from hupai.api.web.settings import TEMPORARY, Settings
from hupai.api.web.storage_access import storage_of


def load_settings() -> Settings:
    """Load the settings of the service from the environment."""
    try:
        return Settings()
    except ValidationError as error:
        fail("; ".join(f"HUPAI_{str(e['loc'][0]).upper()}: {e['msg']}" for e in error.errors()))


@contextmanager
def opened_storage(settings: Settings, *, lasting: bool = False) -> Iterator[Storage]:
    """Open the storage that the settings name, and close it at the end.

    With `lasting`, settings that keep nothing are bad usage.
    """
    if lasting and settings.data_dir == TEMPORARY and not settings.database_url:
        fail(
            f"HUPAI_DATA_DIR is {TEMPORARY}, which keeps nothing: name a folder.",
            ExitCode.BAD_USAGE,
        )
    storage = storage_of(settings)
    try:
        storage.open()
        yield storage
    finally:
        storage.close()
