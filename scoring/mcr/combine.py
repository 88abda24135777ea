"""Combination fan: which of the fan that chows (or pungs) make together may be counted, and which choice is worth most.

The principles of 1998 (计分原则), as the search keeps them:

- 不拆移, 套算一次: a fan is added only if at least one of its sets is new; of the sets combined before it may use one. So sets that
  made a fan are not taken apart for another, and a set left over joins them once.
- 不得相同: a set that was used for a fan is not used again for the same fan.
- 就高不就低: of all choices that keep to these the dearest is taken, found by trying every one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

from scoring.mcr.fans.definition import Fan, Occurrence
from scoring.mcr.parts import Part
from scoring.result import Principle


@dataclass(frozen=True, slots=True)
class Candidate:
    """Sets that make a fan: the fan, its points, the sets as a mask of their places and as a tuple."""

    fan: Fan
    points: int
    mask: int
    places: Occurrence


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A candidate that is not counted: why, and beside which chosen one."""

    candidate: Candidate
    principle: Principle
    by: Fan


CombinedBy = Callable[[tuple[Part, ...]], Sequence[tuple[Fan, int]]]
"""The fan, with their points, that sets make all together."""


def candidates(parts: tuple[Part, ...], combined_by: CombinedBy, first: int) -> list[Candidate]:
    """Every fan that some of the chows, or of the pungs, make, dearest first; `first` is added to their places."""
    found = []
    for places in _PLACES[len(parts)]:
        for fan, points in combined_by(tuple([parts[i] for i in places])):
            found.append(Candidate(fan, points, sum([1 << i for i in places]), tuple([first + i for i in places])))
    found.sort(key=_rank)
    return found


def _rank(candidate: Candidate) -> tuple[int, int]:
    return -candidate.points, candidate.fan.number


_PLACES = tuple([places for size in range(2, n + 1) for places in combinations(range(n), size)] for n in range(5))
"""For so many sets: the places of every two, three and four of them."""


def choose(found: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """The dearest choice that keeps to the principles."""
    return _dearest(found, (), 0)


def left_out(found: Sequence[Candidate], counted: Sequence[Candidate]) -> list[LeftOut]:
    """Every candidate that was not chosen, with the reason; equal sets that make the same fan are one candidate."""
    seen = {(c.fan.id, c.mask) for c in counted}
    reasons = []
    for candidate in found:
        if (candidate.fan.id, candidate.mask) not in seen:
            seen.add((candidate.fan.id, candidate.mask))
            reasons.append(_reason(candidate, counted))
    return reasons


def _dearest(found: Sequence[Candidate], chosen: tuple[Candidate, ...], used: int) -> tuple[Candidate, ...]:
    best = chosen
    for candidate in found:
        if _may_join(candidate, chosen, used):
            extended = _dearest(found, (*chosen, candidate), used | candidate.mask)
            if _points(extended) > _points(best):
                best = extended
    return best


def _may_join(candidate: Candidate, chosen: Sequence[Candidate], used: int) -> bool:
    shared = candidate.mask & used
    if candidate.mask == shared or shared & (shared - 1):
        return False
    return not any(other.fan is candidate.fan and other.mask & candidate.mask for other in chosen)


def _points(chosen: Sequence[Candidate]) -> int:
    return sum([candidate.points for candidate in chosen])


def _reason(candidate: Candidate, counted: Sequence[Candidate]) -> LeftOut:
    """The strictest principle that speaks against a candidate, and the counted fan it meets there."""
    for other in counted:
        if candidate.mask & other.mask == candidate.mask and other.fan is not candidate.fan:
            is_named = any(excluded.fan == candidate.fan.id for excluded in other.fan.excludes)
            return LeftOut(candidate, Principle.EXCLUDED if is_named else Principle.NON_SEPARATION, other.fan)
    for other in counted:
        if other.fan is candidate.fan and candidate.mask & other.mask:
            return LeftOut(candidate, Principle.NON_IDENTICAL, other.fan)
    sharing = max(counted, key=lambda other: ((other.mask & candidate.mask).bit_count(), other.points))
    if sharing.points > candidate.points and (sharing.mask & candidate.mask).bit_count() > 1:
        return LeftOut(candidate, Principle.HIGH_NOT_LOW, sharing.fan)
    return LeftOut(candidate, Principle.COMBINE_ONCE, sharing.fan)
