"""Decides why a fan is not counted beside another: by a clause of the profile's text, by 不重复, by
ruling.

A text is cited only under the profile that follows it. The available copy of the 2006 text breaks
off after fan 13; from there on the text of 1998 is cited instead, and the reason says so.
"""

from __future__ import annotations

import re
from functools import cache

from hupai.scoring.mcr.fans import Fan
from hupai.scoring.mcr.fans.definition import Excludes, Text
from hupai.scoring.mcr.profiles import LAST_ROW_OF_2006, Profile
from hupai.scoring.result import Principle

_KONGS = frozenset(
    {
        "two_melded_kongs",
        "melded_kong",
        "two_concealed_kongs",
        "concealed_kong",
        "concealed_and_melded_kong",
    }
)
_SPECIAL = frozenset(
    {
        "nine_gates",
        "seven_shifted_pairs",
        "thirteen_orphans",
        "four_concealed_pungs",
        "seven_pairs",
        "greater_honours_and_knitted_tiles",
        "lesser_honours_and_knitted_tiles",
    }
)
"""Hands that are concealed by construction."""


def citation(profile: Profile, by: Fan, excludes: Excludes) -> tuple[Principle, str, str]:
    """Return the principle by which `by` excludes a fan, and where the text says so.

    The clause in English and in Chinese is empty for 不重复.
    """
    base = profile.base or profile.id
    own = Text.HANDBOOK if base == "mcr-handbook" else Text.MCR_1998
    if own in excludes.texts and not (base == "mcr-2006" and by.number <= LAST_ROW_OF_2006):
        clause = profile.clause_of_text(by)
        return Principle.EXCLUDED, clause, clause_zh(clause)
    if is_inevitable(by, excludes):
        return Principle.NON_REPEAT, "", ""
    return Principle.RULING, "docs/rulings.md", "裁定"


def is_inevitable(by: Fan, excludes: Excludes) -> bool:
    """Return True if every hand with `by` that could have the other fan has it because of `by`."""
    if excludes.at_most is not None:
        return False
    if excludes.fan in _KONGS:
        return by.id not in ("four_kongs", "three_kongs")
    if excludes.fan == "fully_concealed_hand":
        return False
    if excludes.fan == "single_wait":
        return by.id in ("four_kongs", "melded_hand")
    return (by.id, excludes.fan) not in _NOT_INEVITABLE


_NOT_INEVITABLE = frozenset(
    {
        ("pure_terminal_chows", "seven_pairs"),
        ("all_terminals", "double_pung"),
        ("all_green", "half_flush"),
        ("quadruple_chow", "pure_shifted_pungs"),
        ("four_pure_shifted_pungs", "pure_triple_chow"),
        ("pure_triple_chow", "pure_shifted_pungs"),
        ("pure_shifted_pungs", "pure_triple_chow"),
        ("nine_gates", "pung_of_terminals_or_honours"),
        ("quadruple_chow", "one_voided_suit"),
        ("four_pure_shifted_pungs", "one_voided_suit"),
        ("four_pure_shifted_chows", "one_voided_suit"),
        ("big_three_winds", "one_voided_suit"),
    }
)
"""Fan that another excludes without always bringing them."""


def ruling(by: Fan, fan: Fan, by_zh: str, fan_zh: str) -> tuple[str, str]:
    """Return by which ruling a fan is not counted beside another, in English and Chinese."""
    if fan.id == "fully_concealed_hand" and by.id in _SPECIAL:
        return (
            f"By ruling a self-drawn {by.en} adds the self-draw point and not {fan.en} "
            "(docs/rulings.md, self-draw on hands concealed by construction).",
            f"{by_zh}自摸只加计自摸，不加计{fan_zh}（裁定：限定门清的牌型自摸）。",
        )
    if fan.id in _KONGS:
        return (
            f"By ruling {by.en} holds the fan of its kongs (docs/rulings.md, concealed kongs with "
            "three or four kongs).",
            f"{by_zh}已含各杠之分，不加计{fan_zh}（裁定：三杠、四杠与暗杠）。",
        )
    if by.id == "nine_gates":
        return (
            f"By ruling one {fan.en} of {by.en} is not counted (docs/rulings.md, Nine Gates).",
            f"{by_zh}中的{fan_zh}有一副不计（裁定：九莲宝灯与幺九刻）。",
        )
    return (
        f"By ruling {fan.en} is not added to {by.en} (docs/rulings.md; 1998 and practice agree).",
        f"{by_zh}不加计{fan_zh}（裁定：从一九九八年版及比赛惯例）。",
    )


_WORDS = (
    (r"MCR 2006, 3\.8\.1, fan (\d+)", r"二〇〇六年版第三点八点一条第\1番"),
    (r"MCR 1998, fan (\d+)", r"一九九八年版番种表第\1番"),
    (r"handbook ([\d.]+)", r"手册第\1节"),
    (r", standing in: the print of 2006 breaks off after fan 13", "，二〇〇六年版印本缺，以此代之"),
    (r" \(row lost in print\)", "，印本缺行"),
    (r"; points by house rule \S+", "；分值依本场规则"),
    (r"tournament practice \(no row in MCR 1998\)", "比赛惯例（一九九八年版无此番）"),
    (r"T/TFMJ 01-2024, table 1, (\d+)", r"四川麻将竞赛规则表1第\1项"),
    (r"T/TFMJ 01-2024, ([\d.]+)$", r"四川麻将竞赛规则第\1条"),
    (r"KC v2\.5, (\d+)$", r"俱乐部规则第\1节"),
    (r"KC v2\.5, ", "俱乐部规则"),
    (r"MCR 1998, 和牌分数的组成结构 (\d+)", r"一九九八年版“和牌分数的组成结构”第\1项"),
    (r"MCR 2006, ([\d.]+) and art\. (\d+)", r"二〇〇六年版第\1条、第\2条"),
    (r"EMA 2016, ([\d.]+) Chombo", r"欧洲规则（EMA，2016年）第\1条（错和）"),
    (r"EMA 2016, ([\d.]+) Dead hand", r"欧洲规则（EMA，2016年）第\1条（多张、少张）"),
    (r"WRC 2015, ([\d.]+) Fouls", r"世界锦标赛规则（WRC，2015年）第\1条（犯规）"),
    (r"the event's regulations", "赛事规程"),
    (r"MCR 2006, annex \(fan 57\)", "二〇〇六年版附件第57番"),
    (
        r"MCR 2006, annex \(the available print breaks off; as in practice\)",
        "二〇〇六年版附件（印本缺，从惯例）",
    ),
)


@cache
def clause_zh(clause: str) -> str:
    """Name a clause in Chinese alone: of a fan of MCR, Sichuan or KC, or of any fine."""
    for pattern, words in _WORDS:
        clause = re.sub(pattern, words, clause)
    return clause
