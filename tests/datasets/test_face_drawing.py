"""The drawing program: the committed faces are what it draws, and its styles differ."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("fontTools", reason="fontTools is not installed: pip install .[dev]")

from datasets import art
from datasets.face_drawing import FontError, Style, WhiteDragon, draw, random_style
from datasets.raster import rasterise
from scoring.tiles import Tile


def house_style() -> Style:
    try:
        return Style()
    except FontError as error:
        pytest.skip(f"the font of the project's faces is not installed: {error}")


def test_the_committed_faces_are_what_the_program_draws() -> None:
    style = house_style()
    for tile in Tile:
        assert draw(tile, style) == art.face_svg(tile), f"{tile}: run python -m datasets.face_drawing"


def test_a_seed_decides_the_style_and_styles_differ() -> None:
    try:
        styles = [random_style(np.random.default_rng(seed)) for seed in (1, 1, 2)]
    except FontError as error:
        pytest.skip(f"no Chinese font is installed: {error}")
    assert styles[0] == styles[1]
    assert styles[0] != styles[2]


def test_a_blank_white_dragon_has_no_ink() -> None:
    style = house_style()
    blank = Style(font=style.font, white=WhiteDragon.BLANK)
    assert rasterise(draw(Tile.WHITE, blank), 100)[..., 3].max() == 0
    assert rasterise(draw(Tile.WHITE, style), 100)[..., 3].max() == 255
