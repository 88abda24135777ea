"""Rows that stand are taken from the photo, what lies on the table from the rectified view."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hupai.datasets.synthetic.picture.camera import Camera, View
from hupai.vision.detection.picture import Picture
from hupai.vision.detection.rectified.standing import LEANING, with_standing
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
    corners = np.concatenate([quad for quad, _ in [*row(), *pond()]])
    return Camera(View(elevation, azimuth, 0.0, 55.0, WIDTH, HEIGHT), corners, 0.9)


def row() -> list[Quad]:
    return standing("1s2s3s4s5s6s", 0.0)


def pond() -> list[Quad]:
    return flat(LYING, -4.0, 2.0) + flat(LYING, -4.0, 3.4)


def view_of(camera: Camera) -> RectifiedView:
    lying = found(pond(), camera, 0.9)
    boxes, axes = lying.boxes.astype(float), lying.axes.astype(float)
    plane = table_plane(boxes, axes, (WIDTH, HEIGHT))
    grey = Picture.of(np.full((HEIGHT, WIDTH, 3), 120, np.uint8))
    view = RectifiedView.on_plane(grey, boxes, plane)
    assert view is not None
    return view


def test_standing_tiles_have_greater_misfits_than_lying_ones(camera: Camera) -> None:
    view = view_of(camera)
    assert view.misfits(outlines(pond(), camera)).max() < LEANING
    assert view.misfits(outlines(row(), camera)).min() > LEANING


def test_a_standing_row_replaces_the_boxes_of_the_view(camera: Camera) -> None:
    seen = found(row() + pond(), camera, 0.6)
    boxes = seen.boxes[:6]
    pairs = np.concatenate([boxes[::2, :2], boxes[1::2, 2:]], 1)  # two tiles in a box
    stretched = replace(seen.only(np.arange(3)), boxes=pairs)
    lying = found(pond(), camera, 0.9)
    named = lying.with_others(stretched)
    everywhere = np.ones(len(seen), bool)
    whole = with_standing(named, seen, everywhere, view_of(camera))
    assert sorted(whole.boxes.tolist()) == sorted([*lying.boxes.tolist(), *boxes.tolist()])


def test_a_row_that_the_view_shows_better_stays(camera: Camera) -> None:
    seen = found(row() + pond(), camera, 0.6)
    named = found(row() + pond(), camera, 0.9)
    everywhere = np.ones(len(seen), bool)
    assert with_standing(named, seen, everywhere, view_of(camera)) is named


def test_two_tiles_are_no_row(camera: Camera) -> None:
    seen = found(row()[:2] + pond(), camera, 0.6)
    named = found(pond(), camera, 0.9)
    everywhere = np.ones(len(seen), bool)
    assert with_standing(named, seen, everywhere, view_of(camera)) is named
