"""Brings a photo taken in too little light to the brightness that the networks know.

Only photos without any bright pixel are touched: on a table lit as usual something, if only a tile's face, is nearly white. What a
camera saw with so little light is full of noise, which a slight blur takes away before it is made brighter with the rest.
"""

from __future__ import annotations

import cv2
import numpy as np

from vision.types import Image

DARK = 90.0
"""Photos on which hardly a pixel is brighter than this, of 255, are brightened."""
WANTED = 150.0
"""How bright the brightest pixels then are. Brighter, up to white, read worse: noise grows along."""
MOST = 8.0
"""At most so many times as bright."""
SMOOTH = 0.8
"""Standard deviation of the blur, pixels."""
_BRIGHTEST = 99.5
"""Per cent of the pixels that are not brighter than "the brightest"; lamps and their reflections may be the rest."""
_EVERY = 8
"""Of how many pixels in each direction one is asked."""


def brightened(image: Image) -> Image:
    """The photo, brighter if it is dark.

    Args:
        image: uint8 RGB, shape (height, width, 3).

    Returns:
        The same array where it is bright enough, or another of its shape.
    """
    brightest = float(np.percentile(image[::_EVERY, ::_EVERY].max(2), _BRIGHTEST))
    if brightest >= DARK:
        return image
    gain = min(WANTED / max(brightest, 1.0), MOST)
    return cv2.convertScaleAbs(cv2.GaussianBlur(image, (0, 0), SMOOTH), alpha=gain).astype(np.uint8)
