"""When a reading may be called certain.

A reading gets an assurance between 0 and 1 from what may go wrong: the hand (which tiles it has,
their faces, what was laid down) and whether each box is a tile. `THRESHOLD` is where at most 1 in
200 readings above it is wrong; it is data, fitted by `fit` on readings of development photos and
kept here with where it comes from.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

RISK = 1 / 200
"""Most wrong readings among those called certain."""

THRESHOLD = 0.975
"""Least assurance of a certain reading; docs/certainty.md has the curve it was chosen from.

It lies above what `fit` gives for photos and rendered tables together, so that neither alone breaks
the promise.
"""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for a reading.

    Attributes:
        hand: probability of the hand read, given the class distributions, the geometry, and what
            hands are possible.
        scores: detector's score of each tile in the hand.
        faces: probability of the likeliest face of each tile in the hand as seen, before the rest
            of the hand was weighed.
    """

    hand: float
    scores: tuple[float, ...]
    faces: tuple[float, ...] = ()


def assurance(evidence: Evidence) -> float:
    """Probability-like measure, in [0, 1], that the hand is read right.

    A face that is seen with doubt, even if the rest of the hand removes the doubt, tells that the
    tile set is strange to the classifier, whose mistakes then come in pairs: both tiles of a pair,
    all four of a kong.
    """
    weakest = min(evidence.scores, default=0.0)
    boxes = min(1.0, max(weakest, 0.0) / 0.5)
    return evidence.hand * math.sqrt(boxes) * min(evidence.faces, default=1.0)


def is_certain(value: float, threshold: float = THRESHOLD) -> bool:
    """Whether an assurance is high enough to promise."""
    return value >= threshold


@dataclass(frozen=True, slots=True)
class RiskPoint:
    """Readings at or above a threshold: their share of all, and the share of them that is wrong."""

    threshold: float
    coverage: float
    risk: float


def risk_coverage(readings: Sequence[tuple[float, bool]]) -> tuple[RiskPoint, ...]:
    """The risk-coverage curve of (assurance, right) pairs, highest threshold first, one point for
    each distinct assurance.
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
    """The lowest threshold with which at most a share of `risk` of (assurance, right) pairs is
    certain and wrong.

    It lies in the middle between the last reading let in and the next. Above 1, so that nothing is
    certain, where even the surest readings are wrong too often.
    """
    ranked = sorted({value for value, _ in readings}, reverse=True)
    passed = [point.threshold for point in risk_coverage(readings) if point.risk <= risk]
    if not passed:
        return 1.01
    lowest = min(passed)
    below = [value for value in ranked if value < lowest]
    return (lowest + below[0]) / 2 if below else lowest
