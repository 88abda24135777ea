"""Arguments and options that several commands share, some with completion in the shell."""

from __future__ import annotations

from math import isfinite
from pathlib import Path
from typing import Annotated, Any

import typer

from hupai.api.cli.terminal import ExitCode, bad_usage, fail, message_of
from hupai.api.facade.arguments import rules_of, winning_tile_of
from hupai.api.facade.errors import ArgumentError
from hupai.api.facade.winning_tile import with_held_winning_tile
from hupai.scoring import rule_sets
from hupai.scoring.errors import HupaiError
from hupai.scoring.hand import Hand
from hupai.scoring.notation import NotationError, parse_hand
from hupai.scoring.result import RuleSet
from hupai.scoring.tiles import Tile

RULES_REQUIRED: Any = ""
"""Default of a required option: without a value, the error lists the rule sets."""


def known_rules() -> str:
    """Return the ids of all rule sets, as text."""
    return ", ".join(rules.id for rules in rule_sets.all_rules())


def parse_rules(text: str) -> RuleSet:
    """Parse an option that names a rule set or a file of house rules."""
    if not text:
        raise typer.BadParameter(f"name a rule set: {known_rules()}, or a .toml file")
    try:
        return rules_of(text)
    except HupaiError as error:
        raise typer.BadParameter(message_of(error)) from None


def parse_known_rules(text: str) -> RuleSet:
    """Parse an option that names one of the known rule sets."""
    try:
        return rule_sets.get(text)
    except rule_sets.UnknownRuleSetError as error:
        raise typer.BadParameter(message_of(error)) from None


def parse_place(text: str) -> tuple[float, float]:
    """Parse a place on a photo, X,Y in pixels."""
    try:
        x, y = (float(part) for part in text.split(","))
        if not (isfinite(x) and isfinite(y)):
            raise ValueError(text)
    except ValueError:
        raise typer.BadParameter("give X,Y in pixels, such as 512,640") from None
    return x, y


def _parse_winning_tile(text: str) -> Tile:
    try:
        return winning_tile_of(text)
    except HupaiError as error:
        raise typer.BadParameter(message_of(error)) from None


def parse_words(words: list[str]) -> Hand:
    """Return the hand given as one or several words; a hand that cannot be read is bad usage."""
    with bad_usage(NotationError):
        return parse_hand(" ".join(words))


def with_win(hand: Hand, win: Tile | None) -> Hand:
    """Return the hand with the winning tile of ``--win``; bad usage where it holds no such tile."""
    if win is None:
        return hand
    try:
        return with_held_winning_tile(hand, win)
    except ArgumentError as error:
        fail(f"--win {win.code}: {error}", ExitCode.BAD_USAGE)


def complete_rules(incomplete: str) -> list[tuple[str, str]]:
    """Complete the id of a rule set, or the path of a house-rule file."""
    known = [(rules.id, rules.name_en) for rules in rule_sets.all_rules()]
    files = [(str(path), "house rules") for path in Path().glob(f"{incomplete}*.toml")]
    return [(text, about) for text, about in (*known, *files) if text.startswith(incomplete)]


def complete_tile_sets(incomplete: str) -> list[str]:
    """Complete the name of a tile set."""
    # the settings of the service take 0.2 s to import, and only this completion needs them
    from hupai.api.tile_sets.store import configured_store

    store = configured_store()
    names = ("auto", "none", *(store.names() if store else ()))
    return [name for name in names if name.startswith(incomplete)]


RulesOption = Annotated[
    RuleSet,
    typer.Option(
        "--rules",
        "-r",
        parser=parse_rules,
        metavar="ID",
        show_default=False,
        autocompletion=complete_rules,
        help=f"Required. Rule set: {known_rules()}, or a .toml file of house rules.",
    ),
]
RulesInPlayOption = Annotated[
    RuleSet | None,
    typer.Option(
        "--rules",
        "-r",
        parser=parse_rules,
        metavar="ID",
        autocompletion=complete_rules,
        help=f"Rule set in play, if known: {known_rules()}, or a .toml file.",
    ),
]
WinOption = Annotated[
    Tile | None,
    typer.Option(
        "--win",
        parser=_parse_winning_tile,
        metavar="TILE",
        help="The winning tile, if the hand does not mark it, e.g. 5m.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, one object per line.")]
ExplainOption = Annotated[
    bool,
    typer.Option(
        "--explain",
        help="Explain why each fan counts or does not, and show the next best decomposition.",
    ),
]
HandArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="HAND",
        help="A hand in quotes: '23m55pEEE [567m,1] (9999s) 1h +1m', or 东东东 一二三万 +五万.",
        show_default=False,
    ),
]
PhotosArgument = Annotated[
    list[Path],
    typer.Argument(
        metavar="PHOTO", help="JPEG, PNG, WebP or HEIC.", show_default=False, readable=False
    ),
]
AnnotateOption = Annotated[
    Path | None,
    typer.Option(
        "--annotate",
        metavar="DIR",
        file_okay=False,
        help="Write each photo with boxes, names and groups into this folder.",
    ),
]
AtOption = Annotated[
    Any,  # tuple[float, float] | None, which typer would take for two words
    typer.Option(
        "--at",
        parser=parse_place,
        metavar="X,Y",
        help="A point on the wanted hand, in pixels, if the photo shows several hands.",
    ),
]
MergeOption = Annotated[
    bool,
    typer.Option(
        "--merge", help="The photos show one hand (glare on one, cut on another): read them as one."
    ),
]
ModelOption = Annotated[
    str,
    typer.Option(
        "--model",
        metavar="NAME",
        help="A model (see hupai models list), or a folder written by a training.",
    ),
]
TileSetOption = Annotated[
    str,
    typer.Option(
        "--tile-set",
        metavar="NAME",
        autocompletion=complete_tile_sets,
        help="Tile set in the photo (hupai tile-sets list); auto: any that is recognised; none.",
    ),
]
HostOption = Annotated[
    str | None,
    typer.Option(help="Address to listen on; HUPAI_HOST, else 127.0.0.1.", show_default=False),
]
PortOption = Annotated[
    int | None,
    typer.Option(
        min=0,
        max=65535,
        help="Port; HUPAI_PORT, else 8000. 0 picks a free one.",
        show_default=False,
    ),
]
