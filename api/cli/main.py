"""The command ``hupai``.

Results go to standard output, everything else to standard error. Exit codes: 0 done, 1 done with
problems (they are printed, or in the JSON), 2 bad usage.
"""

from __future__ import annotations

import io
import os
import sys
from importlib import import_module
from typing import Annotated

import typer

from hupai.api.cli.typer_app import EXIT_CODES, LanguageOption, LazyCommand, lazy_group

_MODULES = "hupai.api.cli.commands."

COMMANDS = {
    name: LazyCommand(_MODULES + module, summary)
    for name, module, summary in (
        ("read", "photos", "Show what photos contain: tiles, sets, the likeliest hands, problems."),
        ("bulk", "bulk.commands", "Read an archive of photos into a table of hands and scores."),
        ("photo", "photo_score", "Read a photo and score the hand in it. 看照片，算番数。"),
        ("score", "scoring", "Score a hand in notation."),
        ("waits", "scoring", "List the winning tiles of a hand of 13 and what each scores."),
        ("compare", "scoring", "Score one hand under several rule sets, by default all."),
        ("deal", "deal", "Settle a deal of Sichuan mahjong, or rank a session."),
        ("session", "deal", "Settle a session: every deal with running totals, fines, places."),
        ("conformance", "scoring", "Run scoring cases and show those that differ."),
        ("serve", "serve", "Start the service: the page at /, the API under /v1."),
        ("doctor", "doctor", "Check that the service has all it needs."),
        ("keys", "keys", "API keys: who may use the service, and for what."),
        ("storage", "storage", "Stored hands and photos: retention, deletion, a check."),
        ("tile-sets", "tile_sets", "Enrolled tile sets."),
        ("dossier", "dossier", "Cases of disputed hands, kept as signed logs. 裁判案卷。"),
        ("overlay", "overlay", "The broadcast overlay over the video. 直播叠加画面。"),
        ("models", "models", "The models that read photos."),
        ("datasets", "datasets", "Scenes, faces and stored hands to train and test with."),
    )
}
"""Every command, with the line that ``hupai --help`` shows for it."""

app = typer.Typer(
    name="hupai",
    cls=lazy_group(COMMANDS),
    help="Reads a photo of a mahjong hand and says what it scores, and why. 看照片，算番数。",
    epilog=f"Exit codes: {EXIT_CODES}. `hupai COMMAND --help` has examples.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        # importlib.metadata takes 20 ms to import, and only this option needs it
        metadata = import_module("importlib.metadata")
        try:
            typer.echo(f"hupai {metadata.version('hupai')}")
        except metadata.PackageNotFoundError:
            # rich takes 50 ms to import, and only this line needs it
            terminal = import_module("hupai.api.cli.terminal")
            terminal.tell("hupai, run from its sources without being installed")
        raise typer.Exit


@app.callback()
def _common(
    _version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version and stop.", callback=_print_version, is_eager=True
        ),
    ] = False,
    _language: LanguageOption = None,
) -> None:
    pass


def main() -> None:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        app()
    except BrokenPipeError:
        # The reader went away (`hupai read … | head`): nothing is left to say, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


if __name__ == "__main__":
    main()
