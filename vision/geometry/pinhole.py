"""A pinhole camera over a table: where what it sees lies, and how the picture changes with the
place.

Many cameras are computed at once. Directions of sight are tangents, measured from the camera's
axis; a tilt is the direction on the photo in which the table recedes, as long as the tangent of its
slant; the table's middle, on the camera's axis, is at distance 1 (Hartley and Zisserman, Multiple
View Geometry, 8.7).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def slanted(tilt: Array) -> tuple[Array, Array, Array, Array]:
    """Direction (m, 2) in which the table recedes, sine and cosine (m,) of its slant, from tilts
    (m, 2).
    """
    steep = np.hypot(tilt[:, 0], tilt[:, 1])
    way = np.where(
        steep[:, None] > 1e-9, tilt / np.maximum(steep, 1e-9)[:, None], np.array([0.0, -1.0])
    )
    cosine = 1 / np.sqrt(1 + steep**2)
    return way, steep * cosine, cosine, steep


def to_table(seen: Array, tilt: Array) -> Array:
    """Places on the table, shape (m, n, 2), of directions of sight (m, n, 2); the table's middle is
    at distance 1.
    """
    way, sine, cosine, _ = slanted(tilt)
    along = seen[..., 0] * way[:, None, 0] + seen[..., 1] * way[:, None, 1]
    across = seen[..., 1] * way[:, None, 0] - seen[..., 0] * way[:, None, 1]
    slope = np.maximum(cosine[:, None] - along * sine[:, None], 0.05)
    far = along / slope
    side = across * (1 + far * sine[:, None])
    x = far * way[:, None, 0] - side * way[:, None, 1]
    y = far * way[:, None, 1] + side * way[:, None, 0]
    return np.stack([x, y], axis=2)


def jacobian(seen: Array, tilt: Array) -> Array:
    """Derivative of the direction of sight by the place on the table, shape (m, n, 2, 2), there
    where `seen` looks.
    """
    way, sine, cosine, _ = slanted(tilt)
    along = seen[..., 0] * way[:, None, 0] + seen[..., 1] * way[:, None, 1]
    across = seen[..., 1] * way[:, None, 0] - seen[..., 0] * way[:, None, 1]
    slope = np.maximum(cosine[:, None] - along * sine[:, None], 0.05)
    depth = 1 + along / slope * sine[:, None]
    # In the frame (along, across): d along / d far, d across / d far, d across / d side.
    aa = (cosine[:, None] - along * sine[:, None]) / depth
    ba = -across * sine[:, None] / depth
    bb = 1 / depth
    wx, wy = way[:, None, 0], way[:, None, 1]
    # Table and photo are turned back by the same angle: far = (wx, wy), side = (-wy, wx).
    xx = wx * aa * wx + (-wy) * (ba * wx + bb * (-wy))
    xy = wx * aa * wy + (-wy) * (ba * wy + bb * wx)
    yx = wy * aa * wx + wx * (ba * wx + bb * (-wy))
    yy = wy * aa * wy + wx * (ba * wy + bb * wx)
    return np.stack([np.stack([xx, xy], axis=2), np.stack([yx, yy], axis=2)], axis=2)
