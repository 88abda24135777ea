"""Logs that name tiles are held to the tiles there are; what names none is believed, and said."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hupai.scoring.cases.fields import CaseFormatError
from hupai.scoring.result import Severity
from hupai.scoring.sichuan.deal.json import parse_deal
from hupai.scoring.sichuan.deal.settle import Settlement, settle

Json = dict[str, Any]

END: Json = {"type": "exhaust", "ready": {}, "not_ready": ["A", "B", "C", "D"]}


def settled(*events: Json, **fields: Any) -> Settlement:
    deal = {"players": ["A", "B", "C", "D"], "events": list(events), **fields}
    return settle(parse_deal(json.loads(json.dumps(deal))))


def errors(settlement: Settlement) -> list[tuple[str, str]]:
    """The code and the event of each error."""
    return [
        (p.code, p.message.split(":")[0])
        for p in settlement.problems
        if p.severity is Severity.ERROR
    ]


def kong(player: str, kind: str, tile: str | None = None, source: str | None = None) -> Json:
    return {"type": "kong", "player": player, "kong": kind, "tile": tile, "from": source}


def pung(player: str, tile: str, source: str | None = None, **more: Any) -> Json:
    return {"type": "pung", "player": player, "tile": tile, "from": source, **more}


def win(player: str, source: str | None, **more: Any) -> Json:
    how = {"from": source} if source else {"self_drawn": True}
    return {"type": "win", "player": player, **how, **more}


PLAIN = {"concealed": "123456789m1144p", "win_tile": "4p"}
THREE_KONGS = {"concealed": "99p78s", "melds": ["ckong:1111p", "ckong:2222p", "kong:3333p"]}


@pytest.mark.parametrize(
    ("events", "code", "event"),
    [
        ([kong("A", "concealed", "4m"), kong("B", "concealed", "4m")], "deal_tiles", 2),
        ([kong("A", "concealed", "E")], "deal_tiles", 1),
        (
            [kong("A", "concealed", "4m"), {"type": "discard", "player": "B", "tile": "4m"}],
            "deal_tiles",
            2,
        ),
        ([pung("A", "4m", "B"), pung("C", "4m", "D")], "deal_tiles", 2),
        ([pung("A", "4m", "A")], "deal_no_discarder", 1),
        ([pung("A", "4m"), kong("A", "added", "5m")], "deal_no_pung", 2),
        (
            [{"type": "discard", "player": "B", "tile": "5m"}, pung("A", "4m", "B")],
            "deal_tiles",
            2,
        ),
        (
            [
                {"type": "discard", "player": "B", "tile": "5m"},
                win("A", "B", hand=PLAIN),
            ],
            "deal_tiles",
            2,
        ),
        (
            [
                {"type": "draw", "player": "A", "tile": "5m"},
                win("A", None, hand=PLAIN),
            ],
            "deal_tiles",
            2,
        ),
        ([win("A", "B", hand=PLAIN, tile="1p")], "deal_hand", 1),
        ([kong("A", "concealed"), win("A", "B", hand=PLAIN)], "deal_hand", 2),
        ([kong("A", "concealed", "4s"), win("A", "B", hand=PLAIN)], "deal_hand", 2),
        ([pung("A", "4s"), win("A", "B", hand=PLAIN)], "deal_hand", 2),
        (
            [
                kong("A", "added"),
                win(
                    "A",
                    "B",
                    hand={"concealed": "123456789m4p", "melds": ["ckong:1111p"]}
                    | {"win_tile": "4p"},
                ),
            ],
            "deal_hand",
            2,
        ),
        ([win("A", "B", hand={**PLAIN}, base_points=8)], "deal_points", 1),
        ([win("A", "B", base_points=8, fan_sum=0)], "deal_points", 1),
        ([win("A", "B", base_points=8, fans=["平和"])], "deal_points", 1),
        ([win("A", "B", base_points=1, robbing_kong=True)], "deal_points", 1),
        (
            [kong("B", "concealed"), win("A", "B", base_points=1, kong_discard=True)],
            "deal_points",
            2,
        ),
        ([win("A", None, base_points=1, last_tile=True)], "deal_points", 1),
        (
            [kong("B", "concealed"), win("A", "B", base_points=2, robbing_kong=True)],
            "deal_concealed_kong",
            2,
        ),
        (
            [win("A", "B", base_points=2, robbing_kong=True, last_tile=True)],
            "contradictory_flags",
            1,
        ),
        ([win("A", None, base_points=2, kong_draw=True)], "deal_no_kong_before", 1),
        (
            [win("A", "B", base_points=2, last_tile=True), kong("C", "concealed")],
            "deal_over",
            2,
        ),
        ([{"type": "fine", "player": "A", "points": 10**30}], "deal_points", 1),
    ],
)
def test_impossible_tiles_are_reported_with_their_event(
    events: list[Json], code: str, event: int
) -> None:
    found = settled(*events)
    assert (code, f"Event {event}") in errors(found)
    assert found.ledger.faults() == ()


def test_six_kongs_of_one_player_do_not_pay() -> None:
    """Four kongs and a pair are all that 13 tiles hold."""
    events = [kong("A", "concealed", f"{n}m") for n in range(1, 7)]
    found = settled(*events, END)
    assert [event for code, event in errors(found) if code == "deal_tiles"] == [
        "Event 5",
        "Event 6",
    ]


def test_a_kong_of_the_void_suit_does_not_pay() -> None:
    found = settled(kong("A", "concealed", "4m"), void_suits={"A": "m"})
    assert errors(found) == [("deal_void_suit", "Event 1")]
    assert found.ledger.entries == ()


def test_winners_hands_share_the_four_tiles() -> None:
    one = {"concealed": "111222333m789p5p", "win_tile": "5p"}
    two = {"concealed": "111222333m123p6p", "win_tile": "6p"}
    found = settled(win("A", "D", hand=one), win("B", "D", hand=two))
    assert errors(found)[0] == ("deal_tiles", "Event 2")
    assert found.winners == ("A",)


def test_hands_at_the_end_share_the_four_tiles() -> None:
    same = {"concealed": "1112345678999m"}
    found = settled({"type": "exhaust", "hands": dict.fromkeys("ABCD", same)})
    assert errors(found)[0] == ("deal_tiles", "Event 1")
    assert found.ledger.entries == ()


def test_a_kong_of_a_pung_called_with_three_in_hand_is_timely_rain() -> None:
    """8.6.1 c, as the log says so."""
    found = settled(
        pung("A", "4m", "B", held_triplet=True), kong("A", "added", "4m"), pung("C", "5p", "D")
    )
    assert errors(found) == []
    assert found.ledger.entries == ()
    assert "deal_timely_rain" in [p.code for p in found.problems]
    plain = settled(pung("A", "4m", "B", held_triplet=False), kong("A", "added", "4m"))
    assert plain.ledger.nets() == (("A", 3), ("B", -1), ("C", -1), ("D", -1))


def test_timely_rain_is_found_from_the_tiles_dealt() -> None:
    dealt = {"A": "444m123456789p1s"}
    events = [
        {"type": "discard", "player": "D", "tile": "4m"},
        pung("A", "4m", "D"),
        {"type": "discard", "player": "A", "tile": "1s"},
        {"type": "draw", "player": "A", "tile": "9s"},
        kong("A", "added", "4m"),
    ]
    found = settled(*events, dealt=dealt)
    assert errors(found) == []
    assert found.ledger.entries == ()
    claimed = settled(*events[:4], kong("A", "timely_rain", "4m"), dealt=dealt)
    assert errors(claimed) == []
    drawn_later = [events[0], events[1], events[2], {**events[3], "tile": "4m"}, events[4]]
    pair = settled(*drawn_later, dealt={"A": "44m123456789p11s"})
    assert pair.ledger.nets()[0] == ("A", 3)
    wrong = settled(
        *drawn_later[:4], kong("A", "timely_rain", "4m"), dealt={"A": "44m123456789p11s"}
    )
    assert errors(wrong) == [("deal_no_pung", "Event 5")]


def test_a_discard_has_to_be_held() -> None:
    dealt = {"A": "123456789m1144p"}
    found = settled(
        {"type": "draw", "player": "A", "tile": "9s"},
        {"type": "discard", "player": "A", "tile": "9p"},
        dealt=dealt,
    )
    assert errors(found) == [("deal_tiles", "Event 2")]
    held = settled(
        {"type": "draw", "player": "A", "tile": "9s"},
        {"type": "discard", "player": "A", "tile": "9s"},
        {"type": "discard", "player": "B", "tile": "4p"},
        win("A", "B", hand=PLAIN),
        dealt=dealt,
    )
    assert errors(held) == []
    other = settled(
        {"type": "discard", "player": "B", "tile": "4p"},
        win("A", "B", hand={"concealed": "123456m22p44p789p", "win_tile": "4p"}),
        dealt=dealt,
    )
    assert errors(other)[0] == ("deal_hand", "Event 2")


def test_a_player_who_keeps_the_void_suit_while_discarding_others_is_named() -> None:
    found = settled(
        {"type": "discard", "player": "A", "tile": "1m"},
        dealt={"A": "123456789m1144p9s"},
        dealer="A",
        void_suits={"A": "s"},
    )
    assert "deal_void_suit_kept" in [p.code for p in found.problems]


def test_a_whole_deal_with_its_tiles_is_accepted_and_nothing_is_taken_on_trust() -> None:
    found = settled(
        {"type": "discard", "player": "D", "tile": "1p"},
        pung("A", "1p", "D"),
        {"type": "discard", "player": "A", "tile": "9s"},
        kong("B", "concealed", "2s"),
        {"type": "draw", "player": "A", "tile": "1p"},
        kong("A", "added", "1p"),
        {"type": "discard", "player": "A", "tile": "8s"},
        {"type": "discard", "player": "C", "tile": "4p"},
        win(
            "A",
            "C",
            hand={"concealed": "123456789m4p", "melds": ["kong:1111p"]} | {"win_tile": "4p"},
        ),
        {
            "type": "exhaust",
            "hands": {
                "B": {"concealed": "3334445556s", "melds": ["ckong:2222s"]},
                "C": {"concealed": "147m258p369p789s5p"},
                "D": {"concealed": "147m258p369p789s5p"},
            },
        },
        void_suits={"A": "s"},
    )
    assert errors(found) == []
    assert [p.code for p in found.problems] == []
    assert found.finished


def test_robbed_kong_gives_the_pung_back() -> None:
    hand = {"concealed": "123456789m11p23p", "win_tile": "4p"}
    found = settled(
        pung("B", "4p", "C"),
        kong("B", "added", "4p"),
        win("A", "B", hand=hand, robbing_kong=True),
    )
    assert errors(found) == []
    assert dict(found.ledger.nets()) == {"A": 2, "B": -2, "C": 0, "D": 0}
    from_nowhere = settled(pung("B", "5p", "C"), win("A", "B", hand=hand, robbing_kong=True))
    assert errors(from_nowhere) == [("deal_no_pung", "Event 2")]


@pytest.mark.parametrize("tile", ["1m", "2m"])
def test_a_win_without_a_hand_is_on_the_tile_discarded(tile: str) -> None:
    found = settled(
        {"type": "discard", "player": "B", "tile": "5p"},
        win("A", "B", base_points=2, tile=tile),
    )
    assert errors(found) == [("deal_tiles", "Event 2")]


@pytest.mark.parametrize(("tile", "name"), [("1m", "一万"), ("2m", "二万")])
def test_a_robbed_kong_is_of_the_tile_won_on(tile: str, name: str) -> None:
    found = settled(
        pung("B", "4m", "C"),
        kong("B", "added", "4m"),
        win("A", "B", base_points=2, robbing_kong=True, tile=tile),
    )
    (error,) = [p for p in found.problems if p.severity is Severity.ERROR]
    assert name in error.message_zh


def test_unverified_events_are_noted() -> None:
    found = settled(
        kong("A", "concealed"),
        win("B", "C", base_points=2),
        {"type": "exhaust", "ready": {"A": 4}, "not_ready": ["C", "D"]},
    )
    (note,) = [p for p in found.problems if p.code == "deal_on_trust"]
    assert note.severity is Severity.NOTE
    for words in ("concealed kong of event 1", "base points of B of event 2", "A, C, D of event 3"):
        assert words in note.message
    assert "第 1 项开杠" in note.message_zh


def test_an_unfinished_deal_gives_a_warning() -> None:
    codes = [p.code for p in settled(kong("A", "concealed")).problems]
    assert "deal_unfinished" in codes
    assert "deal_unfinished" not in [p.code for p in settled(END).problems]


def test_events_keep_their_own_numbers() -> None:
    found = settled(
        kong("A", "concealed"), win("X", "B", base_points=1), penalties={"A": 4, "B": 2}
    )
    assert errors(found) == [("deal_unknown_player", "Event 2")]
    assert [entry.event for entry in found.ledger.entries] == [None, None, 0, 0, 0]


def test_a_pig_or_false_winner_who_is_listed_as_ready_is_named() -> None:
    for offence in ("late_pig", "false_win"):
        found = settled(
            {"type": offence, "player": "A"},
            {"type": "exhaust", "ready": {"A": 2}, "not_ready": ["B", "C", "D"]},
        )
        assert "deal_readiness" in [p.code for p in found.problems]


@pytest.mark.parametrize(
    ("deal", "field", "said"),
    [
        ({"players": ["A", "B", "C", "D"], "evnts": []}, "evnts", "events"),
        ({"players": ["A", "B", "C", "D"]}, "events", "missing"),
        (
            {"players": ["A", "B", "C", "D"], "events": [], "void_suits": {"A": "q"}},
            "void_suits.A",
            "suit",
        ),
        (
            {"players": ["A", "B", "C", "D"], "events": [], "void_suits": {"X": "m"}},
            "void_suits.X",
            "players",
        ),
        ({"players": ["A", "B", "C", "D"], "events": [], "format": "2vs22"}, "format", "2v2"),
        ({"players": ["A", "B", "C"], "events": [], "format": "2v2"}, "players", "four"),
        ({"players": ["A", "B", "C", "D"], "events": [], "dealt": {"A": "123m"}}, "dealt.A", "13"),
        (
            {"players": ["A", "B", "C", "D"], "events": [{"type": "chow", "player": "A"}]},
            "events[0].type",
            "event 1: 'chow' is no event",
        ),
        (
            {
                "players": ["A", "B", "C", "D"],
                "events": [{"type": "kong", "player": "A", "kong": "concealed", "tile": "zzz"}],
            },
            "events[0].tile",
            "event 1",
        ),
        (
            {
                "players": ["A", "B", "C", "D"],
                "events": [{"type": "win", "player": "A", "from": "B", "fans": ["大三元"]}],
            },
            "events[0].fans",
            "大三元",
        ),
        (
            {
                "players": ["A", "B", "C", "D"],
                "events": [
                    {"type": "exhaust", "ready": {"A": 8}, "hands": {"A": "123456789m1144p"}}
                ],
            },
            "events[0].hands.A",
            "is worth 1",
        ),
    ],
)
def test_misspelt_or_contradictory_fields_are_refused(deal: Json, field: str, said: str) -> None:
    with pytest.raises(CaseFormatError) as caught:
        parse_deal(deal)
    assert caught.value.field == field
    assert said in caught.value.message
