"""Two probabilities that state how certain a reading is.

Both are logistic regressions over `features.FEATURES`, fitted by
`hupai.models.training.layout.certainty` on readings of tables and stored with the layout weights.
One is the probability that the tiles chosen are those of the hand; the probabilities of hands are
multiplied by it, as they do not consider tiles that were left out. The other is the assurance: the
probability that all of the reading is right. A reading is certain from the fitted threshold on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from hupai.vision.numeric import logistic

RISK = 1 / 200
"""Greatest share of wrong readings among the certain ones."""


def probability(values: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """Turn features into a probability by a logistic regression."""
    log_odds = sum(weights.get(name, 0.0) * value for name, value in values.items())
    return logistic(log_odds + weights.get("bias", 0.0))


@dataclass(frozen=True, slots=True)
class RiskPoint:
    """A threshold, the share of readings at or above it, and the share of these that is wrong."""

    threshold: float
    coverage: float
    risk: float


def risk_coverage(readings: Iterable[tuple[float, bool]]) -> tuple[RiskPoint, ...]:
    """Compute the risk-coverage curve of (assurance, right) pairs.

    It has one point for each distinct assurance, highest first.
    """
    ranked = sorted(readings, key=lambda pair: -pair[0])
    curve: list[RiskPoint] = []
    wrong = 0
    for i, (value, right) in enumerate(ranked, 1):
        wrong += not right
        if i == len(ranked) or ranked[i][0] < value:
            curve.append(RiskPoint(value, i / len(ranked), wrong / i))
    return tuple(curve)


def fit_threshold(
    readings: Sequence[tuple[float, bool]], risk: float = RISK, tolerated: int = 0
) -> float:
    """Find the lowest threshold at which at most a share `risk` of (assurance, right) is wrong.

    Up to `tolerated` readings may be wrong in any case, for samples too small to measure the risk.
    The threshold lies halfway to the next lower assurance. It is above 1, so that nothing is
    certain, if even the surest readings are wrong too often.
    """
    passed = [
        point.threshold
        for point in risk_coverage(readings)
        if point.risk <= max(risk, tolerated / (point.coverage * len(readings)))
    ]
    if not passed:
        return 1.01
    lowest = min(passed)
    below = [value for value, _ in readings if value < lowest]
    return (lowest + max(below)) / 2 if below else lowest
