"""Flower tiles: four plants and four seasons, each drawn, with its character and its number.

The drawing takes the lower two thirds of the face, and digit and character are in the upper
corners. With ``style.flower_text_below`` it is the other way round.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

from hupai.datasets.faces.drawing import composed
from hupai.datasets.faces.drawing.characters import glyph
from hupai.datasets.faces.drawing.shapes import (
    HEIGHT,
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
    scallop,
    spline,
)
from hupai.datasets.faces.drawing.style import FlowerFace, Flowers, Palette, Style
from hupai.scoring.tiles import Tile

_CHARACTERS = {
    Tile.SPRING: "春", Tile.SUMMER: "夏", Tile.AUTUMN: "秋", Tile.WINTER: "冬",
    Tile.PLUM: "梅", Tile.ORCHID: "蘭", Tile.BAMBOO_PLANT: "竹", Tile.CHRYSANTHEMUM: "菊",
}  # fmt: skip


def draw(tile: Tile, style: Style) -> str:
    """Draw a flower tile.

    The digit on a plant follows ``style.plant_order``, because tile sets differ in it.
    """
    season = tile <= Tile.WINTER
    number = tile - Tile.SPRING + 1 if season else style.plant_order[tile - Tile.PLUM]
    digit = "一二三四"[number - 1] if style.flower_chinese_digit else str(number)
    red_character = season != style.flower_red_character
    palette = style.palette
    char_colour, digit_colour = (
        (palette.red, palette.ink) if red_character else (palette.ink, palette.red)
    )
    if style.flower_green_character:
        char_colour = palette.green
    char = _CHARACTERS[tile]
    if char == "蘭" and not style.traditional_orchid:
        char = "兰"
    if style.flower_face is FlowerFace.CHARACTER:
        return _character_alone(char, char_colour, digit, digit_colour, style)
    picture = _picture(style.flower_pictures[tile - Tile.SPRING], style)
    if style.flower_face is FlowerFace.HALVES:
        return _halves(char, char_colour, digit, digit_colour, picture, style)
    text_y = 72.0
    if style.flower_text_below:
        picture = group(picture, "translate(18 -76) scale(0.88)")
        text_y = HEIGHT - text_y
    size = style.flower_text_scale
    left, right = 62.0, 236.0
    char_x, digit_x = (left, right) if style.digit_right else (right, left)
    if style.flower_character:
        picture += glyph(
            style.font,
            char,
            (char_x, text_y + 2),
            (84 * size, 86 * size),
            char_colour,
            style.weight * 0.3,
        )
    if style.flower_digit:
        font = style.index_font or style.font
        picture += glyph(
            font,
            digit,
            (digit_x, HEIGHT - text_y if style.flower_digit_below else text_y - 2),
            (40 * size, 62 * size),
            digit_colour,
            style.weight * 0.6,
        )
    return picture


def _picture(number: int, style: Style) -> str:
    """Draw one of a set's eight pictures."""
    if style.composed is not None:
        seed = style.composed + 1 + number
        emblem = style.flower_face is FlowerFace.EMBLEM
        return (
            composed.emblem(seed, style.palette) if emblem else composed.plant(seed, style.palette)
        )
    if style.flowers is Flowers.SPRAYS:
        return _spray(number, style.palette)
    return _PICTURES[Tile(Tile.SPRING + number)](style.palette)


def _character_alone(char: str, colour: str, digit: str, digit_colour: str, style: Style) -> str:
    """Draw a character as large as those of winds, with or without a digit in the corner."""
    size, middle = style.flower_text_scale, 200.0
    corner = ""
    if style.flower_digit:
        font = style.index_font or style.font
        at = (260.0 if style.digit_right else 40.0, 46.0)
        corner = glyph(font, digit, at, (40.0, 58.0), digit_colour, style.weight * 0.5)
        middle = 216.0
    box = (226 * size, 262 * size)
    return glyph(style.font, char, (150, middle), box, colour, style.weight * size) + corner


def _halves(
    char: str, colour: str, digit: str, digit_colour: str, picture: str, style: Style
) -> str:
    """Draw a large character on one half of the tile, and a small picture on the other."""
    size, upper, lower = style.flower_text_scale, 108.0, 296.0
    text_y, picture_y = (lower, upper) if style.flower_text_below else (upper, lower)
    side = 1.0 if style.digit_right else -1.0
    # Without a digit the character is in the middle.
    char_x = 150.0 - side * 34.0 if style.flower_digit else 150.0
    scale = 0.92 - 0.33 * size
    move = f"translate({num(150 - 150 * scale)} {num(picture_y - 240 * scale)}) scale({scale})"
    drawn = group(picture, move)
    box = (150.0 * size, 152.0 * size)
    drawn += glyph(style.font, char, (char_x, text_y), box, colour, style.weight * 0.5)
    if style.flower_digit:
        font = style.index_font or style.font
        digit_y = HEIGHT - text_y if style.flower_digit_below else text_y
        at = (150.0 + side * 104.0, digit_y - 30.0)
        drawn += glyph(font, digit, at, (40.0, 58.0), digit_colour, style.weight * 0.5)
    return drawn


def _blossom(at: Point, r: float, p: Palette, colour: str | None = None) -> str:
    """Draw a five-petalled flower from the front."""
    ring = "".join(
        circle(polar(at, r * 0.56, -90 + 72 * i), r * 0.42, colour or p.red) for i in range(5)
    )
    stamens = "".join(circle(polar(at, r * 0.38, -54 + 72 * i), r * 0.06, "#fff") for i in range(5))
    return ring + circle(at, r * 0.3, "#fff") + circle(at, r * 0.16, p.green) + stamens


def _bud(at: Point, degrees: float, size: float, p: Palette) -> str:
    return path(leaf(at, degrees, size * 1.5, size, 0.6), p.red) + path(
        leaf(at, degrees - 24, size * 0.8, size * 0.4)
        + leaf(at, degrees + 24, size * 0.8, size * 0.4),
        p.green,
    )


def _rose(at: Point, r: float, p: Palette) -> str:
    """Draw a peony: lobed petals in three rings, as lines of body colour on red."""
    outer = path(scallop(at, 8, r * 0.84, 0.12), p.red)
    lines = path(scallop(at, 6, r * 0.52, 0.15, -70), None, "#fff", r * 0.09) + path(
        scallop(at, 4, r * 0.24, 0.2, -40), None, "#fff", r * 0.09
    )
    return outer + lines


def _plum(p: Palette) -> str:
    """Draw an old branch with red blossom."""
    trunk = path(brush([(66, 374), (150, 330), (96, 250), (176, 190)], [24, 20, 15, 8], 10), p.ink)
    twigs = path(brush([(120, 290), (186, 276), (236, 226)], [11, 8, 4]), p.ink) + path(
        brush([(116, 318), (180, 330), (238, 306)], [10, 8, 4]), p.ink
    )
    twig = path(brush([(118, 264), (70, 236), (66, 180)], [10, 8, 4]), p.ink)
    flowers = (
        _blossom((182, 182), 38, p)
        + _blossom((226, 246), 36, p)
        + _blossom((118, 232), 32, p)
        + _blossom((178, 312), 33, p)
    )
    buds = (
        _bud((66, 184), -98, 22, p)
        + _bud((236, 306), -20, 22, p)
        + _bud((84, 262), 170, 18, p)
        + _bud((214, 204), -60, 18, p)
    )
    return trunk + twigs + twig + buds + flowers


def _orchid(p: Palette) -> str:
    """Draw long leaves in arcs and three pale flowers."""
    root: Point = (146, 372)
    arcs: tuple[tuple[Point, Point], ...] = (
        ((120, 190), (34, 232)), ((150, 150), (96, 142)), ((150, 170), (206, 150)), ((176, 200), (276, 236)), ((90, 300), (30, 318)), ((204, 300), (270, 314)),  # noqa: E501
    )  # fmt: skip
    out = [path(brush([root, bend, end], [9, 16, 2]), p.green) for bend, end in arcs]
    for at, bend, size, turn in (
        ((178, 226), (160, 290), 34.0, -70.0),
        ((106, 268), (128, 310), 30.0, -120.0),
        ((222, 290), (180, 330), 28.0, -30.0),
    ):
        out.append(path(brush([root, bend, at], [5, 4, 4]), p.green))
        long = "".join(leaf(at, turn + a, size, size * 0.42, 0.55) for a in (-130, -62, 0, 62, 130))
        out.append(
            path(long, p.red, "#fff", 2)
            + circle(at, size * 0.18, "#fff")
            + circle(at, size * 0.1, p.ink)
        )
    out.append(path("M92 376Q146 362 204 378", None, p.ink, 7))
    return "".join(out)


def _bamboo(p: Palette) -> str:
    """Draw two stalks with joints, leaves in clusters of three."""
    out = []
    for points, width in (
        ([(112, 376), (116, 316), (124, 254), (136, 196), (150, 142)], 19.0),
        ([(186, 376), (190, 326), (196, 276), (206, 230)], 13.0),
    ):
        for (x0, y0), (x1, y1) in itertools.pairwise(points):
            dx, dy = (x1 - x0) * 0.06, (y1 - y0) * 0.06
            out.append(
                path(
                    brush(
                        [(x0 + dx, y0 + dy), ((x0 + x1) / 2, (y0 + y1) / 2), (x1 - dx, y1 - dy)],
                        [width, width * 0.74, width],
                    ),
                    p.green,
                )
            )
    clusters: tuple[tuple[Point, tuple[float, ...]], ...] = (
        ((126, 250), (150, 182, 210)), ((136, 196), (-30, 2, 32)), ((152, 144), (-70, -36, 168, 136)), ((206, 230), (-80, -44, -6)), ((196, 278), (20, 52)), ((116, 318), (158, 192)),  # noqa: E501
    )  # fmt: skip
    for at, angles in clusters:
        out.append(
            path(
                "".join(
                    leaf(at, a, 68 if i % 2 == 0 else 58, 18, 0.35) for i, a in enumerate(angles)
                ),
                p.green,
            )
        )
    out.append(path("M62 378Q150 364 244 378", None, p.ink, 7))
    out.append(
        path(brush([(230, 376), (234, 352), (238, 330)], [20, 16, 2]), p.red)
        + path("M224 366h14M228 352h14", None, "#fff", 3)
    )
    return "".join(out)


def _mum(at: Point, r: float, p: Palette, colour: str | None = None) -> str:
    """Draw a chrysanthemum from the front: three rings of narrow petals."""
    paint = colour or p.red
    outer = path(petals(at, 14, r * 0.3, r, r * 0.3, belly=0.75), paint)
    middle = path(petals(at, 10, r * 0.12, r * 0.62, r * 0.24, -72, 0.75), paint, "#fff", r * 0.06)
    return outer + middle + circle(at, r * 0.17, "#fff") + circle(at, r * 0.1, p.green)


def _lobed(at: Point, degrees: float, size: float, p: Palette) -> str:
    """Draw a leaf of five lobes with a midrib."""
    lobes = "".join(
        leaf(at, degrees + a, size * k, size * 0.42, 0.55)
        for a, k in ((-70, 0.62), (-36, 0.86), (0, 1.0), (36, 0.86), (70, 0.62))
    )
    tip = polar(at, size * 0.7, degrees)
    return path(lobes, p.green) + path(
        f"M{at[0]:.1f} {at[1]:.1f}L{tip[0]:.1f} {tip[1]:.1f}", None, "#fff", 2.5
    )


def _chrysanthemum(p: Palette) -> str:
    """Draw a great flower, a smaller one and a bud above lobed leaves."""
    stems = path(
        brush([(140, 376), (158, 300), (128, 220)], [8, 7, 6])
        + brush([(146, 350), (190, 320), (214, 288)], [6, 5, 5]),
        p.green,
    )
    twig = path(brush([(140, 330), (90, 320), (64, 282)], [6, 5, 4]), p.green)
    leaves = (
        _lobed((150, 322), 158, 62, p)
        + _lobed((160, 352), -8, 66, p)
        + _lobed((140, 366), 196, 60, p)
        + _lobed((186, 262), -40, 50, p)
    )
    return (
        stems
        + twig
        + leaves
        + _mum((126, 208), 68, p)
        + _mum((222, 282), 46, p)
        + _bud((64, 288), -110, 30, p)
    )


def _spring(p: Palette) -> str:
    """Draw a peony."""
    stems = path(
        brush([(146, 378), (160, 310), (140, 260)], [9, 8, 7])
        + brush([(152, 330), (206, 300), (222, 236)], [7, 6, 5]),
        p.green,
    )
    low = path(brush([(146, 352), (84, 340), (62, 290)], [7, 6, 5]), p.green)
    leaves = (
        _lobed((160, 336), 10, 74, p)
        + _lobed((132, 346), 165, 74, p)
        + _lobed((196, 300), -20, 56, p)
        + _lobed((92, 318), 190, 44, p)
    )
    return (
        stems
        + low
        + leaves
        + _rose((138, 228), 66, p)
        + _rose((224, 232), 30, p)
        + _bud((62, 292), -105, 34, p)
    )


def _summer(p: Palette) -> str:
    """Draw a lotus over its leaf, water below."""
    at: Point = (152, 262)
    back = path(
        "".join(leaf(at, a, 92, 38, 0.55) for a in (-150, -120, -60, -30)), p.red, "#fff", 4
    )
    front = path("".join(leaf(at, a, 104, 46, 0.5) for a in (-104, -76)), p.red, "#fff", 4) + path(
        leaf(at, -90, 88, 44, 0.5), p.red, "#fff", 4
    )
    pad = path(
        spline(
            [
                (36, 318),
                (90, 288),
                (160, 284),
                (226, 292),
                (266, 318),
                (220, 344),
                (150, 350),
                (76, 344),
            ],
            closed=True,
        ),
        p.green,
    )
    veins = path(
        "M150 346L150 304M150 304L88 302M150 304L214 304M150 346L92 330M150 346L212 330",
        None,
        "#fff",
        4,
    )
    water = path("M40 366q22 -12 44 0t44 0t44 0t44 0t44 0", None, p.blue, 7)
    bud = path(brush([(222, 300), (238, 240), (236, 206)], [6, 5, 5]), p.green) + _bud(
        (236, 208), -92, 34, p
    )
    stalk = path(brush([(70, 308), (58, 250), (64, 214)], [6, 5, 5]), p.green) + path(
        "M40 206Q64 180 90 206Q64 222 40 206z", p.green
    )
    return bud + stalk + back + front + pad + veins + water


def _maple(at: Point, degrees: float, size: float, colour: str) -> str:
    lobes = "".join(
        leaf(at, degrees + a, size * k, size * 0.36, 0.5)
        for a, k in ((-128, 0.5), (-62, 0.85), (0, 1.0), (62, 0.85), (128, 0.5))
    )
    stalk = polar(at, size * 0.5, degrees + 180)
    return path(lobes, colour) + path(
        f"M{at[0]:.1f} {at[1]:.1f}L{stalk[0]:.1f} {stalk[1]:.1f}", None, colour, 4
    )


def _autumn(p: Palette) -> str:
    """Draw a maple twig, leaves falling, wild geese above."""
    branch = path(
        brush([(40, 372), (120, 330), (160, 260), (246, 210)], [15, 12, 9, 4], 10), p.ink
    ) + path(brush([(112, 326), (190, 332), (244, 306)], [8, 7, 3]), p.ink)
    leaves = (
        _maple((110, 276), -130, 62, p.red)
        + _maple((190, 222), -80, 68, p.red)
        + _maple((236, 290), 20, 56, p.red)
    )
    green = _maple((158, 338), 70, 44, p.green) + _maple((66, 336), -150, 42, p.green)
    geese = path(
        "M112 176q12 -16 22 -2q10 -14 22 2M160 140q8 -11 15 -1q7 -10 15 1", None, p.ink, 5.5
    )
    return branch + leaves + green + geese


def _winter(p: Palette) -> str:
    """Draw a narcissus in a footed bowl."""
    leaves = (
        (110, 306, 96, 150),
        (126, 300, 122, 130),
        (150, 300, 152, 120),
        (172, 300, 190, 130),
        (190, 306, 216, 156),
        (136, 304, 66, 190),
        (170, 304, 246, 200),
    )
    out = [
        path(brush([(x, y), ((x + tx) / 2, (y + ty) / 2 - 26), (tx, ty)], [13, 14, 3]), p.green)
        for x, y, tx, ty in leaves
    ]
    for at, r in (
        ((104, 186), 30.0),
        ((166, 166), 32.0),
        ((216, 214), 28.0),
        ((138, 240), 27.0),
        ((190, 262), 24.0),
    ):
        out.append(
            path(petals(at, 6, 2, r, r * 0.62), p.red, "#fff", 3)
            + circle(at, r * 0.3, "#fff")
            + circle(at, r * 0.18, p.green)
        )
    out.append(
        path("M48 300H252Q246 352 206 358H94Q54 352 48 300z", p.ink)
        + path("M70 318q20 22 40 0t40 0t40 0t40 0", None, "#fff", 6)
    )
    out.append(path("M100 358L88 376H108L116 360M200 358L212 376H192L184 360", p.ink, p.ink, 3))
    return "".join(out)


def _spray(number: int, p: Palette) -> str:
    """Draw one of eight arrangements of the same stalk and flower, as cheap sets have them."""
    lean = (-1) ** number
    x0, xt = 150 - 34 * lean, 150 + 40 * lean
    stem = path(
        brush(
            [(x0, 374), (x0 + 60 * lean, 310), (xt - 60 * lean, 260), (xt, 200)], [9, 8, 7, 5], 10
        ),
        p.green,
    )
    flower = (_rose, _mum, _blossom)[number % 3]
    out = [stem]
    for i in range(3):
        side = 1 if i % 2 else -1
        at = bezier(
            ((x0, 374), (x0 + 60 * lean, 310), (xt - 60 * lean, 260), (xt, 200)), 0.2 + 0.24 * i
        )
        angle = -90 + side * (58 + 9 * ((number * 7 + i * 5) % 4))
        out.append(
            path(leaf(at, angle, 60, 22) if number % 2 else leaf(at, angle, 50, 30, 0.6), p.green)
        )
    out.append(flower((xt, 206), 46.0 + 4 * (number % 4), p))
    if number % 4 >= 1:
        out.append(flower((150 - 66 * lean, 270 + 10 * (number % 3)), 30.0, p))
    if number % 4 >= 2:
        out.append(_bud((xt + 30 * lean, 290), -60 if lean > 0 else -120, 26, p))
    if number % 4 == 3:
        out.append(path("M50 366q25 -14 50 0t50 0t50 0t50 0", None, p.ink, 6))
    return "".join(out)


_PICTURES: dict[Tile, Callable[[Palette], str]] = {
    Tile.SPRING: _spring,
    Tile.SUMMER: _summer,
    Tile.AUTUMN: _autumn,
    Tile.WINTER: _winter,
    Tile.PLUM: _plum,
    Tile.ORCHID: _orchid,
    Tile.BAMBOO_PLANT: _bamboo,
    Tile.CHRYSANTHEMUM: _chrysanthemum,
}
