"""What the commands share: consoles, exit codes, rule sets and hands from the command line."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from enum import IntEnum
from typing import Annotated, NoReturn

import typer
from rich.console import Console

from hupai.scoring import rule_sets as rule_sets
from hupai.scoring.hand import Hand
from hupai.scoring.house_rules import HouseRuleError, load_house_rules
from hupai.scoring.notation import NotationError, parse_hand
from hupai.scoring.result import Problem, RuleSet, Severity
from hupai.scoring.rule_sets import UnknownRuleSetError
from hupai.scoring.tiles import Tile, UnknownTileError
from hupai.vision.types import PhotoProblem

_WIDTH_WITHOUT_TERMINAL = 140


class ExitCode(IntEnum):
    """What a command answers to the shell."""

    DONE = 0
    PROBLEMS = 1
    BAD_USAGE = 2


def _console(error: bool) -> Console:
    width = None if (sys.stderr if error else sys.stdout).isatty() else _WIDTH_WITHOUT_TERMINAL
    return Console(stderr=error, width=width, highlight=False)


def out() -> Console:
    """Standard output: results."""
    return _console(error=False)


def err() -> Console:
    """Standard error: progress, notes and what went wrong."""
    return _console(error=True)


def note(text: str) -> None:
    """A remark on standard error."""
    err().print(text, style="cyan", markup=False, soft_wrap=True)


def fail(text: str, code: ExitCode = ExitCode.PROBLEMS) -> NoReturn:
    """Stop with a message on standard error."""
    err().print(text, style="bold red", markup=False, soft_wrap=True)
    raise typer.Exit(code)


def finish(problems: bool) -> None:
    """End with code 1 when there were problems; return otherwise."""
    if problems:
        raise typer.Exit(ExitCode.PROBLEMS)


def serious(problems: Iterable[Problem | PhotoProblem]) -> bool:
    """Whether there is more than a note among the problems."""
    return any(problem.severity is not Severity.NOTE for problem in problems)


def parse_rules(text: str) -> RuleSet:
    """The rule set of this id, or of a house-rule file, as a parser of an option."""
    if not text.endswith(".toml"):
        return parse_known_rules(text)
    try:
        return load_house_rules(text)
    except OSError as error:
        raise typer.BadParameter(f"{text}: {error.strerror or error}") from None
    except HouseRuleError as error:
        raise typer.BadParameter(str(error)) from None


def parse_known_rules(text: str) -> RuleSet:
    """The rule set of this id, as a parser of an option."""
    try:
        return rule_sets.get(text)
    except UnknownRuleSetError as error:
        raise typer.BadParameter(str(error)) from None


def _parse_tile(text: str) -> Tile:
    code = text if len(text) != 2 else text.lower()
    try:
        tile = Tile.from_code(code)
    except UnknownTileError as error:
        raise typer.BadParameter(str(error)) from None
    if not tile.is_playable:
        raise typer.BadParameter(f"{text!r} wins no hand: name one of the 34 playable tiles")
    return tile


def parse_words(words: list[str]) -> Hand:
    """The hand given as one or several words; stops with code 2 where it cannot be read."""
    try:
        return parse_hand(" ".join(words))
    except NotationError as error:
        fail(str(error), ExitCode.BAD_USAGE)


def _known_rules() -> str:
    return ", ".join(rules.id for rules in rule_sets.all_rules())


RulesOption = Annotated[
    RuleSet,
    typer.Option(
        "--rules",
        "-r",
        parser=parse_rules,
        metavar="ID",
        help=f"Rule set: {_known_rules()}, or a .toml file of house rules.",
    ),
]
WinOption = Annotated[
    Tile | None,
    typer.Option(
        "--win",
        parser=_parse_tile,
        metavar="TILE",
        help="The winning tile, where the hand does not say, e.g. 5m.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, one object a line.")]
ExplainOption = Annotated[
    bool,
    typer.Option("--explain", help="Say why each fan counts or does not, and the next best split."),
]
HandArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="HAND",
        help="A hand in notation, in quotes: '23m55pEEE [567m,1] (9999s) 1h +1m'.",
        show_default=False,
    ),
]
