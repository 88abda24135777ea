"""Rare materials of tile sets, drawn only where they are asked for."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from hupai.datasets.synthetic.designs import Design, DesignBank
from hupai.datasets.synthetic.generate import render_random
from hupai.datasets.synthetic.scene import PlacedTile, Proportions, Rendered
from hupai.datasets.synthetic.tables.render import render_table
from hupai.datasets.synthetic.tables.rows import render_rows
from hupai.datasets.synthetic.tables.sets import TileSet, in_black, random_set
from hupai.scoring.tiles import Tile

RARE = {"marble", "tinted", "two-tone"}
Render = Callable[..., Rendered]
CLOTH = (20.0, 90.0, 60.0)


class PlainBank(DesignBank):
    """Tile sets without ink, which are quick."""

    def __init__(self) -> None:
        super().__init__([])

    def pick(self, rng: np.random.Generator) -> Design:
        shape = Proportions()
        return Design("plain", lambda tile: None, (250, 250, 250), (0, 120, 60), 0.4, shape, 0.1)


def sets(rare: bool, count: int = 150) -> list[TileSet]:
    return [
        random_set(np.random.default_rng(seed), PlainBank(), CLOTH, 0.0, rare)
        for seed in range(count)
    ]


def back(dress: TileSet) -> np.ndarray:
    quad = np.array([[0.0, 0.0], [90.0, 0.0], [90.0, 120.0], [0.0, 120.0]])
    tile = PlacedTile(Tile.M1, 0, 0, face_down=True)
    return dress.side(tile, False, quad)[..., :3].astype(float)


def test_rare_materials_are_drawn_where_they_are_asked_for_only() -> None:
    assert {dress.back_kind for dress in sets(rare=True)} >= RARE
    assert not RARE & {dress.back_kind for dress in sets(rare=False)}


@pytest.mark.nightly
def test_backs_of_rare_materials_have_a_second_colour_and_plain_ones_do_not() -> None:
    spread: dict[str, list[float]] = {}
    for dress in sets(rare=True):
        middle = back(dress)[12:-12, 12:-12]
        spread.setdefault(dress.back_kind, []).append(float(np.ptp(middle.mean(2))))
    plain = np.median(spread["plain"])
    for kind in RARE:
        assert np.median(spread[kind]) > 2 * plain, kind


def test_all_backs_of_a_set_carry_the_same_veins() -> None:
    dress = next(d for d in sets(rare=True) if d.back_kind == "marble")
    dress.rows = 192
    first = back(dress)
    dress._ready.clear()
    dress._whole.clear()
    np.testing.assert_array_equal(back(dress), first)


def render_hands(
    seed: int, index: int, bank: DesignBank, side: int, black: float, rare: bool
) -> Rendered:
    """A revealed hand, rendered as the pictures of rare sets are."""
    return render_random(seed, index, bank, side, hands=True, black=black)


@pytest.mark.parametrize(
    "picture",
    [
        pytest.param(render_table, marks=pytest.mark.nightly),
        render_rows,
        pytest.param(render_hands, marks=pytest.mark.nightly),
    ],
)
def test_black_sets_are_rendered_where_they_are_asked_for(picture: Render) -> None:
    def light(black: float) -> float:
        found = []
        for index in range(4):
            seen = picture(7, index, PlainBank(), 480, black=black, rare=True)
            for tile in seen.tiles:
                if tile.shown is not Tile.BACK and tile.visible > 0.9:
                    x, y = tile.quad.mean(0).astype(int)
                    found.append(float(seen.image[y, x].mean()))
        return float(np.median(found))

    assert light(1.0) < 0.6 * light(0.0)


@pytest.mark.parametrize(("opaque", "black"), [(False, True), (True, False)])
def test_photographed_faces_keep_their_body(*, opaque: bool, black: bool) -> None:
    art = np.full((8, 6, 4), 255 if opaque else 0, np.uint8)
    light = Design("faces", lambda tile: art, (250, 250, 250), (0, 120, 60), 0.4, Proportions(), 0)
    changed = in_black(light, np.random.default_rng(1))
    assert (max(changed.body) < 70) == black
    assert (changed is light) != black
