"""Faint boxes, weighed by what they do to the hand.

A detector is shy of backs, of blank tiles and of what a light reflects in, and now and then takes a
tile's side or the cloth for one. Where the tiles found are no complete hand, boxes are tried that
were too faint to be tiles by themselves but lie in a row that has room for them, and faint tiles of
the hand are left out in turn: what makes the hand complete is another way to read it, against which
the scores speak.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TypeVar

import numpy as np

from hupai.scoring.tiles import Tile
from hupai.vision.geometry.table_tiles import Array, Ground, Spot, believed, without
from hupai.vision.layout.hand_search import Selection, complete_at, selections
from hupai.vision.layout.rows import UNLIKE, Bearing, bearing, offsets, turned
from hupai.vision.layout.segments import lay_out

_T = TypeVar("_T")

_TOUCHING, _LEVEL = 0.35, 0.25
"""Furthest from touching a tile of the hand, and from a level with it, at which a spare box lies in
its row, tile widths.
"""
_APART = 1.3
"""An open tile may be the winning one, set apart by so much, tile widths."""
_OVER = 0.35
"""By how much a spare box may lie over a tile of the hand, both ways, tile widths."""
FAINT = 0.5
"""Tiles of the hand with a lower score may be none,"""
_UNSURE, _UNNAMED = 0.75, 1.5
"""and so may those with a lower one than this whose face is no surer than that, log-odds against
the next likeliest.
"""
_FIRM = 1.5
"""Log-odds that a faint tile of the hand is one."""
_SIDES = 0.5
"""The same of all that may be sides of tiles, together."""
_ALIKE = 0.4
"""How much the doubt about a further spare box counts."""
_SEES_SIDES = math.radians(25)
"""Angle to the table's perpendicular from which a camera sees the sides of tiles."""
_BEFORE, _BESIDE = (0.5, 1.25), 0.35
"""How far before a tile its side seems to lie on the table, and how far beside it at most, tile
widths.
"""
_DOUBTED = 3.0
"""Log-odds of a face below which its tile may be taken for the next likeliest."""
_MOST_ADDED, _MOST_DROPPED, _MOST_RENAMED, _MOST_OFFERS, _MOST_TRIED = 4, 2, 5, 6, 6


@dataclass(frozen=True, slots=True)
class Change:
    """What is read in another way, by id, and the log-odds against all of it.

    Attributes:
        added: boxes taken in.
        dropped: tiles left out.
        renamed: tiles taken for their second face.
        against: what the scores and the shares of faces say against it.
    """

    added: frozenset[int]
    dropped: frozenset[int]
    renamed: frozenset[int]
    against: float


def alternative_hands(
    chosen: Selection, field: Ground, spare: frozenset[int], left_out: frozenset[int]
) -> Iterator[tuple[Selection, Change]]:
    """What a hand that is not complete, or has faint tiles, becomes by changes after which it is
    complete; likeliest first.

    Args:
        chosen: the hand as found without spare boxes.
        field: all boxes of the photo, spare ones among them, on the table as it lies for that hand.
        spare: ids of the boxes that are too faint to be tiles by themselves.
        left_out: ids of second boxes around a tile.
    """
    usual = float(np.median([t.score for t in chosen.tiles]))
    below = frozenset[int]() if chosen.complete else tile_sides(field, chosen.ids)
    for change in _changes(chosen, _offers(chosen, field, spare), below):
        kept = without(field, (spare | left_out | change.dropped) - change.added)
        tried = believed(kept, change.added, usual, change.renamed)
        best = next(
            (
                s
                for s in selections(lay_out(bearing(tried, chosen.table.bearing.phi), tried))
                if s.complete
            ),
            None,
        )
        if best is not None and change.added <= best.ids:
            yield best, change


@dataclass(frozen=True, slots=True)
class _Offer:
    """Spare boxes that a row has room for, and the tiles they would bring along: the rest of a kong
    beside the hand.
    """

    spare: tuple[Spot, ...]
    firm: tuple[Spot, ...] = ()


def _changes(chosen: Selection, offers: tuple[_Offer, ...], below: frozenset[int]) -> list[Change]:
    """The changes to try: first those after which the tiles may be a complete hand, the likeliest
    first. What may be the sides of tiles, the boxes `below`, is left out together.
    """
    faint = sorted(filter(_may_be_none, chosen.tiles), key=lambda t: (t.score, t.id))[:_MOST_OFFERS]
    fewer = [(dropped, _FIRM * len(dropped)) for dropped in _subsets(faint, _MOST_DROPPED)]
    if below:
        lying = tuple(t for t in chosen.tiles if t.id in below)
        fewer.append((lying, _SIDES))
        fewer += [((*lying, t), _SIDES + _FIRM) for t in faint if t.id not in below]
    doubtful = sorted((t for t in chosen.tiles if t.odds < _DOUBTED), key=lambda t: (t.odds, t.id))[
        :_MOST_RENAMED
    ]
    found: list[tuple[bool, float, int, Change]] = []
    for taken in _subsets(offers, _MOST_ADDED):
        added = [t for offer in taken for t in offer.spare]
        brought = [t for offer in taken for t in offer.firm]
        for dropped, price in fewer:
            left = [t for t in (*chosen.tiles, *brought, *added) if t not in dropped]
            for name in (None, *doubtful) if len(taken) < 2 else (None,):
                if not (added or dropped or name):
                    continue
                against = _against(added) + price + (name.odds if name else 0.0)
                fits = complete_at([replace(t, face=t.second) if t is name else t for t in left])
                if fits or not name:
                    change = Change(
                        _ids(added), _ids(dropped), _ids([name] if name else []), against
                    )
                    found.append((not fits, against, len(found), change))
    return [change for *_, change in sorted(found, key=lambda way: way[:3])[:_MOST_TRIED]]


def tile_sides(field: Ground, ids: frozenset[int]) -> frozenset[int]:
    """Tiles of a hand that may be no more than the side of the tile behind: blank or face down,
    right before another as the camera looks at the table; empty where it looks from above.
    """
    plane = field.plane
    if plane.slant < _SEES_SIDES:
        return frozenset()
    blank = [
        k for k, t in enumerate(field.spots) if t.id in ids and t.face in (Tile.BACK, Tile.WHITE)
    ]
    found = set()
    for k in blank:
        near = np.linalg.solve(field.stretch[k], -plane.tilt)
        near /= np.linalg.norm(near)
        away = field.places[k] - field.places
        before, beside = away @ near, np.abs(away @ np.array([-near[1], near[0]]))
        if ((before > _BEFORE[0]) & (before < _BEFORE[1]) & (beside < _BESIDE)).any():
            found.add(field.spots[k].id)
    return frozenset(found)


def _may_be_none(tile: Spot) -> bool:
    """It is faint, or neither sure to be a tile nor which one."""
    return tile.score < FAINT or (tile.score < _UNSURE and tile.odds < _UNNAMED)


def _ids(tiles: Iterable[Spot]) -> frozenset[int]:
    return frozenset(t.id for t in tiles)


def _subsets(things: Sequence[_T], most: int) -> Iterator[tuple[_T, ...]]:
    for size in range(min(len(things), most) + 1):
        yield from combinations(things, size)


def _against(added: Sequence[Spot]) -> float:
    """Log-odds against some spare boxes in the hand's rows being tiles, by their scores: what makes
    a detector shy of one back makes it shy of the others, so the faintest counts most.
    """
    doubts = sorted((math.log((1 - t.score) / max(t.score, 0.01)) for t in added), reverse=True)
    return sum(doubts[:1]) + _ALIKE * sum(doubts[1:])


def _offers(chosen: Selection, field: Ground, spare: frozenset[int]) -> tuple[_Offer, ...]:
    """The spare boxes that lie in the rows of the hand where these have room, each by itself, and
    those that make a kong of tiles beside the hand; surest first.
    """
    table = chosen.table
    b = table.bearing
    own = [k for i in chosen.chosen for k in table.pieces[i].places]
    rows = _Rows.of(b, field, spare)
    found = [_Offer((spot,)) for spot in rows.joining(own)]
    found += [
        _Offer(four) for four in rows.fours() if _one_kind(four) and any(t.back > 0.5 for t in four)
    ]
    for i, piece in enumerate(table.pieces):
        if i not in chosen.chosen and _part_of_kong(piece.tiles):
            joining = rows.joining(list(piece.places))
            if 0 < len(joining) <= 4 - len(piece.tiles):
                found.append(_Offer(tuple(joining), piece.tiles))
    return tuple(
        sorted(found, key=lambda offer: (_against(offer.spare), offer.spare[0].id))[:_MOST_OFFERS]
    )


def _part_of_kong(tiles: Sequence[Spot]) -> bool:
    """Three tiles or less of a concealed kong: face down, or open and all of one kind."""
    return len(tiles) < 4 and _one_kind(tiles)


def _one_kind(tiles: Sequence[Spot]) -> bool:
    """Of these tiles all that lie open are alike."""
    return len({t.face for t in tiles if t.face is not Tile.BACK}) < 2


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """Rows of tiles and the spare boxes among them.

    Attributes:
        bearing: the rows.
        spots: the spare boxes.
        along, across: shape (n,), places of the spare boxes in the rows' frame.
        upright: shape (1, 2), half the sides of a tile that stands upright in a row.
    """

    bearing: Bearing
    spots: tuple[Spot, ...]
    along: Array
    across: Array
    upright: Array

    @classmethod
    def of(cls, b: Bearing, field: Ground, spare: frozenset[int]) -> _Rows:
        """The spare boxes of a photo that are about as large as the tiles of the rows."""
        along, across = turned(field.places, b.phi)
        unlike = np.abs(
            field.sizes(np.full(len(field.spots), b.phi + math.pi / 2)) - np.median(b.sizes)
        )
        keep = [k for k, spot in enumerate(field.spots) if spot.id in spare and unlike[k] < UNLIKE]
        return cls(
            b,
            tuple(field.spots[k] for k in keep),
            along[keep],
            across[keep],
            np.array([[0.5, field.plane.ratio / 2]]),
        )

    def joining(self, places: list[int]) -> list[Spot]:
        """The spare boxes that touch the tiles at some places of the rows, or touch others that
        do.
        """
        b = self.bearing
        along, across, half = b.along[places], b.across[places], b.half[places]
        waiting, found = [k for k in range(len(self.spots)) if self._free(k)], list[int]()
        while True:
            taken = [k for k in waiting if self._touches(k, along, across, half)]
            if not taken:
                return [self.spots[k] for k in found]
            found += taken
            waiting = [k for k in waiting if k not in taken]
            along, across = (
                np.append(along, self.along[taken]),
                np.append(across, self.across[taken]),
            )
            half = np.vstack([half, np.repeat(self.upright, len(taken), axis=0)])

    def fours(self) -> Iterator[tuple[Spot, ...]]:
        """The spare boxes that lie four by four, each touching another of them."""
        waiting = [k for k in range(len(self.spots)) if self._free(k)]
        while waiting:
            four = [waiting[0]]
            while more := [
                k for k in waiting if k not in four and self._touches(k, *self._at(four))
            ]:
                four += more
            waiting = [k for k in waiting if k not in four]
            if len(four) == 4:
                yield tuple(self.spots[k] for k in four)

    def _at(self, which: list[int]) -> tuple[Array, Array, Array]:
        """Places along and across, and half the sides, of some of the spare boxes as upright
        tiles.
        """
        return self.along[which], self.across[which], np.repeat(self.upright, len(which), axis=0)

    def _free(self, k: int) -> bool:
        """It lies over no tile of the rows, upright or sideways."""
        b = self.bearing
        ways = (
            self._room(k, own, b.along, b.across, b.half)
            for own in (self.upright, self.upright[:, ::-1])
        )
        return any(not ((beside < -_OVER) & (apart < -_OVER)).any() for beside, apart in ways)

    def _touches(self, k: int, along: Array, across: Array, half: Array) -> bool:
        """It lies beside one of some tiles, on a level with it."""
        for own in (self.upright, self.upright[:, ::-1]):
            beside, _ = self._room(k, own, along, across, half)
            level = offsets(np.append(self.across[k], across), np.vstack([own, half]))[0, 1:]
            gap = beside - self.bearing.usual
            reach = _TOUCHING if self.spots[k].back > 0.5 else _APART
            if ((gap > -_TOUCHING) & (gap < reach) & (level < _LEVEL)).any():
                return True
        return False

    def _room(
        self, k: int, own: Array, along: Array, across: Array, half: Array
    ) -> tuple[Array, Array]:
        """Free space along and across between a spare box of these half sides and some tiles."""
        return np.abs(along - self.along[k]) - half[:, 0] - own[0, 0], np.abs(
            across - self.across[k]
        ) - half[:, 1] - own[0, 1]
