"""Whether faces can be a complete hand: sets and a pair, kongs among them, or a special shape."""

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
    """Tell whether these tiles, flowers left aside, are a complete hand in some grouping.

    A tile that lies face down belongs to a concealed kong: up to four of them are one, with open
    tiles of one kind.

    Args:
        faces: the tiles.
        beside: kinds of which an open tile lies beside a back, the only ones that make a kong with
            it; any where it is not given.
    """
    counts = Counter(face for face in faces if face.is_playable)
    backs = sum(face is Tile.BACK for face in faces)
    kinds = range(34) if beside is None else {int(face) for face in beside if face.is_playable}
    return _may_be_complete(
        tuple(sorted((int(face), n) for face, n in counts.items())),
        backs,
        tuple(sorted(kinds)) if backs else (),
    )


@lru_cache(maxsize=4096)
def _may_be_complete(
    kinds: tuple[tuple[int, int], ...], backs: int, beside: tuple[int, ...]
) -> bool:
    counts = [0] * 34
    for face, n in kinds:
        if n > 4:
            return False
        counts[face] = n
    kongs = sum(counts) + backs - 14
    return 0 <= kongs <= 4 and any(
        _complete_without_kongs(rest, kongs - used)
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


def _complete_without_kongs(counts: list[int], kongs: int) -> bool:
    """Tell whether a choice of so many open kongs leaves a complete hand."""
    if not kongs:
        return is_winning_shape(tuple(counts))
    for face in range(34):
        if counts[face] == 4:
            fewer = list(counts)
            fewer[face] = 0
            if _complete_without_kongs(fewer, kongs - 1):
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
