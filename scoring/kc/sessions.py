"""A session of KC v2.5: four rounds of winds, dealer streaks, chips (sections 1 to 3.1).

A deal is one of

    {"type": "win", "player", "multiplier" or "hand", "from" or "self_drawn", "robbing_kong"}
    {"type": "win", "winners": [{"player", "multiplier" or "hand"}, ...], "from"}
    {"type": "heavenly_win"}        天和
    {"type": "false_win", "player", "ready": {name: multiplier of the best hand}}
    {"type": "exhaust"}

and may say `dealer`, which is then checked, and ``bought``: [{"player", "from", "chips"}], chips
that changed hands after it without being won.
"""

from __future__ import annotations

from collections.abc import Iterator

from hupai.scoring.cases.fields import (
    Case,
    CaseFormatError,
    as_object,
    as_sequence,
    as_whole_number,
    flag,
    text,
    whole_number,
)
from hupai.scoring.checks.catalogue import problem
from hupai.scoring.kc.rules import KC_2_5
from hupai.scoring.kc.session import (
    HandEnd,
    KcSeating,
    KcSettlement,
    KcWinner,
    end_of,
    next_seating,
    settle_false_win,
    settle_heavenly_win,
    settle_win,
)
from hupai.scoring.result import Problem
from hupai.scoring.sessions.seats import (
    WIN_FIELDS,
    at_table,
    claims_of,
    deals_of,
    discarder_of,
    four_players,
    naming_deal,
    worth,
)
from hupai.scoring.sessions.sheet import (
    Scores,
    SessionRules,
    Sheet,
    SheetEntry,
    SheetPlace,
    SheetRow,
    added,
    balance_problems,
    dealer_problems,
    of_deal,
)

CHIPS = 114
"""Chips of each player at the start (3.1)."""

ROUNDS = 4
"""Rounds after which the seats are drawn again (section 1)."""

FIELDS = frozenset({"rules", "players", "dealer", "deals", "chips"})
"""Fields of a KC session."""

_DEAL_FIELDS = WIN_FIELDS | {
    "multiplier", "times", "robbing_kong", "ready", "dealer", "bought", "discarder_is_dealer",
}  # fmt: skip
_TYPES = ("win", "heavenly_win", "false_win", "exhaust")


def kc_sheet(session: Case) -> Sheet:
    """Settle the hands of a session in order.

    Raises:
        CaseFormatError: naming the deal and the field of what cannot be read.
    """
    players = four_players(session)
    first = at_table(str(session.get("dealer", players[0])), players, "dealer")
    seating = KcSeating(players, first)
    start = whole_number(session, "chips", default=CHIPS, least=1)
    running: Scores = tuple((player, 0) for player in players)
    chips = dict.fromkeys(players, start)
    passed = 0
    rows: list[SheetRow] = []
    problems: list[Problem] = []
    for number, deal, at in deals_of(session, _DEAL_FIELDS):
        with naming_deal(number):
            settled, end = _settle(deal, seating, at)
            bought = list(_bought(deal, players, at))
        other_dealer = dealer_problems(
            deal.get("dealer"), seating.dealer, ("by section 1", "按第1节")
        )
        problems += of_deal(number, (*other_dealer, *settled.problems))
        running = added(running, settled.nets())
        for player, gained in settled.nets():
            chips[player] += gained
        for buyer, seller, count in bought:
            chips[buyer] += count
            chips[seller] -= count
        problems += of_deal(number, _chip_problems(chips))
        rows.append(_row(number, seating, settled, passed // 4 + 1, running))
        following = next_seating(seating, end)
        if following.dealer != seating.dealer:
            passed += 1
            if passed % (4 * ROUNDS) == 0:
                problems += of_deal(number, (_new_seats(),))
        seating = following
    places = _places(running)
    return Sheet(
        "kc-2.5",
        players,
        tuple(rows),
        (),
        places,
        seating.dealer,
        (*problems, *balance_problems(places)),
    )


def _settle(deal: Case, seating: KcSeating, at: str) -> tuple[KcSettlement, HandEnd]:
    kind = text(deal, "type", f"{at}.", _TYPES)
    if kind == "exhaust":
        return KcSettlement(seating.players), HandEnd.EXHAUSTED
    if kind == "heavenly_win":
        if deal.get("player") not in (None, seating.dealer):
            message = f"only the dealer, {seating.dealer}, wins with the dealt tiles"
            raise CaseFormatError(f"{at}.player", message)
        return settle_heavenly_win(seating), HandEnd.DEALER_WINS
    if kind == "false_win":
        offender = text(deal, "player", f"{at}.")
        ready = [
            KcWinner(name, as_whole_number(times, f"{at}.ready.{name}", least=1))
            for name, times in as_object(deal.get("ready"), f"{at}.ready").items()
        ]
        return settle_false_win(seating, offender, ready), HandEnd.FALSE_WIN
    if kind != "win":
        raise CaseFormatError(f"{at}.type", f"{kind!r} is no deal: use {', '.join(_TYPES)}")
    discarder = discarder_of(deal, seating.players, at)
    winners = [_winner(one, deal, seating, discarder, place) for one, place in claims_of(deal, at)]
    robbing = flag(deal, "robbing_kong", f"{at}.") or flag(deal, "robbed_kong", f"{at}.")
    settled = settle_win(seating, winners, discarder, robbing_kong=robbing)
    if len(winners) == 2 and not settled.problems and not settled.winners:
        two = problem(
            "session_two_winners",
            "Two winners on one discard do not count (section 1), and the text does not say how "
            "the hand ends: nobody is paid, and it is taken as exhausted.",
            "一炮双响不计（第1节），规则未写明此盘如何了结：不付分，按流局计。",
        )
        settled = KcSettlement(settled.players, (), (), (two,))
    return settled, end_of(seating, settled.winners)


def _winner(one: Case, deal: Case, seating: KcSeating, discarder: str | None, at: str) -> KcWinner:
    name = at_table(text(one, "player", f"{at}."), seating.players, f"{at}.player")
    dealer = name == seating.dealer
    how: dict[str, object] = {
        "self_drawn": discarder is None,
        "dealer": dealer,
        "dealer_streak": seating.streak,
        "discarder_is_dealer": not dealer and discarder == seating.dealer,
    }
    return KcWinner(name, worth(KC_2_5, one, deal, how, ("multiplier", "times"), at))


def _bought(deal: Case, players: tuple[str, ...], at: str) -> Iterator[tuple[str, str, int]]:
    for i, given in enumerate(as_sequence(deal.get("bought"), f"{at}.bought")):
        place = f"{at}.bought[{i}]"
        one = as_object(given, place)
        buyer = at_table(text(one, "player", f"{place}."), players, f"{place}.player")
        seller = at_table(text(one, "from", f"{place}."), players, f"{place}.from")
        chips = whole_number(one, "chips", f"{place}.")
        if chips <= 0 or buyer == seller:
            raise CaseFormatError(f"{place}.chips", "a player buys chips from another")
        yield buyer, seller, chips


def _chip_problems(chips: dict[str, int]) -> Iterator[Problem]:
    for player, left in chips.items():
        if left <= 0:
            yield problem(
                "session_chips",
                f"{player} has no chips left and owes {-left}: settle by transfer and buy chips "
                "from a winner before the next hand (3.1), and log them as bought.",
                f"{player} 筹码已输光，欠{-left}：下一把开始前须转账还清并向赢家购买（3.1），"
                "记为 bought。",
            )


def _new_seats() -> Problem:
    return problem(
        "session_seats",
        "four rounds are over: throw the dice again for the seats (section 1), and begin a new "
        "session with them.",
        "四圈已打完：重新掷骰换风（第1节），另起一场。",
    )


def _row(
    number: int, seating: KcSeating, settled: KcSettlement, round_: int, running: Scores
) -> SheetRow:
    entries = tuple(
        SheetEntry(None, one.payer, one.payee, one.amount, one.clause, one.formula, one.formula)
        for one in settled.transfers
        if one.amount
    )
    return SheetRow(
        number, seating.dealer, round_, settled.winners, settled.nets(), running, entries
    )


def _places(running: Scores) -> tuple[SheetPlace, ...]:
    ordered = sorted(running, key=lambda pair: -pair[1])
    scores = [points for _, points in ordered]
    return tuple(
        SheetPlace(
            player,
            1 + scores.index(points),
            points,
            0,
            None,
            "shared" if scores.count(points) > 1 else "score",
            "KC v2.5, 3",
        )
        for player, points in ordered
    )


SESSIONS = SessionRules(FIELDS, kc_sheet)
"""How a session of this family is settled."""
