"""The later looks' pictures for the detector: labels lie on the tiles, which are of the size that
these looks show.
"""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from hupai.datasets.synthetic.picture.camera import Camera, View
from hupai.models.training.detector.later_pass_data import SPREAD, closer
from hupai.vision.detection.tile_detector import DetectorSettings

TILES = 12


def record(elevation: float, folder: Path, far: bool = False) -> None:
    """A picture of a row of red tiles on grey, `far` of them also one that belongs to nobody."""
    (folder / "images").mkdir(parents=True, exist_ok=True)
    view = View(elevation, 10.0, 0.0, 55.0, 960, 720)
    row = np.array([[1.05 * i, 0.0] for i in range(TILES)] + [[6.0, 4.0]] * far)
    corners = np.array([[-0.5, 0.68], [0.5, 0.68], [0.5, -0.68], [-0.5, -0.68]])
    camera = Camera(view, np.column_stack([row, np.zeros(len(row))]), 0.7, (0.0, 0.0))
    quads = [camera.project(np.column_stack([place + corners, np.zeros(4)])) for place in row]
    image = np.full((720, 960, 3), 90, np.uint8)
    for quad in quads:
        cv2.fillConvexPoly(image, np.round(quad).astype(np.int32), (0, 0, 255))
    name = f"{int(elevation)}.jpg"
    cv2.imwrite(str(folder / "images" / name), image, [cv2.IMWRITE_JPEG_QUALITY, 100])
    rows = [
        ["3m", "?" if i == 2 else "3m", q.ravel().tolist(), 1.0, False, i < TILES, 0, None, None]
        for i, q in enumerate(quads)
    ]
    with (folder / "truth.jsonl").open("a", encoding="utf-8") as truth:
        truth.write(
            json.dumps(
                {"image": name, "width": 960, "height": 720, "layout": "hand", "tiles": rows}
            )
            + "\n"
        )


def written(out: Path, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Red parts of a picture, classes and boxes in pixels."""
    image = cv2.imread(str(out / "images" / f"{name}.jpg"))
    assert image is not None
    labels = np.loadtxt(out / "labels" / f"{name}.txt", ndmin=2)
    centre, size = labels[:, 1:3] * image.shape[1::-1], labels[:, 3:] * image.shape[1::-1]
    red = (image[..., 2].astype(int) - image[..., 1]) > 100
    return red, labels[:, 0], np.concatenate([centre - size / 2, centre + size / 2], 1)


@pytest.mark.parametrize(("elevation", "as_taken"), [(85.0, 1.0), (40.0, 0.0), (40.0, 1.0)])
def test_labels_lie_on_the_tiles(elevation: float, as_taken: float, tmp_path: Path) -> None:
    record(elevation, tmp_path / "scenes")
    assert closer(tmp_path / "scenes", tmp_path / "out", as_taken) == 1
    red, classes, boxes = written(tmp_path / "out", f"closer_scenes_{int(elevation)}")
    assert red.shape == (DetectorSettings().size,) * 2
    assert 8 <= len(boxes) <= TILES
    assert 1.0 in classes
    inside = np.zeros_like(red)
    for low_x, low_y, high_x, high_y in np.round(boxes).astype(int):
        inside[max(low_y - 2, 0) : high_y + 2, max(low_x - 2, 0) : high_x + 2] = True
        assert red[low_y:high_y, low_x:high_x].mean() > (0.5 if as_taken else 0.9)
    assert not (red & ~inside)[20:-20, 20:-20].any()
    ideal, sides = DetectorSettings().ideal, (boxes[:, 2:] - boxes[:, :2]).min(1)
    assert ideal * np.exp(-SPREAD) * 0.9 < np.median(sides) < ideal * np.exp(SPREAD) * 1.1


def test_from_above_all_tiles_are_of_one_size(tmp_path: Path) -> None:
    record(30.0, tmp_path / "scenes", far=True)
    assert closer(tmp_path / "scenes", tmp_path / "out", 0.0) == 1
    _, _, boxes = written(tmp_path / "out", "closer_scenes_30")
    whole = boxes[(boxes > 3).all(1) & (boxes < DetectorSettings().size - 3).all(1)]
    assert len(whole) >= 8
    sides = whole[:, 2:] - whole[:, :2]
    assert (np.ptp(sides, axis=0) < 0.15 * sides.mean(0)).all()


def test_scenes_without_a_hand_are_left_out(tmp_path: Path) -> None:
    record(60.0, tmp_path / "scenes")
    truth = tmp_path / "scenes" / "truth.jsonl"
    one = json.loads(truth.read_text("utf-8"))
    for tile in one["tiles"]:
        tile[5] = False
    truth.write_text(json.dumps(one) + "\n", "utf-8")
    assert closer(tmp_path / "scenes", tmp_path / "out") == 0
    assert not (tmp_path / "out").exists()
