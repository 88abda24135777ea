"""The four corners of tiles, from their boxes and axes.

A quad has shape (4, 2): top left, top right, bottom right, bottom left of the tile itself. A
direction is only known modulo half a turn, so the top is the upper end on the picture, or the left
end of a horizontal tile. If no direction is known, the quad is the box.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

ASPECT = 1.35
"""Length of a tile seen from above, in widths."""

DIAGONAL_WEIGHT = 0.3
"""Weight of `ASPECT` for a diagonal tile, relative to the shape estimated from its box.

The box of a tile at 45 degrees is a square whatever the tile's shape.
"""

MAX_ELONGATION = 0.95
"""Largest difference between a tile's length and width, as a share of their sum."""

_CORNERS = np.array([[-0.5, 0.5], [0.5, 0.5], [0.5, -0.5], [-0.5, -0.5]])
"""Corners in widths to the right and lengths upwards."""

_TURNS = (np.arange(4)[:, None] + np.arange(4)) % 4
"""Indices of the corners in order round the tile, starting from each of them."""


def quads_of(boxes: NDArray[np.floating], axes: NDArray[np.floating]) -> NDArray[np.float32]:
    """Return the rectangles of given directions that are inscribed in boxes.

    Args:
        boxes: shape (n, 4), [x0, y0, x1, y1] in pixels.
        axes: shape (n,), direction from bottom to top of the face modulo pi, radians from the x
            axis with y down; NaN if it is not known.

    Returns:
        Shape (n, 4, 2), pixels.
    """
    known = np.isfinite(axes)
    angle = np.where(known, axes, np.pi / 2) % np.pi
    up = -np.stack([np.cos(angle), np.sin(angle)], 1)
    size = np.asarray(boxes[:, 2:] - boxes[:, :2], np.float64)
    across, along = _sides(size, np.abs(up[:, 0]), np.abs(up[:, 1]))
    right = np.stack([-up[:, 1], up[:, 0]], 1)
    steps = (
        _CORNERS[None, :, :1] * (right * across[:, None])[:, None]
        + _CORNERS[None, :, 1:] * (up * along[:, None])[:, None]
    )
    quads: NDArray[np.float32] = ((boxes[:, None, :2] + boxes[:, None, 2:]) / 2 + steps).astype(
        np.float32
    )
    return quads


def ordered(quads: NDArray[np.float32], axes: NDArray[np.floating]) -> NDArray[np.float32]:
    """Reorder each quad to begin with the top left corner of its tile.

    Args:
        quads: shape (n, 4, 2), corners in order round the tile, from any of them.
        axes: shape (n,), as for `quads_of`; an unknown axis is assumed to run along the tile's
            longer sides.

    Returns:
        Shape (n, 4, 2).
    """
    first, second = quads[:, 1] - quads[:, 0], quads[:, 2] - quads[:, 1]
    clockwise = first[:, 0] * second[:, 1] >= first[:, 1] * second[:, 0]
    turns = np.where(clockwise[:, None, None], _TURNS, _TURNS[:, ::-1])
    turned = np.take_along_axis(quads[:, None], turns[..., None], 2)
    rises = turned[:, :, :2].mean(2) - turned[:, :, 2:].mean(2)
    lengths = np.hypot(rises[..., 0], rises[..., 1])
    known = np.isfinite(axes)[:, None]
    angle = np.where(known, axes[:, None], np.pi / 2) % np.pi
    along = -(rises[..., 0] * np.cos(angle) + rises[..., 1] * np.sin(angle))
    best = np.where(known, along / np.maximum(lengths, 1e-6), lengths + 1e-3 * along).argmax(1)
    return np.asarray(turned[np.arange(len(quads)), best], np.float32)


def _sides(
    size: NDArray[np.float64], c: NDArray[np.float64], s: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return width and length (n,) of tiles in boxes of that size (n, 2), by cosine and sine."""
    total = size.sum(1) / (c + s)
    seen, turned = size[:, 0] - size[:, 1], c - s
    doubt = DIAGONAL_WEIGHT * (1 - turned**2)
    usual = total * (ASPECT - 1) / (ASPECT + 1)
    difference = (turned * seen + doubt * usual) / (turned**2 + doubt)
    difference = np.clip(difference, -MAX_ELONGATION * total, MAX_ELONGATION * total)
    return (total - difference) / 2, (total + difference) / 2
