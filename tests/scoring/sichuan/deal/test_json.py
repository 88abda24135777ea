"""Deals as JSON: typed values out, errors that name the field."""

from __future__ import annotations

import json

import pytest

from hupai.scoring.cases.fields import CaseFormatError, case_hand
from hupai.scoring.sichuan.deal.json import parse_deal
from hupai.scoring.sichuan.deal.log import (
    Fine,
    Kong,
    KongKind,
    Offence,
    PassedWin,
    Ready,
    WallEnd,
    Win,
    Winner,
)
from hupai.scoring.sichuan.deal.settle import settle


def events(*listed: dict[str, object], **fields: object) -> tuple[object, ...]:
    deal = {"players": ["A", "B", "C", "D"], "events": list(listed), **fields}
    return parse_deal(json.loads(json.dumps(deal))).events


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        ({"type": "kong", "player": "A", "kong": "concealed"}, Kong("A", KongKind.CONCEALED)),
        (
            {"type": "kong", "player": "A", "kong": "from_discard", "from": "B"},
            Kong("A", KongKind.FROM_DISCARD, "B"),
        ),
        ({"type": "kong", "player": "A", "kong": "added"}, Kong("A", KongKind.ADDED)),
        ({"type": "kong", "player": "A", "kong": "timely_rain"}, Kong("A", KongKind.TIMELY_RAIN)),
        ({"type": "kong", "player": "A", "kong": "即时雨"}, Kong("A", KongKind.TIMELY_RAIN)),
        (
            {"type": "kong", "player": "A", "kong": "added", "timely_rain": True},
            Kong("A", KongKind.TIMELY_RAIN),
        ),
        (
            {"type": "win", "player": "A", "base_points": 2, "from": "B"},
            Win((Winner("A", 2),), "B"),
        ),
        (
            {"type": "win", "player": "A", "base_points": 2, "self_drawn": True},
            Win((Winner("A", 2),)),
        ),
        (
            {"type": "win", "player": "A", "base_points": 2, "from": "B", "kong_discard": True},
            Win((Winner("A", 2),), "B", kong_discard=True),
        ),
        (
            {"type": "win", "player": "A", "base_points": 2, "from": "B", "robbing_kong": True},
            Win((Winner("A", 2),), "B", robbing_kong=True),
        ),
        (
            {
                "type": "multi_win",
                "from": "D",
                "winners": [{"player": "A", "base_points": 1}, {"player": "B", "base_points": 4}],
            },
            Win((Winner("A", 1), Winner("B", 4)), "D"),
        ),
        (
            {"type": "exhaust", "ready": {"A": 4}, "not_ready": ["B"], "natural_pig": ["B"]},
            WallEnd((Ready("A", 4),), ("B",), ("B",)),
        ),
        ({"type": "fine", "player": "A", "points": 4}, Fine("A", Offence.OTHER, 4)),
        ({"type": "fine", "player": "A", "points": -4}, Fine("A", Offence.OTHER, 4)),
        ({"type": "penalty", "player": "A", "reason": "诈和"}, Fine("A", Offence.FALSE_WIN, 24)),
        ({"type": "false_win", "player": "A"}, Fine("A", Offence.FALSE_WIN, 24)),
        ({"type": "mistaken_win", "player": "A"}, Fine("A", Offence.MISTAKEN_WIN, 8)),
        ({"type": "late_pig", "player": "A"}, Fine("A", Offence.LATE_PIG, 24)),
        ({"type": "pass", "player": "A", "fan": 2}, PassedWin("A", 2)),
    ],
)
def test_events(event: dict[str, object], expected: object) -> None:
    assert events(event) == (expected,)


def test_a_fine_found_at_the_end_of_the_wall_comes_before_it() -> None:
    found = events(
        {"type": "exhaust", "ready": {"A": 1}, "not_ready": ["B", "C"], "late_pig": ["D"]}
    )
    assert found == (Fine("D", Offence.LATE_PIG), WallEnd((Ready("A", 1),), ("B", "C", "D")))


def test_fines_beside_the_log() -> None:
    assert events(penalties={"B": 4, "C": 0}) == (Fine("B", Offence.OTHER, 4),)


def test_partners_sit_opposite_unless_named() -> None:
    players = ["A", "B", "C", "D"]
    assert parse_deal({"players": players, "format": "2v2", "events": []}).seating.partners == (
        ("A", "C"),
        ("B", "D"),
    )
    named = parse_deal({"players": players, "partners": [["A", "B"], ["C", "D"]], "events": []})
    assert named.seating.partners == (("A", "B"), ("C", "D"))


def test_a_win_given_as_a_hand_is_scored() -> None:
    hand = {"concealed": "777m99m88p", "melds": ["pung:333m", "pung:555p"], "win_tile": "8p"}
    typed = case_hand(hand)
    assert events({"type": "win", "player": "A", "from": "B", "hand": hand}) == (
        Win((Winner("A", 2, typed),), "B"),
    )
    after_kong = events(
        {"type": "win", "player": "A", "from": "B", "hand": hand, "kong_discard": True}
    )
    assert after_kong == (Win((Winner("A", 4, typed),), "B", kong_discard=True),)


def test_hands_at_the_end_of_the_wall_are_checked_by_the_engine() -> None:
    """A waits for 1m 4m in one suit (4 points); B holds its void suit; C holds nothing; D has won
    and is passed over.
    """
    deal = parse_deal(
        {
            "players": ["A", "B", "C", "D"],
            "void_suits": {"A": "s", "B": "m"},
            "events": [
                {"type": "win", "player": "D", "base_points": 1, "from": "C"},
                {
                    "type": "exhaust",
                    "hands": {
                        "A": {"concealed": "2334556778999m"},
                        "B": {"concealed": "123456789p22m56p"},
                        "C": {"concealed": "147m258m369p147p5p"},
                        "D": {"concealed": "123m"},
                    },
                },
            ],
        }
    )
    end = deal.events[1]
    assert isinstance(end, WallEnd)
    assert (end.ready, end.not_ready) == ((Ready("A", 4),), ("B", "C"))
    assert end.natural_pigs == ("B",)
    assert settle(deal).ledger.nets() == (("A", 8), ("B", -4), ("C", -5), ("D", 1))


@pytest.mark.parametrize(
    ("event", "field"),
    [
        ({"player": "A"}, "events[0].type"),
        ({"type": "sing", "player": "A"}, "events[0].type"),
        ({"type": "kong", "player": "A"}, "events[0].kong"),
        ({"type": "kong", "player": "A", "kong": "golden"}, "events[0].kong"),
        ({"type": "kong", "kong": "added"}, "events[0].player"),
        ({"type": "win", "player": "A", "base_points": 2}, "events[0].from"),
        (
            {"type": "win", "player": "A", "base_points": 2, "from": "B", "self_drawn": True},
            "events[0].self_drawn",
        ),
        ({"type": "win", "player": "A", "from": "B"}, "events[0].base_points"),
        (
            {"type": "win", "player": "A", "from": "B", "base_points": "two"},
            "events[0].base_points",
        ),
        ({"type": "win", "player": "A", "from": 2, "base_points": 2}, "events[0].from"),
        (
            {"type": "win", "player": "A", "from": "B", "base_points": 2, "kong_discard": "yes"},
            "events[0].kong_discard",
        ),
        (
            {"type": "win", "player": "A", "from": "B", "base_points": 2, "double": True},
            "events[0].double",
        ),
        (
            {"type": "win", "player": "A", "from": "B", "hand": {"concealed": "12x"}},
            "events[0].hand.concealed",
        ),
        (
            {"type": "win", "player": "A", "from": "B", "hand": {"concealed": "123m"}},
            "events[0].hand",
        ),
        ({"type": "multi_win", "winners": []}, "events[0].from"),
        (
            {"type": "multi_win", "from": "A", "winners": [{"player": "B"}]},
            "events[0].winners[0].base_points",
        ),
        ({"type": "exhaust", "ready": ["A"]}, "events[0].ready"),
        ({"type": "exhaust", "ready": {"A": "four"}}, "events[0].ready.A"),
        ({"type": "exhaust", "ready": {}, "not_ready": [1]}, "events[0].not_ready[0]"),
        ({"type": "exhaust", "hands": {"A": {"concealed": "123m"}}}, "events[0].hands.A"),
        ({"type": "fine", "player": "A"}, "events[0].points"),
        ("kong", "events[0]"),
    ],
)
def test_errors_name_the_field(event: dict[str, object], field: str) -> None:
    with pytest.raises(CaseFormatError) as caught:
        events(event)
    assert caught.value.field == field
    assert str(caught.value).startswith(f"{field}: ")


@pytest.mark.parametrize(
    ("deal", "field"),
    [
        ({}, "players"),
        ({"players": "ABCD", "events": []}, "players"),
        ({"players": ["A"], "dealer": 1, "events": []}, "dealer"),
        ([], "deal"),
    ],
)
def test_errors_of_the_table_name_the_field(deal: object, field: str) -> None:
    with pytest.raises(CaseFormatError) as caught:
        parse_deal(deal)
    assert caught.value.field == field
