"""The suit of dots."""

from __future__ import annotations

from hupai.datasets.faces.drawing import composed_suits
from hupai.datasets.faces.drawing.shapes import (
    Point,
    circle,
    circle_path,
    path,
    petals,
    polar,
    polygon,
    scallop,
)
from hupai.datasets.faces.drawing.style import BigDot, Dot, Palette, Style

_RADIUS = {2: 68.0, 3: 52.0, 4: 54.0, 5: 50.0, 6: 48.0, 7: 43.0, 8: 45.0, 9: 44.0}


def places(rank: int, style: Style) -> list[tuple[Point, str]]:
    """Return centre and colour of each circle of a rank: the layouts of Chinese sets."""
    red, green, blue = (
        style.palette.red,
        style.palette.green,
        style.palette.blue if style.dot_blue else style.palette.green,
    )
    if rank == 2:
        if style.flat_two_dots:
            return [((84, 112), green), ((216, 288), blue)]
        return [((150, 118), green), ((150, 282), blue)]
    if rank == 3:
        return [((80, 92), blue), ((150, 200), red), ((220, 308), green)]
    if rank == 4:
        return [((88, 112), blue), ((212, 112), green), ((88, 288), green), ((212, 288), blue)]
    if rank == 5:
        return [
            ((80, 98), blue),
            ((220, 98), green),
            ((150, 200), red),
            ((80, 302), green),
            ((220, 302), blue),
        ]
    if rank == 6:
        return [((96, 80), green), ((204, 80), green)] + [
            ((x, y), red) for y in (216.0, 316.0) for x in (96.0, 204.0)
        ]
    if rank == 7:
        top = [((62, 62), green), ((150, 100), green), ((238, 138), green)]
        return top + [((x, y), red) for y in (238.0, 332.0) for x in (100.0, 200.0)]
    if rank == 8:
        return [((x, y), blue) for y in (60.0, 153.0, 247.0, 340.0) for x in (98.0, 202.0)]
    rows: list[tuple[float, str]] = [(80, green), (200, red), (320, blue)]
    return [((x, y), colour) for y, colour in rows for x in (58.0, 150.0, 242.0)]


def draw(rank: int, style: Style) -> str:
    """Draw a face of the suit; ``rank`` 1-9."""
    if rank == 1 and style.suits is not None:
        return composed_suits.big_dot(style.suits, style.palette)
    if rank == 1:
        return _ONE[style.big_dot](style.palette)
    radius = _RADIUS[rank]
    found = places(rank, style)
    if style.mirrored_diagonals and rank in (3, 7):
        found = [((300 - x, y), colour) for (x, y), colour in found]
    if style.suits is not None:
        return composed_suits.dots(style.suits, found, radius, style.palette)
    return "".join(pip(centre, radius, colour, style.dot) for centre, colour in found)


def pip(centre: Point, r: float, colour: str, design: Dot) -> str:
    """Draw one circle of outer radius ``r``, with holes where the body shows through."""
    if design is Dot.RINGS:
        rings = circle(centre, r * 0.87, None, colour, r * 0.25) + circle(
            centre, r * 0.48, None, colour, r * 0.19
        )
        return rings + circle(centre, r * 0.18, colour)
    if design is Dot.PETALS:
        ring = circle(centre, r * 0.89, None, colour, r * 0.2)
        return (
            ring
            + path(petals(centre, 6, r * 0.2, r * 0.74, r * 0.4), colour)
            + circle(centre, r * 0.13, colour)
        )
    if design is Dot.CROSS:
        holes = petals(centre, 4, r * 0.1, r * 0.68, r * 0.36, phase=-45) + circle_path(
            centre, r * 0.06
        )
        return path(circle_path(centre, r) + holes, colour, even_odd=True)
    if design is Dot.SOLID:
        hole = circle_path(centre, r * 0.78) + circle_path(centre, r * 0.66)
        return path(
            circle_path(centre, r) + hole + circle_path(centre, r * 0.22), colour, even_odd=True
        )
    if design is Dot.COIN:
        x, y = centre
        a = r * 0.27
        square = polygon([(x - a, y - a), (x + a, y - a), (x + a, y + a), (x - a, y + a)])
        disc = circle_path(centre, r * 0.72) + square
        return circle(centre, r * 0.92, None, colour, r * 0.14) + path(disc, colour, even_odd=True)
    spokes = "".join(
        f"M{a[0]:.1f} {a[1]:.1f}L{b[0]:.1f} {b[1]:.1f}"
        for a, b in _spokes(centre, 8, r * 0.34, r * 0.8)
    )
    rim = circle(centre, r * 0.9, None, colour, r * 0.18) + circle(
        centre, r * 0.34, None, colour, r * 0.14
    )
    return rim + path(spokes, None, colour, r * 0.12) + circle(centre, r * 0.12, colour)


def _spokes(centre: Point, count: int, inner: float, outer: float) -> list[tuple[Point, Point]]:
    angles = [360 * i / count for i in range(count)]
    return [(polar(centre, inner, a), polar(centre, outer, a)) for a in angles]


_C: Point = (150, 200)


def _rosette(p: Palette) -> str:
    rim = circle(_C, 112, None, p.green, 13) + circle(_C, 97, None, p.blue, 5)
    leaves = path(petals(_C, 16, 56, 91, 15, belly=0.7), p.green)
    ring = circle(_C, 49, None, p.blue, 7)
    heart = path(petals(_C, 8, 11, 41, 17), p.red) + circle(_C, 9, p.red)
    return rim + leaves + ring + heart


def _target(p: Palette) -> str:
    rim = circle(_C, 108, None, p.blue, 22)
    wave = path(scallop(_C, 18, 80, 0.1), None, p.green, 13) + circle(_C, 62, None, p.green, 5)
    return rim + wave + circle(_C, 44, None, p.red, 14) + circle(_C, 17, p.red)


def _wheel(p: Palette) -> str:
    holes = petals(_C, 12, 48, 96, 24, belly=0.72) + circle_path(_C, 42)
    disc = path(circle_path(_C, 116) + holes, p.green, even_odd=True)
    heart = path(scallop(_C, 6, 22, 0.15) + circle_path(_C, 10), p.red, even_odd=True)
    return disc + heart


def _sun(p: Palette) -> str:
    rim = circle(_C, 113, None, p.blue, 10)
    rays = "".join(
        f"M{a[0]:.1f} {a[1]:.1f}L{b[0]:.1f} {b[1]:.1f}" for a, b in _spokes(_C, 28, 66, 98)
    )
    ring = circle(_C, 56, None, p.green, 9)
    heart = path(petals(_C, 4, 6, 42, 30, phase=-45), p.red) + path(
        petals(_C, 4, 20, 42, 10), p.green
    )
    return rim + path(rays, None, p.blue, 6) + ring + heart


_ONE = {BigDot.ROSETTE: _rosette, BigDot.TARGET: _target, BigDot.WHEEL: _wheel, BigDot.SUN: _sun}
