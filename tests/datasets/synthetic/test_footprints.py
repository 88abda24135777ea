"""Tiles as rectangles, and hands that could lie on a table."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hupai.datasets.synthetic.layout.compose import lay_hand, random_hand, random_hand_style
from hupai.datasets.synthetic.layout.footprints import clearance, off_square, overlaps
from hupai.datasets.synthetic.layout.surroundings import FLOWERS_APART, SQUARE, surroundings
from hupai.datasets.synthetic.scene import PlacedTile, Proportions
from hupai.scoring.tiles import Tile

P = Proportions()
HERE = PlacedTile(Tile.M1, 0.0, 0.0)


def test_neighbours_touch_and_do_not_overlap() -> None:
    assert not overlaps(HERE, PlacedTile(Tile.M1, 1.0, 0.0), P)
    assert overlaps(HERE, PlacedTile(Tile.M1, 0.9, 0.0), P)
    assert not overlaps(HERE, PlacedTile(Tile.M1, (1 + P.height) / 2, 0.0, angle=math.pi / 2), P)
    assert overlaps(HERE, PlacedTile(Tile.M1, 1.0, 0.0, angle=math.pi / 2), P)


def test_clearance_is_the_shortest_way() -> None:
    assert clearance(HERE, PlacedTile(Tile.M1, 1.5, 0.0), P) == pytest.approx(0.5)
    assert clearance(HERE, PlacedTile(Tile.M1, 1.3, P.height + 0.4), P) == pytest.approx(0.5)
    assert clearance(HERE, PlacedTile(Tile.M1, 0.2, 0.0), P) == 0.0


def test_square_is_parallel_or_across() -> None:
    assert off_square(HERE, PlacedTile(Tile.M1, 3, 0, angle=math.pi / 2 + 0.1)) == pytest.approx(
        0.1
    )
    assert off_square(HERE, PlacedTile(Tile.M1, 3, 0, angle=math.pi / 4)) == pytest.approx(
        math.pi / 4
    )


@pytest.mark.nightly
def test_no_tile_of_a_laid_hand_lies_on_another() -> None:
    for seed in range(150):
        rng = np.random.default_rng(seed)
        tiles = lay_hand(random_hand(rng), random_hand_style(rng), rng, P)
        for i, a in enumerate(tiles):
            assert not any(overlaps(a, b, P) for b in tiles[i + 1 :]), seed


@pytest.mark.nightly
def test_strange_flowers_cannot_be_taken_for_those_of_the_hand() -> None:
    for seed in range(40):
        rng = np.random.default_rng(seed)
        hand = lay_hand(random_hand(rng), random_hand_style(rng), rng, P)
        for tile in surroundings(rng, hand, P):
            if tile.face.is_flower and not tile.face_down:
                assert all(
                    off_square(tile, own) >= SQUARE or clearance(tile, own, P) >= FLOWERS_APART
                    for own in hand
                )
