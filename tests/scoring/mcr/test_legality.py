"""What is wrong with a hand: everything at once, as data; and what a hand pays."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hupai.scoring import rule_sets
from hupai.scoring.checks.hand import errors_first
from hupai.scoring.hand import Circumstances, Hand
from hupai.scoring.mcr.legality import all_problems, is_plainly_sound
from hupai.scoring.mcr.profiles import MCR_1998
from hupai.scoring.mcr.rules import rules_by_id
from hupai.scoring.notation import parse_hand
from hupai.scoring.result import Severity
from hupai.scoring.tiles import Tile
from hupai.scoring.waits import waits
from tests.scoring.hands import won_hands
from tests.scoring.mcr.examples import fans, score

RULES = rules_by_id("mcr-1998")


def codes(hand: str, **circumstances: object) -> set[str]:
    """Codes of the errors of a hand."""
    found = RULES.score(parse_hand(hand), replace(Circumstances(), **circumstances))  # type: ignore[arg-type]
    assert not found.legal
    return {problem.code for problem in found.problems if problem.severity is Severity.ERROR}


def test_every_problem_is_reported_at_once() -> None:
    found = codes(
        "11111m ? 5h [135m] [567s] 1h1h +1m",
        robbing_kong=True,
        self_drawn=True,
        kong_replacement=True,
        flowers=9,
        seat_wind=Tile.RED,
    )
    assert found >= {
        "five_of_a_kind",
        "face_down_tile",
        "bad_meld",
        "duplicate_flower",
        "too_many_flowers",
        "flower_count_differs",
        "contradictory_flags",
        "not_a_wind",
    }


@pytest.mark.parametrize(
    ("hand", "expected"),
    [
        ("123m456p789sEEES", {"not_won_yet"}),
        ("123m456p789sEEES +S [CCC]", {"wrong_count"}),
        ("12m +3m", {"wrong_count"}),
        ("123m456p789sEEESS +S", {"wrong_count", "winning_tile_twice"}),
        ("123m456p789sEEESS +N", {"wrong_count", "winning_tile_not_in_hand"}),
        ("123m456p789sEEEW +S", {"not_complete"}),
        ("123m456p789s [EES] S +S", {"bad_meld"}),
        ("123m456p789s (EEE) S +S", {"bad_meld"}),
        ("123m456p78s1hEEES +S", {"wrong_count"}),
    ],
)
def test_one_thing_wrong(hand: str, expected: set[str]) -> None:
    assert codes(hand) == expected


@pytest.mark.parametrize("rules", ["mcr-1998", "riichi-ema", "kc-2.5", "sichuan-2024"])
@pytest.mark.parametrize(
    "hand",
    [
        "234m345p5s [1111s] [1111s+] +5s",
        "123m456p5s [5555s] [555s] +5s",
        "234m9s [9999s] (9999s) [999s] +9s",
    ],
)
def test_more_of_a_tile_than_the_packed_counts_hold_is_refused(hand: str, rules: str) -> None:
    """Four of each (2006, 3.5.5); a kong typed twice makes eight."""
    winds = Circumstances(seat_wind=Tile.EAST, round_wind=Tile.EAST)
    found = rule_sets.get(rules).score(parse_hand(hand), winds)
    assert not found.legal
    assert "five_of_a_kind" in {problem.code for problem in found.problems}


@pytest.mark.parametrize(
    "flags",
    [
        {"self_drawn": True, "robbing_kong": True},
        {"kong_replacement": True},
        {"self_drawn": True, "kong_replacement": True},
        {"robbing_kong": True, "last_tile": True},
        {"last_of_kind": True},
    ],
)
def test_flags_that_contradict_one_another_or_the_hand(flags: dict[str, bool]) -> None:
    """The hand shows no kong and holds another 5m; its fan are listed all the same."""
    hand = "12355m456p789s44s +5m"
    assert codes(hand, **flags) == {"contradictory_flags"}
    assert RULES.score(parse_hand(hand), Circumstances(**flags)).complete  # type: ignore[arg-type]


def test_a_hand_below_eight_is_complete_and_listed_but_no_win() -> None:
    found = score("22m456p345sNN[789m] +N", winds="WS")
    assert (found.complete, found.legal, found.total) == (True, False, 1)
    assert fans(found) == {"幺九刻": 1}
    assert [problem.code for problem in found.problems] == ["below_minimum"]
    assert found.payments == ()


def test_flowers_count_but_not_towards_the_minimum() -> None:
    found = score("22m456p345sNN[789m]1h2h3h4h5h6h7h +N", winds="WS")
    assert (found.total, found.legal) == (8, False)
    assert (
        RULES.score(parse_hand("123456789m45p77s +6p"), Circumstances(flowers=3)).total
        == 16 + 2 + 2 + 1 + 3
    )


def test_14_tiles_without_the_winning_one_have_a_range_of_totals() -> None:
    found = score("123456789m123p55s")
    assert [problem.code for problem in found.problems] == ["winning_tile_unknown"]
    assert (found.complete, found.legal, found.total) == (True, False, 0)
    assert dict(found.details) == {"lowest": 21, "highest": 22}


def test_one_tile_is_said_to_be_one() -> None:
    assert "counts 1 tile (" in score("1m").problems[0].message
    assert "counts 2 tiles (" in score("12m").problems[0].message
    (found,) = waits(parse_hand("1m"), RULES).problems
    assert "counts 1 tile (" in found.message


@pytest.mark.parametrize("rules", [rules.id for rules in rule_sets.all_rules()])
def test_14_tiles_that_win_with_none_are_not_asked_for_the_winning_one(rules: str) -> None:
    won = Circumstances(seat_wind=Tile.EAST, last_of_kind=rules == "kc-2.5")
    found = rule_sets.get(rules).score(parse_hand("11335577m226689p"), won)
    assert [p.code for p in found.problems if p.severity is Severity.ERROR] == ["not_complete"]


def test_a_wind_pung_without_winds_is_scored_with_a_warning() -> None:
    found = RULES.score(parse_hand("123456789mEE55p +E"), Circumstances())
    assert found.legal
    assert [problem.code for problem in found.problems] == ["wind_unknown", "wind_unknown"]


def test_payments_of_a_discard_a_draw_and_a_robbed_kong() -> None:
    """1998: base 8 from each, the fan from the discarder, or base and fan from each."""
    discard = score("123456789m45p77s +6p")
    assert [(p.payer, p.count, p.amount) for p in discard.payments] == [
        ("discarder", 1, 29),
        ("others", 2, 8),
    ]
    assert discard.winner_receives == 45
    drawn = score("123456789m45p77s +6p", "self_drawn")
    assert [(p.payer, p.count, p.amount, p.formula) for p in drawn.payments] == [
        ("each", 3, 31, "8 + 23")
    ]
    assert score("123456789m45p77s +6p", "robbing_kong").payments[0].payer == "robbed"


@given(
    won_hands(),
    st.booleans(),
    st.booleans(),
    st.sampled_from([None, 0, 8, 9]),
    st.sampled_from([None, Tile.EAST, Tile.RED]),
)
def test_the_quick_check_never_misses_a_problem(
    hand: Hand, self_drawn: bool, kong: bool, flowers: int | None, wind: Tile | None
) -> None:
    circumstances = Circumstances(
        self_drawn=self_drawn,
        kong_replacement=kong,
        flowers=flowers,
        seat_wind=wind,
        round_wind=wind,
    )
    if is_plainly_sound(hand, circumstances):
        assert errors_first(all_problems(hand, circumstances, MCR_1998)) == ()


@given(st.lists(st.sampled_from(Tile), max_size=18), st.sampled_from(Tile))
def test_any_tiles_at_all_get_an_answer(tiles: list[Tile], won: Tile) -> None:
    found = RULES.score(Hand(tuple(tiles), (), won), Circumstances(self_drawn=True))
    assert found.complete or found.problems
