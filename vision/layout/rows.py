"""Rows of one direction: tiles chained to the neighbours they touch or nearly touch.

In the frame of a direction, tiles parallel or perpendicular to it are axis-aligned rectangles. A
tile's next neighbour is the cheapest one beside it with a level edge. Two tiles are chained if each
is the other's choice. Only neighbours are compared, so a row may bend.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from statistics import median
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from hupai.vision.geometry.boxes import distances
from hupai.vision.geometry.table_tiles import Array, Ground
from hupai.vision.geometry.table_tiles import oblique as oblique_misfit

T = TypeVar("T")

SURE = 1e-3
"""Floor of probabilities: detector, classifier and geometry are never more certain than that."""
MAX_LOG_ODDS = math.log(1 / SURE - 1)
"""The log-odds of that certainty."""
OBLIQUE = math.pi / 8
"""Angle, radians, from which a tile's axis is closer to the diagonal of its row than to the row,
and from which the table slants enough for the camera to see the sides of tiles.
"""
_MAX_BOX_MISFIT = 2.0
"""Misfit of a box to an aligned tile up to which it overrules an oblique axis, standard errors."""
SET_GAP = 0.3
"""Gap too wide to be accidental but narrower than players leave between sets, tile widths: rows are
cut at it, and a neighbour whose direction is uncertain must be closer. However loose or tight the
boxes are, touching tiles have no such gap or overlap.
"""
TILE_GAP = 0.75
"""Least gap that has room for a tile, tile widths; less than 1 because boxes are loose. Tiles with
such a gap, overlap or level offset between them are not neighbours.
"""
NEAR = 1.5
"""Greatest distance between neighbours, tile widths: between the centres of tiles, which is 1.35
end to end, or between parts of a hand.
"""
GAP_ERROR = 0.08
"""Standard deviation of the gaps of touching tiles, tile widths."""
_LEVEL_ERROR = 0.06
"""Standard deviation of a tile's level, tile widths."""
_ASTRAY = 0.25
"""Share of neighbours in a row that do not touch, and of those that are not level."""


@dataclass(frozen=True, eq=False)
class RowFrame:
    """The tiles in the frame of one row direction.

    Attributes:
        ground: the tiles on the table.
        phi: the row direction, radians.
        along, across: shape (n,), their places; across grows to the right of the direction.
        half: shape (n, 2), half their sides along and across, tile widths.
        sideways: shape (n,), log-odds that their long sides are along the row.
        sizes: shape (n,), logarithms of their sizes relative to the median tile.
        askew: shape (n,), their angle to the nearest row axis, radians; 0 for uncertain ones.
        uncertain: shape (n,), True if the axis is oblique but the box fits an aligned tile.
        oblique: shape (n,), True if neither fits; such a tile is a row by itself.
        contact_gap: gap between tiles that touch, tile widths: positive if boxes contain only the
            faces, negative if they are loose.
        rows: positions of the tiles of each row in order; every tile is in exactly one.
        near: shape (2, p), pairs of tiles close enough to touch, in either order.
    """

    ground: Ground
    phi: float
    along: Array
    across: Array
    half: Array
    sideways: Array
    sizes: Array
    askew: Array
    uncertain: NDArray[np.bool_]
    oblique: NDArray[np.bool_]
    contact_gap: float
    rows: tuple[tuple[int, ...], ...]
    near: NDArray[np.intp]

    @cached_property
    def added(self) -> dict[int, int]:
        """The tiles that may be the fourth of an added kong, and the tile each lies over.

        Over a sideways tile it lies sideways too.
        """
        tops, bases = self.near
        beside = np.abs(self.along[tops] - self.along[bases])
        deep = self.half[tops, 1] + self.half[bases, 1]
        away = np.abs(self.across[tops] - self.across[bases]) - deep
        alike = (self.sideways[tops] > 0) | (self.sideways[bases] <= 0)
        alike &= ((self.ground.backs <= 0.5) & (self.ground.flowers <= 0.5))[tops]
        over = np.nonzero(alike & (beside < 0.5) & (away > -TILE_GAP) & (away < SET_GAP))[0]
        row_of = {place: row for row in self.rows for place in row if len(row) > 2}
        found: dict[int, int] = {}
        for k in over[np.argsort(beside[over], kind="stable")].tolist():
            top, base = int(tops[k]), int(bases[k])
            row = row_of.get(base, (top,))
            if top not in row and self._is_kong(row, row.index(base), top):
                found.setdefault(top, base)
        return found

    def gaps(self, row: Sequence[int] | NDArray[np.intp]) -> Array:
        """Measure the gaps (n - 1,) in a row of n tiles beyond those of touching ones."""
        places = np.asarray(row)
        half = self.half[places, 0]
        gaps: Array = np.diff(self.along[places]) - half[:-1] - half[1:] - self.contact_gap
        return gaps

    def _is_kong(self, row: Sequence[int], k: int, top: int) -> bool:
        """Return whether at least two of three tiles around position `k` have the face of `top`.

        One of the three may be misread; the tile below `top` only if it lies sideways.
        """
        same = self.ground.faces[[*row]] == self.ground.faces[top]
        if not same[k] and self.sideways[row[k]] <= 0:
            return False
        starts = range(max(k - 2, 0), min(k + 1, len(same) - 2))
        return any(same[s : s + 3].sum() > 1 for s in starts)


def split(row: Sequence[T], cuts: NDArray[np.bool_]) -> list[tuple[T, ...]]:
    """Split a row of n tiles where the n - 1 `cuts` between them are True."""
    places = [0, *(np.nonzero(cuts)[0] + 1).tolist(), len(row)]
    return [tuple(row[low:high]) for low, high in pairwise(places)]


def row_frame(ground: Ground, phi: float) -> RowFrame:
    """Chain the tiles into rows of direction `phi`, radians."""
    return row_frames(ground, (phi,))[0]


def row_frames(
    ground: Ground, directions: Sequence[float], loose: NDArray[np.bool_] | None = None
) -> list[RowFrame]:
    """Chain the tiles into rows of each of d directions.

    All directions are computed at once, as the time depends on the number of array operations.

    Args:
        ground: the tiles on the table.
        directions: directions of the rows, radians.
        loose: shape (n,), tiles that are not chained, as they may be false detections.
    """
    if not directions:
        return []
    phi, ratio = np.array(directions)[:, None], ground.plane.ratio
    lying, upright = ground.excess(phi), ground.excess(phi + math.pi / 2)
    askew = ground.askew(phi)
    uncertain = (askew >= OBLIQUE) & (oblique_misfit(lying, upright) < _MAX_BOX_MISFIT)
    oblique = (askew >= OBLIQUE) & ~uncertain
    by_box, by_axis = ground.sideways(phi, lying, upright)
    odds = np.where(oblique, 0.0, by_box + np.where(uncertain, 0.0, by_axis))
    sizes = np.where(odds[..., None] > 0, lying, upright).mean(-1)
    chained = ~oblique if loose is None else ~oblique & ~loose
    near = _near(ground.places, ratio)
    sideways = odds
    along, across = rotated(ground.places, phi)
    for attempt in range(3):
        half = _half_sides(sideways, ratio)
        following, contact_gap = _next_in_row(near, along, across, half, sizes, uncertain, chained)
        if attempt == 0:
            phi = phi + _slopes(along, across, following)
            along, across = rotated(ground.places, phi)
            continue
        shift = _sideways_by_place(along, across, half, following, contact_gap, ratio)
        again = odds + shift
        if ((again > 0) == (sideways > 0)).all():
            break
        sideways = again
    sideways = np.clip(odds + shift, -MAX_LOG_ODDS, MAX_LOG_ODDS)
    half, askew = _half_sides(sideways, ratio), np.where(uncertain, 0.0, askew)
    return [
        RowFrame(
            ground,
            float(phi[d, 0]),
            along[d],
            across[d],
            half[d],
            sideways[d],
            sizes[d],
            askew[d],
            uncertain[d],
            oblique[d],
            float(contact_gap[d]),
            _chains(following[d], along[d]),
            near,
        )
        for d in range(len(phi))
    ]


def rotated(places: Array, phi: Array | float) -> tuple[Array, Array]:
    """Return places (n, 2) as coordinates along and across direction `phi`."""
    cos, sin = np.cos(phi), np.sin(phi)
    return places[:, 0] * cos + places[:, 1] * sin, places[:, 1] * cos - places[:, 0] * sin


def _near(places: Array, ratio: float) -> NDArray[np.intp]:
    """Find the pairs of tiles (2, p), in either order, that may be neighbours in any direction."""
    close = distances(places, places) < math.hypot(TILE_GAP + ratio, TILE_GAP + (ratio - 1) / 2)
    np.fill_diagonal(close, False)
    return np.array(np.nonzero(close))


def _slopes(along: Array, across: Array, following: NDArray[np.int_]) -> Array:
    """Measure the angles of the rows to their assumed directions, radians, shape (d, 1).

    The places of many tiles determine them more precisely than their axes.
    """
    slopes = np.zeros((len(along), 1))
    for d, after in enumerate(following):
        first = np.nonzero(after >= 0)[0]
        if len(first):
            second = after[first]
            step, rise = along[d, second] - along[d, first], across[d, second] - across[d, first]
            slopes[d] = median(np.arctan2(rise, step).tolist())
    return slopes


def _half_sides(sideways: Array, ratio: float) -> Array:
    """Return half the sides along and across of tiles (d, n), shape (d, n, 2), tile widths."""
    lying, upright = np.array([ratio / 2, 0.5]), np.array([0.5, ratio / 2])
    return np.where(sideways[..., None] > 0, lying, upright)


def _next_in_row(
    near: NDArray[np.intp],
    along: Array,
    across: Array,
    half: Array,
    sizes: Array,
    uncertain: NDArray[np.bool_],
    chained: NDArray[np.bool_],
) -> tuple[NDArray[np.int_], Array]:
    """Find the next tiles (d, n) in rows of d directions, -1 without one, and contact gaps (d,).

    Two tiles must choose each other. The contact gap is the lower tertile of all gaps.

    Args:
        near: shape (2, p), pairs of tiles that may be neighbours.
        along, across, half, sizes, uncertain, chained: shape (d, n, ...), the tiles.
    """
    many, n = along.shape
    step = along[:, near[1]] - along[:, near[0]]
    direction, pair = np.nonzero((step > 0) & chained[:, near[0]] & chained[:, near[1]])
    # Tiles are numbered throughout all directions.
    i, j = near[:, pair] + direction * n
    along, across, sizes, unsure = along.ravel(), across.ravel(), sizes.ravel(), uncertain.ravel()
    half = half.reshape(-1, 2)
    gap = along[j] - along[i] - half[i, 0] - half[j, 0]
    offset = level_offsets(across, half, i, j)
    # An uncertain tile must touch and be exactly level.
    touching = (gap < SET_GAP) & (offset < SET_GAP)
    fits = (np.abs(gap) < TILE_GAP) & (offset < TILE_GAP) & (touching | ~(unsure[i] | unsure[j]))
    i, j, gap, offset = i[fits], j[fits], gap[fits], offset[fits]
    cost = np.abs(sizes[j] - sizes[i]) + np.abs(gap) + offset
    mutual = (_cheapest(i, j, cost, many * n)[i] == j) & (_cheapest(j, i, cost, many * n)[j] == i)
    i, j, gap = i[mutual], j[mutual], gap[mutual]
    contact_gap = np.zeros(many)
    ends = np.searchsorted(i, np.arange(many + 1) * n).tolist()
    for d, (low, high) in enumerate(pairwise(ends)):
        if high - low >= 4:
            smaller = sorted(gap[low:high].tolist())[(high - low) // 3]
            contact_gap[d] = min(max(smaller, -SET_GAP), SET_GAP)
    following, usual = np.full(many * n, -1), gap - contact_gap[i // n] < TILE_GAP
    following[i[usual]] = j[usual] % n
    return following.reshape(many, n), contact_gap


def _cheapest(
    tile: NDArray[np.intp], other: NDArray[np.intp], cost: Array, n: int
) -> NDArray[np.intp]:
    """Find each of n tiles' cheapest partner, -1 without one, among pairs with their cost."""
    order = np.lexsort((other, cost, tile))[::-1]
    cheapest = np.full(n, -1)
    cheapest[tile[order]] = other[order]  # of repeated indices, the last assignment wins
    return cheapest


def _sideways_by_place(
    along: Array,
    across: Array,
    half: Array,
    following: NDArray[np.int_],
    contact_gap: Array,
    ratio: float,
) -> Array:
    """Return the log-odds (d, n) of lying sideways, from the neighbours' gaps and levels.

    Tiles cannot overlap, most touch, and a sideways tile is flush with its neighbours on one side.
    """
    shift = np.zeros(along.shape)
    direction, first = np.nonzero(following >= 0)
    second = following[direction, first]
    step = along[direction, second] - along[direction, first]
    level = np.abs(across[direction, second] - across[direction, first])
    touching = contact_gap[direction]
    for tile, other in ((first, second), (second, first)):
        beside = half[direction, other]
        logs = []
        for own, deep in ((ratio / 2, 0.5), (0.5, ratio / 2)):
            gap = step - own - beside[:, 0] - touching
            off = np.abs(level - np.abs(deep - beside[:, 1]))
            apart = np.where(gap > GAP_ERROR, 1.0, SURE)
            logs.append(_log_mixture(gap, GAP_ERROR, apart) + _log_mixture(off, _LEVEL_ERROR, 1.0))
        # Each tile is at most once the first of two neighbours, and at most once the second.
        shift[direction, tile] += logs[0] - logs[1]
    return shift


def _log_mixture(x: Array, sigma: float, other: Array | float) -> Array:
    """Return the logarithm of a normal density around 0 mixed with another density."""
    normal = np.exp(-0.5 * (x / sigma) ** 2) / (sigma * math.sqrt(2 * math.pi))
    mixture: Array = np.log((1 - _ASTRAY) * normal + _ASTRAY * other)
    return mixture


def level_offsets(
    across: Array, half: Array, first: NDArray[np.intp], second: NDArray[np.intp]
) -> Array:
    """Measure the level offsets (p,) of pairs of tiles, tile widths.

    Two tiles are level if their centres are, or if their near or far edges are flush.
    """
    shift = np.abs(across[second] - across[first])
    flush = np.abs(half[first, 1] - half[second, 1])
    nearest: Array = np.minimum(np.abs(shift - flush), shift)
    return nearest


def _chains(following: NDArray[np.int_], along: Array) -> tuple[tuple[int, ...], ...]:
    """Return the chains of tiles that follow each other, longest first."""
    after = following.tolist()
    chains = []
    for start in set(range(len(after))).difference(after):
        chain = [start]
        while (at := after[chain[-1]]) >= 0:
            chain.append(at)
        chains.append(tuple(chain))
    return tuple(sorted(chains, key=lambda c: (-len(c), float(along[c[0]]), c[0])))
