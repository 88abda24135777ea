"""Where each tile lies, how large it is, and whether two tiles lie in one row.

A detection has an axis-aligned box and, where the model knows it, the direction of the tile's upright axis. For a tile with sides
``along`` and ``across`` a row of direction ``phi`` the box is ``along |cos phi| + across |sin phi|`` wide and ``along |sin phi| +
across |cos phi|`` high; this is solved for the sides where it can be (rows near the photo's own directions, or a known axis) and
completed by the usual shape of a tile where it cannot (rows near the diagonal).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from scoring.tiles import Tile
from vision.types import Detections

RATIO = 0.75
"""Usual short side of a tile's face by its long side, seen from straight above."""

_SOLVABLE = 0.7
"""Smallest |cos 2 phi| for which a box is solved for the sides of the tile in it: up to 22 degrees off the photo's directions."""


_OFF = math.radians(25)
"""An axis that is further off a row's directions is believed to lie so; less may be an error of the axis."""


@dataclass(frozen=True, slots=True, eq=False)
class Spot:
    """One tile on the table, pixels of the upright photo. Compared by identity: no two are the same tile.

    Attributes:
        id: index of the detection.
        x, y: centre of its box.
        width, height: of its box.
        axis: direction of the upright axis modulo pi; None where it is not known.
        face: likeliest class.
        score: probability that there is a tile.
        back: probability that it lies face down.
        flower: probability that it is a flower.
        cut: the edge of the photo cuts through it, as far as its box tells.
    """

    id: int
    x: float
    y: float
    width: float
    height: float
    axis: float | None
    face: Tile
    score: float
    back: float
    flower: float
    cut: bool = False

    @property
    def girth(self) -> float:
        """Half the box's perimeter."""
        return self.width + self.height


def spots(detections: Detections, size: tuple[int, int] | None = None) -> tuple[Spot, ...]:
    """The detections as spots, in their order; boxes without an area or with values that are no numbers are left out.

    Args:
        size: width and height of the photo, pixels; without it no tile counts as cut by its edge.
    """
    found = []
    for i in range(len(detections)):
        box = detections.boxes[i].astype(float)
        if not np.isfinite(box).all() or box[2] - box[0] <= 0 or box[3] - box[1] <= 0:
            continue
        classes = detections.probabilities[i]
        axis = float(detections.axes[i])
        found.append(
            Spot(
                id=i,
                x=float(box[0] + box[2]) / 2,
                y=float(box[1] + box[3]) / 2,
                width=float(box[2] - box[0]),
                height=float(box[3] - box[1]),
                axis=axis % math.pi if math.isfinite(axis) else None,
                face=Tile(int(np.argmax(classes))),
                score=float(detections.scores[i]),
                back=float(classes[Tile.BACK]),
                flower=float(classes[Tile.SPRING : Tile.BACK].sum()),
                cut=size is not None and _at_edge(box, size),
            )
        )
    return tuple(found)


def _at_edge(box: NDArray[np.float64], size: tuple[int, int]) -> bool:
    """The box reaches the edge of the photo, to a hundredth of the tile."""
    slack = 0.02 * float(max(box[2] - box[0], box[3] - box[1]))
    return bool(box[0] <= slack or box[1] <= slack or box[2] >= size[0] - slack or box[3] >= size[1] - slack)


@dataclass(frozen=True, slots=True)
class Extent:
    """Sides of a tile along and across a row; `known` is False where they rest on the usual shape of a tile alone."""

    along: float
    across: float
    known: bool


def extent(spot: Spot, phi: float) -> Extent:
    """Sides of a tile along and across direction `phi`, radians.

    A tile is taken to lie parallel or square to the direction, as the tiles of a row do. Where its box does not tell its sides,
    its axis tells which is the longer; without an axis it is taken to be upright.
    """
    c, s = abs(math.cos(phi)), abs(math.sin(phi))
    determinant = c * c - s * s
    if abs(determinant) >= _SOLVABLE:
        along = (spot.width * c - spot.height * s) / determinant
        across = (spot.height * c - spot.width * s) / determinant
        if along > 0.1 * across and across > 0.1 * along:
            return Extent(along, across, True)
    if spot.axis is not None:
        turn = between(spot.axis, phi)
        off = min(turn, math.pi / 2 - turn) > _OFF
        long, short, known = _sides(spot, spot.axis if off else phi + math.pi / 2 if turn > math.pi / 4 else phi)
        return Extent(long, short, known) if turn < math.pi / 4 else Extent(short, long, known)
    total = spot.girth / (c + s)
    return Extent(total * RATIO / (1 + RATIO), total / (1 + RATIO), False)


def _sides(spot: Spot, axis: float) -> tuple[float, float, bool]:
    """Side along the upright axis, side across it, and whether both were solved for."""
    c, s = abs(math.cos(axis)), abs(math.sin(axis))
    determinant = c * c - s * s
    if abs(determinant) >= _SOLVABLE:
        along = (spot.width * c - spot.height * s) / determinant
        across = (spot.height * c - spot.width * s) / determinant
        if along > 0.25 * across and across > 0.15 * along:
            return along, across, True
    total = spot.girth / (c + s)
    return total / (1 + RATIO), total * RATIO / (1 + RATIO), False


def between(a: float, b: float) -> float:
    """Angle between two directions modulo pi, in [0, pi/2]."""
    turn = abs(a - b) % math.pi
    return min(turn, math.pi - turn)


@dataclass(frozen=True, slots=True)
class Step:
    """From one tile of a row to the next.

    Attributes:
        gap: free space between the two, in sides of a tile along the row; negative where boxes overlap.
        offset: how far the second is pushed out of the row, in sides of a tile across it; positive to the left of the direction.
        misfit: how badly size and orientation agree, 0 for alike, about 1 for doubtful.
        turned: one of the two lies sideways to the other.
    """

    gap: float
    offset: float
    misfit: float
    turned: bool

    @property
    def cost(self) -> float:
        """Small for the next tile of a row; the nearer tile wins, unless it fits badly, so that none is passed over."""
        room = 3.0 * max(self.gap, 0.0) + max(-0.15 - self.gap, 0.0)
        return room + 1.5 * abs(self.offset) + 0.6 * self.misfit + 0.2 * self.turned


MAX_GAP = 2.0
"""Widest gap within a row, in sides of a tile along it."""

_DOUBTFUL_GAP = 1.2
"""Beyond this gap a tile has to lie exactly in line."""

_OVERLAP = 0.42
"""Smallest distance of two tiles' centres, in sides of a tile."""

_MAX_SIZE_RATIO = 1.45
_SAME_BOX = 0.13


@dataclass(frozen=True, slots=True)
class Fit:
    """Whether two shapes agree: `misfit` and `turned` as in `Step`; `alike`, the boxes are nearly the same."""

    misfit: float
    turned: bool
    alike: bool = False


def fit(a: Spot, b: Spot) -> Fit | None:
    """Whether two tiles may be neighbours by size and orientation; None if they cannot.

    Of a tile that the photo's edge cuts only one side is seen in full: it has to agree.
    """
    if a.cut or b.cut:
        sides = sorted((abs(math.log(a.width / b.width)), abs(math.log(a.height / b.height))))
        if sides[0] < 0.25 and sides[1] < 1.6 and ((a if a.girth < b.girth else b).cut or sides[1] < 0.3):
            return Fit(0.0, False)
    ratio = a.girth / b.girth
    if not 1 / _MAX_SIZE_RATIO < ratio < _MAX_SIZE_RATIO:
        return None
    size = 1.5 * abs(math.log(ratio))
    alike = max(abs(math.log(a.width / b.width)), abs(math.log(a.height / b.height)))
    if a.axis is not None and b.axis is not None:
        turn = between(a.axis, b.axis)
        off = min(turn, math.pi / 2 - turn)
        if off > math.radians(20) and alike < _SAME_BOX:
            # Some faces look much the same turned, so that their axis errs; equal boxes speak for one direction.
            return Fit(0.2 + size, False, True)
        if off > math.radians(38):
            return None
        return Fit(max(off - math.radians(12), 0.0) * 1.8 + size, turn > math.pi / 4, alike < _SAME_BOX)
    swapped = max(abs(math.log(a.width / b.height)), abs(math.log(a.height / b.width)))
    if min(alike, swapped) > 0.6:
        return None
    if alike <= swapped + 0.12:
        return Fit(max(alike - 0.15, 0.0) * 1.8, False, alike < _SAME_BOX)
    return Fit(max(swapped - 0.15, 0.0) * 1.8, True)


def step(a: Spot, b: Spot, phi: float, pitch: float | None, agreement: Fit | None = None) -> Step | None:
    """The step from `a` to `b` in a row of direction `phi`; None if `b` cannot be the next tile.

    Args:
        pitch: distance of centres of the row so far, pixels; None at its start.
        agreement: of the two tiles' shapes, if it is known already.
    """
    cos, sin = math.cos(phi), math.sin(phi)
    dx, dy = b.x - a.x, b.y - a.y
    forward = dx * cos + dy * sin
    if forward <= 0 or forward > 3.2 * max(a.girth, b.girth):
        return None
    if agreement is None:
        agreement = fit(a, b)
        if agreement is None:
            return None
    first, second = extent(a, phi), extent(b, phi)
    across = (first.across + second.across) / 2
    length = (first.along + second.along) / 2
    unit = min(first.along, second.along)
    if pitch is None:
        # Boxes of turned tiles may be loose: two neighbours that overlap touch.
        if _OVERLAP * length < forward < length:
            length = forward
    elif pitch < length or not (first.known and second.known):
        length = unit = min(pitch, 1.35 * length)
    gap = (forward - length) / unit
    offset = (dx * sin - dy * cos) / across
    if not _OVERLAP - 1 < gap < MAX_GAP or abs(offset) > (0.66 if gap < 0.4 else 0.3 if gap < _DOUBTFUL_GAP else 0.22):
        return None
    if gap > _DOUBTFUL_GAP and agreement.misfit > 0.3:
        return None
    return Step(gap, offset, agreement.misfit, agreement.turned)


@dataclass(frozen=True, slots=True)
class Row:
    """Tiles that lie in a row.

    Attributes:
        tiles: spots in the order they lie.
        phi: overall direction from the first to the last, radians.
        steps: the steps between neighbours, one fewer than tiles.
    """

    tiles: tuple[Spot, ...]
    phi: float
    steps: tuple[Step, ...] = field(default=())

    @property
    def centre(self) -> tuple[float, float]:
        """Mean of the tiles' centres."""
        return sum(t.x for t in self.tiles) / len(self.tiles), sum(t.y for t in self.tiles) / len(self.tiles)

    def __len__(self) -> int:
        return len(self.tiles)


def direction(tiles: tuple[Spot, ...] | list[Spot], fallback: float) -> float:
    """Direction of the line through the centres (least squares), pointing from the first to the last."""
    n = len(tiles)
    if n < 2:
        return fallback
    mx, my = sum(t.x for t in tiles) / n, sum(t.y for t in tiles) / n
    xx = sum((t.x - mx) ** 2 for t in tiles)
    yy = sum((t.y - my) ** 2 for t in tiles)
    xy = sum((t.x - mx) * (t.y - my) for t in tiles)
    angle = 0.5 * math.atan2(2 * xy, xx - yy)
    dx, dy = tiles[-1].x - tiles[0].x, tiles[-1].y - tiles[0].y
    if dx * math.cos(angle) + dy * math.sin(angle) < 0:
        angle += math.pi
    return angle
