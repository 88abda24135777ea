"""The table seen from straight above: the plane of the tiles is estimated from the tiles
themselves.

All tiles are of one size, and next to each other most lie square. A camera that looks at the table
from the side shows the far ones smaller and all of them shorter in the direction of view, and a
photo may have been stretched to another aspect since; what tilt, direction, focal length, stretch
and tile size explain the boxes and axes best is found by least squares with a robust loss
(Levenberg-Marquardt from the best of a grid of starts). Positions are then given on the table, in
widths of a tile. The model is a pinhole camera whose axis meets the table at the middle of the
photo (`hupai.vision.geometry.pinhole`), followed by a stretch that most photos lack; a photo that
was cut or a lens that bends lines only costs accuracy.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hupai.vision.geometry.pinhole import Array, jacobian, to_table

RATIO = 1.34
"""Usual long side of a tile's face by its short side; the estimate may differ by a tenth."""

_NOISE = 0.07
"""Usual error of a box's side as the logarithm of its share."""

_LIMIT = 2.5
"""Residuals beyond so many times the noise count as outliers."""

_LEAST = 5
"""Tiles with a known axis below which no tilt is estimated."""

_TILTS = np.tan(np.radians([25.0, 42.0, 56.0, 67.0, 75.0]))
_WAYS = np.arange(12) * (math.pi / 6)
_STRETCHES = 0.5 * np.log([1.4, 2.0])


@dataclass(frozen=True, slots=True, eq=False)
class Plane:
    """How the table lies to the camera.

    Attributes:
        middle: point of the photo the model is centred on, pixels.
        focal: focal length, pixels.
        tilt: shape (2,), direction on the photo in which the table recedes, as long as the tangent
            of its tilt; 0 for a table seen from straight above.
        unit: width of a tile on the table, in units of the distance to the table's middle.
        ratio: long side of a tile by its short side.
        warp: shape (2, 2), how the photo was stretched about its middle after it was taken;
            symmetric, of determinant 1.
    """

    middle: tuple[float, float]
    focal: float
    tilt: Array
    unit: float
    ratio: float
    warp: Array

    @property
    def slant(self) -> float:
        """Angle between the line of sight and the table's perpendicular, radians."""
        return math.atan(math.hypot(*self.tilt))

    @property
    def aspect(self) -> float:
        """By what factor the photo is longer in one direction, against the other, than it was
        taken; at least 1.
        """
        return math.exp(2 * math.acosh(max(float(np.trace(self.warp)) / 2, 1.0)))

    @property
    def homography(self) -> Array:
        """Shape (3, 3), maps points of the photo, pixels, to places on the table, widths of a tile,
        homogeneous; the last coordinate is positive on this side of the horizon.
        """
        steep = math.hypot(*self.tilt)
        x, y = self.tilt / steep if steep > 0 else (0.0, -1.0)
        c, s = math.cos(self.slant), math.sin(self.slant)
        # `to_table` without its guard at the horizon: (far, side, 1) is (along, c across, c - s
        # along) up to its length.
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
        """Places on the table, shape (n, 2), widths of a tile, of points of the photo, shape (n,
        2), pixels.
        """
        flat: Array = to_table(self._seen(points), self.tilt[None])[0] / self.unit
        return flat

    def stretch(self, points: Array) -> Array:
        """Derivative of the photo by the table there, shape (n, 2, 2), pixels a tile width."""
        there: Array = (
            self.warp @ jacobian(self._seen(points), self.tilt[None])[0] * (self.unit * self.focal)
        )
        return there

    def sides(self, points: Array, along: Array | float) -> Array:
        """Width and height, shape (n, 2), pixels, of boxes around tiles at those points, upright
        axes in direction `along`.
        """
        return box_sides(self.stretch(points), self.ratio, along)

    def _seen(self, points: Array) -> Array:
        straight: Array = (points - self.middle) @ np.linalg.inv(self.warp) / self.focal
        return straight[None]


def box_sides(stretch: Array, ratio: float, along: Array | float) -> Array:
    """Width and height, shape (n, 2), pixels, of boxes around tiles of these proportions.

    Args:
        stretch: shape (n, 2, 2), see `Plane.stretch`.
        ratio: long side of a tile by its short side.
        along: directions of the upright axes on the table, shape (n,) or one for all.
    """
    u, v = np.cos(along), np.sin(along)
    a, b, c, d = stretch[:, 0, 0], stretch[:, 0, 1], stretch[:, 1, 0], stretch[:, 1, 1]
    width = ratio * np.abs(a * u + b * v) + np.abs(b * u - a * v)
    height = ratio * np.abs(c * u + d * v) + np.abs(d * u - c * v)
    return np.column_stack([width, height])


def planes(boxes: Array, axes: Array, size: tuple[int, int] | None) -> tuple[Plane, ...]:
    """The planes that may explain boxes, shape (n, 4), pixels, and axes, shape (n,), radians, NaN
    where not known.

    The first explains them best. Where that is a tilted or a stretched one, a table seen from
    straight above follows: boxes around heaps are loose, and many of them may mislead.

    Args:
        size: width and height of the photo; without it the middle of the boxes is taken for that of
            the photo.
    """
    middle, reach = _picture(boxes, size)
    view = _View.of(boxes, axes, middle, reach)
    found = [_USUAL]
    if len(view.axis) >= _LEAST:
        best = view.refine(view.best_start())
        if math.hypot(best[0], best[1]) > _FLAT or math.hypot(best[4], best[5]) > _STRETCHED:
            found.insert(0, best)
    return tuple(_plane(parameters, view, boxes, middle, reach) for parameters in found)


def slanted(boxes: Array, axes: Array, size: tuple[int, int], least: float) -> Plane | None:
    """The plane that explains boxes and axes best where it is seen at `least` radians or more from
    its perpendicular, else None; told at once where the tiles fit a table seen from straight above.
    Arguments as for `planes`.
    """
    view = _View.of(boxes, axes, *_picture(boxes, size))
    if len(view.axis) < _LEAST or float(view.cost(_USUAL[None])[0]) < _AS_FROM_ABOVE * len(
        view.axis
    ):
        return None
    best = planes(boxes, axes, size)[0]
    return best if best.slant >= least else None


def _picture(boxes: Array, size: tuple[int, int] | None) -> tuple[Array, float]:
    """Middle, shape (2,), and longer side of the photo, pixels."""
    low, high = boxes[:, :2].min(0), boxes[:, 2:].max(0)
    if size is None:
        return (low + high) / 2, float((high - low).max())
    return np.array(size) / 2, float(max(size))


def _plane(parameters: Array, view: _View, boxes: Array, middle: Array, reach: float) -> Plane:
    focal, tilt, ratio = reach / float(parameters[2]), parameters[:2], math.exp(parameters[3])
    warp = _warps(parameters[None])[0]
    if len(view.axis):
        unit = math.exp(float(np.median(view.sizes(parameters))))
    else:
        seen = ((boxes[:, :2] + boxes[:, 2:]) / 2 - middle) @ np.linalg.inv(warp) / focal
        area = np.log(np.abs(np.linalg.det(jacobian(seen[None], tilt[None])[0]))) / 2 + math.log(
            focal
        )
        sides = np.log(boxes[:, 2:] - boxes[:, :2]).sum(1) / 2
        unit = math.exp(float(np.median(sides - area)) - math.log(ratio) / 2)
    return Plane((float(middle[0]), float(middle[1])), focal, tilt, unit, ratio, warp)


_FLAT = math.tan(math.radians(8.0))
"""A smaller tilt is none."""

_AS_FROM_ABOVE = 5.0
"""Cost a tile of a table taken for flat below which it is: of 335 photos and rendered tables none
of the 89 beyond 40 degrees.
"""

_STRETCHED = 0.5 * math.log(1.08)
"""A smaller stretch is none; half the logarithm of the aspect's change."""

_LEAST_FOCUS = 0.05
"""Least longer side of a photo by the focal length: a telephoto lens."""

_USUAL = np.array([0.0, 0.0, 1.05, math.log(RATIO), 0.0, 0.0])
"""The parameters of a view: tilt (2), longer side of the photo by the focal length, logarithm of
the ratio of a tile's sides, and of the stretch (2: along the edges, diagonal); what they usually
are.
"""

_SPREAD = np.array([1.5, 1.5, 0.35, 0.06])
_STRETCH_SPREAD = 0.04
"""By how much they differ from that. Stretched photos are rare, but then any stretch is as
likely.
"""

_STEPS = np.array([1e-4, 1e-4, 1e-3, 1e-3, 1e-4, 1e-4])

_SQUARE = 0.12
"""Usual error of the direction from a tile to its neighbour, radians."""

_TOUCH = 0.3
"""Usual error of the way to it as the logarithm of its share: not all tiles touch."""

_NEAR = 2.2
"""Tiles further apart than this are no neighbours, in square roots of a box's area."""


def _starts() -> Array:
    changes = [np.zeros(6)]
    for way in _WAYS:
        turn = np.array([math.cos(way), math.sin(way)])
        changes += [np.array([*turn * steep, 0, 0, 0, 0]) for steep in _TILTS]
        for much in _STRETCHES:
            changes.append(np.array([0, 0, 0, 0, *turn * much]))
            changes += [
                np.array([*turn * steep, 0, 0, sign * much, 0])
                for steep in _TILTS[:3]
                for sign in (-1, 1)
            ]
    return _USUAL + np.array(changes)


_STARTS = _starts()


@dataclass(frozen=True, slots=True, eq=False)
class _View:
    """Tiles with known axes: centres, shape (n, 2), and logarithms of box sides, (n, 2), in units
    of `reach`; axes, (n,); `step` from each to its nearest neighbour, (n, 2), 0 where that is
    far.
    """

    centre: Array
    sides: Array
    axis: Array
    step: Array
    near: NDArray[np.bool_]

    @classmethod
    def of(cls, boxes: Array, axes: Array, middle: Array, reach: float) -> _View:
        known = np.isfinite(axes)
        centre = ((boxes[:, :2] + boxes[:, 2:]) / 2 - middle) / reach
        sides = np.log((boxes[:, 2:] - boxes[:, :2]) / reach)
        step = _nearest(centre, np.exp(sides.mean(1)))[known]
        return cls(centre[known], sides[known], axes[known], step, (step != 0).any(1))

    def best_start(self) -> Array:
        """The best of a grid of tilts and stretches; a flat table unless another is clearly
        better.
        """
        best: Array = _STARTS[int(np.argmin(self.cost(_STARTS)))]
        return best

    def cost(self, parameters: Array) -> Array:
        """Robust cost of parameter sets, shape (m, 6)."""
        errors = self.residuals(parameters)
        cost: Array = _LIMIT**2 * np.log1p(_squares(errors)).sum(1) + (errors[:, -4:] ** 2).sum(1)
        return np.where(parameters[:, 2] >= _LEAST_FOCUS, cost, np.inf)

    def sizes(self, parameters: Array) -> Array:
        """Logarithm of the tile's width on the table by each side of each box, shape (n * 2,)."""
        sizes: Array = (self.sides - self._predicted(parameters[None])[0][0]).ravel()
        return sizes

    def residuals(self, parameters: Array) -> Array:
        """Errors in units of the noise, shape (m, 4 n + 6): sides of the boxes, directions and ways
        to neighbours, then the parameters' own usual range, that of the stretch first.
        """
        predicted, askew, apart = self._predicted(parameters)
        errors = (self.sides - predicted).reshape(len(parameters), -1)
        size = np.median(errors, axis=1, keepdims=True)
        errors = errors - size
        apart = np.where(self.near, apart - size, 0.0)
        stretch = parameters[:, 4:] / _STRETCH_SPREAD
        prior = (parameters[:, :4] - _USUAL[:4]) / _SPREAD
        return np.concatenate(
            [errors / _NOISE, askew / _SQUARE, apart / _TOUCH, stretch, prior], axis=1
        )

    def _predicted(self, parameters: Array) -> tuple[Array, Array, Array]:
        """Of tiles one wide the logarithms of the box sides, shape (m, n, 2); how far from square
        to each its neighbour lies, radians, and the logarithm of how far away, against a tile that
        touches, shape (m, n) both.
        """
        focal = 1 / np.maximum(parameters[:, 2], _LEAST_FOCUS / 2)
        warp = _warps(parameters)
        inverse = np.linalg.inv(warp)
        seen = self.centre[None] @ inverse / focal[:, None, None]
        there = warp[:, None] @ jacobian(seen, parameters[:, :2]) * focal[:, None, None, None]
        a, b, c, d = there[..., 0, 0], there[..., 0, 1], there[..., 1, 0], there[..., 1, 1]
        x, y = np.cos(self.axis), np.sin(self.axis)
        # Direction on the table that shows as the axis: the inverse of the derivative, up to its
        # length.
        ux, uy = d * x - b * y, a * y - c * x
        length = np.maximum(np.hypot(ux, uy), 1e-12)
        ux, uy = ux / length, uy / length
        ratio = np.exp(parameters[:, 3])[:, None]
        width = ratio * np.abs(a * ux + b * uy) + np.abs(-a * uy + b * ux)
        height = ratio * np.abs(c * ux + d * uy) + np.abs(-c * uy + d * ux)
        predicted: Array = np.log(np.maximum(np.stack([width, height], axis=2), 1e-9))
        sx, sy = (
            d * self.step[:, 0] - b * self.step[:, 1],
            a * self.step[:, 1] - c * self.step[:, 0],
        )
        beside, beyond = sx * uy - sy * ux, sx * ux + sy * uy
        far = np.maximum(beside**2 + beyond**2, 1e-12)
        askew: Array = beyond * beside / far
        det = np.maximum(np.abs(a * d - b * c), 1e-12)
        apart: Array = np.log(np.sqrt(far) / det) - np.where(
            np.abs(beside) > np.abs(beyond), 0.0, parameters[:, 3:4]
        )
        return predicted, askew, apart

    def refine(self, start: Array) -> Array:
        """Levenberg-Marquardt with reweighting."""
        best, damping = start, 1e-2
        cost = float(self.cost(best[None])[0])
        for _ in range(15):
            around = self.residuals(np.vstack([best[None], best + np.diag(_STEPS)]))
            error, slope = around[0], (around[1:] - around[0]) / _STEPS[:, None]
            loose = 1.0 / (1.0 + _squares(error[None])[0])
            weight = np.concatenate([loose, loose[-1:], np.ones(4)])
            normal, gradient = (slope * weight) @ slope.T, (slope * weight) @ error
            step = np.linalg.solve(
                normal + damping * np.diag(np.diag(normal)) + 1e-9 * np.eye(len(best)), -gradient
            )
            moved = best + step
            now = float(self.cost(moved[None])[0])
            if now < cost:
                done = cost - now < 5e-2
                best, cost, damping = moved, now, damping / 5
                if done:
                    break
            else:
                damping *= 6
                if damping > 1e4:
                    break
        return best


def _squares(errors: Array) -> Array:
    """Squares of residuals, shape (m, k), in units of the limit, those of the usual range left out;
    both of the stretch are one.
    """
    squares: Array = (errors[:, :-4] / _LIMIT) ** 2
    squares[:, -2] += squares[:, -1]
    return squares[:, :-1]


def _nearest(centre: Array, side: Array) -> Array:
    """From each tile to the nearest other one, shape (n, 2), 0 where that is far."""
    if len(centre) < 2:
        return np.zeros_like(centre)
    apart = centre[None] - centre[:, None]
    distance = np.hypot(apart[..., 0], apart[..., 1])
    np.fill_diagonal(distance, np.inf)
    here = np.arange(len(centre))
    nearest = distance.argmin(1)
    return np.where((distance[here, nearest] < _NEAR * side)[:, None], apart[here, nearest], 0.0)


def _warps(parameters: Array) -> Array:
    """The stretch as a symmetric matrix of determinant 1, shape (m, 2, 2), of parameter sets."""
    p, q = parameters[:, 4], parameters[:, 5]
    much = np.hypot(p, q)
    grow, turn = np.cosh(much), np.sinh(much) / np.maximum(much, 1e-12)
    return np.stack(
        [
            np.stack([grow + turn * p, turn * q], axis=1),
            np.stack([turn * q, grow - turn * p], axis=1),
        ],
        axis=1,
    )
