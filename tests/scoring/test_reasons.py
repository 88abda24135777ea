"""Every reason of an answer: it cites the profile's own text or a ruling, what covers a fan counts
itself, the sentence holds of the hand, and each language stands alone.

The nightly profile draws 2,000 hands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import hypothesis
import pytest

from benchmarks.scoring.hands import Deal, deals
from hupai.scoring import rule_sets
from hupai.scoring.hand import Circumstances
from hupai.scoring.mcr.citations import clause_zh
from hupai.scoring.mcr.fans import ALL
from hupai.scoring.mcr.fans.definition import Text
from hupai.scoring.notation import parse_hand
from hupai.scoring.result import ExcludedFan, Principle, Score, SetKind

HANDS = 2000 if hypothesis.settings().max_examples > 100 else 250

PROFILES = ("mcr-1998", "mcr-2006", "mcr-handbook")
FAMILIES = (*PROFILES, "sichuan-2024", "kc-2.5")

OWN_TEXT = {
    "mcr-1998": r"MCR 1998, fan \d+|tournament practice \(no row in MCR 1998\)",
    "mcr-2006": r"MCR 2006, 3\.8\.1, fan ([1-9]|1[0-3])$|MCR 2006, annex .*"
    r"|MCR 1998, fan \d+( \(row lost in print\))?, standing in: .*",
    "mcr-handbook": r"handbook 4\.\d+\.\d+|handbook: no such fan",
    "sichuan-2024": r"T/TFMJ 01-2024, .*",
    "kc-2.5": r"KC v2\.5, .*",
}

CODES = re.compile(r"\b\d+[mpsz]\b|[A-Za-z…]")
CHINESE = re.compile(r"[\u3400-\u9fff]")


def drawn(rules_id: str) -> Iterator[tuple[Deal, Score]]:
    rules = rule_sets.get(rules_id)
    for deal in deals(20261123, HANDS):
        if all(tile in rules.tiles for tile in deal.hand.all_tiles):
            score = rules.score(deal.hand, deal.circumstances)
            if score.complete:
                yield deal, score


@pytest.fixture(scope="module", params=FAMILIES)
def answers(request: pytest.FixtureRequest) -> tuple[str, list[tuple[Deal, Score]]]:
    rules: str = request.param
    found = list(drawn(rules))
    assert len(found) > HANDS // 100
    return rules, found


Answers = tuple[str, list[tuple[Deal, Score]]]


def sentences(score: Score) -> Iterator[tuple[str, str]]:
    for fan in score.fans:
        yield fan.why_en, fan.why_zh
    for out in score.excluded:
        yield out.reason_en, out.reason_zh
    for step in score.steps:
        yield step.en, step.zh


def test_each_clause_is_in_the_own_text(answers: Answers) -> None:
    rules, found = answers
    for _, score in found:
        for clause in (*(f.clause for f in score.fans), *(f.clause for f in score.excluded)):
            assert re.match(OWN_TEXT[rules], clause), clause


def test_a_reason_names_no_text_that_the_profile_does_not_follow(answers: Answers) -> None:
    rules, found = answers
    foreign = {
        "mcr-1998": ("handbook", "2006", "手册"),
        "mcr-2006": ("handbook", "手册"),
        "mcr-handbook": ("MCR 1998", "MCR 2006"),
    }.get(rules, ("MCR", "handbook"))
    for _, score in found:
        for out in score.excluded:
            if out.principle is not Principle.RULING:
                assert not any(word in out.reason_en + out.reason_zh for word in foreign)


def test_an_exclusion_by_name_is_in_the_text(answers: Answers) -> None:
    rules, found = answers
    if rules not in PROFILES:
        return
    own = Text.HANDBOOK if rules == "mcr-handbook" else Text.MCR_1998
    by_id = {fan.id: fan for fan in ALL}
    for _, score in found:
        for out in score.excluded:
            if out.principle is Principle.EXCLUDED:
                by = by_id[out.by or ""]
                named = [one for one in by.excludes if one.fan == out.id and own in one.texts]
                assert named, (by.zh, out.zh)
                if rules == "mcr-2006":
                    assert "standing in" in out.reason_en


def test_what_covers_a_fan_counts_itself(answers: Answers) -> None:
    _, found = answers
    for _, score in found:
        counted = {fan.id for fan in score.fans}
        for out in score.excluded:
            assert out.by is None or out.by in counted, (out.zh, out.by)


def test_what_contains_a_fan_always_brings_it(answers: Answers) -> None:
    """Where 不重复 is the reason once, the hand shows the fan wherever the larger one counts."""
    rules, found = answers
    if rules not in PROFILES:
        return
    pairs = {
        (out.by, out.id)
        for _, score in found
        for out in score.excluded
        if out.principle is Principle.NON_REPEAT
    }
    assert pairs
    for deal, score in found:
        counted = {fan.id for fan in score.fans}
        shown = counted | {out.id for out in score.excluded}
        for by, fan in pairs:
            if by not in counted or fan in shown:
                continue
            # nothing claimed and self-drawn is 不求人 instead of 门前清; winds not given are none
            drawn = fan == "concealed_hand" and deal.circumstances.self_drawn
            wind = fan in ("seat_wind", "prevalent_wind")
            pairs_only = [part.kind for part in score.split].count(SetKind.PAIR) == 7
            # one pung makes one of the two only
            assert drawn or wind or pairs_only or fan in _EITHER, (by, fan, str(deal.hand))


_EITHER = {"single_wait", "two_concealed_kongs", "concealed_kong", "melded_kong"}


def test_sentences_hold_of_the_hand(answers: Answers) -> None:
    _, found = answers
    for deal, score in found:
        kinds = [part.kind for part in score.split]
        for fan in score.fans:
            if "our chows" in fan.why_en:
                assert kinds.count(SetKind.CHOW) == 4
            if fan.zh == "平和" and SetKind.KNITTED in kinds:
                assert "knitted straight" in fan.why_en
                assert kinds.count(SetKind.CHOW) == 1
        for out in score.excluded:
            if "self-drawn" in out.reason_en:
                assert deal.circumstances.self_drawn


def test_chinese_and_english_texts_are_not_mixed(answers: Answers) -> None:
    _, found = answers
    for _, score in found:
        for english, chinese in sentences(score):
            assert not CODES.search(chinese), chinese
            assert " " not in chinese, chinese
            assert not CHINESE.search(english), english
            assert "…" not in english


def test_clauses_have_chinese_names(answers: Answers) -> None:
    rules, found = answers
    if rules in PROFILES:
        for _, score in found:
            for fan in score.fans:
                assert not re.search(r"[A-Za-z]", clause_zh(fan.clause)), fan.clause


def test_2006_uses_its_own_names() -> None:
    for rules, big, little in (
        ("mcr-2006", "四风会", "小四风会"),
        ("mcr-1998", "大四喜", "小四喜"),
    ):
        found = {fan.zh for _, score in drawn(rules) for fan in score.fans}
        assert {big, little} & found
        assert not {"大四喜", "四风会", "小四喜", "小四风会"} & found - {big, little}


def score_of(rules: str, notation: str, **how: bool) -> Score:
    return rule_sets.get(rules).score(parse_hand(notation), Circumstances(**how))  # type: ignore[arg-type]


def reason(score: Score, zh: str) -> ExcludedFan:
    return next(out for out in score.excluded if out.zh == zh)


@pytest.mark.parametrize("rules", PROFILES)
def test_four_winds_cover_the_pungs_of_winds_themselves(rules: str) -> None:
    out = reason(score_of(rules, "EEE SSS WWW NN 5p5p +N"), "幺九刻")
    assert out.by == "big_four_winds"
    named = rules == "mcr-handbook"
    assert out.principle is (Principle.EXCLUDED if named else Principle.NON_REPEAT)


def test_nine_gates_by_ruling() -> None:
    score = score_of("mcr-1998", "1112345678999m +5m", self_drawn=True)
    assert reason(score, "不求人").principle is Principle.RULING
    assert reason(score, "不求人").reason_zh == (
        "九莲宝灯自摸只加计自摸，不加计不求人（裁定：限定门清的牌型自摸）。"
    )
    assert reason(score, "幺九刻").principle is Principle.RULING


def test_all_chows_beside_a_knitted_straight_says_what_the_hand_has() -> None:
    score = score_of("mcr-1998", "258m23469p14788s +3p")
    (chows,) = [fan for fan in score.fans if fan.zh == "平和"]
    assert "Four chows" not in chows.why_en
    assert "组合龙" in chows.why_zh


def test_no_honours_beside_all_chows_is_not_counted_again() -> None:
    """What a referee asks: why does 无字 not count?"""
    out = reason(score_of("mcr-1998", "123456m234p67s55p +8s"), "无字")
    assert out.reason_zh == "平和已包含无字，不重复计。"


def test_sichuan_shows_fan_cap_and_points_as_steps() -> None:
    _, score = next(
        (deal, score) for deal, score in drawn("sichuan-2024") if dict(score.details)["fan_sum"] > 3
    )
    units = [(step.unit, step.amount) for step in score.steps[:3]]
    assert units == [("fan", dict(score.details)["fan_sum"]), ("fan", 3), ("points", 8)]
    assert score.steps[2].formula == "2^3"
