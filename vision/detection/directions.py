"""Directions of tiles as the detector gives them.

For each box the network gives six numbers. With the box scaled to the square from -1 to 1, let the
vector u be half the tile's length and v half its width; the numbers are u_x², u_y², u_x u_y and the
same for v. Like backs and many faces, they do not distinguish a tile from the same tile upside
down, and unlike ordered corners they change continuously as a tile turns.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hupai.vision.geometry.boxes import centres, sizes
from hupai.vision.types import FloatArray


def half_axes(numbers: NDArray[np.floating], boxes: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return half the length and half the width of tiles, as vectors.

    Args:
        numbers: shape (n, 6).
        boxes: shape (n, 4), pixels.

    Returns:
        Shape (n, 2, 2), pixels; the first points to one end of the tile, the second to one of its
        sides, and together they span its box.
    """
    xx, yy, xy = np.moveaxis(np.asarray(numbers, np.float64).reshape(-1, 2, 3), 2, 0)
    # The vectors whose products are nearest to these; of two opposite ones, that with positive y.
    mean, half = (xx + yy) / 2, (xx - yy) / 2
    length = np.sqrt(np.maximum(mean + np.hypot(half, xy), 0.0))
    angle = np.arctan2(xy, half) / 2 % np.pi
    axes = np.stack([np.cos(angle), np.sin(angle)], 2) * length[..., None]
    # True vectors span the square exactly; estimated ones do so only after scaling.
    span = np.abs(axes).sum(1, keepdims=True)
    spanning: NDArray[np.float64] = axes / np.maximum(span, 1e-6) * sizes(boxes)[:, None] / 2
    return spanning


def directions(axes: NDArray[np.floating]) -> FloatArray:
    """Return the directions (n,) of tiles modulo pi, radians, by their half axes (n, 2, 2)."""
    return np.asarray(np.arctan2(axes[:, 0, 1], axes[:, 0, 0]) % np.pi, np.float32)


def outlines(boxes: NDArray[np.floating], axes: NDArray[np.floating]) -> FloatArray:
    """Return the corners (n, 4, 2) of tiles by their boxes (n, 4) and half axes (n, 2, 2)."""
    along, across = axes[:, 0], axes[:, 1]
    steps = np.stack([along + across, along - across, -along - across, across - along], 1)
    return np.asarray(centres(boxes)[:, None] + steps, np.float32)
