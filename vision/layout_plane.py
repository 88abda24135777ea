"""The table seen from straight above: the plane of the tiles is estimated from the tiles themselves.

All tiles are of one size. A camera that looks at the table from the side shows the far ones smaller and all of them shorter in
the direction of view; what tilt, direction, focal length and tile size explain the boxes and axes best is found by least squares
with a robust loss (Levenberg-Marquardt from the best of a grid of starts). Positions are then given on the table, in widths of a
tile. The model is a pinhole camera whose axis meets the table at the middle of the photo (Hartley and Zisserman, Multiple View
Geometry, 8.7); a photo that was cut or a lens that bends lines only costs accuracy.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

RATIO = 1.34
"""Usual long side of a tile's face by its short side; the estimate may differ by a tenth."""

_NOISE = 0.07
"""Usual error of a box's side as the logarithm of its share."""

_LIMIT = 2.5
"""Residuals beyond so many times the noise count as outliers."""

_LEAST = 6
"""Tiles with a known axis below which no tilt is estimated."""

_TILTS = np.tan(np.radians([25.0, 42.0, 56.0, 67.0, 75.0]))
_WAYS = np.arange(12) * (math.pi / 6)


@dataclass(frozen=True, slots=True, eq=False)
class Plane:
    """How the table lies to the camera.

    Attributes:
        middle: point of the photo the model is centred on, pixels.
        focal: focal length, pixels.
        tilt: shape (2,), direction on the photo in which the table recedes, as long as the tangent of its tilt; 0 for a table seen
            from straight above.
        unit: width of a tile on the table, in units of the distance to the table's middle.
        ratio: long side of a tile by its short side.
    """

    middle: tuple[float, float]
    focal: float
    tilt: Array
    unit: float
    ratio: float

    @property
    def slant(self) -> float:
        """Angle between the line of sight and the table's perpendicular, radians."""
        return math.atan(math.hypot(*self.tilt))

    def on_table(self, points: Array) -> Array:
        """Places on the table, shape (n, 2), widths of a tile, of points of the photo, shape (n, 2), pixels."""
        seen = (points - self.middle) / self.focal
        flat: Array = _to_table(seen[None], self.tilt[None])[0] / self.unit
        return flat

    def stretch(self, points: Array) -> Array:
        """Derivative of the photo by the table there, shape (n, 2, 2), pixels a tile width."""
        seen = (points - self.middle) / self.focal
        jacobian: Array = _jacobian(seen[None], self.tilt[None])[0] * (self.unit * self.focal)
        return jacobian


def planes(boxes: Array, axes: Array, size: tuple[int, int] | None) -> tuple[Plane, ...]:
    """The planes that may explain boxes, shape (n, 4), pixels, and axes, shape (n,), radians, NaN where not known.

    The first explains them best. Where that is a tilted one, a table seen from straight above follows: boxes around heaps are
    loose, and many of them may mislead.

    Args:
        size: width and height of the photo; without it the middle of the boxes is taken for that of the photo.
    """
    low, high = boxes[:, :2].min(0), boxes[:, 2:].max(0)
    middle = (low + high) / 2 if size is None else np.array(size) / 2
    reach = float((high - low).max()) if size is None else float(max(size))
    view = _View.of(boxes, axes, middle, reach)
    flat = np.array([0.0, 0.0, _FOCUS, math.log(RATIO)])
    found = [flat]
    if len(view.axis) >= _LEAST:
        best = view.refine(view.best_start(flat))
        if math.hypot(best[0], best[1]) > _FLAT:
            found.insert(0, best)
    return tuple(_plane(parameters, view, boxes, middle, reach) for parameters in found)


def _plane(parameters: Array, view: _View, boxes: Array, middle: Array, reach: float) -> Plane:
    focal, tilt, ratio = reach / float(parameters[2]), parameters[:2], math.exp(parameters[3])
    if len(view.axis):
        unit = math.exp(float(np.median(view.sizes(parameters))))
    else:
        seen = ((boxes[:, :2] + boxes[:, 2:]) / 2 - middle) / focal
        area = np.log(np.abs(np.linalg.det(_jacobian(seen[None], tilt[None])[0]))) / 2 + math.log(focal)
        sides = np.log(boxes[:, 2:] - boxes[:, :2]).sum(1) / 2
        unit = math.exp(float(np.median(sides - area)) - math.log(ratio) / 2)
    return Plane((float(middle[0]), float(middle[1])), focal, tilt, unit, ratio)


_FLAT = math.tan(math.radians(8.0))
"""A smaller tilt is none."""

_FOCUS, _FOCUS_SPREAD, _LEAST_FOCUS = 1.05, 0.35, 0.05
"""Longer side of a photo by the focal length: usual, deviation, least. A small one is a telephoto lens, and what is left of the
perspective where a photo was stretched to another aspect."""

_STEEP = 1.5
"""Deviation of the tangent of the tilt."""


@dataclass(frozen=True, slots=True, eq=False)
class _View:
    """Tiles with known axes: centres, shape (n, 2), and logarithms of box sides, (n, 2), in units of `reach`; axes, (n,)."""

    centre: Array
    sides: Array
    axis: Array

    @classmethod
    def of(cls, boxes: Array, axes: Array, middle: Array, reach: float) -> _View:
        known = np.isfinite(axes)
        centre = ((boxes[:, :2] + boxes[:, 2:]) / 2 - middle) / reach
        return cls(centre[known], np.log((boxes[:, 2:] - boxes[:, :2]) / reach)[known], axes[known])

    def best_start(self, flat: Array) -> Array:
        """The best of a grid of tilts; a flat table unless another is clearly better."""
        ways = [(math.cos(w) * t, math.sin(w) * t) for t in _TILTS for w in _WAYS]
        starts = np.tile(flat, (len(ways) + 1, 1))
        starts[1:, :2] = ways
        best: Array = starts[int(np.argmin(self.cost(starts)))]
        return best

    def cost(self, parameters: Array) -> Array:
        """Robust cost of parameter sets, shape (m, 4)."""
        errors = self.residuals(parameters)
        cost: Array = _LIMIT**2 * np.log1p((errors[:, :-4] / _LIMIT) ** 2).sum(1) + (errors[:, -4:] ** 2).sum(1)
        return np.where(parameters[:, 2] >= _LEAST_FOCUS, cost, np.inf)

    def sizes(self, parameters: Array) -> Array:
        """Logarithm of the tile's width on the table by each side of each box, shape (n * 2,)."""
        sizes: Array = (self.sides - self._predicted(parameters[None])[0]).ravel()
        return sizes

    def residuals(self, parameters: Array) -> Array:
        """Errors in units of the noise, shape (m, 2 n + 4): sides of the boxes, then the parameters' own usual range."""
        errors = self.sides - self._predicted(parameters)
        errors = errors.reshape(len(parameters), -1)
        errors = errors - np.median(errors, axis=1, keepdims=True)
        usual = np.array([0.0, 0.0, _FOCUS, math.log(RATIO)])
        prior = (parameters - usual) / (_STEEP, _STEEP, _FOCUS_SPREAD, 0.06)
        return np.concatenate([errors / _NOISE, prior], axis=1)

    def _predicted(self, parameters: Array) -> Array:
        """Logarithms of the box sides of tiles one wide, shape (m, n, 2)."""
        focal = 1 / np.maximum(parameters[:, 2], _LEAST_FOCUS / 2)
        seen = self.centre[None] / focal[:, None, None]
        jacobian = _jacobian(seen, parameters[:, :2]) * focal[:, None, None, None]
        a, b, c, d = jacobian[..., 0, 0], jacobian[..., 0, 1], jacobian[..., 1, 0], jacobian[..., 1, 1]
        x, y = np.cos(self.axis), np.sin(self.axis)
        # Direction on the table that shows as the axis: the inverse of the derivative, up to its length.
        ux, uy = d * x - b * y, a * y - c * x
        length = np.maximum(np.hypot(ux, uy), 1e-12)
        ux, uy = ux / length, uy / length
        ratio = np.exp(parameters[:, 3])[:, None]
        width = ratio * np.abs(a * ux + b * uy) + np.abs(-a * uy + b * ux)
        height = ratio * np.abs(c * ux + d * uy) + np.abs(-c * uy + d * ux)
        predicted: Array = np.log(np.maximum(np.stack([width, height], axis=2), 1e-9))
        return predicted

    def refine(self, start: Array) -> Array:
        """Levenberg-Marquardt with reweighting."""
        best, damping = start, 1e-2
        steps = np.diag([1e-4, 1e-4, 1e-3, 1e-3])
        cost = float(self.cost(best[None])[0])
        for _ in range(14):
            around = self.residuals(np.vstack([best[None], best + steps]))
            error, slope = around[0], (around[1:] - around[0]) / np.diag(steps)[:, None]
            weight = 1.0 / (1.0 + (error / _LIMIT) ** 2)
            weight[-4:] = 1.0
            normal, gradient = (slope * weight) @ slope.T, (slope * weight) @ error
            step = np.linalg.solve(normal + damping * np.diag(np.diag(normal)) + 1e-9 * np.eye(4), -gradient)
            moved = best + step
            now = float(self.cost(moved[None])[0])
            if now < cost:
                done = cost - now < 1e-2
                best, cost, damping = moved, now, damping / 5
                if done:
                    break
            else:
                damping *= 6
                if damping > 1e4:
                    break
        return best


def _frame(tilt: Array) -> tuple[Array, Array, Array, Array]:
    """Direction (m, 2) in which the table recedes, sine and cosine (m,) of its slant, from tilts (m, 2)."""
    steep = np.hypot(tilt[:, 0], tilt[:, 1])
    way = np.where(steep[:, None] > 1e-9, tilt / np.maximum(steep, 1e-9)[:, None], np.array([0.0, -1.0]))
    cosine = 1 / np.sqrt(1 + steep**2)
    return way, steep * cosine, cosine, steep


def _to_table(seen: Array, tilt: Array) -> Array:
    """Places on the table, shape (m, n, 2), of directions of sight (m, n, 2); the table's middle is at distance 1."""
    way, sine, cosine, _ = _frame(tilt)
    along = seen[..., 0] * way[:, None, 0] + seen[..., 1] * way[:, None, 1]
    across = seen[..., 1] * way[:, None, 0] - seen[..., 0] * way[:, None, 1]
    slope = np.maximum(cosine[:, None] - along * sine[:, None], 0.05)
    far = along / slope
    side = across * (1 + far * sine[:, None])
    x = far * way[:, None, 0] - side * way[:, None, 1]
    y = far * way[:, None, 1] + side * way[:, None, 0]
    return np.stack([x, y], axis=2)


def _jacobian(seen: Array, tilt: Array) -> Array:
    """Derivative of the direction of sight by the place on the table, shape (m, n, 2, 2), there where `seen` looks."""
    way, sine, cosine, _ = _frame(tilt)
    along = seen[..., 0] * way[:, None, 0] + seen[..., 1] * way[:, None, 1]
    across = seen[..., 1] * way[:, None, 0] - seen[..., 0] * way[:, None, 1]
    slope = np.maximum(cosine[:, None] - along * sine[:, None], 0.05)
    depth = 1 + along / slope * sine[:, None]
    # In the frame (along, across): d along / d far, d across / d far, d across / d side.
    aa = (cosine[:, None] - along * sine[:, None]) / depth
    ba = -across * sine[:, None] / depth
    bb = 1 / depth
    wx, wy = way[:, None, 0], way[:, None, 1]
    # Table and photo are turned back by the same angle: far = (wx, wy), side = (-wy, wx).
    xx = wx * aa * wx + (-wy) * (ba * wx + bb * (-wy))
    xy = wx * aa * wy + (-wy) * (ba * wy + bb * wx)
    yx = wy * aa * wx + wx * (ba * wx + bb * (-wy))
    yy = wy * aa * wy + wx * (ba * wy + bb * wx)
    return np.stack([np.stack([xx, xy], axis=2), np.stack([yx, yy], axis=2)], axis=2)
