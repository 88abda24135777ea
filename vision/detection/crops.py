"""Where to cut the classifier's crops of tiles, in both training and inference."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hupai.vision.detection.picture import Picture
from hupai.vision.geometry.boxes import centres, sizes
from hupai.vision.types import FloatArray

VIEW = 1.06
"""Side of a crop in longer sides of the box: the whole tile at any angle, and a margin."""

_LEAST = 4.0
"""Minimum side of a crop, pixels."""


def squares(boxes: NDArray[np.floating], context: float = VIEW) -> NDArray[np.float64]:
    """Return the squares around the middles of boxes (n, 4), as boxes.

    Args:
        boxes: shape (n, 4), [x0, y0, x1, y1] in pixels.
        context: side of a square in longer sides of its box.
    """
    side = np.maximum(sizes(boxes).max(1, initial=0.0) * context, _LEAST)[:, None]
    return np.concatenate([centres(boxes) - side / 2, centres(boxes) + side / 2], 1, dtype=float)


def cut_square(
    image: NDArray[np.uint8], box: NDArray[np.floating], size: int, context: float = VIEW
) -> NDArray[np.uint8]:
    """Cut one of `squares`, around a box (4,), from an RGB photo.

    Returns:
        uint8, shape (size, size, 3); grey where the photo ends.
    """
    crop: NDArray[np.uint8] = Picture.of(image).cut(squares(box[None], context), (size, size))[0]
    return crop


def stacked(crops: NDArray[np.uint8]) -> FloatArray:
    """Return crops (n, size, size, 3) as networks take them: (n, 3, size, size), from 0 to 1."""
    planes = np.ascontiguousarray(crops.transpose(0, 3, 1, 2))
    return np.divide(planes, np.float32(255))


def both_ways_up(picture: Picture, places: NDArray[np.floating], size: int) -> FloatArray:
    """Return crops (2 n, 3, size, size) of places (n, 4, 2), and then the same upside down."""
    crops = picture.straightened(places, (size, size))
    return stacked(np.concatenate([crops, np.rot90(crops, 2, (1, 2))]))


def mean_of_both(logits: FloatArray) -> FloatArray:
    """Return the mean logits (n, k) over both ways up, given those of `both_ways_up` (2 n, k)."""
    return np.asarray(logits.reshape(2, len(logits) // 2, -1).mean(0), np.float32)
