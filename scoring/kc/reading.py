"""One way to read a hand under KC v2.5, with what the patterns ask of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from scoring.hand import Circumstances, Hand
from scoring.result import SetKind, SetPart
from scoring.shapes import Counts, Shape, Split, splits, tile_counts
from scoring.tiles import PLAYABLE, Tile

SHAPES = frozenset(Shape)
"""Four sets and a pair, seven pairs, thirteen orphans, and 全不靠 with or without all seven honours."""

IRREGULAR = frozenset({Shape.THIRTEEN_ORPHANS, Shape.KNITTED_SINGLES})


@dataclass(frozen=True, slots=True)
class KcOptions:
    """What a house may play otherwise; the defaults are the readings in docs/rulings-sichuan-kc.md.

    Attributes:
        ready_declaration: 报听 doubles for any declared ready hand, not only as 天听 (section 1 against the list of 一番).
        kongs_beside_group: each kong doubles besides 三杠子 and 四杠子 too.
        minimum: the least multiplier that may win.
        payer_cap: the most that one player pays a self-drawn win.
        discard_cap: the most that a discarder pays in all.
        nearest_of_two: of two winners on one discard the next in turn wins; by the text neither does.
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


@dataclass(frozen=True, slots=True)
class Chow:
    """A chow of the split: its part, its suit (0 characters, 1 dots, 2 bamboo) and its lowest rank from 1."""

    part: int
    suit: int
    start: int


@dataclass(frozen=True, slots=True)
class TileFacts:
    """What is true of a hand's tiles, however they are split.

    Attributes:
        counts: how often each kind occurs, kongs with four.
        kinds: the kinds that occur, ascending.
        suits: which suits occur (0 characters, 1 dots, 2 bamboo).
        honours: whether winds or dragons occur.
        is_concealed: nothing was claimed before the win; concealed kongs do not count as claims.
    """

    counts: Counts
    kinds: tuple[Tile, ...]
    suits: frozenset[int]
    honours: bool
    is_concealed: bool

    @classmethod
    def of(cls, hand: Hand) -> TileFacts:
        """The facts of a hand."""
        counts = tile_counts(hand.all_tiles)
        kinds = tuple(PLAYABLE[i] for i, n in enumerate(counts) if n)
        suits = frozenset(kind // 9 for kind in kinds if kind < 27)
        concealed = all(meld.is_concealed for meld in hand.melds)
        return cls(counts, kinds, suits, bool(kinds) and kinds[-1] >= 27, concealed)


@dataclass(frozen=True, slots=True)
class Reading:
    """A reading of a won hand, with what the patterns ask of it.

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
    def of(cls, hand: Hand, circumstances: Circumstances, options: KcOptions, tiles: TileFacts, split: Split) -> Reading:
        """The reading of a split."""
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
        return cls(hand, circumstances, options, tiles, split, tuple(chows), tuple(pungs), tuple(kongs), pair)

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
        """Pungs and kongs not laid open before the win: the one completed by the winning discard is among them (三暗刻)."""
        return tuple(i for i in self.pungs if self.parts[i].concealed or not self.parts[i].melded)

    def pungs_of(self, tiles: tuple[Tile, ...]) -> tuple[int, ...]:
        """The pungs and kongs of these tiles."""
        return tuple(i for i in self.pungs if self.split.parts[i].tiles[0] in tiles)


def readings(hand: Hand, circumstances: Circumstances, options: KcOptions) -> Iterator[Reading]:
    """Every reading of a complete hand."""
    found = splits(hand, SHAPES, claimed=not circumstances.self_drawn)
    if found:
        tiles = TileFacts.of(hand)
        for split in found:
            yield Reading.of(hand, circumstances, options, tiles, split)


def waiting_kinds(hand: Hand) -> int:
    """How many kinds of tile complete the hand without its winning tile, those of which it holds all four left out."""
    waiting = replace(hand, winning_tile=None)
    held = tile_counts(waiting.all_tiles)
    return sum(1 for i in range(34) if held[i] < 4 and splits(replace(hand, winning_tile=Tile(i)), SHAPES))
