"""Networks that answer what a test says."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from hupai.scoring.tiles import Tile
from hupai.vision.detection.picture import Picture
from hupai.vision.detection.plain_tiles.classifier import PlainTileClassifier
from hupai.vision.detection.tile_classifier import CLASSES, Outputs, TileClassifier
from hupai.vision.detection.tile_detector import BoxDetections, DetectorNetwork, DetectorSettings
from hupai.vision.types import FloatArray, ModelInfo

INFO = ModelInfo("given", "1", "0" * 64)
SETTINGS = DetectorSettings()


class GivenBoxes(DetectorNetwork):
    """Finds the boxes that a function names for a picture, in one pass, with a score of 0.9, as
    backs with a given share.
    """

    def __init__(self, boxes: Callable[[Picture], FloatArray], back: float = 0.0) -> None:
        self.boxes, self.back = boxes, back

    def coarse(self, picture: Picture) -> BoxDetections:
        return self.find(picture)

    def passes(
        self, picture: Picture, coarse: BoxDetections
    ) -> Iterator[tuple[BoxDetections, bool]]:
        yield coarse, True

    def find(self, picture: Picture, width: float | None = None) -> BoxDetections:
        boxes = self.boxes(picture)
        scores = np.full(len(boxes), 0.9, np.float32)
        return BoxDetections(boxes, scores, np.full(len(boxes), self.back, np.float32))


class Backs(TileClassifier):
    """Takes every crop for a back with this probability, else for no tile.

    Instead of backs it may see another tile, and give a white dragon some share.
    """

    def __init__(self, back: float = 1.0, shown: Tile = Tile.BACK, white: float = 0.0) -> None:
        self._settings, self._means = SETTINGS, None
        self._correction = self._recognise = None
        self.back, self.shown, self.white = back, shown, white

    def run(self, crops: FloatArray) -> Outputs:
        logits = np.full((len(crops), CLASSES + 1), -20, np.float32)
        logits[:, self.shown] = np.log(self.back)
        logits[:, Tile.WHITE] = np.log(self.white + 1e-9)
        logits[:, CLASSES] = np.log(1 - self.back - self.white + 1e-9)
        axes = np.ones((len(crops), 2), np.float32)
        return Outputs(logits, axes, np.zeros((len(crops), 0), np.float32))


class GivenKinds(PlainTileClassifier):
    """Gives every place this kind with this probability, and counts the places."""

    def __init__(self, kind: int, share: float = 0.97) -> None:
        self.kind, self.share, self.places = kind, share, 0

    def kinds(self, picture: Picture, boxes: FloatArray) -> FloatArray:
        self.places += len(boxes)
        found = np.full((len(boxes), 4), (1 - self.share) / 3, np.float32)
        found[:, self.kind] = self.share
        return found
