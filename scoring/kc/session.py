"""KC v2.5 at the table: who pays whom for wins and false wins, and who deals next (sections 1, 2,
3.1, 3.2.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

from hupai.scoring.hand import Circumstances
from hupai.scoring.kc.decomposition import KcOptions
from hupai.scoring.kc.payments import Caps, Share, share_out, shares
from hupai.scoring.result import Problem, Severity

FALSE_WIN_DEALER = 4
"""What a false win pays the dealer when the dealer is not ready (section 2)."""

FALSE_WIN_OTHER = 2
"""What it pays every other player who is not ready."""


@dataclass(frozen=True, slots=True)
class KcSeating:
    """Four players in the order of play, the dealer, and how often in a row the dealer has stayed
    (连庄).
    """

    players: tuple[str, ...]
    dealer: str
    streak: int = 0


@dataclass(frozen=True, slots=True)
class KcWinner:
    """A winner and the multiplier of the hand, 庄家 included if the winner is the dealer
    (`Score.total`).
    """

    player: str
    multiplier: int


@dataclass(frozen=True, slots=True)
class Transfer:
    """Chips from one player to another: how computed, and the clause."""

    payer: str
    payee: str
    amount: int
    formula: str
    clause: str


@dataclass(frozen=True, slots=True)
class KcSettlement:
    """The settlement of a hand.

    Attributes:
        players: the four players.
        transfers: every payment.
        winners: who won; empty if two claimed one discard and the house lets neither win.
        problems: what cannot be settled as given.
    """

    players: tuple[str, ...]
    transfers: tuple[Transfer, ...] = ()
    winners: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = field(default=())

    def nets(self) -> tuple[tuple[str, int], ...]:
        """Return each player's gain or loss; they sum to 0."""
        return tuple(
            (
                player,
                sum(t.amount for t in self.transfers if t.payee == player)
                - sum(t.amount for t in self.transfers if t.payer == player),
            )
            for player in self.players
        )


def settle_win(
    seating: KcSeating,
    winners: Sequence[KcWinner],
    discarder: str | None = None,
    *,
    robbing_kong: bool = False,
    options: KcOptions | None = None,
) -> KcSettlement:
    """Settle one winning tile.

    Args:
        seating: the players.
        winners: one; or two or three on one discard: two do not count, three are all paid (section
            1).
        discarder: who discarded the tile or had the kong robbed; None when it was self-drawn.
        robbing_kong: the tile was being added to a pung.
        options: the house's choices.
    """
    options = options or KcOptions()
    problems = _win_problems(seating, winners, discarder, robbing_kong)
    if problems:
        return KcSettlement(seating.players, problems=problems)
    if discarder is None:
        return _self_drawn(seating, winners[0], options)
    if len(winners) == 2:
        if not options.nearest_of_two:
            return KcSettlement(seating.players)
        winners = (min(winners, key=lambda w: _turns_after(seating, discarder, w.player)),)
    claims = tuple(_claim(seating, winner, discarder, robbing_kong) for winner in winners)
    paid = share_out(tuple(amount for amount, _ in claims), options.discard_cap)
    transfers = tuple(
        Transfer(
            discarder,
            winner.player,
            chips,
            _capped_formula(formula, amount, chips),
            "KC v2.5, 1 and 3.1",
        )
        for winner, (amount, formula), chips in zip(winners, claims, paid, strict=True)
    )
    return KcSettlement(seating.players, transfers, tuple(w.player for w in winners))


def _self_drawn(seating: KcSeating, winner: KcWinner, options: KcOptions) -> KcSettlement:
    circumstances = Circumstances(
        self_drawn=True, dealer=winner.player == seating.dealer, dealer_streak=seating.streak
    )
    owed = list(shares(circumstances))
    losers = [player for player in seating.players if player != winner.player]
    losers.sort(key=lambda player: player != seating.dealer)
    transfers = []
    for loser, share in zip(losers, owed, strict=True):
        amount = share.amount(winner.multiplier)
        chips = min(amount, options.payer_cap)
        formula = _capped_formula(share.formula(winner.multiplier), amount, chips)
        transfers.append(Transfer(loser, winner.player, chips, formula, "KC v2.5, 3.1"))
    return KcSettlement(seating.players, tuple(transfers), (winner.player,))


def _claim(
    seating: KcSeating, winner: KcWinner, discarder: str, robbing_kong: bool
) -> tuple[int, str]:
    """Return what a winner claims of the discarder before any cap: all three shares (点炮包付)."""
    circumstances = Circumstances(
        dealer=winner.player == seating.dealer,
        dealer_streak=seating.streak,
        robbing_kong=robbing_kong,
        discarder_is_dealer=discarder == seating.dealer,
    )
    owed: tuple[Share, ...] = shares(circumstances)
    return sum(s.amount(winner.multiplier) for s in owed), " + ".join(
        f"({s.formula(winner.multiplier)})" for s in owed
    )


def _capped_formula(formula: str, amount: int, chips: int) -> str:
    return formula if amount == chips else f"{formula} = {amount}, cut to {chips}"


def _turns_after(seating: KcSeating, discarder: str, player: str) -> int:
    n = len(seating.players)
    return (seating.players.index(player) - seating.players.index(discarder)) % n


def settle_heavenly_win(seating: KcSeating, amount: int = 200) -> KcSettlement:
    """Settle 天和: each of the three pays the dealer the fixed sum (顶番)."""
    transfers = tuple(
        Transfer(p, seating.dealer, amount, "天和", "KC v2.5, 顶番")
        for p in seating.players
        if p != seating.dealer
    )
    return KcSettlement(seating.players, transfers, (seating.dealer,))


def settle_false_win(
    seating: KcSeating, offender: str, ready: Sequence[KcWinner] = (), caps: Caps | None = None
) -> KcSettlement:
    """Settle a false win (诈和, section 2).

    A player who is not ready gets 4 chips as the dealer and 2 otherwise. One who is ready gets
    instead what the best hand still possible would win from the offender's discard, all three
    shares; together these are cut to the cap of a discard.

    Args:
        seating: the players.
        offender: who announced the false win.
        ready: the others who are ready, each with the multiplier of the best hand as a win on a
            discard.
        caps: the caps on money.
    """
    cap = (caps or Caps()).discarder
    names = [offender, *(one.player for one in ready)]
    problems = tuple(_unknown(name) for name in names if name not in seating.players)
    if offender in names[1:]:
        problems += (
            _error(
                "kc_winners",
                "The offender cannot be paid as a ready player.",
                "诈和者不能按听牌者受付。",
            ),
        )
    if problems:
        return KcSettlement(seating.players, problems=problems)
    claims = tuple(_claim(seating, one, offender, robbing_kong=False) for one in ready)
    paid = share_out(tuple(amount for amount, _ in claims), cap)
    transfers = [
        Transfer(offender, one.player, chips, _capped_formula(formula, amount, chips), "KC v2.5, 2")
        for one, (amount, formula), chips in zip(ready, claims, paid, strict=True)
    ]
    for player in seating.players:
        if player not in names:
            chips = FALSE_WIN_DEALER if player == seating.dealer else FALSE_WIN_OTHER
            transfers.append(Transfer(offender, player, chips, f"not ready: {chips}", "KC v2.5, 2"))
    return KcSettlement(seating.players, tuple(transfers))


class HandEnd(Enum):
    """How a hand ended, as far as the next dealer depends on it."""

    DEALER_WINS = "dealer_wins"
    NON_DEALER_WINS = "non_dealer_wins"
    EXHAUSTED = "exhausted"
    """The wall is empty and nobody won (流庄)."""
    FALSE_WIN = "false_win"
    """The hand ended with a false win; the text is silent, and as the dealer did not win the next
    seat deals.
    """


def dealer_stays(end: HandEnd) -> bool:
    """Return True if the dealer deals again: after a win or an exhausted wall (1, 3.2.2, 庄家)."""
    return end in (HandEnd.DEALER_WINS, HandEnd.EXHAUSTED)


def end_of(seating: KcSeating, winners: Sequence[str]) -> HandEnd:
    """Return how a hand with these winners ended; none means an exhausted wall.

    The dealer among several winners has won.
    """
    if not winners:
        return HandEnd.EXHAUSTED
    return HandEnd.DEALER_WINS if seating.dealer in winners else HandEnd.NON_DEALER_WINS


def next_seating(seating: KcSeating, end: HandEnd) -> KcSeating:
    """Return the seating of the next hand: the streak is one longer, or the next seat deals."""
    if dealer_stays(end):
        return KcSeating(seating.players, seating.dealer, seating.streak + 1)
    following = (seating.players.index(seating.dealer) + 1) % len(seating.players)
    return KcSeating(seating.players, seating.players[following])


def _win_problems(
    seating: KcSeating, winners: Sequence[KcWinner], discarder: str | None, robbing_kong: bool
) -> tuple[Problem, ...]:
    names = [winner.player for winner in winners]
    found = [
        _unknown(name)
        for name in (*names, *([discarder] if discarder else []), seating.dealer)
        if name not in seating.players
    ]
    if len(seating.players) != 4 or len(set(seating.players)) != 4:
        found.append(
            _error(
                "kc_table", "KC is played by four different players.", "KC 麻将须四名不同的玩家。"
            )
        )
    if not names or len(set(names)) != len(names):
        found.append(
            _error("kc_winners", "Name the winners, each once.", "请写明和牌者，且不得重复。")
        )
    if discarder is None and (len(names) > 1 or robbing_kong):
        found.append(_error("kc_winners", "Name whose tile was claimed.", "请写明点炮或被抢杠者。"))
    if discarder in names:
        found.append(
            _error(
                "kc_winners",
                "A player cannot win on the own tile as a discard.",
                "不能和自己打出的牌。",
            )
        )
    return tuple(found)


def _unknown(name: str) -> Problem:
    return _error("kc_unknown_player", f"{name} is not at the table.", f"{name} 不在本桌。")


def _error(code: str, en: str, zh: str) -> Problem:
    return Problem(code, Severity.ERROR, en, zh)
