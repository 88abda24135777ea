"""Regions of interest, movement, and votes."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hupai.scoring.tiles import Tile
from hupai.vision.types import Detections
from hupai.vision.video.motion import Motion, cells, inside
from hupai.vision.video.region import Region, RegionError, shrink
from hupai.vision.video.tracking import Votes


def test_the_whole_frame_is_not_touched() -> None:
    image = np.zeros((90, 160, 3), np.uint8)
    assert Region().cut(image) is image


def test_a_region_seen_from_across_is_turned_round() -> None:
    image = np.zeros((100, 200, 3), np.uint8)
    image[0:50, 0:100] = (255, 0, 0)  # the far player's right half
    far = Region(((1.0, 0.5), (0.0, 0.5), (0.0, 0.0), (1.0, 0.0)))
    cut = far.cut(image)
    assert cut.shape == (50, 200, 3)
    assert cut[25, 150, 0] > 250
    assert cut[25, 50, 0] < 5


def test_a_slanted_region_becomes_a_rectangle() -> None:
    image = np.full((400, 400, 3), 20, np.uint8)
    quad = np.array([[100, 80], [300, 120], [340, 300], [60, 260]], np.int32)
    cv2.fillConvexPoly(image, quad, (200, 200, 200))
    corners = tuple((float(x) / 400, float(y) / 400) for x, y in quad)
    cut = Region(corners).cut(image)  # type: ignore[arg-type]
    assert cut[5:-5, 5:-5].min() > 190
    assert Region(corners).size(400, 400) == (cut.shape[1], cut.shape[0])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "corners",
    [
        ((0, 0), (1, 1), (1, 0), (0, 1)),
        ((0, 0), (1, 0), (1, 0.0001), (0, 0.0001)),
        ((-0.1, 0), (1, 0), (1, 1), (0, 1)),
        ((float("nan"), 0), (1, 0), (1, 1), (0, 1)),
    ],
)
def test_corners_that_enclose_nothing_are_refused(corners: tuple[tuple[float, float], ...]) -> None:
    with pytest.raises(RegionError) as refused:
        Region(corners)  # type: ignore[arg-type]
    assert refused.value.message_zh.startswith("区域")


def test_a_frame_is_shrunk_and_small_ones_are_not_enlarged() -> None:
    assert shrink(np.zeros((1080, 1920, 3), np.uint8)).shape == (360, 640)
    assert shrink(np.zeros((90, 160, 3), np.uint8)).shape == (90, 160)
    assert Region().small(shrink(np.zeros((1080, 1920, 3), np.uint8))).shape == (135, 240)


def test_cells_in_boxes() -> None:
    mask = inside(np.array([[50, 0, 100, 50]], np.float32), (200, 100), (10, 20), 0.0)
    assert mask.sum() == 5 * 5
    assert mask[0, 5]
    assert not mask[0, 4]
    assert inside(np.array([[50, 0, 100, 50]], np.float32), (200, 100), (10, 20), 0.2).sum() > 25
    assert not inside(np.array([[-90, -90, -50, -50]], np.float32), (200, 100), (10, 20), 0.0).any()


def test_a_single_tile_that_is_laid_is_seen() -> None:
    motion = Motion()
    picture = np.full((135, 240), 60, np.uint8)
    rng = np.random.default_rng(1)
    for step in range(20):
        noisy = np.clip(picture + rng.normal(0, 2, picture.shape), 0, 255).astype(np.uint8)
        look = motion.look(noisy, step / 15)
    assert not look.moving
    laid = picture.copy()
    laid[60:76, 100:112] = 200
    assert motion.look(laid, 2.0).moving


@given(shift=st.integers(-25, 25))
def test_brightness_alone_is_no_difference(shift: int) -> None:
    picture = np.random.default_rng(3).integers(40, 200, (135, 240)).astype(np.uint8)
    motion = Motion()
    assert not motion.differs(
        cells(picture), cells((picture.astype(int) + shift).astype(np.uint8))
    ).any()


def test_another_camera_is_a_difference_everywhere() -> None:
    motion = Motion()
    assert motion.differs(
        cells(np.zeros((135, 240), np.uint8)), cells(np.full((135, 240), 90, np.uint8))
    ).all()


def seen(*tiles: tuple[float, Tile, float]) -> Detections:
    """Detections at x with a face and its probability."""
    boxes = np.array([[x, 10, x + 40, 64] for x, _, _ in tiles], np.float32).reshape(-1, 4)
    rows = np.full((len(tiles), 43), 0.0, np.float32)
    for row, (_, face, share) in zip(rows, tiles, strict=True):
        row[:] = (1 - share) / 42
        row[face] = share
    return Detections(
        boxes,
        np.full(len(tiles), 0.9, np.float32),
        rows,
        np.full(len(tiles), np.pi / 2, np.float32),
    )


def test_two_readings_outvote_one() -> None:
    votes = Votes()
    votes.add(seen((0, Tile.P3, 0.7), (50, Tile.M1, 0.9)))
    votes.add(seen((1, Tile.P2, 0.8), (50, Tile.M1, 0.9)))
    result = votes.add(seen((2, Tile.P2, 0.8), (51, Tile.M1, 0.9)))
    assert [Tile(int(row.argmax())) for row in result.probabilities] == [Tile.P2, Tile.M1]
    assert np.allclose(result.probabilities.sum(1), 1, atol=1e-5)
    assert result.boxes[0, 0] == pytest.approx(1.0)


def test_a_tile_missed_once_stays_and_one_falsely_detected_once_goes() -> None:
    votes = Votes()
    for tiles in (
        ((0, Tile.M1, 0.9), (50, Tile.M2, 0.9)),
        ((0, Tile.M1, 0.9),),
        ((0, Tile.M1, 0.9), (50, Tile.M2, 0.9)),
    ):
        result = votes.add(seen(*tiles))
    assert len(result) == 2
    result = votes.add(seen((0, Tile.M1, 0.9), (50, Tile.M2, 0.9), (200, Tile.P1, 0.9)))
    for _ in range(3):
        result = votes.add(seen((0, Tile.M1, 0.9), (50, Tile.M2, 0.9)))
    assert len(result) == 2


def test_axes_near_zero_and_pi_do_not_cancel_out() -> None:
    votes = Votes()
    first, second = seen((0, Tile.M1, 0.9)), seen((0, Tile.M1, 0.9))
    first.axes[:] = 0.05
    second.axes[:] = np.pi - 0.05
    votes.add(first)
    axis = float(votes.add(second).axes[0])
    assert min(axis, np.pi - axis) < 0.01


def test_a_place_that_changed_forgets_its_votes() -> None:
    votes = Votes()
    for _ in range(6):
        votes.add(seen((0, Tile.M1, 0.95), (50, Tile.M2, 0.95)))
    votes.restart(lambda boxes: np.array([box[0] < 20 for box in boxes]))
    result = votes.add(seen((0, Tile.M1, 0.95), (50, Tile.P9, 0.6)))
    assert sorted(Tile(int(row.argmax())) for row in result.probabilities) == [Tile.M1, Tile.P9]
