"""What remains of the fan found after the exclusions, and its points, for many variants at once."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from hupai.scoring.batch.aspect_tables import LOW
from hupai.scoring.batch.cases import Int64, UInt64
from hupai.scoring.mcr.exclusions import CHICKEN, CompiledProfile
from hupai.scoring.mcr.fans import ALL

BYTES = (len(ALL) + 7) // 8


class Exclusions:
    """The exclusions and points of one profile, as `CompiledProfile.settle` applies them.

    Attributes:
        compiled: the profile.
        barring: masks (low, high) of the fan that bar combinations.
    """

    def __init__(self, compiled: CompiledProfile) -> None:
        self.compiled = compiled
        self.barring = _words(compiled.barring)
        order = sorted(range(len(ALL)), key=compiled.rank.__getitem__)
        self._rules = [
            (fan, *_words(compiled.excluded_by[fan])) for fan in order if compiled.excluded_by[fan]
        ]
        self._points = np.zeros((BYTES, 256), np.int64)
        for place in range(BYTES):
            for byte in range(256):
                self._points[place, byte] = sum(
                    compiled.points[8 * place + bit]
                    for bit in range(8)
                    if byte >> bit & 1 and 8 * place + bit < len(ALL)
                )

    def settle(
        self, low: UInt64, high: UInt64, repeats: UInt64, shifts: Mapping[int, int]
    ) -> tuple[UInt64, UInt64, Int64]:
        """Take away what is excluded, the fan of the most points first.

        Args:
            low, high: masks of the fan found; they are changed in place.
            repeats: further occurrences.
            shifts: positions of those of each fan (`hupai.scoring.batch.aspect_tables.Repeats`).

        Returns:
            The fan that count (low, high), and the points, those of 无番和 where there are none.
        """
        words = (low, high)
        found = [int(np.bitwise_or.reduce(word)) if len(word) else 0 for word in words]
        for fan, out_low, out_high in self._rules:
            word, bit = divmod(fan, 64)
            if not found[word] >> bit & 1:
                continue
            outs = [
                (other, out) for other, out in zip(words, (out_low, out_high), strict=True) if out
            ]
            where = np.flatnonzero(words[word] >> np.uint64(bit) & np.uint64(1))
            for other, out in outs:
                other[where] &= ~out
        return low, high, self._points_of(low, high, repeats, shifts)

    def _points_of(
        self, low: UInt64, high: UInt64, repeats: UInt64, shifts: Mapping[int, int]
    ) -> Int64:
        points = self._sum(low, high)
        words = (low, high)
        for fan, shift in shifts.items():
            each = self.compiled.points[fan]
            rows = np.flatnonzero(repeats >> np.uint64(shift) & np.uint64(7))
            if each and len(rows):
                word, bit = divmod(fan, 64)
                kept = words[word][rows] >> np.uint64(bit) & np.uint64(1)
                times = repeats[rows] >> np.uint64(shift) & np.uint64(7)
                points[rows] += (times * kept).astype(np.int64) * each
        for fan, rules in enumerate(self.compiled.partial):
            for target, at_most in rules:
                gone = self.removed(words, repeats, shifts, fan, target, at_most)
                points -= gone * self.compiled.points[target]
        points[points == 0] = self.compiled.points[CHICKEN]
        return points

    def _sum(self, low: UInt64, high: UInt64) -> Int64:
        """Add the points of each fan once."""
        points = np.zeros(len(low), np.int64)
        for word, first in ((low, 0), (high, 8)):
            eight = np.ascontiguousarray(word).view(np.uint8).reshape(-1, 8)
            for place in range(first, min(first + 8, BYTES)):
                points += self._points[place][eight[:, place - first]]
        return points

    @staticmethod
    def removed(
        words: tuple[UInt64, UInt64],
        repeats: UInt64,
        shifts: Mapping[int, int],
        fan: int,
        target: int,
        at_most: int,
    ) -> Int64:
        """Count the occurrences of `target` that `fan` excludes where both count."""
        both = words[fan // 64] >> np.uint64(fan % 64) & words[target // 64] >> np.uint64(
            target % 64
        )
        times = np.ones(len(both), np.int64)
        if target in shifts:
            times += (repeats >> np.uint64(shifts[target]) & np.uint64(7)).astype(np.int64)
        return np.where(both & np.uint64(1) > 0, np.minimum(times, at_most), 0)


def _words(mask: int) -> tuple[np.uint64, np.uint64]:
    return np.uint64(mask & LOW), np.uint64(mask >> 64)
