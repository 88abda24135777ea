"""Squeezed tiles are widened, and detections on a view are mapped back to the photo."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from hupai.vision.detection.views import View
from hupai.vision.detection.widen import squeeze, widened
from tests.vision.pictures import row_boxes


def rotation(angle: float) -> NDArray[np.float64]:
    """The homography that turns rows at this angle level."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])


@pytest.mark.parametrize("degrees", [-37, 12, 45])
def test_boxes_and_axes_come_back(degrees: float) -> None:
    angle = float(np.radians(degrees))
    boxes = row_boxes(9, angle)
    turned = View(np.zeros((600, 800, 3), np.uint8), rotation(angle))
    centres = (boxes[:, :2] + boxes[:, 2:]) / 2 @ turned.forward[:2, :2].T + turned.forward[:2, 2]
    assert np.ptp(centres[:, 1]) < 0.5, "the row is level on the turned picture"
    half = np.array((15, 20))
    upright = np.concatenate([centres - half, centres + half], 1).astype(np.float32)
    assert turned.boxes_to_photo(upright) == pytest.approx(boxes, abs=0.5)
    # A tile that is upright on the turned view has the angle of its row on the photo.
    assert turned.axes_to_photo(np.array([np.pi / 2], np.float32), upright[:1]) == pytest.approx(
        [(np.pi / 2 + angle) % np.pi], abs=1e-3
    )


@pytest.mark.parametrize("wider", [0.45, 0.6, 1.7, 2.5])
def test_detections_on_a_widened_picture_are_mapped_back(wider: float) -> None:
    image = np.zeros((600, 800, 3), np.uint8)
    view = widened(image, wider)
    assert view.image.shape[1] / view.image.shape[0] == pytest.approx(wider * 800 / 600, rel=0.01)
    corner = np.array([[100.0, 80.0]])
    there = corner @ view.forward[:2, :2].T + view.forward[:2, 2]
    back = view.boxes_to_photo(np.concatenate([there, there], 1).astype(np.float32))
    assert back == pytest.approx(np.tile(corner, 2), abs=0.01)
    leaning = view.axes_to_photo(
        np.array([0.7], np.float32), np.array([[0, 0, 10, 14]], np.float32)
    )
    step = view.forward[:2, :2] @ np.array([np.cos(leaning[0]), np.sin(leaning[0])])
    assert np.arctan2(step[1], step[0]) % np.pi == pytest.approx(0.7, abs=1e-3)


@pytest.mark.parametrize("factor", [0.4, 0.5, 1.0, 2.5])
def test_squeezed_tiles_are_widened_to_their_usual_shape(factor: float) -> None:
    boxes = row_boxes(9, 0.0) * np.array([factor, 1, factor, 1], np.float32)
    wider = squeeze(boxes)
    size = (boxes[0, 2:] - boxes[0, :2]) * np.array([wider, 1.0])
    assert max(size) / min(size) < 1.7
    assert (wider == 1.0) == (factor == 1.0)


def test_tiles_of_several_shapes_are_not_widened() -> None:
    rng = np.random.default_rng(3)
    size = np.exp(rng.normal(0, 0.8, (20, 2))) * 30
    assert squeeze(np.concatenate([np.zeros((20, 2)), size], 1).astype(np.float32)) == 1.0
    assert squeeze(row_boxes(4, 0.0) * np.array([0.3, 1, 0.3, 1], np.float32)) == 1.0
