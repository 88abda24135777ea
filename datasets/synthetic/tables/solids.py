"""Boxes in space: tiles, racks, sticks, and whatever else has six sides.

A box has a front, a back and four edges. Its corners run around the front from top left, clockwise
as the reader of the front sees it, then in the same order around the back.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hupai.datasets.synthetic.scene import PlacedTile, Proportions

FloatArray = NDArray[np.float64]
Colour = tuple[float, float, float]

BACK_CORNERS = (5, 4, 7, 6)
"""The back's corners, from the top left as the reader of the back sees it, clockwise."""

EDGES = ((0, 1), (1, 2), (2, 3), (3, 0))
"""Front corners of the upper, right, lower and left edge."""


@dataclass(frozen=True, slots=True, eq=False)
class Box:
    """A thing with six sides.

    Attributes:
        corners: shape (8, 3), tile widths.
        layers: shares of the thickness from the front to the back with their colours, RGB; empty
            for a thing too thin to show its edges, and for tiles, whose layers the tile set knows.
        tile: number of the tile, None for anything else.
        front, back: uint8 RGBA pictures, premultiplied, of a thing that is not a tile; None if the
            side has the colour of its layer.
        first: drawn before everything else, whatever its distance.
        shade: whether it casts a shadow.
    """

    corners: FloatArray
    layers: tuple[tuple[float, Colour], ...]
    tile: int | None = None
    front: NDArray[np.uint8] | None = None
    back: NDArray[np.uint8] | None = None
    first: bool = False
    shade: bool = field(default=True)


def frame(angle: float, tilt: float = 0.0, face_down: bool = False) -> FloatArray:
    """Return the directions right, up and out of the front, rows of a (3, 3) matrix.

    Args:
        angle: direction of the top on the table, radians, counter-clockwise from +y.
        tilt: how far the top is raised, radians.
        face_down: whether the front is below.
    """
    right = np.array([np.cos(angle), np.sin(angle), 0.0])
    away = np.array([-np.sin(angle), np.cos(angle), 0.0])
    rise = np.array([0.0, 0.0, 1.0])
    up = away * np.cos(tilt) + rise * np.sin(tilt)
    out = rise * np.cos(tilt) - away * np.sin(tilt)
    return np.stack([-right, up, -out] if face_down else [right, up, out])


def corners_of(
    centre: FloatArray, axes: FloatArray, size: tuple[float, float, float]
) -> FloatArray:
    """Return the corners (8, 3) of a box of this width, height and thickness."""
    half = np.array(
        [[sx, sy, sz] for sz in (1, -1) for sx, sy in ((-1, 1), (1, 1), (1, -1), (-1, -1))]
    ) * (np.array(size) / 2)
    out: FloatArray = half @ axes + centre
    return out


def tile_corners(tile: PlacedTile, p: Proportions) -> FloatArray:
    """Return the corners (8, 3) of a tile, those of its printed face first."""
    rise = abs(np.sin(tile.tilt)) * p.height / 2 + abs(np.cos(tile.tilt)) * p.thickness / 2
    centre = np.array([tile.x, tile.y, tile.z + rise])
    axes = frame(tile.angle, tile.tilt, tile.face_down)
    return corners_of(centre, axes, (1.0, p.height, p.thickness))


def slab(
    place: tuple[float, float],
    size: tuple[float, float, float],
    angle: float,
    colour: Colour,
    *,
    z: float = 0.0,
    front: NDArray[np.uint8] | None = None,
    first: bool = False,
    shade: bool = True,
) -> Box:
    """Return a thing that lies on the table, its front upwards, of one colour.

    Args:
        place: its middle.
        size: width, height along its top direction, thickness.
        angle, z: as for `PlacedTile`.
        colour: colour of its edges, and of its front if there is no picture.
        front, first, shade: as for `Box`.
    """
    centre = np.array([*place, z + size[2] / 2])
    corners = corners_of(centre, frame(angle), size)
    thin = size[2] <= 0.05 and front is not None
    layers = () if thin else ((1.0, colour),)
    return Box(corners, layers, front=front, first=first, shade=shade)
