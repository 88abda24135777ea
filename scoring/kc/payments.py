"""Who pays what for a win under KC v2.5: shares, 点炮包付, streaks, the robbed player, and the caps
(sections 1, 3.1, 3.2.2).

Three shares are computed for each win, one per loser: the multiplier, doubled for the dealer's own
share when another player wins, and doubled again for the player whose kong was robbed. If the win
is self-drawn, each pays the own share; otherwise the discarder pays all three.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from hupai.scoring.hand import Circumstances
from hupai.scoring.result import Payment

HEAVENLY_PAYMENT = 200
"""What each of the three pays for 天和."""

STREAK_STEP = 2
"""Chips that one dealer streak adds to a settlement with the dealer (3.2.2, 连庄)."""


@dataclass(frozen=True, slots=True)
class Caps:
    """The most that one player pays: a self-drawn win, and in all for a discard (3.1)."""

    payer: int = 200
    discarder: int = 300


@dataclass(frozen=True, slots=True)
class Share:
    """What one loser owes: `times` multiples of the hand and `streak` chips on top."""

    times: int
    streak: int = 0

    def amount(self, multiplier: int) -> int:
        """Return the share in chips."""
        return multiplier * self.times + self.streak

    def formula(self, multiplier: int) -> str:
        """Write how it is computed, e.g. ``2 × 8 + 4``."""
        product = str(multiplier) if self.times == 1 else f"{self.times} × {multiplier}"
        return f"{product} + {self.streak}" if self.streak else product


def shares(circumstances: Circumstances) -> tuple[Share, Share, Share]:
    """Return the three losers' shares, that of the dealer first, then that of the robbed player."""
    streak = STREAK_STEP * circumstances.dealer_streak
    if circumstances.dealer:
        first = Share(2 if circumstances.robbing_kong else 1, streak)
        return (first, Share(1, streak), Share(1, streak))
    dealer_pays_himself = circumstances.self_drawn or circumstances.discarder_is_dealer
    dealer = Share(2, streak if dealer_pays_himself else 0)
    if not circumstances.robbing_kong:
        return (dealer, Share(1), Share(1))
    if circumstances.discarder_is_dealer:
        return (Share(4, dealer.streak), Share(1), Share(1))
    return (dealer, Share(2), Share(1))


@lru_cache(maxsize=1 << 12)
def payments(
    multiplier: int, circumstances: Circumstances, caps: Caps | None = None
) -> tuple[Payment, ...]:
    """Return who pays a legal win.

    `multiplier` is the product of the factors, the winner's own 庄家 among them.
    """
    caps = caps or Caps()
    if circumstances.heavenly_win:
        return (Payment("each", 3, HEAVENLY_PAYMENT, "天和"),)
    owed = shares(circumstances)
    if not circumstances.self_drawn:
        return _paid_by_one(multiplier, circumstances, owed, caps)
    if circumstances.dealer:
        return (
            _capped("each", 3, owed[0].amount(multiplier), owed[0].formula(multiplier), caps.payer),
        )
    return (
        _capped("dealer", 1, owed[0].amount(multiplier), owed[0].formula(multiplier), caps.payer),
        _capped("others", 2, owed[1].amount(multiplier), owed[1].formula(multiplier), caps.payer),
    )


def _paid_by_one(
    multiplier: int, circumstances: Circumstances, owed: Sequence[Share], caps: Caps
) -> tuple[Payment, ...]:
    """Let the discarder, or the robbed player, pay the shares of all three (点炮包付)."""
    payer = "robbed" if circumstances.robbing_kong else "discarder"
    total = sum(share.amount(multiplier) for share in owed)
    formula = " + ".join(
        f"({text})" if " " in text else text
        for text in (share.formula(multiplier) for share in owed)
    )
    return (
        _capped(payer, 1, total, formula, caps.discarder),
        Payment("others", 2, 0, f"paid by the {payer}"),
    )


def _capped(payer: str, count: int, amount: int, formula: str, cap: int) -> Payment:
    if amount <= cap:
        return Payment(payer, count, amount, formula)
    return Payment(payer, count, cap, f"{formula} = {amount}, at most {cap}")


def share_out(amounts: Sequence[int], cap: int) -> tuple[int, ...]:
    """Cut claims down to a cap in proportion (3.1, 一炮三响).

    Chips are whole: each claim is rounded down and the chips left over go to the largest
    remainders, earlier claims first.
    """
    total = sum(amounts)
    if total <= cap:
        return tuple(amounts)
    floors = [amount * cap // total for amount in amounts]
    by_remainder = sorted(range(len(amounts)), key=lambda i: (-(amounts[i] * cap % total), i))
    for i in by_remainder[: cap - sum(floors)]:
        floors[i] += 1
    return tuple(floors)
