"""Distinguishes red fives from plain ones by their ink, compared with other tiles of the suit.

A red five has red ink only, while a plain 5m has a black number over its red character, a plain 5p
one red dot and a plain 5s one red stick. Some tile sets print a whole suit in red; their fives are
no redder than the other tiles of the suit.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hupai.scoring.tiles import FIVES
from hupai.vision.detection.picture import Picture
from hupai.vision.numeric import byte_quantiles, sigmoid
from hupai.vision.types import Detections, FloatArray

WIDTH, HEIGHT = 36, 48
"""Size to which a face is resampled, pixels."""

RIM = 4
"""Pixels at its edges that are ignored."""

INK = 0.66
"""Value of a pixel's darkest channel, relative to the tile's body, below which it is ink."""

REDDER = 0.16
"""Red minus the stronger of green and blue, relative to the tile's body, above which ink is red;
below half of it ink has another colour.
"""

BODY = 0.85
"""Quantile of a face's pixels, by channel, that is taken for the colour of the tile's body."""

LEAST_INK = 0.04
"""Least share of ink from which redness is measured."""

THRESHOLD = 0.7
"""Share of red in the ink at which a five is as likely red as plain."""

LOOKS_RED = 0.5
"""Share of red from which the other tiles of the suit are examined; below it no five is red."""

MORE_THAN_OTHERS = 0.15
"""Least share of red by which a red five exceeds the other tiles of its suit on the photo."""

MIN_OTHERS = 2
"""Least number of other tiles of a suit from which its usual share of red is estimated."""

_STEEPNESS = 18.0
"""Log-odds of a red five per unit of the share of red."""

_SUITED = 27
"""Number of faces of the three suits, the first in the order of `hupai.scoring.tiles.Tile`."""


def red_shares(faces: NDArray[np.uint8]) -> FloatArray:
    """Return the share of red in the ink of faces (n, h, w, 3), RGB; 0 if there is hardly any ink.

    Returns:
        Shape (n,).
    """
    colours = faces.reshape(len(faces), -1, 3).transpose(0, 2, 1)
    # The body is assumed to be white, which removes the colour of the light.
    body = np.maximum(byte_quantiles(colours, BODY), 12)
    light = colours / body[:, :, None]
    ink = light.min(1) < INK
    redness = light[:, 0] - light[:, 1:].max(1)
    red, other = (ink & (redness > REDDER)).sum(1), (ink & (redness < REDDER / 2)).sum(1)
    shares = red / np.maximum(red + other, 1)
    return np.where(ink.mean(1) >= LEAST_INK, shares, 0.0).astype(np.float32)


def with_red_fives(picture: Picture, found: Detections) -> Detections:
    """Return a photo's tiles with the probability that each, if it is a five, is a red one.

    Only fives, including low-confidence ones, get a probability above 0.
    """
    low = found.low_confidence
    if low is not None:
        both = with_red_fives(picture, replace(found, low_confidence=None).with_others(low))
        n = len(found)
        return replace(found, reds=both.reds[:n], low_confidence=replace(low, reds=both.reds[n:]))
    faces = found.probabilities.argmax(1)
    fives = np.isin(faces, [int(tile) for tile in FIVES])
    if not fives.any():
        return found
    reds = np.zeros(len(found), np.float32)
    for suit in range(3):
        own = (faces < _SUITED) & (faces // 9 == suit)
        which = np.nonzero(own & fives)[0]
        shares = _shares(picture, found.quads[which])
        usual = 0.0
        if len(which) and shares.max() > LOOKS_RED:
            others = _shares(picture, found.quads[own & ~fives])
            usual = float(np.median(others)) if len(others) >= MIN_OTHERS else 0.0
        threshold = np.float32(max(THRESHOLD, usual + MORE_THAN_OTHERS))
        reds[which] = sigmoid(_STEEPNESS * (shares - threshold))
    return replace(found, reds=reds)


def _shares(picture: Picture, quads: FloatArray) -> FloatArray:
    """Return the shares of red (n,) of faces with outlines (n, 4, 2), without their rims."""
    if not len(quads):
        return np.zeros(0, np.float32)
    faces = picture.straightened(quads, (WIDTH, HEIGHT))
    return red_shares(faces[:, RIM:-RIM, RIM:-RIM])
