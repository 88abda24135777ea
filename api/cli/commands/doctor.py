"""``hupai doctor``: is everything there that the service needs?"""

from __future__ import annotations

import json
from dataclasses import asdict

import typer
from rich.markup import escape

from hupai.api.cli.common import JsonOption, fail, finish, out

_MARKS = {"ok": "[green]ok[/]", "warning": "[yellow]look[/]", "failed": "[red]FAILED[/]"}


def doctor(as_json: JsonOption = False) -> None:
    """Check weights and their SHA-256, database and its revision, photo store, write permissions,
    room, fonts and keys.

    Takes the settings of the service from the environment. Exit code 0: the service can work, 1:
    something failed.
    """
    from pydantic import ValidationError

    from hupai.api.app.doctor import State, examine
    from hupai.api.web.settings import Settings

    try:
        settings = Settings()
    except ValidationError as error:
        fail("; ".join(f"HUPAI_{str(e['loc'][0]).upper()}: {e['msg']}" for e in error.errors()))
    failed = False
    for check in examine(settings):
        failed |= check.state is State.FAILED
        if as_json:
            typer.echo(json.dumps(asdict(check), ensure_ascii=False))
            continue
        advice = (
            f"\n        {escape(check.advice)}"
            if check.advice and check.state is not State.OK
            else ""
        )
        out().print(
            f"{_MARKS[check.state]} {escape(check.name)}: {escape(check.detail)}{advice}",
            soft_wrap=True,
        )
    finish(failed)
