"""Low-confidence detections, weighed by what they do to the hand.

A detector scores backs, blank tiles and tiles with reflections low, and now and then takes a tile's
side or the cloth for a tile. Where the tiles found are no complete hand, low-confidence boxes are
tried that lie where a row has room for them, and weak tiles of the hand are left out in turn. What
makes the hand complete is another way to read it, against which the scores count.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import TypeVar

import numpy as np

from hupai.scoring.tiles import Tile
from hupai.vision.geometry.table_tiles import Array, Ground, Spot, with_overrides, without
from hupai.vision.layout.hand_search import Selection, complete_as_laid, selections
from hupai.vision.layout.rows import MAX_LOG_SIZE_RATIO, RowFrame, level_offsets, rotated

_T = TypeVar("_T")

_MAX_BACK_GAP = 0.35
"""Greatest gap or overlap of a low-confidence back and the tile beside it, tile widths."""
_MAX_OPEN_GAP = 1.3
"""Greatest gap of an open tile, which may be the winning tile set apart, tile widths."""
_MAX_LEVEL_OFFSET = 0.25
"""Greatest distance of a box from a level with the tile beside it, tile widths."""
_MAX_OVERLAP = 0.35
"""Greatest overlap of a box with a tile of the rows, both ways, tile widths."""
WEAK_SCORE = 0.5
"""Score below which a tile of the hand may be none."""
_UNSURE_SCORE = 0.75
"""Score below which a tile of the hand with an unsure face may be none."""
_UNSURE_FACE = 1.5
"""Log-odds of a face against the next likeliest below which it is unsure."""
_DROP_COST = 1.5
"""Log-odds that a weak tile of the hand is one."""
_DROP_SIDES_COST = 0.5
"""Log-odds that all boxes which may be sides of tiles are tiles."""
_FURTHER_BOX_FACTOR = 0.4
"""Factor on the cost of each further low-confidence box."""
_MIN_SLANT = math.radians(25)
"""Angle to the table's perpendicular from which a camera sees the sides of tiles, radians."""
_SIDE_BEFORE = (0.5, 1.25)
"""Range of the distance at which a tile's side seems to lie before it, tile widths."""
_SIDE_BESIDE = 0.35
"""Greatest distance at which a tile's side seems to lie beside it, tile widths."""
_RELABEL_ODDS = 3.0
"""Log-odds of a face below which the next likeliest is tried."""
_MAX_ADDED = 4
"""Most additions tried together."""
_MAX_DROPPED = 2
"""Most weak tiles left out together."""
_MAX_RELABELLED = 5
"""Most tiles whose next face is tried, one at a time."""
_MAX_CANDIDATES = 6
"""Most additions, and most weak tiles, that are tried."""
_MAX_TRIED = 6
"""Most changes for which the hand is searched again."""


@dataclass(frozen=True, slots=True)
class Change:
    """A change of what is read, by ids.

    Attributes:
        added: low-confidence boxes taken as tiles.
        dropped: tiles left out.
        relabelled: tiles taken for their second face.
        cost: log-odds against all of it by scores and class probabilities.
    """

    added: frozenset[int]
    dropped: frozenset[int]
    relabelled: frozenset[int]
    cost: float


@dataclass(frozen=True, slots=True)
class _Addition:
    """Low-confidence boxes to add, and the tiles beside the hand whose kong they complete."""

    boxes: tuple[Spot, ...]
    beside: tuple[Spot, ...] = ()


_Removal = tuple[tuple[Spot, ...], float]
"""Tiles to leave out, and the log-odds against it."""


def alternative_hands(
    chosen: Selection,
    ground: Ground,
    low_confidence: frozenset[int],
    duplicates: frozenset[int],
) -> Iterator[tuple[Selection, Change]]:
    """Yield the selections that become complete by a change of the tiles, likeliest first.

    Args:
        chosen: the hand as found without low-confidence boxes.
        ground: all boxes of the photo, on the table as it lies for that hand.
        low_confidence: ids of the low-confidence boxes.
        duplicates: ids of second boxes around a tile.
    """
    median_score = float(np.median([t.score for t in chosen.tiles]))
    below = frozenset[int]() if chosen.complete else tile_sides(ground, chosen.ids)
    additions = _additions(chosen, ground, low_confidence)
    for change in _likeliest_changes(chosen, additions, _removals(chosen, below)):
        kept = without(ground, (low_confidence | duplicates | change.dropped) - change.added)
        tried = with_overrides(kept, change.added, median_score, change.relabelled)
        found = selections(tried, chosen.graph.frame.phi)
        best = next((s for s in found if s.complete), None)
        if best is not None and change.added <= best.ids:
            yield best, change


def _likeliest_changes(
    chosen: Selection, additions: Sequence[_Addition], removals: Sequence[_Removal]
) -> list[Change]:
    """Rank the changes to try: first those that may complete the hand, each by its cost."""
    found: list[tuple[bool, Change]] = []
    for change, tiles in _possible_changes(chosen, additions, removals):
        complete = complete_as_laid(tiles)
        if complete or not change.relabelled:
            found.append((complete, change))
    ranked = sorted(found, key=lambda pair: (not pair[0], pair[1].cost))
    return [change for _, change in ranked[:_MAX_TRIED]]


def _possible_changes(
    chosen: Selection, additions: Sequence[_Addition], removals: Sequence[_Removal]
) -> Iterator[tuple[Change, list[Spot]]]:
    """Yield every change with the tiles after it."""
    unsure = (t for t in chosen.tiles if t.odds < _RELABEL_ODDS)
    unsure_tiles = sorted(unsure, key=lambda t: (t.odds, t.id))[:_MAX_RELABELLED]
    for taken in _subsets(additions, _MAX_ADDED):
        added = [t for addition in taken for t in addition.boxes]
        held = [*chosen.tiles, *(t for addition in taken for t in addition.beside), *added]
        relabels = (None, *unsure_tiles) if len(taken) < 2 else (None,)
        for (dropped, drop_cost), other in product(removals, relabels):
            if not (added or dropped or other):
                continue
            cost = _addition_cost(added) + drop_cost + (other.odds if other else 0.0)
            tiles = [
                replace(t, face=t.second) if t is other else t for t in held if t not in dropped
            ]
            relabelled = _ids([other] if other else [])
            yield Change(_ids(added), _ids(dropped), relabelled, cost), tiles


def _removals(chosen: Selection, below: frozenset[int]) -> list[_Removal]:
    """List the tiles that may be left out; those `below`, perhaps sides of tiles, go together."""
    weak = sorted(filter(_is_weak, chosen.tiles), key=lambda t: (t.score, t.id))[:_MAX_CANDIDATES]
    found = [(dropped, _DROP_COST * len(dropped)) for dropped in _subsets(weak, _MAX_DROPPED)]
    if below:
        lying = tuple(t for t in chosen.tiles if t.id in below)
        found.append((lying, _DROP_SIDES_COST))
        found += [((*lying, t), _DROP_SIDES_COST + _DROP_COST) for t in weak if t.id not in below]
    return found


def tile_sides(ground: Ground, ids: frozenset[int]) -> frozenset[int]:
    """Find tiles of a hand that may be no more than the side of the tile behind.

    They are blank or face down, and right before another as the camera looks at the table. There
    are none where it looks from above.
    """
    plane = ground.plane
    if plane.slant < _MIN_SLANT:
        return frozenset()
    found = set()
    for k, tile in enumerate(ground.spots):
        if tile.id not in ids or tile.face not in (Tile.BACK, Tile.WHITE):
            continue
        near = np.linalg.solve(ground.stretch[k], -plane.tilt)
        near /= np.linalg.norm(near)
        away = ground.places[k] - ground.places
        before, beside = away @ near, np.abs(away @ np.array([-near[1], near[0]]))
        low, high = _SIDE_BEFORE
        if ((before > low) & (before < high) & (beside < _SIDE_BESIDE)).any():
            found.add(tile.id)
    return frozenset(found)


def _is_weak(tile: Spot) -> bool:
    """Tell whether a tile may be none: low-scored, or neither sure to be one nor which one."""
    return tile.score < WEAK_SCORE or (tile.score < _UNSURE_SCORE and tile.odds < _UNSURE_FACE)


def _ids(tiles: Iterable[Spot]) -> frozenset[int]:
    return frozenset(t.id for t in tiles)


def _subsets(things: Sequence[_T], most: int) -> Iterator[tuple[_T, ...]]:
    for size in range(min(len(things), most) + 1):
        yield from combinations(things, size)


def _addition_cost(added: Sequence[Spot]) -> float:
    """Weigh low-confidence boxes by their scores, log-odds.

    What lowers the score of one back lowers that of the others, so the weakest counts most.
    """
    costs = sorted((math.log((1 - t.score) / max(t.score, 0.01)) for t in added), reverse=True)
    return sum(costs[:1]) + _FURTHER_BOX_FACTOR * sum(costs[1:])


def _additions(
    chosen: Selection, ground: Ground, low_confidence: frozenset[int]
) -> tuple[_Addition, ...]:
    """List low-confidence boxes to add, surest first.

    Each in a row of the hand is one addition; so are four that make a concealed kong, and those
    that complete a kong beside the hand.
    """
    graph = chosen.graph
    boxes = _Boxes.of(graph.frame, ground, low_confidence)
    own = [k for i in chosen.chosen for k in graph.segments[i].places]
    found = [_Addition((spot,)) for spot in boxes.extending(own)]
    for four in boxes.fours():
        if _is_one_kind(four) and any(t.back > 0.5 for t in four):
            found.append(_Addition(four))
    for i, segment in enumerate(graph.segments):
        missing = 4 - len(segment.tiles)
        if i not in chosen.chosen and missing > 0 and _is_one_kind(segment.tiles):
            extending = boxes.extending(list(segment.places))
            if 0 < len(extending) <= missing:
                found.append(_Addition(tuple(extending), segment.tiles))
    ranked = sorted(found, key=lambda a: (_addition_cost(a.boxes), a.boxes[0].id))
    return tuple(ranked[:_MAX_CANDIDATES])


def _is_one_kind(tiles: Sequence[Spot]) -> bool:
    """Tell whether the open tiles among these are alike."""
    return len({t.face for t in tiles if t.face is not Tile.BACK}) < 2


@dataclass(frozen=True, slots=True, eq=False)
class _Boxes:
    """Low-confidence boxes in the frame of rows.

    Attributes:
        frame: the rows.
        tiles: shape (m, 4), place and half the sides, along and across each, of the rows' tiles.
        spots: the boxes that lie over none of these.
        boxes: shape (n, 4), the same as `tiles` of the boxes as upright tiles.
    """

    frame: RowFrame
    tiles: Array
    spots: tuple[Spot, ...]
    boxes: Array

    @classmethod
    def of(cls, frame: RowFrame, ground: Ground, low_confidence: frozenset[int]) -> _Boxes:
        """Take the low-confidence boxes that are about as large as the tiles of the rows."""
        sizes = ground.sizes(np.full(len(ground.spots), frame.phi + math.pi / 2))
        unlike = np.abs(sizes - np.median(frame.sizes))
        tiles = np.column_stack([frame.along, frame.across, frame.half])
        boxes = np.column_stack(
            [
                *rotated(ground.places, frame.phi),
                np.full((len(sizes), 2), (0.5, ground.plane.ratio / 2)),
            ]
        )
        keep = [
            k
            for k, spot in enumerate(ground.spots)
            if spot.id in low_confidence
            and unlike[k] < MAX_LOG_SIZE_RATIO
            and not all(_overlaps(box, tiles) for box in _both_ways(boxes[k]))
        ]
        return cls(frame, tiles, tuple(ground.spots[k] for k in keep), boxes[keep])

    def extending(self, places: list[int]) -> list[Spot]:
        """Find the boxes that touch the tiles at some places of the rows, or others that do."""
        found = self._connected(self.tiles[places], range(len(self.spots)))
        return [self.spots[k] for k in found]

    def fours(self) -> Iterator[tuple[Spot, ...]]:
        """Yield the boxes that lie four by four, each touching another of them."""
        waiting = list(range(len(self.spots)))
        while waiting:
            first, *rest = waiting
            group = [first, *self._connected(self.boxes[[first]], rest)]
            waiting = [k for k in waiting if k not in group]
            if len(group) == 4:
                yield tuple(self.spots[k] for k in group)

    def _connected(self, start: Array, candidates: Iterable[int]) -> list[int]:
        """Find the candidates that touch some rectangles (k, 4), or each other in turn."""
        found: list[int] = []
        waiting, reached = list(candidates), start
        while more := [k for k in waiting if self._touches(k, reached)]:
            found += more
            waiting = [k for k in waiting if k not in more]
            reached = np.vstack([start, self.boxes[found]])
        return found

    def _touches(self, k: int, others: Array) -> bool:
        """Tell whether a box lies beside one of some rectangles (k, 4), on a level with it."""
        reach = _MAX_BACK_GAP if self.spots[k].back > 0.5 else _MAX_OPEN_GAP
        for box in _both_ways(self.boxes[k]):
            both = np.vstack([box, others])
            level = level_offsets(both[:, 1], both[:, 2:])[0, 1:]
            gap = _spaces(box, others)[:, 0] - self.frame.contact_gap
            if ((gap > -_MAX_BACK_GAP) & (gap < reach) & (level < _MAX_LEVEL_OFFSET)).any():
                return True
        return False


def _both_ways(box: Array) -> tuple[Array, Array]:
    """Give a box (4,) as an upright tile and as a sideways one."""
    return box, box[[0, 1, 3, 2]]


def _spaces(box: Array, others: Array) -> Array:
    """Measure the free space along and across, shape (k, 2), between a box and rectangles."""
    spaces: Array = np.abs(others[:, :2] - box[:2]) - others[:, 2:] - box[2:]
    return spaces


def _overlaps(box: Array, tiles: Array) -> bool:
    """Tell whether a box lies over one of some tiles."""
    return bool((_spaces(box, tiles) < -_MAX_OVERLAP).all(1).any())
