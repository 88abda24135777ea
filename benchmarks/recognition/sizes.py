"""Recall and accuracy by the size of a tile on the photo."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from hupai.models.evaluation.evaluate import MIN_IOU, PhotoOutcome
from hupai.models.evaluation.matching import match

EDGES = (0, 16, 24, 32, 48, 64, 96, 10_000)
"""Bins of a tile's shorter side, pixels of the photo."""


@dataclass(frozen=True, slots=True)
class SizeRow:
    """Counts of labelled tiles whose shorter side is from `low` to below `high` pixels."""

    low: int
    high: int
    tiles: int
    found: int
    right: int


def by_size(outcomes: Iterable[PhotoOutcome]) -> tuple[SizeRow, ...]:
    """Return one row for each bin that contains a tile.

    A tile that was taken for a back counts as found, unlike in
    `hupai.models.evaluation.evaluate.Figures.recall`.
    """
    counts = np.zeros((len(EDGES) - 1, 3), int)
    for outcome in outcomes:
        shown = list(outcome.reading.reading.tiles)
        boxes = np.array([t.box for t in shown], np.float32).reshape(-1, 4)
        size = np.array([outcome.reading.photo.width, outcome.reading.photo.height] * 2, np.float32)
        truth = outcome.truth.boxes * size
        bins = (
            np.digitize((truth[:, 2:] - truth[:, :2]).min(1), EDGES[1:-1])
            if len(truth)
            else np.zeros(0, int)
        )
        found = {j: i for i, j in match(boxes, truth, MIN_IOU)}
        for j, bin_ in enumerate(bins):
            hit = found.get(j)
            right = hit is not None and shown[hit].tile == outcome.truth.tiles[j]
            counts[bin_] += (1, hit is not None, right)
    rows = (SizeRow(EDGES[i], EDGES[i + 1], *(int(v) for v in row)) for i, row in enumerate(counts))
    return tuple(row for row in rows if row.tiles)
