"""The plane of the table, estimated from the tiles that lie on it.

All tiles are of one size, and most neighbours are parallel or perpendicular. In an oblique view,
distant tiles appear smaller and all are foreshortened in the viewing direction; the photo may also
have been stretched later. Tilt, focal length, stretch and aspect ratio of the tiles are fitted to
boxes and axes by robust least squares (iteratively reweighted Levenberg-Marquardt, from the best of
a grid of starts). The plane maps points of the photo to places on the table, in tile widths.
The model is a pinhole camera whose axis meets the table at the photo's centre
(`hupai.vision.geometry.pinhole`), followed by a stretch that most photos lack. Cropped photos and
lens distortion only reduce the accuracy.

`scipy.optimize.least_squares` with the same loss takes 1.6 to 3 times as long, reaches no lower
mean cost, and takes 0.4 s to import.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hupai.vision.geometry.boxes import centres, distances, sizes
from hupai.vision.geometry.pinhole import Array, jacobian, jacobian_entries, to_table

RATIO = 1.34
"""Typical ratio of a tile's long to its short side; the estimate may differ by a tenth.

It is that of the sides of real tiles. Two parts have their own, with which they were measured:
`hupai.vision.quads.ASPECT`, and `hupai.vision.detection.upright.ASPECT`, with which the network for
upright crops was trained.
"""

_SIDE_NOISE = 0.07
"""Standard error of the logarithm of a box's side."""

_SQUARE_NOISE = 0.12
"""Standard error of the direction from a tile to its neighbour, radians."""

_STEP_NOISE = 0.3
"""Standard error of the logarithm of the distance to a neighbour: not all tiles touch."""

_OUTLIER = 2.5
"""Residual, in standard errors, beyond which the robust loss flattens."""

MIN_TILES = 5
"""Least number of tiles with a known axis from which a tilt is estimated."""

_NEIGHBOUR = 2.2
"""Greatest distance between neighbours, in square roots of a box's area."""

_MIN_TILT = math.tan(math.radians(8.0))
"""Tilt below which a view counts as from straight above."""

_MIN_STRETCH = 0.5 * math.log(1.08)
"""Stretch below which the photo counts as not stretched; half the logarithm of its aspect."""

_COST_FROM_ABOVE = 5.0
"""Cost per tile below which a view from straight above is accepted."""

_MIN_FIELD = 0.05
"""Least ratio of a photo's longer side to its focal length: that of a telephoto lens."""

_TYPICAL = np.array([0.0, 0.0, 1.05, math.log(RATIO), 0.0, 0.0])
"""Typical parameters of a view.

These are tilt (2), longer side of the photo divided by the focal length, logarithm of the ratio of
a tile's sides, and stretch (2: along the edges, diagonal).
"""

_SPREAD = np.array([1.5, 1.5, 0.35, 0.06])
"""Standard deviations of the first four parameters."""

_STRETCH_SPREAD = 0.04
"""Scale of the stretch's heavy-tailed prior: few photos are stretched, but some strongly."""

_DIFFERENCES = np.array([1e-4, 1e-4, 1e-3, 1e-3, 1e-4, 1e-4])
"""Steps of the parameters for finite differences."""

_START_TILTS = np.tan(np.radians([25.0, 42.0, 56.0, 67.0, 75.0]))
"""Tilts of the grid of starts."""

_START_DIRECTIONS = np.arange(12) * (math.pi / 6)
"""Directions of tilt and stretch in the grid of starts, radians."""

_START_STRETCHES = 0.5 * np.log([1.4, 2.0])
"""Stretches of the grid of starts."""

_START_TILES = 24
"""Maximum number of tiles used to compare all starts; with all tiles, one plane in 300 differs."""

_BEST_STARTS = 16
"""Number of starts that are compared by all tiles."""

_MAX_ITERATIONS = 15
"""Maximum number of Levenberg-Marquardt iterations."""

_CONVERGED = 5e-2
"""Decrease of the cost below which the iteration ends."""


@dataclass(frozen=True, slots=True, eq=False)
class Plane:
    """The pose of the table relative to the camera.

    Attributes:
        middle: point of the photo at which the model is centred, pixels.
        focal: focal length, pixels.
        tilt: shape (2,), vector in the photo's direction in which the table recedes; its length is
            the tangent of the slant, 0 for a view from straight above.
        unit: width of a tile on the table, in units of the distance to the table's origin.
        ratio: ratio of a tile's long to its short side.
        warp: shape (2, 2), the stretch of the photo about `middle` after it was taken; symmetric,
            of determinant 1.
    """

    middle: tuple[float, float]
    focal: float
    tilt: Array
    unit: float
    ratio: float
    warp: Array

    @property
    def slant(self) -> float:
        """Angle between line of sight and table normal, radians."""
        return math.atan(math.hypot(*self.tilt))

    @property
    def homography(self) -> Array:
        """Homography (3, 3) from pixels of the photo to places on the table, tile widths.

        The homogeneous coordinate is positive on the near side of the horizon.
        """
        steep = math.hypot(*self.tilt)
        x, y = self.tilt / steep if steep > 0 else (0.0, -1.0)
        c, s = math.cos(self.slant), math.sin(self.slant)
        # `to_table` without its guard at the horizon: (far, side, 1) is proportional to
        # (along, c across, c - s along).
        table = np.array([[x, y, 0], [-c * y, c * x, 0], [-s * x, -s * y, c]])
        back = np.array(
            [[x / self.unit, -y / self.unit, 0], [y / self.unit, x / self.unit, 0], [0, 0, 1]]
        )
        straight = np.linalg.inv(self.warp) / self.focal
        seen = np.vstack(
            [np.column_stack([straight, -straight @ np.array(self.middle)]), [0, 0, 1]]
        )
        whole: Array = back @ table @ seen
        return whole

    def on_table(self, points: Array) -> Array:
        """Map points (n, 2) of the photo, pixels, to places on the table, tile widths."""
        flat: Array = to_table(self._seen(points), self.tilt[None])[0] / self.unit
        return flat

    def stretch(self, points: Array) -> Array:
        """Return the Jacobian from table to photo at points (n, 2), shape (n, 2, 2).

        It is in pixels per tile width.
        """
        slope = jacobian(self._seen(points), self.tilt[None])[0]
        out: Array = self.warp @ slope * (self.unit * self.focal)
        return out

    def _seen(self, points: Array) -> Array:
        straight: Array = (points - self.middle) @ np.linalg.inv(self.warp) / self.focal
        return straight[None]


def box_sides(stretch: Array, ratio: float, along: Array | float) -> Array:
    """Return width and height (n, 2) of boxes around tiles, pixels.

    Args:
        stretch: shape (n, 2, 2), see `Plane.stretch`.
        ratio: ratio of a tile's long to its short side.
        along: directions of the upright axes on the table, shape (n,) or one for all.
    """
    return _sides_of(_entries(stretch), ratio, np.cos(along), np.sin(along))


def _sides_of(
    stretch: tuple[Array, Array, Array, Array], ratio: Array | float, ux: Array, uy: Array
) -> Array:
    """Like `box_sides`, given the entries of the stretch and the axes as unit vectors."""
    a, b, c, d = stretch
    width = ratio * np.abs(a * ux + b * uy) + np.abs(b * ux - a * uy)
    height = ratio * np.abs(c * ux + d * uy) + np.abs(d * ux - c * uy)
    sides = np.empty((*width.shape, 2))
    sides[..., 0], sides[..., 1] = width, height
    return sides


def _entries(matrices: Array) -> tuple[Array, Array, Array, Array]:
    """Return the four entries of matrices (..., 2, 2), row by row."""
    return matrices[..., 0, 0], matrices[..., 0, 1], matrices[..., 1, 0], matrices[..., 1, 1]


def table_plane(boxes: Array, axes: Array, size: tuple[int, int] | None) -> Plane:
    """Estimate the plane that explains boxes and axes.

    Args:
        boxes: shape (n, 4), pixels.
        axes: shape (n,), directions of upright axes on the photo, radians, NaN if not known.
        size: width and height of the photo, pixels; None for a photo centred on the boxes.
    """
    middle, reach = _picture(boxes, size)
    view, parameters = _View.of(boxes, axes, middle, reach), _TYPICAL
    if len(view.axis) >= MIN_TILES:
        best = view.refine(view.best_start())
        if math.hypot(*best[:2]) > _MIN_TILT or math.hypot(*best[4:]) > _MIN_STRETCH:
            parameters = best
    return _plane(parameters, view, boxes, middle, reach)


def slanted(boxes: Array, axes: Array, size: tuple[int, int], least: float) -> Plane | None:
    """Estimate the plane of a table in an oblique view; None for a view from above.

    Args:
        boxes, axes, size: as for `table_plane`.
        least: slant from which a view counts as oblique, radians.
    """
    view = _View.of(boxes, axes, *_picture(boxes, size))
    tiles = len(view.axis)
    if tiles < MIN_TILES or float(view.cost(_TYPICAL[None])[0]) < _COST_FROM_ABOVE * tiles:
        return None
    best = table_plane(boxes, axes, size)
    return best if best.slant >= least else None


def _picture(boxes: Array, size: tuple[int, int] | None) -> tuple[Array, float]:
    """Return the centre (2,) and longer side of the photo, pixels."""
    if size is not None:
        return np.array(size) / 2, float(max(size))
    low, high = boxes[:, :2].min(0), boxes[:, 2:].max(0)
    return (low + high) / 2, float((high - low).max())


def _plane(parameters: Array, view: _View, boxes: Array, middle: Array, reach: float) -> Plane:
    """Convert the parameters of a view to a plane, with the tile size that fits the boxes."""
    focal, tilt, ratio = reach / float(parameters[2]), parameters[:2], math.exp(parameters[3])
    warp = _warps(parameters[None])[0]
    if len(view.axis):
        unit = math.exp(float(np.median(view.sizes(parameters))))
    else:
        seen = (centres(boxes) - middle) @ np.linalg.inv(warp) / focal
        slope = jacobian(seen[None], tilt[None])[0]
        scale = np.log(np.abs(np.linalg.det(slope))) / 2 + math.log(focal)
        sides = np.log(sizes(boxes)).sum(1) / 2
        unit = math.exp(float(np.median(sides - scale)) - math.log(ratio) / 2)
    return Plane((float(middle[0]), float(middle[1])), focal, tilt, unit, ratio, warp)


def _starts() -> Array:
    """Make the grid of starts: tilts, stretches, and moderate tilts with stretches."""
    changes = [np.zeros(6)]
    for angle in _START_DIRECTIONS:
        turn = np.array([math.cos(angle), math.sin(angle)])
        changes += [np.array([*turn * tilt, 0, 0, 0, 0]) for tilt in _START_TILTS]
        for stretch in _START_STRETCHES:
            changes.append(np.array([0, 0, 0, 0, *turn * stretch]))
            changes += [
                np.array([*turn * tilt, 0, 0, sign * stretch, 0])
                for tilt in _START_TILTS[:3]
                for sign in (-1, 1)
            ]
    return _TYPICAL + np.array(changes)


_STARTS = _starts()
"""The grid of starts, shape (k, 6)."""


@dataclass(frozen=True, slots=True, eq=False)
class _View:
    """Tiles with known axes, in units of the photo's longer side.

    Attributes:
        centre: shape (n, 2), middles from that of the photo.
        sides: shape (n, 2), logarithms of the boxes' sides.
        axis: shape (n,), radians.
        step: shape (n, 2), from each tile to its nearest neighbour; 0 if that is far.
        near: shape (n,), True if it is not.
    """

    centre: Array
    sides: Array
    axis: Array
    step: Array
    near: NDArray[np.bool_]

    @classmethod
    def of(cls, boxes: Array, axes: Array, middle: Array, reach: float) -> _View:
        """Select the tiles with a known axis of a photo with that centre and longer side."""
        known = np.isfinite(axes)
        centre = (centres(boxes) - middle) / reach
        sides = np.log(sizes(boxes) / reach)
        step = _nearest(centre, np.exp(sides.mean(1)))[known]
        return cls(centre[known], sides[known], axes[known], step, (step != 0).any(1))

    def best_start(self) -> Array:
        """Return the parameters of the grid with the least cost.

        All are compared by a subset of the tiles, the best of them by all tiles.
        """
        step = -(-len(self.axis) // _START_TILES)
        some = _View(
            self.centre[::step],
            self.sides[::step],
            self.axis[::step],
            self.step[::step],
            self.near[::step],
        )
        by_some = some.cost(_STARTS)
        likely = _STARTS[np.argsort(by_some, kind="stable")[:_BEST_STARTS]]
        best: Array = likely[int(np.argmin(self.cost(likely)))]
        return best

    def cost(self, parameters: Array) -> Array:
        """Return the robust cost (m,) of parameter sets (m, 6)."""
        return _cost(self.residuals(parameters), parameters)

    def sizes(self, parameters: Array) -> Array:
        """Return the logarithm of the tile width that each box side implies, shape (n * 2,)."""
        sizes: Array = (self.sides - self._predicted(parameters[None])[0][0]).ravel()
        return sizes

    def residuals(self, parameters: Array) -> Array:
        """Return the residuals in standard errors, shape (m, 4 n + 6), of parameter sets (m, 6).

        They are those of the sides of the boxes, of directions and distances to neighbours, and of
        the parameters against their prior, that of the stretch first.
        """
        predicted, askew, apart = self._predicted(parameters)
        errors = (self.sides - predicted).reshape(len(parameters), -1)
        size = medians(errors)
        errors = errors - size
        apart = np.where(self.near, apart - size, 0.0)
        stretch = parameters[:, 4:] / _STRETCH_SPREAD
        prior = (parameters[:, :4] - _TYPICAL[:4]) / _SPREAD
        return np.concatenate(
            [errors / _SIDE_NOISE, askew / _SQUARE_NOISE, apart / _STEP_NOISE, stretch, prior],
            axis=1,
        )

    def _predicted(self, parameters: Array) -> tuple[Array, Array, Array]:
        """Predict boxes and neighbours of tiles one unit wide.

        Returns:
            Logarithms of the box sides (m, n, 2); angle from a tile's nearest axis to its
            neighbour, radians, (m, n); logarithm of their distance relative to touching, (m, n).
        """
        focal = 1 / np.maximum(parameters[:, 2], _MIN_FIELD / 2)
        along, diagonal, opposite = (some[:, None] for some in _warp_entries(parameters))
        x, y = self.centre[:, 0], self.centre[:, 1]
        # The inverse of a 2x2 matrix of determinant 1 is its adjugate.
        seen = np.stack([opposite * x - diagonal * y, along * y - diagonal * x], axis=2)
        xx, xy, yx, yy = jacobian_entries(seen / focal[:, None, None], parameters[:, :2])
        scale = focal[:, None]
        along, diagonal, opposite = along * scale, diagonal * scale, opposite * scale
        a, b = along * xx + diagonal * yx, along * xy + diagonal * yy
        c, d = diagonal * xx + opposite * yx, diagonal * xy + opposite * yy
        x, y = np.cos(self.axis), np.sin(self.axis)
        # The direction on the table that appears as the axis on the photo: the adjugate of the
        # Jacobian, which is its inverse up to a factor, times the axis.
        ux, uy = d * x - b * y, a * y - c * x
        length = np.maximum(np.hypot(ux, uy), 1e-12)
        ux, uy = ux / length, uy / length
        sides = _sides_of((a, b, c, d), np.exp(parameters[:, 3])[:, None], ux, uy)
        predicted: Array = np.log(np.maximum(sides, 1e-9))
        sx = d * self.step[:, 0] - b * self.step[:, 1]
        sy = a * self.step[:, 1] - c * self.step[:, 0]
        beside, beyond = sx * uy - sy * ux, sx * ux + sy * uy
        far = np.maximum(beside**2 + beyond**2, 1e-12)
        askew: Array = beyond * beside / far
        det = np.maximum(np.abs(a * d - b * c), 1e-12)
        apart: Array = np.log(np.sqrt(far) / det) - np.where(
            np.abs(beside) > np.abs(beyond), 0.0, parameters[:, 3:4]
        )
        return predicted, askew, apart

    def refine(self, start: Array) -> Array:
        """Minimise the cost from a start by Levenberg-Marquardt with reweighting."""
        best, damping = start, 1e-2
        cost, error, slope = self._linearised(best)
        for _ in range(_MAX_ITERATIONS):
            robust = 1.0 / (1.0 + _squares(error[None])[0])
            weight = np.concatenate([robust, robust[-1:], np.ones(4)])
            weighted = slope * weight
            normal, gradient = weighted @ slope.T, weighted @ error
            step = np.linalg.solve(
                normal + damping * np.diag(np.diag(normal)) + 1e-9 * np.eye(len(best)), -gradient
            )
            there = self._linearised(best + step)
            if there[0] < cost:
                done = cost - there[0] < _CONVERGED
                best, damping = best + step, damping / 5
                cost, error, slope = there
                if done:
                    break
            else:
                damping *= 6
                if damping > 1e4:
                    break
        return best

    def _linearised(self, parameters: Array) -> tuple[float, Array, Array]:
        """Return the cost of parameters (6,), their residuals (r,), and their slopes (6, r)."""
        around = np.vstack([parameters[None], parameters + np.diag(_DIFFERENCES)])
        residuals = self.residuals(around)
        slopes = (residuals[1:] - residuals[0]) / _DIFFERENCES[:, None]
        return float(_cost(residuals[:1], around[:1])[0]), residuals[0], slopes


def _cost(errors: Array, parameters: Array) -> Array:
    """Return the robust cost (m,) of residuals (m, r) of parameter sets (m, 6)."""
    cost: Array = _OUTLIER**2 * np.log1p(_squares(errors)).sum(1) + (errors[:, -4:] ** 2).sum(1)
    return np.where(parameters[:, 2] >= _MIN_FIELD, cost, np.inf)


def medians(values: Array) -> Array:
    """Return the median (m, 1) of each row of values (m, 2 n).

    `numpy.median` takes twice as long.
    """
    half = values.shape[1] // 2
    parted = np.partition(values, half, axis=1)
    middle: Array = (parted[:, :half].max(1, keepdims=True) + parted[:, half : half + 1]) / 2
    return middle


def _squares(errors: Array) -> Array:
    """Return squared residuals in units of the outlier limit, without those of the prior.

    Those of the two stretch parameters are added, so that the stretch is one outlier or none.
    """
    squares: Array = (errors[:, :-4] / _OUTLIER) ** 2
    squares[:, -2] += squares[:, -1]
    return squares[:, :-1]


def _nearest(centre: Array, side: Array) -> Array:
    """Return the steps (n, 2) from each tile to the nearest other one, 0 if that is far."""
    if len(centre) < 2:
        return np.zeros_like(centre)
    distance = distances(centre, centre)
    np.fill_diagonal(distance, np.inf)
    near = distance.min(1) < _NEIGHBOUR * side
    return np.where(near[:, None], centre[distance.argmin(1)] - centre, 0.0)


def _warps(parameters: Array) -> Array:
    """Return the stretch of parameter sets as symmetric matrices (m, 2, 2) of determinant 1."""
    first, off, last = _warp_entries(parameters)
    return np.stack([first, off, off, last], axis=1).reshape(-1, 2, 2)


def _warp_entries(parameters: Array) -> tuple[Array, Array, Array]:
    """Return the two entries of the first row of these matrices and the last one, (m,) each."""
    p, q = parameters[:, 4], parameters[:, 5]
    norm = np.hypot(p, q)
    grow, turn = np.cosh(norm), np.sinh(norm) / np.maximum(norm, 1e-12)
    return grow + turn * p, turn * q, grow - turn * p
