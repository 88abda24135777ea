"""The ranking of an event over all sessions (T/TFMJ 01-2024, 10.4.4).

Of the texts at hand it alone says how; other rule sets with standard points are ranked likewise.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Session:
    """One session of a player in an event: standard points and score."""

    standard: Fraction
    score: int


@dataclass(frozen=True, slots=True)
class Entrant:
    """A player or a team with all its sessions."""

    name: str
    sessions: tuple[Session, ...]

    @property
    def order(self) -> tuple[Fraction, int, tuple[Fraction, ...]]:
        """What 10.4.4 compares in turn: sum of standard points, sum of scores, and the sessions'
        standard points from the top.

        Comparing the sorted sessions decides first by the highest single one (b), then by who has
        more of the high ones (c).
        """
        best_first = tuple(sorted((s.standard for s in self.sessions), reverse=True))
        return (
            sum((s.standard for s in self.sessions), Fraction(0)),
            sum(s.score for s in self.sessions),
            best_first,
        )


def final_ranking(entrants: Iterable[Entrant]) -> tuple[tuple[int, Entrant], ...]:
    """Rank players or teams over all sessions (10.4.4), as (rank, entrant), best first.

    Entrants that are equal throughout share the rank.
    """
    ordered = sorted(entrants, key=lambda entrant: entrant.order, reverse=True)
    return tuple(
        (1 + sum(other.order > entrant.order for other in ordered), entrant) for entrant in ordered
    )
