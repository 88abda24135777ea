"""What happens in a deal of blood battle, as far as points depend on it: the table and its event
log.

The log holds kongs, wins, fines and the end of the wall in the order they happened. Draws and
discards need to be logged only where they matter: between two kongs of one player (the chain of
9.3.3 breaks), and after a passed win (9.3.5). An event may say its tile; `tile_proof` then holds it
to the tiles there are.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from hupai.scoring.hand import Hand
from hupai.scoring.tiles import Tile


class KongKind(Enum):
    """The kongs of 8.6.1 and table 1, 5-7."""

    CONCEALED = "concealed"
    """暗杠: four drawn tiles."""
    FROM_DISCARD = "from_discard"
    """引杠: three in the hand and another player's discard."""
    ADDED = "added"
    """绕杠: a drawn tile added to an exposed pung."""
    TIMELY_RAIN = "timely_rain"
    """即时雨: the pung was claimed while three were in the hand; the kong made of it later is worth
    nothing (8.6.1 c).
    """


class Offence(Enum):
    """What a player is fined for, as far as it bears on the rest of the deal."""

    FALSE_WIN = "false_win"
    """诈和, 11.2.9.1: claimed another player's tile with a hand that is not ready."""
    MISTAKEN_WIN = "mistaken_win"
    """错和, 11.2.7.2: a win announced by mistake."""
    LATE_PIG = "late_pig"
    """先打后摸花猪, 11.2.10.1: the void suit, once cleared, was drawn again after another suit had
    been discarded.
    """
    PIG_WIN = "pig_win"
    """11.2.10.3: a win announced while holding the void suit."""
    BARRED = "barred"
    """停和陪打: wrong number of tiles, a wrong claim and the like (11.2.1-11.2.14); the player pays
    on but may not win.
    """
    OTHER = "other"
    """Any other fine of section 11: points only."""


@dataclass(frozen=True, slots=True)
class OffenceRule:
    """What an offence costs.

    Attributes:
        offence: which.
        zh: its Chinese name.
        points: the fixed fine; None if the referee sets it.
        clause: its clause.
        leaves_deal: the player takes no further part, and neither pays nor wins until the wall
            ends.
        may_win: False if the player may not win any more in this deal.
    """

    offence: Offence
    zh: str
    points: int | None
    clause: str
    leaves_deal: bool
    may_win: bool


OFFENCE_RULES: dict[Offence, OffenceRule] = {
    rule.offence: rule
    for rule in (
        OffenceRule(Offence.FALSE_WIN, "诈和", 24, "11.2.9.1", leaves_deal=True, may_win=False),
        OffenceRule(Offence.MISTAKEN_WIN, "错和", 8, "11.2.7.2", leaves_deal=True, may_win=False),
        OffenceRule(
            Offence.LATE_PIG, "先打后摸花猪", 24, "11.2.10.1", leaves_deal=False, may_win=False
        ),
        OffenceRule(
            Offence.PIG_WIN, "未打缺和牌", 24, "11.2.10.3", leaves_deal=True, may_win=False
        ),
        OffenceRule(Offence.BARRED, "停和", None, "11.1 c", leaves_deal=False, may_win=False),
        OffenceRule(Offence.OTHER, "罚分", None, "11.1 b", leaves_deal=False, may_win=True),
    )
}


@dataclass(frozen=True, slots=True)
class Seating:
    """Who sits at the table.

    Attributes:
        players: three or four names in the order of play, east first.
        dealer: the dealer of this deal; None if it does not matter.
        partners: two pairs for two-against-two, empty otherwise.
    """

    players: tuple[str, ...]
    dealer: str | None = None
    partners: tuple[tuple[str, ...], ...] = ()

    @property
    def partner_play(self) -> bool:
        """True for two against two."""
        return bool(self.partners)

    def are_partners(self, one: str, other: str) -> bool:
        """Return True if the two play together."""
        return one != other and any(one in pair and other in pair for pair in self.partners)


@dataclass(frozen=True, slots=True)
class Draw:
    """A player draws from the wall. A replacement tile for a kong need not be logged."""

    player: str
    tile: Tile | None = None


@dataclass(frozen=True, slots=True)
class Discard:
    """A player discards."""

    player: str
    tile: Tile | None = None


@dataclass(frozen=True, slots=True)
class Pung:
    """A player claims a discard for a pung (8.5).

    Attributes:
        player: who claims.
        discarder: whose discard it is, if the log says so.
        tile: the tile.
        held_triplet: the player held three of it, so that a kong made of the pung later is 即时雨
            (8.6.1 c); None if the log does not say.
    """

    player: str
    discarder: str | None = None
    tile: Tile | None = None
    held_triplet: bool | None = None


@dataclass(frozen=True, slots=True)
class Kong:
    """A player makes a kong; `discarder` gave the tile (for `KongKind.FROM_DISCARD` only)."""

    player: str
    kind: KongKind
    discarder: str | None = None
    tile: Tile | None = None


@dataclass(frozen=True, slots=True)
class Winner:
    """One winner and what the hand is worth.

    Attributes:
        player: who wins.
        base_points: 1, 2, 4 or 8; what the hand scores, where it is given.
        hand: the hand with its winning tile.
        claimed_points: base points that the log states beside a hand or its fan.
        claimed_fan: the sum of fan that the log states.
    """

    player: str
    base_points: int
    hand: Hand | None = None
    claimed_points: int | None = None
    claimed_fan: int | None = None


@dataclass(frozen=True, slots=True)
class Win:
    """One tile wins: for one player, or for several at once (9.4).

    Attributes:
        winners: who wins with it.
        discarder: whose discard or robbed tile it is; None when self-drawn.
        kong_discard: it was discarded right after its player's kong (杠上炮).
        robbing_kong: it was being added to a pung (抢杠).
        kong_draw: it is the replacement for the winner's kong (杠上花).
        last_tile: it is the last tile of the wall, or the discard after it (海底).
        tile: which tile won.
    """

    winners: tuple[Winner, ...]
    discarder: str | None = None
    kong_discard: bool = False
    robbing_kong: bool = False
    kong_draw: bool = False
    last_tile: bool = False
    tile: Tile | None = None


@dataclass(frozen=True, slots=True)
class PassedWin:
    """A player could have won with this many fan and did not (9.3.5)."""

    player: str
    fan: int


@dataclass(frozen=True, slots=True)
class Fine:
    """The referee fines a player.

    Attributes:
        player: who is fined.
        offence: what for, as far as it bears on the deal.
        points: a positive number; None takes the fine that the offence has, and 0 is a warning.
        misconduct: name of an offence in `hupai.scoring.sichuan.deal.ladder`, if it is one.
        time: which occurrence of this misconduct in the session it is, from 1.
        fixed_points: what chapter 11 sets for it, where the log says other points.
    """

    player: str
    offence: Offence = Offence.OTHER
    points: int | None = None
    misconduct: str = ""
    time: int = 0
    fixed_points: int | None = None

    @property
    def charged(self) -> int:
        """Points that it takes: those given, else what the offence has; 0 for a warning."""
        points = OFFENCE_RULES[self.offence].points if self.points is None else self.points
        return points or 0


@dataclass(frozen=True, slots=True)
class Ready:
    """A player who is ready when the wall is empty, and the base points of the best hand that one
    more tile would make.
    """

    player: str
    points: int


@dataclass(frozen=True, slots=True)
class WallEnd:
    """The last tile was discarded and nobody wins on it.

    Attributes:
        ready: the players who are ready and have not won.
        not_ready: those who are not.
        natural_pigs: those who never cleared their void suit (天然花猪): not ready, without a fine
            (11.2.10.2).
        hands: the hands laid open, where they are logged.
    """

    ready: tuple[Ready, ...] = ()
    not_ready: tuple[str, ...] = ()
    natural_pigs: tuple[str, ...] = ()
    hands: tuple[tuple[str, Hand], ...] = ()


Event = Draw | Discard | Pung | Kong | Win | PassedWin | Fine | WallEnd


@dataclass(frozen=True, slots=True)
class Deal:
    """A deal: the table and what happened, in order.

    Attributes:
        seating: who sits at the table.
        events: what happened.
        numbers: for each event its number in the log, from 0; None for a fine outside the
            log. If empty, events are numbered in their order.
        void_suits: the suits given up, by player: m, p or s.
        dealt: the tiles dealt to players whose every draw and discard is logged.
    """

    seating: Seating
    events: tuple[Event, ...] = field(default=())
    numbers: tuple[int | None, ...] = ()
    void_suits: tuple[tuple[str, str], ...] = ()
    dealt: tuple[tuple[str, tuple[Tile, ...]], ...] = ()

    def number(self, index: int) -> int | None:
        """Return the number that the log gives an event."""
        return self.numbers[index] if self.numbers else index
