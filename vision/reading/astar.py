"""Exact search for the likeliest faces of a hand's tiles.

A unit is a tile, or a meld whose tiles have to agree; each has options with a cost, the negative
logarithm of a probability. A choice takes an option of each unit; it is possible if no kind occurs
more than four times and no flower twice. Choices are found in order of their cost by best-first
search (A*: the cost so far plus the least cost of the units left, which is admissible), so the
first one found is the likeliest that is possible, the second the next, and so on.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hupai.scoring.tiles import Tile

MOST_STEPS = 6000
"""Search steps after which no further choice is sought; a normal hand takes a few hundred."""


@dataclass(frozen=True, slots=True)
class Option:
    """One way to read a unit.

    Attributes:
        cost: negative logarithm of its probability.
        faces: the faces of the unit's tiles, in the order of `Unit.tiles`.
    """

    cost: float
    faces: tuple[Tile, ...]


@dataclass(frozen=True, slots=True)
class Unit:
    """Tiles that are read together: ids of detections, and the options, cheapest first."""

    tiles: tuple[int, ...]
    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """An option for each unit; `picks` are positions in `Unit.options`, in the order of the units
    given.
    """

    cost: float
    picks: tuple[int, ...]


@dataclass(slots=True)
class _Node:
    """A choice up to a unit: `count` packs how often each kind occurs, three bits a kind."""

    depth: int
    pick: int
    cost_before: float
    count_before: int
    parent: _Node | None


def possible_choices(units: Sequence[Unit]) -> Iterator[Choice]:
    """All possible choices, cheapest first, until `MOST_STEPS` are spent."""
    if any(not unit.options for unit in units):
        return
    order = _contested_first(units)
    ordered = [units[i] for i in order]
    packed = [[_pack(option.faces) for option in unit.options] for unit in ordered]
    left = [0.0] * (len(ordered) + 1)
    for i in range(len(ordered) - 1, -1, -1):
        left[i] = left[i + 1] + ordered[i].options[0].cost
    if not ordered:
        yield Choice(0.0, ())
        return
    serial = 0
    heap: list[tuple[float, int, _Node]] = [(left[0], serial, _Node(0, 0, 0.0, 0, None))]
    for _ in range(MOST_STEPS):
        if not heap:
            return
        _, _, node = heapq.heappop(heap)
        unit = ordered[node.depth]
        if node.pick + 1 < len(unit.options):
            serial += 1
            cost = node.cost_before + unit.options[node.pick + 1].cost + left[node.depth + 1]
            sibling = _Node(
                node.depth, node.pick + 1, node.cost_before, node.count_before, node.parent
            )
            heapq.heappush(heap, (cost, serial, sibling))
        count = _add(node.count_before, packed[node.depth][node.pick])
        if count is None:
            continue
        cost = node.cost_before + unit.options[node.pick].cost
        if node.depth + 1 == len(ordered):
            yield Choice(cost, _picks(node, order))
            continue
        serial += 1
        child = _Node(node.depth + 1, 0, cost, count, node)
        heapq.heappush(heap, (cost + left[node.depth + 1], serial, child))


def _contested_first(units: Sequence[Unit]) -> list[int]:
    """Units whose favourite kinds are sought by too many come first, so that conflicts are met
    early; then the unsure ones.
    """
    wanted = [0] * 43
    for unit in units:
        for face in unit.options[0].faces:
            wanted[face] += 1

    def key(i: int) -> tuple[bool, int, float, int]:
        best = units[i].options[0]
        contested = max(
            (wanted[f] - _limit(f) for f in best.faces if f is not Tile.BACK), default=0
        )
        return (
            contested <= 0,
            int(min(best.faces, default=Tile.BACK)) if contested > 0 else 0,
            best.cost,
            i,
        )

    return sorted(range(len(units)), key=key)


def _limit(face: Tile) -> int:
    return 1 if face.is_flower else 4


def _pack(faces: tuple[Tile, ...]) -> tuple[tuple[int, int, int], ...]:
    """Kinds of an option as (shift, times, limit); backs are not counted."""
    return tuple(
        (3 * face, faces.count(face), _limit(face))
        for face in dict.fromkeys(faces)
        if face is not Tile.BACK
    )


def _add(count: int, kinds: tuple[tuple[int, int, int], ...]) -> int | None:
    """The counts with an option's tiles, or None if that is more than there are."""
    for shift, times, limit in kinds:
        if (count >> shift & 7) + times > limit:
            return None
        count += times << shift
    return count


def _picks(node: _Node, order: list[int]) -> tuple[int, ...]:
    picks = [0] * len(order)
    at: _Node | None = node
    while at is not None:
        picks[order[at.depth]] = at.pick
        at = at.parent
    return tuple(picks)
