"""Planes for tiles that do not lie in that of the others."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hupai.vision.geometry.own_plane import mean_misfit, on_own_planes
from hupai.vision.geometry.table_tiles import Ground, ground_of, without
from tests.vision.layout.test_own_planes import HEIGHT, WIDTH, flat, seen, standing

ROW = "1m2m3m5p6p7p9s9s"


def melds_on_the_plane_of_the_row(melds: str, elevation: float) -> Ground:
    """The melds before a standing row, on the plane that this row has alone."""
    row = standing(ROW, 0.0)
    found = seen(row + flat(melds, -3.0, -2.2), elevation, 0.0)
    alone = ground_of(found.only(np.arange(len(row))), (WIDTH, HEIGHT))
    both = ground_of(found, (WIDTH, HEIGHT), known=alone.plane)
    return without(both, frozenset(range(len(row))))


@pytest.mark.parametrize("elevation", [25.0, 33.0])
@pytest.mark.parametrize("melds", ["2s 3s 4s", "-2s 3s 4s", "2s 3s 4s 6m 7m 8m"])
def test_melds_before_a_standing_row_get_the_plane_of_the_table(
    melds: str, elevation: float
) -> None:
    ground = melds_on_the_plane_of_the_row(melds, elevation)
    own = next(iter(on_own_planes(ground)))
    assert math.degrees(own.plane.slant) == pytest.approx(90 - elevation, abs=12)
    assert mean_misfit(own) < 1.0 < mean_misfit(ground)


def test_tiles_that_lie_in_the_plane_keep_it() -> None:
    found = seen(standing("1m2m3m5p6p7p9s9s", 0.0), 40.0, 0.0)
    ground = ground_of(found, (WIDTH, HEIGHT))
    three = without(ground, frozenset(range(3, 8)))
    assert not list(on_own_planes(three))


def test_backs_alone_keep_the_plane() -> None:
    ground = melds_on_the_plane_of_the_row("? ? ?", 35.0)
    assert mean_misfit(ground) == 0.0
    assert not list(on_own_planes(ground))
