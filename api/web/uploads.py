"""Uploaded photos: their names, and the problems of those that cannot be read."""

from __future__ import annotations

from typing import Annotated

from fastapi import File, UploadFile

from hupai.api.web.field_errors import FieldError
from hupai.api.web.problem_types import (
    BAD_SIZE,
    EMPTY_UPLOAD,
    NOT_A_PICTURE,
    TOO_LARGE,
    UNREADABLE_PICTURE,
    ProblemType,
)
from hupai.api.web.problems import ApiProblem, invalid
from hupai.vision.photo.decode import (
    EmptyPhotoError,
    PhotoError,
    PhotoTooNarrowError,
    PhotoTooSmallError,
    PointOutsidePhotoError,
    TooManyBytesError,
    TooManyPixelsError,
    UnsupportedPhotoError,
)

_KINDS: tuple[tuple[type[PhotoError], ProblemType], ...] = (
    (EmptyPhotoError, EMPTY_UPLOAD),
    (TooManyBytesError, TOO_LARGE),
    (TooManyPixelsError, BAD_SIZE),
    (PhotoTooSmallError, BAD_SIZE),
    (PhotoTooNarrowError, BAD_SIZE),
    (UnsupportedPhotoError, NOT_A_PICTURE),
)


def photo_problem(error: PhotoError) -> ApiProblem:
    """Make the problem for a photo that cannot be decoded, or whose point is not on it, with its
    `code` as an extension.
    """
    if isinstance(error, PointOutsidePhotoError):
        problem = invalid([FieldError("at", str(error), error.message_zh)])
        problem.extra["code"] = error.code
        return problem
    kind = next((kind for cause, kind in _KINDS if isinstance(error, cause)), UNREADABLE_PICTURE)
    return ApiProblem(kind, str(error), error.message_zh, extra={"code": error.code})


MOST_PHOTOS = 6
"""Photos of one hand that are read together."""

Photos = Annotated[
    list[UploadFile],
    File(
        min_length=1,
        max_length=MOST_PHOTOS,
        description="A photo as JPEG, PNG, WebP or HEIC; its EXIF rotation is applied. Several of "
        "them show the same hand and are read as one.",
    ),
]


async def read_uploads(photos: list[UploadFile]) -> list[tuple[bytes, str]]:
    """Read bytes and name of each upload."""
    return [(await photo.read(), display_name(photo)) for photo in photos]


def display_name(photo: UploadFile) -> str:
    """Return the upload's own name without folders and control characters, at most 100 long."""
    name = (photo.filename or "").replace("\\", "/").rsplit("/", 1)[-1]
    return "".join(char for char in name if char.isprintable())[:100]
