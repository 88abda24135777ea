"""Each row of the rulings: the same hand under mcr-1998, mcr-2006 and mcr-handbook."""

from __future__ import annotations

import pytest

from hupai.scoring.hand import Circumstances
from hupai.scoring.mcr.profile_differences import differences
from hupai.scoring.mcr.rules import rules_by_id
from hupai.scoring.notation import parse_hand
from tests.scoring.mcr.examples import fans, score

PROFILES = ("mcr-1998", "mcr-2006", "mcr-handbook")


@pytest.mark.parametrize(
    ("ruling", "hand", "flags", "totals"),
    [
        ("双暗杠", "33m88s[456p](8888m)(4444m) +3m", "", (8, 10, 10)),
        ("明暗杠", "99m77p123s(6666s)[2222m] +7p", "", (6, 7, 4)),
        ("九莲宝灯 self-drawn; 幺九刻", "1112345678999m +5m", "self_drawn", (92, 95, 94)),
        ("连七对 self-drawn", "1122334456677m +5m", "self_drawn", (89, 92, 92)),
        ("十三幺 self-drawn", "19m19p19sESWNCFP +1p", "self_drawn", (89, 92, 92)),
        ("四暗刻 self-drawn", "222m444p55s777m66s +6s", "self_drawn", (67, 70, 67)),
        ("七对 self-drawn", "336677m77p8sEENN +8s", "self_drawn", (25, 28, 25)),
        ("七星不靠 self-drawn", "147m39p5sESWNCFP +8s", "self_drawn", (25, 28, 25)),
        ("全不靠 self-drawn", "369m14p28sESWNFP +7p", "self_drawn", (13, 16, 13)),
        ("四杠 with one concealed", "5p[8888m][3333m](6666s)[EEEE] +5p", "", (92, 94, 94)),
        ("四杠 with two concealed", "5p[8888m](3333m)(6666s)[EEEE] +5p", "", (94, 100, 100)),
        ("三杠 with one concealed", "67mEE(2222s)[3333s][5555p] +8m", "", (32, 34, 32)),
        ("三杠 with two concealed", "67mEE(2222s)(3333s)[5555p] +8m", "", (34, 40, 34)),
        ("三杠 with three concealed", "55p(1111m)(2222p)(3333s)34m +5m", "", (60, 60, 60)),
        ("缺一门 with 三风刻", "67m55p[EEE][SSS][WWW] +8m", "", (17, 17, 16)),
        ("缺一门 with 一色四步高", "55p[123m][234m][345m]56m +4m", "", (35, 35, 34)),
        ("缺一门 with 一色四节高", "55p[222m][333m][444m]55m +5m", "", (51, 51, 50)),
        ("缺一门 with 一色四同顺", "55p[234m][234m][234m]34m +2m", "", (57, 57, 56)),
        ("混一色 with 绿一色", "223344668888sF +F", "self_drawn", (115, 124, 115)),
        ("双同刻 with 清幺九", "11p99s[111m][111s][999m] +9s", "", (64, 68, 68)),
    ],
)
def test_a_ruling(ruling: str, hand: str, flags: str, totals: tuple[int, int, int]) -> None:
    assert tuple(score(hand, flags, rules=rules).total for rules in PROFILES) == totals


def test_what_two_profiles_say_differently_about_a_hand() -> None:
    hand = parse_hand("1112345678999m +5m")
    found = differences(
        hand, Circumstances(self_drawn=True), rules_by_id("mcr-1998"), rules_by_id("mcr-handbook")
    )
    assert (found.left.total, found.right.total) == (92, 94)
    assert [(fan.zh, fan.left, fan.right) for fan in found.fans] == [
        ("不求人", None, (4, 1)),
        ("幺九刻", (1, 1), None),
        ("自摸", (1, 1), None),
    ]
    assert (
        found.fans[0].reason_en
        == "mcr-1998: By ruling a self-drawn Nine Gates adds the self-draw point and not "
        "Fully Concealed Hand (docs/rulings.md, self-draw on hands concealed by construction)."
    )
    assert found.fans[1].reason_zh.startswith(
        "国标麻将规则（玩家手册）：九莲宝灯明文不计幺九刻（手册第4.1.3节）"
    )


def test_profiles_that_agree_and_profiles_that_differ_in_points() -> None:
    circumstances = Circumstances()
    rules = rules_by_id("mcr-1998"), rules_by_id("mcr-2006")
    assert differences(parse_hand("34sEE[123m][567p][888s] +5s"), circumstances, *rules).agree
    (fan,) = differences(parse_hand("33m88s[456p](8888m)(4444m) +3m"), circumstances, *rules).fans
    assert (fan.zh, fan.left, fan.right) == ("双暗杠", (6, 1), (8, 1))
    assert (
        fan.reason_en == "6 points by MCR 1998, fan 53, 8 by MCR 2006, annex "
        "(the available print breaks off; as in practice)."
    )


def test_a_fan_that_a_profile_does_not_have() -> None:
    rules = rules_by_id("mcr-1998"), rules_by_id("mcr-handbook")
    found = differences(parse_hand("99m77p123s(6666s)[2222m] +7p"), Circumstances(), *rules)
    reasons = {fan.zh: fan.reason_en for fan in found.fans}
    assert reasons["明暗杠"] == "mcr-handbook has no Concealed Kong and Melded Kong."
    assert reasons["暗杠"].startswith("mcr-1998: Concealed Kong and Melded Kong contains it")


def test_lines_cite_the_profiles_own_text() -> None:
    assert (
        score("123m456p77789sEE +E", rules="mcr-handbook").fans[0].clause.startswith("handbook 4.")
    )
    assert fans(score("123m456p77789sEE +E"))["门前清"] == 1
