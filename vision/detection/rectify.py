"""A photo from a low camera as it would look from straight above, to find and name its tiles once
more.

From a low camera tiles are shorter than they are wide, those in the second row hide behind those in
front, and a row that runs across the line of sight shows every tile as another parallelogram. The
plane of the table is estimated from a first look (`hupai.vision.geometry.table_plane`); the part of
the photo around the tiles is then warped so that they are of one size and square again, and turned
so that their rows run along its edges.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from hupai.vision.detection.deskew import skew
from hupai.vision.geometry.table_plane import Plane, slanted
from hupai.vision.types import FloatArray, Image

SLANT = float(np.radians(30))
"""A table seen less from the side than this, angle to its perpendicular, is read as it is."""
LEAST_TILES = 5
"""Fewer say too little about the table."""
FARTHEST = 14.0
"""Tiles further than this from the middle one, in widths of a tile, are left to the first look:
walls can run to the horizon.
"""
MARGIN = 2.0
"""Room around the tiles, widths of a tile; some of them the first look may have missed."""
WIDTHS = (24.0, 96.0)
"""A tile on the flat picture is at least and at most so wide, pixels; between, as wide as it is on
the photo.
"""
LARGEST = 1800.0
"""Longest side of the flat picture, pixels."""
_ALIKE = 1.15
"""Two pictures of a table whose shapes and sizes differ by less than this factor show the same
tiles.
"""
_HORIZON = 0.05
"""Points of the photo that the table reaches at no more than this share of the middle's nearness
are taken for sky.
"""


@dataclass(frozen=True, slots=True, eq=False)
class RectifiedView:
    """A picture of the table as seen from straight above.

    Attributes:
        image: the picture, uint8 RGB; grey where the photo ends.
        forward: shape (3, 3), maps pixels of the photo to pixels of this picture, homogeneous.
    """

    image: Image
    forward: NDArray[np.float64]

    @classmethod
    def of(cls, image: Image, boxes: FloatArray, axes: FloatArray) -> RectifiedView | None:
        """The table under tiles that a first look found, or None where it is not seen from the side
        or the tiles do not tell.

        Args:
            image: the photo.
            boxes: shape (n, 4), [x0, y0, x1, y1] in pixels.
            axes: shape (n,), see `hupai.vision.types.Detections`.
        """
        sound = (boxes[:, 2:] > boxes[:, :2]).all(1)
        if sound.sum() < LEAST_TILES:
            return None
        places = boxes[sound].astype(np.float64)
        plane = slanted(
            places, axes[sound].astype(np.float64), (image.shape[1], image.shape[0]), SLANT
        )
        return None if plane is None else cls.on_plane(image, places, plane)

    @classmethod
    def on_plane(
        cls, image: Image, boxes: NDArray[np.float64], plane: Plane
    ) -> RectifiedView | None:
        """The table as it lies on `plane`, around tiles with these boxes; None where all of them
        would lie beyond the horizon.
        """
        centres = (boxes[:, :2] + boxes[:, 2:]) / 2
        centres = centres[_nearness(plane.homography, centres) > _HORIZON]
        if not len(centres):
            return None
        there = _mapped(plane.homography, centres)
        near = (np.abs(there - np.median(there, axis=0)) < FARTHEST).all(1)
        centres, there = centres[near], there[near]
        if not len(centres):
            return None
        angle = skew(np.concatenate([there - 0.5, there + 0.5], 1).astype(np.float32)) or 0.0
        c, s = np.cos(angle), np.sin(angle)
        turned = np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]]) @ plane.homography
        there = _mapped(turned, centres)
        low, high = there.min(0) - MARGIN, there.max(0) + MARGIN
        widths = np.sqrt((plane.stretch(centres) ** 2).sum(1).max(1))
        scale = min(
            float(np.clip(np.quantile(widths, 0.75), *WIDTHS)), LARGEST / float((high - low).max())
        )
        forward = (
            np.array([[scale, 0, -low[0] * scale], [0, scale, -low[1] * scale], [0, 0, 1]]) @ turned
        )
        size = (round((high[0] - low[0]) * scale), round((high[1] - low[1]) * scale))
        flat = cv2.warpPerspective(
            image, forward, size, flags=cv2.INTER_LINEAR, borderValue=(114, 114, 114)
        )
        return cls(flat.astype(np.uint8), forward)

    def is_similar(self, other: RectifiedView) -> bool:
        """Whether this picture shows the table nearly as another one does, up to turning and
        scaling: of what is square there no part is here longer than wide, nor one part larger than
        another, by more than `_ALIKE`.
        """
        height, width = other.image.shape[:2]
        corners = np.array([[x, y] for x in (0.2, 0.5, 0.8) for y in (0.2, 0.5, 0.8)]) * (
            width,
            height,
        )
        there = self.forward @ np.linalg.inv(other.forward)
        if (_nearness(there, corners) <= 0).any():
            return False
        here = _mapped(there, corners)
        slopes = np.stack([_mapped(there, corners + step) - here for step in np.eye(2)], axis=2)
        sides = np.linalg.svd(slopes, compute_uv=False)
        return float(sides.max() / sides.min()) < _ALIKE

    def covers(self, points: FloatArray) -> NDArray[np.bool_]:
        """Which points of the photo, shape (n, 2), are on this picture."""
        there = self.to_view(points)
        return np.asarray((there >= 0).all(1) & (there < np.array(self.image.shape[1::-1])).all(1))

    def to_view(self, points: FloatArray) -> FloatArray:
        """Points (n, 2) of the photo on this picture; where the table reaches the horizon they are
        far off it.
        """
        near = (_nearness(self.forward, points) > 0)[:, None]
        there = _mapped(self.forward, np.where(near, points, 0.0))
        out: FloatArray = np.where(near, there, -1e6).astype(np.float32)
        return out

    def boxes_to_photo(self, boxes: FloatArray) -> FloatArray:
        """Smallest upright boxes (n, 4) of the photo around boxes (n, 4) of this picture."""
        if len(boxes) == 0:
            return boxes
        corners = _mapped(
            np.linalg.inv(self.forward), boxes[:, [0, 1, 2, 1, 2, 3, 0, 3]].reshape(-1, 2)
        ).reshape(-1, 4, 2)
        out: FloatArray = np.concatenate([corners.min(1), corners.max(1)], 1).astype(np.float32)
        return out

    def axes_to_photo(self, axes: FloatArray, boxes: FloatArray) -> FloatArray:
        """Axes (n,) of tiles with these boxes (n, 4) of this picture, radians modulo pi, as they
        lie on the photo.
        """
        back = np.linalg.inv(self.forward)
        middle = ((boxes[:, :2] + boxes[:, 2:]) / 2).astype(np.float64)
        way = np.stack([np.cos(axes), np.sin(axes)], 1).astype(np.float64)
        step = np.subtract(_mapped(back, middle + way), _mapped(back, middle))
        out: FloatArray = (np.arctan2(step[:, 1], step[:, 0]) % np.pi).astype(np.float32)
        return out


def _nearness(
    forward: NDArray[np.floating[Any]], points: NDArray[np.floating[Any]]
) -> NDArray[np.float64]:
    """The homogeneous coordinate (n,) of points (n, 2) mapped; it is positive on this side of the
    horizon.
    """
    near: NDArray[np.float64] = points @ forward[2, :2] + forward[2, 2]
    return near


def _mapped(
    forward: NDArray[np.floating[Any]], points: NDArray[np.floating[Any]]
) -> NDArray[np.float64]:
    """Points, shape (n, 2), through a homography."""
    mapped: NDArray[np.float64] = points @ forward[:2, :2].T + forward[:2, 2]
    return mapped / _nearness(forward, points)[:, None]
