"""How far the body colour of each tile is from that of the faces on the same photo.

A back is a plane of another colour than the bodies of the faces around it. A crop alone does not
show this, the photo as a whole does.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from hupai.scoring.tiles import Tile
from hupai.vision.detection.picture import Picture
from hupai.vision.types import FloatArray

_SIDE = 16
"""Side of the pictures whose median is the body colour, pixels."""

_INNER = 0.6
"""Side of the part of a box that is measured; its corners may lie beside a tilted tile."""

_CLEAR_FACE = 0.9
"""Probability of one face with ink from which a tile's body is a reference."""

_MIN_REFERENCES = 3
"""Least number of references."""

_SPREAD = (4.0, 12.0)
"""Distance of chroma and of lightness (CIELAB) that says nothing, added to the spread of faces."""

_MOST = 4.0
"""Greatest result: what is farther away is just another colour."""


def body_distances(picture: Picture, boxes: FloatArray, shares: FloatArray) -> FloatArray:
    """Measure the distance of each tile's body colour from that of the clear faces.

    Args:
        picture: that shows the tiles.
        boxes: shape (n, 4), pixels.
        shares: probabilities (n, 44) by the crop classifier.

    Returns:
        Distance of chroma and of lightness in multiples of their spread, shape (n, 2); zeros where
        too few faces are clear.
    """
    faces = shares[:, : Tile.BACK].copy()
    faces[:, Tile.WHITE] = 0.0
    clear = faces.max(1, initial=0.0) > _CLEAR_FACE
    if clear.sum() < _MIN_REFERENCES:
        return np.zeros((len(boxes), 2), np.float32)
    colours = _body_colours(picture, boxes)
    chroma, lightness = colours[:, 1:], colours[:, :1]
    found = []
    for values, least in zip((chroma, lightness), _SPREAD, strict=True):
        away = np.linalg.norm(values - np.median(values[clear], axis=0), axis=1)
        found.append(away / (least + np.median(away[clear])))
    return np.asarray(np.minimum(np.stack(found, 1), _MOST), np.float32)


def _body_colours(picture: Picture, boxes: FloatArray) -> NDArray[np.float32]:
    """Return the median colour (n, 3), CIELAB, of the inner part of each box: ink covers less."""
    middle, half = (boxes[:, :2] + boxes[:, 2:]) / 2, (boxes[:, 2:] - boxes[:, :2]) * _INNER / 2
    parts = picture.cut(np.concatenate([middle - half, middle + half], 1), (_SIDE, _SIDE))
    lab = cv2.cvtColor(parts.reshape(-1, _SIDE, 3), cv2.COLOR_RGB2LAB)
    colours: NDArray[np.float32] = np.median(lab.reshape(len(boxes), -1, 3), axis=1)
    return colours.astype(np.float32)
