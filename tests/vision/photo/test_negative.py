"""Black tile sets are recognised by light ink on dark bodies, and turned into light ones."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from hupai.datasets.synthetic.designs import project_design
from hupai.datasets.synthetic.examples import Example, render_example
from hupai.datasets.synthetic.tables.sets import inverted
from hupai.models import registry
from hupai.vision.photo.negative import MIN_FACES, negative, shows_black_set
from hupai.vision.pipeline.recogniser import Recogniser
from hupai.vision.types import FloatArray, Image


def faces(*tiles: tuple[int, int]) -> tuple[Image, FloatArray]:
    """Return a picture with a row of tiles, given the levels of body and ink, and their boxes."""
    image = np.full((200, 600, 3), 120, np.uint8)
    image[:20] = 240
    boxes = np.array([(40 + 50 * k, 60, 80 + 50 * k, 120) for k in range(len(tiles))], np.float32)
    for (x0, y0, x1, y1), (body, ink) in zip(boxes.astype(int), tiles, strict=True):
        image[y0:y1, x0:x1] = body
        image[y0 + 20 : y1 - 20, x0 + 12 : x1 - 12] = ink
    return image, boxes.reshape(-1, 4)


BLACK, IVORY, SHADOWED, BACK, GREY = (30, 230), (220, 20), (70, 15), (25, 25), (110, 240)


@pytest.mark.parametrize(
    ("tiles", "black"),
    [
        ([BLACK] * MIN_FACES, True),
        ([BLACK] * (MIN_FACES - 1), False),
        ([BLACK] * 5 + [IVORY] * 4, True),
        ([BLACK] * 4 + [IVORY] * 5, False),
        ([BLACK] * 5 + [BACK] * 6, True),
        ([SHADOWED] * 8, False),
        ([BACK] * 8, False),
        ([GREY] * 8, False),
        ([], False),
    ],
)
def test_a_black_set_is_recognised(tiles: list[tuple[int, int]], *, black: bool) -> None:
    assert shows_black_set(*faces(*tiles)) is black


@pytest.mark.parametrize("tile", [IVORY, SHADOWED, GREY])
def test_no_light_set_is_a_black_one_in_the_dark(tile: tuple[int, int]) -> None:
    image, boxes = faces(*[tile] * 8)
    assert not shows_black_set((image * 0.4).astype(np.uint8), boxes)


def test_circles_that_cover_most_of_a_face_are_no_body() -> None:
    image, boxes = faces(*[BLACK] * 6)
    for x0, y0, x1, y1 in boxes.astype(int):
        image[y0 + 13 : y1 - 13, x0 + 9 : x1 - 9] = 230
    assert shows_black_set(image, boxes)


def test_a_black_set_is_one_in_the_dark() -> None:
    image, boxes = faces(*[BLACK] * 8)
    assert shows_black_set((image * 0.4).astype(np.uint8), boxes)


def test_a_box_of_no_pixels_and_one_beyond_the_edge_are_no_error() -> None:
    image, boxes = faces(*[BLACK] * 6)
    odd = np.array([(590, 190, 590, 190), (580, 180, 640, 240), (700, 300, 720, 330)], np.float32)
    assert shows_black_set(image, np.concatenate([boxes, odd]))


def test_a_negative_has_the_opposite_lightness() -> None:
    image, _ = faces(BLACK, IVORY)
    assert np.abs(negative(image).astype(int) + image - 255).max() <= 1


@pytest.mark.parametrize("strongest", [0, 1, 2])
def test_a_negative_keeps_hues(strongest: int) -> None:
    colour = [70, 70, 70]
    colour[strongest] = 150
    inverted = negative(np.full((4, 4, 3), colour, np.uint8))[0, 0].astype(int)
    others = np.delete(inverted, strongest)
    assert inverted[strongest] > others.max() + 50
    assert np.ptp(others) <= 2


@pytest.mark.parametrize(
    ("name", "size"),
    [
        pytest.param("mixed-chows", 0.5, marks=pytest.mark.nightly),
        ("seven-pairs", 0.35),
        pytest.param("sichuan-kongs", 1.0, marks=pytest.mark.nightly),
    ],
)
def test_a_hand_of_black_tiles_is_read(root: Path, name: str, size: float) -> None:
    light = project_design()
    black = replace(light, face=inverted(light.face, (240, 240, 236)), body=(30, 31, 33))
    scene = render_example(Example.read(root / "examples" / f"{name}.json"), black)
    image = cv2.resize(scene.image[..., ::-1], None, fx=size, fy=size, interpolation=cv2.INTER_AREA)
    _, data = cv2.imencode(".png", image)
    reading = Recogniser(registry.load()).read_photo(data.tobytes()).reading
    read = Counter(tile.tile for tile in reading.tiles if tile.in_hand)
    assert read == Counter(tile.shown for tile in scene.tiles if tile.placed.in_hand)
