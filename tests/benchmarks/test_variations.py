"""Disturbed photos: what is counted where photos have a hand but no boxes."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import cv2
import numpy as np

from benchmarks.recognition import report, variations
from hupai.models.evaluation.labelled_folder import LabelledPhoto
from hupai.scoring.tiles import Tile
from hupai.vision.types import ModelInfo, PhotoInfo, PhotoReading, Reading


class Blind:
    """A reader that sees nothing."""

    def read_photo(self, data: bytes, name: str = "") -> PhotoReading:
        return PhotoReading(PhotoInfo(name, "", 8, 8), ModelInfo("test", "0", ""), Reading())


def test_photos_without_boxes_are_counted_by_their_hands(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "a.png"), np.zeros((8, 8, 3), np.uint8))
    boxes = np.zeros((0, 4), np.float32)
    photo = LabelledPhoto(tmp_path / "a.png", "felt", (), boxes, hand=(Tile.M1,), boxed=False)
    measure: Callable[..., variations.Outcome] = variations.measure
    outcome = measure(Blind(), [photo], "turned", 15)
    assert (outcome.hands, outcome.exact, outcome.tiles, outcome.pixels) == (1, 0, 0, 0.0)
    json.dumps(asdict(outcome), allow_nan=False)
    result = {
        "model": asdict(ModelInfo("test", "0", "0" * 64)),
        "folders": {},
        "changes": [asdict(outcome)],
    }
    assert "| turned 15 | – | 0/1 | – | – | 0 | 0 |" in report.markdown(result)
