"""The parts of a decomposition as MCR sees them: sets, pair, knitted runs, single tiles.

Each distinct set or pair exists once (`chow`, `pung`, `kong`, `pair` look it up), with everything
the fan ask of it computed in advance: decompositions are made of these and never rebuild a
part.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache, cached_property

from hupai.scoring.decomposition.packed import TILE_KEYS
from hupai.scoring.result import SetKind, SetPart
from hupai.scoring.tiles import Tile


def kinds_of(tiles: Iterable[int]) -> int:
    """Return the kinds among the tiles as a spaced mask (`hupai.scoring.decomposition.packed`)."""
    mask = 0
    for tile in tiles:
        mask |= TILE_KEYS[tile]
    return mask


SUIT_MASKS: tuple[int, int, int] = (
    kinds_of(range(9)),
    kinds_of(range(9, 18)),
    kinds_of(range(18, 27)),
)
"""Kinds of characters, dots, bamboo."""
SUITED = kinds_of(range(27))
WINDS = kinds_of(range(27, 31))
DRAGONS = kinds_of(range(31, 34))
HONOURS = WINDS | DRAGONS
TERMINALS = kinds_of((0, 8, 9, 17, 18, 26))
ENDS = TERMINALS | HONOURS
"""Terminals and honours (幺九牌)."""


def ranks(*wanted: int) -> int:
    """Return the kinds of these ranks in all three suits."""
    return kinds_of(9 * suit + rank - 1 for suit in range(3) for rank in wanted)


FIVES, EVENS = ranks(5), ranks(2, 4, 6, 8)
HAS_END, HAS_FIVE, ALL_EVEN = 1, 2, 4


@dataclass(frozen=True, eq=False)
class Part:
    """One part of a decomposition; equal parts are the same object.

    Attributes:
        kind: chow, pung, kong, pair, knitted or singles.
        tiles: its tiles, ascending.
        concealed: never claimed.
        melded: lay open before the win.
    """

    kind: SetKind
    tiles: tuple[Tile, ...]
    concealed: bool = True
    melded: bool = False

    @cached_property
    def tile(self) -> int:
        """Its lowest tile."""
        return int(self.tiles[0])

    @cached_property
    def suit(self) -> int:
        """0 characters, 1 dots, 2 bamboo, 3 honours."""
        return self.tile // 9

    @cached_property
    def rank(self) -> int:
        """The lowest tile's rank, 0 for an honour."""
        return self.tile % 9 + 1 if self.tile < 27 else 0

    @cached_property
    def kinds(self) -> int:
        """Kinds of its tiles as a mask."""
        return kinds_of(self.tiles)

    @cached_property
    def is_kong(self) -> bool:
        """True for a kong of any make."""
        return self.kind is SetKind.KONG

    @cached_property
    def traits(self) -> int:
        """What fan ask of every part alike: an end in it, a five in it, only even ranks; a bit each
        (`HAS_END` and so on).
        """
        kinds = self.kinds
        return (
            HAS_END * bool(kinds & ENDS)
            | HAS_FIVE * bool(kinds & FIVES)
            | ALL_EVEN * (not kinds & ~EVENS)
        )

    @cached_property
    def make(self) -> int:
        """A number for concealed or claimed and pung or kong, whatever the tile."""
        return 2 * self.concealed + self.is_kong

    @cached_property
    def order(self) -> tuple[int, bool, bool, bool]:
        """Sort key: equal parts together, in the order of how they were made."""
        return (self.tile, self.is_kong, self.melded, self.concealed)

    @cached_property
    def shown(self) -> SetPart:
        """The part as the score shows it."""
        return SetPart(self.kind, self.tiles, self.concealed, self.melded)

    @cached_property
    def shown_won(self) -> SetPart:
        """The part as the score shows it where it holds the winning tile."""
        return replace(self.shown, has_winning_tile=True)


def _family(
    kind: SetKind, shape: tuple[int, ...], concealed: bool, melded: bool
) -> tuple[Part, ...]:
    """Make one part for each tile it can begin with.

    For a chow, places that begin none hold the part of the 7 below.
    """
    last = 6 if kind is SetKind.CHOW else 8
    firsts = [
        min(i % 9, last) + i // 9 * 9 if i < 27 else i
        for i in range(27 if kind is SetKind.CHOW else 34)
    ]
    return tuple(
        Part(kind, tuple(Tile(first + step) for step in shape), concealed, melded)
        for first in firsts
    )


CHOWS = _family(SetKind.CHOW, (0, 1, 2), concealed=True, melded=False)
CLAIMED_CHOWS = _family(SetKind.CHOW, (0, 1, 2), concealed=False, melded=True)
PUNGS = _family(SetKind.PUNG, (0, 0, 0), concealed=True, melded=False)
PUNGS_WON = _family(SetKind.PUNG, (0, 0, 0), concealed=False, melded=False)
"""Pungs completed by another player's tile: exposed, though they never lay open."""
CLAIMED_PUNGS = _family(SetKind.PUNG, (0, 0, 0), concealed=False, melded=True)
KONGS = _family(SetKind.KONG, (0, 0, 0, 0), concealed=False, melded=True)
CONCEALED_KONGS = _family(SetKind.KONG, (0, 0, 0, 0), concealed=True, melded=True)
PAIRS = _family(SetKind.PAIR, (0, 0), concealed=True, melded=False)
KNITTED_RUNS = tuple(
    Part(SetKind.KNITTED, tuple(Tile(9 * suit + first + step) for step in (0, 3, 6)))
    for suit in range(3)
    for first in range(3)
)
"""147, 258, 369 of characters, of dots, of bamboo."""


@cache
def singles(tiles: tuple[Tile, ...]) -> Part:
    """Return the single tiles of an irregular hand as one part."""
    return Part(SetKind.SINGLES, tiles)
