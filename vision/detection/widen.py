"""Widened views: tiles on a squeezed photo regain their proportions.

Tiles twice as long as wide occur with low cameras and on stretched photos. The networks know tiles
of usual proportions.
"""

from __future__ import annotations

import cv2
import numpy as np

from hupai.vision.detection.views import View
from hupai.vision.geometry.boxes import sizes
from hupai.vision.types import FloatArray, Image

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


def widened(image: Image, wider: float) -> View:
    """Widen a photo, or heighten it where the factor is below 1; see `squeeze`."""
    height, width = image.shape[:2]
    by = np.array([max(wider, 1.0), max(1 / wider, 1.0)])
    by *= min(1.0, max(MAX_SIDE, width, height) / max(width * by[0], height * by[1]))
    size = (max(1, round(width * by[0])), max(1, round(height * by[1])))
    method = cv2.INTER_LINEAR if (by >= 1).all() else cv2.INTER_AREA
    view = cv2.resize(image, size, interpolation=method)
    # Pixels are areas: the middle of the first one stays half a pixel from the edge.
    by = np.array(size) / (width, height)
    forward = np.diag([*by, 1.0])
    forward[:2, 2] = by / 2 - 0.5
    return View(view.astype(np.uint8), forward)
