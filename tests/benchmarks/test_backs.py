"""The benchmark of backs draws a sheet of its first pictures."""

from __future__ import annotations

import sys
from pathlib import Path

import cv2
import pytest

from benchmarks import backs
from hupai.models import registry
from hupai.vision.types import Detections, Image


class Blind:
    """A detector that finds nothing."""

    def detect(self, _: Image) -> Detections:
        return Detections.empty()


@pytest.mark.parametrize(
    ("scenes", "size"), [(1, (480, 360)), pytest.param(5, (1920, 720), marks=pytest.mark.nightly)]
)
def test_the_sheet_shows_every_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scenes: int, size: tuple[int, int]
) -> None:
    monkeypatch.setattr(registry, "load", lambda _: Blind())
    out = tmp_path / "sheet.png"
    monkeypatch.setattr(sys, "argv", ["backs", "--scenes", str(scenes), "--look", str(out)])
    backs.main()
    drawn = cv2.imread(str(out))
    assert drawn is not None
    assert drawn.shape == (size[1], size[0], 3)
