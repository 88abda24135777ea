"""The direction of rows of tiles, estimated from the lines between neighbours."""

from __future__ import annotations

import numpy as np

from hupai.vision.geometry.boxes import centres as centres_of
from hupai.vision.geometry.boxes import distances
from hupai.vision.numeric import folded
from hupai.vision.types import FloatArray

MIN_TILES = 4
"""Least number of tiles from which the direction of rows is estimated."""

MIN_SIGNIFICANCE = 3.0
"""Standard deviations by which the commonest direction of neighbours must exceed chance."""

WINDOW = float(np.radians(5))
"""Largest difference between directions that count as the same, radians."""

NEIGHBOUR_DISTANCE = 1.22
"""Greatest distance between neighbours, relative to that between touching tiles.

It is less than the distance to the next tile but one or to the tile diagonally across.
"""


def skew(boxes: FloatArray) -> float | None:
    """Estimate the angle of the rows to the edges of the picture.

    Args:
        boxes: shape (n, 4), [x0, y0, x1, y1] in pixels.

    Returns:
        Radians from -pi/4 to pi/4, clockwise on the picture; None without rows.
    """
    if len(boxes) < MIN_TILES:
        return None
    centres = centres_of(boxes)
    distance = distances(centres, centres)
    np.fill_diagonal(distance, np.inf)
    touching = float(np.percentile(distance.min(1), 35))
    first, second = np.nonzero(np.triu(distance < NEIGHBOUR_DISTANCE * touching))
    if len(first) < MIN_TILES - 1:
        return None
    step = centres[second] - centres[first]
    # Modulo a quarter turn: both ways along a row and across it count as one direction.
    angles = np.arctan2(step[:, 1], step[:, 0])
    apart = folded(angles[:, None] - angles[None], np.pi / 2)
    near = np.abs(apart) < WINDOW
    best = int(near.sum(1).argmax())
    chance = len(angles) * 2 * WINDOW / (np.pi / 2)
    if near[best].sum() < max(MIN_TILES - 1, chance + MIN_SIGNIFICANCE * np.sqrt(chance)):
        return None
    middle = angles[best] - apart[best][near[best]].mean()
    return float(folded(middle, np.pi / 2))
