"""Uploaded photos: what they are by their bytes, and whether they may be decoded at all."""

from __future__ import annotations

import io
from enum import Enum

import pillow_heif  # type: ignore[import-untyped]
from fastapi import UploadFile
from PIL import Image

from api.problem_types import BAD_SIZE, EMPTY_UPLOAD, NOT_A_PICTURE, UNREADABLE_PICTURE
from api.problems import ApiProblem
from api.settings import Settings

_HEIF_BRANDS = (b"heic", b"heix", b"hevc", b"heim", b"heis", b"hevm", b"hevs", b"mif1", b"msf1", b"avif")


class Format(Enum):
    """Picture formats that are read; the value is the media type."""

    JPEG = "image/jpeg"
    PNG = "image/png"
    WEBP = "image/webp"
    HEIC = "image/heic"


def sniff(data: bytes) -> Format | None:
    """The format by the first bytes; None for anything else, whatever its name says."""
    if data.startswith(b"\xff\xd8\xff"):
        return Format.JPEG
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return Format.PNG
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return Format.WEBP
    if data[4:8] == b"ftyp" and data[8:12] in _HEIF_BRANDS:
        return Format.HEIC
    return None


def header_size(data: bytes, form: Format) -> tuple[int, int]:
    """Width and height as the file's header gives them, pixels before rotation; nothing is decoded.

    Raises:
        ApiProblem: ``unreadable-picture`` when there is no such header.
    """
    try:
        if form is Format.HEIC:
            width, height = pillow_heif.open_heif(io.BytesIO(data)).size
        else:
            with Image.open(io.BytesIO(data), formats=(form.name,)) as picture:
                width, height = picture.size
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise ApiProblem(BAD_SIZE, "The picture claims far more pixels than any camera takes.", "图片声称的像素数过大。") from None
    except (OSError, ValueError, SyntaxError, RuntimeError, EOFError):
        raise ApiProblem(
            UNREADABLE_PICTURE, f"The file begins like {form.name} but its header is damaged.", f"{form.name} 文件头已损坏。"
        ) from None
    return int(width), int(height)


def check(data: bytes, settings: Settings) -> Format:
    """The format of a photo that may be decoded.

    Raises:
        ApiProblem: ``empty-upload``, ``not-a-picture``, ``unreadable-picture`` or ``bad-picture-size``.
    """
    if not data:
        raise ApiProblem(EMPTY_UPLOAD, "The uploaded file is empty.", "上传的文件是空的。")
    form = sniff(data)
    if form is None:
        raise ApiProblem(
            NOT_A_PICTURE,
            "The file is no JPEG, PNG, WebP or HEIC picture; its content counts, not its name.",
            "文件不是 JPEG、PNG、WebP 或 HEIC 图片（以内容为准）。",
        )
    width, height = header_size(data, form)
    if width * height > settings.max_pixels or min(width, height) < settings.min_side:
        raise ApiProblem(
            BAD_SIZE,
            f"The picture has {width} x {height} pixels; allowed are at most {settings.max_pixels} in all and at least "
            f"{settings.min_side} on each side.",
            f"图片为 {width} x {height} 像素；总像素不超过 {settings.max_pixels}，每边至少 {settings.min_side}。",
            extra={"width": width, "height": height, "max_pixels": settings.max_pixels},
        )
    return form


async def photo_bytes(photo: UploadFile, settings: Settings) -> bytes:
    """The checked bytes of an uploaded photo; see `check` for what it raises."""
    data = await photo.read()
    check(data, settings)
    return data


def display_name(photo: UploadFile) -> str:
    """The upload's own name without folders, at most 100 characters."""
    name = (photo.filename or "").replace("\\", "/").rsplit("/", 1)[-1]
    return "".join(c for c in name if c.isprintable())[:100]
