"""Concealed hands pushed apart into their sets or suits, which look like melds of which no tile
lies sideways.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from hupai.scoring.tiles import Suit
from hupai.vision.layout.owner_frame import Framed, Token
from hupai.vision.layout.types import Block, BlockKind

Variant = tuple[tuple[Block, ...], float]
"""Another grouping of the same tiles, and the logarithm of its share against the first."""

_KONGS = (BlockKind.KONG, BlockKind.ADDED_KONG, BlockKind.CONCEALED_KONG)
_UNSORTED = -3.0
_PARTED, _FURTHER = 0.1, 0.75
"""Least and greatest gap between suits that were pushed apart, tile widths."""
_BY_SUIT, _MORE_SUITS = 1.0, 0.6
"""Log-odds that two parts of one suit each are a concealed hand sorted by suit and not that and a
meld; of each further part.
"""
_WIDE, _WIDER = 0.45, 4.0
"""Gap from which it is less likely, and by how much a tile width."""


def pushed_apart(blocks: tuple[Block, ...], framed: Framed) -> Iterator[Variant]:
    """The groupings in which sets of which no tile lies sideways are concealed.

    Args:
        blocks: a grouping with one concealed part.
        framed: the hand's lines.
    """
    plain = [b for b in blocks if b.kind is BlockKind.SET and b.claimed is None]
    if plain:
        yield from _by_set(blocks, plain, framed)
        yield from _by_suit(blocks, plain, framed)


def _by_set(blocks: tuple[Block, ...], plain: list[Block], framed: Framed) -> Iterator[Variant]:
    """Who pushes sets apart does so with all of them: where the tiles left together are more than a
    pair, the sets are melds. So are sets in a line of melds.
    """
    if len(plain) != sum(b.kind is BlockKind.SET for b in blocks):
        return
    home = {t.spot.id: k for k, line in enumerate(framed.lines) for t in line}
    inner = [b for b in blocks if b.kind in (BlockKind.CONCEALED, BlockKind.WINNING_TILE)]
    marked = {home[b.tiles[0]] for b in blocks if b.kind in _KONGS}
    marked -= {home[i] for b in inner for i in b.tiles}
    if any(home[b.tiles[0]] in marked for b in plain):
        return
    together = sum(len(b.tiles) for b in inner)
    concealed = tuple(
        i for b in blocks if b.kind is BlockKind.CONCEALED or b in plain for i in b.tiles
    )
    rest = tuple(b for b in blocks if b.kind is not BlockKind.CONCEALED and b not in plain)
    yield (
        (Block(BlockKind.CONCEALED, concealed), *rest),
        0.6 * (len(plain) - 1) if together <= 3 else _UNSORTED,
    )


def _by_suit(blocks: tuple[Block, ...], plain: list[Block], framed: Framed) -> Iterator[Variant]:
    """Many sort a hand by suit and leave a little room between suits. A set that is all there is of
    its suit looks like a meld then, but for that every part holds one suit, no suit is in two
    parts, and other suits are parted as well.
    """
    (concealed,) = (b for b in blocks if b.kind is BlockKind.CONCEALED)
    owners = {i: b for b in (concealed, *plain) for i in b.tiles}
    line = next(
        (line for line in framed.lines if any(t.spot.id in concealed.tiles for t in line)), ()
    )
    run = _around(line, concealed, owners)
    within = {t.spot.id for t in run}
    taken = tuple(b for b in plain if within.issuperset(b.tiles))
    if not taken or within != {*concealed.tiles, *(i for b in taken for i in b.tiles)}:
        return
    parts: list[list[Token]] = [[run[0]]]
    for token, following in pairwise(run):
        if token.gap > _PARTED:
            parts.append([])
        parts[-1].append(following)
    if sum(any(t.spot.id in concealed.tiles for t in part) for part in parts) < 2:
        return
    suits = [{t.spot.face.suit for t in part} for part in parts]
    numbered = [suit for some in suits for suit in some if suit in _NUMBERED]
    if any(len(some & _NUMBERED) + bool(some - _NUMBERED) > 1 for some in suits) or len(
        numbered
    ) != len(set(numbered)):
        return
    widest = max(token.gap for token in run[:-1])
    share = _BY_SUIT + _MORE_SUITS * (len(parts) - 2) - _WIDER * max(widest - _WIDE, 0.0)
    rest = tuple(b for b in blocks if b is not concealed and b not in taken)
    yield (Block(BlockKind.CONCEALED, tuple(t.spot.id for t in run)), *rest), share


_NUMBERED = frozenset({Suit.CHARACTERS, Suit.DOTS, Suit.BAMBOO})


def _around(
    line: tuple[Token, ...], concealed: Block, owners: dict[int, Block]
) -> tuple[Token, ...]:
    """The stretch of a line from the first to the last tile of the concealed part and of the sets
    that follow closely.
    """
    places = [k for k, token in enumerate(line) if token.spot.id in concealed.tiles]
    if not places:
        return ()
    low, high = places[0], places[-1]
    while low > 0 and line[low - 1].spot.id in owners and line[low - 1].gap < _FURTHER:
        low -= 1
    while high + 1 < len(line) and line[high + 1].spot.id in owners and line[high].gap < _FURTHER:
        high += 1
    return line[low : high + 1]
