"""``hupai deal``: settle a whole deal of Sichuan mahjong, or rank a session."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from hupai.api.cli.common import ExitCode, JsonOption, fail, finish, out, serious
from hupai.api.cli.tables import problem_lines
from hupai.api.contract.serialise import json_line, settlement_json
from hupai.scoring.cases.fields import CaseFormatError
from hupai.scoring.sichuan.deal.json import parse_deal
from hupai.scoring.sichuan.deal.settle import Settlement, settle
from hupai.scoring.sichuan.standings import Standing, StandingError, standings
from hupai.scoring.sichuan.standings_json import parse_standing

DealArgument = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help="JSON file with players and events, or with a session's scores; - for standard input.",
    ),
]


def deal(file: DealArgument, as_json: JsonOption = False) -> None:
    """Settle a Sichuan deal from its log: every payment with its clause, or rank a session by its
    scores.

    The log is that of the scoring cases: {"players": [...], "dealer": ..., "events": [{"type":
    "kong" | "win" | "multi_win" | "exhaust" | "fine" ...}]}. A session is {"scores": {name:
    points}, "penalties": {name: points}}.
    """
    value = _read(file)
    try:
        if isinstance(value, Mapping) and "scores" in value:
            _show_standings(standings(*parse_standing(value)), as_json)
            return
        settlement = settle(parse_deal(value))
    except CaseFormatError as error:
        fail(str(error), ExitCode.BAD_USAGE)
    except StandingError as error:
        fail(str(error), ExitCode.BAD_USAGE)
    if as_json:
        typer.echo(json_line(settlement_json(settlement)))
    else:
        _show_settlement(settlement)
    finish(serious(settlement.problems))


def _read(file: Path) -> object:
    try:
        text = sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        fail(f"{file}: {getattr(error, 'strerror', None) or error}", ExitCode.BAD_USAGE)
    try:
        value: object = json.loads(text)
    except ValueError as error:
        fail(f"{file}: not JSON: {error}", ExitCode.BAD_USAGE)
    return value


def _show_settlement(settlement: Settlement) -> None:
    table = Table("event", "from", "to", "points", "clause", "why", "缘由")
    table.columns[3].justify = "right"
    for entry in settlement.ledger.entries:
        payee = entry.payee or "(fine)"
        table.add_row(
            str(entry.event + 1),
            entry.payer,
            payee,
            str(entry.points),
            entry.clause,
            entry.why_en,
            entry.why_zh,
        )
    totals = Table("player", "net")
    totals.columns[1].justify = "right"
    for player, net in settlement.ledger.nets():
        totals.add_row(player, f"{net:+d}")
    out().print(table, totals)
    if settlement.next_dealer is not None:
        out().print(f"Next dealer: {settlement.next_dealer}", markup=False)
    if settlement.problems:
        out().print(problem_lines(settlement.problems))


def _show_standings(placed: tuple[Standing, ...], as_json: bool) -> None:
    if as_json:
        rows = [
            {
                "player": s.player,
                "rank": s.rank,
                "standard": float(s.standard),
                "decided_by": s.decided_by,
                "clause": s.clause,
            }
            for s in placed
        ]
        typer.echo(json_line({"standings": rows}))
        return
    table = Table("rank", "player", "standard points", "decided by", "clause")
    for s in placed:
        table.add_row(str(s.rank), s.player, f"{float(s.standard):g}", s.decided_by, s.clause)
    out().print(table)
