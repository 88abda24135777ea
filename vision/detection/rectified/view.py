"""Rectified (bird's-eye) views for a second detector pass on photos from a low camera.

A low camera foreshortens tiles to less than their width, the front row occludes the second row, and
in a row along the viewing direction every tile is a different parallelogram. The table plane is
estimated from a first pass (`hupai.vision.geometry.table_plane`). The region around the tiles is
then warped by a homography so that tiles are rectangular, of one size, and in rows parallel to the
edges. Detections on a view are mapped back to the photo here too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hupai.vision.detection.picture import Picture
from hupai.vision.geometry.boxes import around, clipped, corners, distances
from hupai.vision.geometry.boxes import centres as centres_of
from hupai.vision.geometry.homography import depths, project
from hupai.vision.geometry.skew import skew
from hupai.vision.geometry.table_plane import MIN_TILES, RATIO, Plane, slanted
from hupai.vision.quads import ordered
from hupai.vision.types import Detections, FloatArray

MIN_SLANT = float(np.radians(30))
"""Slant of the table below which the photo is not rectified, radians."""

MAX_DISTANCE = 14.0
"""Distance from the median tile up to which tiles are on the view, tile widths.

Walls can run to the horizon.
"""

MAX_APART = 3.0
"""Distance from the nearest clear face up to which other tiles are on the view, tile widths."""

MARGIN = 2.0
"""Space around the tiles on the view, tile widths: the first pass may have missed some."""

WIDTHS = (24.0, 96.0)
"""Least and greatest width of a tile on the view, pixels; between them it is as on the photo."""

MAX_SIDE = 1800.0
"""Longest side of the view, pixels."""

_OUTSIDE = -1e6
"""Coordinate of points beyond the horizon, pixels: far off every view."""

_HORIZON = 0.05
"""Depth, as a share of that of the photo's middle, below which a point counts as sky."""


def _before_horizon(
    boxes: NDArray[np.float64], plane: Plane
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the middles of the k boxes nearer than the horizon and their places, (k, 2) each."""
    centres = centres_of(boxes)
    centres = centres[depths(plane.homography, centres) > _HORIZON]
    return centres, project(plane.homography, centres)


@dataclass(frozen=True, slots=True, eq=False)
class RectifiedView:
    """A bird's-eye view of the table, through a homography of a photo.

    Attributes:
        picture: the view; grey where the photo ends.
        forward: shape (3, 3), maps homogeneous pixels of the photo to pixels of this picture.
        tile_width: width of a tile on the view, pixels.
    """

    picture: Picture
    forward: NDArray[np.float64]
    tile_width: float

    @classmethod
    def of(
        cls,
        photo: Picture,
        boxes: FloatArray,
        axes: FloatArray,
        clear: NDArray[np.bool_] | None = None,
    ) -> RectifiedView | None:
        """Rectify the table, estimated from the tiles of a first pass.

        Args:
            photo: the photo.
            boxes: shape (n, 4), [x0, y0, x1, y1] in pixels.
            axes: shape (n,), see `hupai.vision.types.Detections`.
            clear: shape (n,), tiles that determine the plane; others are included if they are near
                these. None: all tiles.

        Returns:
            None if the table is already seen from above, or there are too few tiles.
        """
        valid = (boxes[:, 2:] > boxes[:, :2]).all(1)
        if valid.sum() < MIN_TILES:
            return None
        used = np.nonzero(valid if clear is None else valid & clear)[0]
        known = boxes[used].astype(np.float64)
        plane = slanted(known, axes[used].astype(np.float64), photo.size, MIN_SLANT)
        if plane is None:
            return None
        others = np.setdiff1d(np.nonzero(valid)[0], used)
        return cls.on_plane(photo, known, plane, boxes[others].astype(np.float64))

    @classmethod
    def on_plane(
        cls,
        photo: Picture,
        boxes: NDArray[np.float64],
        plane: Plane,
        others: NDArray[np.float64] | None = None,
    ) -> RectifiedView | None:
        """Rectify a known plane around some tiles.

        Args:
            photo: the photo.
            boxes: boxes of the tiles, shape (n, 4), pixels.
            plane: the plane.
            others: boxes (m, 4) of less clear tiles, which are included if they are near these.

        Returns:
            None if all tiles are at the horizon.
        """
        centres, places = _before_horizon(boxes, plane)
        if not len(centres):
            return None
        near = (np.abs(places - np.median(places, axis=0)) < MAX_DISTANCE).all(1)
        centres, places = centres[near], places[near]
        if not len(centres):
            return None
        if others is not None:
            more, at = _before_horizon(others, plane)
            beside = distances(at, places).min(1) < MAX_APART
            centres, places = np.vstack([centres, more[beside]]), np.vstack([places, at[beside]])
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
        return cls(photo.through(forward, size), forward, scale)

    def to_view(self, points: FloatArray) -> FloatArray:
        """Map points (n, 2) of the photo to this picture, those beyond the horizon far off it."""
        ahead = (depths(self.forward, points) > 0)[:, None]
        mapped = project(self.forward, np.where(ahead, points, 0.0))
        return np.where(ahead, mapped, _OUTSIDE).astype(np.float32)

    def boxes_to_photo(self, boxes: FloatArray) -> FloatArray:
        """Return the smallest boxes (n, 4) of the photo around boxes (n, 4) of this picture."""
        points = project(np.linalg.inv(self.forward), corners(boxes).reshape(-1, 2))
        return around(points.reshape(-1, 4, 2)).astype(np.float32)

    def quads_to_photo(self, quads: FloatArray) -> FloatArray:
        """Map the corners (n, 4, 2) of tiles on this picture to the photo."""
        points = project(np.linalg.inv(self.forward), quads.reshape(-1, 2))
        return points.reshape(-1, 4, 2).astype(np.float32)

    def axes_to_photo(self, axes: FloatArray, boxes: FloatArray) -> FloatArray:
        """Map directions (n,), radians modulo pi, of tiles with boxes (n, 4) back to the photo."""
        back = np.linalg.inv(self.forward)
        middle = centres_of(boxes).astype(np.float64)
        direction = np.stack([np.cos(axes), np.sin(axes)], 1).astype(np.float64)
        step = np.subtract(project(back, middle + direction), project(back, middle))
        return (np.arctan2(step[:, 1], step[:, 0]) % np.pi).astype(np.float32)

    def misfits(self, quads: FloatArray) -> NDArray[np.float64]:
        """Return how far outlines are from those of tiles that lie on the table, shape (n,).

        Args:
            quads: corners on the photo, shape (n, 4, 2), pixels.

        Returns:
            The root of the sum of three squares: the angle from a rectangle, radians, and the
            deviations of the shorter and the longer side, logarithms.
        """
        corners = self.to_view(quads.reshape(-1, 2)).reshape(-1, 4, 2) / self.tile_width
        one = (corners[:, 1] - corners[:, 0] + corners[:, 2] - corners[:, 3]) / 2
        other = (corners[:, 3] - corners[:, 0] + corners[:, 2] - corners[:, 1]) / 2
        sides = np.sort([np.linalg.norm(side, axis=1) for side in (one, other)], 0)
        sides = np.maximum(sides, 1e-6)
        skewed = np.arcsin(np.clip((one * other).sum(1) / sides.prod(0), -1, 1))
        unlike = np.log(sides / np.array([[1.0], [RATIO]]))
        misfits: NDArray[np.float64] = np.sqrt((unlike**2).sum(0) + skewed**2)
        return misfits

    def covers(self, points: FloatArray) -> NDArray[np.bool_]:
        """Return which points of the photo, shape (n, 2), are on this view."""
        mapped = self.to_view(points)
        return np.asarray((mapped >= 0).all(1) & (mapped < self.picture.size).all(1))


def on_photo(view: RectifiedView, seen: Detections, size: tuple[int, int]) -> Detections:
    """Map detections of a view to the photo of that width and height, pixels.

    Boxes enclose the quads; if they enclosed the mapped boxes, they would be loose around askew
    tiles.
    """
    low = seen.low_confidence
    axes = view.axes_to_photo(seen.axes, seen.boxes)
    quads = ordered(view.quads_to_photo(seen.quads), axes)
    below = None if low is None else on_photo(view, low, size)
    return seen.with_boxes(clipped(around(quads), *size), axes, below, quads)
