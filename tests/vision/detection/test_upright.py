"""Crops turned upright by a tile's axis, and the second opinion on them."""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest

from hupai.scoring.tiles import Tile
from hupai.vision.detection.crops import VIEW
from hupai.vision.detection.picture import Picture
from hupai.vision.detection.tile_classifier import CLASSES, Outputs, TileClassifier
from hupai.vision.detection.upright import (
    ASPECT,
    UprightClassifier,
    upright_places,
    upright_squares,
)
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


def test_a_foreshortened_tile_is_cut_in_its_own_shape() -> None:
    image, box, _ = tile_at(30)
    squeeze = np.array([[1, 0, 0], [0.2, 0.5, 20], [0, 0, 1]])
    seen = cv2.warpPerspective(image, squeeze, (200, 200), borderValue=(90, 90, 90)).astype(
        np.uint8
    )
    turn = math.radians(30)
    down = np.array([-math.sin(turn), math.cos(turn)]) * HEIGHT / 2
    right = np.array([math.cos(turn), math.sin(turn)]) * HEIGHT * ASPECT / 2
    axes = np.array([[down, -right]]) @ squeeze[:2, :2].T
    middle, half = (squeeze @ [100, 100, 1])[:2], np.abs(axes[0]).sum(0)
    box = np.concatenate([middle - half, middle + half])[None]
    crop = Picture.of(seen).straightened(upright_places(box, axes, (200, 200)), (64, 64))[0]
    upright = Picture.of(tile_at(0)[0]).straightened(
        upright_squares(tile_at(0)[1], np.array([math.pi / 2])), (64, 64)
    )[0]
    off = [np.abs(crop.astype(int) - np.rot90(upright, k)).mean() for k in (0, 2)]
    assert min(off) < 14 < 50 < max(off), "upright or upside down, and not mirrored"


def test_a_tile_cut_by_the_edge_is_not_stretched_to_a_whole_one() -> None:
    box = np.array([[0.0, 50, 30, 130]])
    axes = np.array([[[0.0, 40], [15, 0]]])
    inside = box + np.array([50, 0, 50, 0])
    cut, whole = (upright_places(one, axes, (200, 200)) for one in (box, inside))
    assert cut == pytest.approx(upright_squares(box, np.array([math.pi / 2])))
    assert np.ptp(whole[0, :, 0]) < 0.6 * np.ptp(cut[0, :, 0])


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
        return Outputs(logits, axes, np.zeros((len(crops), 0), np.float32))


class Certain(UprightClassifier):
    """Names every tile 3m, and counts the crops that it was given."""

    def __init__(self) -> None:
        self.crops = 0

    def logits(self, crops: FloatArray) -> FloatArray:
        assert len(crops), "asked only about tiles"
        self.crops += len(crops)
        found = np.full((len(crops) // 2, CLASSES + 1), -20, np.float32)
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
    assert second.crops == (2 if named is Tile.M3 else 0), "upright and upside down"


def test_a_direction_from_the_detector_serves_where_the_face_tells_none() -> None:
    image, box, _ = tile_at(0)
    classifier = Unsure(0.6, 0.1)
    classifier.upright = Certain()
    axes = np.array([[[0, HEIGHT / 2], [HEIGHT * ASPECT / 2, 0]]], np.float32)
    logits = classifier.classify(Picture.of(image), box, half_axes=axes).logits
    assert logits[0].argmax() == Tile.M3
