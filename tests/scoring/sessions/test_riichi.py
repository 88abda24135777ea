"""A game of riichi worked by hand: deposits, counters, draws, uma and oka."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from hupai.scoring.cases.fields import CaseFormatError
from hupai.scoring.session import session_sheet
from hupai.scoring.sessions.sheet import Sheet

DEALS: list[dict[str, Any]] = [
    {"type": "win", "player": "A", "from": "C", "han": 3, "fu": 30, "riichi": ["A", "B"]},
    {"type": "draw", "tenpai": ["B", "C"]},
    {"type": "win", "player": "D", "self_drawn": True, "han": 4, "fu": 30},
]
"""5,800 with two deposits; a draw at one counter; 2,000 and 3,900 at two counters."""


def sheet(rules: str = "riichi-ema", deals: list[dict[str, Any]] | None = None) -> Sheet:
    return session_sheet(
        {
            "rules": rules,
            "players": ["A", "B", "C", "D"],
            "deals": DEALS if deals is None else deals,
        }
    )


def test_deposits_counters_and_the_deal() -> None:
    found = sheet()
    nets = [dict(row.net) for row in found.rows]
    assert nets == [
        {"A": 6800, "B": -1000, "C": -5800, "D": 0},
        {"A": -1500, "B": 1500, "C": 1500, "D": -1500},
        {"A": -2200, "B": -4100, "C": -2200, "D": 8500},
    ]
    assert [row.dealer for row in found.rows] == ["A", "A", "B"]
    assert found.next_dealer == "C"
    assert found.problems == ()


@pytest.mark.parametrize(
    ("rules", "standard"),
    [
        ("riichi-ema", {"D": "22", "A": "8.1", "B": "-8.6", "C": "-21.5"}),
        ("riichi-online", {"D": "42", "A": "8.1", "B": "-18.6", "C": "-31.5"}),
        ("riichi-jpml-a", {"D": "15", "A": "7.1", "B": "-7.6", "C": "-14.5"}),
    ],
)
def test_uma_and_oka(rules: str, standard: dict[str, str]) -> None:
    places = sheet(rules).places
    assert {place.player: place.standard for place in places} == {
        name: Fraction(value) for name, value in standard.items()
    }
    assert sum(place.standard or 0 for place in places) == 0
    assert [place.rank for place in places] == [1, 2, 3, 4]


def test_equal_points_share_their_uma_where_the_rules_say_so() -> None:
    level = [{"type": "draw", "tenpai": ["A", "B"]}]
    assert [place.standard for place in sheet(deals=level).places] == [
        Fraction("11.5"),
        Fraction("11.5"),
        Fraction("-11.5"),
        Fraction("-11.5"),
    ]
    assert [place.rank for place in sheet("riichi-online", level).places] == [1, 2, 3, 4]


def test_a_hand_is_scored_with_seat_round_and_indicators() -> None:
    hand = {"player": "A", "hand": "23456m234p567s88p +7m", "dora_indicators": "7p"}
    found = sheet(deals=[{"type": "win", "from": "B", "riichi": ["A"], **hand}])
    assert dict(found.rows[0].net) == {"A": 12_000, "B": -12_000, "C": 0, "D": 0}


def test_two_winners_and_who_gets_the_counters() -> None:
    both = {
        "type": "win",
        "from": "B",
        "winners": [{"player": "A", "han": 1, "fu": 30}, {"player": "C", "han": 2, "fu": 30}],
    }
    deals: list[dict[str, Any]] = [{"type": "abort"}, both]
    assert dict(sheet(deals=deals).rows[1].net) == {"A": 1500, "B": -3800, "C": 2300, "D": 0}
    nearest = sheet("riichi-jpml-a", deals)
    assert dict(nearest.rows[1].net) == {"A": 0, "B": -2300, "C": 2300, "D": 0}
    assert [p.code for p in nearest.problems] == ["session_nearest"]


@pytest.mark.parametrize(
    "worth",
    [
        {"han": 4, "fu": 140},
        {"hand": "24mEE (1111p) (9999p) (1111s) +3m"},
    ],
)
def test_the_most_fu_below_five_han(worth: dict[str, Any]) -> None:
    won = {"type": "win", "player": "A", "from": "B", **worth}
    assert dict(sheet(deals=[won]).rows[0].net) == {"A": 12_000, "B": -12_000, "C": 0, "D": 0}


@pytest.mark.parametrize(
    ("rules", "drawn", "han", "fu", "possible"),
    [
        ("riichi-ema", False, 1, 20, False),
        ("riichi-ema", False, 4, 20, False),
        ("riichi-ema", True, 1, 20, False),
        ("riichi-ema", True, 2, 20, True),
        ("riichi-ema", False, 1, 25, False),
        ("riichi-ema", False, 2, 25, True),
        ("riichi-ema", True, 2, 25, False),
        ("riichi-ema", True, 3, 25, True),
        ("riichi-ema", False, 1, 110, True),
        ("riichi-wrc", False, 1, 110, False),
        ("riichi-ema", True, 1, 100, True),
        ("riichi-ema", True, 1, 110, False),
        ("riichi-ema", False, 3, 120, False),
        ("riichi-ema", True, 4, 140, False),
        ("riichi-wrc", False, 4, 140, False),
        ("riichi-wrc", False, 5, 20, True),
    ],
)
def test_han_and_fu_that_no_hand_has_are_reported_and_paid(
    rules: str, drawn: bool, han: int, fu: int, possible: bool
) -> None:
    how: dict[str, Any] = {"self_drawn": True} if drawn else {"from": "B"}
    found = sheet(rules, [{"type": "win", "player": "A", **how, "han": han, "fu": fu}])
    assert dict(found.rows[0].net)["A"] > 0
    assert [p.code for p in found.problems] == ([] if possible else ["session_han_fu"])
    for problem in found.problems:
        assert problem.message.startswith("Deal 1: A's win on a ")
        assert f"{han} han and {fu} fu" in problem.message
        assert f"{han}翻{fu}符" in problem.message_zh


@pytest.mark.parametrize(
    ("rules", "points"), [("riichi-online", 64_000), ("riichi-wrc", None), ("riichi-jpml-a", None)]
)
def test_several_yakuman_count_where_they_add_up(rules: str, points: int | None) -> None:
    won = {"type": "win", "player": "B", "from": "A", "yakuman": 2}
    if points is None:
        with pytest.raises(CaseFormatError, match="one yakuman at most"):
            sheet(rules, [won])
    else:
        assert dict(sheet(rules, [won]).rows[0].net)["B"] == points


def test_a_chombo_and_deposits_that_are_left() -> None:
    found = sheet(
        deals=[
            {"type": "chombo", "player": "B", "points": 8000},
            {"type": "draw", "riichi": ["C"], "tenpai": ["C"]},
        ]
    )
    assert [(fine.player, fine.points) for fine in found.fines] == [("B", 8000)]
    assert dict(found.rows[1].net) == {"A": -1000, "B": -1000, "C": 2000, "D": -1000}
    assert [p.code for p in found.problems] == ["session_deposits"]
    assert found.places[0].player == "C"
    assert found.places[0].score == 3000


@pytest.mark.parametrize(
    ("deal", "said"),
    [
        ({"type": "win", "player": "A", "from": "A", "han": 1, "fu": 30}, "own discard"),
        ({"type": "win", "player": "A", "from": "B", "han": 1}, "fu"),
        ({"type": "win", "player": "A", "from": "B", "hand": "123m"}, "does not win"),
        ({"type": "win", "player": "A", "han": 1, "fu": 30}, "self_drawn"),
        ({"type": "draw", "tenpai": ["A", "A"]}, "named twice"),
        ({"type": "draw", "ready": ["A"]}, "not known"),
        ({"type": "kan"}, "no deal"),
        ({"type": "win", "from": "B", "winners": [{"player": "A", "han": 5}] * 2}, "named twice"),
        ({"type": "win", "player": "A", "from": "B", "yakuman": 10**30}, "at most 8"),
        # EMA 2016, 4.2.5: one yakuman is the most.
        ({"type": "win", "player": "A", "from": "B", "yakuman": 2}, "one yakuman at most"),
        ({"type": "win", "player": "A", "from": "B", "han": 3, "fu": 150}, "20 to 140"),
        ({"type": "win", "player": "A", "from": "B", "han": -1, "fu": 30}, "at least 1"),
        ({"type": "chombo", "player": "A", "points": -8000}, "at least 0"),
    ],
)
def test_mistakes_are_named_with_their_deal(deal: dict[str, Any], said: str) -> None:
    with pytest.raises(CaseFormatError, match=f"deal 1.*{said}"):
        sheet(deals=[deal])
