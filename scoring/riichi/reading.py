"""A reading of a won hand: one way to divide it and one set that the winning tile completed.

A hand may have several; each is scored by itself and the one that pays most counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from mahjong.hand_calculating.fu import FuCalculator

from hupai.scoring.decomposition.shapes import Shape, Split, splits
from hupai.scoring.hand import Circumstances, Hand
from hupai.scoring.result import SetKind, SetPart
from hupai.scoring.riichi.library import YAKU, kind_of, kinds_of, meld_of, settings
from hupai.scoring.riichi.profiles import RiichiOptions
from hupai.scoring.tiles import DRAGONS, Tile

if TYPE_CHECKING:
    from mahjong.meld import Meld as LibraryMeld

_SHAPES = frozenset({Shape.STANDARD, Shape.SEVEN_PAIRS, Shape.THIRTEEN_ORPHANS})


@dataclass(frozen=True, slots=True)
class Fu:
    """The fu of a reading.

    Attributes:
        items: what the library counted, as (reason, fu), in its order.
        total: rounded up to ten; 25 for seven pairs, 0 for thirteen orphans.
    """

    items: tuple[tuple[str, int], ...]
    total: int

    @property
    def exact(self) -> int:
        """The sum before it is rounded."""
        return sum(fu for _, fu in self.items)


@dataclass(frozen=True, slots=True)
class Win:
    """A hand, how it was won, and under which options.

    Attributes:
        hand: 14 tiles with the winning tile marked.
        circumstances: how it was won.
        options: the profile's or the house's.
    """

    hand: Hand
    circumstances: Circumstances
    options: RiichiOptions

    @property
    def is_open(self) -> bool:
        """True if a set was claimed; concealed kongs and the winning tile leave a hand closed."""
        return any(not meld.is_concealed for meld in self.hand.melds)

    @property
    def seat(self) -> Tile | None:
        """The winner's wind; east for the dealer, who alone can win with the dealt tiles."""
        how = self.circumstances
        if how.seat_wind is None and (how.dealer or how.heavenly_win):
            return Tile.EAST
        return how.seat_wind

    @property
    def is_dealer(self) -> bool:
        """True if the winner is known to be the dealer."""
        return self.seat is Tile.EAST

    @property
    def has_riichi(self) -> bool:
        """True if riichi was declared, with the first discard or later."""
        return self.circumstances.riichi or self.circumstances.double_riichi

    @property
    def library_melds(self) -> list[LibraryMeld]:
        """The melds in the library's terms."""
        return [meld_of(meld) for meld in self.hand.melds]


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """One way to read a won hand.

    Attributes:
        win: the hand.
        shape: shape of the split.
        parts: the split, melds first; one is marked as that of the winning tile.
        blocks: the parts in the library's numbers, the winning tile's own among them.
        winning_block: the block that the winning tile completed.
        fu: what earns fu and how much, as the library counts it.
    """

    win: Win
    shape: Shape
    parts: tuple[SetPart, ...]
    blocks: list[list[int]]
    winning_block: list[int]
    fu: Fu = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "fu", self._count_fu())

    def _count_fu(self) -> Fu:
        if self.shape is Shape.THIRTEEN_ORPHANS:
            return Fu((), 0)
        win = self.win
        round_wind = win.circumstances.round_wind
        values: list[Tile | None] = [*DRAGONS, win.seat]
        if win.options.double_wind_pair_fu == 4 or round_wind is not win.seat:
            values.append(round_wind)
        details, total = FuCalculator.calculate_fu(
            self.blocks,
            self.winning_tile,
            self.winning_block,
            settings(win.options, win.circumstances.self_drawn, win.seat, round_wind),
            [kind_of(tile) for tile in values if tile is not None],
            self.library_melds,
        )
        return Fu(tuple((item["reason"], item["fu"]) for item in details), total)

    @property
    def winning_tile(self) -> int:
        """The winning tile as one of the library's 136; no red five."""
        tile = self.win.hand.winning_tile
        return 4 * kind_of(tile if tile is not None else self.parts[0].tiles[0]) + 1

    @property
    def library_melds(self) -> list[LibraryMeld]:
        """The melds in the library's terms."""
        return self.win.library_melds

    @property
    def winning_pair(self) -> bool:
        """True if the hand held one tile of the winning kind before: a pair wait, or one of
        thirteen.
        """
        tile = self.win.hand.winning_tile
        return tile is not None and self.win.hand.all_tiles.count(tile) == 2

    def of_kind(self, *kinds: SetKind) -> tuple[int, ...]:
        """Return the indices of the parts of some kinds."""
        return tuple(i for i, part in enumerate(self.parts) if part.kind in kinds)

    def of_tile(self, tile: Tile | None) -> tuple[int, ...]:
        """Return the indices of the pungs and kongs of a tile."""
        pungs = self.of_kind(SetKind.PUNG, SetKind.KONG)
        return tuple(i for i in pungs if self.parts[i].tiles[0] is tile)


def readings(win: Win) -> Iterator[Reading]:
    """Yield every reading of a hand of 14 tiles; none if it is no winning shape."""
    if win.hand.winning_tile is None:
        return
    for split in splits(win.hand, _SHAPES, claimed=not win.circumstances.self_drawn):
        if split.shape is Shape.SEVEN_PAIRS and len({part.tiles for part in split.parts}) < 7:
            continue
        yield from _marked(win, split)


def _marked(win: Win, split: Split) -> Iterator[Reading]:
    """Yield the readings of a split, one for each set the winning tile may have completed."""
    tile = win.hand.winning_tile
    plain = [
        part if part.melded else replace(part, concealed=True, has_winning_tile=False)
        for part in split.parts
    ]
    blocks = [kinds_of(part.tiles) for part in plain]
    tried: set[tuple[Tile, ...]] = set()
    for index, part in enumerate(plain):
        if part.melded or tile not in part.tiles or part.tiles in tried:
            continue
        tried.add(part.tiles)
        claimed = not win.circumstances.self_drawn and part.kind is SetKind.PUNG
        marked = replace(part, concealed=not claimed, has_winning_tile=True)
        parts = (*plain[:index], marked, *plain[index + 1 :])
        yield Reading(win, split.shape, parts, blocks, blocks[index])
        if split.shape is not Shape.STANDARD:
            return


def is_all_simples(reading: Reading) -> bool:
    """Return whether there is neither terminal nor honour."""
    found: bool = YAKU.tanyao.is_condition_met(reading.blocks)
    return found
