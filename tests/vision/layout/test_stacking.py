"""The fourth tile of a kong lies upon the middle one of the other three, which it hides."""

from __future__ import annotations

import numpy as np
import pytest

from hupai.vision.geometry.placement import place
from hupai.vision.geometry.stacked_tiles import LEAST_RISE, stacked_log_odds
from hupai.vision.layout.arrange import arrange
from hupai.vision.reading.read import read
from hupai.vision.types import Reading
from tests.vision.layout.test_own_planes import (
    HEIGHT,
    LENGTH,
    THICK,
    WIDTH,
    Quad,
    flat,
    groups,
    seen,
)

ROW = "1m 2m 3m 4m 5m 6m 7p 8p 9p 2s 2s"


def pictured(melds: str, raised: int | None, elevation: float, azimuth: float = 0.0) -> Reading:
    """Read a hand whose melds lie at its right; the tile `raised` of them lies upon another."""
    tiles: list[Quad] = flat(melds, 8.5, 0.0)
    if raised is not None:
        quad, face = tiles[raised]
        tiles[raised] = (quad + np.array([0.0, 0.0, THICK]), face)
    found = seen([*flat(ROW, -4.0, 0.0), *tiles], elevation, azimuth)
    return read(arrange(found, (WIDTH, HEIGHT)))


def kinds(reading: Reading) -> set[str]:
    return {kind for kind, _ in groups(reading)} - {"concealed"}


@pytest.mark.parametrize("elevation", [35, 50, 65])
@pytest.mark.parametrize("azimuth", [-20, 25])
def test_a_tile_upon_the_middle_one_of_three_makes_a_kong(elevation: int, azimuth: int) -> None:
    reading = pictured("E E E", 1, elevation, azimuth)
    assert kinds(reading) == {"added_kong"}
    assert reading.hands[0].hand.melds[0].tiles == (reading.hands[0].hand.melds[0].tiles[0],) * 4
    assert "kong_tile_unseen" in {one.code for one in reading.problems}
    assert not reading.certain
    assert {len(hand.hand.melds) for hand in reading.hands} == {0, 1}, "it may be a mere pung"


def test_it_may_lie_upon_a_sideways_tile() -> None:
    reading = pictured("E -E E", 1, 40)
    assert kinds(reading) == {"added_kong"}
    assert reading.hands[0].hand.melds[0].claimed_from is not None


@pytest.mark.parametrize(
    ("melds", "raised", "elevation"),
    [
        ("E E E", None, 40),
        ("E -E E", None, 40),
        ("E E -E", None, 40),
        ("E E E", 1, 88),  # from above nothing shows it
        ("1s 2s 3s", 1, 40),
        ("E E E", 0, 40),
    ],
)
def test_other_sets_are_no_kongs(melds: str, raised: int | None, elevation: int) -> None:
    assert kinds(pictured(melds, raised, elevation)) <= {"pung", "chow", "winning_tile"}


@pytest.mark.parametrize(
    ("melds", "raised", "stacked"),
    [("? E ?", 1, True), ("E E E", 1, True), ("? ? E ? ?", 2, False), ("? E ? ?", 1, False)],
)
def test_a_tile_upon_a_wall_is_not_stacked_on_a_kong(
    melds: str, raised: int, stacked: bool
) -> None:
    tiles = flat(melds, 8.5, 0.0)
    quad, face = tiles[raised]
    tiles[raised] = (quad + np.array([0.0, 0.0, THICK]), face)
    found = seen([*flat(ROW, -4.0, 0.0), *tiles], 50, -20)
    assert place(found, (WIDTH, HEIGHT)).ground.rises.any() == stacked


def test_the_higher_a_tile_the_likelier_it_is_stacked() -> None:
    odds = [stacked_log_odds(rise) for rise in (LEAST_RISE, 0.15, 0.2, 0.4)]
    assert odds == sorted(odds)
    assert odds[0] < 0 < odds[-1]


@pytest.mark.parametrize("left", [8.5, 9.1, 10.2])
@pytest.mark.parametrize("face", ["E", "S"])
def test_a_sideways_tile_beyond_a_pung_without_one_is_added_to_it(left: float, face: str) -> None:
    beyond = flat(f"-{face}", left, LENGTH + 0.02)
    tiles = [*flat(ROW, -4.0, 0.0), *flat("E E E", 8.5, 0.0), *beyond]
    reading = read(arrange(seen(tiles, 50, 0.0), (WIDTH, HEIGHT)))
    assert ("added_kong" in kinds(reading)) == (face == "E")
