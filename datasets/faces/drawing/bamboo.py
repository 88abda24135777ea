"""The suit of bamboo, except the bird of the one."""

from __future__ import annotations

from hupai.datasets.faces.drawing import composed_suits
from hupai.datasets.faces.drawing.shapes import Point, circle_path, group, num, path, rect
from hupai.datasets.faces.drawing.style import Stick, Style

_WIDTH = 46.0


def places(rank: int, style: Style) -> list[tuple[Point, str, float]]:
    """Return centre, colour and height of each upright stick of ranks 2-7 and 9."""
    red, green = style.palette.red, style.palette.green
    blue = style.palette.blue if style.stick_blue else green
    if rank == 2:
        return [((150, 112), blue, 148), ((150, 288), green, 148)]
    if rank == 3:
        if style.three_sticks_down:
            return [((82, 112), green, 148), ((218, 112), green, 148), ((150, 288), blue, 148)]
        return [((150, 112), blue, 148), ((82, 288), green, 148), ((218, 288), green, 148)]
    if rank == 4:
        return [
            ((88, 112), blue, 148),
            ((212, 112), green, 148),
            ((88, 288), green, 148),
            ((212, 288), blue, 148),
        ]
    if rank == 5:
        corners: list[tuple[Point, str]] = [
            ((76, 112), green),
            ((224, 112), blue),
            ((76, 288), blue),
            ((224, 288), green),
        ]
        return [(at, colour, 140.0) for at, colour in corners] + [((150, 200), red, 140)]
    if rank == 6:
        return [
            ((x, y), colour, 146)
            for y, colour in ((112.0, green), (288.0, blue))
            for x in (70.0, 150.0, 230.0)
        ]
    if rank == 7:
        columns = ((70.0, green), (150.0, blue), (230.0, green))
        return [((150, 80), red, 100)] + [
            ((x, y), colour, 100.0) for y in (206.0, 320.0) for x, colour in columns
        ]
    columns = ((70.0, green), (150.0, red), (230.0, blue if style.stick_blue else green))
    return [((x, y), colour, 104) for x, colour in columns for y in (82.0, 200.0, 318.0)]


def draw(rank: int, style: Style) -> str:
    """Draw a face of the suit; ``rank`` 2-9."""
    if rank == 8:
        return _eight(style)
    found = places(rank, style)
    colours = [colour for _, colour, _ in found]
    if style.suits is not None:
        colours = composed_suits.recoloured(style.suits, colours, style.palette)
    return "".join(
        _stick(centre, height, colour, style)
        for (centre, _, height), colour in zip(found, colours, strict=True)
    )


def _stick(centre: Point, height: float, colour: str, style: Style, degrees: float = 0) -> str:
    if style.suits is not None:
        return composed_suits.stick(style.suits, centre, height, colour, degrees)
    return stick(centre, height, colour, style.stick, degrees)


def _eight(style: Style) -> str:
    """Draw four sticks as M above four as W, or the other way round."""
    top, low = style.palette.green, style.palette.blue if style.stick_blue else style.palette.green
    if style.suits is not None:
        top, low = composed_suits.recoloured(style.suits, [top, low], style.palette)
    out = []
    for x, lean in ((42.0, -1), (258.0, 1)):
        out += [_stick((x, 114), 138, top, style), _stick((x, 286), 138, low, style)]
        inner = 150 + lean * 42
        turn = lean * (1 if not style.eight_w_first else -1) * 26
        out += [
            _stick((inner, 114), 124, top, style, turn),
            _stick((inner, 286), 124, low, style, -turn),
        ]
    return "".join(out)


def stick(centre: Point, height: float, colour: str, design: Stick, degrees: float = 0) -> str:
    """Draw one stick about ``centre``, turned clockwise by ``degrees``."""
    where = f"translate({num(centre[0])} {num(centre[1])})" + (
        f"rotate({num(degrees)})" if degrees else ""
    )
    return group(_SHAPES[design](height / 2, _WIDTH / 2, colour), where)


def _jointed(h: float, w: float, colour: str) -> str:
    """Draw swollen ends and a swollen joint, with a slit of light in each half."""
    n, e, q = num(w * 0.62), num(w), num(h * 0.5)
    top = f"M-{e} {num(-h + 9)}Q-{e} {num(-h)} 0 {num(-h)}Q{e} {num(-h)} {e} {num(-h + 9)}"
    b, m = num(w * 0.72), num(h)
    right = f"Q{e} {num(-h + 17)} {n} {num(-h + 22)}Q{b} -{q} {n} -16Q{e} -11 {e} 0Q{e} 11 {n} 16"
    low = f"Q{b} {q} {n} {num(h - 22)}Q{e} {num(h - 17)} {e} {num(h - 9)}Q{e} {m} 0 {m}"
    left = f"Q-{e} {m} -{e} {num(h - 9)}Q-{e} {num(h - 17)} -{n} {num(h - 22)}Q-{b} {q} -{n} 16"
    close = (
        f"Q-{e} 11 -{e} 0Q-{e} -11 -{n} -16Q-{b} -{q} -{n} {num(-h + 22)}"
        f"Q-{e} {num(-h + 17)} -{e} {num(-h + 9)}z"
    )
    return path(
        top + right + low + left + close + _slit(-h + 19, -15) + _slit(15, h - 19),
        colour,
        even_odd=True,
    )


def _slit(y0: float, y1: float, half: float = 2.6) -> str:
    a, top, low = num(half), num(y0), num(y1)
    return f"M-{a} {top}Q0 {num(y0 - 5)} {a} {top}L{a} {low}Q0 {num(y1 + 5)} -{a} {low}z"


def _scalloped(h: float, w: float, colour: str) -> str:
    """Draw four waves on each side and one long slit."""
    lobes = 4
    step = 2 * h / lobes
    right = "".join(
        f"Q{num(w * 1.25)} {num(-h + step * (i + 0.5))} {num(w * 0.55)} {num(-h + step * (i + 1))}"
        for i in range(lobes)
    )
    left = "".join(
        f"Q{num(-w * 1.25)} {num(h - step * (i + 0.5))} {num(-w * 0.55)} {num(h - step * (i + 1))}"
        for i in range(lobes)
    )
    outline = f"M{num(-w * 0.55)} {num(-h)}Q0 {num(-h - 6)} {num(w * 0.55)} {num(-h)}{right}Q0 {num(h + 6)} {num(-w * 0.55)} {num(h)}{left}z"  # noqa: E501
    return path(outline + _slit(-h + 12, h - 12), colour, even_odd=True)


def _beads(h: float, w: float, colour: str) -> str:
    """Draw three beads on a rod, each with an eye."""
    r = min(h / 3, w * 1.12)
    rod = rect(-4, -h + r, 8, 2 * (h - r), 0, colour)
    beads = (
        path(circle_path((0, y), r) + circle_path((0, y), r * 0.36), colour, even_odd=True)
        for y in (r - h, 0.0, h - r)
    )
    return (rod if h > 3 * r else "") + "".join(beads)


def _bones(h: float, w: float, colour: str) -> str:
    """Draw two bars with flared ends."""
    out = []
    for y0, y1 in ((-h, -2.0), (2.0, h)):
        a, b = num(w * 0.92), num(w * 0.5)
        ends = (y0, y0 + 10, y0 + 17, y1 - 17, y1 - 10, y1)
        e0, e1, e2, e3, e4, e5 = map(num, ends)
        outline = (
            f"M-{a} {e0}L{a} {e0}L{a} {e1}L{b} {e2}L{b} {e3}L{a} {e4}L{a} {e5}"
            f"L-{a} {e5}L-{a} {e4}L-{b} {e3}L-{b} {e2}L-{a} {e1}z"
        )
        out.append(path(outline + _slit(y0 + 16, y1 - 16, 2), colour, even_odd=True))
    return "".join(out)


def _outlined(h: float, w: float, colour: str) -> str:
    """Draw two hollow halves, each with a line down its middle."""
    out = []
    for y0, y1 in ((-h + 3, -3.0), (3.0, h - 3)):
        out.append(rect(-w * 0.72, y0, w * 1.44, y1 - y0, w * 0.6, None, colour, 7))
        out.append(path(f"M0 {num(y0 + 15)}V{num(y1 - 15)}", None, colour, 5))
    return "".join(out)


def _plain(h: float, w: float, colour: str) -> str:
    """Draw a rounded bar with a cap at either end and a joint in the middle."""
    halves = rect(-w * 0.6, -h + 4, w * 1.2, h - 10, 5, colour) + rect(
        -w * 0.6, 6, w * 1.2, h - 10, 5, colour
    )
    return halves + "".join(
        rect(-w * 0.95, y - 6, w * 1.9, 12, 6, colour) for y in (-h + 6, 0, h - 6)
    )


_SHAPES = {
    Stick.JOINTED: _jointed,
    Stick.SCALLOPED: _scalloped,
    Stick.BEADS: _beads,
    Stick.BONES: _bones,
    Stick.OUTLINED: _outlined,
    Stick.PLAIN: _plain,
}
