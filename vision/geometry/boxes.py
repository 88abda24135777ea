"""Arithmetic of axis-aligned boxes, ``[x0, y0, x1, y1]``; results keep the boxes' dtype."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Float = TypeVar("Float", bound=np.floating)

TOUCHING = 1.25
"""Greatest distance, in each direction, of the centres of tiles that touch, mean sides of their
boxes.
"""


def distances(points: NDArray[Float], others: NDArray[Float]) -> NDArray[Float]:
    """Return the distance of each of the points (n, 2) to each of the others (m, 2), (n, m)."""
    apart = points[:, None] - others
    return np.asarray(np.hypot(apart[..., 0], apart[..., 1]), points.dtype)


def sizes(boxes: NDArray[Float]) -> NDArray[Float]:
    """Return width and height, shape (n, 2), of boxes (n, 4)."""
    return boxes[:, 2:] - boxes[:, :2]


def areas(boxes: NDArray[Float]) -> NDArray[Float]:
    """Return the areas (n,) of boxes (n, 4)."""
    return np.asarray(sizes(boxes).prod(1), boxes.dtype)


def centres(boxes: NDArray[Float]) -> NDArray[Float]:
    """Return the centres (n, 2) of boxes (n, 4)."""
    return np.asarray((boxes[:, :2] + boxes[:, 2:]) / 2, boxes.dtype)


def most_central(boxes: NDArray[np.floating]) -> tuple[float, float]:
    """Return the centre of the one of some boxes (n, 4) that is nearest to the mean of all."""
    middles = centres(boxes)
    x, y = middles[distances(middles, middles.mean(0)[None]).argmin()].tolist()
    return x, y


def corners(boxes: NDArray[Float]) -> NDArray[Float]:
    """Return the corners (n, 4, 2) of boxes (n, 4)."""
    return boxes[:, [0, 1, 2, 1, 2, 3, 0, 3]].reshape(-1, 4, 2)


def around(points: NDArray[Float]) -> NDArray[Float]:
    """Return the smallest boxes (n, 4) around groups of points (n, k, 2)."""
    return np.concatenate([points.min(1), points.max(1)], 1)


def touching(first: NDArray[Float], second: NDArray[Float]) -> NDArray[np.bool_]:
    """Return which boxes of (n, 4) and (m, 4) are of tiles that touch, shape (n, m)."""
    apart = np.abs(centres(first)[:, None] - centres(second)[None])
    mean = (sizes(first)[:, None] + sizes(second)[None]) / 2
    return np.asarray((apart < TOUCHING * mean).all(2))


def clipped(boxes: NDArray[Float], width: float, height: float) -> NDArray[Float]:
    """Clip boxes (n, 4) to a picture of that size."""
    limit = np.array([width, height] * 2, boxes.dtype)
    return np.asarray(np.clip(boxes, 0, limit), boxes.dtype)


def intersections(first: NDArray[Float], second: NDArray[Float]) -> NDArray[Float]:
    """Return the intersection area of each box of (n, 4) with each of (m, 4), shape (n, m)."""
    one, other = first.T[:, :, None], second.T[:, None]
    spans = np.minimum(one[2:], other[2:]) - np.maximum(one[:2], other[:2])
    width, height = np.maximum(spans, 0)
    return np.asarray(width * height, first.dtype)


def pairwise_iou(first: NDArray[Float], second: NDArray[Float]) -> NDArray[Float]:
    """Return intersection over union of each box of (n, 4) with each of (m, 4), shape (n, m).

    Boxes without an area overlap nothing.
    """
    common = intersections(first, second)
    union = areas(first)[:, None] + areas(second)[None] - common
    iou = np.divide(common, union, out=np.zeros_like(common), where=union > 0)
    return np.asarray(iou, first.dtype)


def pairwise_overlap(first: NDArray[Float], second: NDArray[Float]) -> NDArray[Float]:
    """Return the share of the smaller box that two boxes have in common, shape (n, m).

    Boxes without an area overlap nothing.
    """
    common = intersections(first, second)
    smaller = np.minimum(areas(first)[:, None], areas(second)[None])
    share = np.divide(common, smaller, out=np.zeros_like(common), where=smaller > 0)
    return np.asarray(share, first.dtype)
