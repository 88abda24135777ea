"""Backs that look like faces, recognised by their number: a set has four of each face at most.

Some backs have the colour of the faces' bodies, and no crop distinguishes such a back from a blank
white dragon. Others bear a print that looks like a green dragon or a flower.
"""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from hupai.scoring.tiles import Tile
from hupai.vision.detection.merging import COPIES, shows_equal_faces
from hupai.vision.detection.picture import Picture
from hupai.vision.geometry.boxes import touching
from hupai.vision.geometry.connected import connected
from hupai.vision.types import Detections, FloatArray

MAX_INK = 7.0
"""Greatest deviation from an even shade of a tile without ink, levels of 255: of 139 tiles read as
white dragons on photos with more than four of them, blank ones have 1 to 6, framed ones 31 to 83,
and four others 10 to 16.
"""

_SIZE = (48, 64)
"""Width and height at which a tile is examined, pixels."""

_MARGIN = 6
"""Edge of it that is not examined, pixels: outlines are not exact."""


def without_surplus(picture: Picture, seen: Detections) -> Detections:
    """Rename faces as backs where there are more of them than a set has."""
    return _without_equal_faces(_without_blanks(picture, seen))


def _without_equal_faces(seen: Detections) -> Detections:
    """Rename faces of which there are more than four, if more than a third of all are surplus.

    On 924 photos and rendered hands no faces were so equal; fewer surplus tiles are misread ones.
    """
    if not shows_equal_faces(seen):
        return seen
    names = seen.probabilities.argmax(1)
    too_many = (np.bincount(names)[names] > COPIES) & (names < Tile.BACK)
    shares = seen.probabilities.copy()
    shares[too_many] = 0.0
    shares[too_many, Tile.BACK] = 1.0
    return replace(seen, probabilities=shares)


def _without_blanks(picture: Picture, seen: Detections) -> Detections:
    """Rename blank white dragons as backs if there are more of them than a set has.

    Four of them must lie in a row, as in a concealed kong or a wall: beside true white dragons,
    sides of other tiles may be mistaken for single ones.
    """
    whites = np.nonzero(seen.probabilities.argmax(1) == Tile.WHITE)[0]
    if len(whites) <= COPIES:
        return seen
    blank = whites[_ink(picture, seen.quads[whites]) < MAX_INK]
    if len(blank) <= COPIES:
        return seen
    boxes = seen.boxes[blank]
    if max(map(len, connected(touching(boxes, boxes)))) < COPIES:
        return seen
    shares = seen.probabilities.copy()
    shares[blank, Tile.BACK] += shares[blank, Tile.WHITE]
    shares[blank, Tile.WHITE] = 0.0
    return replace(seen, probabilities=shares)


def _ink(picture: Picture, quads: FloatArray) -> NDArray[np.float64]:
    """Return the deviations (n,) of tiles from an even shade, given their outlines (n, 4, 2)."""
    views = picture.straightened(quads, _SIZE)
    inner = np.s_[_MARGIN:-_MARGIN, _MARGIN:-_MARGIN]
    grey = (cv2.cvtColor(view, cv2.COLOR_RGB2GRAY) for view in views)
    smooth = np.array([cv2.GaussianBlur(one, (0, 0), 1.5)[inner] for one in grey], np.float64)
    shades = smooth.reshape(len(quads), -1)
    y, x = np.indices(smooth.shape[1:]).reshape(2, -1)
    plane = np.stack([np.ones(x.shape), x, y], 1)
    even = shades @ np.linalg.pinv(plane).T @ plane.T
    deviations: NDArray[np.float64] = np.percentile(np.abs(shades - even), 95, axis=1)
    return deviations
