"""From detections to a layout: rows, the hand among them, its blocks.

The tiles are rectified to a bird's-eye view of the table (`hupai.vision.geometry.table_tiles`) and
chained into rows in each possible row direction (`rows`); rows are cut into segments (`segments`).
The best-scoring set of segments is the hand (`hand_search`), which is then turned to its owner's
frame (`owner_frame`) and divided into blocks (`grouping`). The result does not depend on the
photo's scale. It may depend on its rotation: if there are several hands, the one at the lower edge
is likelier the photographer's.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from hupai.vision.conventions import convention
from hupai.vision.geometry.boxes import distances
from hupai.vision.geometry.placement import Placement, place, size_outliers
from hupai.vision.geometry.table_tiles import Ground
from hupai.vision.layout.grouping import arrangements
from hupai.vision.layout.hand_search import Candidate, Selection, TableRows
from hupai.vision.layout.missing_tiles import (
    ends_in_view,
    missing_tile_boxes,
    pairs_with_gap,
)
from hupai.vision.layout.owner_frame import OwnerFrame, owner_frame
from hupai.vision.layout.selection_features import FEATURES, Query
from hupai.vision.layout.types import Arrangement, Layout, Refusal
from hupai.vision.layout.weights import LayoutWeights, shipped_weights, weight_vector
from hupai.vision.types import Detections, FloatArray

_MAX_SELECTIONS = 3
"""Maximum number of candidates that are grouped."""
_MAX_SCORE_DROP = 1.6
"""How far below the best one they may score, log-odds: one fifth of its odds."""


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
        rules: id of the rule set that determines how melds are laid and the size of a hand.
        point: a point on the wanted hand, pixels, if the photo shows several.
        weights: weights for choosing and grouping the hand; the shipped ones by default.
    """
    return find_hand(place(detections, size), rules, point, weights).layout()


@dataclass(frozen=True, slots=True, eq=False)
class FoundHand:
    """The hand among the tiles of a photo, before it is grouped.

    Attributes:
        table: the tiles.
        query: the parameters of the search.
        candidates: hands found, best first; empty if there is none.
        hand: the best of them; None if there is none.
        doubtful: whether it scores no better than tiles that are not a hand.
        rows: the rows that were searched.
        missing_tile_boxes: boxes (n, 4), pixels, where a tile of the hand may have been missed.
    """

    table: Placement
    query: Query
    candidates: Sequence[Candidate]
    hand: Selection | None
    doubtful: bool
    rows: TableRows
    missing_tile_boxes: FloatArray

    def layout(self) -> Layout:
        """Group the tiles of the hand, and look for further hands."""
        if self.hand is None:
            return _without_hand(self.table, self.query.habits.largest)
        hands = [self.hand, *(Selection.of(one, self.table.ground) for one in self._rivals())]
        groupings, frames = _group(hands, self.table.detections, self.query)
        return _report(self, self.hand, groupings, frames, self._other_hands())

    @property
    def margin(self) -> float:
        """Log-odds of the hand against the next best candidate; infinite without one."""
        first, *others = (one.score for one in self.candidates[:2])
        return first - others[0] if others else math.inf

    def _rivals(self) -> Iterator[Candidate]:
        """Yield the further candidates to group: those that score almost as well as the best.

        Candidates that differ from it only in flowers are left out.
        """
        best, ground = self.candidates[0], self.table.ground
        for one in self.candidates[1:_MAX_SELECTIONS]:
            different = ground.flowers[ground.among(one.ids ^ best.ids)] <= 0.5
            if best.score - one.score < _MAX_SCORE_DROP and different.any():
                yield one

    def _other_hands(self) -> list[Candidate]:
        """Find further hands that share no tile with this hand or with each other, best first.

        The same rows are searched, and only if enough tiles remain for a hand. Further hands may
        lie anywhere on the photo, so their size and place do not count. If this hand is doubtful,
        they do count, and another hand need only score almost as well as this one.
        """
        best, query = self.candidates[0], replace(self.query, required=frozenset())
        if (~self.table.firm.among(best.ids)).sum() < query.habits.hand_size:
            return []
        if self.doubtful:
            least = best.score - _MAX_SCORE_DROP
        else:
            least, query = query.weights.limits["further"], query.anywhere()
        taken = set(best.ids)
        others: list[Candidate] = []
        for one in self.rows.ranked_candidates(replace(query, taken=best.ids, min_score=least)):
            if taken.isdisjoint(one.ids):
                others.append(one)
                taken |= one.ids
        return others

    def is_rival(self, other: Candidate) -> bool:
        """Return whether a further hand may be the one that is meant, by its size and place."""
        score = other.features @ weight_vector(self.query.weights.selection, FEATURES)
        return self.doubtful or bool(score > self.query.weights.limits["other"])


def find_hand(
    table: Placement,
    rules: str | None,
    point: tuple[float, float] | None,
    weights: LayoutWeights | None,
) -> FoundHand:
    """Find the hand among the tiles on the table.

    Args:
        table: the tiles.
        rules, point, weights: as for `arrange`.
    """
    query = Query(
        table.size,
        convention(rules),
        weights or shipped_weights(),
        required=_nearest(table.firm, point),
    )
    rows = TableRows.of(table)
    found, doubtful = _hands(rows, table, query) if len(table.firm) else ([], False)
    if found and found[0].complete:
        with_flowers = table.with_flowers_beside(found[0].ids)
        if with_flowers is not table:
            table, rows = with_flowers, TableRows.of(with_flowers)
            found, doubtful = _hands(rows, table, query)
    hand = Selection.of(found[0], table.ground) if found else None
    missing = np.zeros((0, 4), np.float32)
    if hand is not None:
        missing = missing_tile_boxes(hand, table)
    return FoundHand(table, query, found, hand, doubtful, rows, missing)


def _hands(rows: TableRows, table: Placement, query: Query) -> tuple[list[Candidate], bool]:
    """Return the best candidates that are hands, and whether they are doubtful.

    If no candidate is a hand, return the best one that contains all sure tiles of the photo and has
    as many tiles as a hand may have, flowers included. Failing that, return a doubtful one: the
    best that has the size of a hand, preferably without backs. A few tiles in a heap rather than in
    rows are neither.
    """
    hands: list[Candidate] = []
    fallback: list[Candidate] = []
    doubtful: list[Candidate] = []
    sure = frozenset(rows.ground.ids[rows.sure & ~rows.low_confidence].tolist())
    crowded = len(table.firm) > query.habits.largest
    least = query.weights.limits["hand"]
    for one in rows.ranked_candidates(query):
        if len(hands) == _MAX_SELECTIONS or ((hands or fallback) and one.score <= least):
            break
        # The second hand determines the margin; a further one counts only if it is a rival.
        if len(hands) > 1 and one.score <= hands[0].score - _MAX_SCORE_DROP:
            break
        if one.backs < len(one.ids):
            fits = query.habits.hand_size <= len(one.ids) <= query.largest
            if _is_hand(one, query):
                hands.append(one)
            elif fits and one.ids >= sure and _in_rows(one, rows, least):
                fallback.append(one)
            elif crowded or _in_rows(one, rows, least):
                doubtful += [one] if _is_hand_sized(one) else []
    if hands or fallback:
        return hands or fallback[:1], False
    return sorted(doubtful, key=lambda one: one.backs > 0)[:1], True


def _in_rows(candidate: Candidate, rows: TableRows, least: float) -> bool:
    """Return whether a candidate scores like a hand, or at least half of its tiles are in rows."""
    return candidate.score > least or 2 * rows.touching(candidate.ids) >= len(candidate.ids)


def _is_hand(candidate: Candidate, query: Query) -> bool:
    """Return whether a candidate scores like a hand; one of an unusual size must score higher."""
    if _is_hand_sized(candidate):
        return candidate.score > query.weights.limits["hand"]
    least = query.weights.limits["other" if candidate.has("too_many") else "partial"]
    return candidate.score > least and len(candidate.ids) <= query.habits.largest


def _is_hand_sized(candidate: Candidate) -> bool:
    """Return whether a candidate has the size of a hand, complete or waiting."""
    return candidate.has("full") or candidate.has("waiting")


def _without_hand(table: Placement, largest: int) -> Layout:
    """Report why there is no hand."""
    seen = table.firm
    refusal = Refusal.TOO_MANY if len(seen) > largest else Refusal.NO_ROW
    if (seen.backs > 0.5).all():
        refusal = Refusal.FACE_DOWN if len(seen) else Refusal.NO_TILES
    return Layout(
        table.detections.only(np.arange(table.confident)),
        duplicates=table.duplicates,
        refusal=refusal,
    )


def _group(
    hands: list[Selection], detections: Detections, query: Query
) -> tuple[tuple[Arrangement, ...], list[OwnerFrame]]:
    """Group the best hands in all ways the geometry leaves open.

    Returns:
        The groupings, weighted by the hands' scores and normalised, and the hands in their owner's
        frame, best first.
    """
    scores = [hand.candidate.score - hands[0].candidate.score for hand in hands]
    total = math.log(sum(map(math.exp, scores)))
    frames = [owner_frame(hand) for hand in hands]
    found = [
        replace(one, log_weight=one.log_weight + score - total)
        for score, framed in zip(scores, frames, strict=True)
        for one in arrangements(
            framed, detections.probabilities, query.habits, query.weights.grouping
        )
    ]
    return tuple(sorted(found, key=lambda one: -one.log_weight)), frames


def _nearest(seen: Ground, point: tuple[float, float] | None) -> frozenset[int]:
    """Return the id of the tile nearest to a point; an empty set without a point."""
    if point is None or not len(seen):
        return frozenset()
    return frozenset({int(seen.ids[distances(seen.middles, np.array([point])).argmin()])})


def _report(
    found: FoundHand,
    hand: Selection,
    groupings: tuple[Arrangement, ...],
    frames: list[OwnerFrame],
    others: Sequence[Candidate],
) -> Layout:
    """Assemble the layout, dropping the low-confidence detections that no hand uses."""
    table, chosen = found.table, hand.candidate
    held = chosen.ids.union(*(one.tiles for one in groupings), *(one.ids for one in others))
    kept = [*range(table.confident), *sorted(table.low_confidence & held)]
    new_id = {old: new for new, old in enumerate(kept)}
    unused = table.low_confidence - held
    left = np.array(sorted(unused - table.duplicates), np.intp)
    detections = replace(
        table.detections.only(np.array(kept, np.intp)), low_confidence=table.detections.only(left)
    )
    ids = frozenset(new_id[i] for i in chosen.ids)
    cut = table.ground.ids[table.ground.cut]
    return Layout(
        detections,
        arrangements=tuple(one.with_ids(new_id) for one in groupings),
        sideways=frozenset(
            new_id[i] for framed in frames for i in framed.sideways_ids() if i in new_id
        ),
        standing=ids & {new_id[i] for i in table.laid_down if i in new_id},
        duplicates=table.duplicates,
        cut_by_edge=tuple(sorted(new_id[i] for i in cut.tolist() if i in chosen.ids)),
        size_outliers=tuple(new_id[i] for i in size_outliers(table, chosen.ids, unused)),
        low_confidence=tuple(sorted(i for i in ids if i >= table.confident)),
        pairs_with_gap=tuple((new_id[i], new_id[j]) for i, j in pairs_with_gap(frames[0])),
        other_hands=tuple(tuple(sorted(new_id[i] for i in one.ids)) for one in others),
        has_rival=any(map(found.is_rival, others)),
        pointed_at=bool(found.query.required),
        owner_log_odds=frames[0].owner_log_odds,
        margin=found.margin,
        doubtful=found.doubtful,
        missing_tile_boxes=found.missing_tile_boxes,
        ends_in_view=ends_in_view(hand, table),
    )
