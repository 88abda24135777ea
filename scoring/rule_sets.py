"""The registry of rule sets: by id, or all of them."""

from __future__ import annotations

from difflib import get_close_matches

import hupai.scoring.kc
import hupai.scoring.mcr
import hupai.scoring.riichi
import hupai.scoring.sichuan
from hupai.scoring.errors import HupaiError
from hupai.scoring.family import Family
from hupai.scoring.result import RuleSet

FAMILIES: tuple[Family, ...] = (
    hupai.scoring.mcr.FAMILY,
    hupai.scoring.sichuan.FAMILY,
    hupai.scoring.kc.FAMILY,
    hupai.scoring.riichi.FAMILY,
)
"""Every family of rule sets: a new one is a package and its entry here."""

_ALL: tuple[RuleSet, ...] = tuple(rules for family in FAMILIES for rules in family.rules)
_BY_ID = {rules.id: rules for rules in _ALL}


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
    """Return every rule set, the default (mcr-1998) first."""
    return _ALL


def get(rules: str) -> RuleSet:
    """Return the rule set with this id, e.g. ``mcr-1998``.

    Raises:
        UnknownRuleSetError: names the ids there are.
    """
    if rules not in _BY_ID:
        raise UnknownRuleSetError(rules, tuple(_BY_ID))
    return _BY_ID[rules]


def family_for(rules: RuleSet) -> Family | None:
    """Return the family that a rule set is of, a house's own rules too; None if it is of none."""
    own = family_of(rules.id)
    if own is not None and rules in own.rules:
        return own
    kind = type(rules)
    return next((one for one in FAMILIES if any(type(r) is kind for r in one.rules)), None)


def family_of(rules: str) -> Family | None:
    """Return the family that a rule set's id belongs to, None where there is none."""
    return next((family for family in FAMILIES if family.id == rules.partition("-")[0]), None)
