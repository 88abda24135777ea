"""Which tiles complete a hand, what they score, how many are left."""

from __future__ import annotations

import pytest

from hupai.scoring import rule_sets
from hupai.scoring.hand import Circumstances
from hupai.scoring.notation import parse_hand, parse_tiles
from hupai.scoring.sichuan.ready import readiness
from hupai.scoring.tiles import PLAYABLE, Tile
from hupai.scoring.waits import Waits, waits


def mcr_waits(hand: str, visible: str = "") -> Waits:
    return waits(parse_hand(hand), rule_sets.get("mcr-1998"), Circumstances(), parse_tiles(visible))


def test_each_wait_with_what_it_scores_and_what_is_left() -> None:
    found = mcr_waits("2345m [222p] [444p] [333p]", visible="2m55m")
    assert found.tiles == (Tile.M2, Tile.M5)
    assert [wait.remaining for wait in found.waits] == [2, 1]
    by_way = {way.way.id: way.score.total for way in found.waits[0].ways}
    assert by_way == {"discard": 27, "self_drawn": 28, "last_discard": 35, "last_draw": 35}


def test_a_kong_in_the_hand_and_a_tile_held_once_open_further_ways() -> None:
    found = mcr_waits("34s55m [1111p] [222p] [777m]")
    assert {way.way.id for way in found.waits[0].ways} >= {"kong_replacement", "robbing_kong"}


def test_three_of_a_tile_in_view_make_it_the_last_of_its_kind() -> None:
    ways = mcr_waits("13m55p [789s] [456s] [678p]", visible="222m").waits[0].ways
    assert "和绝张" in {line.zh for line in ways[0].score.fans}


def test_nine_gates_wait_for_nine() -> None:
    assert mcr_waits("1112345678999s").tiles == PLAYABLE[18:27]


def test_a_kind_held_four_times_is_no_wait() -> None:
    assert mcr_waits("1111m234p567p789s").tiles == ()


def test_a_way_that_would_score_too_little_is_shown_but_not_legal() -> None:
    found = mcr_waits("34sEE [123m] [567p] [222p]")
    assert [(way.score.total, way.score.legal) for way in found.waits[0].ways][:2] == [
        (8, True),
        (1, False),
    ]
    assert found.waits[0].is_legal


@pytest.mark.parametrize(
    ("hand", "codes"),
    [("123m", {"not_13_tiles"}), ("11111m 123456p 7sEE", {"not_13_tiles", "five_of_a_kind"})],
)
def test_a_hand_that_is_not_13_sound_tiles_is_answered_with_problems(
    hand: str, codes: set[str]
) -> None:
    found = mcr_waits(hand)
    assert found.waits == ()
    assert {problem.code for problem in found.problems} == codes


def test_a_discarder_who_deals_takes_no_way_of_winning_away() -> None:
    """How the hand is won is tried in every way, and a drawn tile has no discarder."""
    won = Circumstances(discarder_is_dealer=True)
    found = waits(parse_hand("22m33m44m55m66m77m8m"), rule_sets.get("kc-2.5"), won).waits[0]
    assert {way.way.id for way in found.ways} >= {"discard", "self_drawn", "last_draw"}
    by_way = {way.way.id: way.score.payments[0].payer for way in found.ways}
    assert (by_way["discard"], by_way["self_drawn"]) == ("discarder", "dealer")


@pytest.mark.parametrize("rules", [rules.id for rules in rule_sets.all_rules()])
def test_13_tiles_of_which_one_is_marked_as_winning_are_not_said_to_be_unready(rules: str) -> None:
    found = waits(parse_hand("22m33m44m55m66m77m +8m"), rule_sets.get(rules))
    assert (found.waits, [problem.code for problem in found.problems]) == ((), ["not_13_tiles"])


def test_it_works_for_every_rule_set() -> None:
    for rule_set in rule_sets.all_rules():
        found = waits(parse_hand("22m33m44m55m66m77m8m"), rule_set)
        assert Tile.M8 in found.tiles, rule_set.id


@pytest.mark.parametrize(("visible", "times"), [("11111s", 5), ("2222s", 5), ("33322222s", 6)])
def test_more_than_four_of_a_kind_in_hand_and_view_are_a_problem(visible: str, times: int) -> None:
    found = mcr_waits("123456789m11p23s", visible)
    assert found.waits == ()
    (problem,) = found.problems
    assert problem.code == "five_of_a_kind"
    assert f"occurs {times} times in hand and view" in problem.message
    assert mcr_waits("123456789m11p23s", "1111222333s").tiles == (Tile.S1, Tile.S4)


THREE_SUITS = "123456m2255p678s"
TWO_SUITS = "123456789m2255p"


@pytest.mark.parametrize(
    ("hand", "void", "codes"),
    [
        (THREE_SUITS, None, ["three_suits"]),
        (THREE_SUITS, "s", ["three_suits", "void_suit_held"]),
        (TWO_SUITS, "p", ["void_suit_held"]),
        (TWO_SUITS, "s", []),
        (TWO_SUITS, None, []),
    ],
)
def test_a_hand_that_holds_three_suits_or_the_void_suit_is_not_ready(
    hand: str, void: str | None, codes: list[str]
) -> None:
    given = Circumstances(void_suit=void)
    found = waits(parse_hand(hand), rule_sets.get("sichuan-2024"), given)
    assert (found.tiles, found.problems) == ((Tile.P2, Tile.P5), ())
    assert [bar.code for bar in found.bars] == codes
    assert found.is_ready is readiness(parse_hand(hand), void).ready is not bool(codes)
    if codes:
        assert found.bars[-1].message.endswith("When the wall ends (查叫), the hand is not ready.")
        assert found.bars[-1].message_zh.endswith("查叫时按无叫计。")
        assert "is not ready (sichuan-2024): " in str(found)


@pytest.mark.parametrize(
    ("hand", "codes"),
    [
        ("123456m2255p [678m]", ["chow_not_used"]),
        ("123456m2255p [678s]", ["chow_not_used", "three_suits"]),
    ],
)
def test_a_claimed_chow_keeps_a_hand_of_sichuan_from_being_ready(
    hand: str, codes: list[str]
) -> None:
    found = waits(parse_hand(hand), rule_sets.get("sichuan-2024"))
    assert (found.tiles, found.is_ready) == ((Tile.P2, Tile.P5), False)
    assert not readiness(parse_hand(hand)).ready
    assert [bar.code for bar in found.bars] == codes
    assert "only pungs and kongs may be claimed" in found.bars[0].message
    at_the_end = ["查叫" in bar.message and "查叫" in bar.message_zh for bar in found.bars]
    assert at_the_end == [code == "three_suits" for code in codes]
    assert mcr_waits(hand).is_ready


def test_a_hand_that_would_only_score_too_little_is_ready() -> None:
    found = mcr_waits("23m456p11s [678s] [456m]")
    assert not any(wait.ways[0].score.legal for wait in found.waits)
    assert (found.is_ready, found.bars) == (True, ())
