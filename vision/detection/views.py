"""Another view of a photo, warped from it, and the way to it and back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hupai.vision.detection.crops import FILL
from hupai.vision.geometry.boxes import around, centres, corners
from hupai.vision.types import FloatArray, Image

BORDER = (FILL, FILL, FILL)
"""Colour of a view where the photo ends, RGB."""

_OUTSIDE = -1e6
"""Coordinate of points beyond the horizon, pixels: far off every view."""


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """A picture warped from a photo by a homography.

    Attributes:
        image: the picture, uint8 RGB; grey where the photo ends.
        forward: shape (3, 3), maps homogeneous pixels of the photo to pixels of this picture.
    """

    image: Image
    forward: NDArray[np.float64]

    def to_view(self, points: FloatArray) -> FloatArray:
        """Map points (n, 2) of the photo to this picture; those beyond the horizon far off it."""
        ahead = (depths(self.forward, points) > 0)[:, None]
        mapped = project(self.forward, np.where(ahead, points, 0.0))
        return np.where(ahead, mapped, _OUTSIDE).astype(np.float32)

    def boxes_to_photo(self, boxes: FloatArray) -> FloatArray:
        """Return the smallest boxes (n, 4) of the photo around boxes (n, 4) of this picture."""
        if len(boxes) == 0:
            return boxes
        points = project(np.linalg.inv(self.forward), corners(boxes).reshape(-1, 2))
        return around(points.reshape(-1, 4, 2)).astype(np.float32)

    def quads_to_photo(self, quads: FloatArray) -> FloatArray:
        """Map the corners (n, 4, 2) of tiles on this picture to the photo."""
        if len(quads) == 0:
            return quads
        points = project(np.linalg.inv(self.forward), quads.reshape(-1, 2))
        return points.reshape(-1, 4, 2).astype(np.float32)

    def axes_to_photo(self, axes: FloatArray, boxes: FloatArray) -> FloatArray:
        """Map directions (n,), radians modulo pi, of tiles with boxes (n, 4) back to the photo."""
        back = np.linalg.inv(self.forward)
        middle = centres(boxes).astype(np.float64)
        direction = np.stack([np.cos(axes), np.sin(axes)], 1).astype(np.float64)
        step = np.subtract(project(back, middle + direction), project(back, middle))
        return (np.arctan2(step[:, 1], step[:, 0]) % np.pi).astype(np.float32)


def depths(homography: NDArray[np.floating], points: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return the homogeneous coordinate (n,) of mapped points; positive before the horizon."""
    out: NDArray[np.float64] = points @ homography[2, :2] + homography[2, 2]
    return out


def project(homography: NDArray[np.floating], points: NDArray[np.floating]) -> NDArray[np.float64]:
    """Map points (n, 2) through a homography (3, 3)."""
    out: NDArray[np.float64] = points @ homography[:2, :2].T + homography[:2, 2]
    return out / depths(homography, points)[:, None]
