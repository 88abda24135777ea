"""The fan of each aspect as tables, filled by the evaluator of single hands.

`hupai.scoring.mcr.evaluation` caches its results by aspect; here the cache is an array with a place
for each key. Keys are computed for many hands at once; a new key is passed to the evaluator, so
that no fan is defined twice.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from hupai.scoring.batch.features import CHOW_VALUES, PUNG_VALUES
from hupai.scoring.mcr.decompositions.decomposition import Decomposition, Shape, Win
from hupai.scoring.mcr.decompositions.parts import (
    CHOWS,
    CONCEALED_KONGS,
    KONGS,
    PAIRS,
    PUNGS,
    PUNGS_WON,
    Part,
)
from hupai.scoring.mcr.evaluation import NOTHING, Evaluator, Found
from hupai.scoring.mcr.fans import Aspect
from hupai.scoring.mcr.fans.cache_keys import figure, may_combine

Int64 = NDArray[np.int64]
UInt64 = NDArray[np.uint64]

Fill = Callable[[int, int], Found]
"""Answers a key, given with the place in the batch where it was met."""

LOW = (1 << 64) - 1


class Repeats:
    """Three bits for each fan that occurs more than once, at the same place everywhere."""

    WIDTH = 3

    def __init__(self) -> None:
        self.shift: dict[int, int] = {}

    def pack(self, found: Found) -> int:
        """Return the numbers of further occurrences of the fan, each at its place."""
        packed = 0
        for fan, times in found.repeats:
            shift = self.shift.setdefault(fan, self.WIDTH * len(self.shift))
            packed |= times << shift
        return packed


class AspectTable:
    """What one aspect has, by its key.

    Attributes:
        low, high: masks of the fan with index below 64, and of the others.
        repeats: further occurrences, see `Repeats`.
    """

    def __init__(self, size: int, repeats: Repeats) -> None:
        self.row = np.full(size, -1, np.int32)
        self.low = np.zeros(0, np.uint64)
        self.high = np.zeros(0, np.uint64)
        self.repeats = np.zeros(0, np.uint64)
        self._packer = repeats

    def rows(self, keys: Int64, fill: Fill) -> NDArray[np.int32]:
        """Return the row of each key, after computing the rows of new keys."""
        found = self.row[keys]
        if found.size and found.min() < 0:
            missing = np.flatnonzero(found < 0)
            new, first = np.unique(keys[missing], return_index=True)
            self.add(
                [
                    (key, fill(key, int(missing[place])))
                    for key, place in zip(new.tolist(), first, strict=True)
                ]
            )
            found = self.row[keys]
        return found

    def add(self, answers: list[tuple[int, Found]]) -> None:
        """Compute the rows of some keys."""
        start = len(self.low)
        self.row[[key for key, _ in answers]] = np.arange(start, start + len(answers))
        founds = [found for _, found in answers]
        self.low = _extended(self.low, [found.mask & LOW for found in founds])
        self.high = _extended(self.high, [found.mask >> 64 for found in founds])
        self.repeats = _extended(self.repeats, [self._packer.pack(found) for found in founds])


def _extended(values: UInt64, new: list[int]) -> UInt64:
    return np.concatenate([values, np.array(new, np.uint64)])


def combination_table(
    evaluator: Evaluator, aspect: Aspect, barred: int, repeats: Repeats
) -> AspectTable:
    """Fill the table of all combinations of up to four chows, or pungs of a suit.

    Args:
        aspect: `Aspect.CHOWS` or `Aspect.PUNGS`.
        barred: mask of the fan that bar combinations.
    """
    chows = aspect is Aspect.CHOWS
    values, parts = (CHOW_VALUES, CHOWS) if chows else (PUNG_VALUES, PUNGS)
    tiles = [i for i in range(27) if not chows or i % 9 < 7]
    choose_some = combinations_with_replacement if chows else combinations
    table = AspectTable(4 * values[-1] + 1, repeats)
    by_figure: dict[tuple[int, ...], Found] = {}
    answers = []
    for size in range(5):
        for places in choose_some(range(len(tiles)), size):
            chosen = tuple([tiles[place] for place in places])
            found = NOTHING
            if size > 1 and (chows or may_combine(chosen)):
                key = figure(chosen)
                found = by_figure.get(key) or by_figure.setdefault(
                    key, _combined(evaluator, aspect, tuple([parts[i] for i in chosen]), barred)
                )
            answers.append((sum([values[1 + place] for place in places]), found))
    table.add(answers)
    return table


def _combined(evaluator: Evaluator, aspect: Aspect, parts: tuple[Part, ...], barred: int) -> Found:
    chows = aspect is Aspect.CHOWS
    decomposition = Decomposition(
        Shape.STANDARD, Win(0), (), parts if chows else (), () if chows else parts, (PAIRS[33],), 0
    )
    return evaluator.find(aspect, decomposition, barred)


def kong_fan(evaluator: Evaluator, key: int) -> Found:
    """Return the fan of how the pungs were made.

    Args:
        key: numbers of concealed and exposed pungs, concealed and exposed kongs, three bits each.
    """
    pungs = tuple(
        made
        for place, family in enumerate((PUNGS, PUNGS_WON, CONCEALED_KONGS, KONGS))
        for made in (family[0],) * (key >> 3 * place & 7)
    )
    if not pungs:
        return NOTHING
    decomposition = Decomposition(Shape.STANDARD, Win(0), (), (), pungs, (PAIRS[33],), 0)
    return evaluator.find(Aspect.KONGS, decomposition, 0)


SEAT, ROUND, SAME, PAIR_CLASS = 9, 10, 11, 12
"""First bits of the fields of a key of honours after the numbers of pungs."""


def honour_fan(evaluator: Evaluator, key: int) -> Found:
    """Return the fan of the pungs of honours and terminals.

    Args:
        key: numbers of pungs of winds, dragons, terminals, three bits each; bits for the seat wind
            and the round wind among them, and for both being one; 1 for a pair of winds, 2 of
            dragons.
    """
    winds, dragons, terminals = key & 7, key >> 3 & 7, key >> 6 & 7
    in_seat, in_round, same, pair_class = (
        key >> SEAT & 1,
        key >> ROUND & 1,
        key >> SAME & 1,
        key >> PAIR_CLASS,
    )
    tiles = (*(0, 8, 9, 17)[:terminals], *range(27, 27 + winds), *range(31, 31 + dragons))
    pair = (4, 30, 33)[pair_class]
    seat = 27 if in_seat else -1
    round_wind = -1 if not in_round else 28 if in_seat and not same else 27
    win = Win(0, seat_wind=seat, round_wind=round_wind)
    pungs = tuple([PUNGS[tile] for tile in tiles])
    if not pungs:
        return NOTHING
    decomposition = Decomposition(Shape.STANDARD, win, (), (), pungs, (PAIRS[pair],), 0)
    return evaluator.find(Aspect.HONOURS, decomposition, 0)


WIN_FLAGS = (
    "self_drawn",
    "last_tile",
    "kong_replacement",
    "robbing_kong",
    "last_of_kind",
    "all_concealed",
    "all_claimed",
    "nine_sided",
)


def win_fan(evaluator: Evaluator, key: int) -> Found:
    """Return the fan of how the hand was won.

    Args:
        key: the flags of `WIN_FLAGS`, a bit each, then two bits: 1 for an edge wait, 2 for a closed
            one, 3 for a wait on the pair.
    """
    flags = {name: bool(key >> place & 1) for place, name in enumerate(WIN_FLAGS)}
    wait = key >> len(WIN_FLAGS)
    win = Win((30, 2, 1, 33)[wait], single_wait=wait > 0, **flags)
    decomposition = Decomposition(
        Shape.STANDARD, win, (), (CHOWS[0],), (PUNGS[30],), (PAIRS[33],), (1, 0, 0, 2)[wait]
    )
    return evaluator.find(Aspect.WIN, decomposition, 0)
