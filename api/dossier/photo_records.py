"""What the log says of a photo: the bytes' hash, size, EXIF time and camera; and what was seen and
read on it.
"""

from __future__ import annotations

import io
import math
import re
import struct
from datetime import datetime

from PIL import Image as Pillow

from hupai.api.contract.reading import ReadingOut
from hupai.api.dossier.chain.canonical import digest
from hupai.api.dossier.chain.events import DetectionRecord, PhotoRead, PhotoRecord
from hupai.api.storage.photos import media_type
from hupai.scoring.tiles import Tile
from hupai.vision.photo.decode import DEFAULT_LIMITS, Limits, decode
from hupai.vision.types import Detections, PhotoReading

_EXIF_POINTER = 0x8769
_TAKEN, _TAKEN_ZONE = 0x9003, 0x9011
_CHANGED = 0x0132
_MAKER, _MODEL = 0x010F, 0x0110
_TIME = re.compile(r"(\d{4}):(\d\d):(\d\d) (\d\d):(\d\d):(\d\d)")
_ZONE = re.compile(r"[+-]\d\d:\d\d")
_LEAST = 1e-4
_UNREADABLE = (
    OSError,
    ValueError,
    SyntaxError,
    KeyError,
    TypeError,
    ZeroDivisionError,
    struct.error,
    Warning,
)


STORED = Limits(side=1, elongation=DEFAULT_LIMITS.pixels)
"""Limits for photos of a case: accepted once, they are shown even if refused by today's limits."""


def photo_record(data: bytes, name: str, limits: Limits | None = None) -> PhotoRecord:
    """Return the log's record of a photo's bytes.

    Raises:
        hupai.vision.photo.decode.PhotoError: if they are not a photo.
    """
    photo = decode(data, name, limits or Limits())
    taken, camera = _exif(data)
    return PhotoRecord(
        sha256=digest(data),
        bytes=len(data),
        media_type=media_type(data),
        name=name[:200],
        width=photo.width,
        height=photo.height,
        taken=taken,
        camera=camera,
    )


def read_record(reading: PhotoReading) -> PhotoRead:
    """Return the log's record of a reading: model, detections with probabilities, result."""
    written = ReadingOut.of(reading)
    detections = None if reading.detections is None else tuple(_detections(reading.detections))
    return PhotoRead(
        photo=reading.photo.sha256, model=written.model, detections=detections, reading=written
    )


def _detections(seen: Detections) -> list[DetectionRecord]:
    found = []
    for box, score, faces, axis in zip(
        seen.boxes, seen.scores, seen.probabilities, seen.axes, strict=True
    ):
        named = sorted(
            ((Tile(i).code, round(float(p), 4)) for i, p in enumerate(faces)),
            key=lambda face: -face[1],
        )
        x0, y0, x1, y1 = (round(float(edge), 1) for edge in box)
        found.append(
            DetectionRecord(
                box=(x0, y0, x1, y1),
                score=round(float(score), 4),
                axis=None if math.isnan(float(axis)) else round(float(axis), 4),
                faces=tuple(face for face in named if face[1] >= _LEAST),
            )
        )
    return found


def _exif(data: bytes) -> tuple[str | None, str | None]:
    """Time as ISO 8601 (with a zone only where the camera wrote one) and the camera's name; None
    where it wrote none.
    """
    try:
        with Pillow.open(io.BytesIO(data)) as picture:
            exif = picture.getexif()
            details = exif.get_ifd(_EXIF_POINTER)
    except _UNREADABLE:
        return None, None
    time = _TIME.match(str(details.get(_TAKEN) or exif.get(_CHANGED) or ""))
    zone = _ZONE.fullmatch(str(details.get(_TAKEN_ZONE) or "").strip("\0 "))
    names = [str(exif.get(tag) or "").strip("\0 ") for tag in (_MAKER, _MODEL)]
    camera = " ".join(name for name in names if name and name.isprintable())[:100]
    return _iso(time, zone), camera or None


def _iso(time: re.Match[str] | None, zone: re.Match[str] | None) -> str | None:
    if time is None:
        return None
    try:
        year, month, day, hour, minute, second = map(int, time.groups())
        moment = datetime(year, month, day, hour, minute, second)
    except ValueError:
        return None
    return moment.isoformat() + (zone[0] if zone else "")
