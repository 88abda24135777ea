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
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import accumulate, pairwise, product
from operator import itemgetter
from typing import Any

from hupai.vision.conventions import Convention
from hupai.vision.layout.group_features import (
    SURE,
    Feature,
    Meld,
    Term,
    hand_terms,
    is_marked,
    melds,
    row_terms,
    side_terms,
    weight_vector,
    winner,
)
from hupai.vision.layout.owner_frame import LineTile, OwnerFrame
from hupai.vision.layout.types import MELDS, Arrangement, Block, BlockKind
from hupai.vision.layout.weights import LayoutWeights, shipped_weights
from hupai.vision.types import FloatArray

_BEST = 10
"""Segmentations kept for each state of the dynamic programme, and groupings returned. With 20, no
more hands are read correctly.
"""
_MAX_SCORE_DROP = 9.0
"""Score difference to the best at which a segmentation is pruned: odds of 1 in 8,000."""

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

_ROWS = (BlockKind.CONCEALED, BlockKind.FLOWERS)
"""Kinds of blocks that may have any length; two of the same kind never follow each other."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A block of a line from `start` to `end` (excluded), with its score."""

    start: int
    end: int
    block: Block
    score: float


@dataclass(frozen=True, eq=False)
class Model:
    """Scores the groupings of a hand.

    Attributes:
        framed: the hand's lines.
        classes: shape (n, 43), class distributions by tile id.
        habits: how melds are laid.
        weights: the weight of each `Feature`.
    """

    framed: OwnerFrame
    classes: FloatArray
    habits: Convention
    weights: tuple[float, ...]

    def score(self, terms: Iterable[Term]) -> float:
        """Sum features times weights."""
        total = 0.0
        for feature, value in terms:
            total += self.weights[feature] * value
        return total

    @cached_property
    def _meld_terms(self) -> list[dict[tuple[int, int], tuple[Meld, ...]]]:
        """The melds that adjacent tiles may form, by line, start and length."""
        spread = self.framed.gap_spread
        return [melds(line, self.classes, self.habits, spread) for line in self.framed.lines]

    def block_terms(self, line: int, start: int, end: int, block: Block) -> Iterator[Term]:
        """Yield the features of a block that holds the tiles of a line from `start` to `end`."""
        tiles, spread = self.framed.lines[line], self.framed.gap_spread
        if block.kind in _ROWS:
            if block.kind is BlockKind.FLOWERS:
                yield Feature.FLOWERS, 1.0
            for i in range(start, end):
                before = tiles[i - 1] if i > start else None
                yield from row_terms(tiles[i], before, block.kind, spread)
        elif block.kind is BlockKind.WINNING_TILE:
            yield from winner(tiles[start])[1]
        else:
            options = self._meld_terms[line][start, end - start]
            yield from next(terms for other, terms in options if other == block)
        marked = is_marked(block, tiles[start:end])
        for k in (start - 1, end - 1):
            if 0 <= k < len(tiles) - 1:
                yield from side_terms(block, marked, tiles[k].gap, spread)

    def terms(self, blocks: Sequence[Block]) -> Iterator[Term]:
        """Yield all features of a grouping."""
        place = {
            t.spot.id: (k, i)
            for k, line in enumerate(self.framed.lines)
            for i, t in enumerate(line)
        }
        for block in blocks:
            line, start = place[block.tiles[0]]
            size = len(block.tiles) - (block.kind is BlockKind.ADDED_KONG)
            yield from self.block_terms(line, start, start + size, block)
        yield from hand_terms(blocks, self.framed)

    def segmentations(self, line: int) -> list[Segmentation]:
        """Return the k best segmentations of a line for each final state."""
        size = len(self.framed.lines[line])
        ends: list[dict[int, list[_Partial]]] = [{} for _ in range(size + 1)]
        ends[0] = {0: [(0.0, None)]}
        best = [0.0] + [-math.inf] * size
        for start, candidates in enumerate(self._candidates(line)):
            least = best[start] - _MAX_SCORE_DROP
            before = {state: _best_of(some, least) for state, some in ends[start].items()}
            for candidate in candidates:
                end, block = candidate.end, candidate.block
                best[end] = max(best[end], best[start] + candidate.score)
                least = best[end] - _MAX_SCORE_DROP - candidate.score
                for state, some in before.items():
                    after = _next_state(state, block.kind)
                    if after >= 0 and some and some[0][0] > least:
                        ends[end].setdefault(after, []).extend(
                            [
                                (one[0] + candidate.score, (one, block))
                                for one in some
                                if one[0] > least
                            ]
                        )
        least = best[size] - _MAX_SCORE_DROP
        return [
            (one[0], _blocks(one)) for some in ends[size].values() for one in _best_of(some, least)
        ]

    def _candidates(self, line: int) -> Iterator[list[_Candidate]]:
        """Yield the blocks that may start at each position of a line."""
        tiles, spread = self.framed.lines[line], self.framed.gap_spread
        ids, size = tuple(t.spot.id for t in tiles), len(tiles)
        sides, opening = self._sides(line), {BlockKind.CONCEALED: 0.0}
        opening[BlockKind.FLOWERS] = self.weights[Feature.FLOWERS]
        reach = {BlockKind.CONCEALED: [size] * size, BlockKind.FLOWERS: _flowers_reach(tiles)}
        own, joined, row_sides = {}, {}, {}
        for kind in _ROWS:
            own[kind] = [self.score(row_terms(t, None, kind, spread)) for t in tiles]
            steps = [self.score(row_terms(t, b, kind, spread)) for b, t in pairwise(tiles)]
            joined[kind] = list(accumulate([own[kind][0], *steps], initial=0.0))
            row_sides[kind] = sides(Block(kind, ids), False)
        for start in range(size):
            found = []
            for end in range(start + 1, size + 1):
                for kind in _ROWS:
                    if end <= reach[kind][start]:
                        score = own[kind][start] + joined[kind][end] - joined[kind][start + 1]
                        score += opening[kind] + (row_sides[kind][start] + row_sides[kind][end])
                        found.append(_Candidate(start, end, Block(kind, ids[start:end]), score))
                for block, terms in self._meld_terms[line].get((start, end - start), ()):
                    gaps = sides(block, is_marked(block, tiles[start:end]))
                    score = self.score(terms) + (gaps[start] + gaps[end])
                    found.append(_Candidate(start, end, block, score))
            block, turned = winner(tiles[start])
            gaps = sides(block, False)
            score = self.score(turned) + (gaps[start] + gaps[start + 1])
            found.append(_Candidate(start, start + 1, block, score))
            yield found

    def _sides(self, line: int) -> Callable[[Block, bool], list[float]]:
        """Return a function that gives a block's side scores at each cut of a line."""
        tiles, spread = self.framed.lines[line], self.framed.gap_spread
        known: dict[tuple[BlockKind, bool, bool], list[float]] = {}

        def sides(block: Block, marked: bool) -> list[float]:
            key = (block.kind, marked, block.claimed is None)
            if key not in known:
                inner = [self.score(side_terms(block, marked, t.gap, spread)) for t in tiles[:-1]]
                known[key] = [0.0, *inner, 0.0]
            return known[key]

        return sides


def arrangements(
    framed: OwnerFrame,
    classes: FloatArray,
    habits: Convention,
    weights: LayoutWeights | None = None,
) -> tuple[Arrangement, ...]:
    """Return the likeliest groupings of a hand, best first, with normalised log-weights.

    Args:
        framed: the hand's lines.
        classes: shape (n, 43), class distributions by tile id.
        habits: how melds are laid.
        weights: weights of the features; the shipped ones by default.
    """
    vector = weight_vector((weights or shipped_weights()).grouping)
    model = Model(framed, classes, habits, vector)
    merged: dict[tuple[Block, ...], float] = {}
    for score, blocks in groupings(model):
        hand = as_one_hand(blocks, habits)
        if hand is not None:
            merged[hand] = _log_add(merged.get(hand, -math.inf), score)
    if not merged:
        ids = tuple(t.spot.id for line in framed.lines for t in line)
        merged[(Block(BlockKind.CONCEALED, ids),)] = 0.0
    # Equal scores are ordered by the text of their blocks, which is slow to compute otherwise.
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
        combined = [one for one in combined if one[0] >= combined[0][0] - _MAX_SCORE_DROP]
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


def _flowers_reach(tiles: Sequence[LineTile]) -> list[int]:
    """Return the greatest end (excluded) of a flower block starting at each tile of a line."""
    ends: list[int] = []
    for start in range(len(tiles)):
        end = start
        while end < len(tiles) and tiles[end].spot.flower > SURE:
            end += 1
        ends.append(end)
    return ends


def _best_of(some: list[_Partial], least: float) -> list[_Partial]:
    """Return the k best partial segmentations that reach a least score."""
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
    """Order the blocks of all lines: one concealed part, melds, flowers, winning tile.

    None where there is no concealed tile, or more melds than a hand has.
    """
    by_kind = {kind: [b for b in blocks if b.kind is kind] for kind in BlockKind}
    laid = [b for b in blocks if b.kind in MELDS]
    if not by_kind[BlockKind.CONCEALED] or len(laid) > habits.sets:
        return None
    concealed, flowers = (
        [Block(kind, tuple(i for b in by_kind[kind] for i in b.tiles))] if by_kind[kind] else []
        for kind in _ROWS
    )
    return (*concealed, *laid, *flowers, *by_kind[BlockKind.WINNING_TILE])


def _log_add(a: float, b: float) -> float:
    return b if a == -math.inf else max(a, b) + math.log1p(math.exp(-abs(a - b)))
