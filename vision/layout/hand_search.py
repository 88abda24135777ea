"""Which of the tiles on the table are the hand.

A hand is a set of segments. A beam search over the links between them proposes sets; those with
the highest score by all features (`hupai.vision.layout.selection_features`) are the candidates.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from hupai.scoring.tiles import Tile
from hupai.vision.geometry.table_tiles import Array, Ground, Spot, without
from hupai.vision.layout.rows import row_frame
from hupai.vision.layout.segment_features import WEAK_SCORE
from hupai.vision.layout.segments import SegmentGraph, cut_rows, segment_graph, sides_and_tops
from hupai.vision.layout.selection_features import FEATURES, Candidates, weight_vector
from hupai.vision.layout.weights import LayoutWeights

_BEAM_WIDTH = 8
"""Sets of segments kept at each step of the beam search; more find nothing better."""
_MAX_STARTS = 8
"""Longest segments from which a search starts."""
_MAX_SEGMENTS = 14
"""Most segments of a hand: four melds, flowers and the rest in several parts."""
_MAX_TILES = 28
"""Number of tiles beyond which a set is not extended: four kongs, a pair and flowers."""
_HELD_PREFERENCE = 100.0
"""Added to what tells from where the search starts, so that it does from the tiles wanted."""
_MIN_TILES = 7
"""Least number of tiles of a hand of which the rest may be hidden."""
_MIN_IN_ROWS = 0.3
"""Least share of tiles in rows of a direction, of the direction with most."""
_MAX_ALONE = 22
"""Most tiles on a photo that may show nothing but a hand."""
_MAX_SCORED = 400
"""Most sets of one direction of which all features are computed."""
_MAX_CANDIDATES = 24
"""Most candidates of one direction."""
_UNSURE_FACE = (0.75, 1.5)
"""Score, and log-odds of the face, below which a tile may be none."""


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """Tiles that may be the hand.

    Attributes:
        tiles: the tiles.
        ids: their ids.
        score: log-odds, comparable between the candidates of one photo.
        complete: the tiles may be a complete hand.
        features: shape (k,), of which the score is made.
        phi: direction of the rows, radians.
        plane: number of the plane hypothesis.
    """

    tiles: tuple[Spot, ...]
    ids: frozenset[int]
    score: float
    complete: bool
    features: Array
    phi: float
    plane: int = 0

    def has(self, feature: str) -> bool:
        """Tell whether a feature is not zero."""
        return bool(self.features[FEATURES.index(feature)] != 0)


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """Tiles taken for the hand, as they lie without regard to any other.

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
            ground: all tiles, on the table as it lies for the candidate.
        """
        others = frozenset(spot.id for spot in ground.spots) - candidate.ids
        return cls(
            candidate, segment_graph(cut_rows(row_frame(without(ground, others), candidate.phi)))
        )

    @property
    def chosen(self) -> range:
        """Positions of its segments: all of them."""
        return range(len(self.graph.segments))

    @property
    def ids(self) -> frozenset[int]:
        """Ids of its tiles."""
        return self.candidate.ids

    @property
    def tiles(self) -> tuple[Spot, ...]:
        """Its tiles."""
        return self.candidate.tiles

    @property
    def score(self) -> float:
        """Log-odds, comparable between the selections of one photo."""
        return self.candidate.score

    @property
    def complete(self) -> bool:
        """Tell whether its tiles may be a complete hand."""
        return self.candidate.complete


@dataclass(frozen=True, slots=True)
class Query:
    """What is searched for.

    Attributes:
        low_confidence: ids of the low-confidence detections.
        size: width and height of the photo, pixels; None where not known.
        hand_size: concealed tiles of a waiting hand.
        weights: of the features.
        held: ids of tiles that each candidate has to hold.
        truth: ids of the tiles of a further candidate, if they are whole segments; for the fit.
        least: score that a candidate has to exceed.
    """

    low_confidence: frozenset[int]
    size: tuple[int, int] | None
    hand_size: int
    weights: LayoutWeights
    held: frozenset[int] = frozenset()
    truth: frozenset[int] = frozenset()
    least: float = -math.inf


def candidates(
    ground: Ground, directions: Sequence[float], query: Query, plane: int = 0
) -> list[Iterator[Candidate]]:
    """Propose candidates for the hand in the rows of some directions.

    Args:
        ground: the tiles on the table, low-confidence ones included.
        directions: directions in which rows may run, radians; those in which few do are left out.
        query: what is searched for.
        plane: number of the plane hypothesis.

    Returns:
        The candidates of each direction, best first, computed as they are asked for.
    """
    sides = sides_and_tops(ground)
    weak = frozenset(
        t.id
        for t, before, behind in zip(ground.spots, *sides, strict=True)
        if before or behind or _is_weak(t)
    )
    cut = [cut_rows(row_frame(ground, phi, query.low_confidence), weak) for phi in directions]
    in_rows = [sum(len(s.tiles) for s in rows.segments if len(s.tiles) > 2) for rows in cut]
    return [
        _of_direction(segment_graph(rows, query.low_confidence), ground, sides, phi, plane, query)
        for phi, rows, tiles in zip(directions, cut, in_rows, strict=True)
        if rows.segments and tiles >= _MIN_IN_ROWS * max(in_rows)
    ]


def _of_direction(
    graph: SegmentGraph,
    ground: Ground,
    sides: tuple[NDArray[np.bool_], NDArray[np.bool_]],
    phi: float,
    plane: int,
    query: Query,
) -> Iterator[Candidate]:
    """Yield the candidates among the segments of one direction, best first."""
    vector = weight_vector(query.weights.selection)
    found = Candidates.of(
        graph, ground, sides, query.low_confidence, query.size, query.hand_size, vector
    )
    must = graph.holding(query.held)
    sets, joined = _beam_search(found, found.nearness() + _HELD_PREFERENCE * must)
    kept = (sets | ~must).all(1)
    sets, joined = sets[kept], joined[kept]
    likely = np.argsort(-(joined + found.estimate(sets)), kind="stable")[:_MAX_SCORED]
    sets, most = sets[likely], _MAX_CANDIDATES
    sure = found.sure > 0
    if sure.any() and found.sure.sum() <= _MAX_ALONE:
        # What is alone on the photo is shown whatever it is.
        sets, most = np.concatenate([sets, sure[None]]), len(sets) + 1
    if query.truth:
        own = graph.holding(query.truth)
        if found.tiles[own].sum() == len(query.truth):
            sets, most = np.concatenate([sets, own[None]]), len(sets) + 1
    if not len(sets):
        return
    for k, features, complete in islice(found.best_first(sets), most):
        score = float(features @ vector)
        if score <= query.least:
            return
        tiles = tuple(t for i in np.nonzero(sets[k])[0] for t in graph.segments[i].tiles)
        yield Candidate(
            tiles, frozenset(t.id for t in tiles), score, complete, features, phi, plane
        )


def _is_weak(tile: Spot) -> bool:
    """Tell whether a tile may be none: low-scored, or neither sure to be one nor which one."""
    score, odds = _UNSURE_FACE
    return tile.score < WEAK_SCORE or (tile.score < score and tile.odds < odds)


def _beam_search(found: Candidates, nearness: Array) -> tuple[NDArray[np.bool_], Array]:
    """Propose sets of segments.

    From each of the longest segments sets grow by the segment with the strongest link; the best of
    each size are kept.

    Args:
        found: the m segments.
        nearness: shape (m,), log-odds that they lie where the photographer's hand does.

    Returns:
        Sets (n, m) and the log-odds of the links that hold each together, (n,).
    """
    m = len(found.tiles)
    open_tiles = found.counts[:, : Tile.BACK].sum(1)
    long = ((found.tiles >= 3) & (open_tiles >= 2)) | (nearness >= _HELD_PREFERENCE / 2)
    starts = np.nonzero(long if long.any() else open_tiles > 0)[0]
    order = np.argsort(-(np.minimum(found.tiles, 8) + nearness)[starts], kind="stable")
    starts = starts[order[:_MAX_STARTS]]
    if not len(starts):
        return np.zeros((0, m), bool), np.zeros(0)
    names = np.random.default_rng(0).integers(1, 1 << 62, m)
    # Each start has a beam of its own, a row of these arrays.
    beam = np.arange(len(starts))[:, None]
    chosen = np.zeros((len(starts), 1, m), bool)
    chosen[beam, 0, starts[:, None]] = True
    best, score = found.strength[starts][:, None], np.zeros((len(starts), 1))
    name = names[starts][:, None]
    met = []
    for _ in range(min(_MAX_SEGMENTS, m)):
        alive = np.isfinite(score)
        met.append((name[alive], chosen[alive], score[alive]))
        small = chosen @ found.tiles <= _MAX_TILES
        gain = np.where(~chosen & small[..., None], score[..., None] + best, -np.inf)
        flat = gain.reshape(len(starts), -1)
        most = min(3 * _BEAM_WIDTH, flat.shape[1]) - 1
        order = np.argpartition(-flat, most, axis=1)[:, : most + 1]
        order = order[beam, np.argsort(-flat[beam, order], axis=1, kind="stable")]
        score, (row, more) = flat[beam, order], np.divmod(order, m)
        name = name[beam, row] + names[more]
        same = np.tril(name[:, :, None] == name[:, None], -1).any(2)
        score[same] = -np.inf
        if not np.isfinite(score).any():
            break
        keep = np.argsort(-score, axis=1, kind="stable")[:, :_BEAM_WIDTH]
        score, name = score[beam, keep], name[beam, keep]
        row, more = row[beam, keep], more[beam, keep]
        best = np.maximum(best[beam, row], found.strength[more])
        chosen = chosen[beam, row] | (np.arange(m) == more[..., None])
    all_names, all_sets, all_scores = (np.concatenate(part) for part in zip(*met, strict=True))
    best_first = np.lexsort((-all_scores, all_names))
    _, first = np.unique(all_names[best_first], return_index=True)
    sets, scores = all_sets[best_first[first]], all_scores[best_first[first]]
    count = sets @ found.tiles
    enough = (count >= _MIN_TILES) | (count == found.tiles.sum())
    return sets[enough], scores[enough]
