"""Birds and pictures on flowers composed at random, so that no network learns a few by heart.

Tile sets differ most in the bird of the one of bamboo and in the pictures on flowers. Everything is
drawn from a seed: the same seed gives the same drawing.
"""

from __future__ import annotations

import math

import numpy as np

from hupai.datasets.faces.drawing.shapes import (
    Point,
    bezier,
    brush,
    circle,
    group,
    leaf,
    num,
    path,
    petals,
    polar,
    polygon,
    rect,
    scallop,
    spline,
)
from hupai.datasets.faces.drawing.style import Palette

_PAPER = "#fff"
_BLOOMS = ("#e3a01c", "#e2702a", "#8a3fa0", "#d9659c", "#f0c020", "#5a7fd0", "#7a4a2a")
"""Paints of flowers that no other face of a set has."""


def bird(seed: int, palette: Palette) -> str:
    """Draw a bird that faces left, or a peacock from the front.

    The former has a tail, a perch, legs, a body, a wing, a neck, a head and a crest.
    """
    rng = np.random.default_rng(seed)
    p = _Paints(rng, palette)
    # Another generator, so that the other birds are those that the seed gave before peacocks.
    if np.random.default_rng([seed, 1]).random() < 0.25:
        return _fitted(_peacock(rng, p), rng)
    body = (float(rng.uniform(120, 165)), float(rng.uniform(170, 235)))
    long, thick = float(rng.uniform(44, 84)), float(rng.uniform(24, 52))
    tilt = float(rng.uniform(10, 60))
    head = (body[0] - float(rng.uniform(20, 66)), float(rng.uniform(58, 118)))
    rump, chest = polar(body, long * 0.8, tilt), polar(body, long * 0.8, tilt + 180)
    lined = rng.random() < 0.2
    parts = [_tail(rng, p, rump), _perch(rng, p), _legs(rng, p, body, thick)]
    shape = _ellipse(body, long, thick, tilt)
    bend = float(rng.uniform(-34, 4))
    neck = brush([head, ((head[0] + chest[0]) / 2 + bend, (head[1] + chest[1]) / 2), body],
                 [float(rng.uniform(6, 16)), float(rng.uniform(8, 26)), thick * 0.7])  # fmt: skip
    if lined:
        parts += [path(shape, None, p.main, 8), path(neck, None, p.main, 6)]
    else:
        parts += [path(neck, p.other if rng.random() < 0.3 else p.main), path(shape, p.main)]
    parts += [_wing(rng, p, body, long, thick, tilt), _head(rng, p, head)]
    return _fitted("".join(parts), rng)


def _peacock(rng: np.random.Generator, p: _Paints) -> str:
    """Draw a bird from the front that spreads its tail behind it, with or without eyes on it."""
    body = (150 + float(rng.normal(0, 10)), float(rng.uniform(210, 270)))
    high, wide = float(rng.uniform(34, 76)), float(rng.uniform(18, 44))
    foot, reach = (body[0], body[1] + high * 0.4), float(rng.uniform(110, 190))
    spread, eye = float(rng.uniform(110, 230)), float(rng.uniform(0, 20))
    slim = float(rng.uniform(4, 20))
    out = []
    for k, turn in enumerate(np.linspace(-spread / 2, spread / 2, int(rng.integers(5, 14))) - 90):
        tip = polar(foot, reach * float(rng.uniform(0.92, 1.05)), float(turn))
        tip = (min(max(tip[0], 22), 278), min(max(tip[1], 26), 372))
        out.append(path(brush([foot, tip], [slim * 0.6, slim]), p.green if k % 2 else p.main))
        out.append(circle(tip, eye, p.third) + circle(tip, eye * 0.5, p.other))
    legs = "".join(f"M{num(body[0] + x)} {num(body[1])}V{num(float(rng.uniform(325, 360)))}h{x}"
                   for x in (-12, 12))  # fmt: skip
    out.append(path(legs, None, p.third, float(rng.uniform(4, 8))))
    out.append(path(_ellipse(body, high, wide, 90), p.other))
    head = (body[0], body[1] - high - float(rng.uniform(-6, 26)))
    size = float(rng.uniform(11, 24))
    neck = brush([body, head], [wide * 0.8, size * 0.8])
    beak = f"M{num(head[0] - size)} {num(head[1])}l{num(-size)} {num(size * 0.4)}"
    out.append(path(neck, p.other) + circle(head, size, p.other) + path(beak, None, p.third, 6))
    for turn in (-115, -90, -65)[: int(rng.integers(0, 4))]:
        tip = polar(head, size + 18, turn)
        line = f"M{num(head[0])} {num(head[1])}L{num(tip[0])} {num(tip[1])}"
        out.append(path(line, None, p.third, 4))
    return "".join(out)


def plant(seed: int, palette: Palette) -> str:
    """Draw a plant or a view in the lower two thirds of a face.

    Plants are sprays of flowers, leaves and buds, water lilies, or twigs with small flowers.
    """
    rng = np.random.default_rng(seed)
    p = _Paints(rng, palette)
    kind = rng.random()
    if kind < 0.15:
        return _view(rng, p)
    if kind < 0.5:
        draw = _water_lily if kind < 0.3 else _twigs
        return _fitted(draw(rng, p), rng)
    out = []
    for _ in range(int(rng.integers(1, 4))):
        foot = (float(rng.uniform(90, 210)), float(rng.uniform(352, 378)))
        tip = (float(rng.uniform(60, 240)), float(rng.uniform(140, 250)))
        bends = [_between(rng, foot, tip, 70.0) for _ in range(2)]
        stem = [foot, *bends, tip]
        wide = float(rng.uniform(3, 11))
        out.append(path(brush(stem, [wide, wide * 0.8, wide * 0.7, 3], 8), p.stem))
        length, slim = float(rng.uniform(28, 84)), float(rng.uniform(0.16, 0.5))
        for t in np.linspace(0.12, 0.9, int(rng.integers(0, 6))):
            turn = float(rng.uniform(0, 360))
            blade = leaf(bezier(stem, float(t)), turn, length, length * slim)
            out.append(path(blade, p.green))
        out.append(_bloom(rng, p, tip, float(rng.uniform(18, 54))))
        if rng.random() < 0.6:
            out.append(_bloom(rng, p, bezier(stem, 0.55), float(rng.uniform(12, 34))))
    for _ in range(int(rng.integers(0, 4))):
        at = (float(rng.uniform(50, 250)), float(rng.uniform(150, 350)))
        out.append(_bloom(rng, p, at, float(rng.uniform(8, 24))))
    return "".join(out)


def _water_lily(rng: np.random.Generator, p: _Paints) -> str:
    """Draw an open flower on a stalk over leaves that lie on water, filled or as outlines."""
    at = (150 + float(rng.normal(0, 18)), float(rng.uniform(200, 255)))
    size, count = float(rng.uniform(50, 92)), int(rng.integers(4, 10))
    hollow, line = rng.random() < 0.5, float(rng.uniform(3, 8))
    level = float(rng.uniform(325, 360))
    out = [path(f"M{num(at[0])} {num(at[1])}V{num(level)}", None, p.stem, line)]
    for side in (-1, 1)[: int(rng.integers(0, 3))]:
        middle = (at[0] + side * float(rng.uniform(25, 70)), level + float(rng.normal(0, 8)))
        pad = _ellipse(middle, float(rng.uniform(34, 70)), float(rng.uniform(9, 20)), 4.0 * side)
        out.append(path(pad, p.green))
    spread, wide = float(rng.uniform(110, 190)), float(rng.uniform(0.22, 0.5))
    for turn in sorted(np.linspace(-spread / 2, spread / 2, count), key=abs, reverse=True):
        petal = leaf(at, float(turn) - 90, size * float(rng.uniform(0.85, 1.1)), size * wide)
        out.append(path(petal, _PAPER if hollow else p.bloom, p.bloom if hollow else _PAPER, line))
    for y in (level + 16, level + 28)[: int(rng.integers(0, 3))]:
        x = num(at[0] - 70)
        out.append(path(f"M{x} {num(y)}q20 -10 40 0t40 0", None, p.other, line * 0.7))
    return "".join(out)


def _twigs(rng: np.random.Generator, p: _Paints) -> str:
    """Draw bare twigs or blades that carry small flowers of one colour, sometimes in snow."""
    foot = (float(rng.uniform(90, 210)), 368.0)
    blades, out, blossoms = rng.random() < 0.4, [], []
    wide = float(rng.uniform(4, 12))
    for _ in range(int(rng.integers(2, 7)) if blades else int(rng.integers(1, 4))):
        tip = (float(rng.uniform(56, 250)), float(rng.uniform(140, 260)))
        stem = [foot, _between(rng, foot, tip, 60.0), _between(rng, foot, tip, 60.0), tip]
        paint = p.green if blades else p.stem
        out.append(path(brush(stem, [wide, wide * 0.8, wide * 0.6, 2], 8), paint))
        blossoms += [bezier(stem, float(t)) for t in rng.uniform(0.4, 1.0, int(rng.integers(1, 4)))]
    size, count = float(rng.uniform(14, 28)), int(rng.integers(4, 7))
    core, hollow = float(rng.uniform(0.2, 0.45)), rng.random() < 0.3
    # The last one is in the middle, where there may be no twig.
    for at in [*blossoms, polar(foot, 120, -90)]:
        ring = petals(at, count, size * 0.1, size, size * float(rng.uniform(0.7, 1.1)))
        out.append(path(ring, None, p.bloom, 4) if hollow else path(ring, p.bloom))
        out.append(circle(at, size * core, _PAPER if rng.random() < 0.5 else p.other))
    for _ in range(int(rng.integers(2, 9)) if rng.random() < 0.3 else 0):
        at = (float(rng.uniform(50, 250)), float(rng.uniform(150, 350)))
        out.append(circle(at, float(rng.uniform(3, 7)), p.bloom))
    return "".join(out)


def _view(rng: np.random.Generator, p: _Paints) -> str:
    """Draw hills, a house, the sun, a tree: what seasons show on some sets."""
    out = []
    paints = [p.main, p.other, p.third, p.bloom, p.green]
    for _ in range(int(rng.integers(1, 4))):
        x, wide = float(rng.uniform(60, 240)), float(rng.uniform(30, 90))
        high, foot = float(rng.uniform(40, 170)), float(rng.uniform(320, 370))
        hill = polygon([(x - wide, foot), (x, foot - high), (x + wide, foot)])
        out.append(path(hill, paints[int(rng.integers(5))]))
    for _ in range(int(rng.integers(1, 4))):
        at = (float(rng.uniform(50, 250)), float(rng.uniform(150, 330)))
        out.append(circle(at, float(rng.uniform(10, 34)), paints[int(rng.integers(5))]))
    for _ in range(int(rng.integers(0, 3))):
        x, y = float(rng.uniform(60, 200)), float(rng.uniform(230, 320))
        wide, high = rng.uniform(24, 70, 2).tolist()
        out.append(rect(x, y, wide, high, 2, paints[int(rng.integers(5))]))
    return "".join(out)


def emblem(seed: int, palette: Palette) -> str:
    """Draw a simple sign in one or two paints, filled or as an outline: a leaf, stalks, a hill."""
    rng = np.random.default_rng(seed)
    paints = (palette.red, palette.green, palette.blue, palette.ink, *_BLOOMS)
    chances = np.array([4.0, 4.0, 2.0, 2.0, *[0.4] * len(_BLOOMS)])
    main, other = (
        str(paint) for paint in rng.choice(paints, 2, replace=False, p=chances / chances.sum())
    )
    if rng.random() < 0.45:
        other = main
    draw = _Emblem(rng, main, other)
    kinds = (draw.leaf, draw.flower, draw.stalks, draw.fan, draw.twig, draw.star, draw.figure,
             draw.view)  # fmt: skip
    drawing = kinds[int(rng.integers(len(kinds)))]()
    scale = float(rng.uniform(0.6, 1.1))
    x, y = 150 * (1 - scale) + float(rng.normal(0, 8)), 240 * (1 - scale) + float(rng.normal(0, 8))
    return group(drawing, f"translate({num(x)} {num(y)})scale({scale:.2f})")


class _Emblem:
    """Signs around (150, 240), about 200 high."""

    def __init__(self, rng: np.random.Generator, main: str, other: str) -> None:
        self._rng, self._main, self._other = rng, main, other
        self._width = float(rng.uniform(5, 14))
        self._hollow = bool(rng.random() < 0.35)

    def _shape(self, d: str, paint: str) -> str:
        return path(d, None, paint, self._width) if self._hollow else path(d, paint)

    def _line(self, d: str, paint: str, wider: float = 1.0) -> str:
        return path(d, None, paint, self._width * wider)

    def leaf(self) -> str:
        """Draw a leaf with points, as of a maple, and its stem."""
        rng, points = self._rng, int(self._rng.integers(5, 10))
        middle, reach = (150.0, float(rng.uniform(215, 245))), float(rng.uniform(70, 105))
        inner, turn = reach * float(rng.uniform(0.3, 0.65)), float(rng.uniform(0, 360))
        outline = []
        for k in range(2 * points):
            far = reach * float(rng.uniform(0.8, 1.1)) if k % 2 == 0 else inner
            outline.append(polar(middle, far, turn + 180 / points * k))
        sharp = rng.random() < 0.6
        stem = f"M150 {num(middle[1])}L{num(150 + float(rng.normal(0, 20)))} 362"
        body = polygon(outline) if sharp else spline(outline, closed=True)
        return self._line(stem, self._other) + self._shape(body, self._main)

    def flower(self) -> str:
        """Draw one flower from the front, with a stem and leaves."""
        rng = self._rng
        at = (150 + float(rng.normal(0, 14)), float(rng.uniform(170, 215)))
        size = float(rng.uniform(44, 80))
        count = int(rng.integers(4, 14))
        ring = petals(at, count, size * 0.25, size, size * float(rng.uniform(0.2, 0.7)))
        out = [self._line(f"M{num(at[0])} {num(at[1])}Q140 300 150 370", self._other)]
        for k in range(int(rng.integers(0, 4))):
            foot = (148.0, 280.0 + 26 * k)
            turn = float(rng.uniform(-60, 0)) + (180 if k % 2 else 0)
            out.append(self._shape(leaf(foot, turn, float(rng.uniform(40, 90)), 22), self._other))
        centre = circle(at, size * 0.24, _PAPER if rng.random() < 0.5 else self._other)
        return "".join(out) + self._shape(ring, self._main) + centre

    def stalks(self) -> str:
        """Draw upright stalks with joints and leaves, as of bamboo."""
        rng, out = self._rng, []
        for x in np.linspace(100, 200, int(rng.integers(1, 4)) + 1)[:-1] + rng.normal(0, 12):
            lean, top = float(rng.normal(0, 18)), float(rng.uniform(140, 190))
            for low, high in ((370, 300), (292, 226), (218, top)):
                foot, head = (x + lean * (370 - y) / 200 for y in (low, high))
                segment = f"M{num(foot)} {low}L{num(head)} {num(float(high))}"
                out.append(self._line(segment, self._main, 1.3))
            for _ in range(int(rng.integers(1, 5))):
                at = (float(x + lean * 0.5), float(rng.uniform(170, 300)))
                turn = float(rng.choice([0, 180])) + float(rng.uniform(-50, 50))
                length = float(rng.uniform(36, 80))
                out.append(self._shape(leaf(at, turn, length, length * 0.25), self._other))
        return "".join(out)

    def fan(self) -> str:
        """Draw petals or blades that spread from one foot, as of a lotus or an orchid."""
        rng = self._rng
        foot, count = (150.0, float(rng.uniform(300, 360))), int(rng.integers(3, 10))
        spread = float(rng.uniform(60, 170))
        wide = float(rng.uniform(0.1, 0.42))
        out = []
        for turn in np.linspace(-90 - spread / 2, -90 + spread / 2, count):
            length = float(rng.uniform(90, 175))
            out.append(self._shape(leaf(foot, float(turn), length, length * wide), self._main))
        if rng.random() < 0.5:
            out.append(self._line("M70 366Q110 348 150 366T230 366", self._other))
        return "".join(out)

    def twig(self) -> str:
        """Draw a bent twig with blossom or berries, as of a plum."""
        rng = self._rng
        foot, tip = (float(rng.uniform(70, 230)), 368.0), (float(rng.uniform(80, 220)), 150.0)
        stem = [foot, *(_between(rng, foot, tip, 90.0) for _ in range(2)), tip]
        out = [path(brush(stem, [self._width * 1.3, self._width, self._width, 4], 8), self._other)]
        for t in np.linspace(0.2, 1.0, int(rng.integers(3, 8))):
            at = polar(
                bezier(stem, float(t)), float(rng.uniform(0, 40)), float(rng.uniform(0, 360))
            )
            size = float(rng.uniform(12, 30))
            ring = petals(at, 5, size * 0.2, size, size * 0.7)
            berry = rng.random() < 0.4
            out.append(
                circle(at, size * 0.6, self._main) if berry else self._shape(ring, self._main)
            )
        return "".join(out)

    def star(self) -> str:
        """Draw arms with side arms around a middle, as of a snowflake."""
        rng, middle = self._rng, (150.0, float(self._rng.uniform(225, 255)))
        reach, arms = float(rng.uniform(70, 110)), int(rng.integers(4, 9))
        sides, out = rng.random() < 0.7, []
        for k in range(arms):
            turn = 360 / arms * k - 90
            tip, knee = polar(middle, reach, turn), polar(middle, reach * 0.6, turn)
            out.append(f"M{num(middle[0])} {num(middle[1])}L{num(tip[0])} {num(tip[1])}")
            for side in (-45, 45) if sides else ():
                end = polar(knee, reach * 0.3, turn + side)
                out.append(f"M{num(knee[0])} {num(knee[1])}L{num(end[0])} {num(end[1])}")
        return self._line("".join(out), self._main)

    def figure(self) -> str:
        """Draw a person in a robe, with a staff or a rod."""
        rng = self._rng
        head = (150 + float(rng.normal(0, 12)), float(rng.uniform(160, 185)))
        wide = float(rng.uniform(36, 74))
        robe = polygon([(head[0] - 16, head[1] + 22), (head[0] + 16, head[1] + 22),
                        (150 + wide, 362), (150 - wide, 362)])  # fmt: skip
        hand = (150 + wide * float(rng.choice([-1, 1])), float(rng.uniform(230, 280)))
        staff = f"M{num(hand[0])} {num(float(rng.uniform(150, 230)))}L{num(hand[0])} 364"
        arm = f"M150 {num(head[1] + 50)}L{num(hand[0])} {num(hand[1])}"
        out = self._shape(robe, self._main) + self._line(arm + staff, self._other, 0.7)
        return out + circle(head, float(rng.uniform(18, 30)), self._other)

    def view(self) -> str:
        """Draw hills, the sun and waves."""
        rng, out = self._rng, []
        for _ in range(int(rng.integers(1, 4))):
            x, wide = float(rng.uniform(90, 210)), float(rng.uniform(30, 70))
            high = float(rng.uniform(60, 170))
            hill = polygon([(x - wide, 340), (x, 340 - high), (x + wide, 340)])
            out.append(self._shape(hill, self._main))
        at = (float(rng.uniform(80, 220)), float(rng.uniform(150, 200)))
        if rng.random() < 0.6:
            out.append(circle(at, float(rng.uniform(16, 34)), self._other))
        for y in (352, 370)[: int(rng.integers(0, 3))]:
            out.append(self._line(f"M66 {y}Q108 {y - 16} 150 {y}T234 {y}", self._other, 0.7))
        return "".join(out)


class _Paints:
    """Paints of the parts, drawn from a palette."""

    def __init__(self, rng: np.random.Generator, palette: Palette) -> None:
        main, other, third = rng.permutation([palette.green, palette.blue, palette.red])
        if rng.random() < 0.3:
            third = main
        self.main, self.other, self.third = str(main), str(other), str(third)
        self.green = palette.green if rng.random() < 0.85 else palette.ink
        self.stem = palette.green if rng.random() < 0.6 else palette.ink
        self.bloom = palette.red if rng.random() < 0.5 else str(main)
        if rng.random() < 0.4:
            self.bloom = _BLOOMS[int(rng.integers(len(_BLOOMS)))]


def _between(rng: np.random.Generator, a: Point, b: Point, spread: float) -> Point:
    t = float(rng.uniform(0.25, 0.75))
    x, y = a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t
    return (x + float(rng.normal(0, spread / 2)), y + float(rng.normal(0, spread / 4)))


def _ellipse(centre: Point, long: float, thick: float, degrees: float) -> str:
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    points = []
    for k in range(12):
        x, y = long * math.cos(k * math.pi / 6), thick * math.sin(k * math.pi / 6)
        points.append((centre[0] + c * x - s * y, centre[1] + s * x + c * y))
    return spline(points, closed=True)


def _tail(rng: np.random.Generator, p: _Paints, root: Point) -> str:
    """Draw feathers in a fan, some with eyes, or long plumes."""
    count, eyes = int(rng.integers(2, 9)), rng.random() < 0.5
    middle, spread = float(rng.uniform(-75, 75)), float(rng.uniform(20, 140))
    length, wide = float(rng.uniform(60, 150)), float(rng.uniform(6, 22))
    curl = float(rng.uniform(-40, 40))
    out = []
    for k, turn in enumerate(np.linspace(middle - spread / 2, middle + spread / 2, count)):
        reach = length * float(rng.uniform(0.8, 1.1))
        tip = polar(root, reach, float(turn))
        tip = (min(max(tip[0], 20), 284), min(max(tip[1], 24), 372))
        bend = polar(root, reach * 0.55, float(turn) + curl)
        colour = (p.main, p.other, p.third)[k % 3] if rng.random() < 0.8 else p.main
        out.append(path(brush([root, bend, tip], [wide * 0.8, wide, wide * 0.5]), colour))
        if eyes:
            size = float(rng.uniform(9, 20))
            out.append(circle(tip, size, p.third) + circle(tip, size * 0.5, p.other))
    return "".join(out)


def _perch(rng: np.random.Generator, p: _Paints) -> str:
    """Draw what the bird sits on: a bamboo stalk, a rock, leaves, or nothing."""
    kind = int(rng.integers(4))
    level = float(rng.uniform(330, 362))
    if kind == 0:
        joint = float(rng.uniform(110, 200))
        return path(f"M30 {num(level + 6)}L{num(joint - 6)} {num(level)}M{num(joint + 6)} "
                    f"{num(level)}L272 {num(level - 8)}", None, p.green, 15)  # fmt: skip
    if kind == 1:
        return path(scallop((150, level + 20), 7, 46, 0.2), p.other)
    if kind == 2:
        leaves = "".join(
            leaf((float(x), level), float(rng.uniform(-150, -30)), 50, 18)
            for x in rng.uniform(50, 250, int(rng.integers(2, 6)))
        )
        return path(leaves, p.green)
    return ""


def _legs(rng: np.random.Generator, p: _Paints, body: Point, thick: float) -> str:
    foot = float(rng.uniform(318, 350))
    out = []
    for shift in (-14.0, 16.0)[: int(rng.integers(0, 3))]:
        x = body[0] + shift
        top = num(body[1] + thick * 0.6)
        out.append(f"M{num(x)} {top}V{num(foot)}M{num(x - 16)} {num(foot + 8)}L{num(x)} "
                   f"{num(foot - 4)}L{num(x + 16)} {num(foot + 8)}")  # fmt: skip
    return path("".join(out), None, p.third, float(rng.uniform(4, 8))) if out else ""


def _wing(
    rng: np.random.Generator, p: _Paints, body: Point, long: float, thick: float, tilt: float
) -> str:
    """Draw a wing at the body or raised, with lines or scales; sometimes none."""
    if rng.random() < 0.15:
        return ""
    raised = rng.random() < 0.3
    turn = float(rng.uniform(-80, -20)) if raised else tilt
    root = polar(body, long * 0.25, tilt + 180)
    length = long * float(rng.uniform(1.0, 1.8 if raised else 1.25))
    out = [path(leaf(root, turn, length, thick * float(rng.uniform(0.8, 1.5))), p.other, _PAPER, 4)]
    for k in range(int(rng.integers(0, 5))):
        at = polar(root, length * (0.25 + 0.15 * k), turn)
        out.append(path(leaf(at, turn + 12, length * 0.35, 7), _PAPER))
    return "".join(out)


def _head(rng: np.random.Generator, p: _Paints, head: Point) -> str:
    size = float(rng.uniform(15, 34))
    beak = float(rng.uniform(14, 40))
    down = float(rng.uniform(-6, 14))
    out = [
        path(f"M{num(head[0] - size * 0.6)} {num(head[1] - size * 0.5)}"
             f"L{num(head[0] - size - beak)} {num(head[1] + down)}"
             f"L{num(head[0] - size * 0.6)} {num(head[1] + size * 0.5)}z", p.third),
        circle(head, size, p.main if rng.random() < 0.7 else p.other),
    ]  # fmt: skip
    for k in range(int(rng.integers(0, 5))):
        turn = -120.0 + 25 * k
        tip = polar(head, size + float(rng.uniform(14, 34)), turn)
        out.append(path(f"M{num(head[0])} {num(head[1])}L{num(tip[0])} {num(tip[1])}",
                        None, p.other, 5))  # fmt: skip
        if rng.random() < 0.5:
            out.append(circle(tip, 7, p.third))
    eye = (head[0] - size * 0.2, head[1] - size * 0.15)
    return "".join(out) + circle(eye, size * 0.42, _PAPER) + circle(eye, size * 0.2, p.third)


def _bloom(rng: np.random.Generator, p: _Paints, at: Point, size: float) -> str:
    kind = int(rng.integers(5))
    if kind == 0:
        ring = petals(at, int(rng.integers(4, 9)), size * 0.2, size, size * 0.6)
        return path(ring, p.bloom) + circle(at, size * 0.26, p.other)
    if kind == 1:
        lines = path(scallop(at, 5, size * 0.5, 0.2), None, _PAPER, size * 0.1)
        return path(scallop(at, 8, size * 0.85, 0.14), p.bloom) + lines
    if kind == 2:
        ring = petals(at, int(rng.integers(10, 17)), size * 0.3, size, size * 0.2)
        return path(ring, p.bloom, _PAPER, 1.5) + circle(at, size * 0.3, p.other)
    if kind == 3:
        turn = float(rng.uniform(-130, -50))
        return path(leaf(at, turn, size * 1.5, size, 0.6), p.bloom)
    return circle(at, size * 0.6, p.bloom) + circle(at, size * 0.3, _PAPER)


def _fitted(drawing: str, rng: np.random.Generator) -> str:
    """Scale a drawing at random: birds fill the face in some sets but not in others."""
    scale = float(rng.uniform(0.8, 1.05))
    x, y = 150 * (1 - scale), 200 * (1 - scale)
    return group(drawing, f"translate({num(x)} {num(y)})scale({scale:.2f})")
