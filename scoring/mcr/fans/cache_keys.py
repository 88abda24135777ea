"""Keys by which the answers of an aspect are remembered: what the fan of that aspect depend on.

A key that says too little would give one hand the fan of another; the tests compare answers with
and without memory. A key that says too much makes
equal cases be found anew, which is slow.
"""

from __future__ import annotations

from collections.abc import Hashable
from itertools import product

from hupai.scoring.decomposition.packed import GROUP, TILE_KEYS
from hupai.scoring.mcr.decompositions.decomposition import Decomposition, Shape
from hupai.scoring.mcr.decompositions.parts import DRAGONS, HAS_END, TERMINALS, WINDS, Part
from hupai.scoring.mcr.fans.tiles import (
    FOUR_TO_SIX,
    GREEN,
    ONE_TO_FOUR,
    ONE_TO_THREE,
    REVERSIBLE,
    SEVEN_TO_NINE,
    SIX_TO_NINE,
)
from hupai.scoring.result import SetKind


def _spans(ranks: int) -> int:
    """Return which spans of ranks that fan ask for hold all these, and whether there is a terminal.

    Each is a bit.
    """
    spans = (TERMINALS, ONE_TO_THREE, FOUR_TO_SIX, SEVEN_TO_NINE, ONE_TO_FOUR, SIX_TO_NINE)
    return sum([(not ranks & ~span) << i for i, span in enumerate(spans)]) | bool(
        ranks & TERMINALS
    ) << len(spans)


SPANS = {
    ranks: _spans(ranks)
    for ranks in (sum(kinds) for kinds in product(*[(0, TILE_KEYS[i]) for i in range(9)]))
}
"""By the ranks that occur in any suit, as a spaced mask."""


def tiles_key(shape: Shape, kinds: int) -> Hashable:
    """Return a key of the kinds of tile.

    It says which suits, winds and dragons occur, which spans hold the ranks, and whether all are
    green or reversible; for shapes without sets it is every kind.
    """
    if shape is Shape.SEVEN_PAIRS or shape is Shape.KNITTED_SINGLES:
        return shape, kinds
    characters, dots, bamboo = kinds & GROUP, kinds >> 27 & GROUP, kinds >> 54 & GROUP
    suits = (not characters) + (not dots) + (not bamboo)
    odd = (
        (not kinds & WINDS)
        | (not kinds & DRAGONS) << 1
        | (not kinds & ~GREEN) << 2
        | (not kinds & ~REVERSIBLE) << 3
    )
    return shape | suits << 3 | odd << 5 | SPANS[characters | dots | bamboo] << 9


def sets_key(decomposition: Decomposition) -> Hashable:
    """Return a key of what the parts have in common.

    It says how many chows there are, and whether the pair is of a suit; it names the tiles if they
    may be 双龙会.
    """
    pair = decomposition.pairs[0]
    common = pair.traits
    for part in decomposition.parts:
        common &= part.traits
    chows = decomposition.chows
    key = decomposition.shape | len(chows) << 3 | common << 6 | (pair.suit < 3) << 9
    if len(chows) == 4 and pair.rank == 5:
        for part in chows:
            if not part.traits & HAS_END:
                return key
        return (key, pair.tile, *[part.tile for part in chows])
    return key


_PLACES = tuple(32 * (i // 9) + i % 9 for i in range(27))
"""Ranks and suits so far apart that a difference says which of both."""


def figure(tiles: tuple[int, ...]) -> tuple[int, ...]:
    """Return the arrangement of sets of the suits, wherever they begin.

    Combinations depend on nothing else.

    Args:
        tiles: first tiles of the chows, or tiles of the pungs, ascending. Honours, which come last,
            are ignored.
    """
    first = _PLACES[tiles[0]] if tiles[0] < 27 else 0
    return tuple([_PLACES[tile] - first for tile in tiles if tile < 27])


def may_combine(pungs: tuple[int, ...]) -> bool:
    """Return True if two of the pungs are of one rank, or three of neighbouring ranks.

    Without that no pungs make a combination.
    """
    ranks = 0
    for tile in pungs:
        if tile < 27:
            rank = 1 << tile % 9
            if ranks & rank:
                return True
            ranks |= rank
    return bool(ranks & ranks >> 1 & ranks >> 2)


_CLASSES = tuple(
    [1 if key & TERMINALS else 2 if key & WINDS else 3 if key & DRAGONS else 0 for key in TILE_KEYS]
)


def honours_key(pungs: tuple[int, ...], pair: int, seat_wind: int, round_wind: int) -> int:
    """Return a key of the pungs, in their places, and of the pair; 0 if none of them matters.

    It marks terminals, winds, dragons and winds that count.
    """
    key = 0
    for tile in pungs:
        key = key << 4 | _CLASSES[tile] | (tile == seat_wind) << 2 | (tile == round_wind) << 3
    return key and key << 5 | _CLASSES[pair] << 3 | len(pungs)


def wait_key(decomposition: Decomposition) -> int:
    """Return what the winning tile completed as a wait: 0 nothing, 1 edge, 2 middle, 3 pair."""
    if not decomposition.win.single_wait:
        return 0
    part: Part = decomposition.parts[decomposition.win_part]
    if part.kind is SetKind.PAIR:
        return 3
    if part.kind is not SetKind.CHOW:
        return 0
    place = decomposition.win.tile - part.tile
    if place == 1:
        return 2
    return int((place == 2 and part.rank == 1) or (place == 0 and part.rank == 7))
