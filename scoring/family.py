"""The interface of a family of rule sets to the rest of scoring."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from itertools import combinations
from typing import TYPE_CHECKING, Any

from hupai.scoring.hand import Circumstances, Hand
from hupai.scoring.profile_differences import ProfileDifference
from hupai.scoring.result import RuleSet, Score

if TYPE_CHECKING:
    from hupai.scoring.cases.figures import CaseRunner
    from hupai.scoring.fines import Fines
    from hupai.scoring.sessions.sheet import SessionRules


@dataclass(frozen=True, slots=True)
class House:
    """The content of a house-rule file.

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
        numbers: keys that take a whole number, with minimum and maximum.
        switches: keys that are true or false.
        fans: every name of a fan, English id or Chinese, with its id.
        points: minimum and maximum that a fan may be set to.
        build: makes the house's rule set.
    """

    base: str
    numbers: Mapping[str, tuple[int, int]]
    switches: tuple[str, ...]
    fans: Mapping[str, str]
    points: tuple[int, int]
    build: Callable[[House], RuleSet]


@dataclass(frozen=True, slots=True)
class Convention:
    """A convention for laying melds.

    Attributes:
        kong_patterns: frequency of each pattern of a concealed kong: a letter a tile, ``?`` face
            down, ``x`` face up.
        open_kong_concealed: share of kongs with all four faces up and none sideways that are
            concealed ones.
        chows: chows may be claimed at all.
        hand_size: tiles of a hand before it wins, a kong counted as three: 13, in some games 16.
    """

    kong_patterns: tuple[tuple[str, float], ...]
    open_kong_concealed: float
    chows: bool = True
    hand_size: int = 13

    @property
    def sizes(self) -> tuple[int, int]:
        """Tiles of a hand that waits and of one that won, a kong counted as three."""
        return self.hand_size, self.hand_size + 1

    @property
    def sets(self) -> int:
        """Sets of a complete hand, and so the most melds it can have."""
        return self.hand_size // 3

    @property
    def largest(self) -> int:
        """Most tiles of a complete hand without flowers: every set is a kong."""
        return self.hand_size + 1 + self.sets

    def pattern_share(self, pattern: str) -> float:
        """Return the frequency of a pattern; one that is not named is rare, not impossible."""
        return dict(self.kong_patterns).get(pattern, _RARE)


_RARE = 0.01
"""Frequency of patterns of a concealed kong that a convention does not name."""


FACE_DOWN = (
    ("????", 0.5),
    ("?xx?", 0.12),
    ("x??x", 0.12),
    ("???x", 0.05),
    ("x???", 0.05),
    ("?x??", 0.05),
    ("??x?", 0.05),
)
"""Frequencies of patterns where concealed kongs lie face down."""


@dataclass(frozen=True, slots=True)
class Family:
    """Rule sets of one origin: a package of scoring, registered in `hupai.scoring.rule_sets`.

    Attributes:
        id: what the ids of its rule sets begin with, up to the first hyphen, e.g. ``mcr``.
        name: its name in messages.
        rules: its rule sets.
        package: the package; its module ``conformance`` runs the family's cases.
        house_schemas: what a house may change, one per base.
        convention: how melds are laid, and how many tiles a hand has.
        has_sessions: whether the module ``sessions`` settles sessions of several deals.
        compares_profiles: whether the module ``profile_differences`` compares its rule sets.
        unit: of `Score.total`: ``fan``, ``points`` or ``times``.
        figures: details of a score that stand beside its total, e.g. ``han``.
        words: the family's own terms, English and Chinese, where they differ from others:
            ``unit_points``, ``payer_discarder``, ``han`` …
        circumstance_words: the same for circumstances by field: label and help in English, label
            and help in Chinese.
    """

    id: str
    name: str
    rules: tuple[RuleSet, ...]
    package: str
    house_schemas: tuple[HouseSchema, ...] = ()
    convention: Convention = Convention(FACE_DOWN, 0.5)
    has_sessions: bool = False
    compares_profiles: bool = False
    unit: str = "fan"
    figures: tuple[str, ...] = ()
    words: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    circumstance_words: Mapping[str, tuple[str, str, str, str]] = field(default_factory=dict)

    @property
    def case_kinds(self) -> Mapping[str, CaseRunner]:
        """The runner of each kind of conformance case; imported when first needed."""
        kinds: Mapping[str, CaseRunner] = import_module(f"{self.package}.conformance").CASE_KINDS
        return kinds

    @property
    def fines(self) -> Fines:
        """What a referee may choose for a false win: module ``fines``, imported when needed."""
        found: Fines = import_module(f"{self.package}.fines").FINES
        return found

    @property
    def sessions(self) -> SessionRules | None:
        """How sessions are settled, None if there are none; imported when first needed."""
        if not self.has_sessions:
            return None
        found: SessionRules = import_module(f"{self.package}.sessions").SESSIONS
        return found

    def differences(
        self, hand: Hand, circumstances: Circumstances, chosen: Sequence[RuleSet]
    ) -> Iterator[ProfileDifference]:
        """Yield what each two of the family's rule sets among `chosen` say differently."""
        own = [rules for rules in chosen if rules in self.rules]
        if self.compares_profiles and len(own) > 1:
            compare = import_module(f"{self.package}.profile_differences").differences
            for left, right in combinations(own, 2):
                yield compare(hand, circumstances, left, right)


_UNITS = {"fan": ("fan", "番"), "points": ("points", "分"), "times": ("times", "倍")}


def unit_words(family: Family | None) -> tuple[str, str]:
    """Return the unit of a family's totals in English and Chinese, in its own word."""
    unit = "fan" if family is None else family.unit
    return _UNITS[unit] if family is None else family.words.get(f"unit_{unit}", _UNITS[unit])


def figure_words(family: Family | None, score: Score) -> tuple[str, str]:
    """Return the figures that stand beside a total in English and Chinese: 3 han 40 fu."""
    details = dict(score.details)
    names = () if family is None or not score.total else family.figures
    pairs = [(details[name], family.words[name]) for name in names if family and name in details]
    return " ".join(f"{n} {en}" for n, (en, _) in pairs), "".join(
        f"{n}{zh}" for n, (_, zh) in pairs
    )
