"""Patches of photos by outlines, with a detector that knows where three tiles are."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from hupai.models.training.classifier.crops import CONTEXT, PATCH, from_photos
from hupai.models.training.classifier.photo_outlines import detected_outlines
from hupai.scoring.tiles import Tile
from hupai.vision.detection.picture import Picture
from hupai.vision.detection.tile_detector import BoxDetections
from hupai.vision.detection.upright import ASPECT

SIZE = 400
TURN = np.radians(20)
ALONG = 30 * np.array([-np.sin(TURN), np.cos(TURN)])
ACROSS = ASPECT * 30 * np.array([np.cos(TURN), np.sin(TURN)])
HALF = np.abs(ALONG) + np.abs(ACROSS)
MIDDLES = np.array([(150.0, 150.0), (250.0, 180.0), (HALF[0], 300.0)])
BLUE, RED = (200, 40, 40), (40, 40, 200)
"""Colours of the tiles' right and left halves, BGR."""


class Detector:
    """Stands for the network: a tile in the open, its neighbour mirrored, one at the edge."""

    def find(self, picture: Picture) -> BoxDetections:
        boxes = np.concatenate([MIDDLES - HALF, MIDDLES + HALF], 1).astype(np.float32)
        axes = np.array([(ALONG, ACROSS), (ALONG, -ACROSS), (ALONG, ACROSS)])
        return BoxDetections(boxes, np.ones(3, np.float32), np.zeros(3, np.float32), axes)


@pytest.fixture
def photo() -> NDArray[np.uint8]:
    image = np.full((SIZE, SIZE, 3), 90, np.uint8)
    for middle in MIDDLES:
        for side, colour in ((1, BLUE), (-1, RED)):
            half = np.array([middle - ALONG, middle + ALONG, middle + ALONG, middle - ALONG])
            half[2:] += side * ACROSS
            cv2.fillPoly(image, [np.round(half).astype(np.int32)], colour)
    return image


def loose(middles: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return boxes half as large again as the tiles, and a little off, as loose labels are."""
    return np.concatenate([middles - 1.5 * HALF, middles + 1.5 * HALF], 1) + 4


def test_a_loose_label_gets_the_outline_of_its_tile(photo: NDArray[np.uint8]) -> None:
    quads = detected_outlines(photo, loose(MIDDLES), Detector())  # type: ignore[arg-type]
    assert quads.mean(1) == pytest.approx(MIDDLES, abs=1e-3)
    edges = np.diff(quads, axis=1)
    turned = edges[:, 0, 0] * edges[:, 1, 1] - edges[:, 0, 1] * edges[:, 1, 0]
    assert (turned > 0).all(), "a mirrored outline would show mirrored faces"
    assert np.linalg.norm(edges[:, 0], axis=1) == pytest.approx(
        2 * np.linalg.norm(ACROSS), rel=0.01
    )


def test_a_label_far_from_every_box_has_no_outline(photo: NDArray[np.uint8]) -> None:
    far = loose(MIDDLES + np.array([(0, 0), (0, 60), (0, 0)]))
    quads = detected_outlines(photo, far, Detector())  # type: ignore[arg-type]
    assert np.isnan(quads).any((1, 2)).tolist() == [False, True, False]


def test_of_two_labels_on_one_tile_the_nearer_gets_its_outline(photo: NDArray[np.uint8]) -> None:
    twice = loose(MIDDLES[[0, 0]] + np.array([(0, 0), (6, 6)]))
    quads = detected_outlines(photo, twice, Detector())  # type: ignore[arg-type]
    assert np.isnan(quads).any((1, 2)).tolist() == [False, True]


def test_tiles_are_cut_by_box_and_by_outline(photo: NDArray[np.uint8], tmp_path: Path) -> None:
    """But one that the photo cuts off only by its box, as its true outline is not known."""
    for part in ("images", "labels"):
        (tmp_path / part).mkdir()
    cv2.imwrite(str(tmp_path / "images" / "a.png"), photo)
    (tmp_path / "classes.txt").write_text("1m\nE\n9p\n", "utf-8")
    lines = [
        f"{k} {x / SIZE} {y / SIZE} {3 * HALF[0] / SIZE} {3 * HALF[1] / SIZE}"
        for k, (x, y) in enumerate(MIDDLES.tolist())
    ]
    lines[2] = f"2 {HALF[0] / SIZE} {300 / SIZE} {2 * HALF[0] / SIZE} {3 * HALF[1] / SIZE}"
    (tmp_path / "labels" / "a.txt").write_text("\n".join(lines), "utf-8")
    found = from_photos(tmp_path, detector=Detector())  # type: ignore[arg-type]
    patches, classes, axes, _ = found.arrays()
    faces = [Tile.M1, Tile.M1, Tile.EAST, Tile.EAST, Tile.P9]
    assert classes.tolist() == [int(face) for face in faces]
    assert axes[[0, 2, 4]] % np.pi == pytest.approx(np.pi / 2 + TURN, abs=0.01)
    assert axes[[1, 3]] == pytest.approx(np.pi / 2)
    middle, reach = PATCH // 2, round(PATCH / CONTEXT * ASPECT / 4)
    for upright in patches[[1, 3]]:
        sides = [upright[middle, middle + side * reach].astype(int) for side in (-1, 1)]
        colours = {tuple(map(int, RED[::-1])), tuple(map(int, BLUE[::-1]))}
        near = {min(colours, key=lambda c: np.abs(side - np.array(c)).sum()) for side in sides}
        assert near == colours, "the two halves lie side by side in the upright patch"
        assert np.abs(upright[4, middle].astype(int) - 90).max() < 20, "and cloth above it"
