"""Places for the plain-tile network: which are kept, and as what."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from hupai.datasets.synthetic.truth import TruthTile
from hupai.models.training.classifier.scene_views import SceneView
from hupai.models.training.plain_tiles.places import SIDE, Places, add_from, kind_of
from hupai.vision.detection.picture import Picture
from hupai.vision.detection.plain_tiles.classifier import BACK, BLANK, FACE, NOTHING
from hupai.vision.detection.tile_detector import BoxDetections, DetectorNetwork

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


def test_boxes_that_are_too_small_are_left_out() -> None:
    places = Places()
    places.add(view().image, np.array([10.0, 10.0, 16.0, 18.0]), FACE)
    assert places.views == []
