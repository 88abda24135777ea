"""Hands that are obvious to people but that earlier versions refused, drawn as laid out."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from hupai.scoring.tiles import Tile
from hupai.vision.conventions import GENERAL
from hupai.vision.layout import arrange as layout_module
from hupai.vision.layout.arrange import arrange
from hupai.vision.reading import read as reading_module
from hupai.vision.reading.read import read
from hupai.vision.types import Reading
from tests.vision.layout.test_layouts import codes
from tests.vision.pictures import HEIGHT, WIDTH, Placed, detections, table, turned

WALL = "?" * 18
POND = "3m9sEC1p5s\n8m2sN7p4p6m\n1sW9p5m2mC"
REFUSED = {"no_hand", "too_many_tiles_on_photo", "no_tiles"}

CASES = [
    (
        "a rack in three groups",
        f"{WALL}\n~\n{POND}\n~\n~\n",
        "1m2m3m4m _ _ _ 5p6p7p8p _ _ _ 2s3s4sEEE",
    ),
    ("a row before a wall of two layers", f"{WALL}\n{WALL}\n~\n~\n", "1m2m3m5m6m7m4p5p6p7s8sNN"),
    ("two pairs beside three melds", f"{POND}\n~\n~\n~\n", "4s4sEE _ _ 1m2m3m _ 5p6p7p _ 8s8s8s"),
    (
        "loose groups before a pond",
        f"{WALL}\n~\n{POND}\n~\n~\n",
        "1m2m3m _ _ 5p6p7p _ _ 8s8s8s _ _ EE _ _ NN",
    ),
]


def hand_of(reading: Reading) -> list[Tile]:
    return sorted(tile.tile for tile in reading.tiles if tile.in_hand)


def on_photo(tiles: list[Placed]) -> Reading:
    size = (
        round(max(t.x for t in tiles) + 3 * WIDTH),
        round(max(t.y for t in tiles) + 2 * HEIGHT),
    )
    return read(arrange(detections(tiles), size))


@pytest.mark.parametrize(
    ("around", "hand"),
    [case[1:] for case in CASES],
    ids=[case[0].replace(" ", "-") for case in CASES],
)
def test_the_hand_is_found_among_other_tiles(around: str, hand: str) -> None:
    reading = on_photo(table(around + hand))
    assert hand_of(reading) == sorted(t.tile for t in table(hand))
    assert not codes(reading) & REFUSED


def test_a_row_of_seventeen_is_seventeen_tiles() -> None:
    row = "1m2m3m4m5m6m7m2p3p4p5p6p7p3s4s5s9s"
    reading = on_photo(table(row))
    assert hand_of(reading) == sorted(t.tile for t in table(row))
    assert codes(reading) & {"too_many_tiles", "no_legal_hand"}
    assert not reading.certain


@pytest.mark.parametrize(
    "hand",
    [
        "1m2m3m4p5p6p7s8s9sEEESSSPP",
        "1m2m3m4p5p6p7s8s9sEEESSSP",
        "1m2m3m4p5p6p7s8s9sPP _ -EEE _ SS-S",
    ],
    ids=["17 tiles", "16 tiles", "two melds"],
)
def test_a_hand_of_the_sixteen_tile_game_is_found_among_discards(
    hand: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sixteen = replace(GENERAL, hand_size=16)
    for module in (layout_module, reading_module):
        monkeypatch.setattr(module, "convention", lambda _: sixteen)
    reading = on_photo(table(f"{POND}\n~\n~\n~\n{hand}"))
    tiles = sorted(t.tile for t in table(hand))
    assert hand_of(reading) == tiles
    assert sorted(reading.hands[0].hand.all_tiles) == tiles
    assert len(reading.hands[0].hand.melds) == hand.count("-")
    assert not codes(reading) & (REFUSED | {"too_many_tiles", "too_few_tiles", "no_legal_hand"})


def test_the_keys_of_a_keyboard_behind_the_row_are_no_tiles_of_the_hand() -> None:
    hand = table("~\n" * 16 + "1m2m3m5m6m7m4p5p6p7s8sNN")
    rng = np.random.default_rng(5)
    keys = [
        Placed(
            (0.4 + 0.85 * k) * WIDTH,
            (0.6 + 0.6 * line) * HEIGHT,
            math.pi / 2,
            Tile(int(rng.choice([Tile.WHITE, Tile.P1, Tile.S1, Tile.EAST]))),
            score=float(rng.uniform(0.3, 0.55)),
            scale=0.7,
        )
        for line in range(4)
        for k in range(12)
    ]
    reading = on_photo([*keys, *[replace(t) for t in hand]])
    assert hand_of(reading) == sorted(t.tile for t in hand)


def test_a_steep_row_with_too_few_tiles_but_flowers_is_shown() -> None:
    """Fourteen tiles alone on the cloth are a hand that somebody shows, legal or not."""
    row = turned(table("1m5m8m1s4s7s8sCF1h2h3h4h8h"), math.radians(-63))
    reading = read(arrange(detections(row), (1200, 1200)))
    assert sum(tile.in_hand for tile in reading.tiles) == 14
    assert "too_few_tiles" in codes(reading)
    assert not reading.certain


HEAP = "loose 3m E 5p 9s C 1m 2p 8s N 4m 6p 7s P 2s 3s 1p 7m S 9m"


@pytest.mark.parametrize("picture", [f"{HEAP} 6s 2m 8p 4m F", f"{WALL}\n~\n~\n{HEAP}"])
def test_where_thirteen_tiles_can_be_a_hand_they_are_shown_as_a_doubtful_one(picture: str) -> None:
    reading = on_photo(table(picture))
    assert "hand_unclear" in codes(reading)
    assert not codes(reading) & REFUSED
    assert reading.hands
    assert not reading.certain


def test_tiles_of_a_wall_are_no_concealed_tiles() -> None:
    """Thirteen tiles of which one lies face down by itself are no hand; the row before them is."""
    hand = "1m2m3m5m6m7m4p5p6p7s8sNN"
    reading = on_photo(table(f"{WALL}\n~\n{POND}\n~\n~\n~\n{hand}"))
    assert hand_of(reading) == sorted(t.tile for t in table(hand))
    assert "hand_unclear" not in codes(reading)
