"""Which of two looks at a photo the detector believes; the looks themselves are given."""

from __future__ import annotations

import numpy as np
import pytest

from vision import two_stage
from vision.two_stage import DetectorSettings, TwoStageDetector
from vision.types import Detections, FloatArray, Image

WIDE, HIGH = 400, 300


def row(width: float, height: float, count: int = 8) -> FloatArray:
    """Boxes side by side around the middle of the photo."""
    x = 200 + 30 * (np.arange(count) - (count - 1) / 2)
    return np.stack([x - width / 2, np.full(count, 150 - height / 2), x + width / 2, np.full(count, 150 + height / 2)], 1).astype(
        np.float32
    )


class Looks(TwoStageDetector):
    """Sees what it is told to see: the first boxes on the photo, the second on any other picture."""

    def __init__(self, first: FloatArray, second: FloatArray) -> None:
        self._settings = DetectorSettings()
        self.first, self.second = first, second
        self.named: list[tuple[int, ...]] = []

    def find(self, image: Image) -> tuple[FloatArray, FloatArray, FloatArray]:
        boxes = self.first if image.shape == (HIGH, WIDE, 3) else self.second
        return boxes, np.full(len(boxes), 0.9, np.float32), np.zeros(len(boxes), np.float32)

    def name(self, image: Image, boxes: FloatArray, scores: FloatArray, backs: FloatArray) -> Detections:
        self.named.append(image.shape)
        return Detections(boxes, scores, np.full((len(boxes), 43), 1 / 43, np.float32), np.full(len(boxes), np.pi / 2, np.float32))


@pytest.fixture(autouse=True)
def askew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows seem to run at 0.3 radians, whatever the boxes say."""
    monkeypatch.setattr(two_stage, "skew", lambda boxes: 0.3)


def photo() -> Image:
    return np.zeros((HIGH, WIDE, 3), np.uint8)


def test_a_turn_that_makes_boxes_tighter_is_taken() -> None:
    looks = Looks(row(34, 44), row(26, 36))
    found = looks.detect(photo())
    assert looks.named != [(HIGH, WIDE, 3)], "tiles are named on the turned picture"
    assert found.axes == pytest.approx(np.full(8, (np.pi / 2 + 0.3) % np.pi), abs=1e-3)


def test_a_turn_that_makes_boxes_looser_was_none() -> None:
    looks = Looks(row(26, 36), row(34, 44))
    found = looks.detect(photo())
    assert looks.named == [(HIGH, WIDE, 3)]
    np.testing.assert_array_equal(found.boxes, row(26, 36))
    assert found.axes == pytest.approx(np.full(8, np.pi / 2))


def test_a_turn_that_loses_tiles_is_not_taken() -> None:
    looks = Looks(row(34, 44), row(26, 36, 5))
    looks.detect(photo())
    assert looks.named == [(HIGH, WIDE, 3)]


def test_a_squeezed_photo_that_was_not_turned_after_all_is_still_widened() -> None:
    looks = Looks(row(20, 60), row(30, 62))
    looks.detect(photo())
    (shape,) = looks.named
    assert shape[0] == HIGH
    assert shape[1] > 1.5 * WIDE
