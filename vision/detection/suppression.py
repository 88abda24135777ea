"""Selects boxes: non-maximum suppression, by overlap or by distance."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hupai.vision.geometry.boxes import areas, centres, sizes
from hupai.vision.types import Detections, FloatArray

MIN_CENTRE_DISTANCE = 0.55
"""Distance of centres, in shorter sides of a box, below which two boxes are around one tile.

Tiles of a row at 45 degrees are 0.6 of a box's side apart.
"""


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
    order = np.argsort(-scores)
    left = np.concatenate([boxes[order].T, areas(boxes)[order][None]])
    keep: list[int] = []
    while len(order):
        keep.append(int(order[0]))
        first, left = left[:, :1], left[:, 1:]
        spans = np.minimum(left[2:4], first[2:4]) - np.maximum(left[:2], first[:2])
        spans = np.maximum(spans, 0)
        common = spans[0] * spans[1]
        union = first[4] + left[4] - common
        apart = (common <= iou * union) & (common <= inside * np.minimum(first[4], left[4]))
        left, order = left[:, apart], order[1:][apart]
    return np.array(keep, np.intp)


def separate(boxes: FloatArray, scores: FloatArray) -> NDArray[np.intp]:
    """Suppress boxes (n, 4) with a higher-scoring one at their centre; indices, best first."""
    middles, short = centres(boxes), sizes(boxes).min(1, initial=np.inf)
    apart = np.hypot(*(middles[:, None] - middles[None]).transpose(2, 0, 1))
    close = apart < MIN_CENTRE_DISTANCE * np.minimum(short[:, None], short[None])
    keep: list[int] = []
    left = np.ones(len(boxes), bool)
    for i in np.argsort(-scores, kind="stable").tolist():
        if left[i]:
            keep.append(i)
            left &= ~close[i]
    return np.array(keep, np.intp)


def with_low_confidence(seen: Detections, more: Detections) -> Detections:
    """Add low-confidence boxes; of two with the same centre the higher-scoring one is kept."""
    every = more if seen.low_confidence is None else seen.low_confidence.with_others(more)
    every = every.only(separate(every.boxes, every.scores))
    return replace(seen, low_confidence=replace(every, low_confidence=None) if len(every) else None)
