"""The one of bamboo: a bird."""

from __future__ import annotations

from hupai.datasets.faces.drawing import composed
from hupai.datasets.faces.drawing.shapes import (
    Point,
    brush,
    circle,
    group,
    leaf,
    path,
    petals,
    polar,
    spline,
)
from hupai.datasets.faces.drawing.style import Bird, Palette, Style


def draw(style: Style) -> str:
    """Draw the bird of the style, facing left unless mirrored."""
    if style.composed is None:
        drawing = _BIRDS[style.bird](style.palette)
    else:
        drawing = composed.bird(style.composed, style.palette)
    return group(drawing, "matrix(-1 0 0 1 300 0)") if style.mirrored_bird else drawing


def _peacock(p: Palette) -> str:
    """Draw a peacock on a stalk, its train swept to the right in five feathers with eyes."""
    out = []
    root: Point = (158, 190)
    ends: tuple[tuple[Point, Point], ...] = (
        ((232, 96), (250, 52)),
        ((262, 128), (274, 128)),
        ((258, 190), (268, 214)),
        ((226, 240), (246, 292)),
        ((184, 258), (206, 322)),
    )
    for bend, end in ends:
        out.append(path(brush([root, bend, end], [13, 12, 6]), p.green))
        out.append(circle(end, 20, None, p.green, 7) + circle(end, 9, p.red))
    for bend, end in (
        ((250, 110), (266, 88)),
        ((262, 160), (276, 170)),
        ((244, 215), (262, 254)),
        ((200, 252), (226, 322)),
    ):
        out.append(path(brush([root, bend, end], [7, 6, 3]), p.blue))
    body = [
        (96, 84),
        (112, 96),
        (112, 122),
        (110, 150),
        (130, 168),
        (168, 176),
        (186, 200),
        (170, 238),
        (132, 256),
        (96, 240),
        (78, 204),
    ]
    body += [(80, 168), (88, 136), (86, 112)]
    out.append(path(spline(body, closed=True), p.blue))
    for i, (x, y) in enumerate(((104, 176), (98, 200), (104, 224), (122, 240))):
        out.append(path(f"M{x} {y}q12 -9 24 0", None, "#fff", 4) if i else "")
    wing = spline(
        [(122, 184), (150, 180), (184, 196), (196, 226), (168, 228), (138, 218)], closed=True
    )
    out.append(path(wing, p.red, "#fff", 4))
    out.append(path("M144 194q20 4 36 22M140 204q16 4 28 16", None, "#fff", 4))
    out.append(
        circle((94, 82), 23, p.blue)
        + path("M74 76L40 90L74 96z", p.red)
        + circle((88, 78), 6.5, "#fff")
        + circle((87, 78), 3, p.blue)
    )
    for tip in ((86, 30), (106, 26), (124, 36)):
        out.append(path(f"M98 62L{tip[0]} {tip[1]}", None, p.green, 4.5) + circle(tip, 7, p.red))
    out.append(
        path(
            "M116 252V322M142 250V322M100 330L116 318L130 330M126 330L142 318L158 330",
            None,
            p.red,
            6,
        )
    )
    out.append(path("M44 344Q96 330 150 344T238 360", None, p.green, 10))
    out.append(
        path(
            leaf((66, 340), -118, 44, 15)
            + leaf((66, 340), -62, 34, 13)
            + leaf((56, 344), 150, 30, 12),
            p.green,
        )
    )
    return "".join(out)


def _sparrow(p: Palette) -> str:
    """Draw a plump bird on a bamboo stalk, tail up to the right."""
    out = [
        path(brush([(176, 204), (236, 150), (262, 62)], [34, 28, 20]), p.green),
        path(brush([(168, 198), (206, 140), (214, 54)], [24, 20, 14]), p.red),
        path(brush([(184, 214), (256, 190), (284, 124)], [24, 20, 14]), p.blue),
    ]
    body = [
        (62, 118),
        (84, 92),
        (118, 96),
        (136, 126),
        (158, 162),
        (196, 196),
        (194, 236),
        (150, 266),
        (100, 260),
        (70, 222),
        (66, 176),
        (70, 146),
    ]
    out.append(path(spline(body, closed=True), p.green))
    out.append(
        path(
            spline([(84, 190), (100, 244), (146, 252), (120, 220), (106, 184)], closed=True),
            p.red,
            "#fff",
            5,
        )
    )
    wing = [(112, 152), (160, 166), (218, 226), (206, 250), (158, 234), (124, 200)]
    out.append(path(spline(wing, closed=True), p.blue, "#fff", 5))
    out.append(path("M132 176Q160 186 196 234M128 194Q150 206 176 232", None, "#fff", 5))
    out.append(
        path("M66 124L26 140L68 146z", p.red)
        + circle((92, 122), 14, "#fff")
        + circle((91, 122), 7, p.red)
    )
    out.append(path("M88 92Q84 62 60 54M102 90Q104 60 88 42", None, p.red, 7))
    out.append(
        path(
            "M118 262L112 304M146 264L150 304M96 310L112 300L130 312M134 314L150 300L168 310",
            None,
            p.red,
            7,
        )
    )
    out.append(
        path("M30 326L142 316M154 315L270 304", None, p.green, 18)
        + path("M148 304V328", None, p.green, 8)
    )
    out.append(
        path(
            leaf((222, 318), 40, 62, 20)
            + leaf((222, 318), 78, 54, 18)
            + leaf((60, 332), 120, 50, 17),
            p.green,
        )
    )
    return "".join(out)


def _crane(p: Palette) -> str:
    """Draw a long-legged bird, a wing raised, one brush line for neck and back."""
    out = [path(brush([(96, 62), (150, 104), (92, 150), (118, 204)], [12, 15, 18, 30]), p.blue)]
    body = [(106, 190), (148, 180), (206, 210), (244, 262), (190, 262), (136, 250), (108, 222)]
    out.append(path(spline(body, closed=True), None, p.blue, 9))
    for i, tip in enumerate(((214, 60), (244, 84), (264, 116), (272, 152), (266, 186))):
        out.append(
            path(
                brush([(138, 192), (170 + 8 * i, 120 + 16 * i), tip], [20, 17, 8]),
                p.blue if i % 2 == 0 else p.green,
            )
        )
    for tip in ((270, 262), (262, 290), (240, 306)):
        out.append(path(brush([(196, 240), (232, 250), tip], [16, 13, 6]), p.green))
    out.append(
        circle((92, 60), 17, p.blue)
        + path("M80 58L32 76L82 70z", p.green)
        + path("M84 46Q96 30 110 48z", p.red, p.red, 5)
    )
    out.append(circle((89, 59), 5.5, "#fff"))
    out.append(path("M122 214Q150 228 190 232M128 230Q152 242 180 246", None, p.red, 6))
    out.append(
        path("M140 254L132 344L104 352M132 344L154 354M166 260L176 304L150 326", None, p.red, 7)
    )
    out.append(path("M60 366Q120 352 176 364T262 358", None, p.green, 8))
    return "".join(out)


def _phoenix(p: Palette) -> str:
    """Draw a phoenix from the side, three plumes streaming down, a flower in the tail."""
    out = []
    plumes: tuple[tuple[list[Point], str], ...] = (
        ([(140, 190), (232, 196), (216, 290), (262, 350)], p.green),
        ([(132, 200), (176, 240), (170, 310), (206, 366)], p.red),
        ([(124, 206), (128, 260), (116, 310), (136, 364)], p.blue),
    )
    for control, colour in plumes:
        out.append(path(brush(control, [26, 22, 18, 8], 10), colour))
        for t in (0.45, 0.62, 0.79):
            x = sum(c * w for c, w in zip((q[0] for q in control), _weights(t), strict=True))
            y = sum(c * w for c, w in zip((q[1] for q in control), _weights(t), strict=True))
            out.append(path(leaf((x, y), 20, 38, 13) + leaf((x, y), 140, 38, 13), colour))
    body = [
        (86, 96),
        (120, 104),
        (150, 140),
        (172, 190),
        (150, 224),
        (112, 224),
        (82, 190),
        (72, 140),
    ]
    out.append(path(spline(body, closed=True), p.green))
    out.append(
        path(petals((122, 172), 7, 8, 36, 19), p.red, "#fff", 2.5) + circle((122, 172), 8, "#fff")
    )
    out.append(path(brush([(140, 140), (200, 110), (244, 60)], [34, 30, 6]), p.blue))
    out.append(path(brush([(146, 158), (216, 150), (268, 112)], [28, 24, 6]), p.green))
    out.append(
        circle((98, 84), 34, p.green) + circle((92, 80), 17, "#fff") + circle((91, 80), 9, p.red)
    )
    out.append(path("M66 76Q40 74 28 96Q48 100 68 98z", p.red))
    for degrees in (-120, -95, -70):
        out.append(path(leaf(polar((98, 84), 30, degrees), degrees, 40, 17), p.red))
    out.append(
        path(
            "M104 222L92 280M128 224L120 280M74 292L92 276L104 294M104 294L120 276L138 292",
            None,
            p.red,
            6,
        )
    )
    return "".join(out)


def _weights(t: float) -> tuple[float, float, float, float]:
    u = 1 - t
    return u**3, 3 * u * u * t, 3 * u * t * t, t**3


_BIRDS = {
    Bird.PEACOCK: _peacock,
    Bird.SPARROW: _sparrow,
    Bird.CRANE: _crane,
    Bird.PHOENIX: _phoenix,
}
