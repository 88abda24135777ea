"""``hupai doctor``: is everything there that the service needs?"""

from __future__ import annotations

from dataclasses import asdict

from rich.markup import escape

from hupai.api.app.doctor import State, examine
from hupai.api.cli.opening import load_settings
from hupai.api.cli.options import JsonOption
from hupai.api.cli.terminal import finish, out, print_json
from hupai.api.cli.typer_app import App

app = App()
_MARKS = {"ok": "[green]ok[/]", "warning": "[yellow]look[/]", "failed": "[red]FAILED[/]"}


@app.add("doctor", "hupai doctor", exits="0 the service can work, 1 something failed, 2 bad usage")
def doctor(as_json: JsonOption = False) -> None:
    """Check that the service has all it needs.

    Looks at weights and their SHA-256, database and its revision, photo store, write permissions,
    room, fonts and keys. Takes the settings of the service from the environment.
    """
    failed = False
    for check in examine(load_settings()):
        failed |= check.state is State.FAILED
        if as_json:
            print_json(asdict(check))
            continue
        advice = "" if check.state is State.OK or not check.advice else f"\n        {check.advice}"
        text = f"{_MARKS[check.state]} {escape(f'{check.name}: {check.detail}{advice}')}"
        out().print(text, soft_wrap=True)
    finish(failed)
