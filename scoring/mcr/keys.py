"""What the answers of an aspect are remembered by: no more of a reading than the fan of that aspect look at.

A key that says too little would give one hand the fan of another; the tests compare answers with and without memory.
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import lru_cache

from scoring.mcr.fans.tiles import GREEN, REVERSIBLE
from scoring.mcr.parts import DRAGONS, ENDS, HONOURS, WINDS, Part
from scoring.mcr.reading import Reading, Shape
from scoring.result import SetKind
from scoring.splits import GROUP, TILE_KEYS

_IS_END = tuple(bool(ENDS & key) for key in TILE_KEYS)
_IS_HONOUR = tuple(bool(HONOURS & key) for key in TILE_KEYS)


@lru_cache(maxsize=1 << 16)
def tiles_key(shape: Shape, kinds: int) -> Hashable:
    """For four sets or seven pairs: which ranks, suits, winds and dragons occur, and the two odd lots of tiles; else every kind."""
    if shape not in (Shape.STANDARD, Shape.SEVEN_PAIRS):
        return shape, kinds
    characters, dots, bamboo = kinds & GROUP, kinds >> 27 & GROUP, kinds >> 54 & GROUP
    return (
        shape,
        characters | dots | bamboo,
        bool(characters) + bool(dots) + bool(bamboo),
        bool(kinds & WINDS),
        bool(kinds & DRAGONS),
        not kinds & ~GREEN,
        not kinds & ~REVERSIBLE,
    )


@lru_cache(maxsize=1 << 16)
def figure(tiles: tuple[int, ...]) -> tuple[int, ...]:
    """How sets lie to one another, whatever suits they are of and wherever they begin: all that combinations depend on.

    Args:
        tiles: first tiles of the chows, or tiles of the pungs, ascending. Honours come out as -1.
    """
    suited = [tile for tile in tiles if tile < 27]
    low = min([tile % 9 for tile in suited], default=0)
    suits = list(dict.fromkeys([tile // 9 for tile in suited]))
    return tuple([9 * suits.index(tile // 9) + tile % 9 - low if tile < 27 else -1 for tile in tiles])


def honours_key(pungs: tuple[int, ...], pair: int, seat_wind: int, round_wind: int) -> tuple[int, ...] | None:
    """The pungs of terminals and honours in their places, the pair if it is an honour, the winds of which there is a pung."""
    ends = [tile if _IS_END[tile] else -1 for tile in pungs]
    if max(ends) < 0:
        return None
    return (
        *ends,
        pair if _IS_HONOUR[pair] else -1,
        seat_wind if seat_wind in pungs else -1,
        round_wind if round_wind in pungs else -1,
    )


def wait_key(reading: Reading) -> int:
    """What the winning tile completed, as far as a wait fan asks: 0 nothing, 1 edge, 2 middle, 3 pair."""
    if not reading.win.single_wait:
        return 0
    part: Part = reading.parts[reading.win_part]
    if part.kind is SetKind.PAIR:
        return 3
    if part.kind is not SetKind.CHOW:
        return 0
    place = reading.win.tile - part.tile
    if place == 1:
        return 2
    return int((place == 2 and part.rank == 1) or (place == 0 and part.rank == 7))
