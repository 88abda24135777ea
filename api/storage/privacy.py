"""Files that only their owner may read."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

_OWNER_FOLDER, _OWNER_FILE = 0o700, 0o600
"""Permissions of folders that only the owner may enter, and of files only the owner may use."""


def make_private(file: Path) -> None:
    """Create a file that only its owner may read, or make one so; SQLite's side files follow it.

    A new folder around it belongs to its owner alone, too. An existing one stays as it is: others
    may share it on purpose.

    Raises:
        OSError: if it can be neither made nor opened.
    """
    make_private_folder(file.parent)
    os.close(os.open(file, os.O_RDWR | os.O_CREAT, _OWNER_FILE))
    with suppress(PermissionError):  # another user's file, which this one may use all the same
        file.chmod(_OWNER_FILE)


def make_private_folder(folder: Path) -> None:
    """Make a folder, with its parents, that only its owner may enter; an existing one stays as is.

    Raises:
        OSError: if it cannot be made.
    """
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(mode=_OWNER_FOLDER, exist_ok=True)
