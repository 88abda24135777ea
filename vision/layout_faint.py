"""Faint boxes, weighed by what they do to the hand.

A detector is shy of backs, of blank tiles and of what a light reflects in, and now and then takes a tile's side or the cloth for
one. Where the tiles found are no complete hand, boxes are tried that were too faint to be tiles by themselves but lie in a row that
has room for them, and faint tiles of the hand are left out in turn: what makes the hand complete is another way to read it, against
which the scores speak.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from vision.layout_geometry import Array, Ground, Spot, without
from vision.layout_hand import Selection, complete_at, selections
from vision.layout_pieces import lay_out
from vision.layout_rows import UNLIKE, bearing, offsets, turned

_TOUCHING, _LEVEL = 0.35, 0.25
"""Furthest from touching a tile of the hand, and from a level with it, at which a spare box lies in its row, tile widths."""
_OVER = 0.35
"""By how much a spare box may lie over a tile of the hand, both ways, tile widths."""
FAINT = 0.5
"""Tiles of the hand with a lower score may be none."""
_MOST_ADDED, _MOST_DROPPED, _MOST_SLOTS, _MOST_TRIED = 4, 2, 6, 4


@dataclass(frozen=True, slots=True)
class Change:
    """Boxes taken in and tiles left out, by id, and the log-odds against all of it that their scores give."""

    added: frozenset[int]
    dropped: frozenset[int]
    against: float


def completed(
    chosen: Selection, field: Ground, spare: frozenset[int], left_out: frozenset[int]
) -> Iterator[tuple[Selection, Change]]:
    """What a hand that is not complete becomes by changes that make it complete, likeliest changes first.

    Args:
        chosen: the hand as found without spare boxes.
        field: all boxes of the photo, spare ones among them, on the table as it lies for that hand.
        spare: ids of the boxes that are too faint to be tiles by themselves.
        left_out: ids of second boxes around a tile.
    """
    for change in _changes(chosen, _slots(chosen, field, spare)):
        tried = without(field, (spare | left_out | change.dropped) - change.added)
        best = next((s for s in selections(lay_out(bearing(tried, chosen.table.bearing.phi), tried)) if s.complete), None)
        if best is not None and change.added <= best.ids:
            yield best, change


def _changes(chosen: Selection, slots: tuple[Spot, ...]) -> list[Change]:
    """The likeliest changes after which the tiles may be a complete hand."""
    faint = sorted((t for t in chosen.tiles if t.score < FAINT), key=lambda t: (t.score, t.id))[:_MOST_SLOTS]
    found: list[tuple[bool, float, int, Change]] = []
    for added in _subsets(slots, _MOST_ADDED):
        for dropped in _subsets(faint, _MOST_DROPPED):
            if added or dropped:
                against = sum(map(_doubt, added)) + _FIRM * len(dropped)
                fits = complete_at([t for t in (*chosen.tiles, *added) if t not in dropped])
                change = Change(frozenset(t.id for t in added), frozenset(t.id for t in dropped), against)
                found.append((not fits, against, len(found), change))
    return [change for *_, change in sorted(found, key=lambda way: way[:3])[:_MOST_TRIED]]


def _subsets(spots: tuple[Spot, ...] | list[Spot], most: int) -> Iterator[tuple[Spot, ...]]:
    for size in range(min(len(spots), most) + 1):
        yield from combinations(spots, size)


def _doubt(spot: Spot) -> float:
    """Log-odds against a box in the hand's row being a tile, by its score."""
    score = min(max(spot.score, 0.01), 0.99)
    return _SHY - _SLOPE * math.log(score / (1 - score))


_SHY, _SLOPE = 0.0, 1.0
_FIRM = 1.5
"""Log-odds that a faint tile of the hand is one."""


def _slots(chosen: Selection, field: Ground, spare: frozenset[int]) -> tuple[Spot, ...]:
    """The spare boxes that lie in the rows of the hand where these have room, or beside another that does, surest first."""
    table, ids = chosen.table.bearing, chosen.ids
    own = [k for k, spot in enumerate(table.spots) if spot.id in ids]
    waiting = [k for k, spot in enumerate(field.spots) if spot.id in spare]
    if not waiting:
        return ()
    along, across = turned(field.places, table.phi)
    sizes = field.sizes(np.full(len(field.spots), table.phi + math.pi / 2))
    usual = float(np.median(table.sizes[own]))
    waiting = [k for k in waiting if abs(sizes[k] - usual) < UNLIKE]
    row_along, row_across, row_half = table.along[own], table.across[own], table.half[own]
    upright = np.array([[0.5, field.plane.ratio / 2]])
    found: list[int] = []
    while waiting:
        taken = []
        for k in waiting:
            for half in (upright, upright[:, ::-1]):
                a, c = np.append(along[k], row_along), np.append(across[k], row_across)
                if k not in taken and _in_row(a, c, np.vstack([half, row_half]), table.usual):
                    taken.append(k)
        if not taken:
            break
        found += taken
        waiting = [k for k in waiting if k not in taken]
        row_along, row_across = np.append(row_along, along[taken]), np.append(row_across, across[taken])
        row_half = np.vstack([row_half, np.repeat(upright, len(taken), axis=0)])
    return tuple(sorted((field.spots[k] for k in found), key=lambda t: (-t.score, t.id))[:_MOST_SLOTS])


def _in_row(along: Array, across: Array, half: Array, usual: float) -> bool:
    """Whether the first of some tiles touches another on a level with it and lies over none."""
    beside = np.abs(along[1:] - along[0]) - half[1:, 0] - half[0, 0]
    apart = np.abs(across[1:] - across[0]) - half[1:, 1] - half[0, 1]
    if ((beside < -_OVER) & (apart < -_OVER)).any():
        return False
    level = offsets(across, half)[0, 1:]
    return bool(((np.abs(beside - usual) < _TOUCHING) & (level < _LEVEL)).any())
