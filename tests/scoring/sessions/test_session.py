"""Sessions: running sums, fines that grow, dealers, chips, winds, places; and what is refused."""

from __future__ import annotations

import csv
import io
import json
from functools import partial
from typing import Any

import pytest

from hupai.scoring.cases.fields import CaseFormatError
from hupai.scoring.result import Severity
from hupai.scoring.session import event_sheet, session_sheet
from hupai.scoring.sessions.sheet import Sheet
from hupai.scoring.sessions.tables import sheet_csv
from hupai.scoring.sichuan.deal.ladder import MISCONDUCT

Json = dict[str, Any]

END: Json = {"type": "exhaust", "ready": {}, "not_ready": ["A", "B", "C", "D"]}


def sheet(rules: str, *deals: Json, **fields: Any) -> Sheet:
    value = {"rules": rules, "players": ["A", "B", "C", "D"], "deals": list(deals), **fields}
    return session_sheet(json.loads(json.dumps(value)))


def sichuan(*deals: list[Json], **fields: Any) -> Sheet:
    return sheet("sichuan-2024", *({"events": events} for events in deals), **fields)


def nets(found: Sheet) -> list[tuple[int, ...]]:
    return [tuple(points for _, points in row.net) for row in found.rows]


def codes(found: Sheet, severity: Severity | None = None) -> list[str]:
    return [p.code for p in found.problems if severity in (None, p.severity)]


def scores(found: Sheet) -> dict[str, int]:
    return {place.player: place.score for place in found.places}


def test_eight_deals_with_running_sums_and_standard_points() -> None:
    won: Json = {"type": "win", "player": "B", "base_points": 2, "from": "D"}
    found = sichuan([won, {**END, "not_ready": ["A", "C", "D"]}], *([[END]] * 7))
    assert nets(found)[0] == (0, 2, 0, -2)
    assert found.rows[-1].running == (("A", 0), ("B", 2), ("C", 0), ("D", -2))
    assert [(p.player, p.rank, float(p.standard or 0)) for p in found.places] == [
        ("B", 1, 4.0),
        ("A", 2, 2.5),
        ("C", 2, 2.5),
        ("D", 4, 1.0),
    ]
    assert [row.dealer for row in found.rows] == ["A", *["B"] * 7]
    assert "session_deals" not in codes(found)


def test_a_mistake_in_the_fifth_deal_is_named_with_its_event() -> None:
    kong: Json = {"type": "kong", "player": "A", "kong": "concealed", "tile": "4m"}
    fifth = [kong, {**kong, "player": "B"}, END]
    found = sichuan(*([[END]] * 4), fifth, *([[END]] * 3))
    (wrong,) = [p for p in found.problems if p.severity is Severity.ERROR]
    assert wrong.message.startswith("Deal 5: Event 2: that makes 8 of 4m")
    assert wrong.message_zh.startswith("第 5 副：第 2 项：四万已有8张")
    with pytest.raises(CaseFormatError) as caught:
        sichuan(*([[END]] * 4), [{"type": "kong", "player": "A", "kong": "gold"}])
    assert caught.value.field == "deals[4].events[0].kong"
    assert caught.value.message.startswith("deal 5, event 1: 'gold' is no kong")


def test_errors_come_first_and_unverified_events_are_noted_once() -> None:
    won: Json = {"type": "win", "player": "B", "base_points": 2, "from": "D"}
    rest: Json = {"type": "exhaust", "ready": {"A": 4}, "not_ready": ["C", "D"]}
    kong: Json = {"type": "kong", "player": "A", "kong": "concealed"}
    good, wrong = [won, rest], [kong, {**won, "base_points": 3}, rest]
    found = sichuan(*([good] * 4), wrong, *([good] * 3))
    assert codes(found) == ["deal_points", "deal_readiness", "deal_on_trust"]
    assert found.problems[0].message.startswith("Deal 5: Event 2: base points are 1, 2, 4 or 8")
    assert found.problems[0].message_zh.endswith("不能是3。")
    for words in ("base points of wins (deals 1-8)", "wall (deals 1-8)", "kongs (deal 5)"):
        assert words in found.problems[2].message
    assert "开杠（第 5 副）" in found.problems[2].message_zh


def test_fines_of_chapter_11_grow_within_the_session() -> None:
    claim: Json = {"type": "fine", "player": "C", "reason": "空碰"}
    rude: Json = {"type": "fine", "player": "C", "reason": "11.2.20.2"}
    found = sichuan(*[[claim, rude, END] for _ in range(8)])
    assert [f.points for f in found.fines if f.clause == "11.2.5"] == [0, 1, 2, 4, 8, 16, 16, 16]
    assert [f.points for f in found.fines if f.clause == "11.2.20.2"] == [2, 4, 8, *[16] * 5]
    assert scores(found)["C"] == -(63 + 94)
    assert "deal_balance" not in codes(found)


def test_repetition_is_counted_per_offence_player_and_session() -> None:
    one: Json = {"type": "fine", "player": "C", "reason": "empty_claim"}
    found = sichuan([one, {**one, "player": "D"}, {**one, "reason": "early_draw"}, END])
    assert [f.points for f in found.fines] == [0, 0, 0]
    assert [f.points for f in sichuan([one, END]).fines] == [0]


def test_a_fine_of_other_points_than_the_chapter_sets_is_named() -> None:
    found = sichuan([{"type": "fine", "player": "C", "reason": "empty_claim", "points": 4}, END])
    assert "deal_points" in codes(found, Severity.WARNING)


@pytest.mark.parametrize("points", [1, 3])
def test_a_pig_found_at_the_end_of_the_wall_is_in_the_list_of_fines(points: int) -> None:
    """11.2.10.1: 24 points, also where the end of the wall itself is left out (10.1.2: no 3)."""
    found = sichuan([{"type": "exhaust", "ready": {"A": points}, "late_pig": ["D"]}])
    assert [(f.player, f.points, f.clause) for f in found.fines] == [("D", 24, "11.2.10.1")]
    assert [place.fined for place in found.places if place.player == "D"] == [24]


def test_every_offence_has_steps_that_do_not_fall() -> None:
    for one in MISCONDUCT.values():
        assert list(one.steps) == sorted(one.steps)
        assert max(one.steps) <= 24


def test_coming_late_is_a_fine_beside_the_deals_and_decides_ties() -> None:
    found = sichuan([END], penalties=[{"player": "D", "reason": "late_5"}])
    assert scores(found)["D"] == -2
    assert found.places[-1].player == "D"
    assert found.fines[0].deal is None


def test_another_dealer_than_3_4_gives_is_named() -> None:
    found = sheet(
        "sichuan-2024", {"dealer": "C", "events": [END]}, {"dealer": "B", "events": [END]}
    )
    assert codes(found, Severity.WARNING) == ["session_dealer", "session_dealer"]


def test_more_than_eight_deals_are_named() -> None:
    assert "session_deals" in codes(sichuan(*([[END]] * 9)), Severity.WARNING)


def test_kc_dealer_streak_and_several_winners_in_proportion() -> None:
    found = sheet(
        "kc-2.5",
        {"type": "win", "player": "A", "multiplier": 8, "from": "B"},
        {
            "type": "win",
            "from": "A",
            "winners": [
                {"player": "B", "multiplier": 32},
                {"player": "C", "multiplier": 64},
                {"player": "D", "multiplier": 8},
            ],
        },
        {"type": "false_win", "player": "C", "ready": {"D": 8}},
        {"type": "exhaust"},
        {"type": "win", "player": "D", "hand": "456789m55p67s [123m] +8s", "self_drawn": True},
    )
    assert nets(found) == [
        (24, -24, 0, 0),
        (-300, 93, 183, 24),
        (2, 4, -38, 32),
        (0, 0, 0, 0),
        (-4, -4, -10, 18),
    ]
    assert [row.dealer for row in found.rows] == ["A", "A", "B", "C", "C"]
    assert found.next_dealer == "D"
    assert any("owes 162" in p.message for p in found.problems if p.code == "session_chips")
    assert sum(scores(found).values()) == 0


def test_kc_chips_that_are_bought_change_no_score() -> None:
    lost: Json = {"type": "win", "player": "A", "multiplier": 64, "from": "B"}
    bought: Json = {**lost, "bought": [{"player": "B", "from": "A", "chips": 100}]}
    assert "session_chips" in codes(sheet("kc-2.5", lost))
    assert "session_chips" not in codes(sheet("kc-2.5", bought))
    assert scores(sheet("kc-2.5", lost)) == scores(sheet("kc-2.5", bought))


def test_kc_two_winners_do_not_count_and_four_rounds_end_the_session() -> None:
    two: Json = {
        "type": "win",
        "from": "A",
        "winners": [{"player": "B", "multiplier": 2}, {"player": "C", "multiplier": 2}],
    }
    found = sheet("kc-2.5", two)
    assert nets(found) == [(0, 0, 0, 0)]
    assert "session_two_winners" in codes(found)
    won: Json = {"type": "win", "multiplier": 2, "self_drawn": True}
    passing = [{**won, "player": "BCDA"[n % 4]} for n in range(16)]
    whole = sheet("kc-2.5", *passing)
    assert [row.round for row in whole.rows] == [1] * 4 + [2] * 4 + [3] * 4 + [4] * 4
    assert codes(whole).count("session_seats") == 1


def test_mcr_the_nearest_claim_wins_and_winds_follow_the_deal() -> None:
    claims: Json = {
        "type": "win",
        "from": "D",
        "winners": [{"player": "C", "fan": 24}, {"player": "B", "fan": 8}],
    }
    found = sheet("mcr-2006", claims)
    assert nets(found) == [(-8, 32, -8, -16)]
    assert "session_nearest" in codes(found)
    # B is east in the second deal, and the round wind is still east: two fan more than in the first
    winds: Json = {"type": "win", "player": "B", "hand": "123456789m55p EE +E", "self_drawn": True}
    first, second = (
        sheet("mcr-1998", *([{"type": "exhaust"}] * n), winds).rows[-1] for n in (0, 1)
    )
    assert dict(second.net)["B"] - dict(first.net)["B"] == 3 * 2
    assert [row.dealer for row in sheet("mcr-1998", *([{"type": "exhaust"}] * 5)).rows] == [
        *"ABCDA"
    ]


def test_mcr_penalties_go_where_the_referee_says_and_the_text_that_lacks_them_is_named() -> None:
    foul: Json = {"player": "C", "points": 30, "to": ["A", "B", "D"], "reason": "错和"}
    found = sheet("mcr-2006", {"type": "exhaust", "penalties": [foul]})
    assert nets(found) == [(10, 10, -30, 10)]
    assert found.fines[0].points == 30
    lacking = [p.message for p in found.problems if p.code == "session_text_lacks"]
    assert any("article 11" in message for message in lacking)
    alone = sheet("mcr-2006", {"type": "exhaust"}, penalties=[{"player": "C", "points": 10}])
    assert scores(alone)["C"] == -10
    assert "deal_balance" not in codes(alone)


def test_mcr_equal_scores_share_the_standard_points() -> None:
    found = sheet("mcr-2006", {"type": "exhaust"}, standard_points=[4, 2, 1, 0])
    assert [float(place.standard or 0) for place in found.places] == [1.75] * 4


def test_an_event_ranks_players_and_teams_10_4_4() -> None:
    won: Json = {"type": "win", "player": "B", "base_points": 2, "from": "D"}
    session = {"players": ["A", "B", "C", "D"], "deals": [{"events": [won]}]}
    other = {"players": ["A", "B", "C", "D"], "deals": [{"events": [END]}]}
    found = event_sheet(
        {
            "rules": "sichuan-2024",
            "sessions": [session, other],
            "teams": {"Red": ["A", "B"], "Blue": ["C", "D"]},
        }
    )
    assert [(one.name, float(one.standard)) for one in found.teams] == [
        ("Red", 11.5),
        ("Blue", 8.5),
    ]
    assert [one.name for one in found.players] == ["B", "A", "C", "D"]
    assert found.players[1].rank == found.players[2].rank == 2


def log(rules: str, *deals: Json, **more: object) -> Json:
    return {"rules": rules, "players": [*"ABCD"], "deals": [*deals], **more}


kc_log, mcr_log, sichuan_log = (
    partial(log, rules) for rules in ("kc-2.5", "mcr-2006", "sichuan-2024")
)


@pytest.mark.parametrize(
    ("value", "field"),
    [
        ({}, "rules"),
        ({"rules": "mcr-3000"}, "rules"),
        ({"rules": "kc-2.5", "players": ["A"]}, "deals"),
        ({"rules": "kc-2.5", "players": ["A"], "deals": []}, "players"),
        ({"rules": "kc-2.5", "players": [*"ABCD"], "dels": []}, "dels"),
        ({"rules": "kc-2.5", "players": [*"ABCD"], "deals": [{"type": "chow"}]}, "deals[0].type"),
        (
            {
                "rules": "kc-2.5",
                "players": [*"ABCD"],
                "deals": [{"type": "win", "player": "A", "multiplier": 2, "frm": "B"}],
            },
            "deals[0].frm",
        ),
        (
            {
                "rules": "mcr-2006",
                "players": [*"ABCD"],
                "deals": [{"type": "win", "player": "A", "fan": 4, "from": "B"}],
            },
            "deals[0].fan",
        ),
        (
            {
                "rules": "mcr-2006",
                "players": [*"ABCD"],
                "deals": [{"type": "win", "player": "A", "hand": "123m", "from": "B"}],
            },
            "deals[0].hand",
        ),
        (
            {"rules": "sichuan-2024", "players": [*"ABCD"], "deals": [{"evnts": []}]},
            "deals[0].evnts",
        ),
        (
            {
                "rules": "sichuan-2024",
                "players": [*"ABCD"],
                "deals": [],
                "penalties": [{"player": "X", "points": 1}],
            },
            "penalties[0].player",
        ),
        (
            kc_log({"type": "win", "player": "A", "multiplier": -5, "from": "B"}),
            "deals[0].multiplier",
        ),
        (
            kc_log({"type": "win", "player": "A", "multiplier": 0, "from": "B"}),
            "deals[0].multiplier",
        ),
        (kc_log({"type": "heavenly_win", "player": "B"}), "deals[0].player"),
        (kc_log({"type": "false_win", "player": "A", "ready": {"B": -1}}), "deals[0].ready.B"),
        (kc_log(chips=0), "chips"),
        (mcr_log({"type": "win", "player": "A", "fan": 10**30, "from": "B"}), "deals[0].fan"),
        (mcr_log(penalties=[{"player": "A", "points": 10, "to": ["A"]}]), "penalties[0].to"),
        (mcr_log(penalties=[{"player": "A", "points": 10, "to": ["B", "B"]}]), "penalties[0].to"),
        (mcr_log(penalties=[{"player": "A", "points": 10, "to": [*"BCD"]}]), "penalties[0].to"),
        (mcr_log(standard_points=[4, 3, 2]), "standard_points"),
        (mcr_log(standard_points=[4, 3, 2, float("inf")]), "standard_points[3]"),
        (sichuan_log(standard_points=[4, 3, 2]), "standard_points"),
        (sichuan_log(standard_points=[4, 3, 2, float("nan")]), "standard_points[3]"),
        (sichuan_log(standard_points=[*"4321"]), "standard_points[0]"),
        (sichuan_log(penalties=[{"player": "A", "points": 10**30}]), "penalties[0].points"),
        (sichuan_log(players=["A", "\x1b[31mB", "C", "D"]), "players"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_field(value: Json, field: str) -> None:
    with pytest.raises(CaseFormatError) as caught:
        session_sheet(value)
    assert caught.value.field == field


def test_csv_has_a_row_a_deal_and_no_formula() -> None:
    found = sheet("sichuan-2024", {"events": []}, players=["=1+1", "B", "C", "D"])
    rows = list(csv.reader(io.StringIO(sheet_csv(found))))
    assert rows[1][2] == "'=1+1"
    assert rows[2][:4] == ["1", "'=1+1", "0", "0"]
    assert [row[0] for row in rows[3:]] == [
        "本场比赛分 score",
        "扣分 fines",
        "名次 place",
        "标准分 standard points",
    ]
