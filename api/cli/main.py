"""The command ``hupai``.

Exit codes: 0 done, 1 done with problems (they are printed, or stand in the JSON), 2 bad usage.
Results go to standard output, everything else to standard error.
"""

from __future__ import annotations

import io
import os
import sys
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated

import typer

from hupai.api.cli.commands import (
    datasets,
    deal,
    doctor,
    dossier_acts,
    keys,
    models,
    overlay,
    photos,
    scoring,
    serve,
    storage,
    tile_sets,
)

app = typer.Typer(
    name="hupai",
    help="Reads a photo of a mahjong hand and says what it scores, and why. 看照片，算番数。",
    epilog="Exit codes: 0 done, 1 done with problems, 2 bad usage.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("read")(photos.read)
app.command("photo")(photos.photo)
app.command("score")(scoring.score)
app.command("waits")(scoring.waits)
app.command("compare")(scoring.compare)
app.command("deal")(deal.deal)
app.command("conformance")(scoring.conformance)
app.command("serve")(serve.serve)
app.command("doctor")(doctor.doctor)
app.add_typer(keys.app, name="keys")
app.add_typer(storage.app, name="storage")
app.add_typer(tile_sets.app, name="tile-sets")
app.add_typer(dossier_acts.app, name="dossier")
app.add_typer(overlay.app, name="overlay")
app.add_typer(models.app, name="models")
app.add_typer(datasets.app, name="datasets")


def _print_version(wanted: bool) -> None:
    if wanted:
        try:
            typer.echo(f"hupai {version('hupai')}")
        except PackageNotFoundError:
            typer.echo("hupai, run from its sources without being installed")
        raise typer.Exit


@app.callback()
def _common(
    show_version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version and stop.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    pass


def main() -> None:
    """Entry point of the installed command."""
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
