"""A hand as it lies on the table, and the circumstances under which it was won.

Both are plain values, and legal or not: the rule sets say what is wrong with a hand as a list of
problems, so that a caller sees all of them at once. `str` writes them on one line.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from enum import Enum
from functools import lru_cache

from hupai.scoring.errors import HupaiError
from hupai.scoring.tiles import Tile, run_of, suit_named, wind_named


class Source(Enum):
    """From whose discard a set was claimed, as the hand's owner sees the table."""

    LEFT = "left"
    ACROSS = "across"
    RIGHT = "right"

    # As for `MeldKind`.
    __hash__ = object.__hash__


class MeldKind(Enum):
    """The kinds of exposed sets and kongs."""

    CHOW = "chow"
    PUNG = "pung"
    KONG = "kong"
    CONCEALED_KONG = "concealed_kong"
    ADDED_KONG = "added_kong"

    # Members are singletons; the hash of `Enum` itself is a call into Python each time.
    __hash__ = object.__hash__


@dataclass(frozen=True, slots=True)
class Meld:
    """A set laid down before the win.

    Attributes:
        kind: chow, pung, exposed kong (``kong``), a kong from four drawn tiles
            (``concealed_kong``), or a pung to which the fourth tile was added later
            (``added_kong``).
        tiles: three or four tiles, a chow's ascending.
        claimed_from: whose discard completed it; None if that is not known, and always for a
            concealed kong.
        red_fives: those of its fives that are red, one entry each.
    """

    kind: MeldKind
    tiles: tuple[Tile, ...]
    claimed_from: Source | None = None
    red_fives: tuple[Tile, ...] = ()

    @property
    def is_kong(self) -> bool:
        """True for each of the three kinds of kong."""
        return self.kind in (MeldKind.KONG, MeldKind.CONCEALED_KONG, MeldKind.ADDED_KONG)

    @property
    def is_concealed(self) -> bool:
        """True for a concealed kong: it is laid down but was never claimed."""
        return self.kind is MeldKind.CONCEALED_KONG

    @property
    def is_well_formed(self) -> bool:
        """True if its tiles are the chow, pung or kong it is said to be."""
        return _is_well_formed(self)

    def __str__(self) -> str:
        if self.is_concealed:
            return f"({run_of(self.tiles, red_fives=self.red_fives)})"
        added = "+" if self.kind is MeldKind.ADDED_KONG else ""
        source = (
            "" if self.claimed_from is None else f",{list(Source).index(self.claimed_from) + 1}"
        )
        return f"[{run_of(self.tiles, red_fives=self.red_fives)}{added}{source}]"


@lru_cache(maxsize=4096)
def _is_well_formed(meld: Meld) -> bool:
    tiles = sorted(meld.tiles)
    if not tiles or not all(tile.is_playable for tile in tiles):
        return False
    if meld.kind is not MeldKind.CHOW:
        return len(tiles) == (4 if meld.is_kong else 3) and len(set(tiles)) == 1
    first = tiles[0]
    in_a_row = [first, first + 1, first + 2] == tiles
    return in_a_row and all(tile.suit is first.suit and tile.is_suited for tile in tiles)


@dataclass(frozen=True, slots=True)
class Hand:
    """A hand to be scored.

    Attributes:
        concealed: the tiles in the hand, without the winning tile, in any order.
        melds: exposed sets and kongs, in the order they lie.
        winning_tile: the tile that completed the hand; None for a hand that has not won (13 tiles)
            or where it is not known which of the tiles it was. In the second case `concealed` holds
            all of them.
        flowers: flower tiles laid aside, where their faces are known; `Circumstances.flowers` gives
            a mere count.
        red_fives: the red ones among the fives of `concealed` and the winning tile, one entry each;
            those of a meld stand in the meld.
    """

    concealed: tuple[Tile, ...]
    melds: tuple[Meld, ...] = ()
    winning_tile: Tile | None = None
    flowers: tuple[Tile, ...] = ()
    red_fives: tuple[Tile, ...] = ()

    @property
    def all_red_fives(self) -> tuple[Tile, ...]:
        """Every red five of the hand, those of its melds included."""
        return sum((meld.red_fives for meld in self.melds), self.red_fives)

    @property
    def all_tiles(self) -> tuple[Tile, ...]:
        """Every tile of the hand but its flowers: concealed, winning tile, melds."""
        tiles = (
            self.concealed if self.winning_tile is None else (*self.concealed, self.winning_tile)
        )
        for meld in self.melds:
            tiles += meld.tiles
        return tiles

    @property
    def size(self) -> int:
        """Tiles counted as a player does: a kong counts as three. 13 before the win, 14 with the
        winning tile.
        """
        return len(self.concealed) + (self.winning_tile is not None) + 3 * len(self.melds)

    def __str__(self) -> str:
        concealed, won = self.written_red_fives()
        last = () if self.winning_tile is None else (self.winning_tile,)
        parts = (
            run_of(self.concealed, red_fives=concealed),
            *map(str, self.melds),
            run_of(self.flowers),
            "+" + run_of(last, red_fives=won) if last else "",
        )
        return " ".join(part for part in parts if part)

    def written_red_fives(self) -> tuple[tuple[Tile, ...], tuple[Tile, ...]]:
        """Return the red fives to write among the concealed tiles, and the one that won.

        Which of several fives is red is not kept; the winning one is where no other can be.
        """
        inside: list[Tile] = []
        over: list[Tile] = []
        for tile in self.red_fives:
            free = inside.count(tile) < self.concealed.count(tile)
            (inside if free else over).append(tile)
        return tuple(inside), tuple(tile for tile in over if tile is self.winning_tile)[:1]


class CircumstanceError(HupaiError, ValueError):
    """A wind that names none; the message says which words do."""


@dataclass(frozen=True, slots=True)
class Circumstances:
    """How the hand was won; `RuleSet.circumstances` names those that a rule set reads.

    A wind may be given as a word (``E``, ``east``, ``东``), and so may a suit.

    Attributes:
        self_drawn: the winning tile was drawn, not claimed.
        last_tile: MCR and Sichuan: the last tile of the wall was drawn (self-drawn) or the discard
            after it (otherwise).
        last_of_kind: the other three tiles of the winning kind lie face up (和绝张).
        kong_replacement: the winning tile is the replacement drawn for a kong (杠上开花,
            杠上花), not for a flower.
        kong_discard: the winning tile was discarded right after a kong (杠上炮).
        robbing_kong: the winning tile was being added to an exposed pung (抢杠).
        seat_wind: the winner's wind; None if unknown.
        round_wind: the prevailing wind; None if unknown.
        flowers: number of flowers, if only the count is known; None: the hand's own flowers count.
        dealer: the winner is the dealer.
        dealer_streak: hands the dealer has won or kept in a row before this one (连庄).
        ready_declared: the player declared ready (报听), where the house plays it.
        heavenly_ready: ready from the deal on, declared before the first draw (天听).
        heavenly_win: the dealer won with the dealt tiles (天和).
        opponents: players who still pay a self-drawn win: three, fewer in blood battle after others
            have won.
        partner_play: two against two (Sichuan 2v2), where no suit has to be declared void.
        void_suit: the suit the player gave up (Sichuan 定缺), if known.
        discarder_is_dealer: KC: the player who discarded, or whose kong was robbed, is the dealer.
        riichi: riichi: the player declared riichi with a closed hand.
        double_riichi: riichi was declared with the first discard of an uninterrupted first turn.
        ippatsu: won within one uninterrupted turn of the riichi.
        earthly_win: a player other than the dealer won with the first tile drawn (地和).
        human_win: a player other than the dealer won on a discard before the first draw (人和).
        honba: counters on the table for repeated deals.
        riichi_sticks: deposits on the table that the winner takes, the winner's own included.
        dora_indicators: indicators that lie open, those of kongs included.
        ura_indicators: indicators under them, which a riichi uncovers.
        red_fives: number of red fives, if only the count is known; None: those of the hand count.

    Raises:
        CircumstanceError: for a word that names no wind.
    """

    self_drawn: bool = False
    last_tile: bool = False
    last_of_kind: bool = False
    kong_replacement: bool = False
    kong_discard: bool = False
    robbing_kong: bool = False
    seat_wind: Tile | None = None
    round_wind: Tile | None = None
    flowers: int | None = None
    dealer: bool = False
    dealer_streak: int = 0
    ready_declared: bool = False
    heavenly_ready: bool = False
    heavenly_win: bool = False
    opponents: int = 3
    partner_play: bool = False
    void_suit: str | None = None
    discarder_is_dealer: bool = False
    riichi: bool = False
    double_riichi: bool = False
    ippatsu: bool = False
    earthly_win: bool = False
    human_win: bool = False
    honba: int = 0
    riichi_sticks: int = 0
    dora_indicators: tuple[Tile, ...] = ()
    ura_indicators: tuple[Tile, ...] = ()
    red_fives: int | None = None

    def __post_init__(self) -> None:
        for name in ("seat_wind", "round_wind"):
            if not isinstance(getattr(self, name), Tile | None):
                object.__setattr__(self, name, _wind(name, getattr(self, name)))
        if self.void_suit is not None:
            object.__setattr__(self, "void_suit", suit_named(self.void_suit) or self.void_suit)

    def __str__(self) -> str:
        given = ((f.name.replace("_", " "), getattr(self, f.name), f.default) for f in fields(self))
        said = [
            name
            if value is True
            else f"{name} {run_of(value) if isinstance(value, tuple) else value}"
            for name, value, default in given
            if value != default
        ]
        return ", ".join(said) or "won on a discard"


def _wind(name: str, value: object) -> Tile:
    wind = wind_named(value) if isinstance(value, str) else None
    if wind is None:
        raise CircumstanceError(f"{name}={value!r}: give E, S, W or N, east or 东, or a Tile")
    return wind


def with_winning_tile(hand: Hand, tile: Tile) -> Hand:
    """Return the hand with `tile` as the winning one.

    It is taken out of the concealed tiles if it is among them, and otherwise added to the hand. The
    previous one goes back among the concealed tiles, in its place if these ascend.
    """
    concealed, before = hand.concealed, hand.winning_tile
    if before is tile:
        return hand
    if before is not None:
        place = sum(other <= before for other in concealed)
        concealed = (*concealed[:place], before, *concealed[place:])
    if tile in concealed:
        index = concealed.index(tile)
        concealed = concealed[:index] + concealed[index + 1 :]
    return replace(hand, concealed=concealed, winning_tile=tile)
