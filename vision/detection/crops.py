"""Square crops of tiles for the classifier, cut alike in training and use."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

VIEW = 1.06
"""Side of a crop in longer sides of the box: the whole tile at any angle, and a margin."""

MAX_ASPECT = 1.4
"""Aspect of a box up to which it may be a tile seen from above."""

MAX_WIDENING = 2.2
"""Largest factor by which a crop is widened; beyond it there is too little to see."""

PRESHRINK = 2.0
"""Pixels a side, in those wanted, from which a crop is first shrunk by a whole factor."""

FILL = 114
"""Grey level outside the photo, as detectors are trained with."""


def cut_square(
    image: NDArray[np.uint8], box: NDArray[np.floating], size: int, context: float = VIEW
) -> NDArray[np.uint8]:
    """Cut the square around the middle of a box, resampled to `size` pixels.

    Args:
        image: uint8, shape (height, width, 3).
        box: [x0, y0, x1, y1] in pixels; may reach over the edge.
        size: pixels of the result's side.
        context: side of the square in longer sides of the box.

    Returns:
        uint8, shape (size, size, 3); grey where the photo ends.
    """
    side = max(float((box[2:] - box[:2]).max()) * context, 4.0)
    return _cut(image, (box[:2] + box[2:]) / 2, np.array([side, side]), size)


def cut_shaped(image: NDArray[np.uint8], box: NDArray[np.floating], size: int) -> NDArray[np.uint8]:
    """Cut a crop as `cut_square` does, and widen a box that is longer than a tile.

    A low camera or a stretched photo makes such boxes; widened, a face has its usual proportions.

    Args:
        image: uint8, shape (height, width, 3).
        box: [x0, y0, x1, y1] in pixels; may reach over the edge.
        size: pixels of the result's side.

    Returns:
        uint8, shape (size, size, 3).
    """
    sides = np.maximum(box[2:] - box[:2], 1e-3)
    shape = sides.max() / sides.min()
    wider = float(np.clip(shape / MAX_ASPECT, 1.0, MAX_WIDENING))
    view = np.full(2, max(float(sides.max()) * VIEW, 4.0))
    view[int(sides.argmin())] /= wider
    return _cut(image, (box[:2] + box[2:]) / 2, view, size)


def stacked(crops: list[NDArray[np.uint8]]) -> NDArray[np.float32]:
    """Stack crops of one size as the classifier takes them: (n, 3, size, size), from 0 to 1."""
    return np.stack(crops).transpose(0, 3, 1, 2).astype(np.float32) / np.float32(255)


def _cut(
    image: NDArray[np.uint8], centre: NDArray[np.floating], sides: NDArray[np.floating], size: int
) -> NDArray[np.uint8]:
    """Cut the part with these sides, pixels, around `centre`, and resample it to a square."""
    low = np.floor(centre - sides / 2).astype(int)
    high = np.ceil(centre + sides / 2).astype(int)
    whole = max(1, int((high - low).min() / (PRESHRINK * size)))
    more = (low - high) % whole
    low, high = low - more // 2, high + more - more // 2
    x0, y0 = np.maximum(low, 0)
    x1, y1 = np.minimum(high, (image.shape[1], image.shape[0]))
    out = np.full((high[1] - low[1], high[0] - low[0], 3), FILL, np.uint8)
    if x1 > x0 and y1 > y0:
        out[y0 - low[1] : y1 - low[1], x0 - low[0] : x1 - low[0]] = image[y0:y1, x0:x1]
    if whole > 1:  # means over whole pixels are several times as fast as over parts of them
        shrunk = (out.shape[1] // whole, out.shape[0] // whole)
        out = np.asarray(cv2.resize(out, shrunk, interpolation=cv2.INTER_AREA), np.uint8)
    method = cv2.INTER_AREA if max(out.shape) > size else cv2.INTER_LINEAR
    return cv2.resize(out, (size, size), interpolation=method).astype(np.uint8)
