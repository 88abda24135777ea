"""Hands as the cases of their groups of kinds, by which the tables are asked."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from hupai.scoring.batch.features import HONOURS, Field, chow_features, pung_features
from hupai.scoring.batch.hand_arrays import KINDS, MAKES, HandArrays
from hupai.scoring.batch.splits import POWERS

Int64 = NDArray[np.int64]
UInt64 = NDArray[np.uint64]
Bool = NDArray[np.bool_]


@dataclass(slots=True, eq=False)
class Cases:
    """Hands by the cases of their groups of kinds; the rows of its arrays are the hands.

    Attributes:
        cases: (hands, 4) the case of each group of concealed tiles, the winning tile among them.
        kind: kind of the winning tile; group, rank: its group, and its place there from 0.
        counted, traits: features of the melds together.
        melds: number of melds.
        self_drawn: the winning tile was drawn.
    """

    cases: Int64
    kind: Int64
    group: Int64
    rank: Int64
    counted: Int64
    traits: NDArray[np.uint32]
    melds: Int64
    self_drawn: Bool

    def __getitem__(self, rows: Int64) -> Cases:
        """Return some of the hands."""
        return Cases(*[getattr(self, name)[rows] for name in self.__slots__])


def group_cases(hands: HandArrays) -> Cases:
    """Compute the cases of the hands and the features of their melds."""
    kind = hands.winning_tile.astype(np.int64)
    group = kind // 9
    rank = kind - 9 * group
    cases = (hands.concealed.astype(np.float32) @ _BASE).astype(np.int64)
    rows = np.arange(len(hands))
    cases[rows, group] += POWERS[rank]
    counted, traits = _meld_features()
    melds = hands.melds
    return Cases(
        cases,
        kind,
        group,
        rank,
        counted[melds].sum(axis=1),
        traits[melds].sum(axis=1, dtype=np.uint32),
        np.count_nonzero(melds, axis=1),
        hands.self_drawn,
    )


_BASE = np.zeros((KINDS, 4), np.float32)
"""Turns counts into cases; single precision holds every case exactly."""
for _kind in range(KINDS):
    _BASE[_kind, _kind // 9] = 5 ** (_kind % 9)


@cache
def _meld_features() -> tuple[Int64, NDArray[np.uint32]]:
    """Return counted and traits of every meld code."""
    counted = np.zeros(1 + KINDS * len(MAKES), np.int64)
    traits = np.zeros(1 + KINDS * len(MAKES), np.uint32)
    fields = (
        None,
        Field.EXPOSED_PUNGS,
        Field.EXPOSED_KONGS,
        Field.CONCEALED_KONGS,
    )
    for make, field in enumerate(fields):
        for kind in range(KINDS):
            code = 1 + KINDS * make + kind
            suit, rank = divmod(kind, 9)
            if field is not None:
                counted[code], traits[code] = pung_features(suit, rank, field)
            elif suit < HONOURS and rank < 7:
                counted[code], traits[code] = chow_features(suit, rank)
    return counted, traits
