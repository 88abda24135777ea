"""Labels for the detector: boxes move with the picture, and pieces without a tile hold none."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from hupai.datasets.real import patches
from hupai.datasets.real.labels import classes_text
from hupai.datasets.real.patches import Places
from hupai.models.training.detector import data
from hupai.models.training.detector.data import clutter, real_photos
from hupai.scoring.tiles import Tile

SIZE = 200
TILE = (0.5, 0.5, 0.1, 0.2)
"""Centre and size of the only labelled tile, a red one."""
UNLABELLED = (0.75, 0.1, 0.9, 0.3)
"""Corners of a green one without a label."""
SOCK = (0.1, 0.1, 0.2, 0.2)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A labelled photo with two tiles, one of them without a label, on a grey ground."""
    folder = tmp_path / "train"
    (folder / "images").mkdir(parents=True)
    (folder / "labels").mkdir()
    image = np.full((SIZE, SIZE, 3), 90, np.uint8)
    image[80:120, 90:110] = (0, 0, 255)
    image[20:60, 150:180] = (0, 255, 0)
    cv2.imwrite(str(folder / "images" / "a.jpg"), image, [cv2.IMWRITE_JPEG_QUALITY, 100])
    (folder / "labels" / "a.txt").write_text("3 " + " ".join(map(str, TILE)) + "\n")
    (folder / "classes.txt").write_text(classes_text())
    (folder / "hands.jsonl").write_text(json.dumps({"photo": "b", "tiles": []}) + "\n")
    return folder


def boxes(out: Path, name: str) -> np.ndarray:
    """Labels of a written picture."""
    lines = (out / "labels" / f"{name}.txt").read_text().split()
    return np.array(lines, float).reshape(-1, 5)


def test_pieces_without_a_tile_hold_none(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert patches.clutter_places("train"), "the file is there"
    monkeypatch.setattr(
        data,
        "clutter_places",
        lambda _: {"a": Places(clutter=(SOCK,), unlabelled_tiles=(UNLABELLED,))},
    )
    assert clutter("train", folder, tmp_path / "out") == 1
    piece = cv2.imread(str(tmp_path / "out" / "images" / "clutter_a_0.jpg"))
    assert piece is not None
    assert min(piece.shape[:2]) >= 20, "all of the sock"
    assert np.ptp(piece.reshape(-1, 3).max(0)) < 30, "neither red nor green"
    assert len(boxes(tmp_path / "out", "clutter_a_0")) == 0


def test_a_place_among_tiles_is_left_out(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    among = Places(clutter=((0.5, 0.45, 0.6, 0.55),))
    monkeypatch.setattr(data, "clutter_places", lambda _: {"a": among})
    assert clutter("train", folder, tmp_path / "out") == 0


@pytest.mark.parametrize("variant", ["", "_turned", "_stretched"])
def test_labels_follow_the_picture(folder: Path, tmp_path: Path, variant: str) -> None:
    out = tmp_path / "out"
    assert real_photos(folder, out) == 1
    image = cv2.imread(str(out / "images" / f"train_a{variant}.jpg"))
    assert image is not None
    ((_, x, y, w, h),) = boxes(out, f"train_a{variant}")
    height, width = image.shape[:2]
    red = (image[..., 2].astype(int) - image[..., 1] > 100).nonzero()
    assert (red[1].min() / width, red[1].max() / width) == pytest.approx(
        (x - w / 2, x + w / 2), abs=0.06
    )
    assert (red[0].min() / height, red[0].max() / height) == pytest.approx(
        (y - h / 2, y + h / 2), abs=0.06
    )


def test_a_labelled_back_is_a_back(folder: Path, tmp_path: Path) -> None:
    (folder / "labels" / "a.txt").write_text(f"{int(Tile.BACK)} " + " ".join(map(str, TILE)) + "\n")
    assert real_photos(folder, tmp_path / "out") == 1
    assert boxes(tmp_path / "out", "train_a")[0, 0] == 1
