"""A pinhole camera over a table: maps viewing rays to the table; the inverse map's Jacobian.

Many cameras are computed at once. A viewing ray is given by the two tangents of its angle to the
camera's axis, that is, as a point of the photo in focal lengths from its centre. A tilt is a
vector in the photo's direction in which the table recedes; its length is the tangent of the slant.
The origin of the table, on the camera's axis, is at distance 1 (Hartley and Zisserman, Multiple
View Geometry, 8.7).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_MIN_SLOPE = 0.05
"""Least slope of a viewing ray to the table, which keeps places at the horizon finite."""


class _Sight(NamedTuple):
    """Viewing rays in the frame of the direction in which the table recedes.

    Attributes:
        ux, uy: shape (m, 1), that direction.
        sine, cosine: shape (m, 1), of the slant.
        along, across: shape (m, n), tangents of the ray along and perpendicular to it.
        slope: shape (m, n), how steeply the ray meets the table.
    """

    ux: Array
    uy: Array
    sine: Array
    cosine: Array
    along: Array
    across: Array
    slope: Array

    @classmethod
    def of(cls, seen: Array, tilt: Array) -> _Sight:
        steep = np.hypot(tilt[:, 0], tilt[:, 1])
        unit = tilt / np.maximum(steep, 1e-9)[:, None]
        direction = np.where(steep[:, None] > 1e-9, unit, np.array([0.0, -1.0]))
        ux, uy = direction[:, None, 0], direction[:, None, 1]
        cosine = 1 / np.sqrt(1 + steep**2)
        sine, cosine = (steep * cosine)[:, None], cosine[:, None]
        along = seen[..., 0] * ux + seen[..., 1] * uy
        across = seen[..., 1] * ux - seen[..., 0] * uy
        slope = np.maximum(cosine - along * sine, _MIN_SLOPE)
        return cls(ux, uy, sine, cosine, along, across, slope)


def to_table(seen: Array, tilt: Array) -> Array:
    """Map viewing rays (m, n, 2) to places on the table, shape (m, n, 2).

    Args:
        seen: the rays.
        tilt: shape (m, 2), tilt of each camera.
    """
    sight = _Sight.of(seen, tilt)
    far = sight.along / sight.slope
    side = sight.across * (1 + far * sight.sine)
    x = far * sight.ux - side * sight.uy
    y = far * sight.uy + side * sight.ux
    return np.stack([x, y], axis=2)


def jacobian(seen: Array, tilt: Array) -> Array:
    """Return the Jacobian of viewing rays with respect to the places where they meet the table.

    Args:
        seen: the rays, shape (m, n, 2).
        tilt: shape (m, 2), tilt of each camera.

    Returns:
        Shape (m, n, 2, 2).
    """
    xx, xy, yx, yy = jacobian_entries(seen, tilt)
    return np.stack([np.stack([xx, xy], axis=2), np.stack([yx, yy], axis=2)], axis=2)


def jacobian_entries(seen: Array, tilt: Array) -> tuple[Array, Array, Array, Array]:
    """Return the entries of `jacobian` row by row, shape (m, n) each.

    In the frame (along, across), with the slope s of the ray and the slant t, the derivative is
    s / cos t times ((s, 0), (-across sin t, 1)): the identity plus the product of a vector w with
    the direction `along`.
    """
    sight = _Sight.of(seen, tilt)
    ux, uy, less, turn = sight.ux, sight.uy, sight.slope - 1, sight.across * sight.sine
    scale = sight.slope / sight.cosine
    wx, wy = scale * (less * ux + turn * uy), scale * (less * uy - turn * ux)
    return scale + wx * ux, wx * uy, wy * ux, scale + wy * uy
