"""The registry of rule sets: by id, or all of them."""

from __future__ import annotations

from difflib import get_close_matches

import hupai.scoring.kc
import hupai.scoring.mcr
import hupai.scoring.sichuan
from hupai.scoring.errors import HupaiError
from hupai.scoring.result import RuleSet


class UnknownRuleSetError(HupaiError, KeyError):
    """No rule set has this id.

    Attributes:
        rules: the id asked for.
        known: the ids there are.
    """

    def __init__(self, rules: str, known: tuple[str, ...]) -> None:
        self.rules = rules
        self.known = known
        super().__init__(rules)

    def __str__(self) -> str:
        close = get_close_matches(self.rules.lower(), self.known, 1)
        hint = f"; did you mean {close[0]}?" if close else ""
        return f"no rule set {self.rules!r}: use {', '.join(self.known)}{hint}"


def all_rules() -> tuple[RuleSet, ...]:
    """Every rule set, the default (mcr-1998) first."""
    return _ALL


def get(rules: str) -> RuleSet:
    """The rule set with this id, e.g. ``mcr-1998``.

    Raises:
        UnknownRuleSetError: names the ids there are.
    """
    for rule_set in _ALL:
        if rule_set.id == rules:
            return rule_set
    raise UnknownRuleSetError(rules, tuple(rule_set.id for rule_set in _ALL))


_ALL: tuple[RuleSet, ...] = (
    *hupai.scoring.mcr.RULES,
    *hupai.scoring.sichuan.RULES,
    *hupai.scoring.kc.RULES,
)
