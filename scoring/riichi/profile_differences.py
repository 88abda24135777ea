"""What two riichi profiles say differently about one hand: yaku, dora, fu and limits."""

from __future__ import annotations

from hupai.scoring.hand import Circumstances, Hand
from hupai.scoring.profile_differences import FanDifference, ProfileDifference
from hupai.scoring.result import FanLine, RuleSet, Score, Step


def differences(
    hand: Hand, circumstances: Circumstances, left: RuleSet, right: RuleSet
) -> ProfileDifference:
    """Score a hand under two profiles and say what differs and why.

    Where the yaku are the same and the points are not, the step that differs is named.
    """
    scores = left.score(hand, circumstances), right.score(hand, circumstances)
    lines = [{line.id: line for line in score.fans} for score in scores]
    found = [
        _difference(scores, lines[0].get(name), lines[1].get(name))
        for name in dict.fromkeys([*lines[0], *lines[1]])
        if _han(lines[0].get(name)) != _han(lines[1].get(name))
    ]
    if not found and scores[0].total != scores[1].total:
        found = [_figure(*scores)]
    found.sort(
        key=lambda one: (
            -max(han * count for han, count in (one.left or (0, 0), one.right or (0, 0)))
        )
    )
    return ProfileDifference(*scores, tuple(found))


def _han(line: FanLine | None) -> tuple[int, int] | None:
    return None if line is None else (line.points, line.count)


def _difference(
    scores: tuple[Score, Score], left: FanLine | None, right: FanLine | None
) -> FanDifference:
    line = left or right
    assert line is not None
    without = scores[0] if left is None else scores[1]
    out = next((one for one in without.excluded if one.id == line.id), None)
    if left is not None and right is not None:
        en, zh = "The two profiles count another number of it.", "两套规则所计的数目不同。"
    elif out is not None:
        en, zh = f"{without.rules}: {out.reason_en}", f"{without.rules}：{out.reason_zh}"
    elif not without.legal:
        en, zh = f"{without.rules}: the hand may not win.", f"{without.rules}：此手牌不能和。"
    else:
        en, zh = f"{without.rules} does not count it.", f"{without.rules} 不计。"
    return FanDifference(line.id, line.zh, line.en, _han(left), _han(right), en, zh)


_SAME = {"limit": "base_points"}
"""Steps that stand in each other's place."""


def _figure(left: Score, right: Score) -> FanDifference:
    """Name the first step that differs: fu of the double wind, a rounded mangan, a limit."""
    steps = [{_SAME.get(step.id, step.id): step for step in score.steps} for score in (left, right)]
    names = dict.fromkeys([*steps[0], *steps[1]])
    changed = next(
        (name for name in names if _said(steps[0].get(name)) != _said(steps[1].get(name))), ""
    )
    pair = steps[0].get(changed), steps[1].get(changed)
    step = pair[0] or pair[1]
    en = f"{left.rules}: {_said(pair[0])}; {right.rules}: {_said(pair[1])}."
    zh = f"{left.rules}：{_said_zh(pair[0])}；{right.rules}：{_said_zh(pair[1])}。"
    name_en, name_zh = ("points", "点") if step is None else (step.en, step.zh)
    return FanDifference(
        changed or "points", name_zh, name_en, (left.total, 1), (right.total, 1), en, zh
    )


def _said(step: Step | None) -> str:
    return "no such step" if step is None else f"{step.en} {step.amount} {step.unit}"


def _said_zh(step: Step | None) -> str:
    return "无此项" if step is None else f"{step.zh} {step.amount}"
