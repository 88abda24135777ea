"""Boxes that are shorter than their row are completed to its edges; whole tiles never change."""

from __future__ import annotations

import numpy as np
import pytest

from hupai.vision.geometry.row_edges import completed
from hupai.vision.types import FloatArray

WIDE, HIGH = 60.0, 80.0


def row(count: int, slope: float = 0.0, y: float = 100.0) -> FloatArray:
    """Boxes side by side, each a little lower than the one before."""
    lefts = 40.0 + WIDE * np.arange(count)
    tops = y + slope * lefts
    return np.stack([lefts, tops, lefts + WIDE, tops + HIGH], 1).astype(np.float32)


def complete(boxes: FloatArray, backs: tuple[int, ...] = ()) -> tuple[FloatArray, list[int]]:
    result, neighbours = completed(boxes, ~np.isin(np.arange(len(boxes)), backs))
    return result, np.nonzero(neighbours >= 0)[0].tolist()


@pytest.mark.parametrize("slope", [0.0, 0.1, -0.15])
@pytest.mark.parametrize("edge", [1, 3])
def test_a_box_without_its_upper_or_lower_part_is_completed(slope: float, edge: int) -> None:
    whole = row(6, slope)
    cut = whole.copy()
    cut[2, edge] += 0.35 * HIGH if edge == 1 else -0.35 * HIGH
    result, changed = complete(cut)
    assert changed == [2]
    assert np.abs(result - whole).max() < 1.0


def test_several_cut_tiles_beside_each_other_are_completed_one_after_the_other() -> None:
    whole = row(9)
    cut = whole.copy()
    cut[:4, 1] += 0.35 * HIGH  # most neighbours of the first one are cut as well
    result, changed = complete(cut)
    assert changed == [0, 1, 2, 3]
    assert np.abs(result - whole).max() < 1.0


def test_both_halves_of_a_tile_become_the_whole() -> None:
    whole = row(6)
    halves = np.repeat(whole[[3]], 2, 0)
    halves[0, 3] = halves[1, 1] = 100 + HIGH / 2
    result, changed = complete(np.concatenate([np.delete(whole, 3, 0), halves]))
    assert changed == [5, 6]
    assert np.abs(result[5:] - whole[3]).max() < 1.0


def test_a_row_down_the_photo_is_completed_as_well() -> None:
    whole = row(6)[:, [1, 0, 3, 2]]
    cut = whole.copy()
    cut[1, 2] -= 0.3 * HIGH
    result, changed = complete(cut)
    assert changed == [1]
    assert np.abs(result - whole).max() < 1.0


@pytest.mark.parametrize("count", [0, 1, 2, 8])
def test_whole_tiles_stay(count: int) -> None:
    for slope in (0.0, 0.2):
        boxes = row(count, slope)
        result, changed = complete(boxes)
        assert not changed
        assert np.array_equal(result, boxes)


def test_a_sideways_tile_stays() -> None:
    boxes = row(6)
    boxes[5] = (boxes[4, 2], 100 + HIGH - WIDE, boxes[4, 2] + HIGH, 100 + HIGH)
    assert complete(boxes)[1] == []


def test_a_sliver_is_no_tile() -> None:
    boxes = row(6)
    boxes[2, 1] = 100 + 0.8 * HIGH
    assert complete(boxes)[1] == []


def test_a_tile_of_another_row_stays() -> None:
    boxes = row(6)
    small = np.array([[160.0, 300.0, 160.0 + WIDE, 300.0 + HIGH / 2]], np.float32)
    assert complete(np.concatenate([boxes, small]))[1] == []


def test_a_back_is_never_completed() -> None:
    boxes = row(6)
    boxes[2, 1] += 0.4 * HIGH
    assert complete(boxes, backs=(2,))[1] == []
    assert complete(boxes, backs=(0, 1, 3, 4, 5))[1] == []
