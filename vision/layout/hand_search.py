"""Searches for the hand among the tiles on the table.

A hand is a set of segments. A beam search over the links between segments proposes sets. They are
rescored with all features (`hupai.vision.layout.selection_features`), and the best are the
candidates.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import merge
from itertools import chain, islice, pairwise

import numpy as np

from hupai.scoring.tiles import Tile
from hupai.vision.geometry.placement import Placement
from hupai.vision.geometry.table_tiles import Array, Ground, bearings, only
from hupai.vision.layout.rows import RowFrame, row_frame, row_frames
from hupai.vision.layout.segment_features import WEAK_SCORE, Mask, doubts
from hupai.vision.layout.segments import (
    Foreground,
    Segment,
    SegmentGraph,
    cut_rows,
    segment_graph,
    sides_and_tops,
    stray_backs,
)
from hupai.vision.layout.selection_features import FEATURES, Candidates, Query, Sets

_BEAM_WIDTH = 4
"""Number of longest segments from which a search starts, and of sets of segments that each search
keeps at each step; doubling it finds nothing better.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """Tiles that may be the hand.

    Attributes:
        ids: their ids.
        backs: how many of them lie face down.
        score: log-odds, comparable between the candidates of one photo.
        features: shape (k,), whose weighted sum is the score.
        phi: direction of the rows, radians.
    """

    ids: frozenset[int]
    backs: int
    score: float
    features: Array
    phi: float

    @property
    def complete(self) -> bool:
        """Whether the tiles may be a complete hand."""
        return self.has("complete")

    def has(self, feature: str) -> bool:
        """Return whether a feature is not zero."""
        return bool(self.features[FEATURES.index(feature)] != 0)


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """The tiles selected as the hand, with their segments; all other tiles are ignored.

    Attributes:
        candidate: the tiles and their score.
        graph: the tiles in segments.
    """

    candidate: Candidate
    graph: SegmentGraph

    @classmethod
    def of(cls, candidate: Candidate, ground: Ground) -> Selection:
        """Cut the tiles of a candidate into segments.

        Args:
            candidate: the tiles.
            ground: all tiles, rectified with the candidate's table plane.
        """
        frame = row_frame(only(ground, ground.among(candidate.ids)), candidate.phi)
        return cls(candidate, segment_graph(frame, cut_rows(frame)))


@dataclass(frozen=True, slots=True, eq=False)
class TableRows:
    """The tiles of a photo in rows of each likely direction.

    Attributes:
        ground: the n tiles on the table, low-confidence ones included.
        directions: the row directions, radians.
        frames: the rows of each.
        segments: these rows, cut into segments.
        low_confidence: shape (n,), the low-confidence detections.
        doubts: shape (5, n), see `segment_features.doubts`.
        sure: shape (n,), tiles with a high score, except stray backs (`segments.stray_backs`).
    """

    ground: Ground
    directions: Sequence[float]
    frames: Sequence[RowFrame]
    segments: Sequence[Sequence[Segment]]
    low_confidence: Mask
    doubts: Array
    sure: Mask

    @classmethod
    def of(cls, table: Placement) -> TableRows:
        """Chain the tiles on a table into rows of each likely direction."""
        ground, directions = table.ground, bearings(table.firm)
        low, high = ground.ids >= table.confident, ground.scores >= WEAK_SCORE
        sides = sides_and_tops(ground)
        frames = row_frames(ground, directions, low)
        segments = [cut_rows(frame, ~high | sides[0] | sides[1]) for frame in frames]
        of_tiles = doubts(ground, sides, low)
        return cls(ground, directions, frames, segments, low, of_tiles, high & ~stray_backs(ground))

    def touching(self, ids: frozenset[int]) -> int:
        """Count those of the given tiles that touch the previous one in a row of any direction.

        A hand and its melds may lie in rows of different directions.
        """
        held = self.ground.among(ids)
        pairs = (pairwise(s) for some in self.segments for s in some)
        return len({b for a, b in chain.from_iterable(pairs) if held[a] and held[b]})

    def ranked_candidates(self, query: Query) -> Iterator[Candidate]:
        """Yield the candidates of all directions, best first, computed lazily.

        If candidates have the same tiles, only the best is yielded. Once a complete hand is found,
        directions with less than half as many tiles in rows as the best one are not searched, to
        save time.
        """
        taken = set(np.nonzero(self.ground.among(query.taken))[0].tolist())
        free = [[s for s in some if taken.isdisjoint(s)] for some in self.segments]
        if not any(free):
            return
        nearest = Foreground.of(chain.from_iterable(free), self.ground)
        in_rows = [sum(len(s) for s in some if len(s) > 2) for some in free]
        found: list[Iterator[Candidate]] = []
        complete = False
        for k in sorted(range(len(free)), key=lambda k: -in_rows[k]):
            rival = 2 * in_rows[k] >= max(in_rows) or query.truth
            if (complete and not rival) or (
                query.taken and 2 * in_rows[k] < query.habits.hand_size
            ):
                break
            direction = self._of_direction(k, query, free[k], nearest)
            for first in islice(direction, 1):
                found.append(chain([first], direction))
                complete |= first.complete
        yielded: set[frozenset[int]] = set()
        for one in merge(*found, key=lambda one: -one.score):
            if one.ids not in yielded:
                yielded.add(one.ids)
                yield one

    def _of_direction(
        self, direction: int, query: Query, segments: Sequence[Segment], nearest: Foreground
    ) -> Iterator[Candidate]:
        """Yield the candidates among the segments of a direction, best first."""
        graph = segment_graph(self.frames[direction], segments, self.low_confidence)
        found = Candidates.of(graph, self.doubts, self.sure, query, nearest)
        required = graph.holding(query.required)
        sets = _beam_search(found, np.where(required, math.inf, found.nearness()))
        sets = sets.with_others(found.clusters())
        sets = sets.only((sets.chosen | ~required).all(1) & found.few_backs(sets.chosen))
        sure, true = (found.sure > 0) | required, graph.holding(query.truth)
        # On photos with few tiles the set of all sure ones is the fallback.
        few = not query.taken and found.sure.any() and found.sure.sum() <= found.query.largest
        whole = true.any() and found.tiles[true].sum() == len(query.truth)
        for one, wanted in ((sure, few), (true, whole)):
            if wanted:
                sets = sets.with_others(found.linked(one))
        # Beyond the best ones only the fallback matters; a fit compares the truth with all others.
        further = np.asarray(whole | (few & (sets.chosen | ~sure).all(1)))
        for k, features in found.best_first(sets, further):
            score = float(features @ found.weights)
            if score <= query.min_score:
                return
            tiles = graph.tiles_of(sets.chosen[k])
            ids = frozenset(self.ground.ids[tiles].tolist())
            backs = int((self.ground.backs[tiles] > 0.5).sum())
            yield Candidate(ids, backs, score, features, self.directions[direction])


def _beam_search(found: Candidates, nearness: Array) -> Sets:
    """Propose sets of segments by beam search.

    Each of the longest segments starts a beam. A set grows by its most strongly linked segments;
    the best sets of each size are kept, if they hold at least half a hand or all tiles.

    Args:
        found: the m segments.
        nearness: shape (m,), log-odds by size and place that they are the photographer's.
    """
    m = len(found.tiles)
    open_tiles = found.counts[:, : Tile.BACK].sum(1)
    seeds = ((found.tiles >= 3) & (open_tiles >= 2)) | np.isposinf(nearness)
    starts = np.nonzero(seeds if seeds.any() else open_tiles > 0)[0]
    order = np.argsort(-(found.tiles + nearness)[starts], kind="stable")
    starts = starts[order[:_BEAM_WIDTH]]
    if not len(starts):
        return Sets(np.zeros((0, m), bool), np.zeros((0, m), np.intp))
    # The key of a set is the sum of the hashes of its segments, to recognise repeated sets.
    hashes = np.random.default_rng(0).integers(1, np.iinfo(np.int64).max, m)
    # One row per start: each has a separate beam. `gain` is what a segment adds to a set.
    beam, place = np.arange(len(starts))[:, None], np.arange(_BEAM_WIDTH)
    chosen = np.zeros((len(starts), 1, m), bool)
    chosen[beam, 0, starts[:, None]] = True
    nearest = np.repeat(starts[:, None, None], m, 2)
    doubt = found.doubt()
    joining = found.strength + doubt
    gain, score = joining[starts][:, None], doubt[starts][:, None]
    key, count = hashes[starts][:, None], found.tiles[starts][:, None]
    earlier = np.tri(3 * _BEAM_WIDTH, k=-1, dtype=bool)
    visited = []
    for _ in range(m):
        visited.append((key, score, chosen, nearest))
        total = np.where(count <= found.query.largest, score, -np.inf)[..., None] + gain
        loss = -total.reshape(len(starts), -1)
        most = min(len(earlier), loss.shape[1])
        order = np.argpartition(loss, most - 1, axis=1)[:, :most]
        order = order[beam, np.argsort(loss[beam, order], axis=1, kind="stable")]
        score, (row, added) = -loss[beam, order], np.divmod(order, m)
        key = key[beam, row] + hashes[added]
        repeated = ((key[:, :, None] == key[:, None]) & earlier[:most, :most]).any(2)
        score[repeated] = -np.inf
        if not np.isfinite(score).any():
            break
        keep = np.argsort(-score, axis=1, kind="stable")[:, :_BEAM_WIDTH]
        score, key = score[beam, keep], key[beam, keep]
        row, added = row[beam, keep], added[beam, keep]
        count = count[beam, row] + found.tiles[added]
        chosen, nearest, gain = chosen[beam, row], nearest[beam, row], gain[beam, row]
        latest = beam, place[: keep.shape[1]], added
        chosen[latest] = True
        links = joining[added]
        closer = (links > gain) & ~chosen
        nearest = np.where(closer, added[..., None], nearest)
        gain = np.where(closer, links, gain)
        gain[latest] = -np.inf
    keys, scores = (np.concatenate([step[k].ravel() for step in visited]) for k in (0, 1))
    all_sets, all_nearest = (
        np.concatenate([step[k].reshape(-1, m) for step in visited]) for k in (2, 3)
    )
    best_first = np.lexsort((-scores, keys))
    best_first = best_first[np.isfinite(scores[best_first])]
    sets = best_first[np.unique(keys[best_first], return_index=True)[1]]
    count = all_sets[sets] @ found.tiles
    sets = sets[(2 * count >= found.query.habits.hand_size) | (count == found.tiles.sum())]
    return Sets(all_sets[sets], all_nearest[sets])
