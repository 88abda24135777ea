"""Turns a photo whose tiles lie askew so that their rows run along its edges, widens one whose
tiles look squeezed, and brings what is found there back.

A detector of upright boxes sees a row that runs diagonally at its worst: the boxes of neighbours
overlap, and a box holds as much of the neighbours as of its tile. Rows give their direction away by
the lines between neighbours, so one turn puts it right. Tiles twice as long as wide come from low
cameras and from photos that were stretched to another shape; both read better widened.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from hupai.vision.types import FloatArray, Image

LEAST_TILES = 4
"""Fewer say nothing about rows."""
LEAST_AGREEMENT = 3.0
"""By how many standard deviations more neighbours than by chance have to lie in the commonest
direction.
"""
WINDOW = float(np.radians(5))
"""Radians to both sides of a direction that count as the same."""
LEAST_BOXES = 7
"""Fewer say nothing about how a photo is squeezed."""
SPREAD = 0.25
"""Median deviation of log aspects up to which boxes are of one shape."""
SQUEEZED = 1.7
"""Boxes longer than this in shorter sides are widened; a tile is 1.25 to 1.45 times as long as
wide.
"""
USUAL = 1.3
"""How long they are after that, in shorter sides."""
LARGEST = 4096
"""Longest side of a widened picture; beyond it the other side is shortened instead, pixels."""
NEIGHBOUR = 1.22
"""Neighbours are at most this many times as far apart as tiles that touch: not the tile beyond, nor
the one diagonally across.
"""


def skew(boxes: FloatArray) -> float | None:
    """Angle of the rows against the picture's edges, radians from -pi/4 to pi/4, clockwise on the
    picture; None without rows.

    Args:
        boxes: shape (n, 4), [x0, y0, x1, y1] in pixels.
    """
    if len(boxes) < LEAST_TILES:
        return None
    centres = (boxes[:, :2] + boxes[:, 2:]) / 2
    between = centres[None] - centres[:, None]
    distance = np.hypot(between[..., 0], between[..., 1])
    np.fill_diagonal(distance, np.inf)
    touching = float(np.percentile(distance.min(1), 35))
    first, second = np.nonzero(np.triu(distance < NEIGHBOUR * touching))
    if len(first) < LEAST_TILES - 1:
        return None
    step = between[first, second]
    # Modulo a quarter turn: both ways along a row and across it count as one direction.
    angles = np.arctan2(step[:, 1], step[:, 0])
    apart = (angles[:, None] - angles[None] + np.pi / 4) % (np.pi / 2) - np.pi / 4
    near = np.abs(apart) < WINDOW
    best = int(near.sum(1).argmax())
    chance = len(angles) * 2 * WINDOW / (np.pi / 2)
    if near[best].sum() < max(LEAST_TILES - 1, chance + LEAST_AGREEMENT * np.sqrt(chance)):
        return None
    middle = angles[best] - apart[best][near[best]].mean()
    return float((middle + np.pi / 4) % (np.pi / 2) - np.pi / 4)


def squeeze(boxes: FloatArray) -> float:
    """How many times as wide a picture has to become for its tiles to have their usual shape; below
    1, it has to become higher by the inverse; 1 where they look usual or are of several shapes.

    Args:
        boxes: shape (n, 4), [x0, y0, x1, y1] in pixels, of tiles in rows along the picture's edges.
    """
    if len(boxes) < LEAST_BOXES:
        return 1.0
    size = np.maximum(boxes[:, 2:] - boxes[:, :2], 1e-3)
    shape = np.log(size[:, 1] / size[:, 0])
    usual = float(np.median(shape))
    if abs(usual) < np.log(SQUEEZED) or float(np.median(np.abs(shape - usual))) > SPREAD:
        return 1.0
    return float(np.exp(usual - np.sign(usual) * np.log(USUAL)))


@dataclass(frozen=True, slots=True, eq=False)
class DeskewedView:
    """A turned, and perhaps widened, picture.

    Attributes:
        image: the picture, uint8 RGB, as large as it needs to be.
        forward: shape (2, 3), maps pixels of the original to pixels of this picture.
    """

    image: Image
    forward: NDArray[np.float64]

    @classmethod
    def by(cls, image: Image, angle: float, wider: float = 1.0) -> DeskewedView:
        """Turn rows that lie at `angle`, radians clockwise, so that they run along the edges, and
        make the picture `wider`; outside the photo it is grey.
        """
        height, width = image.shape[:2]
        matrix = cv2.getRotationMatrix2D(
            (width / 2, height / 2), float(np.degrees(angle)), 1.0
        ).astype(np.float64)
        c, s = abs(matrix[0, 0]), abs(matrix[0, 1])
        across, down = width * c + height * s, width * s + height * c
        matrix[:, 2] += (across / 2 - width / 2, down / 2 - height / 2)
        by = np.array([max(wider, 1.0), max(1 / wider, 1.0)])
        by *= min(1.0, max(LARGEST, across, down) / max(across * by[0], down * by[1]))
        # Pixels are areas: the middle of the first one stays half a pixel from the edge.
        matrix = np.concatenate([matrix[:, :2], matrix[:, 2:] + 0.5], 1) * by[:, None] - [
            [0, 0, 0.5],
            [0, 0, 0.5],
        ]
        size = (round(across * by[0]), round(down * by[1]))
        turned = cv2.warpAffine(
            image, matrix, size, flags=cv2.INTER_LINEAR, borderValue=(114, 114, 114)
        )
        return cls(turned.astype(np.uint8), matrix)

    def to_view(self, points: FloatArray) -> FloatArray:
        """Points (n, 2) of the original on this picture."""
        out: FloatArray = (points @ self.forward[:, :2].T + self.forward[:, 2]).astype(np.float32)
        return out

    def boxes_to_photo(self, boxes: FloatArray) -> FloatArray:
        """Smallest upright boxes (n, 4) of the original around boxes (n, 4) of the turned
        picture.
        """
        if len(boxes) == 0:
            return boxes
        inverse = cv2.invertAffineTransform(self.forward)
        corners = (
            boxes[:, [0, 1, 2, 1, 2, 3, 0, 3]].reshape(-1, 4, 2) @ inverse[:, :2].T + inverse[:, 2]
        )
        out: FloatArray = np.concatenate([corners.min(1), corners.max(1)], 1).astype(np.float32)
        return out

    def axes_to_photo(self, axes: FloatArray, _boxes: FloatArray | None = None) -> FloatArray:
        """Axes (n,), radians modulo pi, as they lie on the original, wherever their boxes (n, 4)
        are.
        """
        inverse = cv2.invertAffineTransform(self.forward)[:, :2]
        x, y = inverse @ np.stack([np.cos(axes), np.sin(axes)])
        out: FloatArray = (np.arctan2(y, x) % np.pi).astype(np.float32)
        return out
