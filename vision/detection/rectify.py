"""Rectified (bird's-eye) views, on which the detector finds the tiles of a low camera once more.

Seen by a low camera tiles are shorter than they are wide, those in the second row hide behind those
in front, and a row along the line of sight shows every tile as another parallelogram. The plane of
the table is estimated from a first pass (`hupai.vision.geometry.table_plane`); the part of the
photo around the tiles is then warped so that they are square and of one size, and turned so that
their rows run along its edges.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from hupai.vision.detection.deskew import skew
from hupai.vision.detection.views import BORDER, View, depths, project
from hupai.vision.geometry.boxes import centres as centres_of
from hupai.vision.geometry.table_plane import Plane, slanted
from hupai.vision.types import FloatArray, Image

MIN_SLANT = float(np.radians(30))
"""Angle between line of sight and table normal below which the photo is read as it is, radians."""

MIN_TILES = 5
"""Tiles needed to estimate the plane of the table."""

MAX_DISTANCE = 14.0
"""Distance from the median tile up to which tiles are on the view, tile widths.

Walls can run to the horizon.
"""

MARGIN = 2.0
"""Space around the tiles on the view, tile widths: the first pass may have missed some."""

WIDTHS = (24.0, 96.0)
"""Least and greatest width of a tile on the view, pixels; between them it is as on the photo."""

MAX_SIDE = 1800.0
"""Longest side of the view, pixels."""

_MAX_DISTORTION = 1.15
"""Ratio of scales between two views of one table up to which they show the same."""

_HORIZON = 0.05
"""Depth, as a share of that of the photo's middle, below which a point counts as sky."""


@dataclass(frozen=True, slots=True, eq=False)
class RectifiedView(View):
    """The table as seen from straight above."""

    @classmethod
    def of(cls, image: Image, boxes: FloatArray, axes: FloatArray) -> RectifiedView | None:
        """Rectify the table under tiles that a first pass found.

        Args:
            image: the photo.
            boxes: shape (n, 4), [x0, y0, x1, y1] in pixels.
            axes: shape (n,), see `hupai.vision.types.Detections`.

        Returns:
            None where the table is seen from above already, or the tiles are too few.
        """
        valid = (boxes[:, 2:] > boxes[:, :2]).all(1)
        if valid.sum() < MIN_TILES:
            return None
        places = boxes[valid].astype(np.float64)
        size = (image.shape[1], image.shape[0])
        plane = slanted(places, axes[valid].astype(np.float64), size, MIN_SLANT)
        return None if plane is None else cls.on_plane(image, places, plane)

    @classmethod
    def on_plane(
        cls, image: Image, boxes: NDArray[np.float64], plane: Plane
    ) -> RectifiedView | None:
        """Rectify a known plane around tiles with boxes (n, 4); None if all are at the horizon."""
        centres = centres_of(boxes)
        centres = centres[depths(plane.homography, centres) > _HORIZON]
        if not len(centres):
            return None
        places = project(plane.homography, centres)
        near = (np.abs(places - np.median(places, axis=0)) < MAX_DISTANCE).all(1)
        centres, places = centres[near], places[near]
        if not len(centres):
            return None
        angle = skew(np.concatenate([places - 0.5, places + 0.5], 1).astype(np.float32)) or 0.0
        c, s = np.cos(angle), np.sin(angle)
        turned = np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]]) @ plane.homography
        places = project(turned, centres)
        low, high = places.min(0) - MARGIN, places.max(0) + MARGIN
        widths = np.sqrt((plane.stretch(centres) ** 2).sum(1).max(1))
        scale = min(
            float(np.clip(np.quantile(widths, 0.75), *WIDTHS)), MAX_SIDE / float((high - low).max())
        )
        forward = (
            np.array([[scale, 0, -low[0] * scale], [0, scale, -low[1] * scale], [0, 0, 1]]) @ turned
        )
        size = (round((high[0] - low[0]) * scale), round((high[1] - low[1]) * scale))
        flat = cv2.warpPerspective(image, forward, size, flags=cv2.INTER_LINEAR, borderValue=BORDER)
        return cls(flat.astype(np.uint8), forward)

    def is_similar(self, other: RectifiedView) -> bool:
        """Tell whether both views show the table alike, up to turning and scaling.

        They do where a square of the other view is nowhere longer than wide here, and no part of it
        larger than another, by more than `_MAX_DISTORTION`.
        """
        height, width = other.image.shape[:2]
        grid = np.array([[x, y] for x in (0.2, 0.5, 0.8) for y in (0.2, 0.5, 0.8)])
        points = grid * (width, height)
        from_other = self.forward @ np.linalg.inv(other.forward)
        if (depths(from_other, points) <= 0).any():
            return False
        here = project(from_other, points)
        slopes = np.stack([project(from_other, points + step) - here for step in np.eye(2)], axis=2)
        scales = np.linalg.svd(slopes, compute_uv=False)
        return float(scales.max() / scales.min()) < _MAX_DISTORTION

    def covers(self, points: FloatArray) -> NDArray[np.bool_]:
        """Tell which points of the photo, shape (n, 2), are on this view."""
        mapped = self.to_view(points)
        size = np.array(self.image.shape[1::-1])
        return np.asarray((mapped >= 0).all(1) & (mapped < size).all(1))
