"""When a reading may be called certain.

A reading gets an assurance between 0 and 1 from what may be wrong: the hand (tiles, faces,
melds) and whether each box is a tile. Of the readings above `THRESHOLD` at most 1 in 200 is
wrong. `fit` finds such a threshold from readings of development photos.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

RISK = 1 / 200
"""Greatest share of wrong readings among those called certain."""

THRESHOLD = 0.975
"""Least assurance of a certain reading; docs/certainty.md has the curve it was chosen from.

It lies above what `fit` gives for photos and rendered tables together, so that each alone keeps the
promise.
"""

_SURE_SCORE = 0.5
"""Detection score from which a box is no longer doubtful."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for a reading.

    Attributes:
        hand: probability of the hand, given class distributions, geometry and possible hands.
        scores: detector's score of each tile in the hand.
        faces: probability of each tile's likeliest face as seen, before the rest of the hand was
            weighed.
    """

    hand: float
    scores: tuple[float, ...]
    faces: tuple[float, ...] = ()


def assurance(evidence: Evidence) -> float:
    """Measure in [0, 1] how sure it is that the hand is read right.

    A face seen with doubt counts even if the rest of the hand removes the doubt. It shows that the
    tile set is strange to the classifier, whose mistakes then come in pairs: both tiles of a pair,
    all four of a kong.
    """
    weakest = min(evidence.scores, default=0.0)
    boxes = min(1.0, max(weakest, 0.0) / _SURE_SCORE)
    return evidence.hand * math.sqrt(boxes) * min(evidence.faces, default=1.0)


def is_certain(value: float, threshold: float = THRESHOLD) -> bool:
    """Tell whether an assurance is high enough to promise."""
    return value >= threshold


@dataclass(frozen=True, slots=True)
class RiskPoint:
    """A threshold, the share of readings at or above it, and the share of these that is wrong."""

    threshold: float
    coverage: float
    risk: float


def risk_coverage(readings: Sequence[tuple[float, bool]]) -> tuple[RiskPoint, ...]:
    """Draw the risk-coverage curve of (assurance, right) pairs.

    There is one point for each distinct assurance, highest first.
    """
    ranked = sorted(readings, key=lambda pair: -pair[0])
    curve: list[RiskPoint] = []
    wrong = 0
    for i, (value, right) in enumerate(ranked, 1):
        wrong += not right
        if i == len(ranked) or ranked[i][0] < value:
            curve.append(RiskPoint(value, i / len(ranked), wrong / i))
    return tuple(curve)


def fit(readings: Sequence[tuple[float, bool]], risk: float = RISK) -> float:
    """Find the lowest threshold that keeps the share of wrong (assurance, right) pairs at `risk`.

    It lies halfway to the next assurance below. Above 1, so that nothing is certain, where even the
    surest readings are wrong too often.
    """
    passed = [point.threshold for point in risk_coverage(readings) if point.risk <= risk]
    if not passed:
        return 1.01
    lowest = min(passed)
    below = [value for value, _ in readings if value < lowest]
    return (lowest + max(below)) / 2 if below else lowest
