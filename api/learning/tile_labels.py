"""Which detected tile is which tile of the hand that a person stated."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

from hupai.datasets.from_hands.labels import GroupLabel, TileLabel
from hupai.scoring.hand import Hand
from hupai.scoring.tiles import Tile
from hupai.vision.types import GroupKind, Reading, ReadTile

TOUCHING = 1.3
"""Greatest distance of the centres of touching tiles, in the shorter side of one of them."""

_KONGS = frozenset({GroupKind.KONG, GroupKind.CONCEALED_KONG, GroupKind.ADDED_KONG})


def tile_labels(raw: Reading, corrected: Reading, hand: Hand) -> tuple[TileLabel, ...]:
    """Label the tiles of a photo.

    Where the hand has all faces of the corrected reading, every tile of the hand that was found is
    checked. Where one face differs and only one tile shows it, that tile is renamed. Otherwise it
    is not known which tile is which, and none is checked. A tile that a person added to a concealed
    kong is not checked either: it may lie face down.

    Args:
        raw: what the model read.
        corrected: the same with what a person changed; tiles that are not tiles are gone.
        hand: what the person said.
    """
    known = {tile.id: tile for tile in raw.tiles}
    mine = [tile for tile in corrected.tiles if tile.in_hand]
    renamed = _renamed(mine, Counter((*hand.all_tiles, *hand.flowers)))
    melds = _melds(corrected, hand, renamed or {})
    groups = _groups(raw, corrected, hand, renamed or {}, melds)
    hidden = {
        i
        for group in corrected.groups
        if group.kind is GroupKind.CONCEALED_KONG
        for i in group.tiles
        if i not in known
    }
    labels = []
    for tile in corrected.tiles:
        face = None if renamed is None else renamed.get(tile.id)
        read = known.get(tile.id)
        labels.append(
            TileLabel(
                quad=tile.quad,
                tile=_shown(read, tile, face or tile.tile, corrected),
                checked=tile.in_hand and face is not None and tile.id not in hidden,
                in_hand=tile.in_hand,
                meld=melds.get(tile.id),
                read=None if read is None else Tile.BACK if read.inferred else read.tile,
                confidence=0.0 if read is None else read.confidence,
                group=groups.get(tile.id),
            )
        )
    return tuple(labels)


def _renamed(tiles: list[ReadTile], wanted: Counter[Tile]) -> Mapping[int, Tile] | None:
    """Return the face of each tile that is known, by id; None if too much differs."""
    seen = Counter(tile.tile for tile in tiles)
    too_many, missing = seen - wanted, wanted - seen
    faces = {tile.id: tile.tile for tile in tiles}
    if not too_many:
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


def _groups(
    raw: Reading,
    corrected: Reading,
    hand: Hand,
    faces: Mapping[int, Tile],
    melds: Mapping[int, int],
) -> dict[int, GroupLabel]:
    """Return the group of each tile of the hand, by id; empty unless all of them are known.

    People say which tile won, not whether it lies apart: it does if the model saw it apart too, and
    it does not if it touches another concealed tile; otherwise that is not known.

    Args:
        raw: what the model read.
        corrected: the reading with what a person changed.
        hand: what the person said.
        faces: the face of each tile of the hand, by id.
        melds: the number of the meld of each tile that lies in one, by id.
    """
    mine = [tile.id for tile in corrected.tiles if tile.in_hand]
    if len(mine) != len(hand.all_tiles) + len(hand.flowers) or not faces.keys() >= {*mine}:
        return {}
    if len(melds) != sum(len(meld.tiles) for meld in hand.melds):
        return {}
    read = {tile: group for group in corrected.groups for tile in group.tiles}
    row = [
        tile
        for tile in corrected.tiles
        if tile.in_hand and tile.id not in melds and not faces[tile.id].is_flower
    ]
    won, apart = _winning(corrected), _winning(raw)
    if any(not _touches(tile, row) for tile in row if tile.id in won ^ apart):
        return {}
    found = {}
    for tile in mine:
        meld = melds.get(tile)
        if meld is not None:
            source = hand.melds[meld].claimed_from or read[tile].claimed_from
            kind = hand.melds[meld].kind.value
            found[tile] = GroupLabel(meld, kind, None if source is None else source.value)
        elif faces[tile].is_flower:
            found[tile] = GroupLabel(len(hand.melds), GroupKind.FLOWERS.value)
        elif tile in won & apart:
            found[tile] = GroupLabel(len(hand.melds) + 1, GroupKind.WINNING_TILE.value)
        else:
            found[tile] = GroupLabel(len(hand.melds) + 2, GroupKind.CONCEALED.value)
    return found


def _winning(reading: Reading) -> frozenset[int]:
    """Return the ids of the tiles in the group of the winning tile."""
    won = (group for group in reading.groups if group.kind is GroupKind.WINNING_TILE)
    return frozenset(i for group in won for i in group.tiles)


def _touches(tile: ReadTile, others: Sequence[ReadTile]) -> bool:
    """Return whether another tile lies within `TOUCHING` of a tile, centre to centre."""
    x, y = _centre(tile)
    sides = [math.dist(a, b) for a, b in pairwise((*tile.quad, tile.quad[0]))]
    return any(
        math.dist((x, y), _centre(other)) <= TOUCHING * min(sides)
        for other in others
        if other.id != tile.id
    )


def _centre(tile: ReadTile) -> tuple[float, float]:
    xs, ys = zip(*tile.quad, strict=True)
    return sum(xs) / 4, sum(ys) / 4
