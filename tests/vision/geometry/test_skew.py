"""The direction of rows is estimated from neighbours."""

from __future__ import annotations

import numpy as np
import pytest

from hupai.vision.geometry.skew import skew
from hupai.vision.types import FloatArray


def row(
    count: int, angle: float, size: tuple[float, float] = (30.0, 40.0), rows: int = 1
) -> FloatArray:
    """Smallest upright boxes of tiles in rows that run at `angle` (radians, clockwise on the
    picture).
    """
    c, s = np.cos(angle), np.sin(angle)
    turn = np.array([[c, s], [-s, c]])
    half = np.array(size) / 2
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half
    boxes = []
    for i in range(count):
        for j in range(rows):
            quad = (corners + np.array((i * size[0], j * size[1]))) @ turn + np.array((400, 300))
            boxes.append([*quad.min(0), *quad.max(0)])
    return np.array(boxes, np.float32)


@pytest.mark.parametrize("degrees", [-40, -20, -5, 0, 10, 30, 44])
@pytest.mark.parametrize("rows", [1, 2])
def test_the_direction_of_rows_is_found(degrees: float, rows: int) -> None:
    found = skew(row(9, float(np.radians(degrees)), rows=rows))
    assert found is not None
    assert np.degrees(found) == pytest.approx(degrees, abs=1.0)


def test_a_vertical_row_needs_no_deskewing() -> None:
    assert skew(row(9, np.pi / 2)) == pytest.approx(0, abs=0.02)


def test_scattered_tiles_have_no_direction() -> None:
    rng = np.random.default_rng(3)
    half = np.array((-15, -20, 15, 20), np.float32)
    directions = [
        skew(np.tile(rng.uniform(0, 1500, (40, 2)), 2).astype(np.float32) + half) for _ in range(60)
    ]
    assert sum(direction is None for direction in directions) >= 50


@pytest.mark.parametrize("count", [0, 1, 3])
def test_few_tiles_give_no_direction(count: int) -> None:
    assert skew(row(count, 0.3)[:count].reshape(-1, 4)) is None
