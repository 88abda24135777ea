"""SVG elements and paths the faces are made of.

Every function returns markup or path data as text; coordinates are those of the view box, 300 wide
and 400 high, y downward. Numbers are written with one decimal at most, which is finer than any
photo of a tile.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence

Point = tuple[float, float]

WIDTH = 300
HEIGHT = 400


def num(value: float) -> str:
    """Write a number with at most one decimal and no trailing zero."""
    text = f"{value:.1f}"
    text = text.removesuffix(".0")
    return "0" if text == "-0" else text


def _pair(point: Point) -> str:
    return f"{num(point[0])} {num(point[1])}"


def _paint(fill: str | None, stroke: str | None, width: float) -> str:
    if stroke is None:
        return f' fill="{fill or "none"}"'
    return (
        f' fill="{fill or "none"}" stroke="{stroke}" stroke-width="{num(width)}"'
        ' stroke-linecap="round" stroke-linejoin="round"'
    )


def path(
    d: str,
    fill: str | None = None,
    stroke: str | None = None,
    width: float = 0,
    even_odd: bool = False,
) -> str:
    """Draw a path; with ``even_odd`` the inner outlines cut holes whatever their direction."""
    rule = ' fill-rule="evenodd"' if even_odd else ""
    return f'<path d="{d}"{_paint(fill, stroke, width)}{rule}/>'


def circle(
    centre: Point,
    radius: float,
    fill: str | None = None,
    stroke: str | None = None,
    width: float = 0,
) -> str:
    """Draw a circle, filled, stroked or both."""
    place = f'cx="{num(centre[0])}" cy="{num(centre[1])}" r="{num(radius)}"'
    return f"<circle {place}{_paint(fill, stroke, width)}/>"


def rect(
    x: float,
    y: float,
    w: float,
    h: float,
    r: float = 0,
    fill: str | None = None,
    stroke: str | None = None,
    width: float = 0,
) -> str:
    """Draw a rectangle with corners rounded by ``r``."""
    rounded = f' rx="{num(r)}"' if r else ""
    place = f'x="{num(x)}" y="{num(y)}" width="{num(w)}" height="{num(h)}"{rounded}'
    return f"<rect {place}{_paint(fill, stroke, width)}/>"


def group(content: str, transform: str) -> str:
    """Put ``content`` under a transform."""
    return f'<g transform="{transform}">{content}</g>' if transform else content


def polar(centre: Point, radius: float, degrees: float) -> Point:
    """Return the point at an angle, clockwise from the right, as the eye sees it."""
    angle = math.radians(degrees)
    return centre[0] + radius * math.cos(angle), centre[1] + radius * math.sin(angle)


def circle_path(centre: Point, radius: float) -> str:
    """Return path data of a circle, to be joined with other outlines."""
    x, y = centre
    r = num(radius)
    arcs = (f"a{r} {r} 0 1 0 {num(sign * radius)} 0" for sign in (2, -2))
    return f"M{num(x - radius)} {num(y)}{''.join(arcs)}z"


def polygon(points: Iterable[Point]) -> str:
    """Return path data of a closed polygon."""
    return "M" + "L".join(_pair(p) for p in points) + "z"


def polyline(points: Iterable[Point]) -> str:
    """Return path data of an open line."""
    return "M" + "L".join(_pair(p) for p in points)


def spline(points: Sequence[Point], closed: bool = False, tension: float = 0.5) -> str:
    """Return path data of a smooth curve through all points (Catmull-Rom as cubic Béziers)."""
    count = len(points)
    if count < 3:
        return polyline(points)
    out = ["M" + _pair(points[0])]
    k = tension / 3
    for i in range(count if closed else count - 1):
        if closed:
            p0, p1, p2, p3 = (points[(i + j) % count] for j in (-1, 0, 1, 2))
        else:
            p0, p1, p2, p3 = (
                points[max(i - 1, 0)],
                points[i],
                points[i + 1],
                points[min(i + 2, count - 1)],
            )
        c1 = (p1[0] + (p2[0] - p0[0]) * k, p1[1] + (p2[1] - p0[1]) * k)
        c2 = (p2[0] - (p3[0] - p1[0]) * k, p2[1] - (p3[1] - p1[1]) * k)
        out.append(f"C{_pair(c1)} {_pair(c2)} {_pair(p2)}")
    return "".join(out) + ("z" if closed else "")


def bezier(points: Sequence[Point], t: float) -> Point:
    """Return the point at ``t`` of a Bézier curve of any degree."""
    pts = list(points)
    while len(pts) > 1:
        pts = [
            (a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t) for a, b in itertools.pairwise(pts)
        ]
    return pts[0]


def brush(control: Sequence[Point], widths: Sequence[float], steps: int = 6) -> str:
    """Return path data of a tapering stroke along a Bézier curve.

    ``widths`` are spread evenly from its start to its end.
    """
    left: list[Point] = []
    right: list[Point] = []
    for i in range(steps + 1):
        t = i / steps
        x, y = bezier(control, t)
        x0, y0 = bezier(control, max(t - 0.02, 0))
        x1, y1 = bezier(control, min(t + 0.02, 1))
        length = math.hypot(x1 - x0, y1 - y0) or 1
        nx, ny = -(y1 - y0) / length, (x1 - x0) / length
        at = t * (len(widths) - 1)
        low = min(int(at), len(widths) - 2)
        half = (widths[low] + (widths[low + 1] - widths[low]) * (at - low)) / 2
        left.append((x + nx * half, y + ny * half))
        right.append((x - nx * half, y - ny * half))
    return spline(left + right[::-1], closed=True)


def leaf(root: Point, degrees: float, length: float, width: float, belly: float = 0.45) -> str:
    """Return path data of a pointed leaf or petal that starts at ``root``.

    ``belly`` is where along its length it is widest.
    """
    ux, uy = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    half = width / 2 * 1.33

    def at(along: float, side: float) -> Point:
        x = root[0] + ux * along * length - uy * side * half
        return x, root[1] + uy * along * length + ux * side * half

    tip = at(1, 0)
    a, b = belly * 0.6, min(belly * 1.5, 0.95)
    there = f"C{_pair(at(a, 1))} {_pair(at(b, 1))} {_pair(tip)}"
    back = f"C{_pair(at(b, -1))} {_pair(at(a, -1))} {_pair(root)}"
    return f"M{_pair(root)}{there}{back}z"


def petals(
    centre: Point,
    count: int,
    inner: float,
    outer: float,
    width: float,
    phase: float = -90,
    belly: float = 0.6,
) -> str:
    """Return path data of a ring of petals."""
    parts = []
    for i in range(count):
        angle = phase + 360 * i / count
        parts.append(leaf(polar(centre, inner, angle), angle, outer - inner, width, belly))
    return "".join(parts)


def scallop(centre: Point, count: int, radius: float, depth: float, phase: float = -90) -> str:
    """Return path data of a closed outline of ``count`` round lobes about a circle."""
    bulge = num(radius * math.sin(math.pi / count) * (1 + depth))
    start = polar(centre, radius, phase)
    parts = ["M" + _pair(start)]
    for i in range(1, count + 1):
        parts.append(
            f"A{bulge} {bulge} 0 0 1 {_pair(polar(centre, radius, phase + 360 * i / count))}"
        )
    return "".join(parts) + "z"
