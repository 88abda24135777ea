"""Draws the faces of mahjong tiles: the project's own set, and random sets like those on sale.

``draw(tile)`` is the project's set (committed in datasets/faces/art by ``python -m
hupai.datasets.faces.drawing``), ``draw(tile, style)`` any other; ``random_style(rng)`` draws a
random style, ``wide_style(rng)`` one with numerals in more shapes.
"""

from __future__ import annotations

from hupai.datasets.faces.drawing.faces import draw, title
from hupai.datasets.faces.drawing.fonts import Font, FontError
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
from hupai.datasets.faces.drawing.variety import random_style, wide_style

__all__ = [
    "BigDot", "Bird", "Dot", "FlowerFace", "Flowers", "Font", "FontError", "Index", "Palette",
    "Stick", "Style", "WhiteDragon", "draw", "random_style", "title",
    "wide_style",
]  # fmt: skip
