"""A decomposition of a won hand, as the fan functions get it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from hupai.scoring.mcr.decompositions.parts import HONOURS, SUIT_MASKS, Part


class Shape(IntEnum):
    """The winning shapes of MCR (1998, article on winning; 2006, 3.7.2; 组合龙 by its fan)."""

    STANDARD = 0
    SEVEN_PAIRS = 1
    THIRTEEN_ORPHANS = 2
    KNITTED_SINGLES = 3
    KNITTED_STRAIGHT = 4


@dataclass(slots=True, eq=False)
class Win:
    """How the hand was won, and what is the same in each of its decompositions.

    Attributes:
        tile: the winning tile, as its index.
        self_drawn, last_tile, kong_replacement, robbing_kong: as in
            `hupai.scoring.hand.Circumstances`.
        last_of_kind: the other three of the winning tile lie face up, by the flag or in the
            winner's own exposed sets.
        single_wait: exactly one kind of tile completes the hand.
        all_concealed: no set was claimed.
        all_claimed: all four sets were claimed.
        nine_sided: the thirteen tiles before the win are 1112345678999 of a suit.
        seat_wind, round_wind: index of the tile, -1 where not known.
        kinds: spaced mask of the kinds of tile in the hand.
        fours: the kinds of which the hand has four without a kong.
    """

    tile: int
    self_drawn: bool = False
    last_tile: bool = False
    kong_replacement: bool = False
    robbing_kong: bool = False
    last_of_kind: bool = False
    single_wait: bool = False
    all_concealed: bool = True
    all_claimed: bool = False
    nine_sided: bool = False
    seat_wind: int = -1
    round_wind: int = -1
    kinds: int = 0
    fours: int = 0


class Decomposition:
    """A won hand split into parts.

    Attributes:
        shape: which winning shape it is.
        win: how it was won.
        parts: every part, in the order of the score: knitted runs or single tiles, chows, pungs and
            kongs, pairs.
        irregular: the knitted runs or the single tiles.
        chows, pungs, pairs: the parts of these kinds, ascending; kongs are among the pungs.
        kinds: spaced mask of the kinds of tile in the hand.
        first_pung: index of the first pung in `parts`.
        win_part: index in `parts` of the part that the winning tile completed.
    """

    __slots__ = (
        "_pung_kinds",
        "chows",
        "first_pung",
        "irregular",
        "kinds",
        "pairs",
        "parts",
        "pungs",
        "shape",
        "win",
        "win_part",
    )

    def __init__(
        self,
        shape: Shape,
        win: Win,
        irregular: tuple[Part, ...],
        chows: tuple[Part, ...],
        pungs: tuple[Part, ...],
        pairs: tuple[Part, ...],
        win_part: int,
    ) -> None:
        self.shape = shape
        self.win = win
        self.irregular = irregular
        self.chows = chows
        self.pungs = pungs
        self.pairs = pairs
        self.parts = irregular + chows + pungs + pairs
        self.first_pung = len(irregular) + len(chows)
        self.win_part = win_part
        self.kinds = win.kinds
        self._pung_kinds = -1

    @property
    def pair(self) -> Part:
        """The pair of a standard hand or of thirteen orphans."""
        return self.pairs[0]

    @property
    def suits(self) -> int:
        """How many of the three suits occur."""
        return sum([bool(self.kinds & mask) for mask in SUIT_MASKS])

    @property
    def has_honours(self) -> bool:
        """True if there is a wind or a dragon."""
        return bool(self.kinds & HONOURS)

    def only(self, kinds: int) -> bool:
        """Return True if no tile is of another kind than these."""
        return not self.kinds & ~kinds

    def pungs_among(self, kinds: int) -> tuple[int, ...]:
        """Return the indices in `parts` of the pungs and kongs of these kinds."""
        if self._pung_kinds < 0:
            self._pung_kinds = 0
            for part in self.pungs:
                self._pung_kinds |= part.kinds
        if not self._pung_kinds & kinds:
            return ()
        return tuple(
            [i for i, part in enumerate(self.pungs, self.first_pung) if part.kinds & kinds]
        )
