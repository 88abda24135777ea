"""Layout and reading of random detections: nothing raises, and what is certain is a hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hupai.scoring.tiles import Tile
from hupai.vision.layout.arrange import arrange
from hupai.vision.reading.read import read
from hupai.vision.types import Detections, FloatArray

COUNTS = (0, 1, 2, 3, 4, 7, 13, 14, 17, 30)
CASES = 120


def places(rng: np.random.Generator, count: int, width: float) -> FloatArray:
    """Centres (count, 2): scattered, in rows, in turned rows, or all in one place."""
    kind = int(rng.integers(4))
    if kind == 0 or not count:
        return np.asarray(rng.uniform(0, 1000, (count, 2)), np.float32)
    if kind == 1:
        return np.full((count, 2), rng.uniform(0, 1000), np.float32)
    rows, at = int(rng.integers(1, 5)), np.arange(count)
    step = width * np.array([rng.choice([1.0, 1.02, 1.5]), rng.choice([1.0, 1.35, 2.5])])
    grid = np.stack([at // rows, at % rows], 1) * step
    grid += rng.normal(0, width * float(rng.choice([0.0, 0.02, 0.2])), grid.shape)
    if kind == 3:
        a = rng.uniform(0, 2 * np.pi)
        grid = grid @ np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]])
    return np.asarray(grid - grid.min(0) + 20, np.float32)


def faces(rng: np.random.Generator, count: int) -> FloatArray:
    """Class distributions (count, 43): any, all backs, flowers and backs, or all one face."""
    kind = int(rng.integers(4))
    if kind == 0:
        return rng.dirichlet(np.full(43, rng.choice([0.01, 0.1, 1.0])), count).astype(np.float32)
    low = {1: int(Tile.BACK), 2: int(Tile.SPRING), 3: int(rng.integers(43))}[kind]
    high = 43 if kind == 2 else low + 1
    return (np.eye(43)[rng.integers(low, high, count)] * 0.9 + 0.1 / 43).astype(np.float32)


def some(rng: np.random.Generator, count: int) -> Detections:
    """Random detections."""
    width = float(rng.uniform(5, 120))
    centres = places(rng, count, width)
    sides = width * rng.uniform((0.7, 0.9), (1.4, 1.7), (count, 2)) * rng.choice([1.0, 1.0, 0.01])
    scores = rng.choice([0.0, 0.04, 0.2, 0.45, 0.9, 1.0], count if rng.random() < 0.5 else 1)
    axes = np.where(rng.random(count) < 0.3, np.nan, rng.uniform(0, np.pi, count))
    return Detections(
        np.concatenate([centres - sides / 2, centres + sides / 2], 1).astype(np.float32),
        np.broadcast_to(scores, count).astype(np.float32),
        faces(rng, count),
        axes.astype(np.float32),
    )


@pytest.mark.parametrize(
    "part", [0, *(pytest.param(part, marks=pytest.mark.nightly) for part in (1, 2, 3))]
)
def test_random_detections_are_read_without_an_error(part: int) -> None:
    for seed in range(part, CASES, 4):
        rng = np.random.default_rng(seed)
        found = some(rng, int(rng.choice(COUNTS)))
        if rng.random() < 0.4:
            found = replace(found, low_confidence=some(rng, int(rng.integers(1, 20))))
        point = (float(rng.uniform(0, 1000)), float(rng.uniform(0, 900)))
        reading = read(arrange(found, (1000, 900), point=point if rng.random() < 0.2 else None))
        assert reading.hands or not reading.certain
