"""Boxes and axes of tiles on a table, as a camera at a given angle sees them."""

from __future__ import annotations

import math

import numpy as np

from hupai.datasets.synthetic.layout.footprints import corners
from hupai.datasets.synthetic.picture.camera import Camera, View
from hupai.datasets.synthetic.scene import PlacedTile, Proportions
from hupai.scoring.tiles import Tile

SHAPE = Proportions()
ROW = [PlacedTile(Tile.M1, 1.02 * i, 0.0) for i in range(14)]
DISCARDS = [PlacedTile(Tile.P5, 2.1 * i, 4.0 + 1.8 * (i % 3), angle=2.4 * i) for i in range(6)]


def photo(
    elevation: float, azimuth: float = 0.0, roll: float = 0.0
) -> tuple[np.ndarray, np.ndarray, Camera]:
    """Boxes and axes of the row and the discards as a camera of that elevation sees them."""
    tiles = [*ROW, *DISCARDS]
    camera = Camera(
        View(elevation, azimuth, roll, 55.0, 1280, 960),
        np.array([[t.x, t.y, 0.0] for t in tiles]),
        0.8,
    )
    boxes, axes = [], []
    for tile in tiles:
        quad = camera.project(np.column_stack([corners(tile, SHAPE), np.zeros(4)]))
        boxes.append(np.concatenate([quad.min(0), quad.max(0)]))
        up = quad[:2].mean(0) - quad[2:].mean(0)
        axes.append(math.atan2(up[1], up[0]) % math.pi)
    return np.array(boxes), np.array(axes), camera
