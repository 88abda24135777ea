"""Places for the plain-tile network: which are kept, and as what."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from hupai.datasets.real.patches import Places as Marks
from hupai.datasets.synthetic.truth import TruthTile
from hupai.models.evaluation.labelled_folder import LabelledPhoto
from hupai.models.training.classifier.scene_views import SceneView
from hupai.models.training.plain_tiles.places import SIDE, Places, add_from, add_marked, kind_of
from hupai.scoring.tiles import Tile
from hupai.vision.detection.picture import Picture
from hupai.vision.detection.plain_tiles.classifier import BACK, BLANK, FACE, NOTHING
from hupai.vision.detection.tile_classifier import CLASSES, Classified, TileClassifier
from hupai.vision.detection.tile_detector import BoxDetections, DetectorNetwork
from hupai.vision.types import FloatArray

SHOWN = ("1m", "P", "?")


class GivenBoxes(DetectorNetwork):
    """Finds the same boxes on every picture."""

    def __init__(self, *boxes: tuple[float, float, float, float]) -> None:
        self.boxes = np.array(boxes, np.float32)

    def find(self, picture: Picture, width: float | None = None) -> BoxDetections:
        count = len(self.boxes)
        return BoxDetections(self.boxes, np.ones(count, np.float32), np.zeros(count, np.float32))


def view() -> SceneView:
    """Three tiles of 30 by 40 pixels: a face, a blank white dragon and a back."""
    image = np.full((200, 300, 3), (20, 90, 50), np.uint8)
    tiles, quads = [], []
    for k, code in enumerate(SHOWN):
        x, y = 40.0 + 80 * k, 60.0
        quads.append([(x, y), (x + 30, y), (x + 30, y + 40), (x, y + 40)])
        outline = [value for corner in quads[-1] for value in corner]
        tiles.append(TruthTile(code, code, outline, 1.0))
    return SceneView(image, tuple(tiles), np.array(quads))


def test_the_kind_follows_from_the_visible_side() -> None:
    assert [kind_of(code) for code in SHOWN] == [FACE, BLANK, BACK]


def test_found_missed_and_empty_places_are_kept_with_their_kinds(tmp_path: Path) -> None:
    detector = GivenBoxes((40, 60, 70, 100), (200, 60, 230, 100), (100, 140, 130, 180))
    places = Places()
    add_from(view(), detector, np.random.default_rng(0), places)
    assert sorted(places.kinds) == sorted([FACE, BACK, NOTHING, BLANK]), "the missed P as well"
    places.save(tmp_path / "places.npz")
    stored = np.load(tmp_path / "places.npz")
    assert stored["views"].shape == (4, SIDE, SIDE, 6)
    assert stored["kinds"].tolist() == places.kinds
    assert set(stored["pictures"]) == {1}


class KnowsNoTile(TileClassifier):
    """Finds no tile left of a line, and a face right of it."""

    def __init__(self, line: float) -> None:
        self.line = line

    def classify(
        self,
        picture: Picture,
        boxes: FloatArray,
        again: bool = True,
        half_axes: FloatArray | None = None,
        sure_tiles: NDArray[np.bool_] | None = None,
    ) -> Classified:
        logits = np.zeros((len(boxes), CLASSES + 1), np.float32)
        empty = boxes[:, 2] <= self.line
        logits[empty, -1], logits[~empty, 0] = 9.0, 9.0
        return Classified(logits, np.zeros((len(boxes), 2), np.float32))


def test_marked_places_of_a_photo_and_the_ground_beside_its_tiles_are_kept(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "photo.png"), np.full((200, 400, 3), (50, 90, 20), np.uint8))
    tiles = (Tile.from_code("1m"), Tile.from_code("2m"))
    boxes = np.array([[0.25, 0.4, 0.32, 0.6], [0.33, 0.4, 0.40, 0.6]], np.float32)
    photo = LabelledPhoto(tmp_path / "photo.png", "table", tiles, boxes)
    marks = Marks(clutter=((0.9, 0.1, 0.96, 0.2),), backs=((0.8, 0.7, 0.87, 0.9),))
    rng = np.random.default_rng(3)

    def kinds(line: float) -> list[int]:
        places = Places()
        for _ in range(12):
            add_marked(photo, marks, KnowsNoTile(line), rng, places)
        return [places.kinds.count(kind) for kind in range(4)]

    nothing = kinds(0)
    assert nothing == [0, 0, 12, 12], "no ground where the classifier sees a face"
    with_ground = kinds(400)
    assert with_ground[BACK] == 12
    assert with_ground[NOTHING] > 12 + 12, "beside, above or below each tile, but not on the other"
    assert with_ground[FACE] == 0


def test_boxes_that_are_too_small_are_left_out() -> None:
    places = Places()
    places.add(view().image, np.array([10.0, 10.0, 16.0, 18.0]), FACE)
    assert places.views == []
