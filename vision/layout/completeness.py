"""Whether faces can be a complete hand: four sets and a pair, kongs among them, or a hand without
sets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache

from hupai.scoring.decomposition.packed import knitted_straights, pack
from hupai.scoring.decomposition.shapes import (
    knitted_singles,
    seven_pairs,
    standard_splits,
    thirteen_orphans,
)
from hupai.scoring.tiles import Tile


def may_be_complete(faces: Sequence[Tile], beside: Collection[Tile] | None = None) -> bool:
    """Whether these tiles, flowers left aside, are a complete hand in some grouping.

    A tile that lies face down belongs to a concealed kong: up to four of them are one, with open
    tiles of one kind.

    Args:
        faces: the tiles.
        beside: kinds of which an open tile lies beside one that lies face down, the only ones that
            make a kong with it; any where it is not given.
    """
    counts = Counter(face for face in faces if face.is_playable)
    backs = sum(face is Tile.BACK for face in faces)
    near = (
        tuple(range(34))
        if beside is None
        else tuple(sorted({int(face) for face in beside if face.is_playable}))
    )
    return _complete(
        tuple(sorted((int(face), n) for face, n in counts.items())), backs, near if backs else ()
    )


@lru_cache(maxsize=4096)
def _complete(kinds: tuple[tuple[int, int], ...], backs: int, near: tuple[int, ...]) -> bool:
    counts = [0] * 34
    for face, n in kinds:
        if n > 4:
            return False
        counts[face] = n
    kongs = sum(counts) + backs - 14
    if not 0 <= kongs <= 4:
        return False
    return any(
        _without_kongs(rest, kongs - used)
        for rest, used in _hidden_kongs(counts, backs, kongs, near)
    )


def _hidden_kongs(
    counts: list[int], backs: int, most: int, near: tuple[int, ...]
) -> Iterator[tuple[list[int], int]]:
    """The counts without the kongs that the backs are part of, and how many these are."""
    if backs == 0:
        yield counts, 0
        return
    if most == 0:
        return
    for down in range(1, min(4, backs) + 1):
        if down == 4:
            yield from (
                (rest, used + 1) for rest, used in _hidden_kongs(counts, backs - 4, most - 1, near)
            )
            continue
        for face in near:
            if counts[face] >= 4 - down:
                fewer = list(counts)
                fewer[face] -= 4 - down
                yield from (
                    (rest, used + 1)
                    for rest, used in _hidden_kongs(fewer, backs - down, most - 1, near)
                )


def _without_kongs(counts: list[int], kongs: int) -> bool:
    """Whether some choice of so many open kongs leaves sets and a pair, or a shape without sets."""
    if kongs:
        for face in range(34):
            if counts[face] == 4:
                fewer = list(counts)
                fewer[face] = 0
                if _without_kongs(fewer, kongs - 1):
                    return True
        return False
    left = tuple(counts)
    if standard_splits(left):
        return True
    if sum(left) < 11:
        return False
    packed = pack(Tile(face) for face in range(34) for _ in range(left[face]))
    if knitted_straights(packed):
        return True
    return sum(left) == 14 and bool(
        seven_pairs(left) or thirteen_orphans(left) or knitted_singles(left)
    )
