"""What a family of rule sets tells the rest of scoring about itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

from hupai.scoring.result import RuleSet

if TYPE_CHECKING:
    from hupai.scoring.cases.figures import CaseRunner


@dataclass(frozen=True, slots=True)
class House:
    """What a house-rule file says.

    Attributes:
        id, name_en, name_zh: of the new rule set.
        settings: numbers and switches that differ from the base.
        points: fan (by id) whose value differs, with the value.
        off: ids of fan that do not count.
    """

    id: str
    name_en: str
    name_zh: str
    settings: Mapping[str, Any]
    points: tuple[tuple[str, int], ...]
    off: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HouseSchema:
    """What a house may change of one rule set, its base.

    Attributes:
        base: id of the rule set.
        numbers: keys that take a whole number, with the least and the most.
        switches: keys that are true or false.
        fans: every name of a fan, English id or Chinese, to its id.
        points: the least and the most that a fan may be set to.
        build: makes the house's rule set.
    """

    base: str
    numbers: Mapping[str, tuple[int, int]]
    switches: tuple[str, ...]
    fans: Mapping[str, str]
    points: tuple[int, int]
    build: Callable[[House], RuleSet]


@dataclass(frozen=True, slots=True)
class Family:
    """Rule sets of one origin: a package of scoring, registered in `hupai.scoring.rule_sets`.

    Attributes:
        id: what the ids of its rule sets begin with, up to the first hyphen, e.g. ``mcr``.
        name: its name in messages.
        rules: its rule sets.
        package: the package; its module ``conformance`` runs the family's cases.
        house_schemas: what a house may change, one a base.
        unit: of `Score.total`: ``fan``, ``points`` or ``times``.
        figures: details of a score that stand beside its total, e.g. ``han``.
        words: the family's own words, English and Chinese, for terms that others call otherwise:
            ``unit_points``, ``payer_discarder``, ``han`` …
        circumstance_words: the same for circumstances by field: label and help in English, label
            and help in Chinese.
    """

    id: str
    name: str
    rules: tuple[RuleSet, ...]
    package: str
    house_schemas: tuple[HouseSchema, ...] = ()
    unit: str = "fan"
    figures: tuple[str, ...] = ()
    words: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    circumstance_words: Mapping[str, tuple[str, str, str, str]] = field(default_factory=dict)

    @property
    def case_kinds(self) -> Mapping[str, CaseRunner]:
        """What runs each kind of conformance case; imported when first asked for."""
        kinds: Mapping[str, CaseRunner] = import_module(f"{self.package}.conformance").CASE_KINDS
        return kinds
