"""Whether faces can be a complete hand: sets and a pair, kongs among them, or a special shape."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache

import numpy as np

from hupai.scoring.decomposition.packed import knitted_straights, pack
from hupai.scoring.decomposition.shapes import (
    knitted_singles,
    seven_pairs,
    standard_splits,
    thirteen_orphans,
)
from hupai.scoring.tiles import Tile
from hupai.vision.geometry.table_tiles import Array, Spot

_ADJACENT = 1.7
"""Greatest distance of the centres of adjacent tiles, one of them sideways, tile widths."""


def complete_as_laid(
    tiles: Sequence[Spot],
    hand_size: int = 13,
    changed: Spot | None = None,
    special: bool = True,
) -> bool:
    """Tell whether the likeliest faces may be a complete hand, each back in a kong beside it.

    Args:
        tiles: the tiles on the table.
        hand_size: concealed tiles of a waiting hand.
        changed: one of the tiles that is taken for its second face.
        special: special shapes count, such as seven pairs; kongs that are laid apart are none.
    """
    faces = [t.second if t is changed else t.face for t in tiles]
    backs = [t for t in tiles if t.face is Tile.BACK]
    beside = {
        face
        for t, face in zip(tiles, faces, strict=True)
        for b in backs
        if math.hypot(t.x - b.x, t.y - b.y) < _ADJACENT
    }
    return may_be_complete(faces, beside, hand_size, special)


def most_kongs(counts: Array) -> Array:
    """Count the kongs, shape (n,), that tiles may hold at most, by their numbers of each face.

    Args:
        counts: shape (n, 43), tiles by face, without flowers.
    """
    backs, kongs = counts[:, Tile.BACK].copy(), (counts[:, : Tile.BACK] >= 4).sum(1).astype(float)
    for open_tiles in (3, 2):
        some = np.minimum((counts[:, : Tile.BACK] == open_tiles).sum(1), backs // (4 - open_tiles))
        kongs, backs = kongs + some, backs - some * (4 - open_tiles)
    most: Array = kongs + np.ceil(backs / 4)
    return most


def may_be_complete(
    faces: Sequence[Tile],
    beside: Collection[Tile] | None = None,
    hand_size: int = 13,
    special: bool = True,
) -> bool:
    """Tell whether these tiles, flowers left aside, are a complete hand in some grouping.

    A tile that lies face down belongs to a concealed kong: up to four of them are one, with open
    tiles of one kind.

    Args:
        faces: the tiles.
        beside: kinds of which an open tile lies beside a back, the only ones that make a kong with
            it; any where it is not given.
        hand_size: concealed tiles of a waiting hand.
        special: special shapes count, such as seven pairs.
    """
    counts = Counter(face for face in faces if face.is_playable)
    backs = sum(face is Tile.BACK for face in faces)
    kinds = range(34) if beside is None else {int(face) for face in beside if face.is_playable}
    return _may_be_complete(
        tuple(sorted((int(face), n) for face, n in counts.items())),
        backs,
        tuple(sorted(kinds)) if backs else (),
        hand_size,
        special,
    )


@lru_cache(maxsize=4096)
def _may_be_complete(
    kinds: tuple[tuple[int, int], ...],
    backs: int,
    beside: tuple[int, ...],
    hand_size: int,
    special: bool,
) -> bool:
    counts = [0] * 34
    for face, n in kinds:
        if n > 4:
            return False
        counts[face] = n
    kongs = sum(counts) + backs - (hand_size + 1)
    return 0 <= kongs <= (hand_size - 1) // 3 and any(
        _complete_without_kongs(rest, kongs - used, special)
        for rest, used in _without_hidden_kongs(counts, backs, kongs, beside)
    )


def _without_hidden_kongs(
    counts: list[int], backs: int, most: int, beside: tuple[int, ...]
) -> Iterator[tuple[list[int], int]]:
    """Yield the counts without the kongs that hold the backs, and how many these are."""
    if backs == 0:
        yield counts, 0
        return
    if most == 0:
        return
    for down in range(1, min(4, backs) + 1):
        open_tiles = 4 - down
        for face in beside if open_tiles else (0,):
            if counts[face] >= open_tiles:
                fewer = list(counts)
                fewer[face] -= open_tiles
                for rest, used in _without_hidden_kongs(fewer, backs - down, most - 1, beside):
                    yield rest, used + 1


def _complete_without_kongs(counts: list[int], kongs: int, special: bool) -> bool:
    """Tell whether a choice of so many open kongs leaves a complete hand."""
    if not kongs:
        return is_winning_shape(tuple(counts)) if special else bool(standard_splits(tuple(counts)))
    for face in range(34):
        if counts[face] == 4:
            fewer = list(counts)
            fewer[face] = 0
            if _complete_without_kongs(fewer, kongs - 1, special):
                return True
    return False


def is_winning_shape(counts: tuple[int, ...]) -> bool:
    """Tell whether the tiles outside melds complete a hand under some rules.

    Args:
        counts: of each playable kind, 34 of them; 14 tiles, three fewer for each meld.
    """
    if standard_splits(counts):
        return True
    size = sum(counts)
    if size < 11:
        return False
    if knitted_straights(pack(Tile(face) for face in range(34) for _ in range(counts[face]))):
        return True
    special = (seven_pairs, thirteen_orphans, knitted_singles)
    return size == 14 and any(shape(counts) for shape in special)
