"""How many tiles a hand lacks to a winning shape, exactly: the least number that must be exchanged
for others.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations_with_replacement, permutations

import numpy as np
from numpy.typing import NDArray

from hupai.scoring.decomposition.shapes import HONOURS, ORPHANS, Shape, tile_counts
from hupai.scoring.hand import Hand
from hupai.scoring.tiles import Tile

_COPIES = 4
_SETS = 4
_FAR = 99
Counts = NDArray[np.int8]
"""How often each kind of a suit occurs."""


def tiles_missing(
    hand: Hand,
    shapes: frozenset[Shape],
    suits: frozenset[str] = frozenset("mps"),
    knitted: bool = False,
) -> int:
    """Tiles that must come in from outside to complete the nearest of these shapes: 0 for a won
    hand, 1 for one that is ready.

    Args:
        hand: its melds stay as they are; what else it holds may be exchanged.
        shapes: which shapes win.
        suits: the suits that may stay, as letters; tiles of others, melds among them, count as not
            there.
        knitted: nine knitted tiles may stand for three sets.
    """
    own = hand.concealed if hand.winning_tile is None else (*hand.concealed, hand.winning_tile)
    kept = [tile for tile in own if tile < 34 and (tile >= 27 or tile.code[1] in suits)]
    if any(meld.tiles[0] < 27 and meld.tiles[0].code[1] not in suits for meld in hand.melds):
        return _FAR
    counts = np.array(tile_counts(kept), np.int8)
    laid = np.array(tile_counts(tile for meld in hand.melds for tile in meld.tiles), np.int8)
    sets = _SETS - len(hand.melds)
    found = [_FAR]
    if Shape.STANDARD in shapes and sets >= 0:
        found.append(_standard(counts, laid, sets, suits))
    if knitted and sets in (3, 4):
        found += [
            _knitted_straight(counts, laid, sets, suits, rows) for rows in permutations(range(3))
        ]
    if not hand.melds:
        found += _irregular(counts, shapes, suits)
    return min(found)


def _standard(counts: Counts, laid: Counts, sets: int, suits: frozenset[str]) -> int:
    """Sets and a pair: each suit's cost for so many sets with and without the pair, put
    together.
    """
    best = {(0, 0): 0}
    for group, letter in enumerate("mpsz"):
        if letter != "z" and letter not in suits:
            continue
        part = slice(9 * group, 9 * group + 9) if letter != "z" else slice(27, 34)
        costs = _costs(counts[part], laid[part])
        joined: dict[tuple[int, int], int] = {}
        for (had, pair), cost in best.items():
            for (more, head), extra in costs.items():
                key = (had + more, pair + head)
                if key[0] <= sets and key[1] <= 1:
                    joined[key] = min(joined.get(key, _FAR), cost + extra)
        best = joined
    return best.get((sets, 1), _FAR)


def _costs(counts: Counts, laid: Counts) -> dict[tuple[int, int], int]:
    """Tiles missing for so many sets and so many pairs (0 or 1) within one suit or the honours."""
    found = {}
    for key, wanted in _patterns(len(counts)).items():
        possible = wanted[((wanted + laid) <= _COPIES).all(axis=1)]
        if len(possible):
            found[key] = int(np.maximum(possible - counts, 0).sum(axis=1).min())
    return found


@cache
def _patterns(kinds: int) -> dict[tuple[int, int], Counts]:
    """Every way to hold so many sets and pairs in a suit of 9 kinds, or among the 7 honours, which
    make no chow.
    """
    units = [_unit(kinds, (i, i, i)) for i in range(kinds)]
    if kinds == 9:
        units += [_unit(kinds, (i, i + 1, i + 2)) for i in range(7)]
    found: dict[tuple[int, int], Counts] = {}
    for sets in range(_SETS + 1):
        rows = {
            tuple(sum(chosen, np.zeros(kinds, np.int8)))
            for chosen in combinations_with_replacement(units, sets)
        }
        plain = np.array(sorted(rows), np.int8).reshape(-1, kinds)
        paired = np.concatenate([plain + _unit(kinds, (i, i)) for i in range(kinds)])
        for pair, table in ((0, plain), (1, paired)):
            found[sets, pair] = table[(table <= _COPIES).all(axis=1)]
    return found


def _unit(kinds: int, places: Sequence[int]) -> Counts:
    row = np.zeros(kinds, np.int8)
    for place in places:
        row[place] += 1
    return row


def _knitted_straight(
    counts: Counts, laid: Counts, sets: int, suits: frozenset[str], rows: Sequence[int]
) -> int:
    """Nine knitted tiles, and what is left of the sets and the pair."""
    left = counts.copy()
    missing = 0
    for suit, first in enumerate(rows):
        for step in (0, 3, 6):
            tile = 9 * suit + first + step
            if left[tile]:
                left[tile] -= 1
            else:
                missing += 1
    return missing + _standard(left, laid, sets - 3, suits)


def _irregular(counts: Counts, shapes: frozenset[Shape], suits: frozenset[str]) -> list[int]:
    found = []
    if Shape.SEVEN_PAIRS in shapes:
        pairs, singles = int((counts // 2).sum()), int((counts % 2).sum())
        need = max(0, 7 - pairs)
        found.append(need + max(0, need - singles))
    if Shape.THIRTEEN_ORPHANS in shapes:
        held = [int(counts[tile]) for tile in ORPHANS]
        found.append(13 - sum(n > 0 for n in held) + (max(held) < 2))
    if Shape.KNITTED_SINGLES in shapes:
        honours = sum(bool(counts[tile]) for tile in HONOURS)
        for rows in permutations(range(3)):
            runs = sum(
                bool(counts[9 * suit + first + step])
                for suit, first in enumerate(rows)
                for step in (0, 3, 6)
            )
            found.append(max(0, 14 - honours - runs))
    return found


def suits_held(hand: Hand) -> frozenset[str]:
    """The suits of a hand, as letters."""
    return frozenset(tile.code[1] for tile in hand.all_tiles if tile < Tile.EAST)
