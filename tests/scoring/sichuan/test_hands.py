"""Finished Sichuan hands, worked by hand: each fan, how they add up, the cap, and who pays."""

from __future__ import annotations

import pytest

from hupai.scoring.hand import Circumstances
from hupai.scoring.notation import parse_hand
from hupai.scoring.result import Principle, Score
from hupai.scoring.sichuan.patterns import PATTERNS
from hupai.scoring.sichuan.rules import SICHUAN_2024


def score(hand: str, **flags: bool | int | str) -> Score:
    return SICHUAN_2024.score(parse_hand(hand), Circumstances(**flags))  # type: ignore[arg-type]


def fans(answer: Score) -> dict[str, int]:
    return {line.zh: line.count for line in answer.fans}


PLAIN = "123456789m22p56p +4p"

WORKED = [
    ("plain hand, table 1, 4", PLAIN, {}, {"平和": 1}, 1),
    ("plain hand of chows and pungs", "123m456m22p77p [999p] +7p", {}, {"平和": 1}, 1),
    ("all pungs, table 1, 3", "777m99m88p [333m] [555p] +8p", {}, {"大对子": 1}, 2),
    (
        "all pungs with a kong: a root too",
        "777m99m88p [3333m] [555p] +8p",
        {},
        {"大对子": 1, "带根": 1},
        4,
    ),
    ("seven pairs, table 1, 2", "1133557799m22p4p +4p", {}, {"七对": 1}, 4),
    (
        "seven pairs with four of a kind, table 1, 12",
        "1111335577m22p4p +4p",
        {},
        {"七对": 1, "带根": 1},
        8,
    ),
    (
        "seven pairs with two fours of a kind: 4 fan, capped",
        "11113333m5577p9p +9p",
        {},
        {"七对": 1, "带根": 2},
        8,
    ),
    ("pure suit, table 1, 1", "2334556778999m +1m", {}, {"清一色": 1}, 4),
    ("pure suit all pungs", "5557799m [111m] [333m] +7m", {}, {"清一色": 1, "大对子": 1}, 8),
    (
        "pure suit with a root spread over chow and pung",
        "2344456778899m +4m",
        {},
        {"清一色": 1, "带根": 1},
        8,
    ),
    (
        "golden wait on top of all pungs, table 1, 9",
        "9m [111m] [333m] [555p] [777p] +9m",
        {},
        {"大对子": 1, "金钩钓": 1},
        4,
    ),
    (
        "golden wait with a kong",
        "9m [1111m] [333m] [555p] [777p] +9m",
        {},
        {"大对子": 1, "金钩钓": 1, "带根": 1},
        8,
    ),
    (
        "golden wait with a concealed kong",
        "9m (1111m) [333m] [555p] [777p] +9m",
        {},
        {"大对子": 1, "金钩钓": 1, "带根": 1},
        8,
    ),
    ("root in the hand without a kong", "1111m23m456p789p5p +5p", {}, {"带根": 1}, 2),
    ("root made by the winning tile", "111m23m456p789p55p +1m", {}, {"带根": 1}, 2),
    ("root of pung and winning chow", "23m456p789p55p [111m] +1m", {}, {"带根": 1}, 2),
    ("added kong is a root", "345m67p99m [2222p+] [888m] +8p", {}, {"带根": 1}, 2),
    ("three roots are the cap", "56m99m [1111p] [2222p] (3333m) +4m", {}, {"带根": 3}, 8),
    (
        "four roots are still 8",
        "9m [1111p] [2222p] (3333m) (5555m) +9m",
        {},
        {"大对子": 1, "金钩钓": 1, "带根": 4},
        8,
    ),
    ("discard after a kong, table 1, 10", PLAIN, {"kong_discard": True}, {"杠上炮": 1}, 2),
    ("robbed kong, table 1, 11", "123456789m22p57p +6p", {"robbing_kong": True}, {"抢杠": 1}, 2),
    ("last discard, table 1, 13", PLAIN, {"last_tile": True}, {"海底": 1}, 2),
    (
        "last draw, table 1, 13",
        PLAIN,
        {"last_tile": True, "self_drawn": True},
        {"海底": 1, "自摸": 1},
        2,
    ),
    (
        "last discard after a kong: both",
        PLAIN,
        {"last_tile": True, "kong_discard": True},
        {"海底": 1, "杠上炮": 1},
        4,
    ),
    (
        "kong's replacement counts as self-drawn, table 1, 8; 9.3.1",
        "345m67p99m [2222p] [888m] +8p",
        {"kong_replacement": True, "self_drawn": True},
        {"杠上花": 1, "带根": 1, "自摸": 1},
        4,
    ),
    (
        "kong's replacement as the last tile: both",
        "345m67p99m [2222p] [888m] +8p",
        {"kong_replacement": True, "self_drawn": True, "last_tile": True},
        {"杠上花": 1, "带根": 1, "海底": 1, "自摸": 1},
        8,
    ),
]


@pytest.mark.parametrize(
    ("hand", "flags", "expected", "points"),
    [case[1:] for case in WORKED],
    ids=[case[0] for case in WORKED],
)
def test_worked_hand(
    hand: str, flags: dict[str, bool], expected: dict[str, int], points: int
) -> None:
    answer = score(hand, **flags)
    assert fans(answer) == expected
    assert answer.total == points
    assert answer.legal


def test_every_fan_of_the_table_occurs_in_a_worked_hand() -> None:
    worked = {zh for case in WORKED for zh in case[3]}
    assert {pattern.zh for pattern in PATTERNS} == worked


def test_the_fan_sum_is_given_uncapped_and_capped() -> None:
    details = dict(score("1122445577889m +9m").details)
    assert (details["fan_sum"], details["capped_fan"], details["base_points"]) == (4, 3, 8)


CAPPED = "1122445577889m +9m"
ROBBED = "123456789m22p57p +6p"


@pytest.mark.parametrize(
    ("hand", "flags", "payer", "count", "amount"),
    [
        (CAPPED, {}, "discarder", 1, 8),
        (ROBBED, {"robbing_kong": True}, "robbed", 1, 2),
        (CAPPED, {"self_drawn": True}, "each", 3, 9),
        (CAPPED, {"self_drawn": True, "opponents": 2}, "each", 2, 9),
        (CAPPED, {"self_drawn": True, "opponents": 1}, "each", 1, 9),
        (CAPPED, {"self_drawn": True, "partner_play": True}, "each", 2, 9),
        (CAPPED, {"self_drawn": True, "partner_play": True, "opponents": 1}, "each", 1, 9),
    ],
)
def test_payments_10_2_4(
    hand: str, flags: dict[str, bool | int], payer: str, count: int, amount: int
) -> None:
    answer = score(hand, **flags)
    assert [(p.payer, p.count, p.amount) for p in answer.payments] == [(payer, count, amount)]
    assert answer.winner_receives == count * amount


def test_self_draw_point_lies_outside_the_cap() -> None:
    answer = score("1122445577889m +9m", self_drawn=True)
    assert answer.total == 8
    assert answer.payments[0].amount == 9
    assert answer.payments[0].formula == "8 + 1"


def test_pairs_that_also_make_chows_are_read_as_pairs() -> None:
    answer = score("1122334455667p +7p")
    assert fans(answer) == {"清一色": 1, "七对": 1}
    assert answer.runner_up is not None
    assert answer.runner_up.total == 4
    assert ("清一色", 1) in answer.runner_up.fans


def test_pungs_that_also_make_chows_are_read_as_pungs() -> None:
    answer = score("111222333m4m [555p] +4m")
    assert fans(answer) == {"大对子": 1}
    assert answer.runner_up is not None
    assert answer.runner_up.total == 1
    assert answer.runner_up.fans == (("平和", 1),)


def test_fours_of_a_kind_are_read_as_pairs_where_that_is_worth_more() -> None:
    """1111 2222 3333 44 are seven pairs with three roots; as chows and pungs they would be three
    roots only.
    """
    answer = score("111122223333m4p +4p")
    assert fans(answer) == {"七对": 1, "带根": 3}
    assert answer.total == 8


def test_a_single_wait_short_of_four_open_sets_is_a_near_miss() -> None:
    answer = score("777m9m [111m] [333m] [555p] +9m")
    assert fans(answer) == {"大对子": 1}
    missed = [e for e in answer.excluded if e.zh == "金钩钓"]
    assert len(missed) == 1
    assert missed[0].principle is Principle.CONDITION
    assert "fewer than four" in missed[0].reason_en


def test_no_near_miss_where_the_pair_was_not_the_wait() -> None:
    assert score("77m99m [111m] [333m] [555p] +7m").excluded == ()


def test_an_unknown_winning_tile_does_not_keep_a_hand_from_being_scored() -> None:
    answer = score("1133557799m22p44p")
    assert answer.legal
    assert fans(answer) == {"七对": 1}


def test_a_pung_completed_by_a_discard_is_claimed_in_the_split() -> None:
    discard = score("777m99m88p [333m] [555p] +8p")
    drawn = score("777m99m88p [333m] [555p] +8p", self_drawn=True)
    won_part = next(p for p in discard.split if p.has_winning_tile)
    assert not won_part.concealed
    assert next(p for p in drawn.split if p.has_winning_tile).concealed


def test_each_fan_has_a_reason_in_two_languages_and_a_clause() -> None:
    for case in WORKED:
        for line in score(case[1], **case[2]).fans:
            assert line.clause.startswith("T/TFMJ 01-2024, table 1, ")
            assert line.why_en.endswith(".")
            assert line.why_zh.endswith("。")
