"""Selects boxes: non-maximum suppression, by overlap or by distance."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hupai.vision.geometry.boxes import areas, centres, distances, intersections, sizes
from hupai.vision.types import Detections, FloatArray

MIN_CENTRE_DISTANCE = 0.55
"""Distance of centres, in shorter sides of a box, below which two boxes are around one tile.

Tiles of a row at 45 degrees are 0.6 of a box's side apart.
"""

_AT_ONCE = 16
"""Number of best remaining boxes that are compared with all others in one step."""


def suppress(boxes: FloatArray, scores: FloatArray, iou: float, inside: float) -> NDArray[np.intp]:
    """Suppress duplicates: non-maximum suppression that also removes boxes within others.

    Args:
        boxes: shape (n, 4).
        scores: shape (n,).
        iou: IoU with a higher-scoring box above which a box is removed.
        inside: share of the smaller of both boxes that they have in common, above which the
            lower-scoring one is removed.

    Returns:
        Indices to keep, best first.
    """
    order, keep = np.argsort(-scores), list[int]()
    while len(order):
        left = boxes[order]
        best, area = left[:_AT_ONCE], areas(left)
        common, own = intersections(best, left), area[:_AT_ONCE, None]
        alike = common > iou * (own + area - common)
        alike |= common > inside * np.minimum(own, area)
        kept = _distinct(alike[:, : len(best)])
        keep += order[kept].tolist()
        removed = np.asarray(alike[kept].any(0))
        removed[: len(best)] = True
        order = order[~removed]
    return np.array(keep, np.intp)


def separate(boxes: FloatArray, scores: FloatArray) -> NDArray[np.intp]:
    """Suppress boxes (n, 4) centred on a higher-scoring one; return indices, best first."""
    order = np.argsort(-scores, kind="stable")
    middles, short = centres(boxes)[order], sizes(boxes).min(1, initial=np.inf)[order]
    away = distances(middles, middles)
    close = away < MIN_CENTRE_DISTANCE * np.minimum(short[:, None], short[None])
    return order[_distinct(close)]


def _distinct(alike: NDArray[np.bool_]) -> list[int]:
    """Return which of n boxes, best first, to keep, given which are alike, shape (n, n)."""
    keep, left = list[int](), np.ones(len(alike), bool)
    for k, others in enumerate(alike):
        if left[k]:
            keep.append(k)
            left &= ~others
    return keep


def with_low_confidence(seen: Detections, more: Detections) -> Detections:
    """Add low-confidence boxes; of two with the same centre the higher-scoring one is kept."""
    every = more if seen.low_confidence is None else seen.low_confidence.with_others(more)
    every = every.only(separate(every.boxes, every.scores))
    return replace(seen, low_confidence=replace(every, low_confidence=None) if len(every) else None)
