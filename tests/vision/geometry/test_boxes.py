"""Overlaps, areas and corners of boxes."""

from __future__ import annotations

import numpy as np

from hupai.vision.geometry.boxes import (
    areas,
    around,
    centres,
    clipped,
    corners,
    pairwise_iou,
    pairwise_overlap,
)
from hupai.vision.types import FloatArray

FOUR = ((0, 0, 10, 10), (0, 0, 10, 5), (20, 0, 30, 10), (5, 5, 5, 5))


def boxes(*rows: tuple[float, float, float, float]) -> FloatArray:
    return np.asarray(rows, np.float32).reshape(-1, 4)


def test_iou_of_equal_half_and_disjoint_boxes() -> None:
    iou = pairwise_iou(boxes((0, 0, 10, 10)), boxes(*FOUR))
    assert iou.tolist() == [[1.0, 0.5, 0.0, 0.0]]
    assert iou.dtype == np.float32


def test_iou_with_nothing_has_no_row() -> None:
    assert pairwise_iou(boxes(), boxes((0, 0, 1, 1))).shape == (0, 1)


def test_overlap_is_the_share_of_the_smaller_box() -> None:
    assert pairwise_overlap(boxes((0, 0, 10, 10)), boxes(*FOUR)).tolist() == [[1.0, 1.0, 0.0, 0.0]]
    half = pairwise_overlap(boxes((0, 0, 10, 10)), boxes((5, 0, 25, 10)))
    assert half.tolist() == [[0.5]]


def test_corners_areas_and_centres() -> None:
    some = boxes((1, 2, 4, 8), (-3, 0, 5, 5))
    np.testing.assert_array_equal(around(corners(some)), some)
    assert corners(some)[0].tolist() == [[1, 2], [4, 2], [4, 8], [1, 8]]
    assert areas(some).tolist() == [18, 40]
    assert centres(some).tolist() == [[2.5, 5], [1, 2.5]]
    assert clipped(some, 4, 4).tolist() == [[1, 2, 4, 4], [0, 0, 4, 4]]
