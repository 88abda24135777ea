"""Combination fan: which of the fan that chows (or pungs) make together are counted.

The principles of 1998 (计分原则), as the search keeps them:

- 不拆移, 套算一次: a fan is added only if at least one of its sets is new; of the sets combined
  before it may use one. So sets that made a fan are not taken apart for another, and a set left
  over joins them once.
- 不得相同: a set that was used for a fan is not used again for the same fan.
- 就高不就低: of all choices that keep to these the one with the most points is taken, found by
  trying every one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product

from hupai.scoring.mcr.decompositions.parts import Part
from hupai.scoring.mcr.fans.definition import Arrangement, Fan, Occurrence
from hupai.scoring.result import Principle


@dataclass(slots=True)
class Candidate:
    """Sets that make a fan, as a mask of their places and as a tuple, with its points."""

    fan: Fan
    points: int
    mask: int
    places: Occurrence


@dataclass(frozen=True, slots=True)
class ExcludedCandidate:
    """A candidate that is not counted: why, and beside which chosen one."""

    candidate: Candidate
    principle: Principle
    by: Fan


FansByArrangement = Mapping[tuple[int, ...], Sequence[tuple[Fan, int]]]
"""Maps an arrangement of sets to the fan that they make together, with their points.

The key is the number of suits, then the steps from each set to the next by rank.
"""


def fans_by_arrangement(fans: Iterable[tuple[Fan, int]]) -> FansByArrangement:
    """Map every arrangement of sets of the suits to the combination fan that it makes."""
    found: dict[tuple[int, ...], tuple[tuple[Fan, int], ...]] = {}
    for fan, points in fans:
        for steps in product(range(9), repeat=fan.size - 1):
            for suits in (1, 2, 3) if sum(steps) < 9 else ():
                if fan.matches is not None and fan.matches(Arrangement(suits == 1, suits, steps)):
                    found[suits, *steps] = (*found.get((suits, *steps), ()), (fan, points))
    return found


def candidates(
    parts: tuple[Part, ...], fans_by_arrangement: FansByArrangement, first: int
) -> list[Candidate]:
    """List every fan that some of the chows, or of the pungs, make, highest points first.

    `first` is added to their places.
    """
    found = []
    ranked = sorted(
        [
            (part.rank, 1 << part.suit, place)
            for place, part in enumerate(parts, first)
            if part.suit < 3
        ]
    )
    for size in range(2, len(ranked) + 1):
        for chosen in combinations(ranked, size):
            fans = fans_by_arrangement.get(_arrangement_of(chosen))
            if fans is not None:
                places = tuple(sorted([place for _, _, place in chosen]))
                mask = sum([1 << place for place in places])
                found += [Candidate(fan, points, mask, places) for fan, points in fans]
    found.sort(key=_rank)
    return found


def _arrangement_of(ranked: Sequence[tuple[int, int, int]]) -> tuple[int, ...]:
    """Return the number of suits of the sets, and the steps from each to the next by rank."""
    suits = 0
    before = ranked[0][0]
    steps = []
    for rank, suit, _ in ranked:
        suits |= suit
        steps.append(rank - before)
        before = rank
    steps[0] = suits.bit_count()
    return tuple(steps)


def _rank(candidate: Candidate) -> tuple[int, int, Occurrence]:
    return -candidate.points, candidate.fan.number, candidate.places


def choose(found: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Return the choice with the most points that keeps to the principles."""
    return tuple(found) if len(found) < 2 else _best_choice(found, (), 0)


def excluded_candidates(
    found: Sequence[Candidate], counted: Sequence[Candidate]
) -> list[ExcludedCandidate]:
    """List every candidate that was not chosen, with the reason.

    Equal sets that make the same fan are one candidate.
    """
    seen = {(c.fan.id, c.mask) for c in counted}
    reasons = []
    for candidate in found:
        if (candidate.fan.id, candidate.mask) not in seen:
            seen.add((candidate.fan.id, candidate.mask))
            reasons.append(_reason(candidate, counted))
    return reasons


def _best_choice(
    found: Sequence[Candidate], chosen: tuple[Candidate, ...], used: int
) -> tuple[Candidate, ...]:
    best = chosen
    for candidate in found:
        if _may_join(candidate, chosen, used):
            extended = _best_choice(found, (*chosen, candidate), used | candidate.mask)
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


def _reason(candidate: Candidate, counted: Sequence[Candidate]) -> ExcludedCandidate:
    """Find the strictest principle that excludes a candidate, and the counted fan behind it."""
    for other in counted:
        if candidate.mask & other.mask == candidate.mask and other.fan is not candidate.fan:
            is_named = any(excluded.fan == candidate.fan.id for excluded in other.fan.excludes)
            return ExcludedCandidate(
                candidate, Principle.EXCLUDED if is_named else Principle.NON_SEPARATION, other.fan
            )
    for other in counted:
        if other.fan is candidate.fan and candidate.mask & other.mask:
            return ExcludedCandidate(candidate, Principle.NON_IDENTICAL, other.fan)
    sharing = max(
        counted, key=lambda other: ((other.mask & candidate.mask).bit_count(), other.points)
    )
    if sharing.points > candidate.points and (sharing.mask & candidate.mask).bit_count() > 1:
        return ExcludedCandidate(candidate, Principle.HIGH_NOT_LOW, sharing.fan)
    return ExcludedCandidate(candidate, Principle.COMBINE_ONCE, sharing.fan)
