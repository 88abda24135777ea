"""Readiness at the end of the wall: which tiles complete a hand, and what the best is worth (3.27,
10.4.1 b).
"""

from __future__ import annotations

import pytest

from hupai.scoring.notation import parse_hand
from hupai.scoring.sichuan.ready import readiness


@pytest.mark.parametrize(
    ("hand", "waits", "points"),
    [
        ("123456789m22p56p", "4p 7p", 1),
        ("777m99m88p [333m] [555p]", "8p 9m", 2),
        ("1133557799m22p4p", "4p", 4),
        ("9m [111m] [333m] [555p] [777p]", "9m", 4),
        ("1122445577889m", "9m", 8),
        ("1112345678999m", "1m 2m 3m 4m 5m 6m 7m 8m 9m", 8),
        ("123456789m22p58p", "", 0),
        ("111m23m456p789p55p", "1m 4m 5p", 2),
        ("1111m23m456p789p5p", "5p", 2),
    ],
)
def test_waits_and_their_best_value(hand: str, waits: str, points: int) -> None:
    found = readiness(parse_hand(hand))
    assert " ".join(sorted(wait.tile.code for wait in found.waits)) == waits
    assert found.points == points
    assert found.ready is bool(waits)


def test_the_highest_scoring_wait_comes_first() -> None:
    found = readiness(parse_hand("111m23m456p789p55p"))
    assert [(wait.tile.code, wait.points) for wait in found.waits] == [
        ("1m", 2),
        ("5p", 2),
        ("4m", 1),
    ]


def test_a_tile_of_a_third_suit_is_no_wait() -> None:
    assert not readiness(parse_hand("123456m789p23s55p")).ready


def test_four_in_the_own_hand_leave_nothing_to_wait_for() -> None:
    dead = readiness(parse_hand("4m [1111p] [222p] [333p] [555m]"))
    assert [wait.tile.code for wait in dead.waits] == ["4m"]
    assert not readiness(parse_hand("3m3m3m3m [111p] [222p] [555m]")).ready


def test_a_hand_that_holds_its_void_suit_is_not_ready() -> None:
    hand = parse_hand("123456789m22p56p")
    assert readiness(hand, "s").ready
    pig = readiness(hand, "p")
    assert (pig.ready, pig.natural_pig) == (False, True)
    assert readiness(hand, "p", partner_play=True).ready


def test_a_hand_of_the_wrong_size_is_a_problem() -> None:
    assert [p.code for p in readiness(parse_hand("123m")).problems] == ["wrong_count"]
    assert [p.code for p in readiness(parse_hand("123456789m22p56p +4p")).problems] == [
        "wrong_count"
    ]


@pytest.mark.parametrize(
    ("hand", "code"),
    [
        ("123456789m11pEE", "honour_not_used"),
        ("123456m11p78p [789m,1]", "chow_not_used"),
        ("11111m234m55p678p", "five_of_a_kind"),
        ("123456789m22p5p?", "face_down_tile"),
    ],
)
def test_a_hand_that_cannot_be_is_a_problem_and_not_a_player_who_pays(hand: str, code: str) -> None:
    """5.1.1, 8.5, 8.6: it has been misread, so whether it is ready cannot be said."""
    found = readiness(parse_hand(hand))
    assert [problem.code for problem in found.problems] == [code]
    assert not found.ready
