"""Separate planes for tiles that do not lie in the plane of most tiles.

If a hand stands on the table or leans on a rack and its melds lie flat in front of it, no plane
fits both: on the plane of one, tiles of the other seem to lie sideways, and their rows break.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from hupai.vision.geometry.table_plane import MIN_TILES, Plane, box_sides, table_plane
from hupai.vision.geometry.table_tiles import Array, Ground, misfit, projected

_SLANTS = np.radians(np.arange(-80.0, 81.0, 8.0)).tolist()
"""Slants that are tried for fewer tiles, radians; negative if the plane recedes downwards."""

_KEPT = 4
"""Number of best-fitting planes that are kept of those tried."""

MISFIT = 1.0
"""Mean misfit, squared standard errors, from which another plane is sought, and by how much a plane
for a few tiles must reduce it.
"""

_LEFT = 2.0
"""Mean misfit that may remain on a plane for few tiles: the slants tried are 8 degrees apart."""

_LEVEL = 0.1
"""Tilt of the present plane below which its direction is meaningless."""


def on_own_planes(ground: Ground) -> Iterator[Ground]:
    """Project tiles to the planes that explain the shapes of their boxes better, the best first.

    From few tiles only the slant of a plane is estimated; it is assumed to recede upwards on the
    photo, as a table does, or in the direction of the present plane, as a standing row does. With
    more tiles, one plane is fitted to them.

    Args:
        ground: the tiles on the present plane.
    """
    known = np.isfinite(ground.seen_axes)
    if known.sum() >= MIN_TILES:
        half = np.exp(ground.sides) / 2
        boxes = np.hstack([ground.middles - half, ground.middles + half])
        x, y = ground.plane.middle
        size = round(2 * x), round(2 * y)
        fitted = on_plane(table_plane(boxes, ground.seen_axes, size), ground)
        if mean_misfit(fitted) < mean_misfit(ground):
            yield fitted
    elif known.any():
        planes = [_tilted(ground, away, s) for away in _directions(ground) for s in _SLANTS]
        found = sorted((on_plane(plane, ground) for plane in planes), key=mean_misfit)[:_KEPT]
        most = min(mean_misfit(ground) - MISFIT, _LEFT)
        yield from (one for one in found if mean_misfit(one) < most)


def _directions(ground: Ground) -> list[Array]:
    """Return unit vectors on the photo in which a plane may recede."""
    up, steep = np.array([0.0, -1.0]), math.hypot(*ground.plane.tilt)
    return [up, ground.plane.tilt / steep] if steep > _LEVEL else [up]


def _tilted(ground: Ground, away: Array, slant: float) -> Plane:
    """Tilt the plane of tiles so that it recedes in a direction, and fit the tile size."""
    plane = replace(ground.plane, tilt=away * math.tan(slant))
    stretch = plane.stretch(ground.middles)
    predicted = np.log(box_sides(stretch, plane.ratio, 0.0))
    scale = float(np.median((ground.sides - predicted).mean(1)))
    return replace(plane, unit=plane.unit * math.exp(scale))


def on_plane(plane: Plane, ground: Ground) -> Ground:
    """Project tiles to another plane."""
    places, stretch, axes, blur = projected(plane, ground.middles, ground.seen_axes)
    return replace(ground, plane=plane, places=places, axes=axes, blur=blur, stretch=stretch)


def mean_misfit(ground: Ground) -> float:
    """Return the mean misfit of the shapes of boxes, squared standard errors.

    Tiles without a known axis do not count; 0 if there are no others.
    """
    known = np.isfinite(ground.axes)
    if not known.any():
        return 0.0
    return float(misfit(ground.excess(np.nan_to_num(ground.axes)))[known].mean())
