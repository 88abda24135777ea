"""The direction of rows is estimated from neighbours."""

from __future__ import annotations

import numpy as np
import pytest

from hupai.vision.geometry.skew import skew
from tests.vision.pictures import row_boxes


@pytest.mark.parametrize("degrees", [-40, -20, -5, 0, 10, 30, 44])
@pytest.mark.parametrize("rows", [1, 2])
def test_the_direction_of_rows_is_found(degrees: float, rows: int) -> None:
    found = skew(row_boxes(9, float(np.radians(degrees)), rows=rows))
    assert found is not None
    assert np.degrees(found) == pytest.approx(degrees, abs=1.0)


def test_a_vertical_row_needs_no_deskewing() -> None:
    assert skew(row_boxes(9, np.pi / 2)) == pytest.approx(0, abs=0.02)


def test_scattered_tiles_have_no_direction() -> None:
    rng = np.random.default_rng(3)
    half = np.array((-15, -20, 15, 20), np.float32)
    directions = [
        skew(np.tile(rng.uniform(0, 1500, (40, 2)), 2).astype(np.float32) + half) for _ in range(60)
    ]
    assert sum(direction is None for direction in directions) >= 50


@pytest.mark.parametrize("count", [0, 1, 3])
def test_few_tiles_give_no_direction(count: int) -> None:
    assert skew(row_boxes(count, 0.3)[:count].reshape(-1, 4)) is None
