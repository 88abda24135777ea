"""What a pattern of KC v2.5 is: names, factor, clause, finding function, and exclusions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hupai.scoring.kc.decomposition import Decomposition, Need
from hupai.scoring.result import Principle

__all__ = ["Exclusion", "Find", "Hit", "Miss", "Need", "Pattern", "contained", "said"]


@dataclass(slots=True)
class Hit:
    """A pattern found in a decomposition: why, how often, and the parts of the split it uses."""

    why_en: str
    why_zh: str
    parts: tuple[int, ...] = ()
    count: int = 1


@dataclass(frozen=True, slots=True)
class Miss:
    """A pattern that the hand nearly has: why it does not, and the pattern that counts instead, if
    any.
    """

    principle: Principle
    by: str | None
    reason_en: str
    reason_zh: str


@dataclass(frozen=True, slots=True)
class Exclusion:
    """A pattern that is not counted beside this one: the text says so (EXCLUDED), or this one
    contains it (NON_REPEAT).
    """

    id: str
    principle: Principle


Find = Callable[[Decomposition], Hit | None]


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern of section 3.2.

    Attributes:
        id: stable name.
        zh: name in the text.
        en: English name.
        times: the factor of one count.
        section: its heading in the text.
        find: the function that looks for it.
        needs: without these it is not looked for, which changes nothing but the time it takes.
        excludes: what is not counted beside it.
        rivals: patterns that never count together with it; whichever is worth more stays (字一色).
        near_miss: the function that says why a hand that comes close does not have it.
    """

    id: str
    zh: str
    en: str
    times: int
    section: str
    find: Find
    needs: Need
    excludes: tuple[Exclusion, ...] = ()
    rivals: tuple[str, ...] = ()
    near_miss: Callable[[Decomposition], Miss | None] | None = None

    @property
    def clause(self) -> str:
        """Its place in the text."""
        return f"KC v2.5, 3.2, {self.section}, {self.zh}"


def said(*ids: str) -> tuple[Exclusion, ...]:
    """Make exclusions that the text states (不计)."""
    return tuple(Exclusion(name, Principle.EXCLUDED) for name in ids)


def contained(*ids: str) -> tuple[Exclusion, ...]:
    """Make exclusions of patterns that this one cannot be without."""
    return tuple(Exclusion(name, Principle.NON_REPEAT) for name in ids)
