"""Bad input and its answers: no yaku, contradictions, red fives and indicators that cannot be."""

from __future__ import annotations

import pytest

from hupai.scoring import rule_sets
from hupai.scoring.hand import Circumstances
from hupai.scoring.notation import parse_hand
from hupai.scoring.result import Principle, Score, Severity
from hupai.scoring.tiles import tiles_from_codes
from hupai.scoring.waits import waits

CLOSED = "23456m234p567s88p +7m"
OPEN = "23456m234p88s [567s,1] +7m"


def scored(hand: str, rules: str = "riichi-ema", /, **circumstances: object) -> Score:
    given = {
        name: tiles_from_codes(value)
        if name.endswith("indicators") and isinstance(value, str)
        else value
        for name, value in circumstances.items()
    }
    won = Circumstances(**given)  # type: ignore[arg-type]
    return rule_sets.get(rules).score(parse_hand(hand), won)


def errors(score: Score) -> list[str]:
    return [p.code for p in score.problems if p.severity is Severity.ERROR]


@pytest.mark.parametrize(
    ("hand", "circumstances"),
    [
        (OPEN, {"riichi": True}),
        (OPEN, {"double_riichi": True}),
        (CLOSED, {"ippatsu": True}),
        (CLOSED, {"ura_indicators": "1s"}),
        (CLOSED, {"riichi": True, "last_tile": True, "kong_replacement": True}),
        (CLOSED, {"kong_replacement": True}),
        (CLOSED, {"robbing_kong": True, "self_drawn": True}),
        (CLOSED, {"heavenly_win": True, "self_drawn": True, "seat_wind": "S"}),
        (CLOSED, {"heavenly_win": True, "seat_wind": "E"}),
        (CLOSED, {"earthly_win": True, "self_drawn": True, "seat_wind": "E"}),
        (CLOSED, {"human_win": True, "self_drawn": True, "seat_wind": "W"}),
        (CLOSED, {"heavenly_win": True, "earthly_win": True, "self_drawn": True}),
        (OPEN, {"earthly_win": True, "self_drawn": True}),
        (CLOSED, {"earthly_win": True, "self_drawn": True, "dealer": True}),
        (CLOSED, {"heavenly_win": True, "self_drawn": True, "last_tile": True}),
        (CLOSED, {"human_win": True, "last_tile": True, "seat_wind": "S"}),
        ("23456m234p567s88p +1m", {"human_win": True, "robbing_kong": True, "seat_wind": "S"}),
        (CLOSED, {"dealer": True, "seat_wind": "W"}),
        (CLOSED, {"honba": -1}),
    ],
)
def test_contradictions_are_named(hand: str, circumstances: dict[str, object]) -> None:
    score = scored(hand, **circumstances)
    assert not score.legal
    assert "contradictory_flags" in errors(score)


@pytest.mark.parametrize(
    ("hand", "rules", "circumstances"),
    [
        ("00m234m234p56s88p +7s", "riichi-online", {}),
        (CLOSED, "riichi-online", {"red_fives": 3}),
        ("20456m234p567s88p +7m", "riichi-online", {"red_fives": 9}),
    ],
)
def test_more_red_fives_than_exist_are_refused(
    hand: str, rules: str, circumstances: dict[str, object]
) -> None:
    assert "too_many_red_fives" in errors(scored(hand, rules, **circumstances))


def test_red_fives_as_a_number_count_like_those_of_the_hand() -> None:
    shown = scored("23406m234p567s88p +7m", "riichi-online", seat_wind="S")
    circumstances = scored(CLOSED, "riichi-online", seat_wind="S", red_fives=1)
    assert shown.total == circumstances.total
    differing = scored("23406m234p067s88p +7m", "riichi-online", seat_wind="S", red_fives=1)
    assert errors(differing) == ["contradictory_flags"]


@pytest.mark.parametrize(
    "circumstances",
    [
        {"dora_indicators": "1h"},
        {"dora_indicators": "123456m"},
        {"dora_indicators": "8p", "ura_indicators": "12s", "riichi": True},
        {"dora_indicators": "888p"},
    ],
)
def test_indicators_that_cannot_be(circumstances: dict[str, object]) -> None:
    assert "bad_indicator" in errors(scored(CLOSED, **circumstances))


def test_without_yaku_the_nearest_one_is_named() -> None:
    closed = scored("23456m789p56s88pE +E")
    assert closed.problems[0].code in ("not_complete",)
    bare = scored("123m789p678s88p78m +9m", seat_wind="S", round_wind="E", dora_indicators="7p")
    assert (bare.complete, bare.legal, bare.total) == (True, True, 7700)
    none = scored("13m789p678s88p789m +2m", seat_wind="S", round_wind="E", dora_indicators="7p")
    assert (none.complete, none.legal, none.total) == (True, False, 0)
    text = none.problems[0].message
    assert none.problems[0].code == "no_yaku"
    assert "riichi" in text
    assert "menzen tsumo" in text
    assert {(one.id, one.principle) for one in none.excluded} >= {("dora", Principle.CONDITION)}
    opened = scored("11m45p [234s] [234s] [789s] +6p")
    assert opened.problems[0].code == "no_yaku"
    assert "iipeikou" in opened.problems[0].message


def test_rules_that_cannot_be_checked_are_noted() -> None:
    ron = scored(CLOSED, riichi=True, seat_wind="S")
    assert [p.code for p in ron.problems] == ["furiten_not_seen"]
    drawn = scored(CLOSED, riichi=True, seat_wind="S", self_drawn=True)
    assert drawn.problems == ()
    assert [p.code for p in scored(CLOSED, self_drawn=True).problems] == ["dealer_unknown"]


@pytest.mark.parametrize(
    "hand", ["123456789m111p+2p", "123456789m11p", "123456789m1112p", "123456789m1119p+2p"]
)
def test_points_are_not_spoken_of_without_a_win(hand: str) -> None:
    assert not {p.code for p in scored(hand).problems} & {"furiten_not_seen", "dealer_unknown"}


def test_whoever_wins_with_the_dealt_tiles_is_the_dealer() -> None:
    score = scored(CLOSED, self_drawn=True, heavenly_win=True)
    assert (score.legal, score.total, score.problems) == (True, 48_000, ())


def test_rules_that_a_profile_does_not_play_are_noted() -> None:
    score = scored(CLOSED, "riichi-jpml-a", seat_wind="S", riichi=True, ippatsu=True)
    assert score.legal
    assert {p.code for p in score.problems} == {"furiten_not_seen", "flag_not_used"}
    assert {one.id for one in score.excluded} >= {"ippatsu"}


def test_14_tiles_without_a_winning_tile_say_so() -> None:
    score = scored("234567m234p567s88p")
    assert score.complete
    assert not score.legal
    assert "winning_tile_unknown" in errors(score)


def test_waits_name_the_points_of_each_way_of_winning() -> None:
    found = waits(parse_hand("23456m234p567s88p"), rule_sets.get("riichi-ema"))
    assert [tile.code for tile in found.tiles] == ["1m", "4m", "7m"]
    totals = {way.way.id: way.score.total for way in found.waits[2].ways}
    assert totals["discard"] == 2000
    assert totals["self_drawn"] == 2700
