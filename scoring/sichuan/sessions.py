"""A session of Sichuan mahjong: eight deals, running sums, fines that grow, standard points (annex
A, 7.3.1, 10.4.2-10.4.3, chapter 11).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from hupai.scoring.cases.fields import (
    Case,
    CaseFormatError,
    as_object,
    as_sequence,
    as_whole_number,
    is_name,
    text,
)
from hupai.scoring.checks.catalogue import problem
from hupai.scoring.checks.hand import errors_first
from hupai.scoring.result import Problem, Severity
from hupai.scoring.sessions.seats import standard_points
from hupai.scoring.sessions.sheet import (
    Scores,
    SessionRules,
    Sheet,
    SheetEntry,
    SheetFine,
    SheetPlace,
    SheetRow,
    added,
    balance_problems,
    dealer_problems,
    of_deal,
)
from hupai.scoring.sichuan.deal.checks import FINE_GRADES
from hupai.scoring.sichuan.deal.json import parse_deal
from hupai.scoring.sichuan.deal.ladder import MISCONDUCT, MISCONDUCT_NAMES, Tally
from hupai.scoring.sichuan.deal.log import Deal, Fine, Offence
from hupai.scoring.sichuan.deal.payments import EntryKind, Ledger
from hupai.scoring.sichuan.deal.settle import Settlement, fine_wording, settle
from hupai.scoring.sichuan.deal.trust import trust_summary
from hupai.scoring.sichuan.standings import session_results, standings

DEALS = 8
"""Deals of a session, and rows of the sheet of annex A (7.3.1)."""

_SHARED = ("format", "mode", "variant", "partners", "teams", "partner_play", "two_vs_two", "2v2")
"""Fields of the session that every deal inherits."""

FIELDS = frozenset(
    {"rules", "players", "dealer", "deals", "penalties", "standard_points", "scores", *_SHARED}
)
"""Fields of a Sichuan session."""


def sichuan_sheet(session: Case) -> Sheet:
    """Settle the deals of a session in order and rank the players.

    Raises:
        CaseFormatError: naming deal, event and field of what cannot be read.
    """
    players = _players(session)
    tally: Tally = Counter()
    late = _late_fines(session, players, tally)
    running: Scores = tuple((player, 0) for player in players)
    dealer: str | None = str(session.get("dealer") or players[0])
    rows: list[SheetRow] = []
    fines = [*late]
    ledgers: list[Ledger] = []
    deals: list[Deal] = []
    problems: list[Problem] = []
    for number, given in enumerate(as_sequence(session.get("deals"), "deals"), 1):
        deal, dealer = _deal(session, given, number, dealer, tally, problems)
        settled = settle(deal)
        ledgers.append(settled.ledger)
        deals.append(deal)
        # What is taken on trust is said once for the whole session, below.
        problems += of_deal(number, (p for p in settled.problems if p.code != "deal_on_trust"))
        running = added(running, settled.ledger.nets())
        rows.append(_row(number, dealer, settled, running))
        fines += _fines(number, deal, settled)
        dealer = settled.next_dealer if settled.finished else None
    places = _places(session, ledgers, late, players)
    problems += _number_of_deals(len(rows))
    problems += balance_problems(places)
    return Sheet(
        "sichuan-2024",
        players,
        tuple(rows),
        tuple(fines),
        places,
        dealer,
        errors_first((*problems, *trust_summary(deals))),
    )


def _players(session: Case) -> tuple[str, ...]:
    listed = as_sequence(session.get("players"), "players")
    names = tuple(name for name in listed if is_name(name))
    if len(names) not in (3, 4) or len(set(names)) != len(listed):
        raise CaseFormatError(
            "players", f"must be three or four different names, east first, got {listed!r}"
        )
    dealer = session.get("dealer")
    if dealer is not None and dealer not in names:
        raise CaseFormatError("dealer", f"{dealer!r} is not among the players")
    return names


def _deal(
    session: Case,
    given: object,
    number: int,
    dealer: str | None,
    tally: Tally,
    problems: list[Problem],
) -> tuple[Deal, str | None]:
    """Read a deal, with what it inherits from the session; its dealer follows from the last one."""
    at = f"deals[{number - 1}]"
    own = as_object(given, at)
    stated = own.get("dealer")
    problems += of_deal(number, dealer_problems(stated, dealer, ("by 3.4", "按 3.4 ")))
    inherited = {name: session[name] for name in ("players", *_SHARED) if name in session}
    merged: dict[str, object] = {**inherited, "dealer": dealer, **own}
    if stated is None:
        merged["dealer"] = dealer
    if list(as_sequence(merged.get("players"), f"{at}.players")) != list(
        as_sequence(session.get("players"), "players")
    ):
        raise CaseFormatError(f"{at}.players", "must be the players of the session")
    try:
        return parse_deal(merged, tally=tally), stated if isinstance(stated, str) else dealer
    except CaseFormatError as error:
        raise error.within(f"{at}.{error.field}", f"deal {number}, ", f"第{number}副") from None


def _row(number: int, dealer: str | None, settled: Settlement, running: Scores) -> SheetRow:
    ledger = settled.ledger
    entries = tuple(
        SheetEntry(
            None if one.event is None else one.event + 1,
            one.payer,
            one.payee,
            one.points,
            one.clause,
            one.why_en,
            one.why_zh,
        )
        for one in ledger.entries
    )
    return SheetRow(number, dealer, None, settled.winners, ledger.nets(), running, entries)


def _fines(number: int, deal: Deal, settled: Settlement) -> list[SheetFine]:
    """List the fines that were settled, and the warnings."""
    taken = {(e.event, e.payer) for e in settled.ledger.entries if e.kind is EntryKind.FINE}
    refused = {
        int(p.message.split(":")[0].removeprefix("Event "))
        for p in settled.problems
        if p.severity is Severity.ERROR and p.message.startswith("Event ")
    }
    found = []
    for index, event in enumerate(deal.events):
        if not isinstance(event, Fine):
            continue
        place = deal.number(index)
        warned = not event.charged and (place is None or place + 1 not in refused)
        if warned or (place, event.player) in taken:
            clause, en, zh = fine_wording(event)
            found.append(SheetFine(number, event.player, event.charged, clause, en, zh))
    return found


def _late_fines(session: Case, players: tuple[str, ...], tally: Tally) -> list[SheetFine]:
    """Read fines outside the deals: coming late and the like (11.1 b 1).

    ``penalties`` is {player: points} or a list of {player, points, reason}.
    """
    given = session.get("penalties")
    if isinstance(given, Mapping):
        listed: list[object] = [{"player": p, "points": n} for p, n in given.items()]
    else:
        listed = list(as_sequence(given, "penalties"))
    found = []
    for i, one in enumerate(listed):
        at = f"penalties[{i}]"
        fine = as_object(one, at)
        player, reason = text(fine, "player", f"{at}."), str(fine.get("reason", ""))
        if player not in players:
            raise CaseFormatError(f"{at}.player", f"{player!r} is not among the players")
        name = MISCONDUCT_NAMES.get(reason, "")
        if name:
            tally[player, name] += 1
        if fine.get("points") is not None:
            points = abs(as_whole_number(fine["points"], f"{at}.points"))
            if points > FINE_GRADES[-1]:
                message = f"no fine is higher than 24 (11.1 b), got {points}: list each by itself"
                raise CaseFormatError(f"{at}.points", message)
        elif name:
            points = MISCONDUCT[name].points(tally[player, name] - 1)
        else:
            raise CaseFormatError(f"{at}.points", "say how many points the fine is")
        event = Fine(player, Offence.OTHER, points, name, tally[player, name] if name else 0)
        clause, en, zh = fine_wording(event)
        if not name and reason:
            en, zh = f"{en} ({reason})", f"{zh}（{reason}）"
        found.append(SheetFine(None, player, points, clause, en, zh))
    return found


def _places(
    session: Case, ledgers: list[Ledger], late: list[SheetFine], players: tuple[str, ...]
) -> tuple[SheetPlace, ...]:
    outside = [(fine.player, fine.points) for fine in late]
    results = session_results(ledgers or [Ledger(players)], outside)
    scale = standard_points(session, len(players))
    by_name = {result.player: result for result in results}
    return tuple(
        SheetPlace(
            one.player,
            one.rank,
            by_name[one.player].score,
            by_name[one.player].fined,
            one.standard,
            one.decided_by,
            one.clause,
        )
        for one in standings(results, scale or None)
    )


def _number_of_deals(count: int) -> tuple[Problem, ...]:
    if count == DEALS:
        return ()
    if count > DEALS:
        en = f"{count} deals are logged, and a session has {DEALS} (7.3.1): they are all counted."
        zh = f"记录了{count}副，而一局为{DEALS}副（7.3.1）：均已计入。"
        return (Problem("session_deals", Severity.WARNING, en, zh),)
    return (
        problem(
            "session_deals",
            f"{count} of {DEALS} deals are logged (7.3.1): the places are those so far.",
            f"已记{count}副，一局共{DEALS}副（7.3.1）：名次为至此的名次。",
        ),
    )


SESSIONS = SessionRules(FIELDS, sichuan_sheet)
"""How a session of this family is settled."""
