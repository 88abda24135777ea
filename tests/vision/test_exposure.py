from __future__ import annotations

from collections import Counter
from pathlib import Path

import cv2
import numpy as np
import pytest

from models import registry
from vision.exposure import DARK, MOST, WANTED, brightened
from vision.photo import decode
from vision.recogniser import Recogniser
from vision.types import Image


def in_little_light(image: Image, share: float) -> Image:
    """As a camera sees it that has so little light: darker, and noisy."""
    noise = np.random.default_rng(1).normal(0, 6, image.shape)
    return np.clip(image * share + noise, 0, 255).astype(np.uint8)


def test_a_photo_with_enough_light_is_left_as_it_is() -> None:
    image = np.full((200, 300, 3), 20, np.uint8)
    image[80:120, 100:200] = 200
    assert brightened(image) is image


@pytest.mark.parametrize("brightest", [25, 50, int(DARK) - 5])
def test_the_brightest_pixels_of_a_dark_photo_become_bright(brightest: int) -> None:
    image = np.full((200, 300, 3), 5, np.uint8)
    image[80:120, 100:200] = brightest
    assert brightened(image)[100, 150] == pytest.approx(WANTED, abs=2)


def test_a_black_photo_does_not_become_white() -> None:
    assert brightened(np.full((64, 64, 3), 3, np.uint8)).max() == 3 * MOST


def test_a_hand_is_read_in_little_light(root: Path) -> None:
    path = root / "examples" / "pungs.jpg"
    image = decode(path.read_bytes(), path.name).image
    reader = Recogniser(registry.load())

    def hand(picture: Image) -> Counter[object]:
        _, data = cv2.imencode(".png", np.ascontiguousarray(picture[..., ::-1]))
        return Counter(t.tile for t in reader.read_photo(data.tobytes()).reading.tiles if t.in_hand)

    dark = in_little_light(image, 0.12)
    assert np.percentile(dark, 99) < DARK
    assert hand(dark) == hand(image)
