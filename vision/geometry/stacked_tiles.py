"""Tiles stacked on others: the fourth tile of a kong on the middle one of the other three.

The lower tile is hidden. Unless the camera looks straight down, the upper one is seen higher on the
photo than its neighbours, by its thickness times the sine of the slant, so that on the table plane
it seems to lie behind them. It is moved to the place between them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from hupai.scoring.tiles import Tile
from hupai.vision.geometry.boxes import distances
from hupai.vision.geometry.table_tiles import Array, Ground

LEAST_RISE = 0.1
"""Height, tile widths on the photo, from which a tile may be stacked: seen from almost straight
above, a stacked tile is no higher than one that lies slightly out of line.
"""

_MOST_RISE = 0.9
"""Greatest height: the thickness of the thickest tiles."""

_FROM_ABOVE = math.cos(math.radians(8.0))
"""Foreshortening from which a view counts as from straight above."""

_APART = (1.7, 2.7)
"""Distance of the two neighbours, tile widths: 2, or 2.34 if the tile between them is sideways."""

_ALONG = math.sqrt(0.5)
"""Cosine of the angle on the photo between the row and the upward direction from which a gap in the
row looks like a height.
"""

_ASIDE = 0.3
"""Greatest distance of the stacked tile from the upward line through the place between them, tile
widths on the table.
"""

_BESIDE = 1.4
"""Distance from one of two backs within which a third makes them part of a wall, tile widths."""

_FREE = 0.5
"""Distance from that place within which no other tile may lie, tile widths."""

_NOISE = 0.05
"""Standard error of the height of a tile in a row, tile widths. Of 553 upright pungs on real photos
three middle tiles are more than 0.08 off the row: 0.11 and 0.12 above it, and 0.10 below.
"""

_DENSITY = 2.0
"""Density of the heights of stacked tiles, per tile width: up to 0.5 all are about equally likely.
"""

_OUTLIERS = 0.005
"""Density of heights that are due to other errors, per tile width."""

_STACKED = 1 / 50
"""Share of kongs with a stacked tile among pungs and such kongs: an assumption."""


def lowered(ground: Ground) -> Ground:
    """Move stacked tiles down to the rows they belong to, and note their `Ground.rises`.

    A tile counts as stacked if it is higher than two tiles of its face, or two backs, that have an
    empty place between them.
    """
    directions, scales, _ = np.linalg.svd(ground.stretch)
    slanted = (scales[:, 1] < _FROM_ABOVE * scales[:, 0]) & ~ground.laid_down
    open_faces = (ground.backs <= 0.5) & (ground.flowers <= 0.5)
    reach = _APART[1] * np.sqrt(np.abs(np.linalg.det(ground.stretch)))
    close = distances(ground.middles, ground.middles) < reach[:, None]
    np.fill_diagonal(close, False)
    places, stretch, rises = ground.places.copy(), ground.stretch.copy(), ground.rises.copy()
    for k in np.nonzero(slanted & open_faces)[0].tolist():
        up = directions[k, :, 1] * (-scales[k, 0] if directions[k, 1, 1] > 0 else scales[k, 0])
        for i, j in _neighbours(ground, ground.faces[k], np.nonzero(close[k])[0]):
            foot = (ground.places[i] + ground.places[j]) / 2
            rise = _rise(ground, k, (i, j), up)
            if rise <= LEAST_RISE:
                continue
            others = np.delete(ground.places, [k, i, j], axis=0) - foot
            if np.hypot(others[:, 0], others[:, 1]).min(initial=np.inf) > _FREE:
                places[k], rises[k] = foot, rise
                stretch[k] = (ground.stretch[i] + ground.stretch[j]) / 2
                break
    return replace(ground, places=places, stretch=stretch, rises=rises)


def stacked_log_odds(rise: float) -> float:
    """Return the log-odds that a tile that rises by that much, tile widths, lies on another."""
    level = math.exp(-0.5 * (rise / _NOISE) ** 2) / (_NOISE * math.sqrt(2 * math.pi))
    return math.log(_STACKED * _DENSITY) - math.log((1 - _OUTLIERS) * level + _OUTLIERS)


def _neighbours(ground: Ground, own: int, close: NDArray[np.intp]) -> Iterator[tuple[int, int]]:
    """Yield the pairs of tiles on either side of a tile that show its face, or backs of no wall.

    Args:
        ground: the tiles.
        own: face of the tile.
        close: shape (m,), the tiles close to it.
    """
    faces = ground.faces[close]
    for face in (own, Tile.BACK):
        for i, j in combinations(close[faces == face].tolist(), 2):
            step = ground.places[j] - ground.places[i]
            if (
                _APART[0] < math.hypot(*step) < _APART[1]
                and all(_is_across(ground.axes[n], step) for n in (i, j))
                and not (face == Tile.BACK and _in_wall(ground, [i, j]))
            ):
                yield i, j


def _in_wall(ground: Ground, pair: list[int]) -> bool:
    """Return whether a further back lies beside one of two backs: a kong has none there."""
    others = np.delete(np.arange(len(ground)), pair)
    others = others[ground.faces[others] == Tile.BACK]
    return bool((distances(ground.places[others], ground.places[pair]) < _BESIDE).any())


def _is_across(axis: float, step: Array) -> bool:
    """Return whether a tile may be upright in a row of this direction on the table."""
    along = math.atan2(step[1], step[0])
    return math.isnan(axis) or abs(math.sin(axis - along)) > math.sqrt(0.5)


def _rise(ground: Ground, k: int, pair: tuple[int, int], up: Array) -> float:
    """Return how much higher a tile is on the photo than the place between two others.

    A sideways tile may be flush with them on either side, which does not count.

    Args:
        ground: the tiles.
        k: the tile.
        pair: the two others.
        up: upward vector on the photo, one tile width long, pixels.

    Returns:
        Tile widths on the photo; 0 if it is not above that place.
    """
    i, j = pair
    row = ground.middles[j] - ground.middles[i]
    if abs(float(row @ up)) > _ALONG * math.hypot(*row) * math.hypot(*up):
        return 0.0
    away = ground.middles[k] - (ground.middles[i] + ground.middles[j]) / 2
    rise = float(away @ up / (up @ up))
    aside = np.linalg.solve(ground.stretch[k], away - rise * up)
    if math.hypot(*aside) > _ASIDE or rise > _MOST_RISE:
        return 0.0
    step = ground.places[j] - ground.places[i]
    if not _is_across(ground.axes[k], step):
        level = np.array([-step[1], step[0]]) / math.hypot(*step)
        flush = ground.stretch[k] @ level * (ground.plane.ratio - 1) / 2
        rise -= abs(float(flush @ up / (up @ up)))
    return rise
