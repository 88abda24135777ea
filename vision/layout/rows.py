"""Rows of one direction: tiles chained to the neighbours they touch or nearly touch.

In the frame of a direction every tile that lies square to it is a rectangle with its sides along
and across. A tile's neighbour is the nearest one beside it whose edge is on a level with its own;
where two tiles choose each other they are chained. Only neighbours are compared, so a row may bend.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hupai.vision.geometry.table_tiles import Array, Ground, Spot

_SQUARE = math.radians(22)
"""Tiles that are further askew than this do not lie in the direction's rows."""

_FITTING = 2.2
"""Tiles that are askew by their axis but whose box fits one that lies square better than this,
units of noise, may belong.
"""

_TOUCHING = 0.3
_FIRST_GAP = 0.85
_OVERLAP = -0.5
_OFFSET = 0.7
"""Furthest a tile may be pushed out of its row, tile widths."""

UNLIKE = 0.4
"""Logarithm of the ratio of two tiles' sizes from which they do not lie in one row."""

LOOSE = 0.55
"""Gap beyond the usual from which it is not sure that the row goes on, tile widths."""

_EVEN = 0.12
"""Error of an overlap or a level in a row that was laid, tile widths."""

_HARDLY = 0.2
"""By how much the score of a row's last box may be below that of the others before it is asked
whether it belongs.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Bearing:
    """The tiles in the frame of a direction.

    Attributes:
        phi: the direction along, radians.
        spots: the tiles that lie square to it.
        along, across: shape (n,), their places; across grows to the right-hand side of the
            direction.
        half: shape (n, 2), half their sides along and across, tile widths.
        sideways: shape (n,), log-odds that they lie along.
        sizes: shape (n,), logarithms of their sizes as shares of the usual.
        askew: shape (n,), how far they lie from square, radians; 0 for doubtful ones.
        doubtful: shape (n,), their axes say that they do not lie square, and their boxes that they
            do.
        strange: shape (n,), distance of each to the nearest tile that does not lie square, centre
            to centre, tile widths.
        usual: gap between tiles that touch, tile widths: boxes around faces alone leave one, loose
            boxes a negative one.
        rows: positions of the tiles of each row, in the order they lie; every tile is in one, if
            alone.
    """

    phi: float
    spots: tuple[Spot, ...]
    along: Array
    across: Array
    half: Array
    sideways: Array
    sizes: Array
    askew: Array
    doubtful: NDArray[np.bool_]
    strange: Array
    usual: float
    rows: tuple[tuple[int, ...], ...]


def bearing(field: Ground, phi: float) -> Bearing:
    """Rows of direction `phi`."""
    askew = field.askew(phi)
    doubtful = (askew >= _SQUARE) & (field.oblique(phi) < _FITTING)
    keep = np.nonzero((askew < _SQUARE) | doubtful)[0]
    spots = tuple(field.spots[int(k)] for k in keep)
    by_box, by_axis = field.sideways(phi)
    odds = by_box + np.where(doubtful, 0.0, by_axis)
    sideways, doubtful = odds[keep], doubtful[keep]
    places = field.places[keep]
    along, across = turned(places, phi)
    sizes = field.sizes(np.where(odds > 0, phi, phi + math.pi / 2))[keep]
    for attempt in range(3):
        half = _halves(sideways, field.plane.ratio)
        following, gaps = _neighbours(along, across, half, sizes, doubtful)
        close = np.sort(gaps[np.isfinite(gaps)])
        usual = float(np.clip(close[len(close) // 3], -0.3, 0.35)) if len(close) >= 4 else 0.0
        following = np.where(gaps - usual < LOOSE, following, -1)
        if attempt == 0:
            phi += _lean(along, across, following)
            along, across = turned(places, phi)
            continue
        shift = _by_place(along, across, half, following, usual, field.plane.ratio)
        again = odds[keep] + shift
        if ((again > 0) == (sideways > 0)).all():
            break
        sideways = again
    sideways = np.clip(odds[keep] + shift, -6.0, 6.0)
    half, off = _halves(sideways, field.plane.ratio), np.where(doubtful, 0.0, askew[keep])
    rest = np.delete(field.places, keep, axis=0)
    strange = np.full(len(keep), np.inf)
    if len(rest) and len(keep):
        strange = np.linalg.norm(places[:, None] - rest[None], axis=2).min(1)
    return Bearing(
        phi,
        spots,
        along,
        across,
        half,
        sideways,
        sizes,
        off,
        doubtful,
        strange,
        usual,
        _chains(following, along),
    )


def turned(places: Array, phi: float) -> tuple[Array, Array]:
    """Places along and across direction `phi`."""
    cos, sin = math.cos(phi), math.sin(phi)
    return places[:, 0] * cos + places[:, 1] * sin, places[:, 1] * cos - places[:, 0] * sin


def _lean(along: Array, across: Array, following: NDArray[np.int_]) -> float:
    """By what angle the rows lean from their direction: axes tell it less exactly than the places
    of many tiles.
    """
    first = np.nonzero(following >= 0)[0]
    if len(first) < _LEAST_STEPS:
        return 0.0
    second = following[first]
    lean = float(
        np.median(np.arctan2(across[second] - across[first], along[second] - along[first]))
    )
    return max(-_MOST_LEAN, min(_MOST_LEAN, lean))


_LEAST_STEPS, _MOST_LEAN = 5, math.radians(12)


def _halves(sideways: Array, ratio: float) -> Array:
    """Half the sides along and across of each tile, shape (n, 2)."""
    return np.where(
        sideways[:, None] > 0, np.array([[ratio / 2, 0.5]]), np.array([[0.5, ratio / 2]])
    )


def _neighbours(
    along: Array, across: Array, half: Array, sizes: Array, doubtful: NDArray[np.bool_]
) -> tuple[NDArray[np.int_], Array]:
    """For each tile the next of its row, -1 where there is none, and the gap to it, infinite where
    there is none.

    A doubtful tile has to touch and to lie exactly in line.
    """
    n = len(along)
    if n < 2:
        return np.full(n, -1), np.full(n, np.inf)
    step = along[None] - along[:, None]
    gap = step - half[:, None, 0] - half[None, :, 0]
    offset = offsets(across, half)
    unlike = np.abs(sizes[None] - sizes[:, None])
    either = doubtful[:, None] | doubtful[None]
    fits = (
        (gap > _OVERLAP)
        & (gap < _FIRST_GAP)
        & (offset < _OFFSET)
        & (step > 0.3)
        & (unlike < UNLIKE)
    )
    fits &= ~either | ((gap < _TOUCHING) & (offset < _TOUCHING))
    cost = (
        unlike
        + 1.5 * np.maximum(gap, 0)
        + np.maximum(-0.15 - gap, 0)
        + 1.2 * offset
        + 0.35 * step
        + 0.5 * either
    )
    cost = np.where(fits, cost, np.inf)
    forward = np.where(np.isfinite(cost.min(1)), cost.argmin(1), -1)
    back = np.where(np.isfinite(cost.min(0)), cost.argmin(0), -1)
    here = np.arange(n)
    mutual = (forward >= 0) & (back[forward] == here)
    return np.where(mutual, forward, -1), np.where(mutual, gap[here, forward], np.inf)


def _by_place(
    along: Array,
    across: Array,
    half: Array,
    following: NDArray[np.int_],
    usual: float,
    ratio: float,
) -> Array:
    """Log-odds that each tile lies sideways by the room it takes between its neighbours and its
    level among them.

    Tiles cannot overlap, most touch, and a sideways one lies flush with its neighbours on one side.
    """
    n = len(along)
    shift = np.zeros(n)
    first = np.nonzero(following >= 0)[0]
    if not len(first):
        return shift
    second = following[first]
    step, level = along[second] - along[first], across[second] - across[first]
    for tile, other in ((first, second), (second, first)):
        ways = []
        for own, deep in ((ratio / 2, 0.5), (0.5, ratio / 2)):
            gap = step - own - half[other, 0] - usual
            room = 0.75 * _normal(gap, _PLACE) + 0.25 * np.where(gap > 0.1, 0.7, 0.02)
            flush = np.abs(deep - half[other, 1])
            out = np.abs(np.abs(level) - flush)
            ways.append(np.log(room) + np.log(0.85 * _normal(out, _LEVEL) + 0.15 * 1.0))
        np.add.at(shift, tile, np.clip(ways[0] - ways[1], -_PLACE_SAYS, _PLACE_SAYS))
    return shift


def _normal(x: Array, sigma: float) -> Array:
    density: Array = np.exp(-0.5 * (x / sigma) ** 2) / (sigma * math.sqrt(2 * math.pi))
    return density


_PLACE, _LEVEL, _PLACE_SAYS = 0.08, 0.06, 2.0
"""Usual errors of a gap and a level, tile widths, and the log-odds that one neighbour may give."""


def offsets(across: Array, half: Array) -> Array:
    """How far each pair of tiles is from a common level, shape (n, n): level centres, or near or
    far edges that are flush.
    """
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


def rough(b: Bearing, row: tuple[int, ...]) -> float:
    """By how much the levels of a row of these tiles differ, and they overlap, beyond what laid
    tiles do, tile widths together.
    """
    first, second = list(row[:-1]), list(row[1:])
    overlap = b.usual - (b.along[second] - b.along[first] - b.half[first, 0] - b.half[second, 0])
    shift = np.abs(b.across[second] - b.across[first])
    steps = np.minimum(shift, np.abs(shift - np.abs(b.half[second, 1] - b.half[first, 1])))
    return float(np.maximum(overlap - _EVEN, 0).sum() + np.maximum(steps - _EVEN, 0).sum())


def parted(b: Bearing) -> Iterator[tuple[int, ...]]:
    """The rows, without what may be no part of them at their ends: a face-down tile that can be of
    no kong there, for a wall goes on where the hand ends, and a box that is hardly a tile.
    """
    for row in b.rows:
        low, high = 0, len(row)
        if high > 1:
            faint = float(np.median([b.spots[i].score for i in row])) - _HARDLY
            high -= _odd_end([b.spots[i] for i in row[:-5:-1]], faint)
            low += _odd_end([b.spots[i] for i in row[:4]], faint)
        if low < high:
            yield row[low:high]
        yield from ((i,) for i in (*row[:low], *row[high:]))


def _odd_end(end: Sequence[Spot], faint: float) -> bool:
    """The first of four tiles lies face down, the others not, and these differ or are too few; or
    it is a faint one.
    """
    if end[0].back <= 0.5:
        return end[0].score < faint
    return all(t.back <= 0.5 for t in end[1:]) and (
        len(end) < 3 or len({t.face for t in end[1:]}) > 1
    )
