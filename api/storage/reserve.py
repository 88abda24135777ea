"""Space set aside on the database's disk, so that what is stored can be deleted when it is full."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

_BYTES = 1024 * 1024
"""Deleting a hand writes at most half of this to the log of SQLite, before its photos are gone."""
_LEAVE = 4 * _BYTES
"""Nothing is set aside if less than this would be left."""


class Reserve:
    """A file of `_BYTES` that is released when the disk is full, and filled again when it is not.

    Args:
        file: its path, on the disk of the database.
    """

    def __init__(self, file: Path) -> None:
        self._file = file

    def fill(self) -> None:
        """Set the space aside if that has not been done and enough is free."""
        with suppress(OSError):
            if self._file.exists() or shutil.disk_usage(self._file.parent).free < _BYTES + _LEAVE:
                return
            unfinished = self._file.with_name(f"{self._file.name}.{os.getpid()}")
            try:
                # Random bytes, which take their space on a disk that compresses too.
                unfinished.write_bytes(os.urandom(_BYTES))
                unfinished.chmod(0o600)
                unfinished.rename(self._file)
            finally:
                unfinished.unlink(missing_ok=True)

    def release(self) -> bool:
        """Release the space; return whether there was any."""
        try:
            self._file.unlink()
        except OSError:
            return False
        return True
