"""Exact search for the likeliest faces of a hand's tiles.

A unit is a tile, or a meld whose tiles must agree. Each unit has options, with the negative
log-probability as cost. A choice takes one option of each unit; it is possible if no kind occurs
more than four times and no flower twice. A* search yields the possible choices in order of cost.
Its heuristic, the least cost of the remaining units, is admissible, so the first choice found is
the likeliest possible one, the second the next likeliest, and so on.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count

from hupai.scoring.tiles import Tile

MAX_STEPS = 6000
"""Maximum number of search steps; most hands take a few hundred."""


@dataclass(frozen=True, slots=True)
class Option:
    """Faces that a unit may have.

    Attributes:
        cost: negative logarithm of its probability.
        faces: the faces of the unit's tiles, in the order of `Unit.tiles`.
        unseen: number of further tiles of each of these kinds, such as 1 for a kong with only three
            detected tiles.
    """

    cost: float
    faces: tuple[Tile, ...]
    unseen: int = 0


@dataclass(frozen=True, slots=True)
class Unit:
    """Tiles that are read together.

    Attributes:
        tiles: ids of detections.
        options: the faces they may have, cheapest first.
    """

    tiles: tuple[int, ...]
    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """An option for each unit.

    Attributes:
        cost: sum of the options' costs.
        picks: positions in `Unit.options`, in the order of the units given.
    """

    cost: float
    picks: tuple[int, ...]


@dataclass(slots=True)
class _Node:
    """A choice up to a unit; `counts_before` packs how often each kind occurs, in three bits."""

    depth: int
    pick: int
    cost_before: float
    counts_before: int
    parent: _Node | None


def possible_choices(units: Sequence[Unit]) -> Iterator[Choice]:
    """Yield all possible choices, cheapest first, until `MAX_STEPS` are spent."""
    if any(not unit.options for unit in units):
        return
    if not units:
        yield Choice(0.0, ())
        return
    order = _contested_first(units)
    ordered = [units[i].options for i in order]
    packed = [[_pack(option) for option in options] for options in ordered]
    least = [0.0] * (len(ordered) + 1)
    for i in range(len(ordered) - 1, -1, -1):
        least[i] = least[i + 1] + ordered[i][0].cost
    serial = count()
    heap = [(least[0], next(serial), _Node(0, 0, 0.0, 0, None))]
    for _ in range(MAX_STEPS):
        if not heap:
            return
        _, _, node = heapq.heappop(heap)
        options, after = ordered[node.depth], node.depth + 1
        if node.pick + 1 < len(options):
            cost = node.cost_before + options[node.pick + 1].cost + least[after]
            sibling = _Node(
                node.depth, node.pick + 1, node.cost_before, node.counts_before, node.parent
            )
            heapq.heappush(heap, (cost, next(serial), sibling))
        counts = _add(node.counts_before, packed[node.depth][node.pick])
        if counts is None:
            continue
        cost = node.cost_before + options[node.pick].cost
        if after == len(ordered):
            yield Choice(cost, _picks(node, order))
        else:
            child = _Node(after, 0, cost, counts, node)
            heapq.heappush(heap, (cost + least[after], next(serial), child))


def _contested_first(units: Sequence[Unit]) -> list[int]:
    """Order the units: first those whose likeliest kinds are overused, then uncertain ones.

    Conflicts then occur early in the search.
    """
    wanted = Counter(face for unit in units for face in unit.options[0].faces)

    def key(i: int) -> tuple[bool, int, float, int]:
        best = units[i].options[0]
        excess = max((wanted[f] - _limit(f) for f in best.faces if f is not Tile.BACK), default=0)
        face = min(best.faces, default=Tile.BACK) if excess > 0 else 0
        return (excess <= 0, int(face), best.cost, i)

    return sorted(range(len(units)), key=key)


def _limit(face: Tile) -> int:
    return 1 if face.is_flower else 4


def _pack(option: Option) -> tuple[tuple[int, int, int], ...]:
    """List the kinds of an option as (shift, times, limit); backs are not counted."""
    return tuple(
        (3 * face, option.faces.count(face) + option.unseen, _limit(face))
        for face in dict.fromkeys(option.faces)
        if face is not Tile.BACK
    )


def _add(counts: int, kinds: tuple[tuple[int, int, int], ...]) -> int | None:
    """Add an option's tiles to the counts; None if a limit is exceeded."""
    for shift, times, limit in kinds:
        if (counts >> shift & 7) + times > limit:
            return None
        counts += times << shift
    return counts


def _picks(node: _Node, order: list[int]) -> tuple[int, ...]:
    picks = [0] * len(order)
    at: _Node | None = node
    while at is not None:
        picks[order[at.depth]] = at.pick
        at = at.parent
    return tuple(picks)
