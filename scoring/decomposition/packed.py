"""Every way to read won tiles, and the tiles that complete a hand, computed on packed counts.

Tiles are counted in one integer with three bits per kind (`pack`), so that a suit is a slice of it;
the splits of a slice are computed once and cached. Kinds are given as *spaced masks*,
bit 3i for `Tile(i)`, which is how they lie in the packed counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations

from hupai.scoring.tiles import PLAYABLE, Tile

TILE_KEYS: tuple[int, ...] = tuple(1 << 3 * i for i in range(34))
"""What one tile adds to the packed counts."""

MAX_OF_A_KIND = 7
"""Largest count that fits; callers must ensure it for unchecked hands."""

MAX_GROUPS = 1 << 18
"""The cache is cleared beyond this number of groups; there are some 400,000 a suit, and few of them
are met in winning hands.
"""

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

NINE_SIDED = frozenset(
    sum(TILE_KEYS[9 * suit + rank] * (3 if rank in (0, 8) else 1) for rank in range(9))
    for suit in range(3)
)
"""1112345678999 in each suit."""


def pack(tiles: Iterable[Tile]) -> int:
    """Return the packed counts of the tiles; each kind may occur seven times at most."""
    return sum(map(_key_of, tiles))


def count_of(counts: int) -> int:
    """Return how many tiles the packed counts hold."""
    return (
        (counts & ONES).bit_count()
        + 2 * (counts & TWOS).bit_count()
        + 4 * (counts & FOURS).bit_count()
    )


def kinds_in(counts: int) -> int:
    """Return the spaced mask of the kinds that occur."""
    return (counts | counts >> 1 | counts >> 2) & ONES


def tiles_in(mask: int) -> Iterator[Tile]:
    """Yield the tiles of a spaced mask, ascending."""
    while mask:
        lowest = mask & -mask
        yield PLAYABLE[lowest.bit_length() // 3]
        mask ^= lowest


Sets = tuple[tuple[int, ...], tuple[int, ...]]
"""First tiles of the chows, tiles of the pungs, both ascending."""

Split = tuple[tuple[int, ...], tuple[int, ...], int]
"""The same with the tile of the pair; -1 for sets alone."""


@dataclass(slots=True)
class Group:
    """What the tiles of one suit, or the honours, can be split into.

    Attributes:
        rest: number of tiles modulo three: 0 may be sets, 2 sets and the pair, 1 only part of an
            incomplete hand.
        splits: every split into sets, with a pair if two tiles are over.
    """

    rest: int
    splits: tuple[Split, ...]


class _Groups(dict[int, Group]):
    """Groups by their packed counts, computed when first asked for; those of dots and bamboo are
    characters moved along.
    """

    def __init__(self, offset: int, characters: _Groups | None = None) -> None:
        super().__init__()
        self.offset = offset
        self._characters = characters

    def __missing__(self, counts: int) -> Group:
        if len(self) > MAX_GROUPS:
            self.clear()
        group = self[counts] = (
            self._split(counts)
            if self._characters is None
            else _moved(self._characters[counts], self.offset)
        )
        return group

    def _split(self, counts: int) -> Group:
        offset = self.offset
        size = count_of(counts)
        splits = (_set_splits, _no_splits, _paired_splits)[size % 3](counts, offset)
        return Group(size % 3, tuple(splits))


def _moved(group: Group, offset: int) -> Group:
    """Return the same tiles in another suit."""
    return Group(
        group.rest,
        tuple(
            [
                (
                    tuple([offset + i for i in chows]),
                    tuple([offset + i for i in pungs]),
                    offset + pair if pair >= 0 else pair,
                )
                for chows, pungs, pair in group.splits
            ]
        ),
    )


_CHARACTERS = _Groups(0)
GROUPS = (_CHARACTERS, _Groups(9, _CHARACTERS), _Groups(18, _CHARACTERS), _Groups(27))


@lru_cache(maxsize=1 << 18)
def _runs(counts: int, may_run: bool) -> tuple[Sets, ...]:
    """Split one group into sets, tiles numbered from 0, by what is done with the lowest tile."""
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


def _no_splits(_counts: int, _offset: int) -> Iterator[Split]:
    return iter(())


def _set_splits(counts: int, offset: int) -> Iterator[Split]:
    for chows, pungs in _runs(counts, offset < 27):
        yield tuple([offset + i for i in chows]), tuple([offset + i for i in pungs]), -1


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
    """Sum the tiles' numbers modulo three.

    Every set adds nothing to it, which rules out two thirds of the possible pairs.
    """
    once, twice = _BY_REST[1], _BY_REST[2]
    first = (
        (counts & once).bit_count()
        + 2 * (counts & once << 1).bit_count()
        + 4 * (counts & once << 2).bit_count()
    )
    second = (
        (counts & twice).bit_count()
        + 2 * (counts & twice << 1).bit_count()
        + 4 * (counts & twice << 2).bit_count()
    )
    return (first + 2 * second) % 3


def _possible_pairs(counts: int) -> int:
    """Return the spaced mask of the kinds that may be the pair of one group.

    It follows from their number and from the sum of the tiles' numbers.
    """
    return (counts >> 1 | counts >> 2) & _BY_REST[2 * _rest(counts) % 3]


def standard_splits(counts: int) -> list[Split]:
    """List every split of packed counts into sets and a pair; none for a wrong number of tiles."""
    groups = (
        GROUPS[0][counts & GROUP],
        GROUPS[1][counts >> 27 & GROUP],
        GROUPS[2][counts >> 54 & GROUP],
        GROUPS[3][counts >> 81],
    )
    found: Sequence[Split] = _NOTHING_YET
    paired = 0
    for group in groups:
        if not group.splits:
            return []
        paired += group.rest
        if group.rest or group.splits[0] != _NO_TILES:
            found = [
                (c + d, p + q, max(pair, own)) for c, p, pair in found for d, q, own in group.splits
            ]
    return list(found) if paired == 2 else []


_NO_TILES: Split = ((), (), -1)
_NOTHING_YET = (_NO_TILES,)


def is_seven_pairs(counts: int) -> bool:
    """Return True for 14 tiles that are seven pairs; four of a kind are two."""
    return not counts & ONES


def is_thirteen_orphans(counts: int) -> bool:
    """Return True for the thirteen terminals and honours and one of them again."""
    return kinds_in(counts) == ORPHAN_KINDS


def is_knitted_singles(counts: int) -> bool:
    """Return True for 14 different tiles out of one knitted straight and the honours."""
    return not counts & ~ONES and any(
        not counts & ~(knitted | HONOUR_KINDS) for knitted in KNITTED_KINDS
    )


def knitted_straights(counts: int) -> list[tuple[int, Split]]:
    """List the splits with a knitted straight: its index, and the split of the other tiles."""
    kinds = kinds_in(counts)
    return [
        (index, split)
        for index, knitted in enumerate(KNITTED_KINDS)
        if kinds & knitted == knitted
        for split in standard_splits(counts - knitted)
    ]


def completing(counts: int, melds: int) -> int:
    """Return the spaced mask of the kinds that complete the concealed tiles of a ready hand.

    A kind of which the player holds all four counts as well: the wait is a matter of shape
    (rulings).

    Args:
        counts: packed counts of the concealed tiles, 13 less three a meld.
        melds: number of melds.
    """
    waits = standard_waits(counts)
    if melds <= 1 and _nearly_knitted(counts):
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


def _nearly_knitted(counts: int) -> bool:
    """Return False if the kinds are too few for a knitted straight but for one tile."""
    kinds = kinds_in(counts)
    suits = kinds & GROUP, kinds >> 27 & GROUP, kinds >> 54 & GROUP
    held = [min(suit.bit_count(), 3) for suit in suits]
    return sum(held) >= KNITTED_TILES - 1


KNITTED_TILES = 9
"""Tiles of a knitted straight, three of each suit."""


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
    """Return the spaced mask of the kinds that complete the tiles to sets and a pair."""
    slices = (counts & GROUP, counts >> 27 & GROUP, counts >> 54 & GROUP, counts >> 81)
    forms = [
        suit_form(slices[0]),
        suit_form(slices[1]),
        suit_form(slices[2]),
        honour_form(slices[3]),
    ]
    short = [place for place, form in enumerate(forms) if form != SETS]
    if len(short) == 1:
        return _group_waits(short[0] < 3, slices[short[0]], PAIRED) << 27 * short[0]
    waits = 0
    if len(short) == 2:
        for place, other in (short, short[::-1]):
            if forms[other] == PAIRED:
                waits |= _group_waits(place < 3, slices[place], SETS) << 27 * place
    return waits


@lru_cache(maxsize=1 << 17)
def _group_waits(is_suit: bool, counts: int, wanted: int) -> int:
    """Return the kinds of one group that make it sets alone, or sets and a pair."""
    form = suit_form if is_suit else honour_form
    kinds = kinds_in(counts)
    near = (
        (kinds | kinds << 3 | kinds << 6 | kinds >> 3 | kinds >> 6) & ONES & GROUP
        if is_suit
        else kinds
    )
    waits = 0
    while near:
        kind = near & -near
        near ^= kind
        if form(counts + kind) == wanted:
            waits |= kind
    return waits


NEITHER, SETS, PAIRED = 0, 1, 2
"""What all the tiles of one group make: nothing, sets alone (or there are not tiles), sets and a
pair.
"""


def honour_form(counts: int) -> int:
    """Return what honours make; four of a kind are no set."""
    over = []
    while counts:
        number = (counts & 7) % 3
        if number:
            over.append(number)
        counts >>= 3
    return SETS if not over else PAIRED if over == [2] else NEITHER


def suit_form(counts: int) -> int:
    """Return what the tiles of a suit make, three ranks at a time, without listing the splits."""
    return _after(_after(_after(1, counts & 0o777), counts >> 9 & 0o777), counts >> 18) & 3


@lru_cache(maxsize=1 << 15)
def _after(states: int, ranks: int) -> int:
    """Advance an automaton that reads a suit from its ones to its nines by one step.

    A state is how many tiles of the next rank, and of the one after it, the chows begun so far
    still need, and whether the pair is taken. Of one rank at most two chows begin: three would be
    three pungs. What is not in a chow or the pair must be pungs, so the number of chows follows.

    Args:
        states: the states that may be reached so far, a bit each.
        ranks: packed counts of three ranks.
    """
    for _ in range(3):
        number, ranks = ranks & 7, ranks >> 3
        reached = 0
        for state in range(states.bit_length()):
            if states >> state & 1:
                needed, later, paired = state // 6, state // 2 % 3, state % 2
                for pair in (0, 1) if not paired else (0,):
                    left = number - needed - 2 * pair
                    if left >= 0:
                        begun = left % 3
                        reached |= 1 << 6 * (later + begun) + 2 * begun + (paired | pair)
        states = reached
    return states
