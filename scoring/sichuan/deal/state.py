"""The state of a deal while its log is read: who has won or left, which kongs were made, what a
player may still do.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from hupai.scoring.result import Problem
from hupai.scoring.sichuan.deal.log import KongKind, Offence, Seating, Win
from hupai.scoring.sichuan.deal.payments import Entry
from hupai.scoring.sichuan.passed_wins import win_allowed


@dataclass(slots=True)
class KongRecord:
    """A kong that was made: what was paid for it, and what of that went on to winners."""

    player: str
    paid: list[tuple[str, int]]
    transferred: list[tuple[str, int]] = field(default_factory=list)

    @property
    def takings(self) -> int:
        """Points that the kong brought."""
        return sum(points for _, points in self.paid)


@dataclass(slots=True)
class DealState:
    """The state of a deal while its log is read."""

    seating: Seating
    entries: list[Entry] = field(default_factory=list)
    winners: list[str] = field(default_factory=list)
    first_win: Win | None = None
    left: set[str] = field(default_factory=set)
    offences: dict[str, Offence] = field(default_factory=dict)
    barred: set[str] = field(default_factory=set)
    kongs: list[KongRecord] = field(default_factory=list)
    chain: list[KongRecord] = field(default_factory=list)
    chain_discarded: bool = False
    last_added: KongRecord | None = None
    last_kong: tuple[str, KongKind] | None = None
    last_tile_won: bool = False
    passed: dict[str, int] = field(default_factory=dict)
    wall_empty: bool = False
    problems: list[Problem] = field(default_factory=list)

    @property
    def finished(self) -> bool:
        """True once the wall is empty or only one player has not won."""
        return self.wall_empty or len(self.winners) >= len(self.seating.players) - 1

    def payers(self, player: str) -> list[str]:
        """Return who pays a kong or a self-drawn win of `player` (10.4.1 d).

        These are the players still in who have not won, without the partner.
        """
        return [
            other
            for other in self.seating.players
            if other != player
            and other not in self.winners
            and other not in self.left
            and not self.seating.are_partners(player, other)
        ]

    def passed_win_blocks(self, player: str, base_points: int) -> bool:
        """Return True if 9.3.5 forbids this win on a discard.

        As many fan or more were passed since the player's last draw.
        """
        passed = self.passed.get(player)
        fan = base_points.bit_length() - 1
        return passed is not None and not win_allowed(
            passed, fan, partner_play=self.seating.partner_play
        )
