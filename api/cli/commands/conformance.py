"""``hupai conformance``: scoring cases, run and compared."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hupai.api.cli.options import JsonOption
from hupai.api.cli.terminal import fail, finish, os_reason, print_json
from hupai.api.cli.typer_app import App
from hupai.scoring.conformance import run_file

app = App()


@app.add(
    "conformance",
    "hupai conformance cases.jsonl",
    exits="0 every case passed, 1 a case differs or the file cannot be read, 2 bad usage",
)
def conformance(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE.jsonl", readable=False, help="Scoring cases, one JSON object a line."
        ),
    ],
    as_json: JsonOption = False,
    every: Annotated[bool, typer.Option("--all", help="List the cases that pass, too.")] = False,
) -> None:
    """Run scoring cases and show each that differs.

    Both breakdowns are shown; the last line counts.
    """
    try:
        report = run_file(file)
    except OSError as error:
        fail(f"{file}: {os_reason(error)}")
    for result in report.results if every else report.failures:
        if as_json:
            print_json(result)
        elif result.passed:
            typer.echo(f"{result.id or f'line {result.line}'} [{result.rules}] passed")
        else:
            typer.echo("\n".join(result.lines()))
    counts = {"passed": report.passed, "failed": report.failed}
    print_json(counts) if as_json else typer.echo(report.summary)
    finish(report.failed > 0)
