"""Runs commands of `hupai dossier`."""

from __future__ import annotations

from pathlib import Path

from typer.testing import CliRunner, Result

from hupai.api.cli import main


def hupai(*words: str | Path) -> Result:
    return CliRunner().invoke(main.app, ["dossier", *map(str, words)])


def done(*words: str | Path) -> str:
    """The output of a command that ends well."""
    result = hupai(*words)
    assert result.exit_code == 0, result.output
    return result.stdout.strip()


def opened(hand: Path, *more: str | Path) -> str:
    return done(
        "open",
        hand,
        *more,
        "--rules",
        "mcr-1998",
        "--self-drawn",
        "--seat",
        "E",
        "--round",
        "E",
        "--as",
        "Li",
    )
