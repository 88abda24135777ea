"""Which detected tile is which tile of the hand that a person stated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from hupai.datasets.from_hands.labels import TileLabel
from hupai.scoring.hand import Hand
from hupai.scoring.tiles import Tile
from hupai.vision.types import GroupKind, Reading, ReadTile

_KONGS = frozenset({GroupKind.KONG, GroupKind.CONCEALED_KONG, GroupKind.ADDED_KONG})


def tile_labels(raw: Reading, corrected: Reading, hand: Hand) -> tuple[TileLabel, ...]:
    """Label the tiles of a photo.

    Where the faces of the corrected reading are those of the hand, every tile of the hand is
    checked. Where one face differs and only one tile shows it, that tile is renamed. Otherwise it
    is not known which tile is which, and none is checked.

    Args:
        raw: what the model read.
        corrected: the same with what a person changed; tiles that are not tiles are gone.
        hand: what the person said.
    """
    known = {tile.id: tile for tile in raw.tiles}
    mine = [tile for tile in corrected.tiles if tile.in_hand]
    renamed = _renamed(mine, Counter((*hand.all_tiles, *hand.flowers)))
    melds = _melds(corrected, hand, renamed or {})
    labels = []
    for tile in corrected.tiles:
        face = None if renamed is None else renamed.get(tile.id)
        read = known.get(tile.id)
        labels.append(
            TileLabel(
                quad=tile.quad,
                tile=_shown(read, tile, face or tile.tile, corrected),
                checked=tile.in_hand and face is not None,
                in_hand=tile.in_hand,
                meld=melds.get(tile.id),
                read=None if read is None else Tile.BACK if read.inferred else read.tile,
                confidence=0.0 if read is None else read.confidence,
            )
        )
    return tuple(labels)


def _renamed(tiles: list[ReadTile], wanted: Counter[Tile]) -> Mapping[int, Tile] | None:
    """Return the face of each tile that is known, by id; None where too much differs."""
    seen = Counter(tile.tile for tile in tiles)
    too_many, missing = seen - wanted, wanted - seen
    faces = {tile.id: tile.tile for tile in tiles}
    if not too_many and not missing:
        return faces
    if too_many.total() != 1 or missing.total() != 1:
        return None
    (wrong,), (right,) = too_many, missing
    showing = [tile.id for tile in tiles if tile.tile is wrong]
    if len(showing) == 1:
        return faces | {showing[0]: right}
    return {i: face for i, face in faces.items() if i not in showing}


def _shown(read: ReadTile | None, tile: ReadTile, face: Tile, corrected: Reading) -> Tile:
    """Return what a tile shows: its back, where it lies face down in a kong."""
    if read is None or not (read.inferred or read.tile is Tile.BACK):
        return face
    group = next((one for one in corrected.groups if tile.id in one.tiles), None)
    return Tile.BACK if group is not None and group.kind in _KONGS else face


def _melds(corrected: Reading, hand: Hand, faces: Mapping[int, Tile]) -> dict[int, int]:
    """Number the tiles of melds by the meld of the hand they belong to."""
    free = list(range(len(hand.melds)))
    found: dict[int, int] = {}
    for group in corrected.groups:
        shown = sorted(faces.get(i, Tile.BACK) for i in group.tiles)
        fits = [
            number
            for number in free
            if hand.melds[number].kind.value == group.kind.value
            and sorted(hand.melds[number].tiles) == shown
        ]
        if fits:
            free.remove(fits[0])
            found |= dict.fromkeys(group.tiles, fits[0])
    return found
