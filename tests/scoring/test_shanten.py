"""How many tiles a hand lacks."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from hupai.scoring.decomposition.shapes import Shape
from hupai.scoring.hand import Hand
from hupai.scoring.notation import parse_hand
from hupai.scoring.rule_sets import get
from hupai.scoring.shanten import tiles_missing
from hupai.scoring.tiles import Tile
from hupai.scoring.waits import waits

SHAPES = frozenset(Shape)


@pytest.mark.parametrize(
    ("hand", "missing"),
    [
        ("123456789m11p23s+1s", 0),
        ("123456789m11p23s", 1),
        ("123456789m1p23s4p", 2),
        ("1133557799m22p3s+3s", 0),
        ("19m19p19sESWNCFP", 1),
        ("147m258p369sESWN", 1),
        ("1m4m7m2p5p8p3s6s9s111p2p", 1),
        ("1m4m7m2p5p8p3s6s9s123pE+E", 0),
        ("1111m", 10),
    ],
)
def test_missing_tiles_are_counted(hand: str, missing: int) -> None:
    assert tiles_missing(parse_hand(hand), SHAPES, knitted=True) == missing


def test_missing_tiles_agree_with_the_waits() -> None:
    """A hand is one tile away exactly if it waits for a tile; and drawing the best tile never
    brings it more than one nearer.
    """
    chance = random.Random(5)
    wall = [Tile(i) for i in range(34) for _ in range(4)]
    ready = 0
    for number in range(60):
        if number % 2:
            hand = Hand(tuple(sorted(chance.sample(wall, 13))))
        else:  # near a win: a complete hand with one or two tiles exchanged
            tiles = list(
                parse_hand(
                    chance.choice(
                        [
                            "123456789m11p234s",
                            "1133557799m2233p",
                            "111333555m99pEEE",
                            "123m456p789s22sCCC",
                        ]
                    )
                ).concealed
            )
            chance.shuffle(tiles)
            hand = Hand((*tiles[chance.choice([1, 2]) :],))
            hand = replace(
                hand, concealed=(*hand.concealed, *chance.sample(wall, 13 - len(hand.concealed)))
            )
        if max(map(hand.concealed.count, hand.concealed)) > 4:
            continue
        waiting = bool(waits(hand, get("mcr-1998")).waits)
        ready += waiting
        assert (tiles_missing(hand, SHAPES, knitted=True) == 1) is waiting, hand
    assert ready > 5
