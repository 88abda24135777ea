"""From detections to a layout: rows, the hand among them, its blocks.

The tiles are put on the table as seen from straight above (`hupai.vision.geometry.table_tiles`),
chained into rows in each direction in which rows may run (`rows`), cut into linked segments
(`segments`) of which some are the hand (`hand_search`), seen from the owner's side (`owner_frame`)
and cut into blocks (`grouping`). Only relative geometry counts: turning or scaling the photo
changes nothing but the side on which the owner is taken to sit where the tiles do not tell.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from hupai.scoring.tiles import Tile
from hupai.vision.conventions import convention
from hupai.vision.geometry.table_tiles import bearings, without
from hupai.vision.layout.grouping import arrangements
from hupai.vision.layout.hand_search import Selection, count_score, selections
from hupai.vision.layout.low_confidence import WEAK_SCORE, alternative_hands
from hupai.vision.layout.missing_tiles import (
    incomplete_kongs,
    missing_tile_boxes,
    open_pungs_without_fourth,
    pairs_with_gap,
)
from hupai.vision.layout.owner_frame import OwnerFrame, owner_frame
from hupai.vision.layout.placement import Placement, place, size_outliers
from hupai.vision.layout.types import Arrangement, Layout, Refusal
from hupai.vision.types import Detections, FloatArray

MIN_SCORE = -1.0
"""Least score of a selection that is taken for a hand, log-odds."""
MIN_INCOMPLETE_SCORE = -4.0
"""Least score of a selection in several segments for which missing tiles are sought, log-odds."""
_SEVERAL_SEGMENTS = range(2, 7)
"""Numbers of segments of such a selection: a row of a tray is one, loose tiles are more."""
MIN_OTHER_SCORE = -0.5
"""Least score of a further hand on the photo, log-odds."""
SHARPNESS = 1.3
"""Factor from scores of selections to calibrated log-odds, fitted on rendered tables."""
_PLANE_MISFIT_WEIGHT = 2.5
"""Penalty per unit of misfit when another plane hypothesis explains the hand's boxes better."""
_CLEARLY_COMPLETE_SCORE = 4.5
"""Score of a complete hand after which no further plane hypothesis is tried, log-odds."""
_MAX_SELECTIONS = 3
"""Most selections that are grouped."""
_MAX_SCORE_DROP = 4.0
"""Greatest difference of their scores from the best one, log-odds."""
_MIN_TILES = 7
"""Least number of tiles of a hand of which the rest may be hidden."""
_MIN_TILES_IN_ROWS = 13
"""Least number of tiles in three rows or more, or they are just tiles laid out."""


def arrange(
    detections: Detections,
    size: tuple[int, int] | None = None,
    rules: str | None = None,
    point: tuple[float, float] | None = None,
) -> Layout:
    """Find the hand among the tiles on the table and the ways to group it.

    Args:
        detections: what the detector found.
        size: width and height of the photo in pixels, to find tiles cut by its edge.
        rules: id of a rule set whose habits of laying melds are expected.
        point: a place on the hand that is meant, pixels, where several are on the photo.
    """
    table = place(detections, size)
    ranked = ranked_selections(table)
    hands = _hands(ranked, table, point)
    nearest = next(iter(hands or (ranked if point is None else ())), None)
    missing = np.zeros((0, 4), np.float32)
    if nearest is not None:
        hands = _recover(nearest, hands, table)
        missing = _missing_tile_boxes(nearest, table)
    if not hands:
        return _without_hand(table, missing)
    others = _other_hands(hands) if point is None else ()
    groupings, frames = _group(hands, table.detections, rules)
    return _report(hands, others, groupings, frames, table, missing)


def ranked_selections(table: Placement) -> list[Selection]:
    """Rank the selections of all row directions under each plane hypothesis, best first.

    Of those with the same tiles the best is kept. After a clearly complete hand no further
    hypothesis is tried.
    """
    best: dict[frozenset[int], Selection] = {}
    misfits: dict[frozenset[int], list[float]] = {}
    for k, ground in enumerate(table.tiles):
        for phi in bearings(ground):
            for selection in selections(ground, phi):
                ids = selection.ids
                if ids not in misfits:
                    misfits[ids] = table.misfits(ids)
                score = selection.score - _PLANE_MISFIT_WEIGHT * misfits[ids][k]
                if ids not in best or best[ids].score < score:
                    best[ids] = replace(selection, score=score)
            if any(s.complete and s.score > _CLEARLY_COMPLETE_SCORE for s in best.values()):
                return _best_first(best.values())
    return _best_first(best.values())


def _best_first(found: Iterable[Selection]) -> list[Selection]:
    return sorted(found, key=lambda s: (-s.score, sorted(s.ids)))


def _hands(
    ranked: list[Selection], table: Placement, point: tuple[float, float] | None
) -> list[Selection]:
    """Keep the selections that are hands; of all there is on the photo, the best even if not.

    Where a point is given, keep those that hold the tile nearest to it.
    """
    hands = [s for s in ranked if _is_hand(s)] or [s for s in ranked if s.is_everything][:1]
    if point is None or not table.seen:
        return hands
    nearest = min(table.seen, key=lambda s: math.hypot(s.at[0] - point[0], s.at[1] - point[1]))
    return [s for s in hands if nearest.id in s.ids]


def _is_hand(selection: Selection) -> bool:
    """Tell whether a selection scores well and holds enough tiles for its number of rows."""
    graph = selection.graph
    rows = {graph.lines[i] for i in selection.chosen if len(graph.segments[i].tiles) > 1}
    least = _MIN_TILES_IN_ROWS if len(rows) > 2 else _MIN_TILES
    return selection.score > MIN_SCORE and len(selection.ids) >= least


def _recover(nearest: Selection, hands: list[Selection], table: Placement) -> list[Selection]:
    """Add the hands that low-confidence detections complete, best first."""
    if not _may_change(nearest, table):
        return hands
    return _best_first([*hands, *(s for s in _completed(nearest, table) if _is_hand(s))])


def _may_change(chosen: Selection, table: Placement) -> bool:
    """Tell whether low-confidence boxes may make another hand of a selection.

    It is incomplete, holds a weak tile, or may lack the back of a kong.
    """
    weak = any(t.score < WEAK_SCORE for t in chosen.tiles)
    if not chosen.complete or weak or incomplete_kongs(chosen):
        return True
    faces = (table.detections.probabilities[i].argmax() for i in table.clear)
    return Tile.BACK in faces and bool(open_pungs_without_fourth(chosen))


def _completed(chosen: Selection, table: Placement) -> Iterator[Selection]:
    """Yield the alternatives to a hand, the cost of the change taken off their scores."""
    k = table.plane_of(chosen)
    found = alternative_hands(chosen, table.planes[k], table.low_confidence, table.duplicates)
    for selection, change in found:
        misfit = table.misfits(selection.ids)[k]
        cost = change.cost / SHARPNESS + _PLANE_MISFIT_WEIGHT * misfit
        yield replace(selection, score=selection.score - cost)


def _missing_tile_boxes(chosen: Selection, table: Placement) -> FloatArray:
    """Propose boxes (n, 4) where tiles of a hand, or of what may be one, were missed."""
    several = len(chosen.chosen) in _SEVERAL_SEGMENTS
    if chosen.score <= (MIN_INCOMPLETE_SCORE if several else MIN_SCORE):
        return np.zeros((0, 4), np.float32)
    hidden = table.duplicates | (table.low_confidence - table.clear)
    ground = without(table.planes[table.plane_of(chosen)], hidden)
    return missing_tile_boxes(chosen, ground, table.clear)


def _without_hand(table: Placement, missing: FloatArray) -> Layout:
    """Report why there is no hand."""
    seen = table.seen
    refusal = Refusal.TOO_MANY if len(seen) > 20 else Refusal.NO_ROW
    if all(spot.back > 0.5 for spot in seen):
        refusal = Refusal.FACE_DOWN if seen else Refusal.NO_TILES
    return Layout(
        table.detections.only(np.arange(table.confident)),
        duplicates=table.duplicates,
        refusal=refusal,
        missing_tile_boxes=missing,
    )


def _group(
    hands: list[Selection], detections: Detections, rules: str | None
) -> tuple[tuple[Arrangement, ...], list[OwnerFrame]]:
    """Group the best hands in all ways the geometry leaves open.

    Returns:
        The groupings, weighted by the hands' scores and normalised, and these hands as their owner
        sees them, the best first.
    """
    best = hands[0].score
    near = [s for s in hands[:_MAX_SELECTIONS] if best - s.score < _MAX_SCORE_DROP]
    total = math.log(sum(math.exp(SHARPNESS * (s.score - best)) for s in near))
    frames = [owner_frame(selection) for selection in near]
    found = [
        replace(one, log_weight=one.log_weight + (SHARPNESS * (selection.score - best) - total))
        for selection, framed in zip(near, frames, strict=True)
        for one in arrangements(framed, detections.probabilities, convention(rules))
    ]
    return tuple(sorted(found, key=lambda one: -one.log_weight)), frames


def _other_hands(hands: list[Selection]) -> tuple[tuple[int, ...], ...]:
    """Find further hands: selections of a hand's size that share no tile with those before."""
    taken = set(hands[0].ids)
    others = []
    for selection in hands[1:]:
        large = count_score(selection.tiles) > 0 and selection.score > MIN_OTHER_SCORE
        if large and taken.isdisjoint(selection.ids):
            others.append(tuple(sorted(selection.ids)))
            taken |= selection.ids
    return tuple(others)


def _report(
    hands: list[Selection],
    others: tuple[tuple[int, ...], ...],
    groupings: tuple[Arrangement, ...],
    frames: list[OwnerFrame],
    table: Placement,
    missing: FloatArray,
) -> Layout:
    """Put all together, without the low-confidence detections that no hand holds."""
    chosen = hands[0]
    held = chosen.ids.union(*(one.tiles for one in groupings), *others)
    kept = [*range(table.confident), *sorted(table.low_confidence & held)]
    new_id = {old: new for new, old in enumerate(kept)}
    left = np.array(sorted(table.low_confidence - held - table.duplicates), np.intp)
    detections = replace(
        table.detections.only(np.array(kept, np.intp)), low_confidence=table.detections.only(left)
    )
    hand = frozenset(new_id[i] for i in chosen.ids)
    return Layout(
        detections,
        arrangements=tuple(one.with_ids(new_id) for one in groupings),
        sideways=frozenset(new_id[i] for framed in frames for i in framed.sideways_ids()),
        duplicates=table.duplicates,
        cut_by_edge=tuple(sorted(new_id[spot.id] for spot in chosen.tiles if spot.cut)),
        size_outliers=size_outliers(detections.boxes, hand, table.duplicates),
        low_confidence=tuple(sorted(i for i in hand if i >= table.confident)),
        pairs_with_gap=tuple((new_id[i], new_id[j]) for i, j in pairs_with_gap(frames[0])),
        other_hands=tuple(tuple(new_id[i] for i in other) for other in others),
        owner_log_odds=frames[0].owner_log_odds,
        margin=chosen.score - (hands[1].score if len(hands) > 1 else MIN_SCORE - 2.0),
        missing_tile_boxes=missing,
    )
