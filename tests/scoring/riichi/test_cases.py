"""Hands worked out by hand from the tables of fu and points, under each profile."""

from __future__ import annotations

from pathlib import Path

import pytest

from hupai.scoring.conformance import CaseResult, run_lines
from hupai.scoring.hand import Circumstances, Hand
from hupai.scoring.riichi.evaluation import cost_of
from hupai.scoring.riichi.profiles import EMA
from hupai.scoring.riichi.reading import Win
from hupai.scoring.tiles import Tile

CASES = Path(__file__).with_name("cases.jsonl").read_text("utf-8").splitlines()


@pytest.mark.parametrize("result", list(run_lines(CASES)), ids=lambda result: result.id)
def test_each_case_of_the_file(result: CaseResult) -> None:
    assert result.passed, "\n".join(result.lines())


# The tables of points as every rule text prints them: fu, then 1, 2, 3, 4 han; 0 where none exists.
RON = """
25     0  1600  3200  6400
30  1000  2000  3900  7700
40  1300  2600  5200  8000
50  1600  3200  6400  8000
60  2000  3900  7700  8000
70  2300  4500  8000  8000
80  2600  5200  8000  8000
90  2900  5800  8000  8000
100 3200  6400  8000  8000
110 3600  7100  8000  8000
"""
DEALER_RON = """
25     0  2400  4800  9600
30  1500  2900  5800 11600
40  2000  3900  7700 12000
50  2400  4800  9600 12000
60  2900  5800 11600 12000
70  3400  6800 12000 12000
80  3900  7700 12000 12000
90  4400  8700 12000 12000
100 4800  9600 12000 12000
110 5300 10600 12000 12000
"""
TSUMO_OTHERS = """
20     0   400   700  1300
25     0     0   800  1600
30   300   500  1000  2000
40   400   700  1300  2000
50   400   800  1600  2000
60   500  1000  2000  2000
70   600  1200  2000  2000
80   700  1300  2000  2000
90   800  1500  2000  2000
100  800  1600  2000  2000
110  900  1800  2000  2000
"""
TSUMO_DEALER = """
20     0   700  1300  2600
25     0     0  1600  3200
30   500  1000  2000  3900
40   700  1300  2600  4000
50   800  1600  3200  4000
60  1000  2000  3900  4000
70  1200  2300  4000  4000
80  1300  2600  4000  4000
90  1500  2900  4000  4000
100 1600  3200  4000  4000
110 1800  3600  4000  4000
"""
LIMITS = ((5, 2000), (6, 3000), (7, 3000), (8, 4000), (10, 4000), (11, 6000), (12, 6000))


def rows(table: str) -> list[tuple[int, int, int]]:
    """Each entry of a table as (fu, han, points)."""
    lines = [list(map(int, line.split())) for line in table.split("\n") if line]
    return [
        (fu, han, points) for fu, *all_ in lines for han, points in enumerate(all_, 1) if points
    ]


def cost(han: int, fu: int, dealer: bool, drawn: bool) -> tuple[int, int]:
    seat = Tile.EAST if dealer else Tile.SOUTH
    circumstances = Circumstances(self_drawn=drawn, seat_wind=seat)
    found = cost_of(Win(Hand(()), circumstances, EMA.options), han, fu, is_yakuman=False)
    return found.main, found.additional


def test_the_tables_of_points() -> None:
    for fu, han, points in rows(RON):
        assert cost(han, fu, dealer=False, drawn=False) == (points, 0)
    for fu, han, points in rows(DEALER_RON):
        assert cost(han, fu, dealer=True, drawn=False) == (points, 0)
    others = {(fu, han): points for fu, han, points in rows(TSUMO_OTHERS)}
    for fu, han, points in rows(TSUMO_DEALER):
        assert cost(han, fu, dealer=False, drawn=True) == (points, others[fu, han])
        assert cost(han, fu, dealer=True, drawn=True) == (points, points)


@pytest.mark.parametrize(("han", "base"), LIMITS)
def test_the_limits(han: int, base: int) -> None:
    assert cost(han, 30, dealer=False, drawn=False) == (4 * base, 0)
    assert cost(han, 30, dealer=True, drawn=False) == (6 * base, 0)
    assert cost(han, 30, dealer=False, drawn=True) == (2 * base, base)
