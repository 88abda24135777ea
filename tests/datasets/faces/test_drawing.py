"""The drawing program: the committed faces are what it draws, and its styles differ."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

pytest.importorskip("fontTools", reason="fontTools is not installed: pip install .[dev]")

from hupai.datasets.faces import svg
from hupai.datasets.faces.drawing import (
    BigDot,
    Bird,
    Dot,
    FlowerFace,
    Flowers,
    FontError,
    Index,
    Stick,
    Style,
    WhiteDragon,
    draw,
    fonts,
    random_style,
    wide_style,
)
from hupai.datasets.faces.drawing.__main__ import contact_sheet
from hupai.datasets.faces.raster import rasterise
from hupai.scoring.tiles import FLOWERS, Tile


@pytest.fixture(scope="module")
def house() -> Style:
    try:
        return Style()
    except FontError as error:
        pytest.skip(f"the font of the project's faces is not installed: {error}")


def ink(tile: Tile, style: Style) -> np.ndarray:
    """Where there is paint, shape (120, 90), 0 to 1."""
    return rasterise(draw(tile, style), 120)[..., 3].astype(np.float32) / 255


def red(tile: Tile, style: Style) -> np.ndarray:
    """Where the paint is red, shape (120, 90)."""
    pixels = rasterise(draw(tile, style), 120).astype(int)
    return (
        (pixels[..., 3] > 200)
        & (pixels[..., 0] > pixels[..., 1] + 60)
        & (pixels[..., 0] > pixels[..., 2] + 60)
    )


def test_the_committed_faces_are_what_the_program_draws(house: Style) -> None:
    for tile in Tile:
        assert draw(tile, house) == svg.face_svg(tile), (
            f"{tile}: run python -m hupai.datasets.faces.drawing"
        )


@pytest.mark.nightly
@pytest.mark.parametrize(
    "draw_style", [pytest.param(random_style, marks=pytest.mark.nightly), wide_style]
)
def test_a_seed_decides_the_style_and_styles_differ(
    draw_style: Callable[[np.random.Generator], Style],
) -> None:
    try:
        styles = [draw_style(np.random.default_rng(seed)) for seed in (1, 1, 2)]
    except FontError as error:
        pytest.skip(f"no Chinese font is installed: {error}")
    assert styles[0] == styles[1]
    assert styles[0] != styles[2]


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("draw_style", [random_style, wide_style])
def test_every_face_of_a_random_style_is_well_formed_and_has_ink(
    draw_style: Callable[[np.random.Generator], Style], seed: int
) -> None:
    try:
        style = draw_style(np.random.default_rng(seed))
        fonts.house_font()  # what other fonts lack is drawn in it
    except FontError as error:
        pytest.skip(f"no Chinese font is installed that has all faces: {error}")
    for tile in Tile:
        ElementTree.fromstring(draw(tile, style))
        if not (tile is Tile.WHITE and style.white is WhiteDragon.BLANK):
            assert ink(tile, style).mean() > 0.01, tile


def variants(house: Style) -> Iterator[tuple[Tile, list[Style]]]:
    yield Tile.P5, [replace(house, dot=dot) for dot in Dot]
    yield Tile.P1, [replace(house, big_dot=dot) for dot in BigDot]
    yield Tile.S4, [replace(house, stick=stick) for stick in Stick]
    yield Tile.S8, [replace(house, eight_w_first=first) for first in (False, True)]
    yield (
        Tile.S1,
        [
            replace(house, bird=bird, mirrored_bird=turned)
            for bird in Bird
            for turned in (False, True)
        ],
    )
    yield Tile.WHITE, [replace(house, white=white) for white in WhiteDragon]
    yield (
        Tile.M5,
        [
            replace(house, formal_five=five, simplified_wan=wan)
            for five in (False, True)
            for wan in (False, True)
        ],
    )
    yield (
        Tile.EAST,
        [
            replace(house, simplified_east=simple, index=index)
            for simple in (False, True)
            for index in (Index.NONE, Index.LEFT, Index.RIGHT)
        ],
    )
    yield (
        Tile.ORCHID,
        [
            replace(house, flowers=kind, digit_right=right)
            for kind in Flowers
            for right in (False, True)
        ],
    )


def test_designs_look_different(house: Style) -> None:
    for tile, styles in variants(house):
        drawn = [ink(tile, style) for style in styles]
        for i, first in enumerate(drawn):
            for other in drawn[:i]:
                assert np.abs(first - other).mean() > 0.005, tile


def test_a_blank_white_dragon_has_no_ink(house: Style) -> None:
    assert ink(Tile.WHITE, replace(house, white=WhiteDragon.BLANK)).max() == 0
    assert ink(Tile.WHITE, house).max() == 1


def test_the_red_of_a_rank_lies_where_chinese_sets_have_it(house: Style) -> None:
    assert red(Tile.S5, house)[50:70, 35:55].any(), "the middle stick of the five is red"
    assert red(Tile.S7, house)[:35].any()
    assert not red(Tile.S7, house)[50:].any(), "only the top stick of the seven is red"
    assert red(Tile.P7, house)[65:].any()
    assert not red(Tile.P7, house)[:45].any(), "the slanting three of the seven are not red"
    assert not red(Tile.P8, house).any()
    assert red(Tile.M3, house)[55:].any(), "萬 is red"
    assert not red(Tile.M3, house)[:45].any(), "the numeral is not"


def test_digits_on_plants_follow_the_order_of_the_style(house: Style) -> None:
    swapped = replace(house, plant_order=(1, 2, 4, 3))
    changed = [tile for tile in FLOWERS if draw(tile, swapped) != draw(tile, house)]
    assert changed == [Tile.BAMBOO_PLANT, Tile.CHRYSANTHEMUM]


def test_a_flower_keeps_its_text_whatever_drawing_it_has(house: Style) -> None:
    swapped = replace(house, flower_pictures=(1, 0, 2, 3, 4, 5, 6, 7))
    text, drawing = slice(0, 33), slice(36, None)
    spring, other = (ink(Tile.SPRING, style) for style in (house, swapped))
    assert np.array_equal(spring[text], other[text])
    assert np.array_equal(other[drawing], ink(Tile.SUMMER, house)[drawing])
    assert np.abs(spring[drawing] - other[drawing]).mean() > 0.02


def test_the_text_of_a_flower_stands_below_where_the_style_says_so(house: Style) -> None:
    below = replace(house, flower_text_below=True)
    for tile in FLOWERS:
        above, moved = (rasterise(draw(tile, style), 400)[..., 3] / 255 for style in (house, below))
        assert np.abs(moved[290:370] - above[34:114]).mean() < 0.02, tile


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(6))
def test_wide_styles_tell_flowers_by_their_characters_alone(seed: int) -> None:
    try:
        style = wide_style(np.random.default_rng(seed))
    except FontError as error:
        pytest.skip(f"no Chinese font is installed: {error}")
    assert style.flower_character
    assert sorted(style.flower_pictures) == list(range(8))
    assert sorted(style.plant_order) == [1, 2, 3, 4]


def test_mirroring_turns_the_bird_round(house: Style) -> None:
    turned = ink(Tile.S1, replace(house, mirrored_bird=True))
    assert np.abs(turned[:, ::-1] - ink(Tile.S1, house)).mean() < 0.01


def test_the_contact_sheet_holds_every_face(house: Style) -> None:
    sheet = contact_sheet(house, 40)
    assert sheet.shape == (4 * 48, 11 * 38, 3)
    assert sheet.dtype == np.uint8


def test_without_the_house_font_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fonts, "installed", lambda language="zh": ())
    fonts.house_font.cache_clear()
    with pytest.raises(FontError, match="install fonts-lxgw-wenkai"):
        Style()
    fonts.house_font.cache_clear()


def test_a_machine_without_fontconfig_has_no_fonts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    fonts.installed.cache_clear()
    assert fonts.installed() == ()
    fonts.installed.cache_clear()


@pytest.mark.parametrize("rank", range(1, 10))
def test_composed_circles_and_sticks_are_well_formed_and_differ(house: Style, rank: int) -> None:
    for suit in (Tile.P1, Tile.S1):
        tile, pictures = Tile(suit + rank - 1), []
        for seed in range(4):
            ElementTree.fromstring(draw(tile, replace(house, suits=seed, composed=seed)))
            pictures.append(ink(tile, replace(house, suits=seed, composed=seed)))
        assert all(0.01 < picture.mean() < 0.6 for picture in pictures)
        assert np.abs(pictures[0] - pictures[1]).mean() > 0.005, "designs differ"


def test_an_index_may_be_repeated_and_lie_between_circles(house: Style) -> None:
    left = replace(house, index=Index.LEFT)
    twice = ink(Tile.P4, replace(left, second_index=True))
    assert np.abs(twice[::-1, ::-1][:20, :20] - twice[:20, :20]).mean() < 0.02
    inside = ink(Tile.P4, replace(left, index=Index.INSIDE))
    assert inside[45:75, 33:57].mean() > ink(Tile.P4, left)[45:75, 33:57].mean() + 0.05
    assert (ink(Tile.P5, replace(left, index=Index.INSIDE)) == ink(Tile.P5, left)).all()


def test_numerals_may_be_slanted(house: Style) -> None:
    straight, slanted = (ink(Tile.M3, replace(house, slant=by)) for by in ((0, 0), (8.0, -8.0)))
    assert np.abs(straight[:54] - slanted[:54]).mean() > 0.01
    assert np.abs(straight[60:] - slanted[60:]).mean() < 0.01


def test_numerals_may_fill_their_place_and_the_character_below_may_be_moved(house: Style) -> None:
    def rows(tile: Tile, style: Style) -> np.ndarray:
        seen = ink(tile, style)
        return np.nonzero(seen.max(1) > 0.5)[0] * 400 / len(seen)

    placed = replace(house, weight=0, numeral_em=150.0, numeral_y=110.0, wan_y=300.0)
    style = replace(placed, numeral_fitted=True)
    for tile in (Tile.M2, Tile.M3, Tile.M7):
        upper = rows(tile, style)[rows(tile, style) < 195]
        assert upper.min() == pytest.approx(35, abs=6), "from the top of its place"
        assert upper.max() == pytest.approx(185, abs=6), "to its bottom"
        lower = [rows(tile, one).max() for one in (replace(style, wan_y=280.0), style)]
        assert lower[1] - lower[0] == pytest.approx(20, abs=4)
    assert rows(Tile.M2, placed).min() > 45, "the bars of 二 do not fill the place by themselves"


def test_a_flower_may_be_a_large_character_alone(house: Style) -> None:
    alone = replace(house, flower_face=FlowerFace.CHARACTER, flower_digit=False)
    for tile in FLOWERS:
        rows, columns = np.nonzero(ink(tile, alone) > 0.5)
        assert np.ptp(rows) > 45, "as large as the character of a wind"
        assert abs(columns.mean() - 45) < 10
        assert abs(rows.mean() - 60) < 12
    digit = replace(alone, flower_digit=True, digit_right=False)
    assert ink(Tile.SUMMER, digit)[:24, :20].sum() > 10 > ink(Tile.SUMMER, alone)[:24, :20].sum()
    assert red(Tile.SPRING, alone).any() != red(Tile.PLUM, alone).any(), "one of the two is red"


@pytest.mark.parametrize("tile", FLOWERS)
def test_emblems_of_flowers_lie_on_the_face_and_differ(house: Style, tile: Tile) -> None:
    plain = replace(
        house, flower_face=FlowerFace.EMBLEM, flower_character=False, flower_digit=False
    )
    pictures = [ink(tile, replace(plain, composed=seed)) for seed in range(6)]
    for picture in pictures:
        rows, columns = np.nonzero(picture > 0.5)
        assert 0.01 < picture.mean() < 0.5
        assert rows.min() > 20, "below the character and the number"
        assert 15 < columns.mean() < 75
    assert np.abs(np.diff(pictures, axis=0)).mean((1, 2)).min() > 0.005, "emblems differ"


def test_a_white_dragon_may_be_a_letter(house: Style) -> None:
    one, other = (
        ink(Tile.WHITE, replace(house, white=WhiteDragon.LETTER, white_letter=letter))
        for letter in "PB"
    )
    assert one[60:100].sum() < 0.7 * one[20:60].sum(), "a P has its bow above"
    assert np.abs(one - other).mean() > 0.01
