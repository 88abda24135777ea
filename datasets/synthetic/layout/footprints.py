"""Tiles as rectangles on the table: whether two overlap, and how far they lie apart."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hupai.datasets.synthetic.scene import PlacedTile, Proportions

FloatArray = NDArray[np.float64]


def corners(tile: PlacedTile, p: Proportions) -> FloatArray:
    """Corners of a tile's face on the table, shape (4, 2), from its top left, clockwise, tile
    widths.
    """
    half = np.array([[-0.5, 1.0], [0.5, 1.0], [0.5, -1.0], [-0.5, -1.0]]) * (1.0, p.height / 2)
    c, s = np.cos(tile.angle), np.sin(tile.angle)
    flat: FloatArray = half @ np.array([[c, s], [-s, c]]) + (tile.x, tile.y)
    return flat


def overlaps(a: PlacedTile, b: PlacedTile, p: Proportions, slack: float = 0.015) -> bool:
    """Whether two tiles of one layer lie upon each other, by separating axes; `slack` is a share of
    their reach.
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
    """Free space between two tiles, tile widths; 0 where they overlap."""
    if overlaps(a, b, p, 0.0):
        return 0.0
    return min(_to_edges(corners(a, p), corners(b, p)), _to_edges(corners(b, p), corners(a, p)))


def _to_edges(points: FloatArray, ring: FloatArray) -> float:
    """Least distance of points, shape (n, 2), to the edges of a closed ring, shape (m, 2)."""
    start, run = ring, np.roll(ring, -1, axis=0) - ring
    to = points[:, None] - start
    share = np.clip((to * run).sum(2) / (run * run).sum(1), 0.0, 1.0)
    return float(np.linalg.norm(to - share[..., None] * run, axis=2).min())


def off_square(a: PlacedTile, b: PlacedTile) -> float:
    """How far two tiles are from lying parallel or square to each other, radians, 0 to pi/4."""
    turn = abs(a.angle - b.angle) % (np.pi / 2)
    return float(min(turn, np.pi / 2 - turn))
