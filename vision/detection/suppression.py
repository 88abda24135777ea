"""Selects boxes: non-maximum suppression, low-confidence neighbours."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hupai.vision.geometry.boxes import areas as areas_of
from hupai.vision.geometry.boxes import centres as centres_of
from hupai.vision.geometry.boxes import intersections, sizes
from hupai.vision.types import Detections, FloatArray

MIN_CENTRE_DISTANCE = 0.55
"""Distance of middles, by the shorter side of a box, below which two boxes are around one tile.

Rows at 45 degrees have tiles 0.6 of a box's side apart.
"""

MAX_LOW_CONFIDENCE = 12
"""Most low-confidence boxes to keep; each costs a crop."""

_AT_A_TIME = 64
"""Boxes that are compared with all tiles at a time."""

LOW_CONFIDENCE_MAX_OVERLAP = 0.3
"""Share of the smaller box in common with a tile from which a box is a part or a copy of it."""

LOW_CONFIDENCE_MAX_DISTANCE = 2.2
"""Distance from the nearest tile within which low-confidence boxes are kept, in tile lengths."""

LOW_CONFIDENCE_MAX_AREA_RATIO = 2.2
"""Ratio between the areas of a low-confidence box and a tile beside it, at most."""


def suppress(boxes: FloatArray, scores: FloatArray, iou: float, inside: float) -> NDArray[np.intp]:
    """Suppress duplicates: non-maximum suppression that also removes boxes within others.

    Args:
        boxes: shape (n, 4).
        scores: shape (n,).
        iou: a box goes when a better one overlaps it by more.
        inside: or when they have more than this share of the smaller one in common.

    Returns:
        Indices to keep, best first.
    """
    order = np.argsort(-scores)
    left = np.concatenate([boxes[order].T, areas_of(boxes)[order][None]])
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


def beside(boxes: FloatArray, scores: FloatArray, tiles: FloatArray) -> NDArray[np.intp]:
    """Choose boxes (n, 4) with scores (n,) that are beside tiles with boxes (m, 4).

    They are of similar size, and overlap neither a tile nor a chosen box with a higher score.

    Returns:
        Indices, highest score first, at most `MAX_LOW_CONFIDENCE`.
    """
    area, own = areas_of(tiles), areas_of(boxes)
    reach = LOW_CONFIDENCE_MAX_DISTANCE * sizes(tiles).max(1)
    centres, own_centres = centres_of(tiles), centres_of(boxes)
    order, keep = np.argsort(-scores, kind="stable"), list[int]()
    for start in range(0, len(order), _AT_A_TIME):
        some = order[start : start + _AT_A_TIME]
        smaller = np.minimum(area, own[some, None])
        alike = smaller * LOW_CONFIDENCE_MAX_AREA_RATIO > np.maximum(area, own[some, None])
        apart = own_centres[some, None] - centres
        near = np.hypot(apart[..., 0], apart[..., 1]) < reach
        over = intersections(boxes[some], tiles) > LOW_CONFIDENCE_MAX_OVERLAP * smaller
        for i in some[(alike & near).any(1) & ~over.any(1)].tolist():
            common = intersections(boxes[None, i], boxes[keep])[0]
            if not (common > LOW_CONFIDENCE_MAX_OVERLAP * np.minimum(own[keep], own[i])).any():
                keep.append(i)
                if len(keep) == MAX_LOW_CONFIDENCE:
                    return np.array(keep, np.intp)
    return np.array(keep, np.intp)


def separate(boxes: FloatArray, scores: FloatArray) -> NDArray[np.intp]:
    """Suppress boxes (n, 4) with a higher-scoring one at their centre; indices, best first."""
    centres, short = centres_of(boxes), sizes(boxes).min(1, initial=np.inf)
    keep: list[int] = []
    for i in map(int, np.argsort(-scores, kind="stable")):
        distance = np.hypot(*(centres[keep] - centres[i]).T)
        if (distance >= MIN_CENTRE_DISTANCE * np.minimum(short[keep], short[i])).all():
            keep.append(i)
    return np.array(keep, np.intp)


def with_low_confidence(seen: Detections, more: Detections) -> Detections:
    """Add low-confidence boxes; of two with the same centre the higher-scoring one is kept."""
    every = more if seen.low_confidence is None else seen.low_confidence.with_others(more)
    every = every.only(separate(every.boxes, every.scores))
    return replace(seen, low_confidence=replace(every, low_confidence=None) if len(every) else None)
