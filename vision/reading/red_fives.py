"""Marks red fives in a hand, in the group in which each was seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hupai.scoring.hand import Hand, Meld
from hupai.scoring.tiles import FIVES, Tile
from hupai.vision.types import Group, GroupKind, ReadTile

_OWN = (GroupKind.CONCEALED, GroupKind.WINNING_TILE)


def with_red_fives(hand: Hand, tiles: Sequence[ReadTile], groups: Sequence[Group]) -> Hand:
    """Return the hand with the fives marked that were seen to be red.

    Args:
        hand: a possible hand of the tiles.
        tiles: the tiles of the reading.
        groups: the groups of the reading. If the hand lacks the meld of a red five, a concealed
            five is marked instead; if it has no such five, none is.
    """
    red = [tile for tile in tiles if tile.red and tile.in_hand and tile.tile in FIVES]
    if not red:
        return hand
    faces = {tile.id: tile.tile for tile in tiles}
    group_of = {group.id: group for group in groups}
    melds = list(hand.melds)
    own: list[Tile] = []
    for tile in red:
        group = group_of.get(-1 if tile.group is None else tile.group)
        index = None if group is None else _meld_of(group, tile.tile, faces, melds)
        if index is None:
            own.append(tile.tile)
        else:
            melds[index] = replace(
                melds[index], red_fives=tuple(sorted((*melds[index].red_fives, tile.tile)))
            )
    held = [*hand.concealed, *(() if hand.winning_tile is None else (hand.winning_tile,))]
    kept = tuple(five for five in FIVES for _ in range(min(own.count(five), held.count(five))))
    return replace(hand, melds=tuple(melds), red_fives=kept)


def _meld_of(group: Group, five: Tile, faces: dict[int, Tile], melds: Sequence[Meld]) -> int | None:
    """Return the index of the hand's meld for a group, with a five not yet marked as red."""
    if group.kind in _OWN:
        return None
    shown = sorted(faces[i] for i in group.tiles)
    for index, meld in enumerate(melds):
        same = meld.kind.value == group.kind.value and sorted(meld.tiles) == shown
        if same and meld.red_fives.count(five) < meld.tiles.count(five):
            return index
    return None
