"""How far the body colour of each tile is from that of the faces on the same photo.

A back is plain and differs in colour from the bodies of the faces around it. A crop alone does not
show this, but the photo as a whole does.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from hupai.scoring.tiles import Tile
from hupai.vision.detection.picture import Picture
from hupai.vision.geometry.boxes import centres, sizes
from hupai.vision.numeric import byte_quantiles
from hupai.vision.types import FloatArray

_SIDE = 16
"""Side of the pictures whose median is the body colour, pixels."""

_INNER = 0.6
"""Side of the part of a box that is measured; its corners may lie beside a tilted tile."""

_CLEAR_FACE = 0.9
"""Probability of one face with ink from which a tile's body is a reference."""

_MIN_REFERENCES = 3
"""Least number of references."""

_SPREAD = np.array([4.0, 12.0], np.float32)
"""Insignificant distances of chroma and lightness (CIELAB), added to the spread of the faces."""

_MOST = 4.0
"""Maximum result: anything farther away is simply another colour."""


def body_distances(picture: Picture, boxes: FloatArray, shares: FloatArray) -> FloatArray:
    """Measure the distance of each tile's body colour from that of the clear faces.

    Args:
        picture: the picture that shows the tiles.
        boxes: shape (n, 4), pixels.
        shares: probabilities (n, 44) by the crop classifier.

    Returns:
        Chroma and lightness in multiples of their spread, (n, 2); zeros if few faces are clear.
    """
    faces = shares[:, : Tile.BACK].copy()
    faces[:, Tile.WHITE] = 0.0
    clear = faces.max(1, initial=0.0) > _CLEAR_FACE
    if clear.sum() < _MIN_REFERENCES:
        return np.zeros((len(boxes), 2), np.float32)
    colours = _body_colours(picture, boxes)
    apart = colours - np.median(colours[clear], axis=0)
    away = np.stack([np.linalg.norm(apart[:, 1:], axis=1), np.abs(apart[:, 0])], 1)
    relative = away / (_SPREAD + np.median(away[clear], axis=0))
    return np.asarray(np.minimum(relative, _MOST), np.float32)


def _body_colours(picture: Picture, boxes: FloatArray) -> NDArray[np.float32]:
    """Return the median colour (n, 3), CIELAB, inside each box; ink covers less than half."""
    middle, half = centres(boxes), sizes(boxes) * _INNER / 2
    parts = picture.cut(np.concatenate([middle - half, middle + half], 1), (_SIDE, _SIDE))
    lab = cv2.cvtColor(parts.reshape(-1, _SIDE, 3), cv2.COLOR_RGB2LAB).astype(np.uint8)
    return byte_quantiles(lab.reshape(len(boxes), -1, 3).transpose(0, 2, 1), 0.5)
