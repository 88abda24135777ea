"""Corners of tiles from boxes and directions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hupai.scoring.tiles import Tile
from hupai.vision.quads import ordered, quads_of
from hupai.vision.types import Detections, FloatArray, ReadTile, is_red


def rectangle(angle: float, width: float, length: float) -> FloatArray:
    """Corners (4, 2) around the origin of a tile whose axis has this direction."""
    up = -np.array([np.cos(angle), np.sin(angle)])
    right = np.array([-up[1], up[0]])
    signs = [(-1, 1), (1, 1), (1, -1), (-1, -1)]
    return np.array([right * width / 2 * a + up * length / 2 * b for a, b in signs], np.float32)


def box_around(quad: FloatArray) -> FloatArray:
    return np.concatenate([quad.min(0), quad.max(0)]).astype(np.float32)


@given(st.floats(0, 3.14), st.floats(20, 200))
def test_a_tile_of_usual_shape_gets_its_corners_back(angle: float, width: float) -> None:
    quad = rectangle(angle, width, 1.35 * width)
    made = quads_of(box_around(quad)[None], np.array([angle], np.float32))[0]
    assert np.abs(made - quad).max() < 0.01 * width


@pytest.mark.parametrize(("degrees", "aspect"), [(0, 1.0), (90, 1.8), (10, 1.2), (100, 1.6)])
def test_the_box_tells_the_shape_of_tiles_that_lie_nearly_along_the_edges(
    degrees: float, aspect: float
) -> None:
    angle = np.radians(degrees)
    quad = rectangle(angle, 40, 40 * aspect)
    made = quads_of(box_around(quad)[None], np.array([angle], np.float32))[0]
    assert np.abs(made - quad).max() < 2.5


def test_the_box_is_the_quad_where_no_direction_is_known() -> None:
    box = np.array([[10, 20, 90, 50]], np.float32)
    made = quads_of(box, np.array([np.nan], np.float32))[0]
    assert made == pytest.approx(np.array([[10, 20], [90, 20], [90, 50], [10, 50]]), abs=1e-3)


@given(st.floats(0.05, 3.09), st.integers(0, 3), st.booleans())
def test_corners_found_in_any_order_begin_at_the_top_left(
    angle: float, first: int, backwards: bool
) -> None:
    quad = rectangle(angle, 30, 40)
    mixed = np.roll(quad[::-1] if backwards else quad, first, axis=0)[None]
    assert ordered(mixed, np.array([angle]))[0] == pytest.approx(quad)
    assert ordered(mixed, np.array([np.nan]))[0] == pytest.approx(quad), "the long side is upright"


def test_detections_carry_quads_through_scaling_choosing_and_joining() -> None:
    boxes = np.array([[0, 0, 30, 40], [50, 0, 90, 30]], np.float32)
    rows = np.full((2, 43), 1 / 43, np.float32)
    found = Detections(boxes, np.ones(2, np.float32), rows, np.array([np.pi / 2, 0], np.float32))
    left_end = found.quads[1][[0, 1]]  # the second lies on its side, its top to the left
    assert left_end == pytest.approx(np.array([[50, 30], [50, 0]]), abs=1e-3)
    given_quads = found.quads + np.float32(1)
    other = Detections(found.boxes, found.scores, rows, found.axes, quads=given_quads)
    both = found.with_others(other).scaled(2).only(np.array([3, 0]))
    assert both.quads == pytest.approx(np.stack([given_quads[1], found.quads[0]]) * 2)
    with pytest.raises(ValueError, match="quads"):
        Detections(found.boxes, found.scores, rows, found.axes, quads=given_quads[:1])
    assert Detections.empty().quads.shape == (0, 4, 2)


def test_a_tile_without_corners_has_those_of_its_box() -> None:
    tile = ReadTile(0, Tile.M1, (1, 2, 3, 5), 0.9, elsewhere=((1, (10, 10, 20, 24)),))
    assert tile.quad == ((1, 2), (3, 2), (3, 5), (1, 5))
    there = tile.on_photo(1)
    assert there is not None
    assert there.quad == ((10, 10), (20, 10), (20, 24), (10, 24))


def test_detections_carry_red_fives_through_choosing_and_joining() -> None:
    boxes = np.array([[0, 0, 30, 40], [50, 0, 80, 40]], np.float32)
    rows = np.full((2, 43), 1 / 43, np.float32)
    axes, scores = np.full(2, np.pi / 2, np.float32), np.ones(2, np.float32)
    plain = Detections(boxes, scores, rows, axes)
    reds = np.array([0.9, 0.1], np.float32)
    with_reds = Detections(boxes, scores, rows, axes, reds=reds)
    assert plain.reds.tolist() == [0, 0]
    assert plain.with_others(with_reds).scaled(2).only(np.array([2, 0])).reds.tolist() == [
        reds[0],
        0,
    ]
    assert with_reds.with_boxes(boxes, axes, None, plain.quads).reds is reds
    with pytest.raises(ValueError, match="reds"):
        Detections(boxes, scores, rows, axes, reds=reds[:1])


def test_only_fives_are_red() -> None:
    assert is_red(Tile.P5, 0.8)
    assert not is_red(Tile.P5, 0.3)
    assert not is_red(Tile.P4, 0.8)
