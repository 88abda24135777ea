"""The distance of each tile's body colour from that of the faces on the photo."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from hupai.scoring.tiles import Tile
from hupai.vision.detection.picture import Picture
from hupai.vision.detection.plain_tiles.body_colour import body_distances

IVORY, GREEN, GREY = (235, 228, 210), (20, 120, 70), (150, 146, 134)


def _row(*bodies: tuple[int, int, int]) -> tuple[Picture, NDArray[np.float32]]:
    """Draw tiles of these colours, each with red ink on a quarter of it."""
    image = np.full((80, 50 * len(bodies), 3), 60, np.uint8)
    boxes = []
    for k, body in enumerate(bodies):
        x = 50 * k
        image[10:70, x + 5 : x + 45] = body
        image[25:55, x + 15 : x + 35] = (190, 30, 30)
        boxes.append((x + 5, 10, x + 45, 70))
    image[25:40, :] = np.where(image[25:40] == (190, 30, 30), image[12:13], image[25:40])
    return Picture.of(image), np.array(boxes, np.float32)


def _shares(faces: int, unclear: int) -> NDArray[np.float32]:
    shares = np.full((faces + unclear, 44), 1 / 44, np.float32)
    shares[:faces] = 0.001
    shares[:faces, int(Tile.P5)] = 0.957
    return shares


def test_a_tile_of_another_colour_is_far_from_the_faces() -> None:
    picture, boxes = _row(*[IVORY] * 4, GREEN, IVORY)
    away = body_distances(picture, boxes, _shares(4, 2))
    assert away.shape == (6, 2)
    assert away[4, 0] == 4
    assert away[[0, 1, 2, 3, 5], 0] == pytest.approx(0, abs=0.2)


def test_a_shadow_changes_lightness_more_than_chroma() -> None:
    picture, boxes = _row(*[IVORY] * 4, GREY)
    chroma, lightness = body_distances(picture, boxes, _shares(4, 1))[4]
    assert lightness > 2
    assert chroma < 1.5


def test_without_clear_faces_nothing_is_known() -> None:
    picture, boxes = _row(*[IVORY] * 2, GREEN)
    assert not body_distances(picture, boxes, _shares(2, 1)).any()
    assert body_distances(picture, boxes[:0], _shares(0, 0)).shape == (0, 2)


def test_blank_tiles_are_no_reference() -> None:
    picture, boxes = _row(*[IVORY] * 3, GREEN)
    shares = _shares(3, 1)
    shares[:3] = np.roll(shares[:3], int(Tile.WHITE) - int(Tile.P5), axis=1)
    assert not body_distances(picture, boxes, shares).any()
