"""Tiles as rectangles on the table: whether two overlap, and how far they lie apart."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hupai.datasets.synthetic.scene import PlacedTile, Proportions

FloatArray = NDArray[np.float64]


def corners(tile: PlacedTile, p: Proportions) -> FloatArray:
    """Return the corners of a tile's face on the table, shape (4, 2), in tile widths.

    They run clockwise from its top left.
    """
    half = np.array([[-0.5, 1.0], [0.5, 1.0], [0.5, -1.0], [-0.5, -1.0]]) * (1.0, p.height / 2)
    c, s = np.cos(tile.angle), np.sin(tile.angle)
    flat: FloatArray = half @ np.array([[c, s], [-s, c]]) + (tile.x, tile.y)
    return flat


def overlaps(a: PlacedTile, b: PlacedTile, p: Proportions, slack: float = 0.015) -> bool:
    """Return whether two tiles of one layer overlap, by separating axes.

    `slack` is a share of their reach.
    """
    delta = np.array([b.x - a.x, b.y - a.y])
    if float(delta @ delta) > 1.0 + p.height**2:
        return False
    half = np.array([0.5, p.height / 2])
    frames = [
        np.array([[np.cos(t.angle), np.sin(t.angle)], [-np.sin(t.angle), np.cos(t.angle)]])
        for t in (a, b)
    ]
    for axis in (*frames[0], *frames[1]):
        reach = sum(float(np.abs(frame @ axis) @ half) for frame in frames)
        if abs(float(delta @ axis)) > reach * (1 - slack):
            return False
    return True


def clearance(a: PlacedTile, b: PlacedTile, p: Proportions) -> float:
    """Return the free space between two tiles, in tile widths; 0 if they overlap."""
    if overlaps(a, b, p, 0.0):
        return 0.0
    return min(_to_edges(corners(a, p), corners(b, p)), _to_edges(corners(b, p), corners(a, p)))


def _to_edges(points: FloatArray, ring: FloatArray) -> float:
    """Return the shortest distance of points (n, 2) from the edges of a closed ring (m, 2)."""
    start, run = ring, np.roll(ring, -1, axis=0) - ring
    to = points[:, None] - start
    share = np.clip((to * run).sum(2) / (run * run).sum(1), 0.0, 1.0)
    return float(np.linalg.norm(to - share[..., None] * run, axis=2).min())


def off_square(a: PlacedTile, b: PlacedTile) -> float:
    """Return how far two tiles are from parallel or square to each other, 0 to pi/4."""
    turn = abs(a.angle - b.angle) % (np.pi / 2)
    return float(min(turn, np.pi / 2 - turn))
