"""Deskewed views: rows rotated parallel to the edges, squeezed tiles widened to normal proportions.

Diagonal rows are the worst case for a detector of axis-aligned boxes: the boxes of neighbours
overlap, and a box contains as much of the neighbours as of its tile. The lines between neighbours
give the direction of the rows, so a rotation corrects it. Tiles twice as long as wide occur with
low cameras and on stretched photos; both are read better after widening.
"""

from __future__ import annotations

import cv2
import numpy as np

from hupai.vision.detection.views import BORDER, View
from hupai.vision.geometry.boxes import centres as centres_of
from hupai.vision.geometry.boxes import sizes
from hupai.vision.types import FloatArray, Image

MIN_TILES = 4
"""Least number of tiles from which the direction of rows is estimated."""

MIN_SIGNIFICANCE = 3.0
"""Standard deviations by which the commonest direction of neighbours must exceed chance."""

WINDOW = float(np.radians(5))
"""Largest difference between directions that count as the same, radians."""

MIN_BOXES = 7
"""Least number of boxes from which the squeeze of a photo is estimated."""

MAX_SHAPE_SPREAD = 0.25
"""Median deviation of log aspects up to which boxes are of one shape."""

SQUEEZED = 1.7
"""Aspect from which boxes are widened; a tile is 1.25 to 1.45 times as long as wide."""

TARGET_ASPECT = 1.3
"""Aspect of the tiles on the widened view."""

MAX_SIDE = 4096
"""Longest side of a widened view, pixels; beyond it the other side is shortened instead."""

NEIGHBOUR_DISTANCE = 1.22
"""Distance of neighbours at most, in distances of touching tiles.

Less than to the next tile but one, and than to the tile diagonally across.
"""


def skew(boxes: FloatArray) -> float | None:
    """Estimate the angle of the rows against the edges of the picture.

    Args:
        boxes: shape (n, 4), [x0, y0, x1, y1] in pixels.

    Returns:
        Radians from -pi/4 to pi/4, clockwise on the picture; None without rows.
    """
    if len(boxes) < MIN_TILES:
        return None
    centres = centres_of(boxes)
    between = centres[None] - centres[:, None]
    distance = np.hypot(between[..., 0], between[..., 1])
    np.fill_diagonal(distance, np.inf)
    touching = float(np.percentile(distance.min(1), 35))
    first, second = np.nonzero(np.triu(distance < NEIGHBOUR_DISTANCE * touching))
    if len(first) < MIN_TILES - 1:
        return None
    step = between[first, second]
    # Modulo a quarter turn: both ways along a row and across it count as one direction.
    angles = np.arctan2(step[:, 1], step[:, 0])
    apart = (angles[:, None] - angles[None] + np.pi / 4) % (np.pi / 2) - np.pi / 4
    near = np.abs(apart) < WINDOW
    best = int(near.sum(1).argmax())
    chance = len(angles) * 2 * WINDOW / (np.pi / 2)
    if near[best].sum() < max(MIN_TILES - 1, chance + MIN_SIGNIFICANCE * np.sqrt(chance)):
        return None
    middle = angles[best] - apart[best][near[best]].mean()
    return float((middle + np.pi / 4) % (np.pi / 2) - np.pi / 4)


def squeeze(boxes: FloatArray) -> float:
    """Estimate the factor by which to widen a picture so that its tiles have normal proportions.

    Args:
        boxes: shape (n, 4), [x0, y0, x1, y1] in pixels, of tiles in rows along the picture's edges.

    Returns:
        Above 1 to widen, below 1 to heighten by the inverse; 1 if the proportions are normal or
        vary between tiles.
    """
    if len(boxes) < MIN_BOXES:
        return 1.0
    size = np.maximum(sizes(boxes), 1e-3)
    shape = np.log(size[:, 1] / size[:, 0])
    median = float(np.median(shape))
    if abs(median) < np.log(SQUEEZED) or np.median(np.abs(shape - median)) > MAX_SHAPE_SPREAD:
        return 1.0
    return float(np.exp(median - np.sign(median) * np.log(TARGET_ASPECT)))


def deskewed(image: Image, angle: float, wider: float = 1.0) -> View:
    """Rotate a photo so that its rows are parallel to the edges, and widen it.

    Args:
        image: the photo.
        angle: direction of its rows, radians clockwise.
        wider: factor of the width against the height; see `squeeze`.
    """
    height, width = image.shape[:2]
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), float(np.degrees(angle)), 1.0)
    matrix = turn.astype(np.float64)
    c, s = abs(matrix[0, 0]), abs(matrix[0, 1])
    across, down = width * c + height * s, width * s + height * c
    matrix[:, 2] += (across / 2 - width / 2, down / 2 - height / 2)
    by = np.array([max(wider, 1.0), max(1 / wider, 1.0)])
    by *= min(1.0, max(MAX_SIDE, across, down) / max(across * by[0], down * by[1]))
    # Pixels are areas: the middle of the first one stays half a pixel from the edge.
    matrix[:, 2] += 0.5
    matrix *= by[:, None]
    matrix[:, 2] -= 0.5
    size = (round(across * by[0]), round(down * by[1]))
    turned = cv2.warpAffine(image, matrix, size, flags=cv2.INTER_LINEAR, borderValue=BORDER)
    return View(turned.astype(np.uint8), np.vstack([matrix, [0.0, 0.0, 1.0]]))
