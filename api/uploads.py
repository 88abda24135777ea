"""Uploaded photos: their names, and what keeps one from being read as a problem of the service."""

from __future__ import annotations

from fastapi import UploadFile

from api.problem_types import BAD_SIZE, EMPTY_UPLOAD, NOT_A_PICTURE, TOO_LARGE, UNREADABLE_PICTURE, ProblemType
from api.problems import ApiProblem
from vision.photo import (
    EmptyPhotoError,
    PhotoError,
    PhotoTooSmallError,
    TooManyBytesError,
    TooManyPixelsError,
    UnsupportedPhotoError,
)

_KINDS: tuple[tuple[type[PhotoError], ProblemType], ...] = (
    (EmptyPhotoError, EMPTY_UPLOAD),
    (TooManyBytesError, TOO_LARGE),
    (TooManyPixelsError, BAD_SIZE),
    (PhotoTooSmallError, BAD_SIZE),
    (UnsupportedPhotoError, NOT_A_PICTURE),
)


def photo_problem(error: PhotoError) -> ApiProblem:
    """The problem that answers a photo which cannot be decoded; the photo's own words, `code` as an extension."""
    kind = next((kind for cause, kind in _KINDS if isinstance(error, cause)), UNREADABLE_PICTURE)
    return ApiProblem(kind, str(error), error.message_zh, extra={"code": error.code})


def display_name(photo: UploadFile) -> str:
    """The upload's own name without folders and control characters, at most 100 characters."""
    name = (photo.filename or "").replace("\\", "/").rsplit("/", 1)[-1]
    return "".join(char for char in name if char.isprintable())[:100]
