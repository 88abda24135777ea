"""Detections to a layout: rows, the hand among them, its blocks.

The way of it: put the tiles on the table as seen from straight above (`layout_geometry`), drop
second boxes of one tile, chain tiles into rows in each direction in which rows may run
(`layout_rows`), pick the pieces that are the hand (`layout_hand`), put them in the owner's frame
(`layout_frame`), cut them into blocks (`layout_groups`). Only relative geometry counts: turning or
scaling the photo plane changes nothing but which side the owner is taken to sit on where the tiles
do not tell.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from hupai.scoring.tiles import Tile
from hupai.vision.conventions import convention
from hupai.vision.geometry.table_tiles import Ground, Spot, bearings, grounds, without
from hupai.vision.layout.grouping import arrangements
from hupai.vision.layout.hand_search import Selection, count_worth, selections
from hupai.vision.layout.low_confidence import FAINT, alternative_hands
from hupai.vision.layout.missing_tiles import (
    open_pungs_without_fourth,
    pairs_with_gap,
    incomplete_kongs,
    missing_tile_boxes,
)
from hupai.vision.layout.owner_frame import Framed, frame
from hupai.vision.layout.rows import bearing
from hupai.vision.layout.segments import lay_out
from hupai.vision.layout.size_outliers import size_outliers
from hupai.vision.layout.types import Arrangement, Block, BlockKind, Layout, Refusal
from hupai.vision.types import Detections, FloatArray

ACCEPT = -1.0
"""Least score of a selection that is taken for a hand, log-odds."""

SHARPNESS = 1.3
"""By how much scores are stretched to log-odds, so that they come true as often as they say on
rendered tables.
"""

_FIT = 2.5
"""How much it counts against a selection that its boxes fit the table better if that lies
otherwise.
"""

_FOUND = 4.5
"""Score of a complete hand from which no other direction can be better."""

_ALTERNATIVES = 3
_WITHIN = 4.0
_DUPLICATE_IOU = 0.55
_SAME_PLACE = 0.32
"""Boxes of turned neighbours overlap much, but their centres are further apart than this, tile
widths.
"""
_HARDLY_BESIDE, _FAINTER_IOU, _FAINTER = 0.6, 0.25, 0.05
"""So near to each other there is no room for two tiles either, but one may lie upon the other: of
boxes that overlap so much, one whose score is lower by so much is a part of the tile or a second
look at it.
"""
_LEAST_TILES = 7
_CLEAR = 0.55
"""Score of a spare box from which it was seen clearly when asked about: a back is then tried as the
fourth tile of a kong beside three open ones, and it is asked what lies beside it.
"""
_ASK, _HAND_PIECES = -4.0, range(2, 7)
"""Least score of a selection in so many pieces that is no hand yet, but worth asking whether tiles
were overlooked; a row of a tray is one piece, and loose tiles are more.
"""


def arrange(
    detections: Detections,
    size: tuple[int, int] | None = None,
    rules: str | None = None,
    point: tuple[float, float] | None = None,
) -> Layout:
    """Find the hand among the tiles on the table and the ways to group it.

    Args:
        detections: what the detector saw.
        size: width and height of the photo in pixels; without it, tiles cut by its edge are not
            told.
        rules: id of a rule set, whose habits of laying melds are then expected.
        point: a place on the hand that is meant, pixels, where several are on the photo.
    """
    firm = len(detections)
    if detections.low_confidence is not None:
        detections = replace(detections, low_confidence=None).with_others(detections.low_confidence)
    spare = frozenset(range(firm, len(detections)))
    whole = grounds(detections, size, firm)
    duplicates = _duplicates(without(whole[0], spare), detections) if whole else frozenset()
    fields = tuple(without(field, duplicates | spare) for field in whole)
    found = fields[0].spots if fields else ()
    every = _ranked(fields)
    ranked = [s for s in every if s.score > ACCEPT and _large_enough(s)] or [
        s for s in every if s.whole
    ][:1]
    if point is not None:
        ranked = _pointed(ranked, found, point)
    nearest = (ranked or (every if point is None else []))[:1]
    clear = frozenset(i for i in spare if detections.scores[i] >= _CLEAR)
    if nearest and _may_change(nearest[0], detections, clear):
        more = _completed(nearest[0], whole, spare, duplicates)
        ranked = _best_first([*ranked, *(s for s in more if s.score > ACCEPT and _large_enough(s))])
    worth = bool(nearest) and nearest[0].score > (
        _ASK if len(nearest[0].chosen) in _HAND_PIECES else ACCEPT
    )
    room = np.zeros((0, 4), np.float32)
    if worth:
        room = missing_tile_boxes(
            nearest[0],
            without(whole[_home(nearest[0], fields)], duplicates | (spare - clear)),
            clear,
        )
    if not ranked:
        seen = detections.only(np.arange(len(detections)) < firm)
        return Layout(seen, duplicates=duplicates, refusal=_refusal(found), missing_tile_boxes=room)
    chosen = ranked[0]
    margin = chosen.score - (ranked[1].score if len(ranked) > 1 else ACCEPT - 2.0)
    ways, sideways, framed = _ways(ranked, detections, rules)
    others = () if point is not None else _others(ranked)
    held = chosen.ids.union(*(way.tiles for way in ways), *others)
    taken = sorted(spare & held)
    ids = {i: i for i in range(firm)} | {i: firm + k for k, i in enumerate(taken)}
    detections = detections.only(np.isin(np.arange(len(detections)), list(ids)))
    hand = frozenset(ids[i] for i in chosen.ids)
    return Layout(
        detections,
        arrangements=tuple(way.with_ids(ids) for way in ways),
        sideways=frozenset(ids[i] for i in sideways),
        duplicates=duplicates,
        cut_by_edge=tuple(sorted(ids[spot.id] for spot in chosen.tiles if spot.cut)),
        size_outliers=size_outliers(detections.boxes, hand, duplicates),
        low_confidence=tuple(sorted(hand.difference(range(firm)))),
        pairs_with_gap=tuple((ids[i], ids[j]) for i, j in pairs_with_gap(framed)),
        other_hands=tuple(tuple(ids[i] for i in other) for other in others),
        owner_log_odds=framed.owner,
        margin=margin,
        missing_tile_boxes=room,
    )


def _ways(
    ranked: list[Selection], detections: Detections, rules: str | None
) -> tuple[tuple[Arrangement, ...], frozenset[int], Framed]:
    """Groupings of the best selections, weighted by both, normalised; the sideways tiles; and the
    best selection as its owner sees it.
    """
    habits = convention(rules)
    near = [s for s in ranked[:_ALTERNATIVES] if ranked[0].score - s.score < _WITHIN]
    total = math.log(sum(math.exp(SHARPNESS * (s.score - near[0].score)) for s in near))
    ways: list[Arrangement] = []
    sideways: set[int] = set()
    frames = [frame(selection) for selection in near]
    for selection, framed in zip(near, frames, strict=True):
        share = SHARPNESS * (selection.score - near[0].score) - total
        ways += [
            Arrangement(way.blocks, way.log_weight + share)
            for way in arrangements(framed, detections.probabilities, habits)
        ]
        for line in framed.lines:
            sideways.update(token.spot.id for token in line if token.sideways > 0)
            sideways.update(token.added.id for token in line if token.added is not None)
    return tuple(sorted(ways, key=lambda way: -way.log_weight)), frozenset(sideways), frames[0]


def _ranked(fields: tuple[Ground, ...]) -> list[Selection]:
    """The selections of all directions on each way the table may lie, best first; of those with the
    same tiles the best.

    Once a complete hand is found that leaves little doubt, no further way is tried.
    """
    best: dict[frozenset[int], Selection] = {}
    doubts: dict[frozenset[int], list[float]] = {}
    for k, field in enumerate(fields):
        for phi in bearings(field):
            for selection in selections(lay_out(bearing(field, phi), field)):
                ids = selection.ids
                if ids not in doubts:
                    doubts[ids] = (
                        [other.doubt(ids) for other in fields] if len(fields) > 1 else [0.0]
                    )
                doubt = doubts[ids][k] - min(doubts[ids])
                if doubt > 0:
                    selection = replace(selection, score=selection.score - _FIT * doubt)
                if ids not in best or best[ids].score < selection.score:
                    best[ids] = selection
            if any(s.complete and s.score > _FOUND for s in best.values()):
                return _best_first(best.values())
    return _best_first(best.values())


def _completed(
    chosen: Selection, fields: tuple[Ground, ...], spare: frozenset[int], duplicates: frozenset[int]
) -> Iterator[Selection]:
    """What a hand becomes with faint boxes taken in or left out, where that makes it complete; the
    scores speak against it.
    """
    home = _home(chosen, fields)
    for selection, change in alternative_hands(chosen, fields[home], spare, duplicates):
        doubts = [field.doubt(selection.ids) for field in fields]
        against = change.against / SHARPNESS + _FIT * (doubts[home] - min(doubts))
        yield replace(selection, score=selection.score - against)


def _may_change(chosen: Selection, detections: Detections, clear: frozenset[int]) -> bool:
    """Whether faint boxes may make another hand of it: it is not complete, holds a faint tile, or
    may lack the back of a kong.
    """
    if (
        not chosen.complete
        or any(t.score < FAINT for t in chosen.tiles)
        or incomplete_kongs(chosen)
    ):
        return True
    return any(detections.probabilities[i].argmax() == Tile.BACK for i in clear) and bool(
        open_pungs_without_fourth(chosen)
    )


def _home(chosen: Selection, fields: tuple[Ground, ...]) -> int:
    """On which of the ways the table may lie a selection was found."""
    return next(k for k, field in enumerate(fields) if chosen.table.bearing.spots[0] in field.spots)


def _best_first(found: Iterable[Selection]) -> list[Selection]:
    return sorted(found, key=lambda s: (-s.score, sorted(s.ids)))


def _duplicates(field: Ground, detections: Detections) -> frozenset[int]:
    """Of boxes that cover one tile all but the surest."""
    kept: list[Spot] = []
    dropped = set()
    for spot in sorted(field.spots, key=lambda s: (-s.score, s.id)):
        if any(
            _same(spot, k, _iou(detections.boxes[spot.id], detections.boxes[k.id])) for k in kept
        ):
            dropped.add(spot.id)
        else:
            kept.append(spot)
    return frozenset(dropped)


def _same(spot: Spot, surer: Spot, iou: float) -> bool:
    """Both boxes are of one tile."""
    away = math.hypot(surer.x - spot.x, surer.y - spot.y)
    if away < _SAME_PLACE and iou > _DUPLICATE_IOU:
        return True
    return away < _HARDLY_BESIDE and iou > _FAINTER_IOU and surer.score - spot.score > _FAINTER


def _iou(a: FloatArray, b: FloatArray) -> float:
    width, height = (np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2])).tolist()
    if width <= 0 or height <= 0:
        return 0.0
    both = float(np.prod(a[2:] - a[:2]) + np.prod(b[2:] - b[:2]))
    return float(width * height / (both - width * height))


def _large_enough(selection: Selection) -> bool:
    """At least half a hand; tiles in three rows or more have to be a whole one, or they are just
    tiles laid out.
    """
    table = selection.table
    homes = {table.lines[i] for i in selection.chosen if len(table.pieces[i].tiles) > 1}
    return len(selection.ids) >= (13 if len(homes) > 2 else _LEAST_TILES)


def _pointed(
    ranked: list[Selection], found: tuple[Spot, ...], point: tuple[float, float]
) -> list[Selection]:
    """The selections that hold the tile nearest to the point."""
    if not found:
        return []
    nearest = min(found, key=lambda s: math.hypot(s.at[0] - point[0], s.at[1] - point[1]))
    return [s for s in ranked if nearest.id in s.ids]


def _others(ranked: list[Selection]) -> tuple[tuple[int, ...], ...]:
    """Further hands: selections of a hand's size that share no tile with those before."""
    taken = set(ranked[0].ids)
    others = []
    for selection in ranked[1:]:
        if (
            taken.isdisjoint(selection.ids)
            and count_worth(selection.tiles) > 0
            and selection.score > -0.5
        ):
            others.append(tuple(sorted(selection.ids)))
            taken |= selection.ids
    return tuple(others)


def _refusal(found: tuple[Spot, ...]) -> Refusal:
    if not found:
        return Refusal.NO_TILES
    if all(spot.back > 0.5 for spot in found):
        return Refusal.FACE_DOWN
    return Refusal.TOO_MANY if len(found) > 20 else Refusal.NO_ROW


__all__ = ["ACCEPT", "Arrangement", "Block", "BlockKind", "Layout", "Refusal", "arrange"]
