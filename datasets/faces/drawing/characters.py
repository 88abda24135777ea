"""Characters, winds and dragons: the faces that are written."""

from __future__ import annotations

from hupai.datasets.faces.drawing import fonts
from hupai.datasets.faces.drawing.fonts import Font
from hupai.datasets.faces.drawing.shapes import Point, group, num, path, rect
from hupai.datasets.faces.drawing.style import Style, WhiteDragon

_NUMERALS = "一二三四五六七八九"

_MAX_NUMERAL_STRETCH = 1.6
"""Most that a numeral is stretched in one direction to fill its place."""


def glyph(
    font: Font,
    char: str,
    centre: Point,
    box: tuple[float, float],
    colour: str,
    weight: float,
    stretch: float = 1.25,
) -> str:
    """Draw a character as large as ``box`` allows, thickened by ``weight``."""
    d = fonts.fitted(font, char, centre, (box[0] - weight, box[1] - weight), stretch)
    return path(d, colour, colour, weight) if weight else path(d, colour)


def number(rank: int, style: Style) -> str:
    """Draw a face of the suit of characters; ``rank`` 1-9."""
    numeral = "伍" if rank == 5 and style.formal_five else _NUMERALS[rank - 1]
    em, middle = style.numeral_em, (150, style.numeral_y)
    size = (em * style.stretch * 1.1, em * style.numeral_squeeze)
    if style.numeral_fitted:
        d = fonts.fitted(style.font, numeral, middle, size, _MAX_NUMERAL_STRETCH)
    else:
        d = fonts.placed(style.font, numeral, middle, size)
    upper = (
        path(d, style.palette.ink, style.palette.ink, style.weight)
        if style.weight
        else path(d, style.palette.ink)
    )
    if style.slant != (0, 0):
        x, y = num(150.0), num(style.numeral_y)
        along, across = (num(degrees) for degrees in style.slant)
        sheared = f"translate({x} {y})skewX({along})skewY({across})translate(-{x} -{y})"
        upper = group(upper, sheared)
    wan = "万" if style.simplified_wan else "萬"
    wide, high = (190.0, 150.0) if style.simplified_wan else (200.0, 172.0)
    box = (wide * style.wan_scale, high * style.wan_scale)
    centre, thickened = (150, style.wan_y), style.weight * 0.8
    return upper + glyph(style.font, wan, centre, box, style.palette.red, thickened)


def wind(letter: str, style: Style) -> str:
    """Draw a wind, by its letter E S W N."""
    chars = {"E": "东" if style.simplified_east else "東", "S": "南", "W": "西", "N": "北"}
    return glyph(
        style.font, chars[letter], (150, 200), (226, 262), style.palette.ink, style.weight * 1.15
    )


def red_dragon(style: Style) -> str:
    """Draw 中."""
    return glyph(
        style.font, "中", (150, 200), (176, 284), style.palette.red, style.weight * 1.3, 1.45
    )


def green_dragon(style: Style) -> str:
    """Draw 發."""
    return glyph(
        style.font,
        "发" if style.simplified_fa else "發",
        (150, 200),
        (226, 270),
        style.palette.green,
        style.weight,
    )


def white_dragon(style: Style) -> str:
    """Draw 白: blank, a frame, or (rarely) the character or a letter."""
    colour = style.palette.frame
    if style.white is WhiteDragon.BLANK:
        return ""
    if style.white is WhiteDragon.SINGLE:
        return rect(58, 62, 184, 276, 12, None, colour, 16)
    if style.white is WhiteDragon.CHARACTER:
        return glyph(style.font, "白", (150, 200), (190, 250), colour, style.weight * 1.4)
    if style.white is WhiteDragon.LETTER:
        font, weight = style.index_font or style.font, style.weight
        return glyph(font, style.white_letter, (150, 200), (150, 176), colour, weight)
    if style.white is WhiteDragon.BROKEN:
        inner = "M92 128V272M208 128V272M122 96H178M122 304H178"
        corners = "M92 112V96H106M194 96H208V112M92 288V304H106M194 304H208V288"
        return rect(54, 58, 192, 284, 0, None, colour, 9) + path(inner + corners, None, colour, 9)
    if style.white is WhiteDragon.ORNATE:
        cut = "M92 72H208L232 104V296L208 328H92L68 296V104z"
        dashes = "M106 98H194M106 302H194M92 122V278M208 122V278"
        return (
            rect(48, 52, 204, 296, 14, None, colour, 10)
            + path(cut, None, colour, 6)
            + path(dashes, None, colour, 6)
        )
    joins = "M54 58L84 96M246 58L216 96M54 342L84 304M246 342L216 304"
    inner = rect(84, 96, 132, 208, 4, None, colour, 7)
    return rect(54, 58, 192, 284, 10, None, colour, 13) + inner + path(joins, None, colour, 7)
