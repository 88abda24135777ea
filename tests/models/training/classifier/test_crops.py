from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from hupai.models.training.classifier.crops import NONE, PATCH, cut_outline, from_scenes
from hupai.scoring.tiles import Tile
from hupai.vision.detection.picture import FILL


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """One picture: a tile that stands, one that lies on its side, and one behind the camera, of
    which nothing is to be seen.
    """
    (tmp_path / "images").mkdir()
    cv2.imwrite(str(tmp_path / "images" / "0.jpg"), np.full((400, 400, 3), 90, np.uint8))
    standing = [100.0, 100.0, 140.0, 100.0, 140.0, 156.0, 100.0, 156.0]
    lying = [256.0, 200.0, 256.0, 240.0, 200.0, 240.0, 200.0, 200.0]
    behind = [v * 1e4 for v in standing]
    rows = [
        [face, face, quad, visible, False, False, None, None, None]
        for face, quad, visible in (("3m", standing, 1.0), ("E", lying, 1.0), ("9p", behind, 0.0))
    ]
    record = {"image": "0.jpg", "width": 400, "height": 400, "layout": "row", "tiles": rows}
    (tmp_path / "truth.jsonl").write_text(json.dumps(record) + "\n", "utf-8")
    return tmp_path


def test_what_is_behind_the_camera_gives_no_patch(folder: Path) -> None:
    patches, classes, axes, red = from_scenes(folder, longest=(400, 401)).arrays()
    assert np.isnan(red).all()
    assert patches.shape[1:] == (PATCH, PATCH, 3)
    assert [int(c) for c in classes if c != NONE] == [Tile.M3, Tile.EAST]
    assert axes[:2] == pytest.approx([np.pi / 2, 0], abs=1e-6)
    assert (classes == NONE).sum() == 2
    assert np.isnan(axes[classes == NONE]).all()


def test_places_in_and_beside_a_row_show_a_tile_or_none(tmp_path: Path) -> None:
    """A row of five tiles: moved by half a tile a box shows none, by a whole one the neighbour or,
    at the ends, the table.
    """
    (tmp_path / "images").mkdir()
    picture = np.full((400, 400, 3), 90, np.uint8)
    quads = [
        [x, 100.0, x + 40, 100.0, x + 40, 156.0, x, 156.0]
        for x in (100.0, 140.0, 180.0, 220.0, 260.0)
    ]
    cv2.imwrite(str(tmp_path / "images" / "0.jpg"), picture)
    codes = ["1m", "2m", "3m", "4m", "?"]
    rows = [
        [code, code, quad, 1.0, False, False, None, None, None]
        for code, quad in zip(codes, quads, strict=True)
    ]
    (tmp_path / "truth.jsonl").write_text(
        json.dumps({"image": "0.jpg", "width": 400, "height": 400, "layout": "row", "tiles": rows})
        + "\n",
        "utf-8",
    )
    _, classes, axes, _ = from_scenes(
        tmp_path, longest=(400, 401), keep_backs=1.0, gaps=60
    ).arrays()
    places = classes[len(codes) + 2 :]
    assert len(places) > 40
    assert set(places.tolist()) <= {NONE, *(int(Tile.from_code(code)) for code in codes)}
    assert 0.3 < (places == NONE).mean() < 0.95
    assert np.isnan(axes[len(codes) + 2 :]).tolist() == (places == NONE).tolist()
    assert (
        len(from_scenes(tmp_path, longest=(400, 401), keep_backs=0.0).classes) == len(codes) - 1 + 2
    )


def test_a_tile_is_cut_upright_by_its_outline() -> None:
    """A tile whose left half is red and right half blue, turned by 30 degrees."""
    turn = np.radians(30)
    right = np.array([np.cos(turn), np.sin(turn)])
    down = np.array([-np.sin(turn), np.cos(turn)])
    corners = [(-30, -40), (30, -40), (30, 40), (-30, 40)]
    quad = np.array([150 + x * right + y * down for x, y in corners], np.float32)
    image = np.full((300, 300, 3), 90, np.uint8)
    middle = [(quad[0] + quad[1]) / 2, (quad[2] + quad[3]) / 2]
    left = np.array([quad[0], middle[0], middle[1], quad[3]])
    other = np.array([middle[0], quad[1], quad[2], middle[1]])
    cv2.fillConvexPoly(image, left.round().astype(np.int32), (200, 0, 0))
    cv2.fillConvexPoly(image, other.round().astype(np.int32), (0, 0, 200))
    crop = cut_outline(image, quad, 64)
    assert crop.shape == (64, 64, 3)
    assert crop[32, 16, 0] > 180
    assert crop[32, 48, 2] > 180
    assert crop[32, 2].tolist() == [90, 90, 90]


def test_an_outline_outside_of_the_photo_gives_a_grey_crop() -> None:
    quad = np.array([[500, 500], [540, 500], [540, 556], [500, 556]], np.float32)
    image = np.zeros((100, 100, 3), np.uint8)
    assert (cut_outline(image, quad, 32) == FILL).all()
    large = np.array([[10, 10], [910, 10], [910, 1210], [10, 1210]], np.float32)
    assert cut_outline(np.full((1300, 1000, 3), 7, np.uint8), large, 32)[16, 16].tolist() == [
        7,
        7,
        7,
    ]
