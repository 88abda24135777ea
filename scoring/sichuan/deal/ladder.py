"""The fines of chapter 11 that grow with each repetition within a session, and those that do not.

A log names the offence, and the points follow from how often the player has committed it before in
the session (一局).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

WARNING_FIRST = (0, 1, 2, 4, 8, 16)
"""第一次警告，第二次罚1分，第三次2分，第四次4分，以此类推，顶格16分."""

TWO_FIRST = (2, 4, 8, 16)
"""第一次2分，第二次4分，第三次8分，以此类推，顶格16分."""

Tally = Counter[tuple[str, str]]
"""How often each player has committed each offence in the session so far."""


@dataclass(frozen=True, slots=True)
class Misconduct:
    """An offence of chapter 11 that costs points and nothing else.

    Attributes:
        id: its name in a log.
        en: in English.
        zh: in Chinese.
        clause: its clause.
        steps: points at the first, second … time; the last for all that follow.
    """

    id: str
    en: str
    zh: str
    clause: str
    steps: tuple[int, ...]

    def points(self, before: int) -> int:
        """Return the fine of a player who has committed it this often before."""
        return self.steps[min(before, len(self.steps) - 1)]


MISCONDUCT: dict[str, Misconduct] = {
    one.id: one
    for one in (
        Misconduct(
            "wrong_break", "wall opened at the wrong place", "开牌位置错误", "11.2.1.1", (1,)
        ),
        Misconduct(
            "wrong_deal",
            "too many or few tiles taken, deal redone",
            "取牌错误重开",
            "11.2.1.2 b",
            (4,),
        ),
        Misconduct(
            "dealt_exposed",
            "over three tiles exposed at the deal",
            "开牌暴露三张以上",
            "11.2.1.5",
            (4,),
        ),
        Misconduct(
            "pig_probe", "probing a hand by a report of 花猪", "举报花猪试探", "11.2.2.3", (2,)
        ),
        Misconduct(
            "empty_claim", "claim that is not made good", "空碰、空杠", "11.2.5", WARNING_FIRST
        ),
        Misconduct(
            "early_draw",
            "reaching for the wall too early",
            "上家未出牌即摸牌",
            "11.2.6",
            WARNING_FIRST,
        ),
        Misconduct(
            "misdeclared", "pung or kong declared wrongly", "错报碰、杠", "11.2.7.1", WARNING_FIRST
        ),
        Misconduct(
            "late_pung", "pung called after three seconds", "超时碰牌", "11.2.8.1", WARNING_FIRST
        ),
        Misconduct(
            "changed_claim",
            "pung changed to kong or kong to pung",
            "报碰改杠、报杠改碰",
            "11.2.8.2",
            WARNING_FIRST,
        ),
        Misconduct(
            "exposed_tile",
            "exposed tile not discarded in time",
            "罚张未及时打出",
            "11.2.11.2",
            (4,),
        ),
        Misconduct(
            "named_discard", "discard named aloud", "出牌报牌名", "11.2.12.1", WARNING_FIRST
        ),
        Misconduct(
            "discard_before_draw", "discard before the draw", "先打后摸", "11.2.12.2", WARNING_FIRST
        ),
        Misconduct(
            "untidy_discard",
            "discard not laid in order",
            "出牌未整齐摆放",
            "11.2.12.3",
            WARNING_FIRST,
        ),
        Misconduct(
            "late_kong", "tile of a kong not taken in time", "杠牌不及时捡回", "11.2.14.2", (1,)
        ),
        Misconduct(
            "wrong_rows",
            "wrong number of tiles in a row of discards",
            "牌池摆放张数不符",
            "11.2.15.1",
            WARNING_FIRST,
        ),
        Misconduct(
            "wrong_sets", "pung or kong laid wrongly", "碰杠摆放不符", "11.2.15.2", WARNING_FIRST
        ),
        Misconduct(
            "wrong_winning_tile",
            "winning tile laid wrongly",
            "和牌张摆放不符",
            "11.2.15.3",
            WARNING_FIRST,
        ),
        Misconduct("wall_peek", "looking at the rest of the wall", "翻看剩余牌墙", "11.2.16", (1,)),
        Misconduct(
            "hand_peek",
            "looking at another's hand after a win",
            "和牌后看他人手牌",
            "11.2.17",
            (1,),
        ),
        Misconduct("device_worn", "electronic device worn", "佩戴通讯电子产品", "11.2.18.1", (4,)),
        Misconduct("phone_rang", "phone rang", "手机响", "11.2.18.2", (1,)),
        Misconduct("phone_used", "phone looked at", "翻看手机", "11.2.18.2", (2,)),
        Misconduct("signalling", "passing information", "传递信息", "11.2.19", TWO_FIRST),
        Misconduct("rudeness", "uncivil behaviour", "不文明行为", "11.2.20.2", TWO_FIRST),
        Misconduct("late_5", "up to 5 minutes late", "迟到5分钟之内", "11.1 b 1", (2,)),
        Misconduct("late_10", "up to 10 minutes late", "迟到10分钟之内", "11.1 b 1", (4,)),
        Misconduct("late_15", "up to 15 minutes late", "迟到15分钟之内", "11.1 b 1", (8,)),
    )
}
"""Every offence by its name in a log."""

MISCONDUCT_NAMES: dict[str, str] = {
    name: one.id for one in MISCONDUCT.values() for name in (one.id, one.zh, *one.zh.split("、"))
} | {
    clause: ids[0]
    for clause in {one.clause for one in MISCONDUCT.values()}
    if len(ids := [one.id for one in MISCONDUCT.values() if one.clause == clause]) == 1
}
"""Names, Chinese names and clauses, to the name in a log."""
