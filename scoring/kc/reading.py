"""One way to read a hand under KC v2.5, with what the patterns ask of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

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


@dataclass(frozen=True)
class Reading:
    """A reading of a won hand; `counts` covers every tile, kongs with four. What is worked out once is kept (hence no slots)."""

    hand: Hand
    circumstances: Circumstances
    options: KcOptions
    split: Split
    counts: Counts

    @cached_property
    def parts(self) -> tuple[SetPart, ...]:
        """The parts of the split, melds first."""
        return self.split.parts

    @cached_property
    def is_standard(self) -> bool:
        """Four sets and a pair."""
        return self.split.shape is Shape.STANDARD

    @cached_property
    def kinds(self) -> tuple[Tile, ...]:
        """The kinds of tile in the hand."""
        return tuple(PLAYABLE[i] for i, n in enumerate(self.counts) if n)

    @cached_property
    def chows(self) -> tuple[Chow, ...]:
        """The chows, in the order of the parts."""
        return tuple(
            Chow(i, part.tiles[0] // 9, part.tiles[0].rank) for i, part in enumerate(self.parts) if part.kind is SetKind.CHOW
        )

    @cached_property
    def pungs(self) -> tuple[int, ...]:
        """The parts that are pungs or kongs."""
        return tuple(i for i, part in enumerate(self.parts) if part.kind in (SetKind.PUNG, SetKind.KONG))

    @cached_property
    def kongs(self) -> tuple[int, ...]:
        """The parts that are kongs."""
        return tuple(i for i, part in enumerate(self.parts) if part.kind is SetKind.KONG)

    @cached_property
    def unclaimed_pungs(self) -> tuple[int, ...]:
        """Pungs and kongs not laid open before the win: the one completed by the winning discard is among them (三暗刻)."""
        return tuple(i for i in self.pungs if self.parts[i].concealed or not self.parts[i].melded)

    @cached_property
    def pair(self) -> Tile | None:
        """The tile of the pair, for a standard hand."""
        return self.parts[-1].tiles[0] if self.is_standard else None

    @cached_property
    def is_concealed(self) -> bool:
        """Nothing was claimed before the win; concealed kongs do not count as claims."""
        return all(meld.is_concealed for meld in self.hand.melds)

    def pungs_of(self, tiles: tuple[Tile, ...]) -> tuple[int, ...]:
        """The pungs and kongs of these tiles."""
        return tuple(i for i in self.pungs if self.parts[i].tiles[0] in tiles)


def readings(hand: Hand, circumstances: Circumstances, options: KcOptions) -> Iterator[Reading]:
    """Every reading of a complete hand."""
    counts = tile_counts(hand.all_tiles)
    for split in splits(hand, SHAPES):
        yield Reading(hand, circumstances, options, _with_claims(split, circumstances), counts)


def _with_claims(split: Split, circumstances: Circumstances) -> Split:
    """Mark a pung completed by another player's tile as claimed."""
    if circumstances.self_drawn:
        return split
    parts = tuple(replace(p, concealed=False) if p.has_winning_tile and p.kind is SetKind.PUNG else p for p in split.parts)
    return replace(split, parts=parts)


def waiting_kinds(hand: Hand) -> int:
    """How many kinds of tile complete the hand without its winning tile, those of which it holds all four left out."""
    waiting = replace(hand, winning_tile=None)
    held = tile_counts(waiting.all_tiles)
    return sum(1 for i in range(34) if held[i] < 4 and splits(replace(hand, winning_tile=Tile(i)), SHAPES))
