"""A pinhole camera above a table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class View:
    """Position and angles of the camera.

    Attributes:
        elevation: degrees above the table, 90 looks straight down.
        azimuth: degrees walked around the table, 0 is the viewer's own seat, 180 the seat across.
        roll: degrees the phone is turned in the hand.
        field_of_view: degrees across the longer side of the picture.
        width, height: pixels.
    """

    elevation: float
    azimuth: float
    roll: float
    field_of_view: float
    width: int
    height: int


class Camera:
    """Projects points of the table to pixels, aimed so that given points fill the picture."""

    def __init__(
        self, view: View, points: FloatArray, fill: float, shift: tuple[float, float] = (0.0, 0.0)
    ) -> None:
        """Aim at `points`.

        Args:
            view: angles and picture size.
            points: shape (n, 3), what has to be on the picture.
            fill: their extent as a share of the picture, 1 touches the edge.
            shift: how far the middle of the points is moved off the picture's middle, as a share of
                width and height.
        """
        self.view = view
        el, az, roll = np.radians([view.elevation, view.azimuth, view.roll])
        back = np.array([np.cos(el) * np.sin(az), -np.cos(el) * np.cos(az), np.sin(el)])
        right = np.array([np.cos(az), np.sin(az), 0.0])
        down = -np.cross(back, right)
        c, s = np.cos(roll), np.sin(roll)
        self._axes = np.stack([c * right + s * down, -s * right + c * down, -back])
        self._focal = (
            0.5 * max(view.width, view.height) / np.tan(np.radians(view.field_of_view) / 2)
        )
        middle = (points.min(0) + points.max(0)) / 2
        half = np.array([view.width, view.height]) / 2
        self._centre = half.copy()
        distance = float(np.ptp(points, axis=0).max()) * 1.5 + 1.0
        for _ in range(12):
            self.position = middle + back * distance
            seen = self.project(points)
            extent = np.ptp(seen, axis=0) / (2 * half)
            distance *= float(extent.max()) / fill
            distance = max(distance, float(((points - middle) @ back).max()) + 0.8)
            self.position = middle + back * distance
            seen = self.project(points)
            middle = (
                middle + self._ground_offset((seen.min(0) + seen.max(0)) / 2 - half, distance) * 0.7
            )
        self._centre = half + np.array(shift) * 2 * half

    def _ground_offset(self, pixels: FloatArray, distance: float) -> FloatArray:
        """Return the move of the aim that shifts the picture by `pixels`."""
        x, y = pixels * distance / self._focal
        offset: FloatArray = x * self._axes[0] + y * self._axes[1]
        return offset

    def project(self, points: FloatArray) -> FloatArray:
        """Project points of shape (n, 3) to pixels of shape (n, 2)."""
        local = (points - self.position) @ self._axes.T
        depth = np.maximum(local[:, 2:], 1e-3)
        pixels: FloatArray = local[:, :2] / depth * self._focal + self._centre
        return pixels

    def depth(self, points: FloatArray) -> FloatArray:
        """Return how far points of shape (n, 3) lie before the camera along its axis, (n,)."""
        ahead: FloatArray = (points - self.position) @ self._axes[2]
        return ahead

    def plane(self, z: float) -> FloatArray:
        """Return the homography (3, 3) from x and y at the height `z` to pixels."""
        lens = np.array(
            [[self._focal, 0, self._centre[0]], [0, self._focal, self._centre[1]], [0, 0, 1]]
        )
        flat = np.column_stack([np.eye(3)[:, :2], np.array([0.0, 0.0, z]) - self.position])
        out: FloatArray = lens @ self._axes @ flat
        return out

    def distance(self, points: FloatArray) -> FloatArray:
        """Return the distance of each point from the camera, shape (n,)."""
        result: FloatArray = np.linalg.norm(points - self.position, axis=-1)
        return result
