"""What two MCR profiles say differently about one hand, fan by fan, with the reason."""

from __future__ import annotations

from hupai.scoring.hand import Circumstances, Hand
from hupai.scoring.mcr.citations import clause_zh
from hupai.scoring.mcr.fans import FANS, Fan
from hupai.scoring.mcr.rules import McrRules
from hupai.scoring.profile_differences import FanDifference, ProfileDifference
from hupai.scoring.result import ExcludedFan, FanLine, Score


def differences(
    hand: Hand, circumstances: Circumstances, left: McrRules, right: McrRules
) -> ProfileDifference:
    """Score a hand under two profiles and say what differs and why.

    Args:
        hand: any hand; with one that has no score under either there is nothing to compare.
        circumstances: how it was won.
        left, right: the rule sets, e.g. `hupai.scoring.mcr.rules.rules_by_id("mcr-2006")`.
    """
    scores = left.score(hand, circumstances), right.score(hand, circumstances)
    lines = [{line.id: line for line in score.fans} for score in scores]
    found = [
        _difference(FANS[fan_id], (left, right), scores, pair)
        for fan_id in dict.fromkeys([*lines[0], *lines[1]])
        for pair in [(lines[0].get(fan_id), lines[1].get(fan_id))]
        if _points(pair[0]) != _points(pair[1])
    ]
    found.sort(key=_highest, reverse=True)
    return ProfileDifference(*scores, tuple(found))


def _points(line: FanLine | None) -> tuple[int, int] | None:
    return None if line is None else (line.points, line.count)


def _highest(fan: FanDifference) -> int:
    return max(points * count for points, count in (fan.left or (0, 0), fan.right or (0, 0)))


def _difference(
    fan: Fan,
    rules: tuple[McrRules, McrRules],
    scores: tuple[Score, Score],
    lines: tuple[FanLine | None, FanLine | None],
) -> FanDifference:
    left, right = lines
    english, chinese = _reason(fan, rules, scores, lines)
    return FanDifference(fan.id, fan.zh, fan.en, _points(left), _points(right), english, chinese)


def _reason(
    fan: Fan,
    rules: tuple[McrRules, McrRules],
    scores: tuple[Score, Score],
    lines: tuple[FanLine | None, FanLine | None],
) -> tuple[str, str]:
    """Say why: other points, excluded on one side, no such fan, or another decomposition."""
    left, right = lines
    if left is not None and right is not None and left.points != right.points:
        return (
            f"{left.points} points by {left.clause}, {right.points} by {right.clause}.",
            f"{clause_zh(left.clause)}为{left.points}番，{clause_zh(right.clause)}为{right.points}番。",
        )
    for rule_set, score, line, other in (
        (rules[0], scores[0], left, right),
        (rules[1], scores[1], right, left),
    ):
        if other is not None and (line is None or line.count < other.count):
            if not rule_set.profile.points_of(fan):
                return f"{rule_set.id} has no {fan.en}.", f"{rule_set.name_zh}没有{fan.zh}。"
            out = _excluded_fan(score, fan)
            if out is not None:
                return f"{rule_set.id}: {out.reason_en}", f"{rule_set.name_zh}：{out.reason_zh}"
    return "The two profiles choose another reading of the hand.", "两套规则所取的组合不同。"


def _excluded_fan(score: Score, fan: Fan) -> ExcludedFan | None:
    return next((out for out in score.excluded if out.id == fan.id), None)
