"""Crops turned upright by a tile's axis, and the second opinion on them."""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from hupai.scoring.tiles import Tile
from hupai.vision.detection.crops import VIEW
from hupai.vision.detection.picture import Picture
from hupai.vision.detection.tile_classifier import CLASSES, Outputs, TileClassifier
from hupai.vision.detection.upright import ASPECT, UprightClassifier, upright_squares
from hupai.vision.types import FloatArray, Image
from tests.vision.detection.networks import SETTINGS

HEIGHT = 80.0


def tile_at(degrees: float) -> tuple[Image, FloatArray, float]:
    """A white tile with a black mark in its upper half: the picture, its box, and its axis."""
    turn = math.radians(degrees)
    right = np.array([math.cos(turn), math.sin(turn)]) * HEIGHT * ASPECT / 2
    down = np.array([-math.sin(turn), math.cos(turn)]) * HEIGHT / 2
    corners = np.array([-right - down, right - down, right + down, down - right]) + 100
    mark = np.array([-right / 2 - down * 0.8, right / 2 - down * 0.8, right / 2, -right / 2]) + 100
    image = np.full((200, 200, 3), 90, np.uint8)
    cv2.fillPoly(image, [corners.round().astype(int)], (250, 250, 250))
    cv2.fillPoly(image, [mark.round().astype(int)], (0, 0, 0))
    box = np.array([[*corners.min(0), *corners.max(0)]], np.float32)
    return image, box, math.atan2(-down[1], -down[0]) % math.pi


@pytest.mark.parametrize("degrees", range(-90, 91, 15))
def test_a_tile_is_cut_upright_and_as_large_however_it_lies(degrees: int) -> None:
    image, box, axis = tile_at(degrees)
    square = upright_squares(box, np.array([axis]))
    sides = np.hypot(*(square[0] - np.roll(square[0], 1, axis=0)).T)
    assert sides == pytest.approx([HEIGHT * VIEW] * 4, rel=1e-3)
    crop = Picture.of(image).straightened(square, (64, 64))[0][..., 0]
    upright = Picture.of(tile_at(0)[0]).straightened(
        upright_squares(tile_at(0)[1], np.array([math.pi / 2])), (64, 64)
    )[0][..., 0]
    off = [np.abs(crop.astype(int) - np.rot90(upright, k)).mean() for k in (0, 2)]
    assert min(off) < 12 < 50 < max(off), "upright or upside down, the mark in one half"


class Unsure(TileClassifier):
    """Sees 2m or 3m in every crop, the likelier one with this probability, and one axis on the
    photo, at 45 degrees, of this length.
    """

    def __init__(self, likelier: float, length: float) -> None:
        self._settings, self._means = SETTINGS, None
        self._correction = self._recognise = None
        self.likelier, self.length = likelier, length

    def run(self, crops: FloatArray) -> Outputs:
        logits = np.full((len(crops), CLASSES + 1), -20, np.float32)
        logits[:, Tile.M2], logits[:, Tile.M3] = np.log([self.likelier, 1 - self.likelier])
        axes = np.tile(np.array([0, self.length], np.float32), (len(crops), 1))
        if len(crops) == 3:  # at the further rotations; a quarter turn changes the signs
            axes[[0, 2]] *= -1
        return Outputs(logits, axes, np.zeros((len(crops), 0), np.float32))


class Certain(UprightClassifier):
    """Names every tile 3m, and keeps the axes that it was given."""

    def __init__(self) -> None:
        self.axes = np.zeros(0)

    def logits(
        self, picture: Picture, boxes: FloatArray, axes: NDArray[np.floating]
    ) -> FloatArray:
        assert len(boxes), "asked only about tiles"
        self.axes = np.asarray(axes)
        found = np.full((len(boxes), CLASSES + 1), -20, np.float32)
        found[:, Tile.M3] = 20
        return found


@pytest.mark.parametrize(
    ("likelier", "length", "named"),
    [(0.6, 1.0, Tile.M3), (0.99, 1.0, Tile.M2), (0.6, 0.1, Tile.M2)],
    ids=["doubtful", "clear", "axis not known"],
)
def test_doubtful_tiles_with_an_axis_get_a_second_opinion(
    likelier: float, length: float, named: Tile
) -> None:
    image, box, _ = tile_at(0)
    classifier = Unsure(likelier, length)
    classifier.upright = second = Certain()
    logits = classifier.classify(Picture.of(image), box).logits
    assert logits[0].argmax() == named
    assert second.axes == pytest.approx([math.pi / 4] if named is Tile.M3 else [])
