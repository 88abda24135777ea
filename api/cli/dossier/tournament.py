"""``hupai dossier``: the cases of a tournament together."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal

import typer

from hupai.api.cli.chinese.translate import in_chinese
from hupai.api.cli.dossier.cases import opened_cases
from hupai.api.cli.options import JsonOption
from hupai.api.cli.terminal import Rows, fail, finish, note, os_reason, out, print_json, tell
from hupai.api.cli.typer_app import App, said
from hupai.api.dossier.tournament.desk import (
    MANIFEST,
    Chosen,
    Exported,
    NotExported,
    TournamentDesk,
    manifest,
)
from hupai.api.dossier.tournament.overview import CaseGroup, statistics

TournamentOption = Annotated[str, typer.Option(help="Only of this tournament.")]
SessionOption = Annotated[str, typer.Option(help="Only of this session.")]
TableOption = Annotated[str, typer.Option(help="Only of this table.")]
StateOption = Annotated[
    Literal["", "open", "ruled", "closed"], typer.Option(help="Only those in this state.")
]


@contextmanager
def _desk() -> Iterator[TournamentDesk]:
    with opened_cases() as service:
        yield TournamentDesk(service)


def list_cases(
    tournament: TournamentOption = "",
    session: SessionOption = "",
    table: TableOption = "",
    state: StateOption = "",
    as_json: JsonOption = False,
) -> None:
    """List cases by session and table, those that wait for a referee first."""
    with _desk() as desk:
        found = desk.chosen(Chosen(tournament, session, table, state))
    rows = Rows(
        *("case", "title", "session", "table", "rules", "state", "to decide", "total", "last"),
        whole=("case",),
    )
    for one in found:
        if as_json:
            print_json({"case": one.id, **asdict(one)})
            continue
        undecided = ", ".join(map(str, one.undecided))
        total = "" if one.total is None else f"{one.total} {one.unit}"
        last = one.updated[:16].replace("T", " ") + " UTC"
        where = (one.session, one.table, one.rules)
        rows.add(one.id, one.title, *where, one.state, undecided, total, last)
    if not as_json:
        out().print(rows)


def show_statistics(
    tournament: TournamentOption = "",
    session: SessionOption = "",
    table: TableOption = "",
    as_json: JsonOption = False,
) -> None:
    """Show figures for the head referee: what waits, what was ruled, how often claims were
    right."""
    with _desk() as desk:
        found = statistics(desk.chosen(Chosen(tournament, session, table)))
    if as_json:
        print_json(asdict(found))
        return
    minutes = "–" if found.minutes is None else f"{found.minutes:g} minutes"
    for line in (
        f"{found.cases} cases: {found.open} open, {found.ruled} ruled, {found.closed} closed; "
        f"{found.waiting} wait, {found.undecided} entries undecided",
        f"{found.rulings} rulings: {found.wins} wins, {found.false_wins} false wins, "
        f"{found.voids} void; {found.fines} fines, {found.fine_points} points",
        f"corrections: {found.accepted} accepted, {found.rejected} rejected",
        f"claims as ruled: {found.claims_right} of {found.claims}; computed as ruled: "
        f"{found.computed_right} of {found.rulings}; read with certainty: {found.certain} of "
        f"{found.cases}",
        f"from opening to the first ruling: {minutes} (median)",
    ):
        tell(line)
    for name, groups in (
        ("session", found.by_session),
        ("table", found.by_table),
        ("rules", found.by_rules),
        ("referee", found.by_referee),
    ):
        tell(f"by {name}: {_grouped(groups)}")


def export_all(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where to write the files.")],
    tournament: TournamentOption = "",
    session: SessionOption = "",
    table: TableOption = "",
    state: StateOption = "",
) -> None:
    """Write the bundle of every case into a folder, one file a case, and a list of them.

    manifest.json lists the files, and the cases that could not be exported, with the reason.
    """
    found: list[Exported | NotExported] = []
    with _desk() as desk:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for one, data in desk.bundles(Chosen(tournament, session, table, state)):
                found.append(one)
                if isinstance(one, NotExported):
                    why = said(one.message, one.message_zh)
                    note(f"case {one.case} ({one.title or '–'}) was not exported: {why}")
                    continue
                (folder / one.file).write_bytes(data)
                typer.echo(str(folder / one.file))
            (folder / MANIFEST).write_bytes(manifest(found))
        except OSError as error:
            fail(f"cannot write {folder}: {os_reason(error)}")
    finish(any(isinstance(one, NotExported) for one in found))


def _grouped(groups: tuple[CaseGroup, ...]) -> str:
    return ", ".join(
        f"{one.name or '–'} {one.cases}" + (in_chinese(f" ({one.open} wait)") if one.open else "")
        for one in groups
    )


def add_to(app: App) -> None:
    """Add the commands to those of ``hupai dossier``."""
    app.add("list", "hupai dossier list", "hupai dossier list --session 2 --state open")(list_cases)
    app.add("statistics", "hupai dossier statistics --tournament 'Spring Open'")(show_statistics)
    app.add(
        "export-all",
        "hupai dossier export-all cases --session 2",
        exits="0 all exported, 1 some case could not be exported, 2 bad usage",
    )(export_all)
