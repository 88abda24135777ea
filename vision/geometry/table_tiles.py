"""The tiles in the plane of the table: places and directions, in tile widths.

`hupai.vision.geometry.table_plane` estimates the table plane; here each detection is projected to
it. The box of a tile and, usually, its upright axis determine its orientation relative to a given
direction.
"""

from __future__ import annotations

import math
from collections.abc import Sequence, Set
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from hupai.scoring.tiles import Tile
from hupai.vision.geometry.boxes import centres, distances, sizes
from hupai.vision.geometry.homography import depths, project
from hupai.vision.geometry.table_plane import Plane, box_sides, medians, table_plane
from hupai.vision.numeric import folded
from hupai.vision.types import Detections

Array = NDArray[np.float64]

_BOX_NOISE = 0.1
"""Standard error of the logarithm of a box's side."""

_MAX_MISFIT = 3.0
"""Misfit of a side at which its cost is clipped, standard errors: occluded tiles have odd boxes."""

_AXIS_SLOPE = 10.0
"""Log-odds that a tile is sideways, per radian of its axis beyond the diagonal."""

_MAX_AXIS_LOG_ODDS = 3.0
"""Greatest log-odds from an axis: some faces look similar when rotated."""

_MAX_BOX_LOG_ODDS = 5.0
"""Greatest log-odds from the shape of a box."""

_EDGE_SLACK = 0.02
"""Distance to the photo's edge at which a box counts as cut, as a share of its longer side."""

_NEIGHBOUR_DISTANCE = 1.25
"""Greatest distance between two tiles that vote for the direction of a row, tile widths."""

_NEIGHBOUR_WEIGHT = 0.5
"""Weight of such a vote relative to that of a tile's axis."""

_CONCENTRATION = 12.0
"""Concentration of the kernel by which directions vote (von Mises, of the doubled angle)."""

_MIN_VOTES = 1.0
"""Height of a peak from which it is a direction of rows."""

_MIN_PEAK = 0.12
"""Height of a peak, as a share of the highest, from which it is a direction of rows."""

_MAX_BEARINGS = 4
"""Maximum number of row directions."""

FLOWERS = slice(Tile.SPRING, Tile.BACK)
"""The classes of flowers."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Ground:
    """All tiles of a photo on the table, in an order that is independent of the detections' order.

    Attributes:
        plane: the table plane.
        ids: shape (n,), indices of the detections.
        faces: shape (n,), likeliest classes.
        odds: shape (n,), log-odds of `faces` against the second likeliest classes; all flowers
            count as one class.
        scores: shape (n,), probabilities that there is a tile.
        backs: shape (n,), probabilities that it lies face down.
        flowers: shape (n,), probabilities that it is a flower.
        cut: shape (n,), whether its box reaches the edge of the photo.
        rises: shape (n,), how much higher a tile is on the photo than the row that it was moved
            down to, tile widths; 0 for tiles that are not stacked, see `stacked_tiles`.
        middles: shape (n, 2), centres of the boxes, pixels.
        places: shape (n, 2), places on the table, tile widths; y grows towards the lower edge of
            the photo.
        axes: shape (n,), directions of upright axes on the table modulo pi, NaN if not known.
        blur: shape (n,), factor by which an error of an axis on the photo grows on the table, at
            least 1.
        sides: shape (n, 2), logarithms of width and height of the boxes, pixels.
        stretch: shape (n, 2, 2), Jacobian from table to photo, pixels per tile width.
        seen_axes: shape (n,), directions of upright axes on the photo, NaN if not known.
        laid_down: shape (n,), tiles of standing rows, whose places are those that they would have
            if they lay on their backs.
    """

    plane: Plane
    ids: NDArray[np.intp]
    faces: NDArray[np.intp]
    odds: Array
    scores: Array
    backs: Array
    flowers: Array
    cut: NDArray[np.bool_]
    rises: Array
    middles: Array
    places: Array
    axes: Array
    blur: Array
    sides: Array
    stretch: Array
    seen_axes: Array
    laid_down: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.ids)

    def among(self, ids: Set[int]) -> NDArray[np.bool_]:
        """Return which tiles (n,) have one of these ids."""
        return np.array([i in ids for i in self.ids.tolist()], bool)

    def on_photo(self, places: Array) -> tuple[Array, Array]:
        """Map places (n, 2) on the table to the photo, except those behind the camera.

        Next to a row that was laid down, places are on the plane of that row.

        Returns:
            Points (m, 2), pixels, and the Jacobians (m, 2, 2) there, pixels per tile width.
        """
        back = np.linalg.inv(self.plane.homography)
        places = places[depths(back, places) > 0]
        middles = project(back, places)
        stretch = self.plane.stretch(middles)
        if self.laid_down.any():
            nearest = distances(places, self.places).argmin(1)
            on_row = self.laid_down[nearest]
            near = nearest[on_row]
            stretch[on_row] = self.stretch[near]
            steps = self.stretch[near] @ (places[on_row] - self.places[near])[..., None]
            middles[on_row] = self.middles[near] + steps[..., 0]
        return middles, stretch

    def excess(self, along: Array | float) -> Array:
        """Return the size of each box relative to that predicted for the given upright axes.

        Args:
            along: directions of the axes, shape (n,) or (d, n), or one for all.

        Returns:
            Shape (n, 2) or (d, n, 2), logarithms of the ratios of width and height.
        """
        sides = box_sides(self.stretch, self.plane.ratio, along)
        excess: Array = self.sides - np.log(np.maximum(sides, 1e-6))
        return excess

    def sideways(self, phi: Array, lying: Array, upright: Array) -> tuple[Array, Array]:
        """Return log-odds that each tile is parallel to directions `phi`, not perpendicular.

        Args:
            phi: shape (d, 1), the directions, radians.
            lying, upright: shape (d, n, 2), `excess` of tiles parallel and perpendicular to them.

        Returns:
            Log-odds from the boxes and from the axes, shape (d, n) each.
        """
        box = np.clip((misfit(upright) - misfit(lying)) / 2, -_MAX_BOX_LOG_ODDS, _MAX_BOX_LOG_ODDS)
        box = np.where(self.cut, 0.0, box)
        turn = np.abs(folded(self.axes - phi))
        axis = (math.pi / 4 - turn) * _AXIS_SLOPE / self.blur
        axis = np.clip(axis, -_MAX_AXIS_LOG_ODDS, _MAX_AXIS_LOG_ODDS)
        return box, np.where(np.isfinite(self.axes), np.nan_to_num(axis), 0.0)

    def askew(self, phi: Array) -> Array:
        """Return the angles (d, n) of the tiles to the nearest of `phi` and its perpendicular.

        Args:
            phi: shape (d, 1), directions, radians.

        Returns:
            Radians, at most pi/4; 0 if the axis is not known. In an oblique view an axis determines
            the direction on the table less precisely, so the angle is divided by `blur`.
        """
        turn = np.abs(folded(self.axes - phi, math.pi / 2))
        return np.where(np.isfinite(self.axes), np.nan_to_num(turn) / self.blur, 0.0)


_OF_TILES = tuple(field.name for field in fields(Ground) if field.name != "plane")
"""Attributes with a value for each tile."""


def oblique(lying: Array, upright: Array) -> Array:
    """Return the misfits (d, n) of boxes to tiles parallel or perpendicular to d directions.

    Both shape and size count.

    Args:
        lying, upright: shape (d, n, 2), `Ground.excess` for both.

    Returns:
        Standard errors.
    """
    middle = medians(upright.reshape(len(upright), -1))[..., None]
    worst: Array = np.minimum(
        *(np.abs(some - middle).max(-1) / _BOX_NOISE for some in (lying, upright))
    )
    return worst


def misfit(excess: Array) -> Array:
    """Return the misfit of the boxes' shapes (..., n), given their excess over predicted boxes.

    The size is ignored: boxes may be loose or tight, and a tile of an upper layer appears larger.
    """
    errors = (excess - excess.mean(-1, keepdims=True)) / _BOX_NOISE
    misfit: Array = np.minimum(errors**2, _MAX_MISFIT**2).sum(-1)
    return misfit


def ground_of(
    detections: Detections,
    size: tuple[int, int] | None = None,
    firm: int | None = None,
    known: Plane | None = None,
) -> Ground:
    """Project detections to the table.

    Boxes without an area or with values that are not finite are omitted; if that leaves none of the
    `firm` leading ones, all are omitted.

    Args:
        detections: what the detector found.
        size: width and height of the photo, pixels; without it no tile counts as cut by its edge.
        firm: number of leading detections from which the plane is estimated; None for all.
        known: the plane, if it has been estimated already.
    """
    boxes = detections.boxes.astype(np.float64)
    sound = np.isfinite(boxes).all(1) & (boxes[:, 2] > boxes[:, 0]) & (boxes[:, 3] > boxes[:, 1])
    order = np.lexsort((np.arange(len(boxes)), boxes[:, 1].round(3), boxes[:, 0].round(3)))
    ids = order[sound[order]]
    used = ids < (len(boxes) if firm is None else firm)
    if not used.any():
        ids = ids[:0]
        known = Plane((0.0, 0.0), 1.0, np.zeros(2), 1.0, 1.0, np.eye(2))
    boxes, axes = boxes[ids], detections.axes.astype(np.float64)[ids]
    if known is None:
        used[used] = detections.only(ids[used]).shows_table_plane()
        known = table_plane(boxes[used], axes[used], size)
    return _on(known, detections, ids, boxes, axes, size)


def _on(
    plane: Plane,
    detections: Detections,
    ids: NDArray[np.int_],
    boxes: Array,
    axes: Array,
    size: tuple[int, int] | None,
) -> Ground:
    """Project detections with these ids, boxes (n, 4) and axes (n,) to a plane."""
    middles = centres(boxes)
    places, stretch, on_table, blur = projected(plane, middles, axes)
    classes = detections.probabilities[ids]
    faces, odds = faces_and_odds(classes)
    return Ground(
        plane=plane,
        ids=ids,
        faces=faces,
        odds=odds,
        scores=detections.scores[ids].astype(np.float64),
        backs=classes[:, Tile.BACK].astype(np.float64),
        flowers=classes[:, FLOWERS].sum(1).astype(np.float64),
        cut=np.zeros(len(ids), bool) if size is None else _at_edge(boxes, size),
        rises=np.zeros(len(ids)),
        middles=middles,
        places=places,
        axes=on_table,
        blur=blur,
        sides=np.log(sizes(boxes)),
        stretch=stretch,
        seen_axes=axes,
        laid_down=np.zeros(len(ids), bool),
    )


def faces_and_odds(classes: NDArray[np.floating]) -> tuple[NDArray[np.intp], Array]:
    """Return `Ground.faces` (n,) and `odds` (n,), given probabilities (n, 43).

    All flowers count as one class: which flower it is does not matter for the layout.
    """
    merged = classes.astype(np.float64)
    flower = merged[:, FLOWERS].argmax(1) + FLOWERS.start
    merged[:, FLOWERS] = 0.0
    merged[np.arange(len(merged)), flower] = classes[:, FLOWERS].sum(1)
    ranked = np.argsort(-merged, axis=1, kind="stable")
    likely = np.maximum(np.take_along_axis(merged, ranked[:, :2], axis=1), 1e-9)
    return ranked[:, 0], np.log(likely[:, 0] / likely[:, 1])


def projected(plane: Plane, middles: Array, axes: Array) -> tuple[Array, Array, Array, Array]:
    """Project tiles with middles (n, 2) and axes (n,) on the photo to a plane.

    Returns:
        `Ground.places`, `stretch`, `axes` and `blur`.
    """
    places, stretch = plane.on_table(middles), plane.stretch(middles)
    a, b, c, d = stretch[:, 0, 0], stretch[:, 0, 1], stretch[:, 1, 0], stretch[:, 1, 1]
    x, y = np.cos(axes), np.sin(axes)
    across, along = a * y - c * x, d * x - b * y
    on_table = np.arctan2(across, along) % math.pi
    blur = np.abs(a * d - b * c) / np.maximum(across**2 + along**2, 1e-12)
    return places, stretch, on_table, np.maximum(np.nan_to_num(blur, nan=1.0), 1.0)


def without(ground: Ground, dropped: frozenset[int]) -> Ground:
    """Drop the tiles with these ids."""
    return only(ground, ~ground.among(dropped))


def only(ground: Ground, keep: NDArray[np.bool_] | Sequence[int]) -> Ground:
    """Keep some tiles, given by a mask (n,), or by their positions in the new order."""
    keep = np.asarray(keep) if len(keep) else np.zeros(0, np.intp)
    kept = {name: getattr(ground, name)[keep] for name in _OF_TILES}
    return Ground(plane=ground.plane, **kept)


def _at_edge(boxes: Array, size: tuple[int, int]) -> NDArray[np.bool_]:
    """Return which boxes (n, 4) reach the edge of the photo."""
    slack = _EDGE_SLACK * sizes(boxes).max(1, keepdims=True)
    reached: NDArray[np.bool_] = ((boxes[:, :2] <= slack) | (boxes[:, 2:] >= size - slack)).any(1)
    return reached


def bearings(ground: Ground) -> tuple[float, ...]:
    """Find possible row directions, radians in [0, pi), the likeliest first.

    Rows are perpendicular to the upright axes of most of their tiles, and run from neighbour to
    neighbour; each tile and each pair of close neighbours has a vote.
    """
    vote, weight = _votes(ground)
    if not len(vote):
        return ()

    def kernel(angle: NDArray[np.floating] | float) -> Array:
        near: Array = weight * np.exp(_CONCENTRATION * (np.cos(2 * (angle - vote)) - 1))
        return near

    grid = np.arange(180) * (math.pi / 180)
    height = kernel(grid[:, None]).sum(1)
    top = (height >= np.roll(height, 1)) & (height > np.roll(height, -1)) & (height > _MIN_VOTES)
    peaks = sorted(np.nonzero(top)[0].tolist(), key=lambda k: -height[k])[:_MAX_BEARINGS]
    found = []
    for k in peaks:
        if height[k] >= _MIN_PEAK * height[peaks[0]]:
            near, turn = kernel(float(grid[k])), 2 * (vote - grid[k])
            shift = np.arctan2((near * np.sin(turn)).sum(), (near * np.cos(turn)).sum()) / 2
            found.append(float(grid[k] + shift) % math.pi)
    return tuple(found)


def _votes(ground: Ground) -> tuple[Array, Array]:
    """Return the row directions voted for by tiles and by pairs of neighbours, and the weights."""
    known = np.isfinite(ground.axes)
    votes = [ground.axes[known] + math.pi / 2]
    weights = [1 / ground.blur[known]]
    near = distances(ground.places, ground.places) < _NEIGHBOUR_DISTANCE
    i, j = np.nonzero(np.triu(near, 1))
    steps = ground.places[i] - ground.places[j]
    votes.append(np.arctan2(steps[:, 1], steps[:, 0]))
    weights.append(np.full(len(i), _NEIGHBOUR_WEIGHT))
    return np.concatenate(votes) % math.pi, np.concatenate(weights)
