"""What a fan is: one short function with its data.

A fan is written as::

    @HandFan(68, "all_simples", "断幺", "All Simples", 2, Aspect.TILES, "4.11.10", why=(...))
    def all_simples(decomposition: Decomposition) -> bool:
        return decomposition.only(SIMPLES)

Three kinds of function find a fan: that of a `HandFan` asks whether the hand or the win as a whole
has it, that of a `SetsFan` lists the parts of each occurrence, that of a `CombinationFan` asks
whether two, three or four chows (or pungs) make it. How combinations share the sets is settled in
`hupai.scoring.mcr.combination_choice`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, IntEnum
from itertools import pairwise
from typing import NamedTuple

from hupai.scoring.mcr.decompositions.decomposition import Decomposition, Shape
from hupai.scoring.mcr.decompositions.parts import Part
from hupai.scoring.result import Principle


class Aspect(IntEnum):
    """What a fan depends on; decompositions that agree in an aspect share the answer
    (`hupai.scoring.mcr.fans.cache_keys` says when they do).
    """

    TILES = 0
    """Shape and kinds of tile."""
    SETS = 1
    """What the sets and the pair have in common."""
    FOURS = 2
    """Tiles of which the hand has all four, and the parts they are in."""
    HONOURS = 3
    """Pungs of terminals and honours, the pair if it is an honour, seat and round wind."""
    PUNGS = 4
    """How the pungs lie to one another."""
    KONGS = 5
    """Which pungs are concealed, which are kongs."""
    CHOWS = 6
    """How the chows lie to one another."""
    WIN = 7
    """How the hand was won, with the part that was completed."""


class Switch(Enum):
    """Where the texts differ other than in points. A profile is a set of these; each one changes
    one exclusion.
    """

    SELF_DRAW_FOUR_GREAT = "fully_concealed_with_nine_gates_seven_shifted_pairs_thirteen_orphans"
    """Self-drawn, these three add 不求人 4 instead of 自摸 1 (2006 fan 4, 6, 7; handbook 4.1.3,
    4.1.4, 4.1.7).
    """
    SELF_DRAW_FOUR_OTHER = "fully_concealed_with_four_concealed_pungs_seven_pairs_knitted"
    """The same for 四暗刻, 七对, 七星不靠, 全不靠 (2006 fan 12 and practice)."""
    CONCEALED_KONGS_WITH_FOUR_KONGS = "concealed_kongs_with_four_kongs"
    """四杠 adds the fan of concealed kongs (2006 fan 5, handbook 4.1.5)."""
    CONCEALED_KONGS_WITH_THREE_KONGS = "concealed_kongs_with_three_kongs"
    """三杠 does so too (2006 practice)."""
    NO_VOIDED_SUIT_WITH_SETS = "no_voided_suit_with_four_shifts_or_three_winds"
    """缺一门 is not added to 一色四同顺, 一色四节高, 一色四步高, 三风刻 (handbook 4.3.1, 4.3.2,
    4.4.1, 4.7.5).
    """
    HALF_FLUSH_WITH_ALL_GREEN = "half_flush_with_all_green"
    """绿一色 adds 混一色 (2006 practice; 1998 row 3 forbids it)."""
    DOUBLE_PUNG_WITH_ALL_TERMINALS = "double_pung_with_all_terminals"
    """清幺九 adds 双同刻 (handbook 4.2.1; 1998 row 8 excludes it)."""
    NO_TERMINAL_PUNG_WITH_NINE_GATES = "no_terminal_pung_with_nine_gates"
    """九莲宝灯 excludes 幺九刻 altogether instead of one of them (handbook 4.1.3)."""


class Text(Enum):
    """A rule text that names what a fan excludes; that of 2006, as far as at hand, names none."""

    MCR_1998 = "MCR 1998"
    HANDBOOK = "handbook"


IN_1998 = frozenset({Text.MCR_1998})
IN_HANDBOOK = frozenset({Text.HANDBOOK})
NOWHERE: frozenset[Text] = frozenset()


@dataclass(frozen=True, slots=True)
class Excludes:
    """A fan that is not counted beside the one that carries this.

    Attributes:
        fan: id of the excluded fan.
        texts: where it is said in words; nowhere: it follows from 不重复, being inevitable with the
            other.
        unless: not under profiles with this switch.
        when: only under profiles with this switch.
        same_parts: only where it is found on the same parts.
        at_most: how many of its occurrences are excluded; None for all.
    """

    fan: str
    texts: frozenset[Text] = NOWHERE
    unless: Switch | None = None
    when: Switch | None = None
    same_parts: bool = False
    at_most: int | None = None

    @property
    def principle(self) -> Principle:
        """EXCLUDED if a text says so in words, else 不重复."""
        return Principle.EXCLUDED if self.texts else Principle.NON_REPEAT

    def applies(self, switches: frozenset[Switch]) -> bool:
        """Return True under a profile with these switches."""
        return self.unless not in switches and (self.when is None or self.when in switches)


def named(*fans: str, unless: Switch | None = None, when: Switch | None = None) -> list[Excludes]:
    """Exclude fan that the text of 1998 and the handbook name as not added."""
    return [Excludes(fan, IN_1998 | IN_HANDBOOK, unless, when) for fan in fans]


def by_1998(*fans: str, unless: Switch | None = None, when: Switch | None = None) -> list[Excludes]:
    """Exclude fan that only the text of 1998 names."""
    return [Excludes(fan, IN_1998, unless, when) for fan in fans]


def by_handbook(
    *fans: str, unless: Switch | None = None, when: Switch | None = None
) -> list[Excludes]:
    """Exclude fan that only the handbook names."""
    return [Excludes(fan, IN_HANDBOOK, unless, when) for fan in fans]


def implied(*fans: str, unless: Switch | None = None, when: Switch | None = None) -> list[Excludes]:
    """Exclude fan that are inevitable with it (不重复), though no text names them."""
    return [Excludes(fan, NOWHERE, unless, when) for fan in fans]


def on_same_parts(*fans: str, texts: frozenset[Text] = NOWHERE) -> list[Excludes]:
    """Exclude fan that the same sets do not earn a second time."""
    return [Excludes(fan, texts, same_parts=True) for fan in fans]


Occurrence = tuple[int, ...]
"""Indices of the parts of one occurrence; empty for the hand as a whole."""

Occurrences = Sequence[Occurrence]

WHOLE: tuple[Occurrence, ...] = ((),)
NONE: Occurrences = ()


ALL_SHAPES = frozenset(Shape)
FOUR_SETS = frozenset({Shape.STANDARD})
"""Four sets and a pair, no knitted tiles."""


class Arrangement(NamedTuple):
    """The relative position of two, three or four chows, or pungs.

    Attributes:
        one_suit: all of one suit; honours are none.
        suits: how many of the three suits they are of; 0 if an honour is among them.
        steps: differences of their ranks, in ascending order of rank.
    """

    one_suit: bool
    suits: int
    steps: tuple[int, ...]


def arrangement_of(parts: Sequence[Part]) -> Arrangement:
    """Return the arrangement of these sets."""
    suits = {part.suit for part in parts}
    ranks = sorted([part.rank for part in parts])
    steps = tuple([high - low for low, high in pairwise(ranks)])
    return Arrangement(len(suits) == 1 and 3 not in suits, 0 if 3 in suits else len(suits), steps)


@dataclass(frozen=True, eq=False)
class Fan:
    """One of the fan, with all there is to know about it.

    Attributes:
        number: its row in the table of 1998; 82 for the one that tournament practice added.
        id, zh, en: its names.
        points: its points in the text of 1998 (or practice, for 82).
        aspect: what it depends on.
        handbook: its section in the handbook.
        why: a phrase in English and one in Chinese; ``{parts}`` stands for the tiles of the parts,
            ``{win}`` for the winning tile.
        excludes: what is not counted beside it.
        points_elsewhere: points under other profiles where they differ, by profile id; 0 if the
            fan does not exist.
        zh_elsewhere: Chinese names in other texts where they differ, by profile id.
        why_knitted: the phrases beside a knitted straight, where they differ.
        shapes: the winning shapes it can occur in.
        size: number of sets of a combination, else 0.
        test: whether the hand as a whole has it; None for other fan.
        find: the parts of each occurrence; None for other fan.
        matches: whether sets in such an arrangement make it; None unless it is a combination.
    """

    number: int
    id: str
    zh: str
    en: str
    points: int
    aspect: Aspect
    handbook: str
    why: tuple[str, str]
    excludes: Sequence[Excludes] = ()
    points_elsewhere: Mapping[str, int] = field(default_factory=dict)
    zh_elsewhere: Mapping[str, str] = field(default_factory=dict)
    why_knitted: tuple[str, str] | None = None
    shapes: frozenset[Shape] = ALL_SHAPES
    size: int = 0
    test: Callable[[Decomposition], bool] | None = None
    find: Callable[[Decomposition], Occurrences] | None = None
    matches: Callable[[Arrangement], bool] | None = None


FANS: dict[str, Fan] = {}
"""Every fan by id, in the order the modules of this package define them;
`hupai.scoring.mcr.fans.ALL` is in the order of the table.
"""


def _register(fan: Fan) -> None:
    if fan.id in FANS:
        raise ValueError(f"two fan are called {fan.id}")
    FANS[fan.id] = fan


class HandFan(Fan):
    """Makes a fan of a function that says whether the hand or the win as a whole has it."""

    def __call__(self, test: Callable[[Decomposition], bool]) -> Callable[[Decomposition], bool]:
        """Register the fan with its function."""
        _register(replace(self, test=test))
        return test


class SetsFan(Fan):
    """Makes a fan of a function that lists the parts of each occurrence."""

    def __call__(
        self, find: Callable[[Decomposition], Occurrences]
    ) -> Callable[[Decomposition], Occurrences]:
        """Register the fan with its function."""
        _register(replace(self, find=find))
        return find


class CombinationFan(Fan):
    """Makes a fan of a function that says which arrangements of `size` chows, or pungs, make it."""

    def __call__(self, matches: Callable[[Arrangement], bool]) -> Callable[[Arrangement], bool]:
        """Register the fan with its function."""
        _register(replace(self, matches=matches))
        return matches
