"""Corrects the exposure and the colour of photos taken in poor light.

Only photos without bright pixels are brightened: in normal light something, if only the face of a
tile, is nearly white. Such dark photos are noisy, so they are blurred slightly first. Colours are
balanced only if one of them is almost missing, which means that the camera's white balance failed.

A bright photo may show the hand in shadow, as when tiles that stand on the table's edge face away
from the lamp. Such tiles are brightened locally.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from hupai.vision.numeric import byte_quantiles
from hupai.vision.types import FloatArray, Image

DARK = 90.0
"""Level of the brightest pixels, of 255, below which a photo is brightened."""

TARGET = 130.0
"""Level to which they are brought; beyond it noise grows more than detail."""

TINTED = 2.0
"""Ratio of the brightest red, green and blue from which a photo is balanced."""

MAX_GAIN = 8.0
"""Largest factor of brightness, and of one colour against another."""

BLUR = 1.2
"""Standard deviation of the blur of a dark photo, pixels."""

SHADOW = 100.0
"""Level of the brightest pixels of a tile's face, of 255, below which it lies in shadow: a face is
ivory, or its ink is white."""

FACE = 220.0
"""Level to which a face in shadow is brought."""

MIN_SHADOWED = 4
"""Number of faces in shadow from which the photo is corrected; fewer may be false detections."""

MARGIN = 0.15
"""Distance from the edges of a box within which it may show something else, shares of its sides."""

_BRIGHTEST_OF_FACE = 0.95
"""Quantile of a face's levels that counts as its brightest."""

_REDUCED = 8
"""Pixels of the photo per pixel of the map of gains."""

_BRIGHTEST = 0.995
"""Quantile of the levels that counts as the brightest; lamps and reflections may lie above."""

_BRIGHTEST_COLOUR = 0.99
"""The same quantile for each colour alone."""

_STEP = 8
"""Distance, each way, between the pixels on which levels are measured."""


def well_lit(image: Image) -> Image:
    """Brighten a photo that is dark, and balance the colours of one that is tinted.

    Args:
        image: uint8 RGB, shape (height, width, 3).

    Returns:
        The same array if its light is good enough, else a new one of the same shape.
    """
    brightest = brightest_level(image)
    gain = min(TARGET / max(brightest, 1.0), MAX_GAIN) if brightest < DARK else 1.0
    colours = image[::_STEP, ::_STEP].reshape(-1, 3).T
    gains = gain * _balance(byte_quantiles(colours, _BRIGHTEST_COLOUR))
    if (gains == 1.0).all():
        return image
    smooth = cv2.GaussianBlur(image, (0, 0), BLUR) if gain > 1.0 else image
    table = np.clip(np.arange(256)[:, None] * gains + 0.5, 0, 255).astype(np.uint8)
    return cv2.LUT(smooth, table[None]).astype(np.uint8)


def brightest_level(image: Image) -> float:
    """Return the level, of 255, of the brightest pixels of a photo, RGB (height, width, 3)."""
    return float(byte_quantiles(_strongest(image[::_STEP, ::_STEP]), _BRIGHTEST))


def without_shadows(image: Image, boxes: FloatArray) -> Image | None:
    """Brighten the faces that lie in shadow.

    Args:
        image: uint8 RGB, shape (height, width, 3).
        boxes: shape (n, 4), pixels, of tiles whose face is seen.

    Returns:
        An array of the same shape; None if fewer than `MIN_SHADOWED` faces lie in shadow.
    """
    gains = FACE / np.maximum([_brightest(image, box) for box in boxes], FACE / MAX_GAIN)
    shadowed = gains > FACE / SHADOW
    if shadowed.sum() < MIN_SHADOWED:
        return None
    height, width = image.shape[:2]
    small = (-(-width // _REDUCED), -(-height // _REDUCED))
    # Shadows extend beyond the tiles that were found in them, but not over those in the light.
    reach = float(np.median(boxes[shadowed, 2:] - boxes[shadowed, :2]))
    gain = np.ones(small[::-1], np.float32)
    for k in np.argsort(~shadowed, kind="stable"):
        grown = reach if shadowed[k] else 0.0
        x0, y0 = np.maximum((boxes[k, :2] - grown) / _REDUCED, 0).astype(int)
        x1, y1 = ((boxes[k, 2:] + grown) / _REDUCED).astype(int) + 1
        part = gain[y0:y1, x0:x1]
        part[:] = np.maximum(part, gains[k]) if shadowed[k] else 1.0
    spread = max(reach / 2 / _REDUCED, 1.0)
    gain = cv2.resize(cv2.GaussianBlur(gain, (0, 0), spread), (width, height))
    brightened: Image = np.clip(image * gain[..., None] + 0.5, 0, 255).astype(np.uint8)
    return brightened


def _brightest(image: Image, box: FloatArray) -> float:
    """Return the level of the brightest pixels of a face, given its box (4,)."""
    margin = MARGIN * (box[2:] - box[:2])
    x0, y0 = np.maximum(box[:2] + margin, 0).astype(int)
    x1, y1 = np.maximum(np.ceil(box[2:] - margin).astype(int), (x0 + 1, y0 + 1))
    some = image[y0 : y1 : max((y1 - y0) // 16, 1), x0 : x1 : max((x1 - x0) // 16, 1)]
    return float(byte_quantiles(_strongest(some), _BRIGHTEST_OF_FACE))


def _strongest(pixels: Image) -> NDArray[np.uint8]:
    """Return the strongest colour of each pixel, shape (n,), in a third of the time of `max(2)`."""
    red, green, blue = np.moveaxis(np.ascontiguousarray(pixels), 2, 0)
    return np.asarray(np.maximum(np.maximum(red, green), blue).ravel())


def _balance(levels: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return factors (3,) that equalise the brightest red, green and blue if they differ much."""
    highest = max(float(levels.max()), 1.0)
    if highest <= TINTED * max(float(levels.min()), 1.0):
        return np.ones(3)
    return np.asarray(highest / np.maximum(levels, highest / MAX_GAIN), np.float64)
