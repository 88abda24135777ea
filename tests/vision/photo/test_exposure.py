from __future__ import annotations

from collections import Counter
from pathlib import Path

import cv2
import numpy as np
import pytest

from hupai.models import registry
from hupai.scoring.tiles import FLOWERS
from hupai.vision.photo.decode import decode
from hupai.vision.photo.exposure import (
    DARK,
    FACE,
    MAX_GAIN,
    MIN_SHADOWED,
    TARGET,
    well_lit,
    without_shadows,
)
from hupai.vision.pipeline.recogniser import Recogniser
from hupai.vision.types import FloatArray, Image


def in_little_light(image: Image, share: float) -> Image:
    """As a camera sees it that has so little light: darker, and noisy."""
    noise = np.random.default_rng(1).normal(0, 6, image.shape)
    return np.clip(image * share + noise, 0, 255).astype(np.uint8)


def test_a_photo_with_enough_light_is_left_as_it_is() -> None:
    image = np.full((200, 300, 3), 20, np.uint8)
    image[80:120, 100:200] = 200
    assert well_lit(image) is image


@pytest.mark.parametrize("brightest", [25, 50, int(DARK) - 5])
def test_the_brightest_pixels_of_a_dark_photo_become_bright(brightest: int) -> None:
    image = np.full((200, 300, 3), 5, np.uint8)
    image[80:120, 100:200] = brightest
    assert well_lit(image)[100, 150] == pytest.approx(TARGET, abs=2)


def test_a_black_photo_does_not_become_white() -> None:
    assert well_lit(np.full((64, 64, 3), 3, np.uint8)).max() == 3 * MAX_GAIN


def test_a_green_table_under_white_tiles_keeps_its_colour() -> None:
    image = np.full((200, 300, 3), (20, 120, 40), np.uint8)
    image[80:120, 100:200] = (240, 235, 220)
    assert well_lit(image) is image


def test_white_is_white_again_under_a_coloured_lamp() -> None:
    image = np.full((200, 300, 3), (60, 30, 10), np.uint8)
    image[80:120, 100:200] = (230, 150, 60)
    assert well_lit(image)[100, 150] == pytest.approx(230, abs=2)


def test_a_colour_that_is_missing_altogether_is_not_invented() -> None:
    image = np.full((200, 300, 3), (200, 100, 0), np.uint8)
    assert well_lit(image)[0, 0].tolist() == [200, 200, 0]


def pungs(root: Path) -> Image:
    """Return the example photo without its upper edge, which cuts a flower of other players."""
    path = root / "examples" / "pungs.jpg"
    return np.ascontiguousarray(decode(path.read_bytes(), path.name).image[80:])


@pytest.mark.parametrize("change", ["dark", pytest.param("orange", marks=pytest.mark.nightly)])
def test_a_hand_is_read_in_bad_light(root: Path, change: str) -> None:
    image = pungs(root)
    reader = Recogniser(registry.load())

    def named(picture: Image) -> Counter[object]:
        """Return the hand's tiles, and the flowers wherever they lie: whose they are is layout."""
        _, data = cv2.imencode(".png", np.ascontiguousarray(picture[..., ::-1]))
        tiles = reader.read_photo(data.tobytes()).reading.tiles
        return Counter(
            t.tile for t in tiles if (t.confidence > 0.9 if t.tile in FLOWERS else t.in_hand)
        )

    if change == "dark":
        bad = in_little_light(image, 0.12)
        assert np.percentile(bad, 99) < DARK
    else:
        bad = (image * np.array([1.0, 0.55, 0.16])).astype(np.uint8)
    assert named(bad) == named(image)


def in_shadow(image: Image, boxes: FloatArray, share: float) -> Image:
    """Return the photo with a shadow over the boxes (n, 4) that leaves a share of the light."""
    shadow = np.zeros(image.shape[:2], np.float32)
    for x0, y0, x1, y1 in boxes.astype(int):
        shadow[max(y0 - 10, 0) : y1 + 10, max(x0 - 10, 0) : x1 + 10] = 1.0
    lit = image * (1 - (1 - share) * cv2.GaussianBlur(shadow, (0, 0), 5)[..., None])
    return np.clip(lit, 0, 255).astype(np.uint8)


def faces(levels: list[int]) -> tuple[Image, FloatArray]:
    """Return a bright picture with a row of faces of the given levels, and their boxes."""
    image = np.full((200, 600, 3), 240, np.uint8)
    boxes = np.array([(40 + 50 * k, 60, 80 + 50 * k, 120) for k in range(len(levels))], np.float32)
    for (x0, y0, x1, y1), level in zip(boxes.astype(int), levels, strict=True):
        image[y0:y1, x0:x1] = level
        image[y0 + 20 : y1 - 20, x0 + 12 : x1 - 12] = level // 4  # its ink
    return image, boxes


def test_faces_in_shadow_are_brightened_and_the_rest_is_not() -> None:
    image, boxes = faces([70] * MIN_SHADOWED)
    brighter = without_shadows(image, boxes)
    assert brighter is not None
    assert brighter[65, 60] == pytest.approx(FACE, abs=3)
    assert (brighter[:, 500:] == image[:, 500:]).all()


def test_ink_on_a_face_in_the_light_beside_the_shadow_is_still_seen() -> None:
    image, boxes = faces([70] * MIN_SHADOWED + [210])
    brighter = without_shadows(image, boxes)
    assert brighter is not None
    face, ink = brighter[65, 260].min(), brighter[90, 260].max()
    assert face > 200
    assert ink < 0.55 * face


@pytest.mark.parametrize("levels", [[200] * 8, [70] * (MIN_SHADOWED - 1) + [200] * 8, []])
def test_a_photo_with_few_faces_in_shadow_is_left_as_it_is(levels: list[int]) -> None:
    assert without_shadows(*faces(levels)) is None


def test_no_face_becomes_brighter_than_the_greatest_gain_makes_it() -> None:
    brighter = without_shadows(*faces([10] * 6))
    assert brighter is not None
    assert brighter[65, 60] == pytest.approx(10 * MAX_GAIN, abs=3)


def test_a_box_of_no_pixels_and_one_beyond_the_edge_are_no_error() -> None:
    image, boxes = faces([70] * 6)
    odd = np.array([(590, 190, 590, 190), (580, 180, 640, 240)], np.float32)
    assert without_shadows(image, np.concatenate([boxes, odd])) is not None


@pytest.mark.nightly
def test_a_hand_in_shadow_on_a_bright_photo_is_read(root: Path) -> None:
    image = pungs(root)
    reader = Recogniser(registry.load())
    seen = reader.detector.detect(image)
    dark = in_shadow(image, seen.boxes, 0.2)
    assert np.percentile(dark, 99.5) > DARK
    lit, reading = (
        reader.read_photo(cv2.imencode(".png", one[..., ::-1])[1].tobytes()).reading
        for one in (image, dark)
    )
    assert reading.certain == lit.certain
    assert Counter(t.tile for t in reading.tiles if t.in_hand) == Counter(
        t.tile for t in lit.tiles if t.in_hand
    )
