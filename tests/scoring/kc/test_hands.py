"""Finished KC hands, worked by hand: each pattern, each exclusion, and the least that wins."""

from __future__ import annotations

from math import prod

import pytest

from hupai.scoring.hand import Circumstances
from hupai.scoring.kc.decomposition import KcOptions
from hupai.scoring.kc.pattern import Exclusion
from hupai.scoring.kc.rules import KC_2_5, PATTERNS, KcRules
from hupai.scoring.notation import parse_hand
from hupai.scoring.result import Principle, Score

Flags = dict[str, bool | int]

DRAWN: Flags = {"self_drawn": True}
READY: Flags = {"heavenly_ready": True}

CONCEALED_HAND = "123m567p345s99s67m +8m"
STRAIGHT = "456789m55p67s [123m] +8s"
CLOSED_WAIT = "678m57s222p99s [345m] +6s"
APART = "147m258p39sESWNC +F"
SINGLE_WAIT = "4p [123m] [555p] [678s] [999s] +4p"
WITH_DECLARATION = KcRules(options=KcOptions(ready_declaration=True))


def score(hand: str, **flags: bool | int) -> Score:
    return house_score(KC_2_5, hand, **flags)


def house_score(rules: KcRules, hand: str, **flags: bool | int) -> Score:
    return rules.score(parse_hand(hand), Circumstances(**flags))  # type: ignore[arg-type]


def factors(answer: Score) -> dict[str, int]:
    return {line.zh: line.points**line.count for line in answer.fans}


WORKED: list[tuple[str, str, Flags, dict[str, int]]] = [
    ("straight", STRAIGHT, {}, {"一条龙": 2}),
    ("dealer", STRAIGHT, {"dealer": True}, {"一条龙": 2, "庄家": 2}),
    ("self-drawn", STRAIGHT, DRAWN, {"一条龙": 2, "自摸": 2}),
    ("concealed hand, on a discard", CONCEALED_HAND, {}, {"门清": 2}),
    (
        "a concealed kong keeps the hand concealed",
        "123m567p99s67m (3333s) +8m",
        {},
        {"门清": 2, "杠": 2},
    ),
    ("an exposed kong does not", "123m567p99s67m [3333s] +8m", {}, {"杠": 2}),
    ("two kongs double twice", "123m99s67m (3333s) [5555p+] +8m", {}, {"杠": 4}),
    ("all pungs", "555p88s99s [222m] [EEE] +8s", {}, {"碰碰和": 2}),
    ("half flush and all pungs", "555m88m99m [222m] [CCC] +8m", {}, {"碰碰和": 2, "混一色": 2}),
    ("mixed triple chow", "234p23s567m99m [234m] +4s", {}, {"三色三同顺": 2}),
    ("mixed shifted chows", "456p57s222mEE [345m] +6s", {}, {"三色步步高": 2}),
    ("four mixed shifted chows", "234s345p46m99p [123m] +5m", {}, {"三色四步高": 4}),
    (
        "four mixed shifted chows, the text's second order",
        "234s345m46p99p [123m] +5p",
        {},
        {"三色四步高": 4},
    ),
    (
        "no four shifted chows with neighbours of one suit",
        "234m345s46p99p [123m] +5p",
        {},
        {"三色步步高": 2},
    ),
    ("melded hand", SINGLE_WAIT, {}, {"全求人": 2}),
    (
        "melded hand with an exposed kong",
        "4p [123m] [5555p] [678s] [999s] +4p",
        {},
        {"全求人": 2, "杠": 2},
    ),
    ("a concealed kong is no claim", "4p [123m] (5555p) [678s] [999s] +4p", {}, {"杠": 2}),
    ("a single wait drawn is no melded hand", SINGLE_WAIT, DRAWN, {"自摸": 2}),
    ("robbed kong", CLOSED_WAIT, {"robbing_kong": True}, {"抢杠": 2}),
    ("last of its kind on a closed wait", CLOSED_WAIT, {"last_of_kind": True}, {"和绝张": 2}),
    (
        "last of its kind, the other three in the own pung, whatever was said",
        "46m99p123789s [555m] +5m",
        {},
        {"和绝张": 2},
    ),
    (
        "last of its kind, the other three in own chows",
        "46m99p [345m] [345m] [567m] +5m",
        {},
        {"一色步步高": 4, "和绝张": 2},
    ),
    ("tiles of the own hand do not lie open", "555m46m99p789s [123s] +5m", DRAWN, {"自摸": 2}),
    (
        "last of its kind, all apart, whatever its waits",
        APART,
        {"last_of_kind": True},
        {"全不靠": 4, "和绝张": 2},
    ),
    (
        "last of its kind, thirteen orphans",
        "119m19p19sESWNCF +P",
        {"last_of_kind": True, "self_drawn": True},
        {"十三幺": 32, "和绝张": 2, "自摸": 2},
    ),
    ("all simples", "345m678p34s88p [666s] +5s", {}, {"断幺九": 2}),
    (
        "all simples, concealed, self-drawn",
        "345m678p34s666s88p +5s",
        DRAWN,
        {"断幺九": 2, "门清": 2, "自摸": 2},
    ),
    (
        "terminal or honour in each set",
        "123p13s999pEE [123m] +2s",
        {},
        {"全带幺": 2, "三色三同顺": 2},
    ),
    (
        "terminal or honour in each set, all pungs",
        "111m99p99s [EEE] [CCC] +9p",
        {},
        {"全带幺": 2, "碰碰和": 2, "五门齐": 2},
    ),
    ("all five types", "234m678p55sEE [CCC] +E", {}, {"五门齐": 2}),
    (
        "last draw counts with self-drawn",
        CLOSED_WAIT,
        {"last_tile": True, "self_drawn": True},
        {"海底捞月": 2, "自摸": 2},
    ),
    ("last discard", CLOSED_WAIT, {"last_tile": True}, {"河底摸鱼": 2}),
    ("pure triple chow", "234m234m678s9p [234m] +9p", {}, {"一色三同顺": 4}),
    ("pure shifted chows", "345m456m678s9p [234m] +9p", {}, {"一色步步高": 4}),
    ("chows two apart are not shifted", "345m567m678s9p [123m] +9p", DRAWN, {"自摸": 2}),
    ("full flush", "1334567899m [555m] +2m", {}, {"清一色": 4}),
    (
        "three kongs, each doubling too",
        "67s99p [7777m] (2222s) [5555p+] +8s",
        {},
        {"三杠子": 4, "杠": 8},
    ),
    (
        "win on a kong's replacement",
        "68s555s99p [7777m] [234p] +7s",
        {"kong_replacement": True, **DRAWN},
        {"杠上开花": 4, "杠": 2},
    ),
    ("all apart", APART, {}, {"全不靠": 4}),
    ("all apart, the suits the other way round", "258m369p47sESWNC +1s", {}, {"全不靠": 4}),
    ("all apart, self-drawn", APART, DRAWN, {"全不靠": 4, "自摸": 2}),
    ("all apart with the seven honours", "147m25p36sESWNCF +P", {}, {"七星不靠": 8}),
    ("seven pairs", "113355m2244p66s9s +9s", {}, {"七小对": 6}),
    ("seven pairs in a half flush", "11336688mEECCP +P", {}, {"七小对": 6, "混一色": 2}),
    ("seven pairs of all five types", "11m33s55p77p99sEEC +C", {}, {"七小对": 6, "五门齐": 2}),
    (
        "seven pairs of terminals and honours have no 全带幺",
        "1199m1199p11sEEC +C",
        {},
        {"七小对": 6, "五门齐": 2},
    ),
    (
        "three concealed pungs, one completed on two pairs",
        "222p666s77p99s [345m] +7p",
        {},
        {"三暗刻": 6},
    ),
    (
        "three concealed pungs in a concealed hand",
        "222p666s77p99s345m +7p",
        {},
        {"三暗刻": 6, "门清": 2},
    ),
    (
        "a concealed kong is a concealed pung",
        "666s77p99s [345m] (2222p) +7p",
        {},
        {"三暗刻": 6, "杠": 2},
    ),
    ("two pairs of equal chows", "112233m44556p99s +6p", {}, {"二杯口": 8, "门清": 2}),
    ("two pairs of equal chows, one claimed", "112233m45p99s [456p] +6p", {}, {"二杯口": 8}),
    ("two pairs of equal chows of neighbouring rank", "12312323m99p [234m] +4m", {}, {"二杯口": 8}),
    ("two pairs of equal chows need twelve tiles", "11223344m567s99p +9p", {}, {"门清": 2}),
    ("little three dragons", "CCCFF45m678s [PPP] +6m", {}, {"小三元": 8}),
    ("four kongs", "6m [7777m] (2222s) [5555p+] [9999s] +6m", {}, {"四杠子": 8, "杠": 16}),
    (
        "little four winds, half flush counted",
        "45mNN [EEE] [SSS] [WWW] +6m",
        {},
        {"小四喜": 8, "混一色": 2},
    ),
    ("dragon seven pairs", "111155m2244p66s9s +9s", {}, {"龙七对": 12}),
    ("ready from the deal", CONCEALED_HAND, READY, {"天听": 16}),
    ("ready from the deal, self-drawn", CONCEALED_HAND, READY | DRAWN, {"天听": 16, "自摸": 2}),
    ("big three dragons", "FF456m99p [CCC] [PPP] +F", {}, {"大三元": 16}),
    ("all terminals", "111m99p99s [111s] [999m] +9p", {}, {"清老头": 16}),
    ("nine gates, any tile", "1112345678999m +5m", {}, {"九莲宝灯": 16, "门清": 2}),
    (
        "nine gates with a straight",
        "1112345678999m +1m",
        {},
        {"九莲宝灯": 16, "门清": 2, "一条龙": 2},
    ),
    (
        "1112345678999 with a claimed pung is no nine gates",
        "2345678999m [111m] +5m",
        {},
        {"清一色": 4},
    ),
    ("double dragon seven pairs", "1111m2222p4466s9s +9s", {}, {"双龙七对": 16}),
    (
        "three fours of a kind are double dragon pairs",
        "1111m2222p4444s9s +9s",
        {},
        {"双龙七对": 16},
    ),
    ("seven consecutive pairs", "1122334455667p +7p", {}, {"连七对": 32, "门清": 2}),
    (
        "seven consecutive pairs of simples",
        "2233445566778p +8p",
        {},
        {"连七对": 32, "门清": 2, "断幺九": 2},
    ),
    ("the seven honours in pairs", "EESSWWNNCCFFP +P", {}, {"连七对": 32, "门清": 2}),
    (
        "big four winds, all pungs counted",
        "NN55m [EEE] [SSS] [WWW] +N",
        {},
        {"大四喜": 32, "碰碰和": 2},
    ),
    ("four concealed pungs", "22288m555p77999s +7s", {}, {"四暗刻": 32, "门清": 2}),
    ("thirteen orphans", "19m19p19sESWNCFP +P", {}, {"十三幺": 32}),
    ("all green", "22334466sFF [888s] +F", {}, {"绿一色": 32}),
    (
        "all green without the dragon is a full flush too",
        "2344466688s [222s] +4s",
        {},
        {"绿一色": 32, "清一色": 4, "断幺九": 2},
    ),
    ("all honours", "EEECCFF [SSS] [NNN] +F", {}, {"字一色": 32}),
    ("all honours over little three dragons", "EEECCFF [SSS] [PPP] +F", {}, {"字一色": 32}),
    ("all honours over big three dragons", "EESS [CCC] [FFF] [PPP] +E", {}, {"字一色": 32}),
    (
        "big four winds over all honours, for all pungs count there",
        "NNCC [EEE] [SSS] [WWW] +N",
        {},
        {"大四喜": 32, "碰碰和": 2},
    ),
    ("little four winds under all honours", "CCNN [EEE] [SSS] [WWW] +C", {}, {"字一色": 32}),
]


@pytest.mark.parametrize(
    ("hand", "flags", "expected"), [case[1:] for case in WORKED], ids=[case[0] for case in WORKED]
)
def test_worked_hand(hand: str, flags: Flags, expected: dict[str, int]) -> None:
    answer = score(hand, **flags)
    assert factors(answer) == expected
    assert answer.total == prod(expected.values())
    assert answer.legal


def test_every_pattern_occurs_in_a_worked_hand() -> None:
    worked = {zh for case in WORKED for zh in case[3]}
    assert {p.zh for p in PATTERNS} - worked == {"报听"}


EXCLUDED, CONTAINED = Principle.EXCLUDED, Principle.NON_REPEAT

EXCLUSIONS: list[tuple[str, Flags, str, dict[str, Principle]]] = [
    (APART, {}, "全不靠", {"门清": EXCLUDED, "五门齐": EXCLUDED}),
    (
        "147m25p36sESWNCF +P",
        {},
        "七星不靠",
        {"门清": EXCLUDED, "五门齐": EXCLUDED, "全不靠": CONTAINED},
    ),
    ("113355m2244p66s9s +9s", {}, "七小对", {"门清": EXCLUDED}),
    ("111155m2244p66s9s +9s", {}, "龙七对", {"门清": EXCLUDED, "七小对": CONTAINED}),
    (
        "1111m2222p4466s9s +9s",
        {},
        "双龙七对",
        {"门清": EXCLUDED, "七小对": CONTAINED, "龙七对": CONTAINED},
    ),
    ("1122334455667p +7p", {}, "连七对", {"七小对": CONTAINED, "清一色": CONTAINED}),
    ("EESSWWNNCCFFP +P", {}, "连七对", {"七小对": CONTAINED, "字一色": CONTAINED}),
    ("19m19p19sESWNCFP +P", {}, "十三幺", {"门清": EXCLUDED, "五门齐": EXCLUDED}),
    ("1112345678999m +5m", {}, "九莲宝灯", {"清一色": CONTAINED}),
    ("22334466sFF [888s] +F", {}, "绿一色", {"混一色": EXCLUDED}),
    ("EEECCFF [SSS] [NNN] +F", {}, "字一色", {"碰碰和": CONTAINED}),
    ("EEECCFF [SSS] [PPP] +F", {}, "字一色", {"碰碰和": CONTAINED, "小三元": EXCLUDED}),
    ("EESS [CCC] [FFF] [PPP] +E", {}, "字一色", {"碰碰和": CONTAINED, "大三元": EXCLUDED}),
    ("CCNN [EEE] [SSS] [WWW] +C", {}, "字一色", {"碰碰和": CONTAINED, "小四喜": EXCLUDED}),
    ("NNCC [EEE] [SSS] [WWW] +N", {}, "大四喜", {"字一色": EXCLUDED}),
    ("NN55m [EEE] [SSS] [WWW] +N", {}, "大四喜", {"混一色": EXCLUDED}),
    ("22288m555p77999s +7s", {}, "四暗刻", {"碰碰和": CONTAINED, "三暗刻": CONTAINED}),
    ("111m99p99s [111s] [999m] +9p", {}, "清老头", {"碰碰和": CONTAINED, "全带幺": CONTAINED}),
    (
        "6m [7777m] (2222s) [5555p+] [9999s] +6m",
        {},
        "四杠子",
        {"三杠子": EXCLUDED, "碰碰和": CONTAINED},
    ),
    ("234s345p46m99p [123m] +5m", {}, "三色四步高", {"三色步步高": CONTAINED}),
    ("112233m44556p99s +6p", {}, "二杯口", {"七小对": EXCLUDED}),
    (
        "68s555s99p [7777m] [234p] +7s",
        {"kong_replacement": True, **DRAWN},
        "杠上开花",
        {"自摸": EXCLUDED},
    ),
    (CLOSED_WAIT, {"robbing_kong": True, "last_of_kind": True}, "抢杠", {"和绝张": EXCLUDED}),
    (CONCEALED_HAND, READY, "天听", {"门清": EXCLUDED}),
]


@pytest.mark.parametrize(("hand", "flags", "by", "expected"), EXCLUSIONS)
def test_exclusion(hand: str, flags: Flags, by: str, expected: dict[str, Principle]) -> None:
    answer = score(hand, **flags)
    names = {p.id: p.zh for p in PATTERNS}
    found = {e.zh: (e.principle, names.get(e.by or "")) for e in answer.excluded}
    assert found == {zh: (principle, by) for zh, principle in expected.items()}
    assert by in factors(answer)


@pytest.mark.parametrize(
    ("hand", "dropped", "total", "en", "zh"),
    [
        (
            "NNCC [EEE] [SSS] [WWW] +N",
            "字一色",
            64,
            "big four winds; the one that brings more stays.",
            "与大四喜不并计，取较大的一种。",
        ),
        (
            "EESS [CCC] [FFF] [PPP] +E",
            "大三元",
            32,
            "all honours; both bring the same, and all honours stays.",
            "与字一色不并计，两者相同，取字一色。",
        ),
        (
            "(EEEE) (SSSS) (WWWW) NNNC +C",
            "大四喜",
            32 * 32 * 2 * 8 * 4,
            "all honours; both bring the same, and all honours stays.",
            "与字一色不并计，两者相同，取字一色。",
        ),
    ],
)
def test_of_two_rivals_the_reason_says_whether_one_brings_more(
    hand: str, dropped: str, total: int, en: str, zh: str
) -> None:
    answer = score(hand)
    assert answer.total == total
    (excluded,) = (one for one in answer.excluded if one.zh == dropped)
    assert excluded.reason_en == f"It does not count together with {en}"
    assert excluded.reason_zh == zh


def test_every_exclusion_of_the_table_occurs_above() -> None:
    shown = {(by, zh) for _, _, by, names in EXCLUSIONS for zh in names}
    names = {p.id: p.zh for p in PATTERNS}
    stated = {(p.zh, names[e.id]) for p in PATTERNS for e in p.excludes} | {
        (p.zh, names[r]) for p in PATTERNS for r in p.rivals
    }
    assert stated - shown == {("天听", "报听"), ("字一色", "大四喜")}


def test_the_table_excludes_only_patterns_that_exist_and_come_later() -> None:
    """Exclusions are applied from the highest-scoring pattern down.

    A pattern may therefore exclude only what is tried after it.
    """
    order = [p.id for p in sorted(PATTERNS, key=lambda p: -p.times)]
    for pattern in PATTERNS:
        for exclusion in pattern.excludes:
            assert isinstance(exclusion, Exclusion)
            assert order.index(exclusion.id) > order.index(pattern.id)


def test_last_of_its_kind_does_not_count_on_two_waits() -> None:
    answer = score("678m67s222p99s [345m] +8s", last_of_kind=True, self_drawn=True)
    assert factors(answer) == {"自摸": 2}
    assert [(e.zh, e.principle, e.by) for e in answer.excluded] == [
        ("和绝张", Principle.EXCLUDED, None)
    ]


def test_three_in_the_own_pung_do_not_count_on_two_waits() -> None:
    """一番, 和绝张: 两头听，和其中一张是绝张不算和绝张."""
    answer = score("34m99p123789s [555m] +5m", self_drawn=True)
    assert factors(answer) == {"自摸": 2}
    assert [e.zh for e in answer.excluded] == ["和绝张"]


def test_a_pattern_that_the_house_switched_off_is_not_why_another_does_not_count() -> None:
    house = KcRules(options=KcOptions(off=("two_twins", "seven_pairs")))
    answer = house_score(house, "112233m112233p8s +8s", self_drawn=True)
    assert factors(answer) == {"自摸": 2, "门清": 2}
    assert [(e.zh, e.principle, e.by) for e in answer.excluded] == [
        ("二杯口", Principle.HOUSE, None)
    ]


def test_declaring_ready_is_a_house_option() -> None:
    answer = score(CONCEALED_HAND, ready_declared=True)
    assert factors(answer) == {"门清": 2}
    assert [(e.zh, e.principle) for e in answer.excluded] == [("报听", Principle.HOUSE)]
    assert factors(house_score(WITH_DECLARATION, CONCEALED_HAND, ready_declared=True)) == {
        "门清": 2,
        "报听": 2,
    }
    both = house_score(WITH_DECLARATION, CONCEALED_HAND, ready_declared=True, heavenly_ready=True)
    assert factors(both) == {"天听": 16}
    assert {(e.zh, e.by) for e in both.excluded} == {
        ("门清", "heavenly_ready"),
        ("报听", "heavenly_ready"),
    }


def test_kongs_beside_three_kongs_are_a_house_option() -> None:
    rules = KcRules(options=KcOptions(kongs_beside_group=False))
    assert factors(house_score(rules, "67s99p [7777m] (2222s) [5555p+] +8s")) == {"三杠子": 4}
    assert factors(house_score(rules, "123m99s67m (3333s) [5555p+] +8m")) == {"杠": 4}


def test_a_hand_without_a_fan_may_not_win() -> None:
    answer = score("678m67s222p99s [345m] +8s")
    assert (answer.complete, answer.legal, answer.total) == (True, False, 1)
    assert [p.code for p in answer.problems] == ["no_fan"]
    assert answer.payments == ()


def test_the_dealers_factor_is_a_fan() -> None:
    assert score("678m67s222p99s [345m] +8s", dealer=True).legal


def test_heavenly_win_pays_a_fixed_sum() -> None:
    answer = score(CONCEALED_HAND, heavenly_win=True, dealer=True, self_drawn=True, dealer_streak=2)
    assert factors(answer) == {"天和": 200}
    assert [(p.payer, p.count, p.amount) for p in answer.payments] == [("each", 3, 200)]
    assert {e.zh for e in answer.excluded} == {"庄家", "自摸", "门清"}
    assert all(
        e.principle is Principle.HIGH_NOT_LOW and e.by == "heavenly_win" for e in answer.excluded
    )


def test_the_highest_scoring_decomposition_counts() -> None:
    """222333444m: three concealed pungs or three equal chows; pungs bring 6 here, chows 4."""
    answer = score("222333444m9p [678s] +9p")
    assert factors(answer) == {"三暗刻": 6}
    assert answer.runner_up is not None
    assert answer.runner_up.total == 4
    assert answer.runner_up.fans == (("一色三同顺", 1),)


def test_each_fan_has_a_reason_in_two_languages_and_a_clause() -> None:
    for _, hand, flags, _ in WORKED:
        answer = score(hand, **flags)
        for line in answer.fans:
            assert line.clause.startswith("KC v2.5, 3.2, ")
            assert line.why_en.endswith(".")
            assert line.why_zh.endswith("。")
            assert all(0 <= i < len(answer.split) for i in line.parts)
        for omitted in answer.excluded:
            assert omitted.reason_en.endswith(".")
            assert omitted.reason_zh.endswith("。")
