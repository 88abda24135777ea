"""Removes the camera's metadata from a photo: place, time, owner.

The pixels stay byte for byte; the orientation is kept, because the labels depend on it.
"""

from __future__ import annotations

import struct
from io import BytesIO

import numpy as np
from PIL import ExifTags, Image, ImageOps, UnidentifiedImageError

from hupai.datasets.real.labels import LabelError

_START, _SCAN, _APP0, _APP2, _APP14, _APP15, _COMMENT = 0xD8, 0xDA, 0xE0, 0xE2, 0xEE, 0xEF, 0xFE
"""Markers of JPEG (ITU-T T.81, annex B)."""

_TEXT_PNG = frozenset({b"tEXt", b"zTXt", b"iTXt", b"eXIf", b"tIME"})
"""Chunks of PNG that are dropped."""


def without_metadata(data: bytes) -> bytes:
    """Return a photo without the metadata of the camera.

    JPEG, PNG and WebP keep their pixels as they are stored. Another format, such as HEIC, becomes
    an upright JPEG of quality 95, if the process has a decoder for it.

    Raises:
        LabelError: the photo cannot be decoded.
    """
    try:
        if data[:2] == b"\xff\xd8":
            return _jpeg(data)
        if data[:8] == b"\x89PNG\r\n\x1a\n":
            return _png(data)
        if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
            return _webp(data)
        return _decoded(data)
    except (struct.error, IndexError, OSError, ValueError, UnidentifiedImageError) as error:
        raise LabelError(f"a photo cannot be decoded ({error})") from None


def orientation(data: bytes) -> int:
    """Return the EXIF orientation of a photo, 1 to 8; 1 if there is none."""
    with Image.open(BytesIO(data)) as picture:
        turned = picture.getexif().get(ExifTags.Base.Orientation, 1)
    return turned if isinstance(turned, int) and 1 <= turned <= 8 else 1


def _exif(turned: int) -> bytes:
    """Return an EXIF block with only the orientation."""
    exif = Image.Exif()
    exif[ExifTags.Base.Orientation] = turned
    return exif.tobytes()


def _jpeg(data: bytes) -> bytes:
    """Drop comments, all application segments except JFIF, colour profile and Adobe's, and whatever
    follows the picture, because it may be a second picture with its own EXIF block.
    """
    turned = orientation(data)
    parts = [data[:2]]
    if turned != 1:
        block = _exif(turned)
        parts.append(struct.pack(">BBH", 0xFF, 0xE1, len(block) + 2) + block)
    at = 2
    while data[at + 1] != _SCAN:
        if data[at] != 0xFF:
            raise ValueError("a segment has no marker")
        kind = data[at + 1]
        if kind == 0xFF:  # a fill byte
            at += 1
            continue
        end = at + 2 + struct.unpack(">H", data[at + 2 : at + 4])[0]
        colours = kind == _APP2 and data[at + 4 : at + 15] == b"ICC_PROFILE"
        drop = _APP0 < kind <= _APP15 and kind != _APP14 and not colours
        if not drop and kind != _COMMENT:
            parts.append(data[at:end])
        at = end
    last = data.find(b"\xff\xd9", at)
    parts.append(data[at : last + 2 if last >= 0 else None])
    return b"".join(parts)


def _png(data: bytes) -> bytes:
    turned = orientation(data)
    parts, at = [data[:8]], 8
    while at < len(data):
        (length,), kind = struct.unpack(">I", data[at : at + 4]), data[at + 4 : at + 8]
        if kind not in _TEXT_PNG:
            parts.append(data[at : at + 12 + length])
        at += 12 + length
        if kind == b"IEND":
            break
    if turned == 1:
        return b"".join(parts)
    return _with_orientation(b"".join(parts), "PNG", turned)


def _webp(data: bytes) -> bytes:
    turned = orientation(data)
    parts, at = [], 12
    while at + 8 <= len(data):
        kind, length = data[at : at + 4], struct.unpack("<I", data[at + 4 : at + 8])[0]
        chunk = data[at : at + 8 + length + length % 2]
        if kind == b"VP8X":  # its flags say that EXIF (8) and XMP (4) follow
            chunk = chunk[:8] + bytes([chunk[8] & ~12]) + chunk[9:]
        if kind not in (b"EXIF", b"XMP "):
            parts.append(chunk)
        at += 8 + length + length % 2
    body = b"WEBP" + b"".join(parts)
    found = b"RIFF" + struct.pack("<I", len(body)) + body
    return found if turned == 1 else _with_orientation(found, "WEBP", turned)


def _with_orientation(data: bytes, kind: str, turned: int) -> bytes:
    """Store a picture losslessly, with only its orientation."""
    out = BytesIO()
    with Image.open(BytesIO(data)) as picture:
        picture.save(out, kind, lossless=True, exif=_exif(turned))
    return out.getvalue()


def _decoded(data: bytes) -> bytes:
    out = BytesIO()
    with Image.open(BytesIO(data)) as picture:
        upright = ImageOps.exif_transpose(picture).convert("RGB")
    Image.fromarray(np.asarray(upright)).save(out, "JPEG", quality=95, subsampling=0)
    return out.getvalue()
