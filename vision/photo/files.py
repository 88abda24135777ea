"""Reads the bytes of a photo from a file, or says why they cannot be read.

Errors, all saying what to do:

    PhotoError
    └── PhotoNotReadableError   the file cannot be opened
        ├── PhotoNotFoundError  there is no such file
        └── PhotoIsFolderError  it is a folder
"""

from __future__ import annotations

from pathlib import Path

from hupai.vision.photo.decode import PhotoError


class PhotoNotReadableError(PhotoError):
    """The file cannot be opened."""

    code = "photo_not_readable"


class PhotoNotFoundError(PhotoNotReadableError):
    """There is no such file."""

    code = "photo_not_found"


class PhotoIsFolderError(PhotoNotReadableError):
    """It is a folder."""

    code = "photo_is_folder"


def read_file(path: Path) -> bytes:
    """Return the bytes of a file.

    Raises:
        PhotoNotReadableError: if they cannot be read.
    """
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise PhotoNotFoundError(
            str(path), "there is no such file; check the path.", "找不到文件，请检查路径。"
        ) from error
    except IsADirectoryError as error:
        raise PhotoIsFolderError(
            str(path), "it is a folder; name the photos in it.", "这是文件夹，请指定其中的照片。"
        ) from error
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise PhotoNotReadableError(
            str(path), f"the file cannot be opened: {reason}.", f"文件无法打开：{reason}。"
        ) from error
