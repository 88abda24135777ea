"""Rows that stand are searched on views of their own planes, the rest on one of the table."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from numpy.typing import NDArray

from hupai.datasets.synthetic.picture.camera import Camera, View
from hupai.vision.detection.picture import Picture
from hupai.vision.detection.rectified.standing import (
    MIN_SCORE,
    MISFIT,
    searched,
    standing_rows,
    with_standing,
)
from hupai.vision.detection.rectified.view import RectifiedView
from hupai.vision.geometry.table_plane import table_plane
from hupai.vision.types import Detections, FloatArray
from tests.vision.layout.test_own_planes import Quad, flat, standing

WIDTH, HEIGHT = 1600, 1200
LYING = "1m 2m 3m 4m 5m 6m 7m 8m"


def outlines(tiles: list[Quad], camera: Camera) -> FloatArray:
    """The outlines on the photo, (n, 4, 2), tops first."""
    return np.stack([camera.project(quad) for quad, _ in tiles]).astype(np.float32)


def found(tiles: list[Quad], camera: Camera, score: float) -> Detections:
    """What a perfect detector finds."""
    quads = outlines(tiles, camera)
    up = quads[:, :2].mean(1) - quads[:, 2:].mean(1)
    return Detections(
        np.concatenate([quads.min(1), quads.max(1)], 1),
        np.full(len(tiles), score, np.float32),
        np.eye(43, dtype=np.float32)[[tile for _, tile in tiles]],
        (np.arctan2(up[:, 1], up[:, 0]) % np.pi).astype(np.float32),
        quads=quads,
    )


@pytest.fixture(params=[(25, 0), (30, 30), (40, -35)])
def camera(request: pytest.FixtureRequest) -> Camera:
    elevation, azimuth = request.param
    view = View(elevation, azimuth, 0.0, 55.0, WIDTH, HEIGHT)
    return Camera(view, corners_of(row() + pond()), 0.9)


def corners_of(tiles: list[Quad]) -> NDArray[np.float64]:
    return np.concatenate([quad for quad, _ in tiles])


def row() -> list[Quad]:
    return standing("1s2s3s4s5s6s", 0.0)


def pond() -> list[Quad]:
    return flat(LYING, -4.0, 2.0) + flat(LYING, -4.0, 3.4)


GREY = Picture.of(np.full((HEIGHT, WIDTH, 3), 120, np.uint8))


def view_of(camera: Camera) -> RectifiedView:
    lying = found(pond(), camera, 0.9)
    boxes, axes = lying.boxes.astype(float), lying.axes.astype(float)
    view = RectifiedView.on_plane(GREY, boxes, table_plane(boxes, axes, (WIDTH, HEIGHT)))
    assert view is not None
    return view


def combined(
    named: Detections, seen: Detections, camera: Camera, on_row: Detections | None = None
) -> Detections:
    """Combine what is found on the photo, on the view of the table and on that of the row."""
    everywhere = np.ones(len(seen), bool)
    nothing = Detections.empty()
    search = partial(searched, photo=GREY, find=lambda _view: on_row or nothing)
    return with_standing(named, seen, everywhere, view_of(camera), search)


def test_standing_tiles_have_greater_misfits_than_lying_ones(camera: Camera) -> None:
    view = view_of(camera)
    assert view.misfits(outlines(pond(), camera)).max() < MISFIT
    assert view.misfits(outlines(row(), camera)).min() > MISFIT


def test_a_long_row_is_found_although_it_tilts_the_estimated_table_plane() -> None:
    tiles = standing("1s2s3s4s5s6s7s8s9s1p2p3p", 0.0)
    view = View(30, 30, 0.0, 55.0, WIDTH, HEIGHT)
    seen = found(tiles + pond(), Camera(view, corners_of(tiles + pond()), 0.9), 0.8)
    boxes, axes = seen.boxes.astype(float), seen.axes.astype(float)
    both = RectifiedView.on_plane(GREY, boxes, table_plane(boxes, axes, (WIDTH, HEIGHT)))
    assert both is not None
    assert both.misfits(seen.quads)[: len(tiles)].min() < 0.4
    (found_row,) = standing_rows(seen, both)
    assert set(range(len(tiles))) <= set(found_row.tolist())


def pairs(row_of_six: Detections) -> Detections:
    """Boxes of a row that each hold two tiles."""
    boxes = row_of_six.boxes
    both = np.concatenate([boxes[::2, :2], boxes[1::2, 2:]], 1)
    return replace(row_of_six.only(np.arange(3)), boxes=both)


def as_lists(boxes: FloatArray) -> list[list[float]]:
    return sorted(boxes.tolist())


def test_a_standing_row_replaces_the_boxes_of_the_view(camera: Camera) -> None:
    seen = found(row() + pond(), camera, 0.61)
    lying = found(pond(), camera, 0.9)
    whole = combined(lying.with_others(pairs(seen.only(np.arange(6)))), seen, camera)
    assert as_lists(whole.boxes) == as_lists(seen.boxes)


def test_what_the_view_of_the_row_shows_better_is_taken(camera: Camera) -> None:
    lying, standing_tiles = found(pond(), camera, 0.9), found(row(), camera, 0.8)
    seen = found(row() + pond(), camera, 0.6)
    whole = combined(lying, seen, camera, standing_tiles.with_others(lying))
    assert as_lists(whole.boxes) == as_lists(seen.boxes)
    assert np.sort(whole.scores).tolist() == np.sort([0.8] * 6 + [0.9] * 16).astype("f4").tolist()


def test_a_row_continues_on_its_view(camera: Camera) -> None:
    longer = standing("1s2s3s4s5s6s7s", 0.0)
    lying, standing_tiles = found(pond(), camera, 0.9), found(longer, camera, 0.8)
    seen = found(row() + pond(), camera, 0.6)
    whole = combined(lying, seen, camera, standing_tiles)
    assert as_lists(whole.boxes) == as_lists(lying.with_others(standing_tiles).boxes)


def test_a_row_does_not_continue_over_tiles_of_the_table(camera: Camera) -> None:
    longer = standing("1s2s3s4s5s6s7s", 0.0)
    lying, standing_tiles = found(pond(), camera, 0.9), found(longer, camera, 0.8)
    seen = found(row() + pond(), camera, 0.6)
    beside = replace(standing_tiles.only(np.array([6])), scores=np.full(1, 0.7, np.float32))
    whole = combined(lying.with_others(beside), seen, camera, standing_tiles)
    assert np.sort(whole.scores)[0] == np.float32(0.7)


def test_a_row_too_short_for_a_plane_is_taken_from_the_photo() -> None:
    short = row()[:4]
    camera = Camera(View(30, 30, 0.0, 55.0, WIDTH, HEIGHT), corners_of(short + pond()), 0.9)
    lying, standing_tiles = found(pond(), camera, 0.9), found(short, camera, 0.8)
    whole = combined(lying, found(short + pond(), camera, 0.6), camera, standing_tiles)
    assert np.sort(whole.scores)[:4].tolist() == pytest.approx([0.6] * 4)


def test_a_row_that_the_view_shows_better_stays(camera: Camera) -> None:
    seen = found(row() + pond(), camera, 0.6)
    named = found(row() + pond(), camera, 0.9)
    assert combined(named, seen, camera) is named


def test_more_boxes_of_less_score_do_not_show_a_row_better(camera: Camera) -> None:
    seen = found(row() + pond(), camera, 0.8)
    standing_tiles = seen.only(np.arange(6))
    halves = standing_tiles.boxes.copy()
    halves[:, 3] = halves[:, [1, 3]].mean(1)
    parts = replace(standing_tiles, boxes=halves, scores=np.full(6, MIN_SCORE, np.float32))
    rest = replace(
        parts,
        boxes=parts.boxes
        + np.array([0, 1, 0, 1], np.float32) * (standing_tiles.boxes[:, [3]] - halves[:, [3]]),
    )
    lying = found(pond(), camera, 0.9)
    whole = combined(lying.with_others(parts).with_others(rest), seen, camera)
    assert as_lists(whole.boxes) == as_lists(seen.boxes)


def test_two_tiles_are_no_row(camera: Camera) -> None:
    seen = found(row()[:2] + pond(), camera, 0.6)
    named = found(pond(), camera, 0.9)
    assert combined(named, seen, camera) is named
