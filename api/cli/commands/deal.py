"""``hupai deal`` and ``hupai session``: settle deals of a whole session, or rank one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated

import typer

from hupai.api.cli.options import JsonOption
from hupai.api.cli.score_tables import problem_lines
from hupai.api.cli.terminal import (
    ExitCode,
    Rows,
    bad_usage,
    fail,
    finish,
    os_reason,
    out,
    print_json,
    read_text,
    serious,
    tell,
)
from hupai.api.cli.typer_app import LANGUAGE, App
from hupai.api.contract import to_dict
from hupai.scoring.cases.fields import CaseFormatError
from hupai.scoring.cases.json_text import read_json
from hupai.scoring.checks.hand import errors_first
from hupai.scoring.result import Problem
from hupai.scoring.session import event_sheet, session_sheet
from hupai.scoring.sessions.sheet import EventPlace, EventSheet, Sheet
from hupai.scoring.sessions.tables import decimal, sheet_csv
from hupai.scoring.sichuan.deal.json import parse_deal
from hupai.scoring.sichuan.deal.settle import Settlement, settle
from hupai.scoring.sichuan.standings import (
    Standing,
    StandingError,
    balance_problems,
    standings,
)
from hupai.scoring.sichuan.standings_json import parse_standing, refuse_unknown_fields

app = App()

DealArgument = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        readable=False,
        help="JSON file with players and events, or with a session's scores; - for standard input.",
    ),
]


@app.add(
    "deal",
    "hupai deal deal.json",
    exits="0 settled, 1 problems, or the file cannot be read, 2 the file is not a deal log",
)
def deal(file: DealArgument, as_json: JsonOption = False) -> None:
    """Settle a deal of Sichuan mahjong, or rank a session.

    Every payment is shown with its clause. Tiles in the log are checked against the rules; events
    without tiles are taken on trust. The log has the form of the scoring cases: {"players": [...],
    "dealer": ..., "events": [{"type": "kong" | "pung" | "win" | "multi_win" | "exhaust" | "fine"
    ...}]}. A session is {"scores": {name: points}, "penalties": {name: points}}.
    """
    text = read_text(file)
    with bad_usage(CaseFormatError, StandingError):
        value = read_json(text, str(file))
        if isinstance(value, Mapping) and "scores" in value:
            refuse_unknown_fields(value)
            results, scale = parse_standing(value)
            problems = balance_problems(results)
            _show_standings(standings(results, scale), problems, as_json)
            finish(serious(problems))
            return
        settlement = settle(parse_deal(value))
    if as_json:
        print_json(settlement)
    else:
        _show_settlement(settlement)
    finish(serious(settlement.problems))


def _show_settlement(settlement: Settlement) -> None:
    why = {"zh": ("缘由",), "en": ("why",)}.get(LANGUAGE.get(), ("why", "缘由"))
    table = Rows("event", "from", "to", "points", "clause", *why, right=("points",))
    for entry in settlement.ledger.entries:
        payee = entry.payee or "(fine)"
        reasons = (entry.clause, *_in_language(entry.why_en, entry.why_zh))
        number = "-" if entry.event is None else entry.event + 1
        table.add(number, entry.payer, payee, entry.points, *reasons)
    totals = Rows("player", "net", right=("net",))
    for player, net in settlement.ledger.nets():
        totals.add(player, f"{net:+d}")
    out().print(table, totals)
    if settlement.next_dealer is not None and settlement.finished:
        tell(f"Next dealer: {settlement.next_dealer}")
    if settlement.problems:
        out().print(problem_lines(errors_first(settlement.problems)))


def _in_language(en: str, zh: str) -> tuple[str, ...]:
    """Return the cells for a sentence: one in the requested language, else both."""
    return {"zh": (zh,), "en": (en,)}.get(LANGUAGE.get(), (en, zh))


def _show_standings(
    placed: tuple[Standing, ...], problems: tuple[Problem, ...], as_json: bool
) -> None:
    if as_json:
        rows = [
            {
                "player": one.player,
                "rank": one.rank,
                "standard": float(one.standard),
                "decided_by": one.decided_by,
                "clause": one.clause,
            }
            for one in placed
        ]
        print_json({"standings": rows, "problems": [to_dict(one) for one in problems]})
        return
    table = Rows("rank", "player", "standard points", "decided by", "clause")
    for one in placed:
        table.add(one.rank, one.player, f"{float(one.standard):g}", one.decided_by, one.clause)
    out().print(table)
    if problems:
        out().print(problem_lines(problems))


@app.add(
    "session",
    "hupai session session.json",
    "hupai session session.json --csv > session.csv",
    exits="0 settled, 1 problems, or the file cannot be read, 2 the file is not a session log",
)
def session(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            readable=False,
            help="JSON file with rules, players and deals, or with sessions; - for standard input.",
        ),
    ],
    as_json: JsonOption = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print the sheet as CSV.")] = False,
    page: Annotated[
        Path | None,
        typer.Option("--html", metavar="FILE", help="Write the sheet as a page to print."),
    ] = None,
) -> None:
    """Settle a session: every deal with running totals, fines, places. 一局的记分表。

    Rule sets: sichuan-2024, kc-2.5, the MCR and the riichi profiles. The log is {"rules": ...,
    "players": [...], "deals": [...]}; several sessions are {"sessions": [...], "teams": {name:
    [...]}} and end with the final ranking. docs/sessions.md describes the fields of a deal.
    """
    if as_json and as_csv:
        fail("--json and --csv: choose one", ExitCode.BAD_USAGE)
    text = read_text(file)
    with bad_usage(CaseFormatError, StandingError):
        value = read_json(text, str(file))
        if isinstance(value, Mapping) and "sessions" in value:
            event = event_sheet(value)
            if as_csv or page is not None:
                fail("--csv and --html show one session", ExitCode.BAD_USAGE)
            print_json(event) if as_json else _show_event(event)
            finish(serious(event.problems))
            return
        sheet = session_sheet(value)
    if page is not None:
        _write_page(page, sheet)
    if as_json:
        print_json(sheet)
    elif as_csv:
        typer.echo(sheet_csv(sheet), nl=False)
    else:
        show_sheet(sheet)
    finish(serious(sheet.problems))


def _write_page(page: Path, sheet: Sheet) -> None:
    from hupai.api.scores.session_sheet import sheet_html

    try:
        page.write_text(sheet_html(sheet), encoding="utf-8")
    except OSError as error:
        fail(f"{page}: {os_reason(error)}")


def show_sheet(sheet: Sheet) -> None:
    """Print a session: one row per deal, fines, places, problems."""
    table = Rows("deal", "dealer", *sheet.players, title=sheet.rules, right=sheet.players)
    for row in sheet.rows:
        cells = [
            f"{net:+d} ({total:+d})"
            for (_, net), (_, total) in zip(row.net, row.running, strict=True)
        ]
        table.add(row.deal, row.dealer or "", *cells)
    out().print(table)
    if sheet.fines:
        why = {"zh": ("缘由",), "en": ("reason",)}.get(LANGUAGE.get(), ("reason", "缘由"))
        fines = Rows("deal", "player", "points", *why, "clause", right=("points",))
        for fine in sheet.fines:
            where = "" if fine.deal is None else fine.deal
            fines.add(
                where,
                fine.player,
                fine.points,
                *_in_language(fine.reason_en, fine.reason_zh),
                fine.clause,
            )
        out().print(fines)
    places = Rows("place", "player", "score", "fines", "standard points", "decided by", "clause")
    for place in sheet.places:
        standard = decimal(place.standard)
        places.add(
            place.rank,
            place.player,
            f"{place.score:+d}",
            place.fined,
            standard,
            place.decided_by,
            place.clause,
        )
    out().print(places)
    if sheet.next_dealer is not None:
        tell(f"Next dealer: {sheet.next_dealer}")
    if sheet.problems:
        out().print(problem_lines(errors_first(sheet.problems)))


def _show_event(event: EventSheet) -> None:
    for sheet in event.sessions:
        show_sheet(sheet)
    _show_ranking("player", event.players)
    if event.teams:
        _show_ranking("team", event.teams)


def _show_ranking(heading: str, places: Iterable[EventPlace]) -> None:
    table = Rows("place", heading, "standard points", "score", "sessions", title="10.4.4")
    for place in places:
        sessions = " ".join(decimal(points) for points in place.sessions)
        table.add(place.rank, place.name, decimal(place.standard), f"{place.score:+d}", sessions)
    out().print(table)
