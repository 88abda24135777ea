"""Command-line flags for the circumstances of a win, one for each field of
`hupai.scoring.hand.Circumstances`.

Names and help come from one table (`hupai.api.contract.circumstances.DESCRIPTIONS`), so that
command line, HTTP and page ask for the same things in the same words.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Annotated, Any

import typer

from hupai.api.contract.circumstances import DESCRIPTIONS
from hupai.api.contract.hand import CircumstancesModel
from hupai.scoring.hand import Circumstances
from hupai.scoring.result import RuleSet
from hupai.scoring.tiles import suit_named, wind_named

SHORT_NAMES = {"seat_wind": "--seat", "round_wind": "--round", "void_suit": "--void"}
"""Flags that are shorter than their field; the long form is accepted too."""

PANEL = "Circumstances of the win"


def flags_of(name: str) -> tuple[str, ...]:
    """The flags of a field, the one to show first."""
    long = "--" + name.replace("_", "-")
    return (SHORT_NAMES[name], long) if name in SHORT_NAMES else (long,)


def circumstance_flags(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command one flag for each circumstance; it takes them as one argument,
    ``circumstances: CircumstancesModel``.
    """
    names = [field.name for field in fields(Circumstances)]

    @functools.wraps(command)
    def with_flags(*args: Any, **given: Any) -> Any:
        values = {name: given.pop(name) for name in names}
        # What was not given is left out, so that the model's own defaults hold.
        chosen = {
            name: value
            for name, value in values.items()
            if value is not None and value is not False
        }
        return command(*args, **given, circumstances=CircumstancesModel(**chosen))

    own = inspect.signature(command, eval_str=True)
    kept = [parameter for parameter in own.parameters.values() if parameter.name != "circumstances"]
    parameters = [*kept, *map(_parameter, names)]
    with_flags.__dict__["__signature__"] = own.replace(parameters=parameters)
    with_flags.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return with_flags


def not_read(rules: RuleSet, ignored: list[str]) -> Iterator[str]:
    """A sentence for each flag that was given but that the rule set does not read."""
    for name in ignored:
        known = ", ".join(flags_of(other)[0] for other in rules.circumstances)
        yield f"{rules.id} does not read {flags_of(name)[0]}; it reads {known or 'no flag'}."


def _parameter(name: str) -> inspect.Parameter:
    about = DESCRIPTIONS[name]
    help_text = f"{about.label_zh}: {about.help_en}"
    kind: Any
    if about.type == "boolean":
        kind, option = (
            bool,
            typer.Option(
                *flags_of(name), help=help_text, rich_help_panel=PANEL, show_default=False
            ),
        )
    elif about.type == "integer":
        kind = int | None
        option = typer.Option(
            *flags_of(name),
            help=help_text,
            rich_help_panel=PANEL,
            min=about.minimum,
            max=about.maximum,
            metavar="N",
        )
    else:
        values = [choice.value for choice in about.choices if choice.value is not None]
        kind = str | None
        option = typer.Option(
            *flags_of(name),
            help=help_text,
            rich_help_panel=PANEL,
            metavar="|".join(values),
            callback=_one_of(values),
        )
    default = False if about.type == "boolean" else None
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, option]
    )


def _one_of(values: list[str]) -> Callable[[str | None], str | None]:
    """A check of one choice; upper and lower case and Chinese names are accepted."""

    def checked(value: str | None) -> str | None:
        if value is None:
            return None
        found = wind_named(value) or suit_named(value)
        if str(found) not in values:
            raise typer.BadParameter(f"{value!r} is none of {', '.join(values)}")
        return str(found)

    return checked
