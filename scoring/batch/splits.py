"""What the tiles of one suit, or the honours, can be split into, as arrays over all cases.

A case is a vector of nine counts from 0 to 4, written as a number in base 5 (`POWERS`).
The splits of a case stand in adjoining rows of `SplitTable`, in the order in which
`hupai.scoring.decomposition.packed` lists them, so that of equal totals the same one is chosen.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from hupai.scoring.batch.features import HONOURS, part_features

UInt32 = NDArray[np.uint32]
UInt16 = NDArray[np.uint16]
UInt8 = NDArray[np.uint8]
Int64 = NDArray[np.int64]

POWERS: Int64 = 5 ** np.arange(9, dtype=np.int64)

NO_SETS, SETS, PAIRED = 0, 1, 2
"""What all tiles of a case make: nothing, sets alone (or no tiles), sets and a pair."""


@dataclass(frozen=True, slots=True, eq=False)
class SplitTable:
    """Every split of every case of one group of kinds: a suit, or the honours.

    Attributes:
        first: (cases,) first row of a case.
        number: (cases,) rows of a case, 0 if it cannot be split.
        form: (cases,) `NO_SETS`, `SETS` or `PAIRED`.
        waits_for_sets: (cases,) mask of the kinds that make the case sets alone.
        waits_for_pair: (cases,) mask of the kinds that make it sets and a pair.
        sets: (rows, 4) two times the lowest tile, and one more for a chow; -1 for no set.
        pair: (rows,) kind of the pair, -1 for none.
        counted, traits: (suits, rows) features of the parts, see
            `hupai.scoring.batch.features.part_features`.
        won, won_waiting: (9 * rows,) the parts that a tile may have completed, by row and kind:
            three bits a part, the first in the lowest; `won_waiting` where the tile alone completes
            the hand. A part is 1 plus its wait (0 none, 1 edge, 2 middle, 3 pair), or 5 for a pung.
    """

    first: Int64
    number: UInt8
    form: UInt8
    waits_for_sets: UInt16
    waits_for_pair: UInt16
    sets: NDArray[np.int8]
    pair: NDArray[np.int8]
    counted: Int64
    traits: UInt32
    won: UInt16
    won_waiting: UInt16


@cache
def suit_table() -> SplitTable:
    """Return the table of a suit."""
    return _table(
        [2 * kind for kind in range(9)] + [2 * kind + 1 for kind in range(7)], 9, (0, 1, 2)
    )


@cache
def honour_table() -> SplitTable:
    """Return the table of the honours, of which there are no chows."""
    return _table([2 * kind for kind in range(7)], 7, (HONOURS,))


def _table(elements: list[int], kinds: int, suits: tuple[int, ...]) -> SplitTable:
    sets, pair, counts = _all_splits(elements, kinds)
    numbers = counts @ POWERS
    form, for_sets, for_pair = _forms_and_waits(numbers, counts, pair, kinds)
    held = counts.max(axis=1) <= 4
    sets, pair, numbers = sets[held], pair[held], numbers[held]
    order = np.lexsort((*sets.T[::-1], pair, numbers))
    sets, pair, numbers = sets[order], pair[order], numbers[order]
    first = np.zeros(5**kinds, np.int64)
    number = np.bincount(numbers, minlength=5**kinds).astype(np.uint8)
    starts = np.flatnonzero(np.diff(numbers, prepend=-1))
    first[numbers[starts]] = starts
    features = [part_features(sets, pair, suit) for suit in suits]
    won = [_completed_parts(sets, pair, alone) for alone in (False, True)]
    return SplitTable(
        first,
        number,
        form,
        for_sets,
        for_pair,
        np.where(sets < NO_SET, sets, -1).astype(np.int8),
        pair.astype(np.int8),
        np.stack([counted for counted, _ in features]),
        np.stack([traits for _, traits in features]),
        *won,
    )


NO_SET = 99
"""Stands for no set while splits are sorted; splits of different sizes are never equal."""


def _all_splits(elements: list[int], kinds: int) -> tuple[Int64, Int64, Int64]:
    """List up to four sets with and without a pair: sets (rows, 4), pairs, counts (rows, 9).

    At most one kind may occur five times, which no hand holds but a wait may ask for (the wait is a
    matter of shape).
    """
    sets = np.array(
        [
            (*chosen, *[NO_SET] * (4 - size))
            for size in range(5)
            for chosen in combinations_with_replacement(sorted(elements), size)
        ],
        np.int64,
    )
    added = np.zeros((NO_SET + 1, 9), np.int64)
    for element in elements:
        kind = element // 2
        if element % 2:
            added[element, kind : kind + 3] = 1
        else:
            added[element, kind] = 3
    counts = added[sets].sum(axis=1)
    pairs = np.arange(-1, kinds)
    paired = np.zeros((len(pairs), 9), np.int64)
    paired[pairs[1:] + 1, pairs[1:]] = 2
    everything = (counts[:, None] + paired).reshape(-1, 9)
    kept = (everything.max(axis=1) <= 5) & ((everything == 5).sum(axis=1) <= 1)
    return (
        np.repeat(sets, len(pairs), axis=0)[kept],
        np.tile(pairs, len(sets))[kept],
        everything[kept],
    )


def _forms_and_waits(
    numbers: Int64, counts: Int64, pair: Int64, kinds: int
) -> tuple[UInt8, UInt16, UInt16]:
    form = np.zeros(5**kinds, np.uint8)
    waits = np.zeros((2, 5**kinds), np.uint16)
    held = counts.max(axis=1) <= 4
    for paired in (False, True):
        rows = (pair >= 0) == paired
        form[numbers[rows & held]] = PAIRED if paired else SETS
        for kind in range(kinds):
            # Without this tile every kind occurs four times at most.
            over = counts > 4
            over[:, kind] = False
            waiting = rows & (counts[:, kind] > 0) & ~over.any(axis=1)
            waits[int(paired), numbers[waiting] - POWERS[kind]] |= np.uint16(1 << kind)
    return form, waits[0], waits[1]


def _completed_parts(sets: Int64, pair: Int64, alone: bool) -> UInt16:
    """List for each row and kind the parts that the kind may have completed (`SplitTable.won`).

    Parts that make no difference are ignored, as
    `hupai.scoring.mcr.decompositions.search` skips them.
    """
    kind = np.arange(9)
    found = np.zeros((len(sets), 9), np.uint16)
    size = np.zeros((len(sets), 9), np.uint16)
    has_pung = (sets[:, :, None] == 2 * kind).any(axis=1)

    def add(where: NDArray[np.bool_], part: NDArray[np.int64] | int) -> None:
        parts = np.broadcast_to(part, where.shape).astype(np.uint16)
        for place in range(3):
            where = where & ((found >> 3 * place & 7) != parts)
        found[where] |= parts[where] << 3 * size[where]
        size[where] += 1

    for place in (2, 1, 0):
        start = kind - place
        in_chow = (sets[:, :, None] == 2 * start + 1).any(axis=1) & (start >= 0)
        wait = 2 if place == 1 else ((place == 2) & (start == 0)) | ((place == 0) & (start == 6))
        add(in_chow & (alone | (size == 0)), 1 + wait * int(alone))
    is_pair = pair[:, None] == kind
    add(is_pair & (alone | (size == 0)), 4 if alone else 1)
    add(has_pung, 5)
    return found.reshape(-1)
