"""The labels of a stored hand, from its reading and its corrections."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from hupai.api.contract.reading import ReadingOut
from hupai.api.contract.score import ScoreAnswer
from hupai.api.hands.outcomes import reading_of, states_hand, valid_corrections
from hupai.api.learning.tile_labels import tile_labels
from hupai.api.storage.rows import HandRow
from hupai.datasets.from_hands.labels import HandLabel, LeftOut


def hand_label(row: HandRow, load: Callable[[str], bytes]) -> HandLabel | LeftOut:
    """Label the photo of a stored hand that somebody corrected or confirmed.

    Args:
        row: with photos and corrections.
        load: gives the bytes of a photo by its SHA-256.
    """
    corrections = valid_corrections(row)
    stated = next((one for one in reversed(corrections) if states_hand(one)), None)
    if stated is None:
        return LeftOut(row.id, "nobody corrected or confirmed its tiles")
    if stated.change.get("doubts"):
        return LeftOut(row.id, "some of its tiles are still in doubt")
    if row.result is None:
        return LeftOut(row.id, "it is no legal hand")
    if len(row.photos) != 1:
        return LeftOut(row.id, "it was read from several photos at once")
    written = ReadingOut.model_validate(row.reading)
    raw = reading_of(row, corrected=False)
    corrected = reading_of(row, corrected=True)
    hand = ScoreAnswer.model_validate(row.result).hand.to_hand()
    (photo,) = row.photos
    tiles = tile_labels(raw, corrected, hand)
    kept = {tile.id for tile in corrected.tiles}
    struck = tuple(tile.quad for tile in raw.tiles if tile.id not in kept)
    changed = any(tile.checked and tile.tile is not tile.read for tile in tiles)
    return HandLabel(
        id=row.id,
        origin="hand",
        photo=photo.sha256,
        media_type=photo.photo.media_type,
        size=(written.photo.width, written.photo.height),
        load=lambda: load(photo.sha256),
        hand=hand,
        tiles=tiles,
        author=stated.author,
        time=moment(stated.created_at),
        model=(written.model.name, written.model.version, written.model.sha256),
        tile_set=written.model.tile_set,
        corrected=bool(changed or struck or not stated.change.get("confirmed")),
        struck_out=struck,
    )


def moment(time: datetime) -> str:
    """Write a time as ISO 8601 in UTC."""
    return time.astimezone(UTC).isoformat(timespec="seconds")
