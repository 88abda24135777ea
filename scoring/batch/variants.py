"""From hands to variants: a decomposition with the part that the winning tile completed.

Every variant that `hupai.scoring.mcr.decompositions.search` lists has a place here, in the same
order within a hand; variants between which no fan can differ are one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from hupai.scoring.batch.cases import Bool, Cases, Int64
from hupai.scoring.batch.features import COMPLETED_BY_ANOTHER, HONOURS
from hupai.scoring.batch.hand_arrays import KINDS, HandArrays
from hupai.scoring.batch.splits import PAIRED, honour_table, suit_table
from hupai.scoring.batch.waits import knitted_waits_alone, waits_alone
from hupai.scoring.decomposition.packed import KNITTED_ROWS
from hupai.scoring.mcr.decompositions.decomposition import Shape


@dataclass(slots=True, eq=False)
class Variants:
    """Variants of one shape, those of a hand together.

    Attributes:
        shape: the winning shape.
        hand: index of the hand.
        counted, traits: features of the parts together.
        wait: what the winning tile completed: 0 no wait, 1 edge, 2 middle, 3 pair.
        splits: (variants, 4) row of each group in its table; for shapes without sets, none.
        knitted: index of the knitted straight, 0 for other shapes.
    """

    shape: Shape
    hand: Int64
    counted: Int64
    traits: NDArray[np.uint32]
    wait: Int64
    splits: Int64
    knitted: Int64


def standard_variants(cases: Cases, hands: HandArrays) -> Variants:
    """List the variants of four sets and a pair."""
    found = _splits(cases.cases)
    return _with_winning_part(cases, hands, *found, Shape.STANDARD, np.zeros(1, np.int64))


def knitted_straight_variants(cases: Cases, hands: HandArrays, rows: Int64) -> Variants:
    """List the variants with a knitted straight among these hands."""
    held = hands.concealed[rows] > 0
    held[np.arange(len(rows)), hands.winning_tile[rows]] = True
    knitted = np.full(len(rows), -1)
    for index, tiles in enumerate(_KNITTED_TILES):
        knitted[held[:, tiles].all(axis=1)] = index
    with_straight = np.flatnonzero((knitted >= 0) & (cases.melds[rows] <= 1))
    rows, knitted = rows[with_straight], knitted[with_straight]
    rest = cases[rows]
    rest.cases = rest.cases - _KNITTED_CASES[knitted]
    found = _with_winning_part(
        rest, hands[rows], *_splits(rest.cases), Shape.KNITTED_STRAIGHT, knitted
    )
    found.hand = rows[found.hand]
    return found


def irregular_variants(cases: Cases, hands: HandArrays, other: Bool) -> Iterator[Variants]:
    """Yield seven pairs, and of the `other` hands thirteen orphans and single knitted tiles."""
    # Seven pairs need one tile of an odd number of which the winning one makes a pair.
    odd = (hands.concealed & 1).sum(axis=1) == 1
    rows = np.flatnonzero((cases.melds == 0) & (odd | other))
    counts = hands.concealed[rows]
    counts[np.arange(len(rows)), hands.winning_tile[rows]] += 1
    pairs = np.all(counts & 1 == 0, axis=1)
    asked = pairs | other[rows]
    rows, pairs, counts = rows[asked], pairs[asked], counts[asked]
    held = counts > 0
    orphans = (held == _ORPHANS).all(axis=1)
    single = (counts <= 1).all(axis=1)
    knitted = single & np.any([~held[:, ~tiles].any(axis=1) for tiles in _KNITTED_SINGLES], axis=0)
    chosen = rows[pairs]
    alone = waits_alone(cases[chosen], hands[chosen])
    yield _without_sets(Shape.SEVEN_PAIRS, chosen, 3 * alone.astype(np.int64))
    for shape, which in ((Shape.THIRTEEN_ORPHANS, orphans), (Shape.KNITTED_SINGLES, knitted)):
        yield _without_sets(shape, rows[which], np.zeros(np.count_nonzero(which), np.int64))


def _without_sets(shape: Shape, hand: Int64, wait: Int64) -> Variants:
    size = len(hand)
    return Variants(
        shape,
        hand,
        np.zeros(size, np.int64),
        np.zeros(size, np.uint32),
        wait,
        np.zeros((4, 0), np.int64),
        np.zeros(size, np.int64),
    )


_KNITTED_TILES = tuple(
    np.array([9 * suit + row + step for suit, row in enumerate(rows) for step in (0, 3, 6)])
    for rows in KNITTED_ROWS
)

_KNITTED_CASES = np.array(
    [[*[5**row + 5 ** (row + 3) + 5 ** (row + 6) for row in rows], 0] for rows in KNITTED_ROWS]
)
"""The cases of each knitted straight."""

_ORPHANS = np.array([kind >= 27 or kind % 9 in (0, 8) for kind in range(KINDS)])

_KNITTED_SINGLES = tuple(
    np.isin(np.arange(KINDS), [*tiles, *range(27, KINDS)]) for tiles in _KNITTED_TILES
)


def _splits(cases: Int64) -> tuple[Int64, Int64]:
    """List every split of the hands into sets and one pair.

    Returns:
        The hand of each split, and its row in the table of each group: (4, splits).
    """
    tables = (suit_table(), suit_table(), suit_table(), honour_table())
    numbers = [table.number[cases[:, group]] for group, table in enumerate(tables)]
    paired = np.sum([t.form[cases[:, group]] == PAIRED for group, t in enumerate(tables)], axis=0)
    number = np.where(paired == 1, 1, 0)
    for factor in numbers:
        number *= factor
    hand = np.repeat(np.arange(len(cases)), number)
    rows = np.stack([table.first[cases[:, group]][hand] for group, table in enumerate(tables)])
    several = np.flatnonzero(number[hand] > 1)
    if len(several):
        first = np.cumsum(number) - number
        place = several - first[hand[several]]
        for group in (3, 2, 1, 0):
            place, rest = np.divmod(place, numbers[group][hand[several]])
            rows[group, several] += rest
    return hand, rows


@cache
def _won_parts() -> tuple[NDArray[np.uint16], NDArray[np.uint16], int]:
    """Return the parts a tile may have completed, by 9 * row + rank, and the first row of honours.

    The first array is for hands with other waits, the second for a tile that alone completes it.
    """
    suit, honours = suit_table(), honour_table()
    return (
        np.concatenate([suit.won, honours.won]),
        np.concatenate([suit.won_waiting, honours.won_waiting]),
        len(suit.pair),
    )


def _with_winning_part(
    cases: Cases, hands: HandArrays, hand: Int64, rows: Int64, shape: Shape, knitted: Int64
) -> Variants:
    """Make a variant of each part that the winning tile may have completed."""
    with_others, alone, first_of_honours = _won_parts()
    group = cases.group[hand]
    row = rows[group, np.arange(len(hand))] + first_of_honours * (group == HONOURS)
    key = 9 * row + cases.rank[hand]
    parts, parts_alone = with_others[key], alone[key]
    asked = np.zeros(len(cases.kind), np.bool_)
    asked[hand[parts != parts_alone]] = True
    asking = np.flatnonzero(asked)
    if shape is Shape.STANDARD:
        asked[asking] = waits_alone(cases[asking], hands[asking])
    else:
        asked[asking] = [knitted_waits_alone(hands, index) for index in asking.tolist()]
    parts = np.where(asked[hand], parts_alone, parts)
    if shape is Shape.KNITTED_STRAIGHT:
        parts[parts == 0] = 1  # the tile completed a run
    number = 1 + (parts > 0o7) * 1 + (parts > 0o77) + (parts > 0o777)
    if number.max(initial=1) > 1:
        chosen = np.repeat(np.arange(len(hand)), number)
        place = np.arange(len(chosen)) - (np.cumsum(number) - number)[chosen]
        hand, rows = hand[chosen], rows[:, chosen]
        parts = parts[chosen] >> (3 * place).astype(np.uint16) & 7
    counted, traits = cases.counted[hand], cases.traits[hand]
    for index in range(4):
        table = honour_table() if index == HONOURS else suit_table()
        suit = 0 if index == HONOURS else index
        counted = counted + table.counted[suit][rows[index]]
        traits = traits + table.traits[suit][rows[index]]
    of_another = (parts == 5) & ~cases.self_drawn[hand]
    counted[of_another] += COMPLETED_BY_ANOTHER
    wait = np.where(parts == 5, 0, parts.astype(np.int64) - 1)
    return Variants(
        shape, hand, counted, traits, wait, rows, knitted[hand] if len(knitted) > 1 else knitted
    )
