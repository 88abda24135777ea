"""Every point that changes hands in a deal, as a list of entries that can be checked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum


class EntryKind(Enum):
    """What an entry is for."""

    KONG = "kong"
    """刮风下雨: paid when the kong is made."""
    WIN = "win"
    TRANSFER = "transfer"
    """呼叫转移: a kong's takings go to the winner of the discard after it."""
    READY_CHECK = "ready_check"
    """查叫: a player who is not ready pays one who is."""
    KONG_REFUND = "kong_refund"
    """退杠: the kongs of a player who is not ready are undone."""
    KONG_VOID = "kong_void"
    """A robbed kong was never made."""
    FINE = "fine"


@dataclass(frozen=True, slots=True)
class Entry:
    """One payment.

    Attributes:
        event: number of the event in the log that it follows from, from 0; None for a fine
            outside the log.
        kind: what it is for.
        payer: who pays.
        payee: who receives; None for a fine, which nobody receives.
        points: how many, positive.
        clause: clause of the rule.
        why_en: one sentence.
        why_zh: the same in Chinese.
    """

    event: int | None
    kind: EntryKind
    payer: str
    payee: str | None
    points: int
    clause: str
    why_en: str
    why_zh: str


@dataclass(frozen=True, slots=True)
class Ledger:
    """The entries of a deal for these players."""

    players: tuple[str, ...]
    entries: tuple[Entry, ...] = ()

    def net(self, player: str, kinds: Iterable[EntryKind] = tuple(EntryKind)) -> int:
        """Sum what a player gains or loses in entries of these kinds, all if none are named."""
        wanted = set(kinds)
        chosen = [e for e in self.entries if e.kind in wanted]
        return sum(e.points for e in chosen if e.payee == player) - sum(
            e.points for e in chosen if e.payer == player
        )

    def nets(self) -> tuple[tuple[str, int], ...]:
        """Return each player's gain or loss, in the order of the seats."""
        return tuple((player, self.net(player)) for player in self.players)

    def fines(self, player: str) -> tuple[int, ...]:
        """Return the fines of a player, in order: their sum and number decide ties (10.4.3 a)."""
        return tuple(
            e.points for e in self.entries if e.kind is EntryKind.FINE and e.payer == player
        )

    @property
    def balance(self) -> int:
        """The sum over all players without fines: 0 in every ledger that adds up."""
        return sum(self.net(player, set(EntryKind) - {EntryKind.FINE}) for player in self.players)

    def faults(self) -> tuple[str, ...]:
        """Say what is wrong with the bookkeeping itself; empty for a sound ledger."""
        wrong = [
            f"entry {i}: {e.points} points is not positive"
            for i, e in enumerate(self.entries)
            if e.points <= 0
        ]
        wrong += [
            f"entry {i}: {e.payer} pays themselves"
            for i, e in enumerate(self.entries)
            if e.payer == e.payee
        ]
        wrong += [
            f"entry {i}: {name} is not at the table"
            for i, e in enumerate(self.entries)
            for name in (e.payer, e.payee)
            if name is not None and name not in self.players
        ]
        wrong += [
            f"entry {i}: only a fine has no receiver"
            for i, e in enumerate(self.entries)
            if (e.payee is None) != (e.kind is EntryKind.FINE)
        ]
        if not wrong and self.balance:
            wrong.append(f"the payments sum to {self.balance}, not to 0")
        return tuple(wrong)
