from __future__ import annotations

from collections import Counter
from pathlib import Path

import cv2
import numpy as np
import pytest

from hupai.models import registry
from hupai.scoring.tiles import FLOWERS
from hupai.vision.photo.decode import decode
from hupai.vision.photo.exposure import DARK, MAX_GAIN, TARGET, well_lit
from hupai.vision.pipeline.recogniser import Recogniser
from hupai.vision.types import Image


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


@pytest.mark.parametrize("change", ["dark", "orange"])
def test_a_hand_is_read_in_bad_light(root: Path, change: str) -> None:
    path = root / "examples" / "pungs.jpg"
    image = decode(path.read_bytes(), path.name).image
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
