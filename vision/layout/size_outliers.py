"""Tiles of the hand whose boxes may hold only part of a tile, or two.

A tile found as two halves can pass for a whole one with another face: half a 4p is a 2p. The added
tile of a kong and the one below can pass for one tile, and the kong for a pung. As the rest of the
hand may then fit, only the boxes tell.
"""

from __future__ import annotations

from collections.abc import Set

import numpy as np
from numpy.typing import NDArray

from hupai.vision.geometry.boxes import areas, centres, pairwise_overlap
from hupai.vision.types import FloatArray

_MIN_AREA = 0.68
"""Share of the median area around it below which a box may hold part of a tile."""
_MAX_AREA = 1.5
"""Share of the median area around it above which a box may hold two tiles."""
_MAX_PART_AREA = 0.8
"""Share of that area below which a box beside the hand may hold the other part of a tile."""
_MIN_PART_OVERLAP = 0.1
"""Share of the smaller area by which such a box overlaps the tile."""
_NEAREST = 4
"""Nearest tiles of the hand that tell how large a tile is at a place."""


def size_outliers(boxes: FloatArray, hand: Set[int], duplicates: Set[int]) -> tuple[int, ...]:
    """Find a hand's tiles that are too small, too large, or overlap a further part; ids in order.

    Args:
        boxes: shape (n, 4), [x0, y0, x1, y1] in pixels, of all detections.
        hand: ids of the hand's tiles.
        duplicates: ids of second boxes around one tile, which tell nothing.
    """
    held = np.array(sorted(hand), int)
    if len(held) <= _NEAREST:
        return ()
    area, middles = areas(boxes), centres(boxes)

    def expected(i: int, others: NDArray[np.int_]) -> float:
        away = np.hypot(*(middles[others] - middles[i]).T)
        return float(np.median(area[others[np.argsort(away, kind="stable")[:_NEAREST]]]))

    found = set()
    for i in held.tolist():
        size = expected(i, held[held != i])
        if not _MIN_AREA * size <= area[i] <= _MAX_AREA * size:
            found.add(i)
    for i in set(range(len(boxes))).difference(hand, duplicates):
        if 0 < area[i] < _MAX_PART_AREA * expected(i, held):
            overlap = pairwise_overlap(boxes[[i]], boxes[held])[0]
            found.update(held[overlap > _MIN_PART_OVERLAP].tolist())
    return tuple(sorted(found))
