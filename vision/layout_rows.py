"""Rows of one direction: tiles chained to the neighbours they touch or nearly touch.

In the frame of a direction every tile that lies square to it is a rectangle with its sides along and across. A tile's neighbour
is the nearest one beside it whose edge is on a level with its own; where two tiles choose each other they are chained. Only
neighbours are compared, so a row may bend.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.layout_geometry import Array, Ground, Spot

_SQUARE = math.radians(22)
"""Tiles that are further askew than this do not lie in the direction's rows."""

_FIRST_GAP = 0.85
_OVERLAP = -0.5
_OFFSET = 0.7
"""Furthest a tile may be pushed out of its row, tile widths."""

UNLIKE = 0.4
"""Logarithm of the ratio of two tiles' sizes from which they do not lie in one row."""

LOOSE = 0.55
"""Gap beyond the usual from which it is not sure that the row goes on, tile widths."""


@dataclass(frozen=True, slots=True, eq=False)
class Bearing:
    """The tiles in the frame of a direction.

    Attributes:
        phi: the direction along, radians.
        spots: the tiles that lie square to it.
        along, across: shape (n,), their places; across grows to the right-hand side of the direction.
        half: shape (n, 2), half their sides along and across, tile widths.
        sideways: shape (n,), log-odds that they lie along.
        sizes: shape (n,), logarithms of their sizes as shares of the usual.
        askew: shape (n,), how far they lie from square, radians.
        usual: gap between tiles that touch, tile widths: boxes around faces alone leave one, loose boxes a negative one.
        rows: positions of the tiles of each row, in the order they lie; every tile is in one, if alone.
    """

    phi: float
    spots: tuple[Spot, ...]
    along: Array
    across: Array
    half: Array
    sideways: Array
    sizes: Array
    askew: Array
    usual: float
    rows: tuple[tuple[int, ...], ...]


def bearing(field: Ground, phi: float) -> Bearing:
    """Rows of direction `phi`."""
    askew = field.askew(phi)
    keep = np.nonzero(askew < _SQUARE)[0]
    spots = tuple(field.spots[int(k)] for k in keep)
    odds = field.sideways(phi)
    sideways = odds[keep]
    places = field.places[keep]
    cos, sin = math.cos(phi), math.sin(phi)
    along = places[:, 0] * cos + places[:, 1] * sin
    across = places[:, 1] * cos - places[:, 0] * sin
    long, short = field.plane.ratio / 2, 0.5
    half = np.where(sideways[:, None] > 0, np.array([[long, short]]), np.array([[short, long]]))
    sizes = field.sizes(np.where(odds > 0, phi, phi + math.pi / 2))[keep]
    following, gaps = _neighbours(along, across, half, sizes)
    close = np.sort(gaps[np.isfinite(gaps)])
    usual = float(np.clip(close[len(close) // 3], -0.3, 0.35)) if len(close) >= 4 else 0.0
    rows = _chains(np.where(gaps - usual < LOOSE, following, -1), along)
    return Bearing(phi, spots, along, across, half, sideways, sizes, askew[keep], usual, rows)


def _neighbours(along: Array, across: Array, half: Array, sizes: Array) -> tuple[NDArray[np.int_], Array]:
    """For each tile the next of its row, -1 where there is none, and the gap to it, infinite where there is none."""
    n = len(along)
    if n < 2:
        return np.full(n, -1), np.full(n, np.inf)
    step = along[None] - along[:, None]
    gap = step - half[:, None, 0] - half[None, :, 0]
    offset = offsets(across, half)
    fits = (gap > _OVERLAP) & (gap < _FIRST_GAP) & (offset < _OFFSET) & (step > 0.3)
    unlike = np.abs(sizes[None] - sizes[:, None])
    fits &= unlike < UNLIKE
    cost = np.where(fits, unlike + 1.5 * np.maximum(gap, 0) + np.maximum(-0.15 - gap, 0) + 1.2 * offset + 0.35 * step, np.inf)
    forward = np.where(np.isfinite(cost.min(1)), cost.argmin(1), -1)
    back = np.where(np.isfinite(cost.min(0)), cost.argmin(0), -1)
    here = np.arange(n)
    mutual = (forward >= 0) & (back[forward] == here)
    return np.where(mutual, forward, -1), np.where(mutual, gap[here, forward], np.inf)


def offsets(across: Array, half: Array) -> Array:
    """How far each pair of tiles is from a common level, shape (n, n): level centres, or near or far edges that are flush."""
    shift = np.abs(across[None] - across[:, None])
    flush = np.abs(half[:, None, 1] - half[None, :, 1])
    nearest: Array = np.minimum(np.abs(shift - flush), shift)
    return nearest


def _chains(following: NDArray[np.int_], along: Array) -> tuple[tuple[int, ...], ...]:
    """Chains of tiles that follow each other, longest first."""
    followed = {int(j) for j in following if j >= 0}
    chains = []
    for start in range(len(following)):
        if start in followed:
            continue
        chain, at = [], start
        while at >= 0:
            chain.append(at)
            at = int(following[at])
        chains.append(tuple(chain))
    return tuple(sorted(chains, key=lambda c: (-len(c), float(along[c[0]]), c[0])))
