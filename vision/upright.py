"""Turns a photo whose tiles lie askew so that their rows run along its edges, and brings what is found there back.

A detector of upright boxes sees a row that runs diagonally at its worst: the boxes of neighbours overlap, and a box holds as
much of the neighbours as of its tile. Rows give their direction away by the lines between neighbours, so one turn puts it right.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.types import FloatArray, Image

LEAST_TILES = 4
"""Fewer say nothing about rows."""
LEAST_AGREEMENT = 3.0
"""By how many standard deviations more neighbours than by chance have to lie in the commonest direction."""
WINDOW = float(np.radians(5))
"""Radians to both sides of a direction that count as the same."""
NEIGHBOUR = 1.22
"""Neighbours are at most this many times as far apart as tiles that touch: not the tile beyond, nor the one diagonally across."""


def skew(boxes: FloatArray) -> float | None:
    """Angle of the rows against the picture's edges, radians from -pi/4 to pi/4, clockwise on the picture; None without rows.

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


@dataclass(frozen=True, slots=True, eq=False)
class Turned:
    """A turned picture.

    Attributes:
        image: the picture, uint8 RGB, as large as the turn needs.
        forward: shape (2, 3), maps pixels of the original to pixels of the turned picture.
        angle: radians by which rows were turned, clockwise is positive.
    """

    image: Image
    forward: NDArray[np.float64]
    angle: float

    @classmethod
    def by(cls, image: Image, angle: float) -> Turned:
        """Turn rows that lie at `angle` so that they run along the edges; outside the photo the picture is grey."""
        height, width = image.shape[:2]
        matrix = cv2.getRotationMatrix2D((width / 2, height / 2), float(np.degrees(angle)), 1.0).astype(np.float64)
        c, s = abs(matrix[0, 0]), abs(matrix[0, 1])
        across, down = round(width * c + height * s), round(width * s + height * c)
        matrix[:, 2] += (across / 2 - width / 2, down / 2 - height / 2)
        turned = cv2.warpAffine(image, matrix, (across, down), flags=cv2.INTER_LINEAR, borderValue=(114, 114, 114))
        return cls(turned.astype(np.uint8), matrix, angle)

    def boxes_back(self, boxes: FloatArray) -> FloatArray:
        """Smallest upright boxes (n, 4) of the original around boxes (n, 4) of the turned picture."""
        if len(boxes) == 0:
            return boxes
        inverse = cv2.invertAffineTransform(self.forward)
        corners = boxes[:, [0, 1, 2, 1, 2, 3, 0, 3]].reshape(-1, 4, 2) @ inverse[:, :2].T + inverse[:, 2]
        out: FloatArray = np.concatenate([corners.min(1), corners.max(1)], 1).astype(np.float32)
        return out

    def axes_back(self, axes: FloatArray) -> FloatArray:
        """Axes (n,), radians modulo pi, as they lie on the original."""
        out: FloatArray = ((axes + self.angle) % np.pi).astype(np.float32)
        return out
