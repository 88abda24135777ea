"""Brings a photo taken in too little light, or by the light of a strongly coloured lamp, to what
the networks know.

Only photos without any bright pixel are made brighter: on a table lit as usual something, if only a
tile's face, is nearly white. What a camera saw with so little light is full of noise, which a
slight blur takes away first. Colours are balanced only where one of them is all but missing, which
no camera leaves so that knows about white.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from hupai.vision.types import Image

DARK = 90.0
"""Photos on which hardly a pixel is brighter than this, of 255, are brightened."""
WANTED = 150.0
"""How bright the brightest pixels then are. Brighter, up to white, read worse: noise grows
along.
"""
TINTED = 2.0
"""Photos whose brightest red, green and blue differ by more than this factor are balanced."""
MOST = 8.0
"""At most so many times as bright, and as much of one colour."""
SMOOTH = 0.8
"""Standard deviation of the blur of a dark photo, pixels."""
_BRIGHTEST, _BRIGHTEST_COLOUR = 99.5, 99.0
"""Per cent of the pixels that are not brighter than "the brightest"; lamps and their reflections
may be the rest.
"""
_EVERY = 8
"""Of how many pixels in each direction one is asked."""


def well_lit(image: Image) -> Image:
    """The photo, brighter if it is dark, and with white light if it is tinted.

    Args:
        image: uint8 RGB, shape (height, width, 3).

    Returns:
        The same array where its light is good enough, or another of its shape.
    """
    some = image[::_EVERY, ::_EVERY]
    brightest = float(np.percentile(some.max(2), _BRIGHTEST))
    gain = min(WANTED / max(brightest, 1.0), MOST) if brightest < DARK else 1.0
    gains = gain * _balance(np.percentile(some.reshape(-1, 3), _BRIGHTEST_COLOUR, axis=0))
    if (gains == 1.0).all():
        return image
    smooth = cv2.GaussianBlur(image, (0, 0), SMOOTH) if gain > 1.0 else image
    table = np.clip(np.arange(256)[:, None] * gains + 0.5, 0, 255).astype(np.uint8)
    return cv2.LUT(smooth, table[None]).astype(np.uint8)


def _balance(levels: NDArray[np.float64]) -> NDArray[np.float64]:
    """Factors (3,) that make the brightest red, green and blue alike where they differ much."""
    highest = max(float(levels.max()), 1.0)
    if highest <= TINTED * max(float(levels.min()), 1.0):
        return np.ones(3)
    return np.asarray(highest / np.maximum(levels, highest / MOST))
