"""Concealed hands split into their sets or suits, which look like melds without a sideways tile."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from hupai.scoring.tiles import Suit
from hupai.vision.layout.owner_frame import LineTile, OwnerFrame
from hupai.vision.layout.types import Block, BlockKind

Variant = tuple[tuple[Block, ...], float]
"""Another grouping of the same tiles, and the log-odds of its share against the first."""

_KONGS = (BlockKind.KONG, BlockKind.ADDED_KONG, BlockKind.CONCEALED_KONG)
_SET_LOG_ODDS = 0.6
"""Log-odds of each further set that a hand split into all its sets is concealed."""
_REST_LOG_ODDS = -3.0
"""Log-odds of that where more than a pair and the winning tile are left together."""
_MIN_SUIT_GAP = 0.1
"""Least gap between suits that were pushed apart, tile widths."""
_MAX_SUIT_GAP = 0.75
"""Greatest gap between suits that were pushed apart, tile widths."""
_TWO_SUITS_LOG_ODDS = 1.0
"""Log-odds that two parts of one suit each are one concealed hand, not it and a meld."""
_SUIT_LOG_ODDS = 0.6
"""Log-odds of that for each further part."""
_WIDE_GAP = 0.45
"""Gap between suits from which that is less likely, tile widths."""
_WIDE_GAP_COST = 4.0
"""Cost of a wider gap, log-odds per tile width."""
_NUMBERED = frozenset({Suit.CHARACTERS, Suit.DOTS, Suit.BAMBOO})


def split_variants(blocks: tuple[Block, ...], framed: OwnerFrame) -> Iterator[Variant]:
    """Yield the groupings in which sets without a sideways tile are concealed.

    Args:
        blocks: a grouping with one block of concealed tiles.
        framed: the hand's lines.
    """
    unmarked = [b for b in blocks if b.kind is BlockKind.SET and b.claimed is None]
    if unmarked:
        yield from _split_by_set(blocks, unmarked, framed)
        yield from _split_by_suit(blocks, unmarked, framed)


def _split_by_set(
    blocks: tuple[Block, ...], unmarked: list[Block], framed: OwnerFrame
) -> Iterator[Variant]:
    """Yield the grouping in which the sets are concealed, as a player splits off all or none.

    Sets that lie in a line of melds are melds.
    """
    if any(b.kind is BlockKind.SET and b not in unmarked for b in blocks):
        return
    line_of = {t.spot.id: k for k, line in enumerate(framed.lines) for t in line}
    inner = [b for b in blocks if b.kind in (BlockKind.CONCEALED, BlockKind.WINNING_TILE)]
    meld_lines = {line_of[b.tiles[0]] for b in blocks if b.kind in _KONGS}
    meld_lines -= {line_of[i] for b in inner for i in b.tiles}
    if any(line_of[b.tiles[0]] in meld_lines for b in unmarked):
        return
    few_left = sum(len(b.tiles) for b in inner) <= 3
    log_odds = _SET_LOG_ODDS * (len(unmarked) - 1) if few_left else _REST_LOG_ODDS
    taken = [b for b in blocks if b.kind is BlockKind.CONCEALED or b in unmarked]
    yield _concealed([i for b in taken for i in b.tiles], taken, blocks), log_odds


def _split_by_suit(
    blocks: tuple[Block, ...], unmarked: list[Block], framed: OwnerFrame
) -> Iterator[Variant]:
    """Yield the grouping in which the sets are concealed because a hand is sorted by suit.

    A set that is all of its suit then looks like a meld. But every part holds one suit, no suit is
    in two parts, and other suits are apart as well.
    """
    (concealed,) = (b for b in blocks if b.kind is BlockKind.CONCEALED)
    stretch = _stretch(framed, concealed, {i for b in (concealed, *unmarked) for i in b.tiles})
    ids = {t.spot.id for t in stretch}
    taken = [concealed, *(b for b in unmarked if ids.issuperset(b.tiles))]
    if len(taken) == 1 or ids != {i for b in taken for i in b.tiles}:
        return
    parts = _parts(stretch)
    if sum(any(t.spot.id in concealed.tiles for t in part) for part in parts) < 2:
        return
    if not _is_sorted_by_suit(parts):
        return
    widest = max(tile.gap for tile in stretch[:-1])
    log_odds = _TWO_SUITS_LOG_ODDS + _SUIT_LOG_ODDS * (len(parts) - 2)
    log_odds -= _WIDE_GAP_COST * max(widest - _WIDE_GAP, 0.0)
    yield _concealed([t.spot.id for t in stretch], taken, blocks), log_odds


def _concealed(
    ids: Sequence[int], taken: Sequence[Block], blocks: tuple[Block, ...]
) -> tuple[Block, ...]:
    """Put one block of concealed tiles in place of some blocks."""
    rest = (b for b in blocks if b not in taken)
    return (Block(BlockKind.CONCEALED, tuple(ids)), *rest)


def _stretch(framed: OwnerFrame, concealed: Block, owned: set[int]) -> tuple[LineTile, ...]:
    """Cut out of its line the concealed part and what of the sets follows closely."""
    held = set(concealed.tiles)
    for line in framed.lines:
        places = [k for k, tile in enumerate(line) if tile.spot.id in held]
        if places:
            break
    else:
        return ()
    close = [tile.spot.id in owned and tile.gap < _MAX_SUIT_GAP for tile in line]
    low, high = places[0], places[-1]
    while low > 0 and close[low - 1]:
        low -= 1
    while (
        high + 1 < len(line) and line[high + 1].spot.id in owned and line[high].gap < _MAX_SUIT_GAP
    ):
        high += 1
    return line[low : high + 1]


def _parts(stretch: tuple[LineTile, ...]) -> list[list[LineTile]]:
    """Cut tiles where there is a gap."""
    parts = [[stretch[0]]]
    for tile, following in pairwise(stretch):
        if tile.gap > _MIN_SUIT_GAP:
            parts.append([])
        parts[-1].append(following)
    return parts


def _is_sorted_by_suit(parts: Sequence[Sequence[LineTile]]) -> bool:
    """Tell whether every part is of one suit (or of honours), and no suit is in two parts."""
    suits = [{t.spot.face.suit for t in part} for part in parts]
    numbered = [suit for some in suits for suit in some if suit in _NUMBERED]
    one_each = all(len(some & _NUMBERED) + bool(some - _NUMBERED) <= 1 for some in suits)
    return one_each and len(numbered) == len(set(numbered))
