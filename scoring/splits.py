"""Every way to read won tiles, and the tiles that complete a hand, reckoned on packed counts.

Tiles are counted in one integer of three bits a kind (`pack`), so that a suit is a slice of it; what a slice can be split into is
worked out once and remembered. Kinds are given as *spaced masks*, bit 3i for `Tile(i)`, which is how they lie in the packed
counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations

from scoring.tiles import Tile

TILE_KEYS: tuple[int, ...] = tuple(1 << 3 * i for i in range(34))
"""What one tile adds to the packed counts."""

MOST_OF_A_KIND = 7
"""Packed counts hold no more; whoever packs a hand that was not checked sees to it."""

_key_of = TILE_KEYS.__getitem__

ONES = sum(TILE_KEYS)
TWOS = ONES << 1
FOURS = ONES << 2
GROUP = (1 << 27) - 1
"""The packed counts of one group: characters, dots, bamboo, honours."""

HONOUR_KINDS = sum(TILE_KEYS[27:])
ORPHAN_KINDS = HONOUR_KINDS + sum(TILE_KEYS[i] for i in (0, 8, 9, 17, 18, 26))
KNITTED_KINDS: tuple[int, ...] = tuple(
    sum(TILE_KEYS[9 * suit + first + step] for suit, first in enumerate(rows) for step in (0, 3, 6))
    for rows in permutations(range(3))
)
"""The nine tiles of each of the six knitted straights."""
KNITTED_ROWS: tuple[tuple[int, ...], ...] = tuple(permutations(range(3)))
"""For the same six: the row (0: 147, 1: 258, 2: 369) of characters, dots, bamboo."""

NINE_SIDED = frozenset(sum(TILE_KEYS[9 * suit + rank] * (3 if rank in (0, 8) else 1) for rank in range(9)) for suit in range(3))
"""1112345678999 in each suit."""


def pack(tiles: Iterable[Tile]) -> int:
    """Packed counts of the tiles; each kind at most seven times."""
    return sum(map(_key_of, tiles))


def kinds_in(counts: int) -> int:
    """Spaced mask of the kinds that occur."""
    return (counts | counts >> 1 | counts >> 2) & ONES


def tiles_in(mask: int) -> Iterator[Tile]:
    """The tiles of a spaced mask, ascending."""
    while mask:
        lowest = mask & -mask
        yield Tile((lowest.bit_length() - 1) // 3)
        mask ^= lowest


Sets = tuple[tuple[int, ...], tuple[int, ...]]
"""First tiles of the chows, tiles of the pungs, both ascending."""

Split = tuple[tuple[int, ...], tuple[int, ...], int]
"""The same with the tile of the pair."""


@dataclass(slots=True)
class Group:
    """What the tiles of one suit, or the honours, can be split into.

    Attributes:
        rest: number of tiles modulo three: 0 may be sets, 2 sets and the pair, 1 only part of an incomplete hand.
        sets: every split into sets alone.
        paired: every split into sets and a pair.
    """

    rest: int
    sets: tuple[Sets, ...]
    paired: tuple[Split, ...]


class _Groups(dict[int, Group]):
    """Groups by their packed counts, worked out when first asked for."""

    def __init__(self, offset: int) -> None:
        super().__init__()
        self.offset = offset

    def __missing__(self, counts: int) -> Group:
        if len(self) > 1 << 18:
            self.clear()
        offset = self.offset
        size = (counts & ONES).bit_count() + 2 * (counts & TWOS).bit_count() + 4 * (counts & FOURS).bit_count()
        sets = tuple(_set_splits(counts, offset)) if size % 3 == 0 else ()
        paired = tuple(_paired_splits(counts, offset)) if size % 3 == 2 else ()
        group = self[counts] = Group(size % 3, sets, paired)
        return group


GROUPS = (_Groups(0), _Groups(9), _Groups(18), _Groups(27))


@lru_cache(maxsize=1 << 18)
def _runs(counts: int, may_run: bool) -> tuple[Sets, ...]:
    """Splits of one group into sets, tiles numbered from 0: what is done with the lowest tile decides."""
    if not counts:
        return (((), ()),)
    lowest = ((counts & -counts).bit_length() - 1) // 3
    here = 1 << 3 * lowest
    number = counts >> 3 * lowest & 7
    found: dict[Sets, None] = {}
    if number >= 3:
        for chows, pungs in _runs(counts - 3 * here, may_run):
            found[chows, (lowest, *pungs)] = None
    run = here | here << 3 | here << 6
    if may_run and lowest < 7 and counts >> 3 * lowest + 3 & 7 and counts >> 3 * lowest + 6 & 7:
        for chows, pungs in _runs(counts - run, may_run):
            found[(lowest, *chows), pungs] = None
    return tuple((tuple(sorted(chows)), tuple(sorted(pungs))) for chows, pungs in found)


def _set_splits(counts: int, offset: int) -> Iterator[Sets]:
    for chows, pungs in _runs(counts, offset < 27):
        yield tuple([offset + i for i in chows]), tuple([offset + i for i in pungs])


def _paired_splits(counts: int, offset: int) -> Iterator[Split]:
    pairs = _possible_pairs(counts)
    while pairs:
        kind = pairs & -pairs
        pairs ^= kind
        pair = offset + kind.bit_length() // 3
        for chows, pungs in _runs(counts - 2 * kind, offset < 27):
            yield tuple([offset + j for j in chows]), tuple([offset + j for j in pungs]), pair


_BY_REST = tuple(sum(TILE_KEYS[i] for i in range(rest, 9, 3)) for rest in range(3))
"""For one group: spaced masks of the kinds whose number leaves this rest modulo three."""


def _rest(counts: int) -> int:
    """Sum of the tiles' numbers modulo three; every set adds nothing to it, which rules out two thirds of what to try."""
    once, twice = _BY_REST[1], _BY_REST[2]
    first = (counts & once).bit_count() + 2 * (counts & once << 1).bit_count() + 4 * (counts & once << 2).bit_count()
    second = (counts & twice).bit_count() + 2 * (counts & twice << 1).bit_count() + 4 * (counts & twice << 2).bit_count()
    return (first + 2 * second) % 3


def _possible_pairs(counts: int) -> int:
    """Spaced mask of the kinds that may be the pair of one group, by their number and by the sum of the rest."""
    return (counts >> 1 | counts >> 2) & _BY_REST[2 * _rest(counts) % 3]


def standard_splits(counts: int) -> list[Split]:
    """Every split of packed counts into sets and one pair; none for a number of tiles that allows none."""
    groups = [
        GROUPS[0][counts & GROUP],
        GROUPS[1][counts >> 27 & GROUP],
        GROUPS[2][counts >> 54 & GROUP],
        GROUPS[3][counts >> 81],
    ]
    with_pair = [group for group in groups if group.rest == 2]
    if len(with_pair) != 1:
        return []
    chosen = with_pair[0]
    found: list[Split] = list(chosen.paired)
    for place, group in enumerate(groups):
        if group is chosen or not found:
            continue
        if not group.sets:
            return []
        (chows, pungs), *others = group.sets
        if not others and not chows and not pungs:
            continue
        before = place < groups.index(chosen)
        found = [((c + d, p + q, pair) if not before else (d + c, q + p, pair)) for c, p, pair in found for d, q in group.sets]
    return [(tuple(sorted(chows)), tuple(sorted(pungs)), pair) for chows, pungs, pair in found]


def is_seven_pairs(counts: int) -> bool:
    """True for 14 tiles that are seven pairs; four of a kind are two."""
    return not counts & ONES


def is_thirteen_orphans(counts: int) -> bool:
    """True for 14 tiles that are the thirteen terminals and honours and one of them again."""
    return kinds_in(counts) == ORPHAN_KINDS


def is_knitted_singles(counts: int) -> bool:
    """True for 14 different tiles out of one knitted straight and the honours."""
    return not counts & ~ONES and any(not counts & ~(knitted | HONOUR_KINDS) for knitted in KNITTED_KINDS)


def knitted_straights(counts: int) -> list[tuple[int, Split]]:
    """Readings as a knitted straight with the remaining sets and pair: index of the straight, split of the rest."""
    kinds = kinds_in(counts)
    return [
        (index, split)
        for index, knitted in enumerate(KNITTED_KINDS)
        if kinds & knitted == knitted
        for split in standard_splits(counts - knitted)
    ]


def completing(counts: int, melds: int) -> int:
    """Spaced mask of the kinds that complete the concealed tiles of a hand that has not won.

    A kind of which the player holds all four counts as well: the wait is a matter of shape (rulings).

    Args:
        counts: packed counts of the concealed tiles, 13 less three a meld.
        melds: number of melds.
    """
    waits = standard_waits(counts)
    if melds <= 1:
        waits |= _knitted_straight_waits(counts)
    return waits if melds else waits | _irregular_waits(counts)


def _irregular_waits(counts: int) -> int:
    waits = 0
    odd = counts & ONES
    kinds = kinds_in(counts)
    if odd.bit_count() == 1:
        waits = odd
    if not kinds & ~ORPHAN_KINDS:
        missing = ORPHAN_KINDS & ~kinds
        if not missing:
            waits |= ORPHAN_KINDS
        elif missing.bit_count() == 1:
            waits |= missing
    if not counts & ~ONES:
        for knitted in KNITTED_KINDS:
            if not counts & ~(knitted | HONOUR_KINDS):
                waits |= (knitted | HONOUR_KINDS) & ~counts
    return waits


def _knitted_straight_waits(counts: int) -> int:
    waits = 0
    kinds = kinds_in(counts)
    for knitted in KNITTED_KINDS:
        missing = knitted & ~kinds
        if not missing:
            waits |= standard_waits(counts - knitted)
        elif missing & (missing - 1) == 0 and standard_splits(counts - (knitted & kinds)):
            waits |= missing
    return waits


def standard_waits(counts: int) -> int:
    """Spaced mask of the kinds that complete the tiles to sets and a pair."""
    rests = [
        GROUPS[0][counts & GROUP],
        GROUPS[1][counts >> 27 & GROUP],
        GROUPS[2][counts >> 54 & GROUP],
        GROUPS[3][counts >> 81],
    ]
    short: list[int] = []
    for place, group in enumerate(rests):
        if group.rest:
            short.append(place)
        elif not group.sets:
            return 0
    if len(short) == 1 and rests[short[0]].rest == 1:
        return _group_waits(short[0], counts >> 27 * short[0] & GROUP, True)
    if len(short) != 2 or rests[short[0]].rest != 2 or rests[short[1]].rest != 2:
        return 0
    waits = 0
    for place, other in (short, short[::-1]):
        if rests[other].paired:
            waits |= _group_waits(place, counts >> 27 * place & GROUP, False)
    return waits


@lru_cache(maxsize=1 << 18)
def _group_waits(place: int, counts: int, to_pair: bool) -> int:
    """Kinds of one group that complete it: to sets and a pair, or to sets alone."""
    may_run = place < 3
    kinds = kinds_in(counts)
    near = kinds | (kinds << 3 | kinds << 6 | kinds >> 3 | kinds >> 6) & ONES & GROUP if may_run else kinds
    if not to_pair:
        near &= _BY_REST[-_rest(counts) % 3]
    waits = 0
    while near:
        kind = near & -near
        near ^= kind
        if _has_pair(counts + kind, may_run) if to_pair else _runs(counts + kind, may_run):
            waits |= kind << 27 * place
    return waits


def _has_pair(counts: int, may_run: bool) -> bool:
    """True if the counts of one group can be split into sets and a pair."""
    pairs = _possible_pairs(counts)
    while pairs:
        kind = pairs & -pairs
        pairs ^= kind
        if _runs(counts - 2 * kind, may_run):
            return True
    return False
