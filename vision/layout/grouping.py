"""Lines of tiles cut into blocks: every way that the geometry leaves open, with its probability.

A line is a sequence of tiles with gaps. A semi-Markov model gives each way to cut it into blocks a
log-probability: gaps are likelier between blocks than within, a sideways tile belongs to a claimed
meld or is the winning tile, face-down tiles belong to a concealed kong, and melds show sets. The k
best ways are found exactly by dynamic programming over the cuts.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator
from dataclasses import dataclass

from hupai.vision.conventions import Convention
from hupai.vision.layout.owner_frame import Framed, Token
from hupai.vision.layout.set_likelihood import kong_likelihood, set_likelihood
from hupai.vision.layout.split_concealed import pushed_apart
from hupai.vision.layout.types import Arrangement, Block, BlockKind
from hupai.vision.types import FloatArray

SHARPNESS = 1.4
"""By how much scores are stretched to log-probabilities, so that they come true as often as they
say on rendered tables.
"""

_KEEP = 10
_KONG_OF_THREE = 0.1
"""Share of concealed kongs of which a face-down tile is missed."""

_STANDING_FLOWER = -1.0
"""Log-probability of a flower among the concealed tiles, where it has not been laid apart yet."""

_ROOM, _ROOM_ERROR = 0.11, 0.02
"""Gap at which it is as likely as not that tiles touch, and its error, tile widths."""
_SET_APART, _SET_APART_ERROR = 0.09, 0.03
"""Gap at which it is as likely as not that it was left on purpose, and its error, tile widths."""

_UNMARKED_TOUCHING = -2.0
"""Log-probability, for each side, that a meld without any mark touches its neighbour."""

_WON_AT_LEFT = -1.0
"""Log-odds of a winning tile at the left of the concealed part; most lay it at the right."""

_SECOND_ROW, _STRAY_ROW = 1.2, 3.5
"""Cost of a concealed part in two rows, and of one whose second row has three tiles or less."""

_NONE = -1e9


@dataclass(frozen=True, slots=True)
class _Part:
    """A block that tiles start … end - 1 of a line may be, with its log-probability without the
    gaps at its ends.
    """

    end: int
    block: Block
    score: float


def arrangements(
    framed: Framed, classes: FloatArray, habits: Convention
) -> tuple[Arrangement, ...]:
    """The likeliest groupings of a hand, best first, log-weights normalised over them.

    Args:
        framed: the hand's lines.
        classes: shape (n, 43), class distributions by tile id.
        habits: how melds are laid.
    """
    per_line = [_line(line, framed.spread, classes, habits) for line in framed.lines]
    combined: list[tuple[float, tuple[Block, ...]]] = [(0.0, ())]
    for ways in per_line:
        pairs = (
            (way, more) for way in combined for more in ways if not (_won(way[1]) and _won(more[1]))
        )
        joined = [(score + more, blocks + added) for (score, blocks), (more, added) in pairs]
        combined = heapq.nlargest(4 * _KEEP, joined, key=lambda way: way[0])
    merged: dict[tuple[Block, ...], float] = {}
    home = {t.spot.id: k for k, line in enumerate(framed.lines) for t in line}
    for score, blocks in combined:
        whole, extra = _whole(blocks, framed, home)
        if extra > _NONE:
            merged[whole] = _log_add(merged.get(whole, -math.inf), score + extra)
            for variant, log_share in pushed_apart(whole, framed):
                merged[variant] = _log_add(
                    merged.get(variant, -math.inf), score + extra + log_share
                )
    if not merged:
        ids = tuple(t.spot.id for line in framed.lines for t in line)
        merged[(Block(BlockKind.CONCEALED, ids),)] = 0.0
    ranked = sorted(merged.items(), key=lambda item: (-item[1], str(item[0])))[:_KEEP]
    total = _log_sum([SHARPNESS * score for _, score in ranked])
    return tuple(Arrangement(blocks, SHARPNESS * score - total) for blocks, score in ranked)


def _line(
    line: tuple[Token, ...], spread: float, classes: FloatArray, habits: Convention
) -> list[tuple[float, tuple[Block, ...]]]:
    """The best ways to cut one line into blocks: the k best of all that the same blocks may
    follow.
    """
    n = len(line)
    best: list[list[tuple[float, tuple[Block, ...]]]] = [[] for _ in range(n + 1)]
    best[0] = [(0.0, ())]
    for start in range(n):
        if not best[start]:
            continue
        best[start] = _best_of_each(best[start])
        for part in _parts(line, start, spread, classes, habits):
            edge = _boundary(line[part.end - 1].gap, spread) if part.end < n else 0.0
            for score, blocks in best[start]:
                if not _may_follow(blocks, part.block.kind):
                    continue
                best[part.end].append((score + part.score + edge, (*blocks, part.block)))
    return _best_of_each(best[n])


def _won(blocks: tuple[Block, ...]) -> bool:
    """A winning tile is among them."""
    return any(block.kind is BlockKind.WINNING_TILE for block in blocks)


def _best_of_each(
    ways: list[tuple[float, tuple[Block, ...]]],
) -> list[tuple[float, tuple[Block, ...]]]:
    """The `_KEEP` best ways to cut the beginning of a line for each answer that `_may_follow` can
    give to what comes next.
    """
    alike: dict[tuple[bool, bool, BlockKind | None], list[tuple[float, tuple[Block, ...]]]] = {}
    for way in ways:
        kinds = [block.kind for block in way[1]]
        last = (
            kinds[-1] if kinds and kinds[-1] in (BlockKind.CONCEALED, BlockKind.FLOWERS) else None
        )
        alike.setdefault(
            (BlockKind.WINNING_TILE in kinds, BlockKind.CONCEALED in kinds, last), []
        ).append(way)
    return [
        way
        for same in alike.values()
        for way in heapq.nlargest(_KEEP, same, key=lambda way: way[0])
    ]


def _may_follow(blocks: tuple[Block, ...], kind: BlockKind) -> bool:
    """Whether a block may come after these in a line: one winning tile, at an end of the concealed
    part; one kind joined.
    """
    kinds = [block.kind for block in blocks]
    if kinds and kinds[-1] is kind and kind in (BlockKind.CONCEALED, BlockKind.FLOWERS):
        return False
    if kind is BlockKind.WINNING_TILE:
        return BlockKind.WINNING_TILE not in kinds
    if kind is BlockKind.CONCEALED and BlockKind.WINNING_TILE in kinds:
        return BlockKind.CONCEALED not in kinds
    return True


def _parts(
    line: tuple[Token, ...], start: int, spread: float, classes: FloatArray, habits: Convention
) -> Iterator[_Part]:
    """All blocks that may start at a place of the line."""
    n = len(line)
    inside = 0.0
    concealed = 0.0
    flowers = 0.0
    for end in range(start + 1, n + 1):
        token = line[end - 1]
        if end - 1 > start:
            inside += _within(line[end - 2].gap, spread)
        concealed += math.log(0.985 * _upright(token) + 0.015 * _across(token)) + (
            -3.0 if token.added else 0.0
        )
        concealed += (
            math.log(max(1.0 - token.spot.back, 0.01)) + _STANDING_FLOWER * token.spot.flower
        )
        tiles = line[start:end]
        ids = tuple(t.spot.id for t in tiles)
        if any(t.spot.flower < 0.5 for t in tiles):
            yield _Part(end, Block(BlockKind.CONCEALED, ids), concealed + inside)
        flowers += math.log(max(token.spot.flower, 1e-3))
        if end - start <= 8 and flowers > -4.0:
            yield _Part(end, Block(BlockKind.FLOWERS, ids), flowers + inside)
        if end - start in (3, 4):
            touching = _UNMARKED_TOUCHING * _touching_sides(line, start, end)
            for block, score in _melds(tiles, ids, classes, habits):
                unmarked = block.claimed is None and not any(t.spot.back > 0.5 for t in tiles)
                yield _Part(end, block, score + inside + (touching if unmarked else 0.0))
        if end - start == 1:
            # It is usual to set the winning tile apart; laid sideways it touches the row it ends.
            share = 0.8 * _upright(token) * _apart(line, start) + 1.2 * _across(token)
            share *= max(1.0 - token.spot.flower - token.spot.back, 0.0)
            yield _Part(
                end,
                Block(BlockKind.WINNING_TILE, ids, 0 if token.sideways > 0 else None),
                math.log(share + 1e-6),
            )


def _touching_sides(line: tuple[Token, ...], start: int, end: int) -> float:
    """On how many sides tiles touch the next of the line, small gaps by how likely they are
    none.
    """
    gaps = [line[k].gap for k in (start - 1, end - 1) if 0 <= k < len(line) - 1]
    return sum(1.0 / (1.0 + math.exp((gap - _ROOM) / _ROOM_ERROR)) for gap in gaps)


def _apart(line: tuple[Token, ...], i: int) -> float:
    """Probability that a tile was set apart, by the room on each side that has a neighbour: small
    gaps are seen with some error.
    """
    rooms = [line[k].gap for k in (i - 1, i) if 0 <= k < len(line) - 1]
    return math.prod(
        1.0 / (1.0 + math.exp((_SET_APART - room) / _SET_APART_ERROR)) for room in rooms
    )


def _melds(
    tiles: tuple[Token, ...], ids: tuple[int, ...], classes: FloatArray, habits: Convention
) -> Iterator[tuple[Block, float]]:
    """The melds that three or four tiles may be, with log-probabilities."""
    backs = sum(t.spot.back > 0.5 for t in tiles)
    added = [i for i, t in enumerate(tiles) if t.added is not None]
    lying = _lying(tiles)
    if len(tiles) == 4:
        same = math.log(0.97 * kong_likelihood(classes, ids) / 0.06 + 0.01)
        if backs:
            pattern = "".join("?" if t.spot.back > 0.5 else "x" for t in tiles)
            yield (
                Block(BlockKind.CONCEALED_KONG, ids),
                math.log(habits.pattern_share(pattern)) + same + lying[None] + 1.0,
            )
            return
        for place in range(4):
            yield Block(BlockKind.KONG, ids, place), lying[place] + math.log(0.22) + same
        share = habits.open_kong_concealed
        yield Block(BlockKind.KONG, ids), lying[None] + math.log(0.12 * (1 - share)) + same
        yield Block(BlockKind.CONCEALED_KONG, ids), lying[None] + math.log(0.12 * share) + same
        return
    if backs:
        # No pung lies face down: this is a concealed kong of which one tile was not found.
        if backs < 3:
            same = math.log(0.97 * kong_likelihood(classes, ids) / 0.3 + 0.01)
            yield (
                Block(BlockKind.CONCEALED_KONG, ids),
                math.log(_KONG_OF_THREE) + same + lying[None] + 1.0,
            )
        return
    if added:
        top = tiles[added[0]].added
        if len(added) == 1 and top is not None:
            four = (*ids, top.id)
            same = math.log(0.97 * kong_likelihood(classes, four) / 0.06 + 0.01)
            marked = added[0] if tiles[added[0]].sideways > 0 else None
            yield Block(BlockKind.ADDED_KONG, four, marked), lying[marked] + same + 1.0
        return
    known = math.log(0.97 * set_likelihood(classes, ids) / 0.3 + 0.03)
    same = kong_likelihood(classes, ids) > 0.5
    for place in range(3):
        # A chow's claimed tile lies first as a rule, for it can only come from the left.
        yield (
            Block(BlockKind.SET, ids, place),
            lying[place] + math.log(0.3 if same else 0.4 if place == 0 else 0.06) + known,
        )
    yield Block(BlockKind.SET, ids), lying[None] + math.log(0.1) + known


def _lying(tiles: tuple[Token, ...]) -> dict[int | None, float]:
    """Log-probability of what is seen if only the tile at a place lies sideways, or none."""
    upright = [math.log(max(_upright(t), 1e-6)) for t in tiles]
    across = [math.log(max(_across(t), 1e-6)) for t in tiles]
    total = sum(upright)
    ways: dict[int | None, float] = {None: total}
    for i in range(len(tiles)):
        ways[i] = total - upright[i] + across[i]
    return ways


def _upright(token: Token) -> float:
    return 1.0 / (1.0 + math.exp(token.sideways))


def _across(token: Token) -> float:
    return 1.0 / (1.0 + math.exp(-token.sideways))


def _within(gap: float, spread: float) -> float:
    """Log-density of a gap inside a block; hands are laid unevenly now and then."""
    uneven = 0.8 if -0.2 < gap < 0.5 else 0.25 if gap < 1.3 else 0.08
    return math.log(0.94 * _normal(gap, spread) + 0.05 * uneven)


def _boundary(gap: float, spread: float) -> float:
    """Log-density of a gap between blocks, which may touch."""
    return math.log(0.14 * _normal(gap, spread) + 0.86 * (1 / 2.4 if gap > 0.1 else 0.08))


def _normal(x: float, sigma: float) -> float:
    return math.exp(-0.5 * (x / sigma) ** 2) / (sigma * math.sqrt(2 * math.pi))


def _whole(
    blocks: tuple[Block, ...], framed: Framed, home: dict[int, int]
) -> tuple[tuple[Block, ...], float]:
    """Blocks of all lines as one hand: a single concealed part, then melds, flowers and winning
    tile; with what that costs.
    """
    concealed = [b for b in blocks if b.kind is BlockKind.CONCEALED]
    winning = [b for b in blocks if b.kind is BlockKind.WINNING_TILE]
    if not concealed:
        return blocks, _NONE
    lines = {home[b.tiles[0]] for b in concealed}
    per_line = [sum(len(b.tiles) for b in concealed if home[b.tiles[0]] == line) for line in lines]
    cost = -2.0 * (len(concealed) - len(lines)) - sum(
        _SECOND_ROW if n > 3 else _STRAY_ROW for n in sorted(per_line)[:-1]
    )
    if winning and home[winning[0].tiles[0]] in lines:
        place = {t.spot.id: i for line in framed.lines for i, t in enumerate(line)}
        cost += _WON_AT_LEFT * all(
            place[winning[0].tiles[0]] < place[i] for b in concealed for i in b.tiles
        )
    whole = Block(BlockKind.CONCEALED, tuple(i for b in concealed for i in b.tiles))
    melds = [
        b
        for b in blocks
        if b.kind not in (BlockKind.CONCEALED, BlockKind.WINNING_TILE, BlockKind.FLOWERS)
    ]
    if len(melds) > 4:
        return blocks, _NONE
    flowers = [b for b in blocks if b.kind is BlockKind.FLOWERS]
    merged = (
        [Block(BlockKind.FLOWERS, tuple(i for b in flowers for i in b.tiles))] if flowers else []
    )
    return (whole, *melds, *merged, *winning), cost


def _log_sum(values: list[float]) -> float:
    top = max(values, default=0.0)
    return top + math.log(sum(math.exp(v - top) for v in values)) if values else 0.0


def _log_add(a: float, b: float) -> float:
    return b if a == -math.inf else max(a, b) + math.log1p(math.exp(-abs(a - b)))
