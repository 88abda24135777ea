"""Negatives of photos that show black tile sets.

Black tiles bear white or golden ink. The networks were trained on few of them. On a negative, which
inverts lightness and keeps hues, they look like ivory tiles with dark ink, which the networks
know well.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from hupai.vision.numeric import byte_quantiles
from hupai.vision.photo.exposure import MARGIN, brightest_level
from hupai.vision.types import FloatArray, Image

DARK_BODY = 0.35
"""Level of a tile's body, as a share of the photo's brightest, below which the tile is black.
Median of the faces on a photo: black sets, rendered and on two photos, mostly below 0.3; dev, also
when darkened, at least 0.5.
"""

CONTRAST = 30.0
"""Least difference of the levels of ink and body; blank tiles and backs have less."""

MIN_FACES = 4
"""Least number of faces from which a photo shows a black set."""

MIN_SHARE = 0.5
"""Share of the faces with ink that are black. Two photos of black sets have 0.76 and 0.81, the
other photos of dev, train, tables/ and the sheets less than this.
"""

_SIDE = 16
"""Number of pixels of a face that are sampled each way."""

_LUMA = np.array([0.299, 0.587, 0.114], np.float32)
"""Weights of red, green and blue in grey."""

_DARKEST = 0.05
"""Quantile of a face's levels that counts as its darkest; its brightest is as far from the end."""


def shows_black_set(image: Image, boxes: FloatArray) -> bool:
    """Return whether most faces are dark with lighter ink.

    Args:
        image: uint8 RGB, shape (height, width, 3).
        boxes: shape (n, 4), pixels, of tiles; those without ink do not count.
    """
    if len(boxes) < MIN_FACES:
        return False
    dark, body, bright = _levels(image, boxes)
    inked = bright - dark >= CONTRAST
    lighter_ink = bright - body > body - dark
    black = inked & lighter_ink & (body < DARK_BODY * brightest_level(image))
    return bool(inked.sum() >= MIN_FACES and black.sum() >= MIN_SHARE * inked.sum())


def negative(image: Image) -> Image:
    """Invert the lightness of an image, uint8 RGB (height, width, 3), and keep its hues."""
    luma = cv2.cvtColor(image, cv2.COLOR_RGB2YCrCb)
    luma[..., 0] = 255 - luma[..., 0]
    return cv2.cvtColor(luma, cv2.COLOR_YCrCb2RGB).astype(np.uint8)


def _levels(image: Image, boxes: FloatArray) -> NDArray[np.float32]:
    """Return the levels (3, n) of the darkest part, the body and the brightest part of faces.

    The body is seen along the edges, as circles may cover most of a face.
    """
    margin = MARGIN * (boxes[:, 2:] - boxes[:, :2])
    low, high = boxes[:, :2] + margin, boxes[:, 2:] - margin
    steps = np.linspace(0, 1, _SIDE)[:, None]
    limits = image.shape[1] - 1, image.shape[0] - 1
    x, y = (
        np.clip(low[:, k] + steps * (high - low)[:, k], 0, limits[k]).astype(np.intp).T
        for k in (0, 1)
    )
    grey = image[y[:, :, None], x[:, None, :]].dot(_LUMA).astype(np.uint8)
    along = slice(_SIDE // 4, _SIDE - _SIDE // 4)
    edges = (grey[:, 0, along], grey[:, -1, along], grey[:, along, 0], grey[:, along, -1])
    dark, bright = byte_quantiles(grey.reshape(len(boxes), -1), (_DARKEST, 1 - _DARKEST)).T
    return np.stack([dark, np.median(np.hstack(edges), axis=1), bright]).astype(np.float32)
