"""Photos painted over with backs: the boxes stay, what they show changes."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from hupai.datasets.real.labels import classes_text
from hupai.models.training.detector import painted
from hupai.models.training.detector.painted import painted_photos

PLACES = ((0.3, 0.4, 0.1, 0.14), (0.4, 0.4, 0.1, 0.14), (0.5, 0.4, 0.1, 0.14))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A photo of three white tiles on green cloth, and one whose tile lies askew."""
    folder = tmp_path / "train"
    (folder / "images").mkdir(parents=True)
    (folder / "labels").mkdir()
    (folder / "classes.txt").write_text(classes_text())
    for name, places in (("row", PLACES), ("askew", ((0.5, 0.5, 0.2, 0.2),))):
        image = np.full((400, 400, 3), (60, 110, 30), np.uint8)
        for x, y, w, h in places:
            low = (round((x - w / 2) * 400), round((y - h / 2) * 400))
            high = (round((x + w / 2) * 400) - 2, round((y + h / 2) * 400) - 2)
            cv2.rectangle(image, low, high, (235, 240, 240), -1)
        cv2.imwrite(str(folder / "images" / f"{name}.jpg"), image)
        lines = "".join("3 " + " ".join(map(str, place)) + "\n" for place in places)
        (folder / "labels" / f"{name}.txt").write_text(lines)
    return folder


def test_every_tile_becomes_a_back_in_its_place(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(painted, "ALL", 1.1)
    out = tmp_path / "out"
    assert painted_photos(folder, out) == 1, "the tile that lies askew is left out"
    labels = np.loadtxt(out / "labels" / "train_row_painted-8.txt").reshape(-1, 5)
    assert labels[:, 0].tolist() == [1.0, 1.0, 1.0]
    picture = cv2.imread(str(out / "images" / "train_row_painted-8.jpg"))
    assert picture is not None
    height, width = picture.shape[:2]
    x, y, w, h = labels[0, 1:] * (width, height, width, height)
    assert 0.8 * 40 * 56 < w * h < 3 * 40 * 56, "as large as before, or a little turned"
    inside = picture[int(y - h / 4) : int(y + h / 4), int(x - w / 4) : int(x + w / 4)]
    assert np.abs(inside.mean((0, 1)) - (235, 240, 240)).max() > 20, "it is white no more"


def test_without_photos_nothing_is_written(tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    (tmp_path / "labels").mkdir()
    (tmp_path / "classes.txt").write_text(classes_text())
    assert painted_photos(tmp_path, tmp_path / "out") == 0
