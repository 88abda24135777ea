"""Tiles of the hand whose boxes may go around a part of a tile, or around two.

A tile that is found as two halves can pass for a whole one with another face: half a 4p is a 2p.
The added tile of a kong and the one it lies on can pass for one tile, and the kong for a pung. The
rest of the hand may then fit, so nothing but the boxes tells.
"""

from __future__ import annotations

from collections.abc import Set

import numpy as np

from hupai.vision.types import FloatArray

SMALL = 0.68
"""A tile whose box has less of the area than those around it in the hand may be seen in part."""
LARGE = 1.5
"""One with more may be two."""
SMALLER = 0.8
"""So does a box beside the hand, which then is the other part of the tile that it overlaps,"""
OVER = 0.1
"""by more than this share of the smaller one's area."""
_AROUND = 4
"""Tiles of the hand nearest to a place that tell how large one is there."""


def size_outliers(boxes: FloatArray, hand: Set[int], duplicates: Set[int]) -> tuple[int, ...]:
    """Ids of the tiles of a hand whose boxes are too small, too large, or go around a tile together
    with another box; in order.

    Args:
        boxes: shape (n, 4), [x0, y0, x1, y1] in pixels, of all detections.
        hand: ids of the hand's tiles.
        duplicates: ids of second boxes around one tile, which tell nothing.
    """
    held = np.array(sorted(hand), int)
    if len(held) <= _AROUND:
        return ()
    size = np.maximum(boxes[:, 2:] - boxes[:, :2], 0)
    area: FloatArray = size.prod(1).astype(np.float32)
    centre: FloatArray = ((boxes[:, :2] + boxes[:, 2:]) / 2).astype(np.float32)
    usual = {int(i): _usual(i, held[held != i], area, centre) for i in held}
    found = {i for i in usual if not SMALL * usual[i] <= area[i] <= LARGE * usual[i]}
    for i in range(len(boxes)):
        if (
            i not in hand
            and i not in duplicates
            and 0 < area[i] < SMALLER * _usual(i, held, area, centre)
        ):
            shared = np.minimum(boxes[i, 2:], boxes[held, 2:]) - np.maximum(
                boxes[i, :2], boxes[held, :2]
            )
            over = np.clip(shared, 0, None).prod(1) / np.maximum(
                np.minimum(area[i], area[held]), 1e-9
            )
            found.update(int(j) for j in held[over > OVER])
    return tuple(sorted(found))


def _usual(
    i: int, held: np.ndarray[tuple[int], np.dtype[np.int_]], area: FloatArray, centre: FloatArray
) -> float:
    """Area of a tile's box there where the detection `i` is: the median of the hand's nearest."""
    away = np.hypot(*(centre[held] - centre[i]).T)
    return float(np.median(area[held[np.argsort(away, kind="stable")[:_AROUND]]]))
