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
"""The families that come with the program: a new one is a package and its entry here."""

_families: list[Family] = [*FAMILIES]


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
    return tuple(rules for family in _families for rules in family.rules)


def families() -> tuple[Family, ...]:
    """Return every family, those registered from outside last."""
    return tuple(_families)


def register(family: Family) -> None:
    """Add a family of a package outside the program; everything then knows its rule sets.

    Raises:
        ValueError: a family has this id already, or a rule set's id does not begin with it.
    """
    if any(one.id == family.id for one in _families):
        raise ValueError(f"there is a family {family.id!r} already")
    strange = [rules.id for rules in family.rules if rules.id.partition("-")[0] != family.id]
    if strange:
        raise ValueError(f"ids of rule sets must begin with {family.id}-, unlike {strange}")
    _families.append(family)


def unregister(family: Family) -> None:
    """Take away a family that `register` added.

    Raises:
        ValueError: it was not added.
    """
    if family in FAMILIES:
        raise ValueError(f"{family.id!r} comes with the program")
    _families.remove(family)


def get(rules: str) -> RuleSet:
    """Return the rule set with this id, e.g. ``mcr-1998``.

    Raises:
        UnknownRuleSetError: names the ids there are.
    """
    for one in all_rules():
        if one.id == rules:
            return one
    raise UnknownRuleSetError(rules, tuple(one.id for one in all_rules()))


def family_for(rules: RuleSet) -> Family | None:
    """Return the family that a rule set is of, a house's own rules too; None if it is of none."""
    own = family_of(rules.id)
    if own is not None and rules in own.rules:
        return own
    kind = type(rules)
    return next((one for one in _families if any(type(r) is kind for r in one.rules)), None)


def family_of(rules: str) -> Family | None:
    """Return the family that a rule set's id belongs to, None if there is none."""
    return next((family for family in _families if family.id == rules.partition("-")[0]), None)
