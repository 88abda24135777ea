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
from itertools import accumulate, combinations, product

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


FansByTiles = Mapping[tuple[int, ...], Sequence[tuple[Fan, int]]]
"""Maps sets of the suits to the fan that they make together, with their points.

The key is the first tile of each set, ascending.
"""


def fans_by_tiles(fans: Iterable[tuple[Fan, int]]) -> FansByTiles:
    """Map all sets of the suits that make a combination fan, by their first tiles, to the fan."""
    found: dict[tuple[int, ...], list[tuple[Fan, int]]] = {}
    for fan, points in fans:
        for steps, suits in product(product(range(9), repeat=fan.size - 1), (1, 2, 3)):
            if fan.matches is not None and fan.matches(Arrangement(suits == 1, suits, steps)):
                for tiles in _tiles_so_arranged(steps, suits):
                    found.setdefault(tiles, []).append((fan, points))
    return found


def _tiles_so_arranged(steps: tuple[int, ...], suits: int) -> set[tuple[int, ...]]:
    """Return the first tiles of all sets with these steps of rank, of so many suits."""
    ranks = tuple(accumulate(steps, initial=0))
    return {
        tuple(sorted([9 * suit + low + rank for suit, rank in zip(chosen, ranks, strict=True)]))
        for chosen in product(range(3), repeat=len(ranks))
        if len(set(chosen)) == suits
        for low in range(9 - ranks[-1])
    }


def candidates(parts: tuple[Part, ...], fans_by_tiles: FansByTiles, first: int) -> list[Candidate]:
    """List every fan that some of the chows, or of the pungs, make, highest points first.

    Args:
        parts: the sets, by their first tiles ascending.
        fans_by_tiles: the fan that sets make.
        first: added to the places of the sets.
    """
    found = []
    tiles = [part.tile for part in parts]
    for chosen in _CHOICES[len(parts)]:
        fans = fans_by_tiles.get(tuple([tiles[place] for place in chosen]))
        if fans is not None:
            places = tuple([first + place for place in chosen])
            mask = sum([1 << place for place in places])
            found += [Candidate(fan, points, mask, places) for fan, points in fans]
    if len(found) > 1:
        found.sort(key=_rank)
    return found


_CHOICES = tuple(
    [
        tuple([places for size in range(2, n + 1) for places in combinations(range(n), size)])
        for n in range(5)
    ]
)
"""For so many sets the places of those that may make a fan together."""


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
