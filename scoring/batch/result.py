"""The scores of many hands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from hupai.scoring.batch.cases import Bool, Int64, UInt64
from hupai.scoring.batch.exclusions import Exclusions
from hupai.scoring.mcr.exclusions import CHICKEN, FLOWERS
from hupai.scoring.mcr.fans import ALL


@dataclass(frozen=True, slots=True, eq=False)
class BatchScores:
    """The scores of a batch of hands; the rows of every array are the hands.

    Attributes:
        rules: id of the rule set.
        total: (hands,) fan with flowers, as `hupai.score` gives it; 0 for a hand that is not
            complete.
        without_flowers: (hands,) the same without flowers and before a cap; what the minimum asks.
        complete: (hands,) whether the tiles make a winning shape.
        reaches_minimum: (hands,) whether the hand may win by its points. Problems besides, such as
            circumstances that contradict each other, only the score of a single hand names.
        flowers: (hands,) number of flowers.
        kept: (hands, 2) mask of the fan that count, flowers apart: bit i of the first number is fan
            i of `fan_ids`, the second number goes on from 64.
        repeats: (hands,) further occurrences of the fan that count more than once.
    """

    rules: str
    total: Int64
    without_flowers: Int64
    complete: Bool
    reaches_minimum: Bool
    flowers: NDArray[np.uint8]
    kept: UInt64
    repeats: UInt64
    settlement: Exclusions = field(repr=False)
    repeat_shifts: Mapping[int, int] = field(repr=False)

    def __len__(self) -> int:
        return len(self.total)

    @property
    def fan_ids(self) -> tuple[str, ...]:
        """Ids of all fan, in the order of the columns of `counts`."""
        return tuple(fan.id for fan in ALL)

    def counts(self) -> NDArray[np.uint8]:
        """Return how often each fan counts in each hand: (hands, fan)."""
        counts = np.zeros((len(self), len(ALL)), np.uint8)
        for index in range(len(ALL)):
            word, bit = divmod(index, 64)
            counts[:, index] = self.kept[:, word] >> np.uint64(bit) & np.uint64(1)
        for index, shift in self.repeat_shifts.items():
            further = (self.repeats >> np.uint64(shift) & np.uint64(7)).astype(np.uint8)
            counts[:, index] += further * counts[:, index]
        words = (self.kept[:, 0], self.kept[:, 1])
        for index, rules in enumerate(self.settlement.compiled.partial):
            for target, at_most in rules:
                counts[:, target] -= self.settlement.removed(
                    words, self.repeats, self.repeat_shifts, index, target, at_most
                ).astype(np.uint8)
        points = np.array(self.settlement.compiled.points)
        counts[:, CHICKEN] = self.complete & ~counts.any(axis=1) & bool(points[CHICKEN])
        counts[:, FLOWERS] = np.where(self.complete, self.flowers, 0) * bool(points[FLOWERS])
        return counts

    def fans(self, index: int) -> dict[str, int]:
        """Return the fan that count in one hand, by id, with how often each does.

        Raises:
            IndexError: there is no such hand.
        """
        if not -len(self) <= index < len(self):
            raise IndexError(f"there is no hand {index} among {len(self)}")
        rows = slice(index, index + 1) if index >= 0 else slice(index, index + 1 or None)
        one = replace(
            self,
            complete=self.complete[rows],
            total=self.total[rows],
            flowers=self.flowers[rows],
            kept=self.kept[rows],
            repeats=self.repeats[rows],
        )
        row = one.counts()[0].tolist()
        return {fan.id: number for fan, number in zip(ALL, row, strict=True) if number}
