"""One hand under several rule sets, side by side: whether it may win under each, what it is worth,
and why not where it may not.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from hupai.scoring import rule_sets as registry
from hupai.scoring.hand import Circumstances, Hand
from hupai.scoring.result import Problem, RuleSet, Score, Severity
from hupai.scoring.waits import score_known


class WinStatus(Enum):
    """Whether a hand wins under a rule set."""

    WIN = "win"
    """A legal win."""
    NOT_ALLOWED = "not_allowed"
    """The tiles make a winning shape, but the win is not allowed: the minimum, a suit too many, a
    contradiction and the like.
    """
    NO_WIN = "no_win"
    """The tiles make no winning shape of this rule set."""


@dataclass(frozen=True, slots=True)
class Column:
    """A hand under one rule set.

    Attributes:
        rules: id of the rule set.
        name_en: its English name.
        name_zh: its Chinese name.
        status: whether it wins.
        reasons: the problems that keep it from winning; empty for a win.
        remarks: the other problems: warnings, and notes on what these rules do not look at.
        score: the whole answer.
    """

    rules: str
    name_en: str
    name_zh: str
    status: WinStatus
    reasons: tuple[Problem, ...]
    remarks: tuple[Problem, ...]
    score: Score


@dataclass(frozen=True, slots=True)
class Comparison:
    """A hand under several rule sets, in the order asked for.

    Attributes:
        hand: the hand.
        circumstances: how it was won; each rule set reads those it knows.
        columns: one answer a rule set.
    """

    hand: Hand
    circumstances: Circumstances
    columns: tuple[Column, ...]

    def __str__(self) -> str:
        totals = ", ".join(
            f"{column.rules} {column.score.total} {column.score.unit}"
            + ("" if column.score.legal else " (no win)")
            for column in self.columns
        )
        return f"{self.hand}: {totals}"

    def wins(self) -> tuple[str, ...]:
        """List the ids of the rule sets under which the hand wins."""
        return tuple(column.rules for column in self.columns if column.status is WinStatus.WIN)


def compare(
    hand: Hand, circumstances: Circumstances, rules: Iterable[str] | None = None
) -> Comparison:
    """Score one hand under several rule sets.

    Args:
        hand: any hand, legal or not.
        circumstances: how it was won.
        rules: ids of the rule sets, in the order wanted; all of them if None.

    Raises:
        UnknownRuleSetError: for an id that no rule set has. Never for the hand.
    """
    chosen = registry.all_rules() if rules is None else tuple(map(registry.get, rules))
    return Comparison(
        hand, circumstances, tuple(_column(rule_set, hand, circumstances) for rule_set in chosen)
    )


def _column(rule_set: RuleSet, hand: Hand, circumstances: Circumstances) -> Column:
    score = score_known(rule_set, hand, circumstances) or rule_set.score(hand, circumstances)
    verdict = (
        WinStatus.WIN
        if score.legal
        else WinStatus.NOT_ALLOWED
        if score.complete
        else WinStatus.NO_WIN
    )
    reasons = () if score.legal else _reasons(score)
    remarks = tuple(problem for problem in score.problems if problem not in reasons)
    return Column(rule_set.id, rule_set.name_en, rule_set.name_zh, verdict, reasons, remarks, score)


def _reasons(score: Score) -> tuple[Problem, ...]:
    """Return the errors, or the warnings where there is none.

    A hand below the minimum is a legal shape with a warning.
    """
    errors = tuple(p for p in score.problems if p.severity is Severity.ERROR)
    return errors or tuple(p for p in score.problems if p.severity is Severity.WARNING)
