"""The plane of the table, estimated from boxes and axes of its tiles."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hupai.vision.geometry.table_plane import slanted, table_plane
from hupai.vision.geometry.table_tiles import bearings, ground_of
from hupai.vision.types import Detections
from tests.vision.cameras import SHAPE, photo


@pytest.mark.parametrize(
    ("elevation", "azimuth", "roll"),
    [(75, 0, 0), (50, 20, 0), (35, -40, 5), (25, 0, 90), (20, 100, 0)],
)
def test_a_row_in_an_oblique_view_is_straight_and_even_on_the_table(
    elevation: float, azimuth: float, roll: float
) -> None:
    boxes, axes, _ = photo(elevation, azimuth, roll)
    plane = table_plane(boxes, axes, (1280, 960))
    places = plane.on_table((boxes[:14, :2] + boxes[:14, 2:]) / 2)
    steps = np.linalg.norm(np.diff(places, axis=0), axis=1)
    assert steps == pytest.approx(np.full(13, 1.02), abs=0.12)
    ends = places[-1] - places[0]
    off = np.abs((places - places[0]) @ np.array([-ends[1], ends[0]])) / np.linalg.norm(ends)
    assert off.max() < 0.15
    assert math.degrees(plane.slant) == pytest.approx(90 - elevation, abs=6)


def test_seen_from_above_nothing_is_tilted() -> None:
    boxes, axes, _ = photo(90)
    found = table_plane(boxes, axes, (1280, 960))
    assert found.slant < math.radians(8)
    assert found.ratio == pytest.approx(SHAPE.height, abs=0.05)


@pytest.mark.parametrize(
    ("elevation", "azimuth"), [(88, 0), (70, 15), (50, 20), (40, -70), (25, 0)]
)
def test_the_quick_slant_check_agrees_with_the_full_estimate(
    elevation: float, azimuth: float
) -> None:
    boxes, axes, _ = photo(elevation, azimuth)
    whole = table_plane(boxes, axes, (1280, 960))
    quick = slanted(boxes, axes, (1280, 960), math.radians(30))
    assert (quick is None) == (whole.slant < math.radians(30))
    assert quick is None or quick.slant == whole.slant
    assert slanted(boxes, np.full_like(axes, np.nan), (1280, 960), 0.0) is None


def test_without_axes_a_view_from_above_is_assumed() -> None:
    boxes, axes, _ = photo(40)
    assert table_plane(boxes, np.full_like(axes, np.nan), (1280, 960)).slant == 0.0


@pytest.mark.parametrize(
    ("elevation", "factor"), [(85, 0.56), (85, 1.78), (50, 0.6), (50, 1.6), (35, 0.75)]
)
def test_a_stretched_photo_shows_an_even_row_all_the_same(elevation: float, factor: float) -> None:
    boxes, axes, _ = photo(elevation, 10)
    boxes, axes = (
        boxes * (factor, 1, factor, 1),
        np.arctan2(np.sin(axes), np.cos(axes) * factor) % math.pi,
    )
    plane = table_plane(boxes, axes, (round(1280 * factor), 960))
    places = plane.on_table((boxes[:14, :2] + boxes[:14, 2:]) / 2)
    assert np.linalg.norm(np.diff(places, axis=0), axis=1) == pytest.approx(
        np.full(13, 1.02), abs=0.15
    )


def test_an_ordinary_photo_is_not_estimated_as_stretched() -> None:
    boxes, axes, _ = photo(75)
    assert np.linalg.cond(table_plane(boxes, axes, (1280, 960)).warp) < 1.05


def test_a_few_outlier_axes_do_not_bias_the_plane() -> None:
    boxes, axes, _ = photo(40, 15)
    axes[[2, 9, 15]] += 1.1
    plane = table_plane(boxes, axes % math.pi, (1280, 960))
    assert math.degrees(plane.slant) == pytest.approx(50, abs=6)


def test_rows_run_where_the_tiles_stand() -> None:
    boxes, axes, _ = photo(45, 30)
    n = len(boxes)
    found = Detections(
        boxes.astype(np.float32),
        np.ones(n, np.float32),
        np.full((n, 43), 1 / 43, np.float32),
        axes.astype(np.float32),
    )
    field = ground_of(found, (1280, 960))
    (first,), (last,) = field.places[field.ids == 0], field.places[field.ids == 13]
    phi = bearings(field)[0]
    along = math.atan2(last[1] - first[1], last[0] - first[0])
    assert abs(math.sin(along - phi)) < 0.06


@pytest.mark.parametrize("elevation", [40, 30])
def test_doubtful_detections_do_not_determine_the_table_plane(elevation: float) -> None:
    boxes, axes, _ = photo(elevation)
    clear = np.arange(14)
    row, count = _detections(boxes[clear], axes[clear], 0.8), 60
    rng = np.random.default_rng(2)
    low = np.column_stack([rng.uniform(0, 1200, count), rng.uniform(0, 900, count)])
    digits = np.hstack([low, low + rng.uniform(12, 45, (count, 2))]).astype(np.float32)
    clutter = _detections(digits, rng.uniform(0, math.pi, count).astype(np.float32), 0.4)
    alone = ground_of(row, (1280, 960)).plane
    among = ground_of(row.with_others(clutter), (1280, 960)).plane
    assert among.slant == alone.slant
    assert math.degrees(among.slant) == pytest.approx(90 - elevation, abs=6)


def _detections(boxes: np.ndarray, axes: np.ndarray, score: float) -> Detections:
    probabilities = np.zeros((len(boxes), 43), np.float32)
    probabilities[np.arange(len(boxes)), np.arange(len(boxes)) % 34] = 1
    scores = np.full(len(boxes), score, np.float32)
    return Detections(boxes.astype(np.float32), scores, probabilities, axes.astype(np.float32))
