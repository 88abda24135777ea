"""``hupai doctor``: is everything there that the service needs?"""

from __future__ import annotations

from dataclasses import asdict

from rich.text import Text

from hupai.api.app.doctor import State, examine
from hupai.api.cli.chinese.translate import in_chinese
from hupai.api.cli.opening import load_settings
from hupai.api.cli.options import JsonOption
from hupai.api.cli.terminal import finish, out, print_json
from hupai.api.cli.typer_app import App

app = App()
_MARKS = {"ok": ("ok", "green"), "warning": ("look", "yellow"), "failed": ("FAILED", "red")}


@app.add("doctor", "hupai doctor", exits="0 the service can work, 1 something failed, 2 bad usage")
def doctor(as_json: JsonOption = False) -> None:
    """Check that the service has all it needs.

    Looks at weights and their SHA-256, database and its revision, photo store, write permissions,
    disk space, fonts and keys. Takes the settings of the service from the environment.
    """
    failed = False
    for check in examine(load_settings()):
        failed |= check.state is State.FAILED
        if as_json:
            print_json(asdict(check))
            continue
        word, style = _MARKS[check.state]
        text = Text(in_chinese(word), style=style)
        text.append(f" {in_chinese(check.name)}: {in_chinese(check.detail)}", style="default")
        if check.advice and check.state is not State.OK:
            text.append(f"\n        {in_chinese(check.advice)}", style="default")
        out().print(text, soft_wrap=True)
    finish(failed)
