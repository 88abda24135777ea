"""Standing rows laid down on the table.

A hand that stands on the table or leans on a rack does not lie in the table plane, where its tiles
seem askew, sideways or too far apart. Each such row is projected to its own plane, which is then
turned about the middle of the row until it lies on the table.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hupai.vision.geometry.boxes import distances
from hupai.vision.geometry.connected import connected
from hupai.vision.geometry.own_plane import mean_misfit, on_own_planes, on_plane
from hupai.vision.geometry.table_tiles import Array, Ground, misfit, only
from hupai.vision.numeric import folded

_STANDING = 4.0
"""Mean misfit of the shapes of a row's boxes, squared standard errors, from which it stands."""

_UNLIKE = 1.0
"""Misfit from which a tile may belong to such a row."""

_LEAST_ROW = 3
"""Least number of tiles in a row."""

_PARALLEL = math.radians(25.0)
"""Greatest angle between the axes of neighbours on the photo, and of a tile to its row."""

_LEVEL = 0.5
"""Greatest offset between neighbours along their axes, longer sides of a box."""

_BESIDE = 1.5
"""Greatest distance between neighbours, box widths on the photo or tile widths on their plane."""

_STRAIGHT = 0.35
"""Greatest distance of a tile from the middle line of its row, tile widths."""


def laid_down(ground: Ground, clear: NDArray[np.bool_]) -> Ground:
    """Lay standing rows down on the table.

    Args:
        ground: the n tiles on the table plane.
        clear: shape (n,), tiles with clear faces, by which rows are recognised.
    """
    known = np.isfinite(ground.axes)
    unlike = clear & known & (misfit(ground.excess(np.nan_to_num(ground.axes))) > _UNLIKE)
    if unlike.sum() < _LEAST_ROW:
        return ground
    for row in _rows(ground, unlike | (clear & ~known)):
        tiles = only(ground, row)
        before = mean_misfit(tiles)
        if (row & known).sum() < _LEAST_ROW or before < _STANDING:
            continue
        straight = (own for own in on_own_planes(tiles) if _is_straight(own))
        own = next(straight, ground)
        if _recession(own) < _recession(ground) and mean_misfit(own) < before / 2:
            ground = _turned_down(ground, row, own)
    return ground


def _recession(ground: Ground) -> float:
    """Return the angle by which a plane recedes upwards on the photo, radians.

    That of a standing row is less than that of the table, and may be negative.
    """
    return math.atan(-float(ground.plane.tilt[1]))


def _rows(ground: Ground, among: NDArray[np.bool_]) -> Iterator[NDArray[np.bool_]]:
    """Yield the rows (n,) of tiles side by side on the photo; an unknown axis counts as upright."""
    wide, long = np.exp(ground.sides[:, 0]), np.exp(ground.sides.max(1))
    axes = np.where(np.isfinite(ground.seen_axes), ground.seen_axes, math.pi / 2)
    apart = ground.middles[:, None] - ground.middles[None]
    along = np.abs(apart[..., 0] * np.cos(axes) + apart[..., 1] * np.sin(axes))
    linked = _is_parallel(axes[:, None], axes) & (along < _LEVEL * long)
    linked &= distances(ground.middles, ground.middles) < _BESIDE * wide
    linked &= linked.T & among & among[:, None]
    for row in connected(linked):
        if len(row) >= _LEAST_ROW:
            yield np.isin(np.arange(len(among)), row)


def _is_parallel(axes: Array, others: Array | float) -> NDArray[np.bool_]:
    """Return which axes, radians modulo pi, are about parallel to others; NaN is not."""
    return np.asarray(np.abs(folded(axes - others)) < _PARALLEL)


def _is_straight(own: Ground) -> bool:
    """Return whether the tiles are in one line across their axes on their plane."""
    across = own.places @ _upwards(own)
    return bool(np.abs(across - np.median(across)).max() < _STRAIGHT)


def _upwards(own: Ground) -> Array:
    """Return the mean direction of the known axes on a plane, a unit vector."""
    turn = 2 * own.axes[np.isfinite(own.axes)]
    axis = math.atan2(np.sin(turn).sum(), np.cos(turn).sum()) / 2
    return np.array([math.cos(axis), math.sin(axis)])


def _extended(
    ground: Ground, row: NDArray[np.bool_], own: Ground
) -> tuple[Ground, NDArray[np.bool_]]:
    """Add the tiles beside a row that are in line with it on its plane and fit that plane.

    Returns:
        The tiles of the extended row on its plane, and which of all tiles they are, shape (n,).
    """
    everything = on_plane(own.plane, ground)
    upwards = _upwards(own)
    axis = math.atan2(upwards[1], upwards[0])
    along, across = everything.places @ [upwards[1], -upwards[0]], everything.places @ upwards
    level = np.abs(across - np.median(across[row])) < _STRAIGHT
    upright = _is_parallel(everything.axes, axis) | ~np.isfinite(everything.axes)
    poses = (ground.axes, np.full(len(row), math.pi / 2))
    on_table = [misfit(ground.excess(np.where(np.isfinite(a), a, 0.0))) for a in poses]
    fits = misfit(everything.excess(axis)) < np.maximum(np.minimum(*on_table), _UNLIKE)
    able = level & upright & fits & ~ground.laid_down
    row = row.copy()
    while (more := able & ~row & (np.abs(along[:, None] - along[row]) < _BESIDE).any(1)).any():
        row |= more
    return only(everything, row), row


def _turned_down(ground: Ground, row: NDArray[np.bool_], own: Ground) -> Ground:
    """Turn a row about its middle until it lies on the table.

    The middle of a standing tile is about as high above the table as the face of a lying one, so
    its place is already right.

    Args:
        ground: all n tiles.
        row: shape (n,), the sure tiles of the row.
        own: these on their own plane.
    """
    own, row = _extended(ground, row, own)
    on_table = ground.places[row]
    # The rotation that best maps the middles and keeps the distances between them.
    ours, theirs = own.places - own.places.mean(0), on_table - on_table.mean(0)
    turn = math.atan2(
        (ours[:, 0] * theirs[:, 1] - ours[:, 1] * theirs[:, 0]).sum(), (ours * theirs).sum()
    )
    rotation = np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])
    places = ground.places.copy()
    places[row] = ours @ rotation.T + on_table.mean(0)
    stretch, axes, blur = ground.stretch.copy(), ground.axes.copy(), ground.blur.copy()
    stretch[row] = own.stretch @ rotation.T
    axes[row] = (own.axes + turn) % math.pi
    blur[row] = own.blur
    return replace(
        ground,
        places=places,
        axes=axes,
        blur=blur,
        stretch=stretch,
        laid_down=ground.laid_down | row,
    )
