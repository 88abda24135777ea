"""``hupai deal``: settle a whole deal of Sichuan mahjong, or rank a session."""

from __future__ import annotations

import sys
from collections.abc import Mapping
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
    serious,
)
from hupai.api.cli.typer_app import App
from hupai.api.contract import to_dict
from hupai.scoring.cases.fields import CaseFormatError
from hupai.scoring.cases.json_text import read_json
from hupai.scoring.result import Problem
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
    exits="0 settled, 1 problems, or the file cannot be read, 2 the file is no log of a deal",
)
def deal(file: DealArgument, as_json: JsonOption = False) -> None:
    """Settle a deal of Sichuan mahjong, or rank a session.

    Every payment is shown with its clause; tiles that the log names are held to the rules, and what
    names none is taken on trust. The log is that of the scoring cases: {"players": [...], "dealer":
    ..., "events": [{"type": "kong" | "pung" | "win" | "multi_win" | "exhaust" | "fine" ...}]}. A
    session is {"scores": {name: points}, "penalties": {name: points}}.
    """
    value = _read(file)
    with bad_usage(CaseFormatError, StandingError):
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


def _read(file: Path) -> object:
    try:
        text = sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8")
    except OSError as error:
        fail(f"{file}: {os_reason(error)}")
    except UnicodeDecodeError as error:
        fail(f"{file}: not UTF-8 text: {error}", ExitCode.BAD_USAGE)
    with bad_usage(CaseFormatError):
        return read_json(text, str(file))


def _show_settlement(settlement: Settlement) -> None:
    table = Rows("event", "from", "to", "points", "clause", "why", "缘由", right=("points",))
    for entry in settlement.ledger.entries:
        payee = entry.payee or "(fine)"
        reasons = (entry.clause, entry.why_en, entry.why_zh)
        number = "-" if entry.event is None else entry.event + 1
        table.add(number, entry.payer, payee, entry.points, *reasons)
    totals = Rows("player", "net", right=("net",))
    for player, net in settlement.ledger.nets():
        totals.add(player, f"{net:+d}")
    out().print(table, totals)
    if settlement.next_dealer is not None and settlement.finished:
        out().print(f"Next dealer: {settlement.next_dealer}", markup=False)
    if settlement.problems:
        out().print(problem_lines(settlement.problems))


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
