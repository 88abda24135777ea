from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from hupai.datasets.synthetic.truth import TruthTile
from hupai.models.training.classifier import hard_negatives
from hupai.models.training.classifier.crops import NONE, PATCH, Patches
from hupai.models.training.classifier.hard_negatives import add_from, labelled
from hupai.models.training.classifier.scene_views import SceneView
from hupai.scoring.tiles import Tile
from hupai.vision.detection.picture import Picture
from hupai.vision.detection.tile_detector import BoxDetections, DetectorNetwork

QUADS = np.array(
    [[[x, 100.0], [x + 30, 100.0], [x + 30, 140.0], [x, 140.0]] for x in (100.0, 131.0, 162.0)]
)
TILES = (
    TruthTile("3m", "3m", [], 1.0),
    TruthTile("E", "?", [], 0.9),
    TruthTile("9p", "9p", [], 0.2),
)
IMAGE = np.full((400, 500, 3), 90, np.uint8)


def patches_of(
    network: object, tiles: tuple[TruthTile, ...], quads: np.ndarray, seed: int = 0
) -> Patches:
    found = Patches()
    add_from(SceneView(IMAGE, tiles, quads), network, np.random.default_rng(seed), found)  # type: ignore[arg-type]
    return found


def at(x: float, y: float, width: float = 32, height: float = 42) -> list[float]:
    return [x - width / 2, y - height / 2, x + width / 2, y + height / 2]


BOXES = np.array(
    [
        at(116, 121),  # 3m
        at(144, 118),  # the tile that lies face down
        at(177, 120),  # 9p, most of it hidden
        at(131, 120),  # between two tiles
        at(126, 120),  # near the middle of none and not far enough off either
        at(116, 165),  # below a tile, as its side is
        at(116, 120, 70, 90),  # around more than one
        at(400, 300),  # far from all
    ],
    np.float32,
)


def test_boxes_are_named_by_the_tile_in_whose_middle_they_lie() -> None:
    shown, sure = labelled(BOXES, QUADS, np.array([True, True, False]))
    assert {int(k): int(shown[k]) for k in sure} == {0: 0, 1: 1, 3: -1, 5: -1, 7: -1}


def test_on_an_empty_table_every_box_shows_none() -> None:
    shown, sure = labelled(BOXES, QUADS[:0], np.zeros(0, bool))
    assert (shown == -1).all()
    assert sure.tolist() == list(range(len(BOXES)))


class _Finder:
    """Finds all boxes, with a low score from the fifth on."""

    def find(self, _picture: Picture) -> BoxDetections:
        count = len(BOXES)
        scores = np.where(np.arange(count) < 4, 1, 0.3).astype(np.float32)
        return BoxDetections(BOXES, scores, np.zeros(count, np.float32))


def test_boxes_of_low_scores_give_patches_too() -> None:
    found = patches_of(_Finder(), TILES, QUADS)
    assert sorted(found.classes) == sorted([int(Tile.M3), int(Tile.BACK), NONE, NONE, NONE])
    assert {patch.shape for patch in found.patches} == {(PATCH, PATCH, 3)}
    assert np.isnan(found.axes).tolist() == [c == NONE for c in found.classes]


def test_tiles_without_a_box_are_kept() -> None:
    missed, moved = QUADS[1] + (200, 100), QUADS[0] + (200, 100)
    tiles = (*TILES, TruthTile("5s", "5s", [], 1.0), TruthTile("C", "C", [], 0.1))
    found = patches_of(_Finder(), tiles, np.stack([*QUADS, missed, moved]))
    assert sorted(found.classes) == sorted(
        [int(Tile.M3), int(Tile.BACK), int(Tile.S5), NONE, NONE, NONE]
    )
    assert np.isnan(found.axes).tolist() == [c == NONE for c in found.classes]


def test_easily_missed_tiles_are_kept_among_many() -> None:
    boxes = np.array([at(40 + 34 * k, 120) for k in range(12)], np.float32)
    quads = boxes.astype(float)[:, [[0, 1], [2, 1], [2, 3], [0, 3]]]
    tiles = tuple(TruthTile(code, code, [], 1.0) for code in ["1m"] * 10 + ["P", "?"])

    class Clear:
        def find(self, _picture: Picture) -> BoxDetections:
            return BoxDetections(boxes, np.ones(12, np.float32), np.zeros(12, np.float32))

    for seed in range(5):
        classes = patches_of(Clear(), tiles, quads, seed).classes
        assert {int(Tile.WHITE), int(Tile.BACK), int(Tile.M1)} == set(classes)


def test_a_folder_of_scenes_becomes_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "images").mkdir()
    cv2.imwrite(str(tmp_path / "images" / "0.jpg"), np.full((400, 500, 3), 90, np.uint8))
    rows = [t._replace(outline=q.ravel().tolist()) for t, q in zip(TILES, QUADS, strict=True)]
    record = {"image": "0.jpg", "width": 500, "height": 400, "layout": "row", "tiles": rows}
    (tmp_path / "truth.jsonl").write_text(json.dumps(record) + "\n", "utf-8")
    monkeypatch.setattr(DetectorNetwork, "find", _Finder.find)
    monkeypatch.setattr(
        "sys.argv", ["hard_negatives", str(tmp_path / "out.npz"), "--scenes", str(tmp_path)]
    )
    hard_negatives.main()
    kept = np.load(tmp_path / "out.npz")
    assert len(kept["patches"]) == len(kept["classes"]) == len(kept["axes"]) == 5
