"""The tiles as they lie on the table, seen from straight above: places and directions in widths of
a tile.

`hupai.vision.geometry.table_plane` estimates how the camera looks at the table; here each detection
is put on the table by it. What the camera tells of a tile is the box around it and, mostly, its
upright axis. Both say how it lies against a given direction.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hupai.scoring.tiles import Tile
from hupai.vision.geometry.table_plane import Plane, box_sides, planes
from hupai.vision.types import Detections

Array = NDArray[np.float64]

_BOX_NOISE = 0.1
"""Usual error of a box's side as the logarithm of its share, where a box is asked how its tile
lies.
"""

_ODD_BOX = 3.0
"""Limit of what one side of a box may say, in units of its noise: boxes of half-hidden tiles
lie.
"""

_AXIS_SLOPE, _AXIS_SAYS, _BOX_SAYS = 10.0, 3.0, 5.0
"""Log-odds an axis gives a radian beyond the diagonal, and at most: some faces look much the same
turned. And those a box gives.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Spot:
    """One tile on the table. Compared by identity: no two are the same tile.

    Attributes:
        id: index of the detection.
        x, y: where it lies on the table, widths of a tile; y grows towards the lower edge of the
            photo.
        at: centre of its box on the photo, pixels.
        axis: direction of the upright axis on the table modulo pi; None where it is not known.
        face: likeliest class.
        second: next likeliest class.
        odds: log-odds of the likeliest against it.
        score: probability that there is a tile.
        back: probability that it lies face down.
        flower: probability that it is a flower.
        cut: the edge of the photo cuts through it, as far as its box tells.
    """

    id: int
    x: float
    y: float
    at: tuple[float, float]
    axis: float | None
    face: Tile
    second: Tile
    odds: float
    score: float
    back: float
    flower: float
    cut: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """All tiles of a photo on the table.

    Attributes:
        spots: the tiles, in an order that does not depend on that of the detections.
        plane: how the table lies to the camera.
        places: shape (n, 2), where they lie, widths of a tile.
        axes: shape (n,), directions of their upright axes on the table modulo pi, NaN where not
            known.
        blur: shape (n,), how much an error of an axis on the photo grows on the table, at least 1.
        sides: shape (n, 2), logarithms of width and height of their boxes, pixels.
        stretch: shape (n, 2, 2), derivative of the photo by the table at each tile, pixels a tile
            width.
    """

    spots: tuple[Spot, ...]
    plane: Plane
    places: Array
    axes: Array
    blur: Array
    sides: Array
    stretch: Array

    def sizes(self, along: Array) -> Array:
        """Logarithm of each tile's size as a share of the usual, shape (n,), if its upright axis
        has direction `along`.
        """
        sizes: Array = self._excess(along).mean(1)
        return sizes

    def misfit(self, along: Array) -> Array:
        """How badly each box fits a tile with its upright axis in direction `along`, shape (n,);
        shape (n, 2), units of noise.
        """
        fit = self._excess(along)
        # Only the shape counts: boxes may be loose or tight, and a tile of an upper layer looks
        # larger.
        misfit: Array = (fit - fit.mean(1, keepdims=True)) / _BOX_NOISE
        return misfit

    def pose_misfit(self, ids: frozenset[int]) -> float:
        """Measure how badly the boxes of some tiles fit the plane, as a mean cost in log-odds.

        Their size is free.
        """
        some = [k for k, spot in enumerate(self.spots) if spot.id in ids and spot.axis is not None]
        if not some:
            return 0.0
        excess = self._excess(np.nan_to_num(self.axes))[some].ravel()
        middle = np.partition(excess, len(excess) // 2)[len(excess) // 2]
        cost = np.minimum(((excess - middle) / _BOX_NOISE) ** 2, _ODD_BOX**2)
        return float(cost.mean())

    def _excess(self, along: Array) -> Array:
        sides = box_sides(self.stretch, self.plane.ratio, along)
        excess: Array = self.sides - np.log(np.maximum(sides, 1e-6))
        return excess

    def sideways(self, phi: float) -> tuple[Array, Array]:
        """Log-odds, shape (n,) each, that each tile lies along direction `phi` and not square to
        it, by its box and by its axis.
        """
        n = len(self.spots)
        upright = np.minimum(self.misfit(np.full(n, phi + math.pi / 2)) ** 2, _ODD_BOX**2).sum(1)
        lying = np.minimum(self.misfit(np.full(n, phi)) ** 2, _ODD_BOX**2).sum(1)
        box = np.where(
            [s.cut for s in self.spots], 0.0, np.clip((upright - lying) / 2, -_BOX_SAYS, _BOX_SAYS)
        )
        turn = np.abs((self.axes - phi + math.pi / 2) % math.pi - math.pi / 2)
        axis = np.clip((math.pi / 4 - turn) * _AXIS_SLOPE / self.blur, -_AXIS_SAYS, _AXIS_SAYS)
        return box, np.where(np.isfinite(self.axes), np.nan_to_num(axis), 0.0)

    def askew(self, phi: float) -> Array:
        """How far each tile is from lying square or parallel to `phi`, radians, at most pi/4; 0
        where its axis is not known.

        Seen from the side an axis tells the direction on the table less exactly: the angle is
        shortened by as much.
        """
        quarter = math.pi / 2
        turn = np.abs((self.axes - phi + quarter / 2) % quarter - quarter / 2)
        return np.where(np.isfinite(self.axes), np.nan_to_num(turn) / self.blur, 0.0)

    def oblique(self, phi: float) -> Array:
        """How badly each box, shape and size, fits a tile that lies square or parallel to `phi`,
        shape (n,), units of noise.
        """
        n = len(self.spots)
        both = np.stack([self._excess(np.full(n, way)) for way in (phi, phi + math.pi / 2)])
        middle = np.median(both[1])
        oblique: Array = (np.abs(both - middle) / _BOX_NOISE).max(2).min(0)
        return oblique


def grounds(
    detections: Detections, size: tuple[int, int] | None = None, firm: int | None = None
) -> tuple[Ground, ...]:
    """The detections on the table, for each way the table may lie to the camera, the likeliest
    first.

    Boxes without an area or with values that are no numbers are left out.

    Args:
        detections: what the detector saw.
        size: width and height of the photo, pixels; without it no tile counts as cut by its edge.
        firm: so many of them, the first ones, tell how the table lies; all where it is not given.
    """
    boxes = detections.boxes.astype(np.float64)
    sound = np.isfinite(boxes).all(1) & (boxes[:, 2] > boxes[:, 0]) & (boxes[:, 3] > boxes[:, 1])
    order = np.lexsort((np.arange(len(boxes)), boxes[:, 1].round(3), boxes[:, 0].round(3)))
    ids = order[sound[order]]
    tell = ids < (len(boxes) if firm is None else firm)
    if not tell.any():
        return ()
    boxes, axes = boxes[ids], detections.axes.astype(np.float64)[ids]
    return tuple(
        _on(plane, detections, ids, boxes, axes, size)
        for plane in planes(boxes[tell], axes[tell], size)
    )


def _on(
    plane: Plane,
    detections: Detections,
    ids: NDArray[np.int_],
    boxes: Array,
    axes: Array,
    size: tuple[int, int] | None,
) -> Ground:
    centres = (boxes[:, :2] + boxes[:, 2:]) / 2
    places, stretch = plane.on_table(centres), plane.stretch(centres)
    a, b, c, d = stretch[:, 0, 0], stretch[:, 0, 1], stretch[:, 1, 0], stretch[:, 1, 1]
    x, y = np.cos(axes), np.sin(axes)
    across, along = a * y - c * x, d * x - b * y
    on_table = np.arctan2(across, along) % math.pi
    blur = np.abs(a * d - b * c) / np.maximum(across**2 + along**2, 1e-12)
    classes = detections.probabilities[ids]
    ranked = np.argsort(-classes, axis=1, kind="stable")
    likely = np.maximum(np.take_along_axis(classes, ranked[:, :2], axis=1).astype(np.float64), 1e-9)
    backs, flowers = classes[:, Tile.BACK], classes[:, Tile.SPRING : Tile.BACK].sum(1)
    spots = tuple(
        Spot(
            id=int(i),
            x=float(places[k, 0]),
            y=float(places[k, 1]),
            at=(float(centres[k, 0]), float(centres[k, 1])),
            axis=float(on_table[k]) if math.isfinite(axes[k]) else None,
            face=Tile(int(ranked[k, 0])),
            second=Tile(int(ranked[k, 1])),
            odds=math.log(likely[k, 0] / likely[k, 1]),
            score=float(detections.scores[i]),
            back=float(backs[k]),
            flower=float(flowers[k]),
            cut=size is not None and _at_edge(boxes[k], size),
        )
        for k, i in enumerate(ids)
    )
    blur = np.maximum(np.nan_to_num(blur, nan=1.0), 1.0)
    return Ground(
        spots, plane, places, on_table, blur, np.log(boxes[:, 2:] - boxes[:, :2]), stretch
    )


def without(field: Ground, dropped: frozenset[int]) -> Ground:
    """The same without the tiles of these ids."""
    keep = [k for k, spot in enumerate(field.spots) if spot.id not in dropped]
    return Ground(
        tuple(field.spots[k] for k in keep),
        field.plane,
        field.places[keep],
        field.axes[keep],
        field.blur[keep],
        field.sides[keep],
        field.stretch[keep],
    )


def with_overrides(
    ground: Ground, sure: frozenset[int], score: float, relabelled: frozenset[int]
) -> Ground:
    """Give some tiles another score, and others their second face.

    Args:
        ground: the tiles.
        sure: ids of those that get the score.
        score: the score.
        relabelled: ids of those taken for their second face.
    """

    def changed(spot: Spot) -> Spot:
        spot = replace(spot, score=score) if spot.id in sure else spot
        return replace(spot, face=spot.second, second=spot.face) if spot.id in relabelled else spot

    some = sure | relabelled
    return replace(ground, spots=tuple(changed(s) if s.id in some else s for s in ground.spots))


def _at_edge(box: Array, size: tuple[int, int]) -> bool:
    """The box reaches the edge of the photo, to a fiftieth of the tile."""
    slack = 0.02 * float(max(box[2] - box[0], box[3] - box[1]))
    return bool(
        box[0] <= slack or box[1] <= slack or box[2] >= size[0] - slack or box[3] >= size[1] - slack
    )


def between(a: float, b: float) -> float:
    """Angle between two directions modulo pi, in [0, pi/2]."""
    turn = abs(a - b) % math.pi
    return min(turn, math.pi - turn)


def bearings(field: Ground) -> tuple[float, ...]:
    """Directions, radians in [0, pi), in which rows may run, the likeliest first.

    Rows run square to the upright axes of most of their tiles, and from neighbour to neighbour;
    each tile and each pair of close neighbours has a vote.
    """
    n = len(field.spots)
    known = np.isfinite(field.axes)
    votes = [field.axes[known] + math.pi / 2]
    weights = [1 / field.blur[known]]
    if n > 1:
        apart = field.places[:, None] - field.places[None]
        distance = np.hypot(apart[..., 0], apart[..., 1])
        i, j = np.nonzero(np.triu(distance < _NEIGHBOURS, 1))
        votes.append(np.arctan2(apart[i, j, 1], apart[i, j, 0]))
        weights.append(np.full(len(i), 0.5))
    vote, weight = np.concatenate(votes) % math.pi, np.concatenate(weights)
    if not len(vote):
        return ()
    grid = np.arange(180) * (math.pi / 180)
    height = (weight * np.exp(_SHARP * (np.cos(2 * (grid[:, None] - vote)) - 1))).sum(1)
    peaks = [
        k
        for k in range(180)
        if height[k] >= height[k - 1] and height[k] > height[(k + 1) % 180] and height[k] > 1.0
    ]
    peaks = sorted(peaks, key=lambda k: -height[k])[:_MOST_BEARINGS]
    found = []
    for k in peaks:
        if height[k] < 0.12 * height[peaks[0]]:
            continue
        near = weight * np.exp(_SHARP * (np.cos(2 * (grid[k] - vote)) - 1))
        shift = (
            np.arctan2(
                (near * np.sin(2 * (vote - grid[k]))).sum(),
                (near * np.cos(2 * (vote - grid[k]))).sum(),
            )
            / 2
        )
        found.append(float(grid[k] + shift) % math.pi)
    return tuple(found)


_NEIGHBOURS = 1.25
_SHARP = 12.0
_MOST_BEARINGS = 4
