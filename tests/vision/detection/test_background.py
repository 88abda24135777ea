"""Background that is taken for a back has no edge on some side; a back has edges all around."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from hupai.scoring.tiles import Tile
from hupai.vision.detection.picture import Picture
from hupai.vision.detection.plain_tiles.background import shows_background
from hupai.vision.types import Detections, Image

CLOTH = (30, 110, 60)
BACK = (200, 120, 20)
PLACES = [(100, 100), (148, 100), (300, 200)]


def cloth(height: int = 300, width: int = 400) -> Image:
    noise = np.random.default_rng(1).normal(0, 4, (height, width, 3))
    return np.clip(np.array(CLOTH) + noise, 0, 255).astype(np.uint8)


def found(*places: tuple[int, int], tile: Tile = Tile.BACK) -> Detections:
    boxes = np.array([(x, y, x + 48, y + 64) for x, y in places], np.float32)
    n = len(boxes)
    probabilities = np.eye(43, dtype=np.float32)[[tile] * n]
    axes = np.full(n, np.pi / 2, np.float32)
    return Detections(boxes, np.full(n, 0.5, np.float32), probabilities, axes)


def with_back(image: Image, place: tuple[int, int], colour: tuple[int, int, int] = BACK) -> Image:
    x, y = place
    image[y : y + 64, x : x + 48] = colour
    return image


def test_cloth_is_background_and_a_back_is_not() -> None:
    image = with_back(cloth(), PLACES[0])
    assert shows_background(Picture.of(image), found(*PLACES)).tolist() == [False, True, True]


def test_a_face_is_never_background() -> None:
    assert not shows_background(Picture.of(cloth()), found(*PLACES, tile=Tile.WHITE)).any()


def test_a_back_of_the_colour_of_the_cloth_has_a_shadow_around_it() -> None:
    image = cv2.GaussianBlur(cloth(), (0, 0), 1).astype(np.uint8)
    x, y = PLACES[2]
    cv2.rectangle(image, (x, y), (x + 48, y + 64), (15, 60, 30), 3)
    assert not shows_background(Picture.of(image), found(PLACES[2])).any()


def test_a_back_between_others_of_its_colour_is_not() -> None:
    image = cloth(900, 1200)
    row = [(100 + 48 * k, 100) for k in range(3)]
    for place in row:
        with_back(image, place)
    assert not shows_background(Picture.of(image), found(*row)).any()
    assert not shows_background(Picture.of(image), found(row[1])).any(), (
        "the photo shows little of this colour"
    )


@pytest.mark.parametrize("place", [(0, 100), (-10, -10), (340, 230)])
def test_a_place_at_the_edge_of_the_photo_is_judged_by_its_sides_on_the_photo(
    place: tuple[int, int],
) -> None:
    assert shows_background(Picture.of(cloth()), found(place)).all()
    x, y = np.maximum(place, 0)
    filled = with_back(cloth(), (int(x), int(y)))
    assert not shows_background(Picture.of(filled), found(place)).any()


def test_a_side_that_a_further_tile_covers_does_not_count() -> None:
    row = [(100 + 48 * k, 100) for k in range(3)]
    image = cloth()
    for place in row:
        with_back(image, place, CLOTH)
        cv2.rectangle(image, place, (place[0] + 47, place[1] + 64), (15, 60, 30), 3)
    image[103:161, 145:198] = CLOTH  # no edges between these backs
    one, others = found(row[1]), found(row[0], row[2]).quads
    assert shows_background(Picture.of(image), one).all()
    assert not shows_background(Picture.of(image), one, others).any()


def test_a_photo_of_one_back_alone_and_one_without_detections() -> None:
    image = np.full((64, 48, 3), BACK, np.uint8)
    assert not shows_background(Picture.of(image), found((0, 0))).any()
    assert shows_background(Picture.of(image), Detections.empty()).shape == (0,)
