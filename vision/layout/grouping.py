"""Lines of tiles cut into blocks: every way that the geometry leaves open, with its probability.

A line is a sequence of tiles with gaps. A semi-Markov model gives each way to cut it into blocks a
log-probability. Gaps are likelier between blocks than within; a sideways tile belongs to a claimed
meld or is the winning tile; face-down tiles belong to a concealed kong; melds show sets. The k best
segmentations are found exactly by dynamic programming over the cuts.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from hupai.vision.conventions import Convention
from hupai.vision.layout.meld_candidates import MeldCandidates
from hupai.vision.layout.owner_frame import LineTile, OwnerFrame, logistic
from hupai.vision.layout.split_concealed import split_variants
from hupai.vision.layout.types import MELDS, Arrangement, Block, BlockKind
from hupai.vision.types import FloatArray

SHARPNESS = 1.4
"""Factor from scores to calibrated log-probabilities, fitted on rendered tables."""

_BEST = 10
"""Segmentations kept for each state of the dynamic programme, and groupings given back."""
_MAX_FLOWERS = 8
"""Most flowers in one block."""
_MIN_FLOWERS_LOG = -4.0
"""Least log-probability that all tiles of a block of flowers are flowers."""
_SIDEWAYS_CONCEALED = 0.015
"""Share of concealed tiles that lie sideways."""
_ADDED_LOG = -3.0
"""Log-probability that a concealed tile has another one over it."""
_STANDING_FLOWER_LOG = -1.0
"""Log-probability of a flower among the concealed tiles, not laid apart yet."""
_TOUCHING_GAP = (0.11, 0.02)
"""Gap at which tiles touch as likely as not, and its error, tile widths."""
_SET_APART_GAP = (0.09, 0.03)
"""Gap at which it was left on purpose as likely as not, and its error, tile widths."""
_UNMARKED_TOUCHING_LOG = -2.0
"""Log-probability, for each side, that a meld without any mark touches its neighbour."""
_WINNER_APART = 0.8
"""Weight of a winning tile that is set apart upright."""
_WINNER_SIDEWAYS = 1.2
"""Weight of a winning tile that lies sideways, touching the row it ends or not."""
_WINNER_LEFT_LOG = -1.0
"""Log-odds of a winning tile at the left of the concealed part; most lay it at the right."""
_SPLIT_ROW_COST = 2.0
"""Cost of each further block of concealed tiles in one line, log-odds."""
_SECOND_ROW_COST = 1.2
"""Cost of a concealed part in two lines, log-odds."""
_SHORT_ROW_COST = 3.5
"""Cost of a further line with three concealed tiles or fewer, log-odds."""

_Segmentation = tuple[float, tuple[Block, ...]]
"""Log-probability and blocks of a line, or of its beginning."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A block that the tiles up to `end` (excluded) of a line may be.

    `score` is its log-probability without the gaps at its ends.
    """

    end: int
    block: Block
    score: float


def arrangements(
    framed: OwnerFrame, classes: FloatArray, habits: Convention
) -> tuple[Arrangement, ...]:
    """Group the tiles of a hand; the likeliest ways first, log-weights normalised over them.

    Args:
        framed: the hand's lines.
        classes: shape (n, 43), class distributions by tile id.
        habits: how melds are laid.
    """
    combined: list[_Segmentation] = [(0.0, ())]
    for line in framed.lines:
        segmentations = _segmentations(line, framed.gap_spread, classes, habits)
        joined = [
            (score + more, blocks + added)
            for (score, blocks), (more, added) in product(combined, segmentations)
            if not (_has_winning_tile(blocks) and _has_winning_tile(added))
        ]
        combined = heapq.nlargest(4 * _BEST, joined, key=lambda one: one[0])
    line_of = {t.spot.id: k for k, line in enumerate(framed.lines) for t in line}
    merged: dict[tuple[Block, ...], float] = {}
    for score, blocks in combined:
        hand = _as_one_hand(blocks)
        if hand is not None:
            score -= _concealed_cost(blocks, framed, line_of)
            for variant, log_odds in ((hand, 0.0), *split_variants(hand, framed)):
                merged[variant] = _log_add(merged.get(variant, -math.inf), score + log_odds)
    if not merged:
        merged[(Block(BlockKind.CONCEALED, tuple(line_of)),)] = 0.0
    ranked = sorted(merged.items(), key=lambda item: (-item[1], str(item[0])))[:_BEST]
    total = _log_sum([SHARPNESS * score for _, score in ranked])
    return tuple(Arrangement(blocks, SHARPNESS * score - total) for blocks, score in ranked)


def _segmentations(
    line: tuple[LineTile, ...], spread: float, classes: FloatArray, habits: Convention
) -> list[_Segmentation]:
    """Cut one line into blocks; the k best ways for each state they end in."""
    n = len(line)
    best: list[list[_Segmentation]] = [[] for _ in range(n + 1)]
    best[0] = [(0.0, ())]
    for start in range(n):
        if not best[start]:
            continue
        best[start] = _prune_per_state(best[start])
        for candidate in _candidate_blocks(line, start, spread, classes, habits):
            end, block = candidate.end, candidate.block
            edge = _outer_gap_log(line[end - 1].gap, spread) if end < n else 0.0
            best[end] += [
                (score + candidate.score + edge, (*blocks, block))
                for score, blocks in best[start]
                if _may_follow(blocks, block.kind)
            ]
    return _prune_per_state(best[n])


def _has_winning_tile(blocks: tuple[Block, ...]) -> bool:
    return any(block.kind is BlockKind.WINNING_TILE for block in blocks)


_State = tuple[bool, bool, BlockKind | None]
"""Whether a winning tile and concealed tiles came before, and the last block if it may go on."""


def _prune_per_state(segmentations: list[_Segmentation]) -> list[_Segmentation]:
    """Keep the k best partial segmentations per state of the dynamic programme.

    States differ in what may follow.
    """
    by_state: dict[_State, list[_Segmentation]] = {}
    for segmentation in segmentations:
        kinds = [block.kind for block in segmentation[1]]
        goes_on = kinds and kinds[-1] in (BlockKind.CONCEALED, BlockKind.FLOWERS)
        state = (
            BlockKind.WINNING_TILE in kinds,
            BlockKind.CONCEALED in kinds,
            kinds[-1] if goes_on else None,
        )
        by_state.setdefault(state, []).append(segmentation)
    return [
        one
        for same in by_state.values()
        for one in heapq.nlargest(_BEST, same, key=lambda one: one[0])
    ]


def _may_follow(blocks: tuple[Block, ...], kind: BlockKind) -> bool:
    """Tell whether a block may come after these in a line.

    There is one winning tile, at an end of the concealed part, and like blocks are one.
    """
    kinds = [block.kind for block in blocks]
    if kinds and kinds[-1] is kind and kind in (BlockKind.CONCEALED, BlockKind.FLOWERS):
        return False
    if kind is BlockKind.WINNING_TILE:
        return BlockKind.WINNING_TILE not in kinds
    if kind is BlockKind.CONCEALED and BlockKind.WINNING_TILE in kinds:
        return BlockKind.CONCEALED not in kinds
    return True


def _candidate_blocks(
    line: tuple[LineTile, ...], start: int, spread: float, classes: FloatArray, habits: Convention
) -> Iterator[_Candidate]:
    """Yield all blocks that may start at a place of the line."""
    inside = concealed = flowers = 0.0
    for end in range(start + 1, len(line) + 1):
        tiles = line[start:end]
        ids = tuple(t.spot.id for t in tiles)
        if len(tiles) > 1:
            inside += _inner_gap_log(line[end - 2].gap, spread)
        concealed += _concealed_pose_log(tiles[-1])
        concealed += _concealed_face_log(tiles[-1])
        flowers += math.log(max(tiles[-1].spot.flower, 1e-3))
        if any(t.spot.flower < 0.5 for t in tiles):
            yield _Candidate(end, Block(BlockKind.CONCEALED, ids), concealed + inside)
        if len(tiles) <= _MAX_FLOWERS and flowers > _MIN_FLOWERS_LOG:
            yield _Candidate(end, Block(BlockKind.FLOWERS, ids), flowers + inside)
        if len(tiles) in (3, 4):
            touching = _UNMARKED_TOUCHING_LOG * _touching_sides(line, start, end)
            has_backs = any(t.spot.back > 0.5 for t in tiles)
            for block, score in MeldCandidates.of(tiles, ids, classes, habits).blocks():
                mark = 0.0 if has_backs or block.claimed is not None else touching
                yield _Candidate(end, block, score + inside + mark)
        if len(tiles) == 1:
            claimed = 0 if tiles[0].sideways > 0 else None
            block = Block(BlockKind.WINNING_TILE, ids, claimed)
            yield _Candidate(end, block, _winning_tile_log(line, start))


def _concealed_pose_log(tile: LineTile) -> float:
    """Give the log-likelihood of how a tile lies if it is concealed."""
    share = _SIDEWAYS_CONCEALED
    pose = math.log((1 - share) * tile.upright + share * tile.across)
    return pose + (_ADDED_LOG if tile.added else 0.0)


def _concealed_face_log(tile: LineTile) -> float:
    """Give the log-likelihood of what a tile shows if it is concealed."""
    return math.log(max(1.0 - tile.spot.back, 0.01)) + _STANDING_FLOWER_LOG * tile.spot.flower


def _winning_tile_log(line: tuple[LineTile, ...], i: int) -> float:
    """Give the log-probability that a tile is the winning one: set apart, or sideways."""
    tile = line[i]
    share = _WINNER_APART * tile.upright * _set_apart(line, i) + _WINNER_SIDEWAYS * tile.across
    return math.log(share * max(1.0 - tile.spot.flower - tile.spot.back, 0.0) + 1e-6)


def _gaps_around(line: tuple[LineTile, ...], start: int, end: int) -> list[float]:
    return [line[k].gap for k in (start - 1, end - 1) if 0 <= k < len(line) - 1]


def _touching_sides(line: tuple[LineTile, ...], start: int, end: int) -> float:
    """Count the sides on which tiles touch the next of the line, as an expected value."""
    middle, error = _TOUCHING_GAP
    return sum(logistic((middle - gap) / error) for gap in _gaps_around(line, start, end))


def _set_apart(line: tuple[LineTile, ...], i: int) -> float:
    """Give the probability that a tile was set apart, by the gaps to its neighbours."""
    middle, error = _SET_APART_GAP
    return math.prod(logistic((gap - middle) / error) for gap in _gaps_around(line, i, i + 1))


def _inner_gap_log(gap: float, spread: float) -> float:
    """Give the log-density of a gap inside a block; hands are laid unevenly now and then."""
    uneven = 0.8 if -0.2 < gap < 0.5 else 0.25 if gap < 1.3 else 0.08
    return math.log(0.94 * _normal(gap, spread) + 0.05 * uneven)


def _outer_gap_log(gap: float, spread: float) -> float:
    """Give the log-density of a gap between blocks, which may touch."""
    return math.log(0.14 * _normal(gap, spread) + 0.86 * (1 / 2.4 if gap > 0.1 else 0.08))


def _normal(x: float, sigma: float) -> float:
    return math.exp(-0.5 * (x / sigma) ** 2) / (sigma * math.sqrt(2 * math.pi))


def _as_one_hand(blocks: tuple[Block, ...]) -> tuple[Block, ...] | None:
    """Order the blocks of all lines: one concealed part, melds, flowers, winning tile.

    None where there is no concealed tile, or more melds than a hand has.
    """
    by_kind = {kind: [b for b in blocks if b.kind is kind] for kind in BlockKind}
    melds = [b for b in blocks if b.kind in MELDS]
    if not by_kind[BlockKind.CONCEALED] or len(melds) > 4:
        return None
    concealed, flowers = (
        [Block(kind, tuple(i for b in by_kind[kind] for i in b.tiles))] if by_kind[kind] else []
        for kind in (BlockKind.CONCEALED, BlockKind.FLOWERS)
    )
    return (*concealed, *melds, *flowers, *by_kind[BlockKind.WINNING_TILE])


def _concealed_cost(
    blocks: tuple[Block, ...], framed: OwnerFrame, line_of: dict[int, int]
) -> float:
    """Weigh how the concealed tiles lie in lines and where the winning tile lies, log-odds."""
    concealed = [b for b in blocks if b.kind is BlockKind.CONCEALED]
    sizes: dict[int, int] = {}
    for block in concealed:
        line = line_of[block.tiles[0]]
        sizes[line] = sizes.get(line, 0) + len(block.tiles)
    cost = _SPLIT_ROW_COST * (len(concealed) - len(sizes))
    cost += sum(
        _SECOND_ROW_COST if size > 3 else _SHORT_ROW_COST for size in sorted(sizes.values())[:-1]
    )
    winning = [b.tiles[0] for b in blocks if b.kind is BlockKind.WINNING_TILE]
    if winning and line_of[winning[0]] in sizes:
        place = {t.spot.id: i for line in framed.lines for i, t in enumerate(line)}
        at_left = all(place[winning[0]] < place[i] for b in concealed for i in b.tiles)
        cost -= _WINNER_LEFT_LOG * at_left
    return cost


def _log_sum(values: list[float]) -> float:
    top = max(values, default=0.0)
    return top + math.log(sum(math.exp(v - top) for v in values)) if values else 0.0


def _log_add(a: float, b: float) -> float:
    return b if a == -math.inf else max(a, b) + math.log1p(math.exp(-abs(a - b)))
