"""Detections on a view are mapped back to the photo."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from hupai.vision.detection.views import View
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
