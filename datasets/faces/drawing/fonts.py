"""Outlines of characters from the fonts on this machine.

The fonts are found with fontconfig's ``fc-list``. Only outlines leave this module; no font file is
copied or embedded.
"""

from __future__ import annotations

import logging
import subprocess
from dataclasses import dataclass
from functools import cache

from hupai.datasets.faces.drawing.shapes import num
from hupai.scoring.errors import HupaiError

try:  # it comes with the extras train and dev
    from fontTools.misc.transform import Transform
    from fontTools.pens.boundsPen import BoundsPen
    from fontTools.pens.svgPathPen import SVGPathPen
    from fontTools.pens.transformPen import TransformPen
    from fontTools.ttLib import TTFont
except ModuleNotFoundError:
    TTFont = None

HOUSE_FAMILY = "LXGW WenKai"
"""The font of the committed faces: SIL Open Font License 1.1, Debian package fonts-lxgw-wenkai."""

# fontTools warns about fonts with old dates or padded tables; neither matters here.
for _table in ("_h_e_a_d", "_g_l_y_f"):
    logging.getLogger(f"fontTools.ttLib.tables.{_table}").setLevel(logging.ERROR)

_TOO_THIN = ("Thin", "ExtraLight", "Light", "DemiLight")
_NOTO_REGIONS = ("SC", "TC")


class FontError(HupaiError):
    """A character that the fonts of this machine cannot draw; the message says what to install."""


@dataclass(frozen=True, order=True)
class Font:
    """One face of a font file: ``number`` is its place in a collection (.ttc), 0 otherwise."""

    family: str
    style: str
    path: str
    number: int

    @property
    def name(self) -> str:
        """Family and style, as people call the font."""
        return f"{self.family} {self.style}"


@dataclass(frozen=True)
class Outline:
    """A character's outline as SVG path data in the font's units, y downward, and its box."""

    path: str
    box: tuple[float, float, float, float]
    em: int


@cache
def installed(language: str = "zh") -> tuple[Font, ...]:
    """List the fonts of this machine for a language, in a fixed order.

    Hairline weights and further regional builds are skipped. Empty if fontconfig is missing or
    knows no such font.
    """
    form = "%{file}\t%{index}\t%{family[0]}\t%{style[0]}\n"
    try:
        listing = subprocess.run(
            ["fc-list", f":lang={language}", "--format", form],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        return ()
    fonts = set()
    for line in listing.splitlines():
        path, number, family, style = line.split("\t")
        thin = any(style.startswith(word) for word in _TOO_THIN)
        other_region = family.startswith("Noto") and not family.removesuffix(f" {style}").endswith(
            _NOTO_REGIONS
        )
        if thin or other_region or "Mono" in family or int(number) > 0xFFFF:
            continue
        fonts.add(Font(family.removesuffix(f" {style}"), style, path, int(number)))
    return tuple(sorted(fonts))


@cache
def house_font() -> Font:
    """Return the bold face of the committed drawings' font.

    Raises:
        FontError: if it is not installed.
    """
    for font in installed():
        if font.family == HOUSE_FAMILY and font.style == "Bold":
            return font
    raise FontError(
        f"font {HOUSE_FAMILY} Bold not found: install fonts-lxgw-wenkai (or the .ttf from its "
        "project) and fontconfig"
    )


@cache
def _open(font: Font) -> TTFont:
    if TTFont is None:
        raise FontError("drawing characters needs fontTools: pip install '.[train]'")
    return TTFont(font.path, fontNumber=font.number, lazy=True)


@cache
def has(font: Font, char: str) -> bool:
    """Return whether the font has an outline for the character."""
    return ord(char) in _cmap(font)


@cache
def _cmap(font: Font) -> dict[int, str]:
    table: dict[int, str] | None = _open(font).getBestCmap()
    return table or {}


@cache
def outline(font: Font, char: str) -> Outline:
    """Return the character in this font, or in the committed font if this one lacks it.

    Raises:
        FontError: if neither has it.
    """
    if not has(font, char):
        fallback = house_font()
        if fallback == font or not has(fallback, char):
            raise FontError(
                f"no outline for {char!r} in {font.name}: choose a font that covers Chinese"
            )
        return outline(fallback, char)
    file = _open(font)
    glyphs = file.getGlyphSet()
    glyph = glyphs[_cmap(font)[ord(char)]]
    bounds = BoundsPen(glyphs)
    glyph.draw(bounds)
    if bounds.bounds is None:
        raise FontError(f"{char!r} is empty in {font.name}: choose another font")
    x0, y0, x1, y1 = bounds.bounds
    pen = SVGPathPen(glyphs, ntos=num)
    glyph.draw(TransformPen(pen, Transform(1, 0, 0, -1, 0, 0)))
    return Outline(pen.getCommands(), (x0, -y1, x1, -y0), int(file["head"].unitsPerEm))


@cache
def placed(font: Font, char: str, centre: tuple[float, float], size: tuple[float, float]) -> str:
    """Return path data of a character at an em of ``size``, its box centred at ``centre``.

    ``size`` is width and height in view box units.
    """
    shape = outline(font, char)
    sx, sy = size[0] / shape.em, size[1] / shape.em
    x0, y0, x1, y1 = shape.box
    dx, dy = centre[0] - (x0 + x1) / 2 * sx, centre[1] - (y0 + y1) / 2 * sy
    return _drawn(font, char, sx, sy, dx, dy)


@cache
def fitted(
    font: Font,
    char: str,
    centre: tuple[float, float],
    box: tuple[float, float],
    stretch: float = 1.25,
) -> str:
    """Return path data of a character as large as ``box`` (width, height) allows.

    It is stretched by at most ``stretch`` in one direction.
    """
    shape = outline(font, char)
    x0, y0, x1, y1 = shape.box
    sx, sy = box[0] / (x1 - x0), box[1] / (y1 - y0)
    sx, sy = min(sx, sy * stretch), min(sy, sx * stretch)
    return _drawn(
        font, char, sx, sy, centre[0] - (x0 + x1) / 2 * sx, centre[1] - (y0 + y1) / 2 * sy
    )


def _drawn(font: Font, char: str, sx: float, sy: float, dx: float, dy: float) -> str:
    source = font if has(font, char) else house_font()
    glyphs = _open(source).getGlyphSet()
    pen = SVGPathPen(glyphs, ntos=num)
    glyphs[_cmap(source)[ord(char)]].draw(TransformPen(pen, Transform(sx, 0, 0, -sy, dx, dy)))
    return str(pen.getCommands())
