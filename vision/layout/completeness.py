"""Checks whether tiles may be a complete hand: sets or kongs and a pair, or a special shape."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache
from operator import mul

import numpy as np

from hupai.scoring.decomposition.packed import (
    TILE_KEYS,
    is_knitted_singles,
    is_seven_pairs,
    is_thirteen_orphans,
    knitted_straights,
    standard_splits,
)
from hupai.scoring.tiles import PLAYABLE, Tile
from hupai.vision.conventions import GENERAL
from hupai.vision.geometry.boxes import distances
from hupai.vision.geometry.table_tiles import Array, Ground
from hupai.vision.layout.rows import NEAR

KINDS = len(PLAYABLE)
"""Number of kinds that hands are made of, the first members of `Tile`."""
_CACHED = 4096
"""Number of hands whose completeness is cached: candidates recur in further searches of a photo."""


def is_set(faces: Sequence[int]) -> bool:
    """Return whether faces are a chow or a pung."""
    if len(faces) != 3:
        return False
    a, b, c = sorted(faces)
    in_suit = c < Tile.EAST and a // 9 == c // 9
    return a == b == c or (in_suit and b == a + 1 and c == a + 2)


def complete_as_laid(ground: Ground, tiles: Sequence[int], hand_size: int) -> bool:
    """Return whether tiles, by their likeliest faces, may be a complete hand.

    Backs count as parts of kongs whose open tiles, if any, are of a kind that lies beside a back.

    Args:
        ground: the tiles on the table.
        tiles: positions of those to check.
        hand_size: concealed tiles of a waiting hand.
    """
    faces, places = ground.faces[tiles], ground.places[tiles]
    near = distances(places[faces == Tile.BACK], places) < NEAR
    return may_be_complete(faces.tolist(), hand_size, set(faces[near.any(0)].tolist()))


def most_kongs(counts: Array) -> Array:
    """Return the greatest number of kongs (n,) that tiles may form, given the counts of each face.

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
    faces: Sequence[int], hand_size: int, beside: Collection[int] | None = None
) -> bool:
    """Return whether these tiles, ignoring flowers, are a complete hand in some grouping.

    Face-down tiles belong to concealed kongs: one to four of them, completed to four by open tiles
    of one kind.

    Args:
        faces: the tiles.
        hand_size: concealed tiles of a waiting hand.
        beside: kinds with an open tile beside a back: only these complete a kong with backs; all
            kinds if not given.
    """
    backs = faces.count(Tile.BACK)
    kinds = range(KINDS) if beside is None else sorted(face for face in beside if face < KINDS)
    return _may_be_complete(
        tuple(sorted([face for face in faces if face < KINDS])),
        backs,
        tuple(kinds) if backs else (),
        hand_size,
    )


@lru_cache(maxsize=_CACHED)
def _may_be_complete(
    faces: tuple[int, ...],
    backs: int,
    beside: tuple[int, ...],
    hand_size: int,
) -> bool:
    kongs = len(faces) + backs - (hand_size + 1)
    counts = [0] * KINDS
    for face in faces:
        counts[face] += 1
    if not 0 <= kongs <= hand_size // 3 or max(counts) > 4:
        return False
    return _complete_with_kongs(counts, backs, kongs, beside)


def _complete_with_kongs(
    counts: list[int], backs: int, kongs: int, beside: tuple[int, ...]
) -> bool:
    """Return whether this many kongs can use up all backs and leave a winning shape."""
    if backs > 4 * kongs:
        return False
    if not kongs:
        return is_winning_shape(counts)
    for down in range(min(4, backs) + 1):
        up = 4 - down
        # The face of a kong that lies entirely face down does not matter.
        faces = range(KINDS) if up == 4 else beside if up else (0,)
        for face in faces:
            if counts[face] >= up:
                fewer = list(counts)
                fewer[face] -= up
                if _complete_with_kongs(fewer, backs - down, kongs - 1, beside):
                    return True
    return False


def is_winning_shape(counts: Sequence[int]) -> bool:
    """Return whether the tiles outside melds are a winning shape under some rules.

    Args:
        counts: number of tiles of each of the 34 playable kinds; 14 in all, 3 fewer for each meld.
    """
    packed = sum(map(mul, counts, TILE_KEYS))
    if standard_splits(packed) or knitted_straights(packed):
        return True
    special = (is_seven_pairs, is_thirteen_orphans, is_knitted_singles)
    return sum(counts) == GENERAL.hand_size + 1 and any(shape(packed) for shape in special)
