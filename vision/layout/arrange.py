"""From detections to a layout: rows, the hand among them, its blocks.

The tiles are put on the table as seen from straight above (`hupai.vision.geometry.table_tiles`),
chained into rows in each direction in which rows may run (`rows`), cut into linked segments
(`segments`) of which some are the hand (`hand_search`), seen from the owner's side (`owner_frame`)
and cut into blocks (`grouping`). Scaling the photo changes nothing. Turning it may: where several
hands are on the photo, the one at the lower edge is likelier the photographer's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from hupai.vision.conventions import convention
from hupai.vision.geometry.table_tiles import bearings
from hupai.vision.layout.grouping import arrangements
from hupai.vision.layout.hand_search import Candidate, Query, Selection, candidates
from hupai.vision.layout.missing_tiles import missing_tile_boxes, pairs_with_gap
from hupai.vision.layout.owner_frame import OwnerFrame, owner_frame
from hupai.vision.layout.placement import Placement, place, size_outliers
from hupai.vision.layout.selection_features import FEATURES
from hupai.vision.layout.types import Arrangement, Layout, Refusal
from hupai.vision.layout.weights import LayoutWeights, shipped_weights
from hupai.vision.types import Detections, FloatArray

_MIN_SCORE = -5.0
"""Least score of as many tiles as a hand has: a heap scores less, 99 of 100 hands score more."""
_MIN_PARTIAL_SCORE = 1.0
"""Least score of fewer tiles, which may be a hand seen in part; 19 of 20 photos of the fit without
their hand score less.
"""
_MIN_OTHER_SCORE = 6.0
"""Least score of a further hand that is offered, or of more tiles than a hand has; 99 of 100 photos
of the fit without their hand score less.
"""
_MOST_SHOWN = 20
"""Most tiles that are shown as a hand where there is nothing else, though they are none."""
_MAX_SELECTIONS = 3
"""Most selections that are grouped."""
_MAX_SCORE_DROP = 1.6
"""Greatest difference of their scores from the best one, log-odds: one in five."""
_MAX_OTHERS = 4
"""Most further hands that are offered."""


def arrange(
    detections: Detections,
    size: tuple[int, int] | None = None,
    rules: str | None = None,
    point: tuple[float, float] | None = None,
    weights: LayoutWeights | None = None,
) -> Layout:
    """Find the hand among the tiles on the table and the ways to group it.

    Args:
        detections: what the detector found.
        size: width and height of the photo in pixels, to find tiles cut by its edge.
        rules: id of a rule set whose habits of laying melds, and size of a hand, are expected.
        point: a place on the hand that is meant, pixels, where several are on the photo.
        weights: by which hands are scored; those that are shipped by default.
    """
    table = place(detections, size)
    query = Query(
        table.low_confidence,
        size,
        convention(rules).hand_size,
        weights or shipped_weights(),
        held=_nearest(table, point),
    )
    found = _hands(ranked_candidates(table, query)) if table.seen else []
    if not found:
        return _without_hand(table)
    best = found[0].score
    near = [
        c
        for k, c in enumerate(found[:_MAX_SELECTIONS])
        if k == 0 or (best - c.score < _MAX_SCORE_DROP and not _differs_in_flowers(c, found[0]))
    ]
    hands = [Selection.of(candidate, table.planes[candidate.plane]) for candidate in near]
    missing = missing_tile_boxes(hands[0], table.planes[near[0].plane], table.clear)
    # A further search, which only a photo with the tiles of a further hand needs. It keeps to the
    # plane of the hand found: the table is the same, and this takes a quarter less time in all.
    left = sum(spot.id not in near[0].ids for spot in table.seen)
    search = point is None and left >= query.hand_size
    rest = ranked_candidates(table.without(near[0].ids, near[0].plane), query) if search else ()
    others = _other_hands(rest)
    groupings, frames = _group(hands, table.detections, rules)
    margin = best - found[1].score if len(found) > 1 else math.inf
    return _report(hands, others, groupings, frames, table, missing, margin)


def ranked_candidates(table: Placement, query: Query) -> list[Candidate]:
    """Rank the candidates of all row directions under each plane hypothesis, best first.

    Of those with the same tiles the best is kept. After a complete hand that is the best so far no
    further hypothesis is tried.
    """
    cost = query.weights.selection.get("plane_misfit", 0.0)
    column = FEATURES.index("plane_misfit")
    best: dict[frozenset[int], Candidate] = {}
    ranked: list[Candidate] = []
    for k, (ground, firm) in enumerate(zip(table.planes, table.tiles, strict=True)):
        proposed = list(candidates(ground, bearings(firm), query))
        misfits = table.misfits([one.ids for one in proposed])[k]
        for one, misfit in zip(proposed, misfits.tolist(), strict=True):
            features = one.features.copy()
            features[column] = misfit
            score = one.score + cost * misfit
            if one.ids not in best or best[one.ids].score < score:
                best[one.ids] = replace(one, score=score, features=features, plane=k)
        ranked = sorted(best.values(), key=lambda c: (-c.score, sorted(c.ids)))
        if ranked and ranked[0].complete and not query.truth:
            break
    return ranked


def _hands(ranked: list[Candidate]) -> list[Candidate]:
    """Keep the candidates that are hands; of all there is on the photo, the best even if not.

    A mere heap, whose tiles do not lie in rows, is none.
    """
    ranked = [c for c in ranked if any(t.back <= 0.5 for t in c.tiles)]
    hands = [c for c in ranked if _is_hand(c)]
    if not hands:
        shown = (c for c in ranked if c.has("everything") and len(c.tiles) <= _MOST_SHOWN)
        hands = [c for c in shown if c.score > _MIN_SCORE or _in_rows(c)][:1]
    return hands


def _in_rows(candidate: Candidate) -> bool:
    """Tell whether half of the tiles touch the one before in their row."""
    touching = candidate.features[FEATURES.index("touching")]
    return bool(2 * touching >= len(candidate.tiles))


def _differs_in_flowers(one: Candidate, other: Candidate) -> bool:
    """Tell whether two candidates differ in flowers alone: whose these are is asked anyway."""
    different = one.ids ^ other.ids
    return all(t.flower > 0.5 for t in (*one.tiles, *other.tiles) if t.id in different)


def _is_hand(candidate: Candidate) -> bool:
    """Tell whether tiles are as many as a hand has, or score well though they are not."""
    if _is_hand_sized(candidate):
        return candidate.score > _MIN_SCORE
    least = _MIN_OTHER_SCORE if candidate.has("too_many") else _MIN_PARTIAL_SCORE
    return candidate.score > least and len(candidate.tiles) <= _MOST_SHOWN


def _is_hand_sized(candidate: Candidate) -> bool:
    return candidate.has("full") or candidate.has("waiting")


def _without_hand(table: Placement) -> Layout:
    """Report why there is no hand."""
    seen = table.seen
    refusal = Refusal.TOO_MANY if len(seen) > 20 else Refusal.NO_ROW
    if all(spot.back > 0.5 for spot in seen):
        refusal = Refusal.FACE_DOWN if seen else Refusal.NO_TILES
    return Layout(
        table.detections.only(np.arange(table.confident)),
        duplicates=table.duplicates,
        refusal=refusal,
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
    total = math.log(sum(math.exp(hand.score - best) for hand in hands))
    frames = [owner_frame(hand) for hand in hands]
    found = [
        replace(one, log_weight=one.log_weight + (hand.score - best) - total)
        for hand, framed in zip(hands, frames, strict=True)
        for one in arrangements(framed, detections.probabilities, convention(rules))
    ]
    return tuple(sorted(found, key=lambda one: -one.log_weight)), frames


def _other_hands(ranked: Sequence[Candidate]) -> tuple[tuple[int, ...], ...]:
    """Find further hands: candidates of a hand's size that share no tile with those before."""
    taken: set[int] = set()
    others: list[tuple[int, ...]] = []
    for one in ranked:
        likely = one.score > _MIN_OTHER_SCORE and _is_hand_sized(one)
        if likely and len(others) < _MAX_OTHERS and taken.isdisjoint(one.ids):
            others.append(tuple(sorted(one.ids)))
            taken |= one.ids
    return tuple(others)


def _nearest(table: Placement, point: tuple[float, float] | None) -> frozenset[int]:
    """Find the id of the tile nearest to a point; none without a point."""
    if point is None or not table.seen:
        return frozenset()
    return frozenset({min(table.seen, key=lambda s: math.dist(s.at, point)).id})


def _report(
    hands: list[Selection],
    others: tuple[tuple[int, ...], ...],
    groupings: tuple[Arrangement, ...],
    frames: list[OwnerFrame],
    table: Placement,
    missing: FloatArray,
    margin: float,
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
        sideways=frozenset(
            new_id[i] for framed in frames for i in framed.sideways_ids() if i in new_id
        ),
        duplicates=table.duplicates,
        cut_by_edge=tuple(sorted(new_id[spot.id] for spot in chosen.tiles if spot.cut)),
        size_outliers=size_outliers(detections.boxes, hand, table.duplicates),
        low_confidence=tuple(sorted(i for i in hand if i >= table.confident)),
        pairs_with_gap=tuple((new_id[i], new_id[j]) for i, j in pairs_with_gap(frames[0])),
        other_hands=tuple(tuple(new_id[i] for i in other) for other in others),
        owner_log_odds=frames[0].owner_log_odds,
        margin=margin,
        missing_tile_boxes=missing,
    )
