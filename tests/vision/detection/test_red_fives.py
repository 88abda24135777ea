"""Red fives by their ink."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from hupai.scoring.tiles import Tile
from hupai.vision.detection.picture import Picture
from hupai.vision.detection.red_fives import red_shares, with_red_fives
from hupai.vision.types import Detections, Image

RED, BLUE, GREEN, BLACK = (195, 30, 35), (30, 60, 150), (20, 110, 60), (25, 25, 30)
Ink = tuple[int, int, int]


def row(tiles: list[tuple[Tile, list[Ink]]], light: float = 1.0) -> tuple[Image, Detections]:
    """A row of ivory tiles with a dot of each ink, in that light."""
    image = np.full((120, 20 + 50 * len(tiles), 3), (20, 90, 50), np.float32)
    boxes = []
    for k, (_, inks) in enumerate(tiles):
        x = 10 + 50 * k
        cv2.rectangle(image, (x, 20), (x + 47, 83), (240, 235, 220), -1)
        for at, ink in enumerate(inks):
            cv2.circle(image, (x + 24, 32 + 13 * at), 6, ink, -1)
        boxes.append([x, 20, x + 48, 84])
    n = len(tiles)
    rows = np.full((n, 43), 0.001, np.float32)
    rows[np.arange(n), [int(tile) for tile, _ in tiles]] = 1 - 0.042
    found = Detections(
        np.array(boxes, np.float32), np.ones(n, np.float32), rows,
        np.full(n, np.pi / 2, np.float32),
    )  # fmt: skip
    return (image * light).astype(np.uint8), found


@pytest.mark.parametrize("light", [1.0, 0.45])
def test_a_five_with_red_ink_only_is_red(light: float) -> None:
    image, found = row(
        [
            (Tile.P5, [RED] * 4),
            (Tile.P5, [BLUE, RED, GREEN, BLUE]),
            (Tile.M5, [RED] * 3),
            (Tile.M5, [BLACK, BLACK, RED, RED]),
            (Tile.P1, [RED]),
            (Tile.EAST, [RED] * 3),
        ],
        light,
    )
    reds = with_red_fives(Picture.of(image), found).reds
    assert (reds > 0.5).tolist() == [True, False, True, False, False, False]
    assert reds[4] == reds[5] == 0


def test_a_five_is_plain_where_its_suit_is_printed_in_red() -> None:
    image, found = row([(Tile.S5, [RED] * 4), (Tile.S4, [RED] * 4), (Tile.S6, [RED] * 3)])
    assert with_red_fives(Picture.of(image), found).reds[0] < 0.1
    image, found = row([(Tile.S5, [RED] * 4), (Tile.S4, [GREEN] * 4), (Tile.S6, [GREEN] * 3)])
    assert with_red_fives(Picture.of(image), found).reds[0] > 0.9


def test_a_five_of_low_confidence_may_be_red() -> None:
    image, found = row([(Tile.P5, [RED] * 4), (Tile.S5, [GREEN] * 4), (Tile.M5, [RED] * 3)])
    faint = replace(found.only(np.array([0, 1])), low_confidence=found.only(np.array([2])))
    marked = with_red_fives(Picture.of(image), faint)
    assert (marked.reds > 0.5).tolist() == [True, False]
    assert marked.low_confidence is not None
    assert (marked.low_confidence.reds > 0.5).tolist() == [True]


def test_without_ink_or_fives_nothing_is_red() -> None:
    assert red_shares(np.full((1, 20, 20, 3), 200, np.uint8)) == 0
    image, found = row([(Tile.P4, [RED] * 4)])
    assert with_red_fives(Picture.of(image), found) is found
    outside = Detections(
        np.array([[500, 500, 540, 560]], np.float32), np.ones(1, np.float32),
        np.eye(43, dtype=np.float32)[[int(Tile.P5)]], np.full(1, np.pi / 2, np.float32),
    )  # fmt: skip
    assert with_red_fives(Picture.of(image), outside).reds[0] < 0.01
