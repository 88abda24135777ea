"""A made-up picture of a hand, read once so that the first photo is read as fast as later ones.

Networks, the decoder and numeric libraries set up much of what they need on first use.
"""

from __future__ import annotations

import cv2
import numpy as np

from hupai.vision.types import Image

_TILES = 14
_WIDTH, _HEIGHT = 54, 74
_CLOTH, _BODY, _SIDE = (24, 96, 60), (240, 238, 228), (120, 140, 70)
_INKS = ((30, 40, 150), (170, 30, 40), (20, 110, 60))
"""Colours, RGB."""


def picture() -> Image:
    """Draw a row of white tiles with dots, some of them blank, on green cloth: RGB, (640, 960, 3).

    The detector finds them, and as dots and blanks are not clear faces, every network runs.
    """
    image: Image = np.full((640, 960, 3), _CLOTH, np.uint8)
    for k in range(_TILES):
        x, y = 90 + k * (_WIDTH + 2), 300
        cv2.rectangle(image, (x, y + 6), (x + _WIDTH, y + _HEIGHT + 6), _SIDE, -1)
        cv2.rectangle(image, (x, y), (x + _WIDTH, y + _HEIGHT), _BODY, -1)
        for dot in range(k % 5):
            middle = x + _WIDTH // 4 * (1 + dot % 2 * 2), y + _HEIGHT // 4 * (1 + dot // 2 * 2)
            cv2.circle(image, middle, 8, _INKS[dot % 3], -1, cv2.LINE_AA)
    return image


def encoded() -> bytes:
    """Return the picture as a JPEG file."""
    ok, file = cv2.imencode(".jpg", cv2.cvtColor(picture(), cv2.COLOR_RGB2BGR))
    assert ok
    return file.tobytes()
