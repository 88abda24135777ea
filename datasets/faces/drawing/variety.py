"""Random designs of tile sets, so that a model does not overfit to one design."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TypeVar

import numpy as np

from hupai.datasets.faces.drawing import fonts
from hupai.datasets.faces.drawing.fonts import Font
from hupai.datasets.faces.drawing.style import (
    BigDot,
    Bird,
    Dot,
    FlowerFace,
    Flowers,
    Index,
    Palette,
    Stick,
    Style,
    WhiteDragon,
)

_T = TypeVar("_T")

_REDS = ("#c4202c", "#d42a2a", "#b01e2e", "#e03a30", "#a3262a", "#cc1f45")
_GREENS = ("#0f6b3c", "#1a7f3c", "#0c5a34", "#2a8f4f", "#1f6b2a", "#0b4f3a", "#3aa04a", "#14463a")
_BLUES = ("#1d3f94", "#2450b8", "#17307a", "#2a66c4", "#1b2f66", "#3358a8", "#12387f")
_BLACKS = ("#15171c", "#22252b", "#0b2a20", "#1d2440", "#2c2a28")
_BACKS = (
    "#1f7a4d",
    "#2f9a5f",
    "#2a64b0",
    "#3d8fd0",
    "#d9a429",
    "#e07a2a",
    "#b5302c",
    "#5b3a8c",
    "#7a5230",
    "#8fa6b2",
    "#20242b",
)
_BRUSH = ("KouzanBrushFont", "KouzanBrushFontGyousyo", "AoyagiKouzanFontT", "AoyagiSosekiFont2")
_TILE_LIKE = (
    "LXGW WenKai",
    "AR PL KaitiM Big5",
    "AR PL KaitiM GB",
    "AR PL UKai TW",
    "AR PL UKai CN",
    "TW-Kai",
    "cwTeX Q Kai",
    "cwTeXKai",
)
_THIN_BARS = (
    "Noto Serif CJK SC",
    "Noto Serif CJK TC",
    "AR PL Mingti2L Big5",
    "AR PL SungtiL GB",
    "cwTeXMing",
)
"""Song faces, whose horizontal strokes are thin."""
_USUAL_WHITES = tuple(white for white in WhiteDragon if white is not WhiteDragon.LETTER)
_PROBE = "一萬東發中"
_PLANT_ORDERS = ((1, 2, 3, 4), (1, 2, 4, 3), (1, 3, 4, 2), (4, 3, 2, 1))
_ALL_PLANT_ORDERS = tuple((a, b, c, d) for a, b, c, d in itertools.permutations((1, 2, 3, 4)))


def font_families() -> dict[str, tuple[Font, ...]]:
    """List Chinese and brush fonts of this machine that cover a set's characters, by family.

    Raises:
        FontError: if there is none, not even the house font.
    """
    families: dict[str, list[Font]] = {}
    brushes = tuple(font for font in fonts.installed("ja") if font.family in _BRUSH)
    for font in fonts.installed("zh") + brushes:
        if sum(fonts.has(font, char) for char in _PROBE) >= 4:
            families.setdefault(font.family, []).append(font)
    if not families:
        families[fonts.HOUSE_FAMILY] = [fonts.house_font()]
    return {name: tuple(members) for name, members in sorted(families.items())}


def wide_style(rng: np.random.Generator) -> Style:
    """Draw a design as `random_style` does, but with more variety.

    It has more shapes of numerals, thinner ink, simplified characters as often as traditional
    ones, birds, circles, sticks and indices of any form and colour, and flowers that only their
    characters identify: beside any picture, with a simple sign, or alone. Numerals may be squeezed,
    fill their place or touch 萬, circles may touch or reach the edge, and the digit of a flower may
    be Chinese or lie elsewhere.

    Numerals with thin strokes, large or small, are hard to count: 三 was read as 二. When each
    flower always had the same drawing, networks learnt the drawing and not the character: a clear
    春 was read as 梅 in a set with other drawings. A clear 五 above a simplified 万 was read as 三,
    because few sets had both; 三 in a Song face was read as 二, because no set had such thin bars;
    二 whose lower bar touched 萬 was read as 一, because all numerals had a gap below them;
    six circles of one colour were read as four, because the circles of a 6 always had two colours.
    Flowers with a large 夏 or a red leaf alone were read as winds and dragons; those with a large
    character above a small picture were read as characters, whose 萬 has that place.

    Raises:
        FontError: if this machine has no Chinese font.
    """
    style = random_style(rng)
    thin = tuple(name for name in font_families() if name in _THIN_BARS)
    weight = float(rng.uniform(0, 8))
    if thin and _chance(rng, 0.3):
        font = _pick(rng, font_families()[_pick(rng, thin)])
        style, weight = replace(style, font=font), weight / 3
    inside = style.index is not Index.NONE and _chance(rng, 0.2)
    wide = replace(
        style,
        weight=weight,
        stretch=float(rng.uniform(0.8, 1.35)),
        numeral_em=float(rng.uniform(105, 158)),
        numeral_y=float(100 + rng.normal(0, 9)),
        numeral_squeeze=float(rng.uniform(0.55, 1.0)) if _chance(rng, 0.4) else 1.0,
        wan_scale=float(rng.uniform(0.72, 1.05)),
        formal_five=_chance(rng, 0.45),
        flower_character=True,
        flower_pictures=_random_pictures(rng, style.flowers),
        flower_text_below=_chance(rng, 0.2),
        flower_text_scale=float(rng.uniform(0.7, 1.25)),
        flower_green_character=_chance(rng, 0.15),
        flower_digit_below=_chance(rng, 0.3),
        flower_chinese_digit=_chance(rng, 0.2),
        plant_order=_pick(rng, _ALL_PLANT_ORDERS),
        simplified_wan=_chance(rng, 0.5),
        simplified_fa=_chance(rng, 0.3),
        simplified_east=_chance(rng, 0.5),
        index_ink=float(rng.uniform(0.66, 0.94)),
        index_size=float(rng.uniform(34, 70)),
        composed=int(rng.integers(2**31)) if _chance(rng, 0.7) else None,
        suits=int(rng.integers(2**31)) if _chance(rng, 0.6) else None,
        slant=(float(rng.normal(0, 7)), float(rng.normal(0, 7))) if _chance(rng, 0.5) else (0, 0),
        second_index=_chance(rng, 0.25),
        index=Index.INSIDE if inside else style.index,
    )
    if _chance(rng, 0.35):
        wide = _with_close_numerals(wide, rng)
    if _chance(rng, 0.08):
        wide = replace(wide, white=WhiteDragon.LETTER, white_letter=_pick(rng, ("P", "B")))
    if _chance(rng, 0.15):
        return replace(
            wide, flower_face=FlowerFace.CHARACTER, flower_digit=_chance(rng, 0.4),
            flower_text_scale=float(rng.uniform(0.65, 1.1)),
        )  # fmt: skip
    if _chance(rng, 0.3):
        return replace(
            wide, flower_face=FlowerFace.HALVES, flower_digit=_chance(rng, 0.6),
            flower_text_below=_chance(rng, 0.5), flower_text_scale=float(rng.uniform(0.7, 1.12)),
            flower_green_character=_chance(rng, 0.3),
        )  # fmt: skip
    if wide.composed is not None and _chance(rng, 0.4):
        scale = float(rng.uniform(0.55, 1.0))
        return replace(wide, flower_face=FlowerFace.EMBLEM, flower_text_scale=scale)
    return wide


def _with_close_numerals(style: Style, rng: np.random.Generator) -> Style:
    """Draw large numerals that almost touch 萬 or overlap it a little."""
    wan_y, height = float(rng.uniform(264, 290)), 172 * style.wan_scale
    top, gap = float(rng.uniform(24, 52)), float(rng.uniform(-8, 18))
    bottom = wan_y - height / 2 - gap
    fitted = _chance(rng, 0.5)
    # A numeral that is not fitted leaves some of its place free.
    size = (bottom - top) / (1.0 if fitted else 0.9)
    return replace(
        style,
        numeral_em=size,
        numeral_y=(top + bottom) / 2,
        numeral_squeeze=1.0,
        numeral_fitted=fitted,
        stretch=min(style.stretch, 210 / (1.1 * size)),
        wan_y=wan_y,
    )


def _random_pictures(rng: np.random.Generator, flowers: Flowers) -> tuple[int, ...]:
    """Draw which of the eight pictures each flower has.

    With `Flowers.THEMED` each has its own picture in half of all sets, otherwise any.
    """
    order = tuple(int(at) for at in rng.permutation(8))
    return order if flowers is Flowers.SPRAYS or _chance(rng, 0.5) else tuple(range(8))


def random_style(rng: np.random.Generator) -> Style:
    """Draw a tile set's design like those on sale.

    The same state of ``rng`` and the same fonts give the same design.

    Raises:
        FontError: if this machine has no Chinese font.
    """
    font = _random_font(rng)
    heavy = font.style in ("Bold", "Black", "SemiBold") or font.family in _BRUSH
    mirrored = _chance(rng, 0.5)
    return Style(
        palette=_random_palette(rng),
        font=font,
        weight=float(rng.uniform(0, 5) if heavy else rng.uniform(3, 10)),
        stretch=float(rng.uniform(0.95, 1.3)),
        ink_scale=float(rng.uniform(0.86, 1.1)),
        shift=(float(rng.normal(0, 4)), float(rng.normal(0, 5))),
        index=_pick(rng, (Index.NONE, Index.NONE, Index.NONE, Index.LEFT, Index.LEFT, Index.RIGHT)),
        index_font=None if _chance(rng, 0.4) else _random_font(rng),
        simplified_wan=_chance(rng, 0.2),
        simplified_fa=_chance(rng, 0.12),
        simplified_east=_chance(rng, 0.12),
        formal_five=_chance(rng, 0.65),
        white=_pick(rng, _USUAL_WHITES),
        dot=_pick(rng, (*Dot, Dot.RINGS, Dot.RINGS)),
        big_dot=_pick(rng, tuple(BigDot)),
        flat_two_dots=_chance(rng, 0.03),
        dot_blue=_chance(rng, 0.75),
        mirrored_diagonals=_chance(rng, 0.12),
        stick=_pick(rng, tuple(Stick)),
        stick_blue=_chance(rng, 0.5),
        three_sticks_down=_chance(rng, 0.08),
        eight_w_first=_chance(rng, 0.35),
        bird=_pick(rng, tuple(Bird)),
        mirrored_bird=mirrored,
        flowers=_pick(rng, (Flowers.THEMED, Flowers.THEMED, Flowers.SPRAYS)),
        flower_character=_chance(rng, 0.93),
        flower_digit=_chance(rng, 0.85),
        plant_order=_pick(rng, _PLANT_ORDERS),
        digit_right=_chance(rng, 0.5),
        traditional_orchid=_chance(rng, 0.7),
        flower_red_character=_chance(rng, 0.5),
        back=_pick(rng, _BACKS),
        back_pattern=_chance(rng, 0.15),
    )


def _random_font(rng: np.random.Generator) -> Font:
    """Draw a kai or brush face half of the time, as most sets have; otherwise any family."""
    families = font_families()
    liked = tuple(name for name in families if name in _TILE_LIKE or name in _BRUSH)
    name = _pick(rng, liked if liked and _chance(rng, 0.65) else tuple(families))
    return _pick(rng, families[name])


def _random_palette(rng: np.random.Generator) -> Palette:
    """Draw three paints; in one of four sets, black replaces blue throughout."""
    red, green, blue, black = (_pick(rng, colours) for colours in (_REDS, _GREENS, _BLUES, _BLACKS))
    if _chance(rng, 0.25):
        blue = black
    ink = black if _chance(rng, 0.4) else blue
    return Palette(
        red=red,
        green=green,
        blue=blue,
        ink=ink,
        frame=_pick(rng, (blue, blue, ink, green)),
        index=_pick(rng, (red, red, ink, green)),
    )


def _chance(rng: np.random.Generator, probability: float) -> bool:
    return bool(rng.random() < probability)


def _pick(rng: np.random.Generator, choices: tuple[_T, ...]) -> _T:
    return choices[int(rng.integers(len(choices)))]
