"""Marks red fives in a hand, in the group in which each was seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from hupai.scoring.hand import Hand, Meld
from hupai.scoring.tiles import FIVES, Tile
from hupai.vision.types import Group, GroupKind, ReadTile

_OWN = (GroupKind.CONCEALED, GroupKind.WINNING_TILE)


def with_red_fives(hand: Hand, tiles: Sequence[ReadTile], groups: Sequence[Group]) -> Hand:
    """Mark the fives of a hand that were seen to be red.

    Args:
        hand: a possible hand of the tiles.
        tiles: the tiles of the reading.
        groups: the groups of the reading. If the hand lacks the meld of a red five, a concealed
            five is marked instead, or one of another meld; if it has no such five, none is.
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
            melds[index] = _marked(melds[index], tile.tile)
    held = Counter((*hand.concealed, *(() if hand.winning_tile is None else (hand.winning_tile,))))
    kept = Counter(own) & held
    for five in (Counter(own) - held).elements():
        index = next((k for k, meld in enumerate(melds) if _may_be_marked(meld, five)), None)
        if index is not None:
            melds[index] = _marked(melds[index], five)
    return replace(hand, melds=tuple(melds), red_fives=tuple(sorted(kept.elements())))


def _may_be_marked(meld: Meld, five: Tile) -> bool:
    """Return whether a meld has such a five that is not marked as red yet."""
    return meld.red_fives.count(five) < meld.tiles.count(five)


def _marked(meld: Meld, five: Tile) -> Meld:
    """Return the meld with one more of its fives marked as red."""
    return replace(meld, red_fives=tuple(sorted((*meld.red_fives, five))))


def _meld_of(group: Group, five: Tile, faces: dict[int, Tile], melds: Sequence[Meld]) -> int | None:
    """Return the index of the hand's meld for a group, with a five not yet marked as red."""
    if group.kind in _OWN:
        return None
    shown = sorted(faces[i] for i in group.tiles)
    for index, meld in enumerate(melds):
        same = meld.kind.value == group.kind.value and sorted(meld.tiles) == shown
        if same and _may_be_marked(meld, five):
            return index
    return None
