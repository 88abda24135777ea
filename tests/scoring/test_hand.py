"""Hands and circumstances as values: what they accept, and their one line of text."""

from __future__ import annotations

from typing import Any

import pytest

from hupai.scoring.compare import compare
from hupai.scoring.errors import HupaiError
from hupai.scoring.hand import CircumstanceError, Circumstances, Hand, with_winning_tile
from hupai.scoring.notation import format_hand, parse_hand
from hupai.scoring.rule_sets import get
from hupai.scoring.tiles import Tile, suit_named, wind_named
from hupai.scoring.waits import waits

WRITTEN = "23m55pEEE [567m,1] [1111p+,2] (9999s) 1h +1m"


@pytest.mark.parametrize("word", ["E", "e", "East", " east ", "东", "東", Tile.EAST])
def test_a_wind_may_be_given_as_a_word(word: Any) -> None:
    won = Circumstances(seat_wind=word, round_wind=word)
    assert won == Circumstances(seat_wind=Tile.EAST, round_wind=Tile.EAST)
    assert won.seat_wind is Tile.EAST
    score = get("mcr-1998").score(parse_hand("EEE 123m 456p 789s 5p +5p"), won)
    assert {"圈风刻", "门风刻"} <= {line.zh for line in score.fans}


@pytest.mark.parametrize("word", ["Q", "", "1m", 27, True])
def test_invalid_wind_names_are_refused_at_once(word: Any) -> None:
    with pytest.raises(CircumstanceError, match=r"^seat_wind=.*: give E, S, W or N") as caught:
        Circumstances(seat_wind=word)
    assert isinstance(caught.value, HupaiError)


def test_a_tile_that_is_no_wind_is_a_problem_of_the_hand() -> None:
    score = get("mcr-1998").score(parse_hand(WRITTEN), Circumstances(seat_wind=Tile.RED))
    assert "not_a_wind" in {problem.code for problem in score.problems}


def test_suits_and_winds_have_names() -> None:
    assert [suit_named(word) for word in ("m", "Dots", "条", "z")] == ["m", "p", "s", None]
    assert [wind_named(word) for word in ("n", "西", "C")] == [Tile.NORTH, Tile.WEST, None]
    assert Circumstances(void_suit="万").void_suit == "m"


def test_a_hand_prints_as_it_is_written() -> None:
    assert str(parse_hand(WRITTEN)) == WRITTEN == format_hand(parse_hand(WRITTEN))
    assert [str(meld) for meld in parse_hand(WRITTEN).melds] == [
        "[567m,1]",
        "[1111p+,2]",
        "(9999s)",
    ]
    assert str(Hand(())) == ""


def test_circumstances_print_only_what_differs_from_the_default() -> None:
    assert str(Circumstances()) == "won on a discard"
    won = Circumstances(self_drawn=True, seat_wind=Tile.EAST, flowers=2)
    assert str(won) == "self drawn, seat wind E, flowers 2"


def test_answers_print_as_one_line() -> None:
    rules, drawn = get("mcr-1998"), Circumstances(self_drawn=True)
    pairs = parse_hand("1122m3344p5566s7s +7s")
    assert str(rules.score(pairs, drawn)) == (
        "26 fan (mcr-1998), win: 七对 Seven Pairs 24, 无字 No Honours 1, 自摸 Self-Drawn 1"
    )
    cheap = str(rules.score(parse_hand("234m567p2s[789s,1][345m,1]+2s"), Circumstances()))
    assert cheap.startswith(
        "3 fan (mcr-1998), win not allowed: 平和 All Chows 2, 单钓将 Single Wait 1; The hand is"
    )
    incomplete = str(rules.score(parse_hand("123m45p22s[789s,1][345m,1]+9p"), Circumstances()))
    assert incomplete.startswith("0 fan (mcr-1998), no win: The tiles make no winning")
    ready = waits(parse_hand("123456789m11p23s"), rules)
    assert str(ready).startswith("123456789m11p23s waits for 1s (")
    assert str(waits(parse_hand("159m159p159sESWN"), rules)) == (
        "159m159p159sESWN is not ready (mcr-1998)"
    )
    assert str(compare(pairs, drawn, ["mcr-1998", "kc-2.5"])) == (
        "1122m3344p55667s +7s: mcr-1998 26 fan, kc-2.5 12 times"
    )


def test_the_winning_tile_before_goes_back_among_the_concealed_tiles() -> None:
    hand = parse_hand("1133557m226688p+7m")
    assert format_hand(with_winning_tile(hand, Tile.P2)) == "11335577m26688p +2p"
    assert with_winning_tile(hand, Tile.M7) is hand
