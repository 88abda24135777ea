"""What the fan need to know of sets and pairs, as two numbers per part that add up over a hand.

The first number, *counted*, holds the fields of `Field`. The sum of the `CHOW_VALUES` of up to four
chows belongs to no other four, and that of the `PUNG_VALUES` to no other pungs, so a table by that
sum has a place for each combination (a Bose-Chowla set: R. C. Bose and S. Chowla, "Theorems in the
additive theory of numbers", 1962).
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

HONOURS = 3
"""The group of kinds after the three suits."""

CHOW_VALUES = (
    *(0, 1075, 1679, 16749, 26323, 48177, 57286, 62589, 70831, 70906, 82541, 98499),
    *(99824, 111622, 113841, 114903, 115517, 115567, 119088, 124194, 139335, 142522),
)
"""No chow, then the 21 chows by suit and rank: the sums of any four are all different."""

PUNG_VALUES = (
    *(0, 19, 24904, 27607, 35259, 58995, 66774, 103832, 130729, 137589, 139979, 143648, 215790),
    *(251843, 261173, 286315, 290462, 300853, 304165, 306218, 327569, 335811, 345637, 345814),
    *(346245, 352341, 367998, 371304),
)
"""No pung of a suit, then the 27 pungs: the sums of any four are all different."""


class Field(IntEnum):
    """First bit of each field of *counted*."""

    CHOWS = 0
    """Sum of the `CHOW_VALUES`."""
    PUNGS = 20
    """Sum of the `PUNG_VALUES`; kongs are pungs here."""
    CONCEALED_PUNGS = 41
    """Number of concealed pungs, kongs apart."""
    EXPOSED_PUNGS = 44
    CONCEALED_KONGS = 47
    EXPOSED_KONGS = 50
    WINDS = 53
    """Number of pungs of winds; so for dragons, and for ones and nines."""
    DRAGONS = 56
    TERMINALS = 59


CHOWS_MASK = (1 << Field.PUNGS - Field.CHOWS) - 1
PUNGS_MASK = (1 << Field.CONCEALED_PUNGS - Field.PUNGS) - 1
MAKES_MASK = (1 << 12) - 1
"""The four fields that count pungs and kongs by how they were made."""
HONOURS_MASK = (1 << 9) - 1
"""The three fields that count pungs by their tiles."""

COMPLETED_BY_ANOTHER = (1 << Field.EXPOSED_PUNGS) - (1 << Field.CONCEALED_PUNGS)
"""What is added for a pung completed by another player's tile: it is not concealed."""


class Trait(IntEnum):
    """First bit of each field of *traits*."""

    WINDS = 0
    """Mask of the winds of which there is a pung."""
    WITHOUT_END = 4
    """Number of parts without terminal or honour; so for fives, and for ranks that are not even."""
    WITHOUT_FIVE = 7
    NOT_EVEN = 10
    SUITED_PAIR = 13
    PAIR_OF_WINDS = 14
    PAIR_OF_DRAGONS = 15
    PAIR_OF_FIVES = 16
    """Suit of a pair of fives, from 1; 0 for another pair. Two bits."""


def chow_features(suit: int, start: int) -> tuple[int, int]:
    """Return counted and traits of the chow of a suit that begins at `start` (0 to 6)."""
    ranks = range(start, start + 3)
    return (
        CHOW_VALUES[1 + 7 * suit + start],
        _lacking(end=start in (0, 6), five=4 in ranks, even=False),
    )


def pung_features(suit: int, kind: int, make: Field) -> tuple[int, int]:
    """Return counted and traits of a pung or kong; `make` is the field that counts it."""
    counted = 1 << make
    if suit == HONOURS:
        is_wind = kind < 4
        counted += 1 << (Field.WINDS if is_wind else Field.DRAGONS)
        return counted, _lacking(end=True, five=False, even=False) + (is_wind << min(kind, 4))
    counted += PUNG_VALUES[1 + 9 * suit + kind] << Field.PUNGS
    is_end = kind in (0, 8)
    counted += is_end << Field.TERMINALS
    return counted, _lacking(end=is_end, five=kind == 4, even=kind % 2 == 1)


def pair_features(suit: int, kind: int) -> tuple[int, int]:
    """Return counted and traits of a pair."""
    if suit == HONOURS:
        trait = Trait.PAIR_OF_WINDS if kind < 4 else Trait.PAIR_OF_DRAGONS
        return 0, _lacking(end=True, five=False, even=False) + (1 << trait)
    fives = (suit + 1) * (kind == 4)
    return 0, (
        _lacking(end=kind in (0, 8), five=kind == 4, even=kind % 2 == 1)
        + (1 << Trait.SUITED_PAIR)
        + (fives << Trait.PAIR_OF_FIVES)
    )


def _lacking(end: bool, five: bool, even: bool) -> int:
    return (
        (not end) << Trait.WITHOUT_END
        | (not five) << Trait.WITHOUT_FIVE
        | (not even) << Trait.NOT_EVEN
    )


def part_features(
    sets: NDArray[np.int64], pair: NDArray[np.int64], suit: int
) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """Return counted and traits of splits, all their sets taken for concealed.

    Args:
        sets: (rows, 4) two times the lowest tile, and one more for a chow; 20 and more for no set.
        pair: (rows,) kind of the pair, -1 for none.
        suit: the suit they are of, or `HONOURS`.
    """
    kinds = 7 if suit == HONOURS else 9
    of_set = np.zeros((sets.max(initial=0) + 1, 2), np.int64)
    for kind in range(kinds):
        of_set[2 * kind] = pung_features(suit, kind, Field.CONCEALED_PUNGS)
        if suit != HONOURS and kind < 7:
            of_set[2 * kind + 1] = chow_features(suit, kind)
    of_pair = np.zeros((kinds + 1, 2), np.int64)
    for kind in range(kinds):
        of_pair[kind] = pair_features(suit, kind)
    total = of_set[sets].sum(axis=1) + of_pair[pair]
    return total[:, 0], total[:, 1].astype(np.uint32)
