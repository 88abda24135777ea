"""The decomposition of a hand under KC v2.5, with what the patterns ask of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import IntFlag, auto
from functools import lru_cache
from typing import NamedTuple

from hupai.scoring.decomposition.shapes import Counts, Shape, Split, splits, tile_counts
from hupai.scoring.hand import Circumstances, Hand
from hupai.scoring.result import SetKind, SetPart
from hupai.scoring.tiles import Tile

SHAPES = frozenset(Shape)
"""Four sets and a pair, seven pairs, thirteen orphans, and 全不靠 with or without all seven
honours.
"""

IRREGULAR = frozenset({Shape.THIRTEEN_ORPHANS, Shape.KNITTED_SINGLES})


class Need(IntFlag):
    """What a decomposition must have to be tested for a pattern; `find` decides."""

    NOTHING = 0
    STANDARD = auto()
    PAIRS = auto()
    SINGLES = auto()
    """Thirteen orphans or 全不靠."""
    FOUR_CHOWS = auto()
    SHIFTED_CHOWS = auto()
    """Three chows that begin one rank after another."""
    SPREAD_CHOWS = auto()
    """Chows that begin with 1, with 4 and with 7."""
    SAME_CHOWS = auto()
    """Three chows that begin with the same rank, or two and two."""
    TWO_PUNGS = auto()
    """Pungs or kongs."""
    FOUR_PUNGS = auto()
    KONG = auto()
    HONOURS = auto()
    ONE_SUIT = auto()
    """No more than one of the suits."""
    CONCEALED = auto()
    SELF_DRAWN = auto()
    ANOTHERS_TILE = auto()
    DEALER = auto()
    DECLARED = auto()
    """报听 or 天听."""
    SELDOM = auto()
    """A last tile, a replacement, a robbed kong, the last of its kind."""


@dataclass(frozen=True, slots=True)
class KcOptions:
    """What a house may play otherwise; the defaults are the rulings of docs/rulings-sichuan-kc.md.

    Attributes:
        ready_declaration: 报听 doubles for any declared ready hand, not only as 天听 (section 1
            against the list of 一番).
        kongs_beside_group: each kong doubles besides 三杠子 and 四杠子 too.
        minimum: the least multiplier that may win.
        payer_cap: the most that one player pays a self-drawn win.
        discard_cap: the most that a discarder pays in all.
        nearest_of_two: of two winners on one discard, the next in turn wins; by the text, neither
            does.
        times: other factors of patterns, by id.
        off: ids of patterns that do not count.
    """

    ready_declaration: bool = False
    kongs_beside_group: bool = True
    minimum: int = 2
    payer_cap: int = 200
    discard_cap: int = 300
    nearest_of_two: bool = False
    times: tuple[tuple[str, int], ...] = ()
    off: tuple[str, ...] = ()


class Chow(NamedTuple):
    """A chow of the split: its part, its suit (0 characters, 1 dots, 2 bamboo) and its lowest rank
    from 1.
    """

    part: int
    suit: int
    start: int


@dataclass(slots=True, eq=False)
class TileFacts:
    """What is true of a hand's tiles, however they are split.

    Attributes:
        counts: how often each kind occurs, kongs with four.
        kinds: the kinds that occur, ascending.
        suits: which suits occur (0 characters, 1 dots, 2 bamboo).
        honours: whether winds or dragons occur.
        is_concealed: nothing was claimed before the win; concealed kongs do not count as claims.
        shows_other_three: the hand's own claimed sets hold the other three of the winning tile.
    """

    counts: Counts
    kinds: tuple[Tile, ...]
    suits: frozenset[int]
    honours: bool
    is_concealed: bool
    shows_other_three: bool

    @classmethod
    def of(cls, hand: Hand) -> TileFacts:
        """Collect the facts of a hand."""
        tiles = hand.all_tiles
        counts = tile_counts(tiles)
        kinds = tuple(sorted({tile for tile in tiles if tile < 34}))
        suits = frozenset([kind // 9 for kind in kinds if kind < 27])
        claimed = [meld for meld in hand.melds if not meld.is_concealed]
        shown = sum(meld.tiles.count(hand.winning_tile) for meld in claimed)
        honours = bool(kinds) and kinds[-1] >= 27
        return cls(counts, kinds, suits, honours, not claimed, shown == 3)


@dataclass(slots=True, eq=False)
class Decomposition:
    """A decomposition of a won hand, with what the patterns ask of it.

    Attributes:
        hand, circumstances, options: what was asked.
        tiles: facts that do not depend on the split.
        split: the split.
        chows: the chows, in the order of the parts.
        pungs: the parts that are pungs or kongs.
        kongs: the parts that are kongs.
        pair: the tile of the pair, for a standard hand.
    """

    hand: Hand
    circumstances: Circumstances
    options: KcOptions
    tiles: TileFacts
    split: Split
    chows: tuple[Chow, ...]
    pungs: tuple[int, ...]
    kongs: tuple[int, ...]
    pair: Tile | None

    @classmethod
    def of(
        cls,
        hand: Hand,
        circumstances: Circumstances,
        options: KcOptions,
        tiles: TileFacts,
        split: Split,
    ) -> Decomposition:
        """Collect what the patterns need of a split."""
        chows: list[Chow] = []
        pungs: list[int] = []
        kongs: list[int] = []
        for i, part in enumerate(split.parts):
            if part.kind is SetKind.CHOW:
                chows.append(Chow(i, part.tiles[0] // 9, part.tiles[0] % 9 + 1))
            elif part.kind is SetKind.PUNG:
                pungs.append(i)
            elif part.kind is SetKind.KONG:
                pungs.append(i)
                kongs.append(i)
        pair = split.parts[-1].tiles[0] if split.shape is Shape.STANDARD else None
        return cls(
            hand,
            circumstances,
            options,
            tiles,
            split,
            tuple(chows),
            tuple(pungs),
            tuple(kongs),
            pair,
        )

    @property
    def parts(self) -> tuple[SetPart, ...]:
        """The parts of the split, melds first."""
        return self.split.parts

    @property
    def is_standard(self) -> bool:
        """Four sets and a pair."""
        return self.split.shape is Shape.STANDARD

    @property
    def unclaimed_pungs(self) -> tuple[int, ...]:
        """Pungs and kongs not laid open before the win: the one completed by the winning discard is
        among them (三暗刻).
        """
        return tuple(i for i in self.pungs if self.parts[i].concealed or not self.parts[i].melded)

    @property
    def has(self) -> int:
        """What of `Need` the decomposition has, as a plain number."""
        had = _HAD_BY_SHAPE[self.split.shape]
        pungs = len(self.pungs)
        if len(self.chows) > 2:
            had |= _had_by_chows(tuple([chow.start for chow in self.chows]))
        if pungs > 1:
            had |= _TWO_PUNGS if pungs < 4 else _FOUR_PUNGS
        if self.kongs:
            had |= _KONG
        if self.tiles.honours:
            had |= _HONOURS
        if len(self.tiles.suits) < 2:
            had |= _ONE_SUIT
        if self.tiles.is_concealed:
            had |= _CONCEALED
        if self.tiles.shows_other_three:
            had |= _SELDOM
        return had

    def pungs_of(self, tiles: tuple[Tile, ...]) -> tuple[int, ...]:
        """Return the pungs and kongs of these tiles."""
        return tuple(i for i in self.pungs if self.split.parts[i].tiles[0] in tiles)


_HAD_BY_SHAPE = {
    Shape.STANDARD: int(Need.STANDARD),
    Shape.SEVEN_PAIRS: int(Need.PAIRS),
    Shape.THIRTEEN_ORPHANS: int(Need.SINGLES),
    Shape.KNITTED_SINGLES: int(Need.SINGLES),
}
_TWO_PUNGS, _FOUR_PUNGS = int(Need.TWO_PUNGS), int(Need.TWO_PUNGS | Need.FOUR_PUNGS)
_KONG, _HONOURS, _ONE_SUIT, _CONCEALED = (
    int(Need.KONG),
    int(Need.HONOURS),
    int(Need.ONE_SUIT),
    int(Need.CONCEALED),
)


@lru_cache(maxsize=1 << 12)
def _had_by_chows(starts: tuple[int, ...]) -> int:
    ranks = set(starts)
    had = Need.FOUR_CHOWS if len(starts) == 4 else Need.NOTHING
    if any({start, start + 1, start + 2} <= ranks for start in ranks):
        had |= Need.SHIFTED_CHOWS
    if {1, 4, 7} <= ranks:
        had |= Need.SPREAD_CHOWS
    if len(starts) - len(ranks) > 1:
        had |= Need.SAME_CHOWS
    return int(had)


def met_by(circumstances: Circumstances) -> int:
    """Return what of `Need` the win has, as a plain number."""
    c = circumstances
    met = _SELF_DRAWN if c.self_drawn else _ANOTHERS_TILE
    if c.dealer:
        met |= _DEALER
    if c.ready_declared or c.heavenly_ready:
        met |= _DECLARED
    if c.last_tile or c.kong_replacement or c.robbing_kong or c.last_of_kind:
        met |= _SELDOM
    return met


_SELF_DRAWN, _ANOTHERS_TILE, _DEALER = (
    int(Need.SELF_DRAWN),
    int(Need.ANOTHERS_TILE),
    int(Need.DEALER),
)
_DECLARED, _SELDOM = int(Need.DECLARED), int(Need.SELDOM)


def decompositions(
    hand: Hand, circumstances: Circumstances, options: KcOptions
) -> Iterator[Decomposition]:
    """Yield every decomposition of a complete hand."""
    found = splits(hand, SHAPES, claimed=not circumstances.self_drawn)
    if found:
        tiles = TileFacts.of(hand)
        for split in found:
            yield Decomposition.of(hand, circumstances, options, tiles, split)


def waiting_kinds(hand: Hand) -> int:
    """Count the kinds that complete the hand without its winning tile.

    Kinds of which it holds all four are not counted.
    """
    waiting = replace(hand, winning_tile=None)
    held = tile_counts(waiting.all_tiles)
    return sum(
        1 for i in range(34) if held[i] < 4 and splits(replace(hand, winning_tile=Tile(i)), SHAPES)
    )
