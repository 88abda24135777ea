"""Segmentation of the hand's lines into blocks, with the probability of each plausible one.

A line is a sequence of tiles with gaps. A semi-Markov conditional random field (Sarawagi and Cohen,
2004) scores each segmentation by the features of its blocks and of the gaps between them
(`hupai.vision.layout.group_features`), with fitted weights. Dynamic programming finds the exact k
best segmentations of a line; those of all lines are combined, and the features of the whole hand
are added.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise, product
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hupai.vision.conventions import Convention
from hupai.vision.geometry.table_tiles import Array
from hupai.vision.layout.group_features import (
    FEATURES,
    ROWS,
    Feature,
    Term,
    feature_matrix,
    hand_terms,
    melds,
    row_terms,
    winners,
)
from hupai.vision.layout.owner_frame import LineTile, OwnerFrame
from hupai.vision.layout.rows import GAP_ERROR, MAX_LOG_ODDS, SURE
from hupai.vision.layout.types import MELDS, Arrangement, Block, BlockKind
from hupai.vision.layout.weights import weight_vector
from hupai.vision.types import FloatArray

_BEST = 10
"""Segmentations kept for each state of the dynamic programme, and groupings returned. With 20, no
more hands are read correctly.
"""

Segmentation = tuple[float, tuple[Block, ...]]
"""Score and blocks of a line, or of all lines."""

_Partial = tuple[float, Any]
"""Score of a prefix of a line, and its back-pointer: the prefix before its last block, and that
block; None at the start.
"""

_WINNING, _CONCEALED, _LAST_CONCEALED, _LAST_FLOWERS = 1, 2, 4, 8
"""States of the dynamic programme, as flags: the prefix has a winning tile; it has concealed tiles;
its last block is of concealed tiles; its last block is of flowers.
"""


@dataclass(frozen=True, slots=True, eq=False)
class LineBlocks:
    """The blocks that may be parts of a line, sorted by their start.

    Attributes:
        spans: shape (b, 2), start and end (exclusive) of each block in the line.
        blocks: the blocks.
        features: shape (b, k), their features and those of the gaps beside them.
    """

    spans: NDArray[np.intp]
    blocks: tuple[Block, ...]
    features: Array

    def by_start(self, weights: Array) -> list[list[tuple[int, Block, float]]]:
        """List the end, the block and the score of all blocks that start at each tile."""
        found: list[list[tuple[int, Block, float]]] = [[] for _ in range(self.spans.max())]
        scores = (self.features @ weights).tolist()
        spans = self.spans.tolist()
        for (start, end), block, score in zip(spans, self.blocks, scores, strict=True):
            found[start].append((end, block, score))
        return found


def line_blocks(line: Sequence[LineTile], classes: FloatArray, habits: Convention) -> LineBlocks:
    """Find the blocks that may be parts of a line.

    Args:
        line: the tiles in their order.
        classes: shape (n, 43), class distributions by tile id.
        habits: how melds are laid.
    """
    ids = tuple(tile.id for tile in line)
    spans: list[tuple[int, int]] = []
    blocks: list[Block] = []
    sides: list[Feature] = []
    features: list[Array] = []
    for kind, side in ROWS.items():
        own, of_own = _rows(line, kind)
        spans += own
        blocks += [Block(kind, ids[start:end]) for start, end in own]
        sides += [side] * len(own)
        features.append(of_own)
    apart = [*winners(line), *melds(line, classes, habits)]
    for (start, end), block, _ in apart:
        spans.append((start, end))
        blocks.append(block)
        sides.append(_side(block, line[start:end]))
    features.append(feature_matrix([terms for _, _, terms in apart]))
    found = LineBlocks(np.array(spans), tuple(blocks), np.concatenate(features))
    _add_gaps_beside(found, line, np.array(sides))
    return found


def _rows(line: Sequence[LineTile], kind: BlockKind) -> tuple[list[tuple[int, int]], Array]:
    """Return the parts of a line that may be concealed tiles or flowers, and their features.

    Parts are starts and ends (exclusive), features have shape (b, k).
    """
    start, end = np.triu_indices(len(line) + 1, 1)
    if kind is BlockKind.FLOWERS:
        others = np.cumsum([0, *(tile.flower <= SURE for tile in line)])
        flowers = others[start] == others[end]
        start, end = start[flowers], end[flowers]
    alone = feature_matrix([row_terms(tile, None, kind) for tile in line])
    joined = feature_matrix(
        [(), *(row_terms(tile, before, kind) for before, tile in pairwise(line))]
    )
    sums = np.cumsum(joined, axis=0)
    spans = list(zip(start.tolist(), end.tolist(), strict=True))
    return spans, alone[start] + sums[end - 1] - sums[start]


def _add_gaps_beside(found: LineBlocks, line: Sequence[LineTile], sides: NDArray[np.intp]) -> None:
    """Add the features of the gaps beside blocks, the first of which `sides` (b,) names."""
    gaps = np.array([tile.gap for tile in line])
    values = (np.ones(len(line)), np.exp(-0.5 * (gaps / GAP_ERROR) ** 2), np.maximum(gaps, 0.0))
    before, after = found.spans[:, 0] - 1, found.spans[:, 1] - 1
    for gap, inner in ((before, before >= 0), (after, after < len(line) - 1)):
        for k, value in enumerate(values):
            found.features[inner, sides[inner] + k] += value[gap[inner]]


def _side(block: Block, tiles: Sequence[LineTile]) -> Feature:
    """Return the first of the three features of the gaps beside a winning tile or a meld."""
    if block.kind is BlockKind.WINNING_TILE:
        return Feature.WINNER_SIDE if block.claimed is None else Feature.TURNED_WINNER_SIDE
    marked = block.claimed is not None or any(t.back > 0.5 for t in tiles)
    return Feature.MARKED_SIDE if marked else Feature.UNMARKED_SIDE


@dataclass(frozen=True, eq=False)
class Model:
    """Scores the groupings of a hand.

    Attributes:
        framed: the hand's lines.
        classes: shape (n, 43), class distributions by tile id.
        habits: how melds are laid.
        weights: shape (k,), the weight of each `Feature`.
    """

    framed: OwnerFrame
    classes: FloatArray
    habits: Convention
    weights: Array

    @cached_property
    def lines(self) -> tuple[LineBlocks, ...]:
        """The blocks that may be parts of each line."""
        return tuple(line_blocks(line, self.classes, self.habits) for line in self.framed.lines)

    def score(self, terms: Iterable[Term]) -> float:
        """Sum features times weights."""
        return sum(float(self.weights[feature]) * value for feature, value in terms)

    def features(self, blocks: Sequence[Block]) -> Array:
        """Return all features (k,) of a grouping.

        Raises:
            KeyError: if a block is not in `lines`.
        """
        rows = {
            block: row
            for line in self.lines
            for block, row in zip(line.blocks, line.features, strict=True)
        }
        found = sum(
            (rows[block] for block in blocks), feature_matrix([hand_terms(blocks, self.framed)])[0]
        )
        return np.asarray(found)

    def segmentations(self, line: int) -> list[Segmentation]:
        """Return the k best segmentations of a line for each final state."""
        size = len(self.framed.lines[line])
        ends: list[dict[int, list[_Partial]]] = [{} for _ in range(size + 1)]
        ends[0] = {0: [(0.0, None)]}
        best = [0.0] + [-math.inf] * size
        for start, candidates in enumerate(self.lines[line].by_start(self.weights)):
            least = best[start] - MAX_LOG_ODDS
            before = {state: _best_of(some, least) for state, some in ends[start].items()}
            for end, block, score in candidates:
                best[end] = max(best[end], best[start] + score)
                least = best[end] - MAX_LOG_ODDS - score
                for state, some in before.items():
                    after = _next_state(state, block.kind)
                    if after >= 0 and some and some[0][0] > least:
                        ends[end].setdefault(after, []).extend(
                            [(one[0] + score, (one, block)) for one in some if one[0] > least]
                        )
        least = best[size] - MAX_LOG_ODDS
        return [
            (one[0], _blocks(one)) for some in ends[size].values() for one in _best_of(some, least)
        ]


def arrangements(
    framed: OwnerFrame,
    classes: FloatArray,
    habits: Convention,
    weights: Mapping[str, float],
) -> tuple[Arrangement, ...]:
    """Return the likeliest groupings of a hand, best first, with normalised log-weights.

    Args:
        framed: the hand's lines.
        classes: shape (n, 43), class distributions by tile id.
        habits: how melds are laid.
        weights: `LayoutWeights.grouping`.
    """
    model = Model(framed, classes, habits, weight_vector(weights, FEATURES))
    merged: dict[tuple[Block, ...], float] = {}
    for score, blocks in groupings(model):
        hand = as_one_hand(blocks, habits)
        if hand is not None:
            merged[hand] = float(np.logaddexp(merged.get(hand, -math.inf), score))
    if not merged:
        ids = tuple(t.id for line in framed.lines for t in line)
        merged[(Block(BlockKind.CONCEALED, ids),)] = 0.0
    # The text of the blocks only breaks ties, as it is slow to compute.
    times = Counter(merged.values())
    ranked = sorted(
        merged.items(),
        key=lambda item: (-item[1], str(item[0]) if times[item[1]] > 1 else ""),
    )[:_BEST]
    total = math.log(sum(math.exp(score - ranked[0][1]) for _, score in ranked)) + ranked[0][1]
    return tuple(Arrangement(blocks, score - total) for blocks, score in ranked)


def groupings(model: Model) -> list[Segmentation]:
    """Return the best groupings of all lines, scored with the features of the whole hand."""
    combined: list[Segmentation] = [(0.0, ())]
    for line in range(len(model.framed.lines)):
        joined = [
            (score + more, blocks + added)
            for (score, blocks), (more, added) in product(combined, model.segmentations(line))
            if not (_has_winning_tile(blocks) and _has_winning_tile(added))
        ]
        combined = heapq.nlargest(4 * _BEST, joined, key=itemgetter(0))
        combined = [one for one in combined if one[0] >= combined[0][0] - MAX_LOG_ODDS]
    return [(score + model.score(hand_terms(b, model.framed)), b) for score, b in combined]


def _has_winning_tile(blocks: Sequence[Block]) -> bool:
    return any(block.kind is BlockKind.WINNING_TILE for block in blocks)


@cache
def _next_state(state: int, kind: BlockKind) -> int:
    """Return the state after a block; -1 if the block is not allowed there.

    A line has at most one winning tile, at an end of its concealed part; adjacent blocks of
    concealed tiles or of flowers would be one block.
    """
    before = state & (_WINNING | _CONCEALED)
    if kind is BlockKind.WINNING_TILE:
        return -1 if state & _WINNING else before | _WINNING
    if kind is BlockKind.CONCEALED:
        again = state & _LAST_CONCEALED or before == _WINNING | _CONCEALED
        return -1 if again else before | _CONCEALED | _LAST_CONCEALED
    if kind is BlockKind.FLOWERS:
        return -1 if state & _LAST_FLOWERS else before | _LAST_FLOWERS
    return before


def _best_of(some: list[_Partial], least: float) -> list[_Partial]:
    """Return the k best partial segmentations, of those that score at least `least`."""
    kept = [one for one in some if one[0] >= least]
    kept.sort(key=itemgetter(0), reverse=True)
    return kept[:_BEST]


def _blocks(partial: _Partial) -> tuple[Block, ...]:
    """Return the blocks of a partial segmentation by following its back-pointers."""
    found: list[Block] = []
    while partial[1] is not None:
        partial, block = partial[1]
        found.append(block)
    return tuple(reversed(found))


def as_one_hand(blocks: Sequence[Block], habits: Convention) -> tuple[Block, ...] | None:
    """Merge the blocks of all lines: one concealed part, melds, flowers, winning tile.

    Returns None if there is no concealed tile, or if there are more melds than a hand has.
    """
    laid = [b for b in blocks if b.kind in MELDS]
    winning = [b for b in blocks if b.kind is BlockKind.WINNING_TILE]
    concealed, flowers = (
        tuple(i for b in blocks if b.kind is kind for i in b.tiles) for kind in ROWS
    )
    if not concealed or len(laid) > habits.sets:
        return None
    apart = [Block(BlockKind.FLOWERS, flowers)] if flowers else []
    return (Block(BlockKind.CONCEALED, concealed), *laid, *apart, *winning)
