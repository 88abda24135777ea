"""One row for each photo: what was read, what it scores, what is wrong, how long it took."""

from __future__ import annotations

import io
from collections.abc import Sequence
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from PIL import ExifTags
from PIL import Image as Pillow

from hupai.api.answers.hand_belief import HandBelief
from hupai.api.answers.score_answer import score_answer
from hupai.api.bulk.sources import Entry
from hupai.api.contract import to_json
from hupai.api.contract.hand import CircumstancesModel
from hupai.scoring.notation import format_hand
from hupai.scoring.result import RuleSet
from hupai.vision.photo.decode import PhotoError
from hupai.vision.pipeline.recogniser import Recogniser
from hupai.vision.types import PhotoReading

READER_DIED = "reader_died"
"""The problem of a photo during which the process that read it ended, twice."""


def row_of(
    entry: Entry, data: bytes, recogniser: Recogniser, rules: Sequence[RuleSet]
) -> dict[str, Any]:
    """Read a photo and score its likeliest hand under each rule set."""
    row = _empty(entry, data)
    try:
        read = recogniser.read_photo(data, entry.name, rules[0] if len(rules) == 1 else None)
    except PhotoError as error:
        return {**row, "error": error.code, "problems": [error.code]}
    hands = read.reading.hands
    return {
        **row,
        "model": f"{read.model.name} {read.model.version}",
        "width": read.photo.width,
        "height": read.photo.height,
        "reading": to_json(read),
        "certain": read.reading.certain,
        "hand": format_hand(hands[0].hand) if hands else None,
        "probability": hands[0].probability if hands else None,
        "scores": [_score(one, read) for one in rules] if hands else [],
        "problems": [problem.code for problem in read.reading.problems],
        **_timing(read),
    }


def died_row(entry: Entry) -> dict[str, Any]:
    """Write the row of a photo at which the reader itself ended."""
    return {**_empty(entry, b""), "error": READER_DIED, "problems": [READER_DIED]}


def _empty(entry: Entry, data: bytes) -> dict[str, Any]:
    return {
        "photo": entry.name,
        "source": entry.source,
        "sha256": sha256(data).hexdigest() if data else "",
        "taken_at": _taken_at(data) or _moment(entry.modified),
        "read_at": datetime.now(UTC),
        "error": None,
        "model": None,
        "width": 0,
        "height": 0,
        "reading": None,
        "certain": False,
        "hand": None,
        "probability": None,
        "scores": [],
        "problems": [],
        **dict.fromkeys((f"{stage}_ms" for stage in _STAGES), 0.0),
    }


_STAGES = ("decode", "detect", "layout", "read", "total")


def _timing(read: PhotoReading) -> dict[str, float]:
    return {f"{stage}_ms": round(getattr(read.timing, stage), 1) for stage in _STAGES}


def _score(rules: RuleSet, read: PhotoReading) -> dict[str, Any]:
    """Score the likeliest hand; what the photo does not show of the win is unknown."""
    belief = HandBelief.of_reading(read.reading, CircumstancesModel())
    score = score_answer(rules, belief).score
    if score is None:
        return {"rules": rules.id, "total": None, "unit": None, "complete": None, "legal": None}
    return {
        "rules": rules.id,
        "total": score.total,
        "unit": score.unit,
        "complete": score.complete,
        "legal": score.legal,
    }


def _moment(seconds: float) -> datetime:
    """Return when a file was changed; 1970 where a tar file holds a number that is no time."""
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError, OSError):
        return datetime.fromtimestamp(0, UTC)


def _taken_at(data: bytes) -> datetime | None:
    """Return when the camera took the photo; it gives no time zone, so this counts as UTC."""
    try:
        with Pillow.open(io.BytesIO(data)) as picture:
            exif = picture.getexif()
            text = exif.get_ifd(ExifTags.IFD.Exif).get(ExifTags.Base.DateTimeOriginal)
            text = text or exif.get(ExifTags.Base.DateTime)
        return datetime.strptime(str(text).strip("\0 "), "%Y:%m:%d %H:%M:%S").replace(tzinfo=UTC)
    except Exception:  # noqa: BLE001 - Pillow raises many kinds for a damaged file
        return None
