"""Circles and bamboo sticks of random design, colours and places, see `composed`.

On many sets all circles of a face have one colour, or others than usual, so a face must be
recognised by the number and places of its circles and sticks.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from hupai.datasets.faces.drawing.shapes import (
    Point,
    circle,
    circle_path,
    group,
    num,
    path,
    petals,
    polar,
    polygon,
    rect,
    scallop,
)
from hupai.datasets.faces.drawing.style import Palette

_CENTRE: Point = (150, 200)
_STICK_WIDTH = 46.0
_REACH = (138.0, 186.0)
"""How far from the middle circles may reach, view box units."""


def recoloured(seed: int, colours: list[str], palette: Palette) -> list[str]:
    """Return the colours of a face's circles or sticks in the set with this seed.

    They are the usual ones, all the same, two alternating, or the usual ones swapped.
    """
    rng = np.random.default_rng([seed, 1])
    kind = rng.random()
    paints = [palette.red, palette.green, palette.blue, palette.ink]
    if kind < 0.3:
        return colours
    if kind < 0.6:
        return [paints[int(rng.choice([1, 2, 3, 3]))]] * len(colours)
    if kind < 0.8:
        first, second = rng.permutation(paints)[:2]
        return [str(first if k % 2 else second) for k in range(len(colours))]
    exchanged = dict(zip(paints, rng.permutation(paints).tolist(), strict=True))
    return [exchanged.get(colour, colour) for colour in colours]


def dots(seed: int, places: list[tuple[Point, str]], radius: float, palette: Palette) -> str:
    """Draw the circles of a face, 2 to 9 of them, given their usual places and colours."""
    rng = np.random.default_rng([seed, 2])
    pip = _pip(rng)
    share = float(rng.uniform(0.5, 1.08))
    size = radius * share
    # From circles that touch to circles at the edge of the face.
    middles = np.array([at for at, _ in places])
    farthest = np.abs(middles - _CENTRE).max(0)
    apart = np.hypot(*(middles[1:] - middles[0]).T).min()
    least = min(max(1.9 * size / float(apart), 0.72), 0.95)
    widest = np.clip((np.array(_REACH) - size) / np.maximum(farthest, 1.0), least, 1.4)
    spread = tuple(rng.uniform(least, widest).tolist())
    even = len(places) == 6 and rng.random() < 0.5
    points = [at for at, _ in places]
    if even:
        points = [(x, y) for y in (84.0, 200.0, 316.0) for x in (96.0, 204.0)]
    colours = recoloured(seed, [colour for _, colour in places], palette)
    return "".join(
        pip((150 + (x - 150) * spread[0], 200 + (y - 200) * spread[1]), size, colour)
        for (x, y), colour in zip(points, colours, strict=True)
    )


def big_dot(seed: int, palette: Palette) -> str:
    """Draw the one of dots: rings, petals, lobes and rays about the middle."""
    rng = np.random.default_rng([seed, 3])
    outer = float(rng.uniform(70, 122))
    paints = recoloured(seed, [palette.green, palette.red, palette.blue], palette)
    out, left = [], outer
    for k in range(int(rng.integers(2, 6))):
        colour, width = paints[k % 3], float(rng.uniform(4, 22))
        kind = int(rng.integers(4))
        if kind == 0 or k == 0:
            out.append(circle(_CENTRE, left - width / 2, None, colour, width))
        elif kind == 1:
            count = int(rng.integers(6, 22))
            out.append(path(petals(_CENTRE, count, left * 0.4, left, 200 / count), colour))
            width = left * 0.6
        elif kind == 2:
            lobes = scallop(_CENTRE, int(rng.integers(6, 20)), left * 0.8, 0.14)
            out.append(path(lobes, None, colour, 8))
            width = left * 0.35
        else:
            out.append(_spokes(_CENTRE, int(rng.integers(8, 30)), left * 0.6, left, colour, 6))
            width = left * 0.4
        left -= width + float(rng.uniform(2, 9))
        if left < 18:
            break
    return "".join(out) + circle(_CENTRE, max(left * 0.6, 8), paints[1])


def _spokes(
    centre: Point, count: int, inner: float, outer: float, colour: str, width: float
) -> str:
    lines = ""
    for k in range(count):
        a, b = (polar(centre, r, 360 * k / count) for r in (inner, outer))
        lines += f"M{num(a[0])} {num(a[1])}L{num(b[0])} {num(b[1])}"
    return path(lines, None, colour, width)


def _pip(rng: np.random.Generator) -> Callable[[Point, float, str], str]:
    """Return a function that draws one circle of a random design."""
    rim, inner = float(rng.uniform(0.06, 0.3)), int(rng.integers(7))
    count, core = int(rng.integers(3, 11)), float(rng.uniform(0.0, 0.3))
    filled = rng.random() < 0.25

    def draw(at: Point, r: float, colour: str) -> str:
        edge = circle(at, r * (1 - rim / 2), None, colour, r * rim)
        free = r * (1 - rim) * 0.94
        if filled:
            holes = (
                petals(at, count, r * 0.15, r * 0.75, r * 1.2 / count),
                circle_path(at, r * 0.2),
                _cross(at, r * 0.6, r * 0.14),
            )
            hole = holes[(0, 0, 0, 1, 1, 2, 2)[inner]]
            return path(circle_path(at, r) + hole, colour, even_odd=True)
        if inner == 0:
            return edge
        if inner == 1:
            edge += path(petals(at, count, r * 0.12, free, r * 1.5 / count), colour)
        elif inner == 2:
            edge += _spokes(at, count, r * core, free, colour, r * 0.12)
        elif inner == 3:
            edge += circle(at, free * 0.62, None, colour, r * 0.16)
        elif inner == 4:
            edge += path(_cross(at, free * 0.8, r * 0.12), colour)
        elif inner == 5:
            edge += circle(at, free * 0.55, colour)
        else:
            edge += path(scallop(at, count, free * 0.62, 0.2), None, colour, r * 0.12)
        return edge + circle(at, r * core, colour)

    return draw


def _cross(at: Point, long: float, half: float) -> str:
    x, y = at
    a, b = long, half
    return polygon(
        [(x - b, y - a), (x + b, y - a), (x + b, y - b), (x + a, y - b), (x + a, y + b),
         (x + b, y + b), (x + b, y + a), (x - b, y + a), (x - b, y + b), (x - a, y + b),
         (x - a, y - b), (x - b, y - b)]
    )  # fmt: skip


def stick(seed: int, centre: Point, height: float, colour: str, degrees: float = 0) -> str:
    """Draw one bamboo stick of a random design: bars, outlines, beads, bulbs or lines."""
    rng = np.random.default_rng([seed, 4])
    kind = int(rng.integers(8))
    h = height / 2 * float(rng.uniform(0.78, 1.02))
    w = _STICK_WIDTH / 2 * float(rng.uniform(0.35, 1.05))
    joints, line = int(rng.integers(0, 4)), float(rng.uniform(3, 8))
    levels = [h * (2 * (k + 1) / (joints + 1) - 1) for k in range(joints)]
    if kind == 0:
        out = rect(-w, -h, 2 * w, 2 * h, w * float(rng.uniform(0, 1)), colour)
        out += "".join(rect(-w, y - line / 2, 2 * w, line, 0, "#fff") for y in levels)
    elif kind == 1:
        out = rect(-w, -h, 2 * w, 2 * h, w * float(rng.uniform(0, 0.9)), None, colour, line)
        cap = w * float(rng.uniform(1.0, 1.6))
        bars = (f"M{num(-cap)} {num(y)}H{num(cap)}" for y in levels)
        out += "".join(path(bar, None, colour, line) for bar in bars)
    elif kind == 2:
        count = int(rng.integers(2, 5))
        r = min(h / count, w * 1.3)
        hole = r * float(rng.uniform(0.0, 0.5))
        middles = np.linspace(r - h, h - r, count).tolist()
        out = path(f"M0 {num(-h)}V{num(h)}", None, colour, line) + "".join(
            path(circle_path((0, y), r) + circle_path((0, y), hole), colour, even_odd=True)
            for y in middles
        )
    elif kind == 3:
        out = path(f"M0 {num(-h)}V{num(h)}", None, colour, max(w, 7))
        bars = (f"M{num(-w)} {num(y)}H{num(w)}" for y in (-h, *levels, h))
        out += "".join(path(bar, None, colour, line * 1.5) for bar in bars)
    elif kind == 4:
        # Rings above each other, as hollow joints look.
        count = int(rng.integers(1, 4))
        ends = np.linspace(-h, h, count + 1).tolist()
        line = min(line, w * 0.8)
        round_ = w * float(rng.uniform(0.2, 1.0))
        out = "".join(
            rect(-w, a + line / 2, 2 * w, max(b - a - line, 6), round_, None, colour, line)
            for a, b in pairwise(ends)
        )
    elif kind == 5:
        ends = [-h, *levels, h]
        out = "".join(
            rect(-w * 0.8, a + 2, w * 1.6, max(b - a - 4, 4), w * 0.7, colour)
            for a, b in pairwise(ends)
        )
    else:
        out = _bulbs(rng, h, w, colour, line)
    where = f"translate({num(centre[0])} {num(centre[1])})"
    return group(out, where + (f"rotate({num(degrees)})" if degrees else ""))


def _bulbs(rng: np.random.Generator, h: float, w: float, colour: str, line: float) -> str:
    """Draw bulbs above each other that do not touch, pointed or round, hollow or with a slit."""
    count = int(rng.choice([2, 2, 3]))
    step, share = 2 * h / count, float(rng.uniform(0.72, 0.98))
    wide, pointed = w * float(rng.uniform(0.6, 1.0)), rng.random() < 0.6
    hole = float(rng.uniform(0.0, 0.6))
    if rng.random() < 0.5:
        return _blocks(rng, h, wide, count, colour)
    out = []
    for k in range(count):
        y, high = -h + step * (k + 0.5), step * share / 2
        outline = _bulb(y, high, wide, pointed)
        if hole > 0.4:
            out.append(path(outline, None, colour, min(line, wide * 0.7)))
        else:
            slit = _bulb(y, high * 0.6, max(wide * hole, 0.1), pointed)
            out.append(path(outline + slit, colour, even_odd=True))
    return "".join(out)


def _blocks(rng: np.random.Generator, h: float, wide: float, count: int, colour: str) -> str:
    """Draw a stick of separate blocks with more or less rounded corners."""
    step, corner = 2 * h / count, wide * float(rng.uniform(0.0, 0.9))
    high = step * float(rng.uniform(0.62, 0.92))
    return "".join(
        rect(-wide, -h + step * (k + 0.5) - high / 2, 2 * wide, high, corner, colour)
        for k in range(count)
    )


def _bulb(y: float, high: float, wide: float, pointed: bool) -> str:
    """Return the outline of a bulb around (0, y), by half its height and width."""
    top, low, side = num(y - high), num(y + high), num(wide * 1.3)
    if pointed:
        return f"M0 {top}Q{side} {num(y)} 0 {low}Q-{side} {num(y)} 0 {top}z"
    return f"M0 {top}C{side} {top} {side} {low} 0 {low}C-{side} {low} -{side} {top} 0 {top}z"
