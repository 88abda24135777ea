"""Reads a photo's bytes, given as bytes, a path, or an open file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import BinaryIO

PhotoSource = bytes | bytearray | memoryview | str | os.PathLike[str] | BinaryIO
"""The whole content of a photo file, its path, or the file opened in binary mode."""


def contents(photo: PhotoSource, name: str = "") -> tuple[bytes, str]:
    """Return the bytes of a photo and its name: the one given, else that of the file.

    Raises:
        OSError: if the path is not that of a readable file.
        TypeError: if `photo` is something else, or a file opened as text.
    """
    if isinstance(photo, bytes):
        return photo, name
    if isinstance(photo, bytearray | memoryview):
        return bytes(photo), name
    if isinstance(photo, str | os.PathLike):
        return Path(photo).read_bytes(), name or os.fspath(photo)
    read = getattr(photo, "read", None)
    if read is None:
        raise TypeError(
            "a photo is the bytes of a file, its path, or a file opened in binary mode, "
            f"and not {type(photo).__name__}"
        )
    data = read()
    if not isinstance(data, bytes):
        raise TypeError('the file is open as text: open it in binary mode, open(path, "rb")')
    own = getattr(photo, "name", "")  # a temporary file has a number or None
    return data, name or (own if isinstance(own, str) else "")
