"""Corrects the exposure and the colour of photos taken in poor light.

Only photos without bright pixels are brightened: in normal light something, if only the face of a
tile, is nearly white. Such dark photos are noisy, so they are blurred slightly first. Colours are
balanced only if one of them is almost missing, which means that the camera's white balance failed.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from hupai.vision.numeric import byte_quantiles
from hupai.vision.types import Image

DARK = 90.0
"""Level of the brightest pixels, of 255, below which a photo is brightened."""

TARGET = 130.0
"""Level to which they are brought; beyond it noise grows more than detail."""

TINTED = 2.0
"""Factor between the brightest red, green and blue from which a photo is balanced."""

MAX_GAIN = 8.0
"""Largest factor of brightness, and of one colour against another."""

BLUR = 1.2
"""Standard deviation of the blur of a dark photo, pixels."""

_BRIGHTEST = 0.995
"""Quantile of the levels that counts as the brightest; lamps and reflections may lie above."""

_BRIGHTEST_COLOUR = 0.99
"""The same quantile for each colour alone."""

_STEP = 8
"""Levels are measured on every so many pixels each way."""


def well_lit(image: Image) -> Image:
    """Brighten a photo that is dark, and balance the colours of one that is tinted.

    Args:
        image: uint8 RGB, shape (height, width, 3).

    Returns:
        The same array where its light is good enough, or another of its shape.
    """
    some = image[::_STEP, ::_STEP].reshape(-1, 3).T
    brightest = float(byte_quantiles(some.max(0), _BRIGHTEST))
    gain = min(TARGET / max(brightest, 1.0), MAX_GAIN) if brightest < DARK else 1.0
    gains = gain * _balance(byte_quantiles(some, _BRIGHTEST_COLOUR))
    if (gains == 1.0).all():
        return image
    smooth = cv2.GaussianBlur(image, (0, 0), BLUR) if gain > 1.0 else image
    table = np.clip(np.arange(256)[:, None] * gains + 0.5, 0, 255).astype(np.uint8)
    return cv2.LUT(smooth, table[None]).astype(np.uint8)


def _balance(levels: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return factors (3,) that equalise the brightest red, green and blue if they differ much."""
    highest = max(float(levels.max()), 1.0)
    if highest <= TINTED * max(float(levels.min()), 1.0):
        return np.ones(3)
    return np.asarray(highest / np.maximum(levels, highest / MAX_GAIN), np.float64)
