"""The features of a grouping: of its blocks, of the gaps around them and of the whole hand.

The score of a grouping is the weighted sum of its features. The weights
(`hupai.vision.layout.weights`) are fitted by `hupai.models.training.layout.grouping`. Values of
features are log-probabilities, gaps in tile widths, or counts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum, auto
from itertools import permutations

import numpy as np

from hupai.scoring.tiles import Suit, Tile
from hupai.vision.conventions import Convention
from hupai.vision.geometry.stacked_tiles import stacked_log_odds
from hupai.vision.geometry.table_tiles import Array
from hupai.vision.layout.completeness import KINDS
from hupai.vision.layout.owner_frame import LineTile, OwnerFrame
from hupai.vision.layout.rows import GAP_ERROR, SURE, TILE_GAP, split
from hupai.vision.layout.types import MELDS, Block, BlockKind
from hupai.vision.types import FloatArray


class Feature(IntEnum):
    """The features, in the order of a weight vector; weight files use their names."""

    ROW_LOOSE = 0
    """Inner gap of concealed tiles or flowers, half its square in standard deviations."""
    ROW_GAP = auto()
    """The same gap where tiles do not touch."""
    ROW_SUITS = auto()
    """That gap where concealed tiles of one suit (or honours) end and others begin."""
    MELD_LOOSE = auto()
    """Inner gap of a meld, half its square in standard deviations."""
    MELD_GAP = auto()
    """The same gap where tiles do not touch."""
    CONCEALED_SIDE = auto()
    """A side on which a block of concealed tiles has a neighbour in its line.

    The features of the other kinds of block are defined likewise.
    """
    CONCEALED_TOUCH = auto()
    """How close that neighbour is: 1 where they touch, falling to 0 as the gap widens."""
    CONCEALED_GAP = auto()
    """The gap to it."""
    MARKED_SIDE = auto()
    """The same for a meld with a sideways tile or backs."""
    MARKED_TOUCH = auto()
    MARKED_GAP = auto()
    UNMARKED_SIDE = auto()
    """The same for a meld without any mark."""
    UNMARKED_TOUCH = auto()
    UNMARKED_GAP = auto()
    WINNER_SIDE = auto()
    """The same for a winning tile that stands upright."""
    WINNER_TOUCH = auto()
    WINNER_GAP = auto()
    TURNED_WINNER_SIDE = auto()
    """The same for a winning tile that lies sideways."""
    TURNED_WINNER_TOUCH = auto()
    TURNED_WINNER_GAP = auto()
    FLOWERS_SIDE = auto()
    """The same for flowers."""
    FLOWERS_TOUCH = auto()
    FLOWERS_GAP = auto()
    CONCEALED_POSE = auto()
    """Log-probability that concealed tiles lie upright."""
    CONCEALED_BACK = auto()
    """Log-probability that concealed tiles show their faces."""
    CONCEALED_ADDED = auto()
    """Concealed tiles with another one over them."""
    MELD_POSE = auto()
    """Log-probability that only the claimed tile of a meld lies sideways."""
    CHOW_OTHER = auto()
    """A chow whose sideways tile is not the first, as if it had not been claimed from the left."""
    PUNG_CLAIMED = auto()
    """A pung with a sideways tile."""
    SET_UNMARKED = auto()
    """A chow or pung without one."""
    SET_FACES = auto()
    """Log-probability that three tiles are a chow or a pung."""
    KONG_CLAIMED = auto()
    """Four open tiles, one sideways."""
    KONG_UNMARKED = auto()
    """Four open tiles, none sideways."""
    KONG_HABIT = auto()
    """Log-share of such kongs that are concealed or, for a claimed one, that are not."""
    KONG_FACES = auto()
    """Log-probability that the open tiles of a kong are equal."""
    BACKS = auto()
    """A kong that shows backs."""
    BACKS_HABIT = auto()
    """Log-frequency of the pattern of its backs."""
    KONG_OF_THREE = auto()
    """A kong with backs, one tile of which was not detected."""
    ADDED_KONG = auto()
    """A pung with a fourth tile beyond one of its tiles."""
    STACKED_KONG = auto()
    """Log-odds that the middle one of three equal tiles lies on top of a fourth."""
    WINNER_UPRIGHT = auto()
    """A winning tile that stands upright."""
    WINNER_POSE = auto()
    """Log-probability that a winning tile lies as assumed, upright or sideways."""
    WINNER_FACE = auto()
    """Log-probability that it is neither a flower nor a back."""
    FLOWERS_FACE = auto()
    """Log-probability that its tiles are flowers."""
    SPLIT_ROW = auto()
    """Blocks of concealed tiles beyond the first of their line."""
    SECOND_ROW = auto()
    """Lines with more than three concealed tiles, besides the longest."""
    SHORT_ROW = auto()
    """Lines with one to three concealed tiles, besides the longest."""
    SUITS_APART = auto()
    """Parts of a concealed row that hold one suit each, no suit twice, beyond the first."""
    UNMARKED_BESIDE_MARKED = auto()
    """Sets without a sideways tile in a hand where others have one."""
    MELD_AT_LEFT = auto()
    """Melds to the left of the concealed tiles of their line."""
    WINNER_STANDS_OFF = auto()
    """How much wider the gap beside an upright winning tile is than any between the concealed tiles
    of its line: a gap is weak evidence in a loose row, strong evidence in a tight one.
    """
    WINNER_ALONE = auto()
    """A winning tile alone in its line, if all concealed tiles lie in rows."""


FEATURES = tuple(feature.name.lower() for feature in Feature)
"""Names of the features, as weight files use them."""
Term = tuple[Feature, float]
"""A feature and its value."""

_SHORT_ROW = 3
"""Maximum number of concealed tiles in a line that is too short to be a row."""
_ORDERS = np.array(list(permutations(range(3))))
"""Orders of three tiles, shape (6, 3)."""
_SUITS = 3
"""Number of suits that chows are made of, the first kinds of `Tile`."""
ROWS = {
    BlockKind.CONCEALED: Feature.CONCEALED_SIDE,
    BlockKind.FLOWERS: Feature.FLOWERS_SIDE,
}
"""Kinds of blocks that may have any length, with the first of the three features of the gaps beside
them; two of the same kind never follow each other.
"""


def feature_matrix(groups: Sequence[Iterable[Term]]) -> Array:
    """Return the features (b, k) of groups as a matrix, given the non-zero ones of each.

    Repeated ones are added up.
    """
    count = len(Feature)
    places, values = list[int](), list[float]()
    for k, some in enumerate(groups):
        for feature, value in some:
            places.append(count * k + feature)
            values.append(value)
    found = np.bincount(np.array(places, np.intp), values, count * len(groups))
    return np.asarray(found.reshape(-1, count), float)


def row_terms(tile: LineTile, before: LineTile | None, kind: BlockKind) -> Iterator[Term]:
    """Yield the features that one more tile adds to a block of concealed tiles or flowers.

    Args:
        tile: the tile.
        before: the previous tile of the block; None for the first.
        kind: the kind of the block.
    """
    if before is not None:
        yield Feature.ROW_LOOSE, _loose(before.gap)
        yield Feature.ROW_GAP, _excess(before.gap)
        if kind is BlockKind.CONCEALED and _suit(before) is not _suit(tile):
            yield Feature.ROW_SUITS, _excess(before.gap)
    if kind is BlockKind.FLOWERS:
        yield Feature.FLOWERS_FACE, _log(tile.flower)
        return
    yield Feature.CONCEALED_POSE, math.log(tile.upright)
    if tile.back > SURE:
        yield Feature.CONCEALED_BACK, _log(1.0 - tile.back)
    if tile.added is not None:
        yield Feature.CONCEALED_ADDED, 1.0


Spanned = tuple[tuple[int, int], Block, tuple[Term, ...]]
"""A block with its start and end (exclusive) in the line, and its features."""


def winners(line: Sequence[LineTile]) -> Iterator[Spanned]:
    """Yield each tile of a line as the winning tile."""
    for k, tile in enumerate(line):
        turned = tile.sideways > 0
        yield (
            (k, k + 1),
            Block(BlockKind.WINNING_TILE, (tile.id,), 0 if turned else None),
            (
                (Feature.WINNER_UPRIGHT, float(not turned)),
                (Feature.WINNER_POSE, math.log(tile.across if turned else tile.upright)),
                (Feature.WINNER_FACE, _log(1.0 - tile.flower - tile.back)),
            ),
        )


def melds(line: Sequence[LineTile], classes: FloatArray, habits: Convention) -> Iterator[Spanned]:
    """Yield the melds that three or four neighbours of a line may form.

    Args:
        line: the tiles in their order.
        classes: shape (n, 43), class distributions by tile id.
        habits: how melds are laid.
    """
    upright, across = [math.log(t.upright) for t in line], [math.log(t.across) for t in line]
    loose, excess = [_loose(t.gap) for t in line], [_excess(t.gap) for t in line]
    rows = classes[[t.id for t in line]].astype(np.float64)
    sets = _set_likelihoods(rows)
    for size in (3, 4):
        for start, alike in enumerate(_kong_likelihoods(rows, size)):
            end = start + size
            total = sum(upright[start:end])
            pose: dict[int | None, float] = {None: total}
            for i in range(size):
                pose[i] = total - upright[start + i] + across[start + i]
            inner = (
                (Feature.MELD_LOOSE, sum(loose[start : end - 1])),
                (Feature.MELD_GAP, sum(excess[start : end - 1])),
            )
            for block, terms in _melds(line[start:end], sets[start], alike, classes, habits):
                lies = (Feature.MELD_POSE, pose[block.claimed])
                yield (start, end), block, (*inner, lies, *terms)


def _melds(
    tiles: Sequence[LineTile],
    set_likelihood: float,
    alike: float,
    classes: FloatArray,
    habits: Convention,
) -> Iterator[tuple[Block, tuple[Term, ...]]]:
    """Yield the melds of three or four neighbours, without the features of their poses and gaps.

    Args:
        tiles: in their order.
        set_likelihood: probability that the first three are a chow or a pung.
        alike: probability that the open tiles are all equal.
        classes, habits: as in `melds`.
    """
    ids = tuple(t.id for t in tiles)
    backs = [t.back > 0.5 for t in tiles]
    added = [i for i, t in enumerate(tiles) if t.added is not None]
    kong = (Feature.KONG_FACES, _log(alike))
    if len(tiles) == 4 and any(backs):
        pattern = "".join("?" if back else "x" for back in backs)
        habit = (Feature.BACKS_HABIT, math.log(habits.pattern_share(pattern)))
        yield Block(BlockKind.CONCEALED_KONG, ids), ((Feature.BACKS, 1.0), habit, kong)
    elif len(tiles) == 4:
        for place in range(4):
            yield Block(BlockKind.KONG, ids, place), ((Feature.KONG_CLAIMED, 1.0), kong)
        share = habits.open_kong_concealed
        for kind, part in ((BlockKind.KONG, 1 - share), (BlockKind.CONCEALED_KONG, share)):
            habit = (Feature.KONG_HABIT, math.log(part))
            yield Block(kind, ids), ((Feature.KONG_UNMARKED, 1.0), habit, kong)
    elif 0 < sum(backs) < 3:
        yield Block(BlockKind.CONCEALED_KONG, ids), ((Feature.KONG_OF_THREE, 1.0), kong)
    elif len(added) == 1 and not any(backs):
        over = tiles[added[0]].added
        assert over is not None
        four = (*ids, over)
        at = added[0] if tiles[added[0]].sideways > 0 else None
        (alike,) = _kong_likelihoods(classes[[*four]].astype(np.float64), 4)
        kong = (Feature.KONG_FACES, _log(alike))
        yield Block(BlockKind.ADDED_KONG, four, at), ((Feature.ADDED_KONG, 1.0), kong)
    elif not added and not any(backs):
        faces = (Feature.SET_FACES, _log(set_likelihood))
        for place in range(3):
            claim = Feature.PUNG_CLAIMED if alike > 0.5 else Feature.CHOW_OTHER
            claimed = float(alike > 0.5 or place > 0)
            yield Block(BlockKind.SET, ids, place), ((claim, claimed), faces)
        yield Block(BlockKind.SET, ids), ((Feature.SET_UNMARKED, 1.0), faces)
        middle = tiles[1]
        if alike > 0.5 and middle.rise > 0:
            at = 1 if middle.sideways > 0 else None
            stacked = (Feature.STACKED_KONG, stacked_log_odds(middle.rise))
            yield Block(BlockKind.ADDED_KONG, ids, at), (stacked, kong)


def hand_terms(blocks: Sequence[Block], framed: OwnerFrame) -> Iterator[Term]:
    """Yield the features of a whole hand; its blocks are given line by line, in order."""
    place = {t.id: (k, i) for k, line in enumerate(framed.lines) for i, t in enumerate(line)}
    concealed: dict[int, list[Block]] = {}
    for block in blocks:
        if block.kind is BlockKind.CONCEALED:
            concealed.setdefault(place[block.tiles[0]][0], []).append(block)
    if not concealed:
        return
    yield Feature.SPLIT_ROW, float(sum(map(len, concealed.values())) - len(concealed))
    sizes = sorted(sum(len(b.tiles) for b in some) for some in concealed.values())
    yield Feature.SECOND_ROW, float(sum(size > _SHORT_ROW for size in sizes[:-1]))
    yield Feature.SHORT_ROW, float(sum(size <= _SHORT_ROW for size in sizes[:-1]))
    for k, some in concealed.items():
        tiles = [framed.lines[k][place[i][1]] for block in some for i in block.tiles]
        # Parts do not touch each other.
        parts = split(tiles, np.array([tile.gap > GAP_ERROR for tile in tiles[:-1]], bool))
        if _one_suit_each(parts):
            yield Feature.SUITS_APART, float(len(parts) - 1)
        first = min(place[t.id][1] for t in tiles)
        for block in blocks:
            line, i = place[block.tiles[0]]
            upright_winner = block.kind is BlockKind.WINNING_TILE and block.claimed is None
            if line == k and upright_winner:
                rows = [[place[t][1] for t in b.tiles] for b in some]
                yield Feature.WINNER_STANDS_OFF, _stands_off(i, framed.lines[k], rows)
            elif line == k and i < first and block.kind in MELDS:
                yield Feature.MELD_AT_LEFT, 1.0
    for block in blocks:
        if block.kind is BlockKind.WINNING_TILE and sizes[0] > _SHORT_ROW:
            yield Feature.WINNER_ALONE, float(len(framed.lines[place[block.tiles[0]][0]]) == 1)
    sets = [b for b in blocks if b.kind in (BlockKind.SET, BlockKind.KONG, BlockKind.ADDED_KONG)]
    unmarked = sum(b.claimed is None for b in sets)
    if unmarked < len(sets):
        yield Feature.UNMARKED_BESIDE_MARKED, float(unmarked)


def _stands_off(at: int, line: Sequence[LineTile], rows: Sequence[Sequence[int]]) -> float:
    """Compare the gap beside the winning tile at a place of a line with the widest in its rows.

    Rows are the blocks of concealed tiles, as places in the line.
    """
    beside = line[at if at < min(map(min, rows)) else at - 1].gap
    inner = [line[i].gap for row in rows for i in row[:-1]]
    return max(-TILE_GAP, min(beside - max(inner, default=0.0), TILE_GAP))


def _loose(gap: float) -> float:
    return 0.5 * min(abs(gap) / GAP_ERROR, 3.0) ** 2


def _excess(gap: float) -> float:
    """Return by how much a gap exceeds the error of touching tiles, tile widths."""
    return max(0.0, gap - GAP_ERROR)


def _suit(tile: LineTile) -> Suit | None:
    """Return the suit of a tile; None for all honours, which count as one suit."""
    face = tile.face
    return face.suit if face.is_suited else None


def _one_suit_each(parts: Sequence[Sequence[LineTile]]) -> bool:
    """Return whether each part is of one suit (or honours) and no suit is in two parts."""
    suits = [{_suit(t) for t in part} for part in parts]
    numbered = [suit for some in suits for suit in some if suit is not None]
    return all(len(some) == 1 for some in suits) and len(numbered) == len(set(numbered))


def _set_likelihoods(rows: Array) -> list[float]:
    """Return the probability that each three neighbours are a pung or, in any order, a chow.

    Their class distributions, shape (n, 43), are assumed to be independent.
    """
    three = np.stack([rows[k : len(rows) - 2 + k] for k in range(3)], axis=1)
    pungs = three[:, :, :KINDS].prod(1).sum(1)
    suits = np.stack(np.split(three[:, :, : Tile.EAST], _SUITS, axis=2), axis=2)
    low, middle, high = np.moveaxis(suits[:, _ORDERS.T], 1, 0)
    chows = (low[..., :-2] * middle[..., 1:-1] * high[..., 2:]).sum((1, 2, 3))
    likelihoods: list[float] = np.minimum(pungs + chows, 1.0).tolist()
    return likelihoods


def _kong_likelihoods(rows: Array, size: int) -> list[float]:
    """Return the probability that the open tiles among each `size` neighbours are equal.

    Their class distributions, shape (n, 43), are assumed to be independent. It is 1 for neighbours
    that all lie face down.
    """
    up = rows[:, Tile.BACK] < 0.5
    faces = np.where(up[:, None], rows[:, :KINDS], 1.0)
    count = max(len(rows) - size + 1, 0)
    some = [faces[k : k + count] for k in range(size)]
    any_up = np.any([up[k : k + count] for k in range(size)], axis=0)
    likelihoods: list[float] = np.where(any_up, np.prod(some, axis=0).sum(1), 1.0).tolist()
    return likelihoods


def _log(probability: float) -> float:
    return math.log(max(probability, SURE))
