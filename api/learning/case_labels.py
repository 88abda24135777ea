"""The labels of a case: what a referee accepted or ruled is the best label there is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from hupai.api.dossier.case import Case, CasePhoto
from hupai.api.learning.tile_labels import tile_labels
from hupai.datasets.from_hands.labels import HandLabel, LeftOut
from hupai.scoring.tiles import Tile
from hupai.vision.types import Reading


def case_labels(case: Case, load: Callable[[str], bytes]) -> Iterator[HandLabel | LeftOut]:
    """Label each photo of a case on which a referee has decided.

    Args:
        case: as its log tells it.
        load: gives the bytes of a photo by its SHA-256.
    """
    accepted = [
        one for one in case.corrections if one.decision is not None and one.decision.accepted
    ]
    decided = [one.decided for one in accepted if one.decided is not None]
    event = case.ruling.event if case.ruling is not None else decided[-1] if decided else None
    if event is None or case.standing is None:
        yield LeftOut(case.id, "no referee has ruled on it or accepted a correction")
        return
    hand = case.standing.hand.to_hand()
    changes: dict[tuple[str | None, int | None], str] = {
        (change.photo, change.tile): change.after
        for one in accepted
        for change in one.proposal.changes
        if change.tile is not None and change.after
    }
    for photo in case.photos:
        if photo.read is None:
            yield LeftOut(case.id, f"photo {photo.record.sha256[:12]} was not read")
            continue
        raw = photo.read.reading.to_reading()
        corrected = _changed(raw, photo, changes)
        tiles = tile_labels(raw, corrected, hand)
        yield HandLabel(
            id=case.id,
            origin="case",
            photo=photo.record.sha256,
            media_type=photo.record.media_type,
            size=(photo.record.width, photo.record.height),
            load=_loader(load, photo.record.sha256),
            hand=hand,
            tiles=tiles,
            author=event.author.name,
            time=event.time,
            model=(photo.read.model.name, photo.read.model.version, photo.read.model.sha256),
            tile_set=photo.read.model.tile_set,
            corrected=any(tile.checked and tile.tile is not tile.read for tile in tiles),
        )


def _loader(load: Callable[[str], bytes], sha256: str) -> Callable[[], bytes]:
    return lambda: load(sha256)


def _changed(
    raw: Reading, photo: CasePhoto, changes: dict[tuple[str | None, int | None], str]
) -> Reading:
    """Return the reading with the faces that accepted corrections name by tile."""
    tiles = []
    for tile in raw.tiles:
        code = changes.get((photo.record.sha256, tile.id)) or changes.get((None, tile.id))
        if code:
            face = Tile.from_code(code)
            tiles.append(replace(tile, tile=face, inferred=tile.inferred and face is tile.tile))
        else:
            tiles.append(tile)
    return replace(raw, tiles=tuple(tiles))
