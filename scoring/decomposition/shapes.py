"""The ways to split a won hand into sets and a pair, and the shapes that have none.

Four sets and a pair are split by `hupai.scoring.decomposition.packed`; here the splits become parts
of a score.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from itertools import permutations

from hupai.scoring.decomposition.packed import MAX_OF_A_KIND, is_seven_pairs, pack
from hupai.scoring.decomposition.packed import standard_splits as packed_splits
from hupai.scoring.hand import Hand, Meld, MeldKind
from hupai.scoring.result import SetKind, SetPart
from hupai.scoring.tiles import DRAGONS, WINDS, Tile

Counts = tuple[int, ...]
"""How often each of the 34 playable kinds occurs, in the order of `Tile`."""

HONOURS: tuple[Tile, ...] = WINDS + DRAGONS
TERMINALS: frozenset[Tile] = frozenset(t for t in map(Tile, range(27)) if t.rank in (1, 9))
ORPHANS: frozenset[Tile] = TERMINALS | frozenset(HONOURS)
"""The thirteen terminals and honours (幺九)."""


class Shape(Enum):
    """The kinds of winning shape."""

    STANDARD = "standard"
    SEVEN_PAIRS = "seven_pairs"
    THIRTEEN_ORPHANS = "thirteen_orphans"
    KNITTED_SINGLES = "knitted_singles"
    """全不靠: 14 different tiles out of 147, 258, 369 in three suits and the seven honours."""


@dataclass(frozen=True, slots=True)
class Split:
    """One way to read a won hand: its shape and its parts, melds first."""

    shape: Shape
    parts: tuple[SetPart, ...]


def tile_counts(tiles: Iterable[Tile]) -> Counts:
    """Count the playable tiles; flowers and backs are ignored."""
    counts = [0] * 34
    for tile in tiles:
        if tile < 34:
            counts[tile] += 1
    return tuple(counts)


def standard_splits(counts: Counts) -> tuple[tuple[SetPart, ...], ...]:
    """List every split of 3n + 2 concealed tiles into n sets, in the order of tiles, and a pair."""
    if max(counts, default=0) > MAX_OF_A_KIND:
        return ()
    return _parts_of(sum(n << 3 * i for i, n in enumerate(counts)))


@lru_cache(maxsize=1 << 16)
def _parts_of(packed: int) -> tuple[tuple[SetPart, ...], ...]:
    """List the same for packed counts."""
    return tuple(
        [
            (
                *sorted([_CHOWS[i] for i in chows] + [_PUNGS[i] for i in pungs], key=_set_order),
                _PAIRS[pair],
            )
            for chows, pungs, pair in packed_splits(packed)
        ]
    )


def _part(kind: SetKind, first: int, steps: tuple[int, ...]) -> SetPart:
    return SetPart(kind, tuple(Tile(first + step) for step in steps), concealed=True)


_CHOWS = tuple(_part(SetKind.CHOW, min(i % 9, 6) + i // 9 * 9, (0, 1, 2)) for i in range(27))
_PUNGS = tuple(_part(SetKind.PUNG, i, (0, 0, 0)) for i in range(34))
_PAIRS = tuple(_part(SetKind.PAIR, i, (0, 0)) for i in range(34))


def _set_order(part: SetPart) -> tuple[Tile, str]:
    return part.tiles[0], part.kind.value


@lru_cache(maxsize=4096)
def meld_part(meld: Meld) -> SetPart:
    """Return the part that a meld is."""
    kinds = {MeldKind.CHOW: SetKind.CHOW, MeldKind.PUNG: SetKind.PUNG}
    return SetPart(
        kinds.get(meld.kind, SetKind.KONG),
        tuple(sorted(meld.tiles)),
        concealed=meld.is_concealed,
        melded=True,
    )


def seven_pairs(counts: Counts) -> tuple[SetPart, ...] | None:
    """Return the seven pairs of 14 tiles, four of a kind being two; None if they are not pairs."""
    if sum(counts) != 14 or any(n % 2 for n in counts):
        return None
    return tuple(
        SetPart(SetKind.PAIR, (Tile(i),) * 2, concealed=True)
        for i, n in enumerate(counts)
        for _ in range(n // 2)
    )


def thirteen_orphans(counts: Counts) -> tuple[SetPart, ...] | None:
    """Return the single tiles and the pair of thirteen orphans, or None."""
    if sum(counts) != 14 or any((n > 0) != (Tile(i) in ORPHANS) for i, n in enumerate(counts)):
        return None
    twice = next(i for i, n in enumerate(counts) if n == 2)
    singles = SetPart(
        SetKind.SINGLES,
        tuple(Tile(i) for i, n in enumerate(counts) if n and i != twice),
        concealed=True,
    )
    return (singles, SetPart(SetKind.PAIR, (Tile(twice),) * 2, concealed=True))


def knitted_singles(counts: Counts) -> tuple[SetPart, ...] | None:
    """Return the one part of 14 single tiles (全不靠), or None if they are not such.

    They are all different, and each suit keeps to its own of 147, 258, 369.
    """
    if sum(counts) != 14 or max(counts) > 1:
        return None
    suits = [{i % 3 for i in range(9) if counts[9 * suit + i]} for suit in range(3)]
    if any(
        all(used <= {row} for used, row in zip(suits, rows, strict=True))
        for rows in permutations(range(3))
    ):
        return (
            SetPart(
                SetKind.SINGLES, tuple(Tile(i) for i, n in enumerate(counts) if n), concealed=True
            ),
        )
    return None


def splits(hand: Hand, shapes: frozenset[Shape], claimed: bool = False) -> tuple[Split, ...]:
    """List every decomposition of a hand of 14 tiles into the shapes that a rule set knows.

    A kong counts as three tiles. A hand with a malformed meld has none.

    The winning tile is marked in one part of each split, a chow before a pung before the pair where
    several could hold it. A pung that it completes is not concealed if the tile was claimed.

    Args:
        hand: the hand.
        shapes: the shapes to look for.
        claimed: the winning tile came from another player.
    """
    if not all(meld.is_well_formed for meld in hand.melds):
        return ()
    own = hand.concealed if hand.winning_tile is None else (*hand.concealed, hand.winning_tile)
    own = tuple([tile for tile in own if tile < 34])
    packed = pack(own)
    if len(own) > MAX_OF_A_KIND and max(map(own.count, own)) > MAX_OF_A_KIND:
        return ()
    found: list[Split] = []
    if Shape.STANDARD in shapes and hand.size == 14:
        melds = tuple([meld_part(meld) for meld in hand.melds])
        found += [Split(Shape.STANDARD, (*melds, *parts)) for parts in _parts_of(packed)]
    if not hand.melds and (not found or is_seven_pairs(packed)):
        counts = tile_counts(own)
        special = (
            (Shape.SEVEN_PAIRS, seven_pairs),
            (Shape.THIRTEEN_ORPHANS, thirteen_orphans),
            (Shape.KNITTED_SINGLES, knitted_singles),
        )
        for shape, find in special:
            parts = find(counts) if shape in shapes else None
            if parts is not None:
                found.append(Split(shape, parts))
    return tuple([_mark_winning_tile(split, hand.winning_tile, claimed) for split in found])


_MARK_ORDER = {SetKind.CHOW: 0, SetKind.PUNG: 1, SetKind.SINGLES: 2, SetKind.PAIR: 3}


def _mark_winning_tile(split: Split, tile: Tile | None, claimed: bool) -> Split:
    holders = [
        (_MARK_ORDER[part.kind], i)
        for i, part in enumerate(split.parts)
        if not part.melded and tile in part.tiles
    ]
    if not holders:
        return split
    _, chosen = min(holders)
    part = split.parts[chosen]
    concealed = not (claimed and part.kind is SetKind.PUNG)
    marked = SetPart(part.kind, part.tiles, concealed, has_winning_tile=True)
    return Split(split.shape, (*split.parts[:chosen], marked, *split.parts[chosen + 1 :]))
