"""Files that their owner alone may read."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

_OWNER_FOLDER, _OWNER_FILE = 0o700, 0o600
"""Permissions of what the owner alone may enter, and read and write."""


def make_private(file: Path) -> None:
    """Make a file that its owner alone may read, or make one so; SQLite's side files follow it.

    A new folder around it is its owner's too. One that is there stays as it is: others may share it
    on purpose.

    Raises:
        OSError: when it can be neither made nor opened.
    """
    make_private_folder(file.parent)
    os.close(os.open(file, os.O_RDWR | os.O_CREAT, _OWNER_FILE))
    with suppress(PermissionError):  # another user's file, which this one may use all the same
        file.chmod(_OWNER_FILE)


def make_private_folder(folder: Path) -> None:
    """Make a folder, with those above it, that its owner alone may enter; one there stays as is.

    Raises:
        OSError: when it cannot be made.
    """
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(mode=_OWNER_FOLDER, exist_ok=True)
