"""Blank tiles beyond the four white dragons of a set are backs."""

from __future__ import annotations

import cv2
import numpy as np

from hupai.scoring.tiles import Tile
from hupai.vision.detection.picture import Picture
from hupai.vision.detection.plain_tiles.surplus import without_surplus
from hupai.vision.types import Detections

WIDTH, HEIGHT = 48, 64


def table(
    *columns: float, framed: tuple[int, ...] = (), tile: Tile = Tile.WHITE
) -> tuple[Picture, Detections]:
    """Lay blank ivory tiles at some columns, some of them with the white dragon's frame."""
    image = np.full((160, 1200, 3), (30, 110, 60), np.uint8)
    lefts = [60 + round(WIDTH * column) for column in columns]
    for number, x in enumerate(lefts):
        corner = (x + WIDTH - 1, 60 + HEIGHT - 1)
        cv2.rectangle(image, (x, 60), corner, (235, 228, 210), -1)
        if number in framed:
            cv2.rectangle(image, (x + 11, 74), (x + WIDTH - 11, 60 + HEIGHT - 14), (30, 60, 150), 3)
    noise = np.random.default_rng(1).normal(0, 3, image.shape)
    image = np.clip(image + noise, 0, 255).astype(np.uint8)
    boxes = np.array([(x, 60, x + WIDTH, 60 + HEIGHT) for x in lefts], np.float32)
    quads = boxes[:, [[0, 1], [2, 1], [2, 3], [0, 3]]]
    probabilities = np.eye(43, dtype=np.float32)[[tile] * len(boxes)]
    scores, axes = np.full(len(boxes), 0.7, np.float32), np.full(len(boxes), np.pi / 2, np.float32)
    return Picture.of(image), Detections(boxes, scores, probabilities, axes, quads=quads)


def names(picture: Picture, found: Detections) -> list[Tile]:
    seen = without_surplus(picture, found)
    assert np.allclose(seen.probabilities.sum(1), 1.0)
    return [Tile(int(k)) for k in seen.probabilities.argmax(1)]


def test_four_blank_tiles_may_be_white_dragons() -> None:
    assert names(*table(0, 1, 2, 3)) == [Tile.WHITE] * 4


def test_five_blank_tiles_are_backs() -> None:
    assert names(*table(0, 1, 2, 3, 9)) == [Tile.BACK] * 5


def test_white_dragons_with_a_frame_stay() -> None:
    expected = [Tile.BACK] * 5 + [Tile.WHITE] * 2
    assert names(*table(0, 1, 2, 3, 4, 9, 10, framed=(5, 6))) == expected
    assert names(*table(0, 1, 2, 3, 9, framed=(0, 1, 2, 3, 4))) == [Tile.WHITE] * 5


def test_sides_of_other_tiles_beside_a_pung_of_white_dragons_change_nothing() -> None:
    assert names(*table(0, 1, 2, 5, 8, 11)) == [Tile.WHITE] * 6


def test_five_equal_faces_may_include_a_misread_one() -> None:
    assert names(*table(0, 1, 2, 3, 4, tile=Tile.from_code("1p"))) == [Tile.from_code("1p")] * 5


def test_mostly_equal_faces_are_prints_on_backs() -> None:
    assert names(*table(*range(8), tile=Tile.GREEN)) == [Tile.BACK] * 8
    picture, found = table(*range(12), tile=Tile.GREEN)
    found.probabilities[[3, 11]] = np.eye(43, dtype=np.float32)[[Tile.from_code("2s"), Tile.BACK]]
    expected = [Tile.BACK] * 12
    expected[3] = Tile.from_code("2s")
    assert names(picture, found) == expected
