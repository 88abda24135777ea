"""Standing rows are laid down on the table, and nothing else is."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from hupai.scoring.tiles import Tile
from hupai.vision.geometry.placement import place
from hupai.vision.geometry.table_tiles import Ground
from hupai.vision.layout.arrange import arrange
from hupai.vision.reading.read import read
from hupai.vision.types import Detections
from tests.vision.layout.test_own_planes import HEIGHT, WIDTH, Quad, flat, seen, standing

SIZE = (WIDTH, HEIGHT)
HAND = "1s1s4s6s8s9s7p7p8p9p2m4m6m"
VIEWS = [(25, -30), (25, 0), (35, 20), (45, -15), (60, 0)]


def discards(first: float = 3.0) -> list[Quad]:
    rows = (first, first + 1.6, first + 3.2)
    return [t for y in rows for t in flat("1m 9m 3s 7p E W 2m 8s", -4, y)]


def on_table(found: Detections) -> Ground:
    return place(found, SIZE).ground


@pytest.mark.parametrize(
    ("elevation", "azimuth", "lean"),
    [(20, 10, 0.3), (25, -30, 0), (25, 0, 0.3), (35, 20, 0.3), (45, -40, 0), (60, 0, 0)],
)
def test_a_standing_row_is_laid_down_whole_and_level(
    elevation: float, azimuth: float, lean: float
) -> None:
    ground = on_table(seen(standing(HAND, lean) + discards(), elevation, azimuth))
    assert sorted(ground.ids[ground.laid_down]) == list(range(13))
    row = np.argsort(ground.ids)[:13]
    steps = np.diff(ground.places[row], axis=0)
    assert np.hypot(*steps.T) == pytest.approx(np.full(12, 1.02), abs=0.12)
    assert np.degrees(np.arctan2(*steps.T[::-1])).std() < 3
    along = math.atan2(*(ground.places[row[-1]] - ground.places[row[0]])[::-1])
    assert np.abs(np.sin(ground.axes[row] - along)) == pytest.approx(np.ones(13), abs=0.05)


@pytest.mark.parametrize(("elevation", "azimuth"), VIEWS)
def test_tiles_that_lie_stay_where_they_are(elevation: float, azimuth: float) -> None:
    tiles = flat("1m 2m 3m 5p 6p 7p 9s 9s 2s 2s _ -E E E", -4, 0) + discards()
    assert not on_table(seen(tiles, elevation, azimuth)).laid_down.any()


def test_tiles_of_the_row_without_an_axis_or_a_sure_face_are_laid_down_with_it() -> None:
    found = seen(standing(HAND, 0.0) + discards(), 25, -30)
    axes, classes = found.axes.copy(), found.probabilities.copy()
    axes[[0, 8]] = math.nan
    classes[4, Tile.from_code("7s")] = 0.4
    classes /= classes.sum(1, keepdims=True)
    ground = on_table(replace(found, axes=axes, probabilities=classes))
    assert sorted(ground.ids[ground.laid_down]) == list(range(13))


def test_the_tiles_found_do_not_depend_on_their_order() -> None:
    found = seen(standing(HAND, 0.0) + discards(), 25, -30)
    order = np.random.default_rng(3).permutation(len(found))
    ground, other = on_table(found), on_table(found.only(order))
    assert (order[other.ids] == ground.ids).all()
    assert other.places == pytest.approx(ground.places, abs=1e-6)
    assert (other.laid_down == ground.laid_down).all()


@pytest.mark.parametrize(("elevation", "azimuth"), VIEWS)
def test_the_standing_hand_is_read_before_close_discards(elevation: float, azimuth: float) -> None:
    found = seen(standing(HAND, 0.0) + discards(1.2), elevation, azimuth)
    reading = read(arrange(found, SIZE))
    assert {tile.id for tile in reading.tiles if tile.in_hand} == set(range(13))


@pytest.mark.parametrize(("elevation", "azimuth"), [(50, 0), (25, -20)])
def test_flat_sets_in_line_with_a_standing_row_may_be_melds(
    elevation: float, azimuth: float
) -> None:
    """None has a sideways tile, so that only the stance separates them from the row."""
    sets = flat("4s 5s 6s 5m 6m 7m 2p 2p 2p", 1, 0) + discards(4)
    for row, unclear in ((standing("2m5m8p4s", 0.0), True), (flat("2m 5m 8p 4s", -4, 0), False)):
        layout = arrange(seen(row + sets, elevation, azimuth), SIZE)
        reading = read(layout)
        assert [len(g.tiles) for g in reading.groups] == [13]
        assert layout.standing == (frozenset(range(4)) if unclear else frozenset())
        assert ("grouping_unclear" in {p.code for p in reading.problems}) is unclear
