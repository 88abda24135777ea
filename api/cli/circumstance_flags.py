"""Command-line flags for how a hand was won, one for each field of `Circumstances`.

Names and help come from `hupai.api.contract.circumstances.DESCRIPTIONS`, so that command line, HTTP
and page ask for the same things in the same words.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hupai.api.cli.terminal import message_of
from hupai.api.contract.circumstances import DESCRIPTIONS
from hupai.api.facade.arguments import SHORT_NAMES, indicators_of, suit_of, wind_of
from hupai.api.facade.errors import ArgumentError
from hupai.scoring.hand import Circumstances
from hupai.scoring.tiles import Tile

if TYPE_CHECKING:
    from hupai.api.contract.hand import CircumstancesModel

PANEL = "Circumstances of the win"
"""Heading of the flags in the help."""


@dataclass(frozen=True, slots=True)
class GivenCircumstances:
    """The circumstances that flags give, by the names of their fields."""

    fields: Mapping[str, object]

    def to_circumstances(self) -> Circumstances:
        """Return the scoring value; what was not given has its default."""
        known: dict[str, Any] = dict(self.fields)
        return Circumstances(**known)

    def to_model(self) -> CircumstancesModel:
        """Return the value of the contract, which knows what was given."""
        # pydantic takes 0.15 s to import, and a score in the terminal does not need it
        from hupai.api.contract.hand import CircumstancesModel

        return CircumstancesModel.of_fields(self.fields)


def flags_of(name: str) -> tuple[str, ...]:
    """Return the flags of a field, the one to show first."""
    long = "--" + name.replace("_", "-")
    return ("--" + SHORT_NAMES[name], long) if name in SHORT_NAMES else (long,)


def circumstance_flags(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command one flag for each circumstance.

    The command takes them as one argument, ``circumstances: GivenCircumstances``.
    """
    names = [field.name for field in fields(Circumstances)]

    @functools.wraps(command)
    def with_flags(*args: Any, **given: Any) -> Any:
        values = {name: given.pop(name) for name in names}
        chosen = {
            name: value
            for name, value in values.items()
            if value is not None and value is not False
        }
        return command(*args, **given, circumstances=GivenCircumstances(chosen))

    own = inspect.signature(command, eval_str=True)
    kept = [parameter for parameter in own.parameters.values() if parameter.name != "circumstances"]
    parameters = [*kept, *map(_parameter, names)]
    with_flags.__dict__["__signature__"] = own.replace(parameters=parameters)
    with_flags.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return with_flags


def _parameter(name: str) -> inspect.Parameter:
    about = DESCRIPTIONS[name]
    settings: dict[str, Any] = {
        "help": f"{about.label_zh}: {about.help_en}",
        "rich_help_panel": PANEL,
        "show_default": False,
    }
    kind: Any
    if about.type == "boolean":
        kind = bool
    elif about.type == "integer":
        kind = int | None
        settings |= {"min": about.minimum, "max": about.maximum, "metavar": "N"}
    elif about.type == "tiles":
        kind = str | None
        most = about.maximum or 0
        settings |= {"metavar": "TILES", "callback": _checked(lambda text: _few(text, most))}
    else:
        values = [choice.value for choice in about.choices if choice.value is not None]
        kind = str | None
        settings |= {
            "metavar": "|".join(values),
            "callback": _checked(wind_of if "E" in values else suit_of),
            "autocompletion": lambda: values,
        }
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=False if about.type == "boolean" else None,
        annotation=Annotated[kind, typer.Option(*flags_of(name), **settings)],
    )


def _few(text: str, most: int) -> tuple[Tile, ...]:
    """Return the indicators of a text, at most `most` of them."""
    found = indicators_of(text)
    if len(found) > most:
        raise ArgumentError(f"give {most} tiles at most")
    return found


def _checked(parse: Callable[[str], object]) -> Callable[[str | None], object]:
    """Return a check of one word, in upper or lower case, English or Chinese."""

    def checked(value: str | None) -> object:
        try:
            return None if value is None else parse(value)
        except ArgumentError as error:
            raise typer.BadParameter(message_of(error)) from None

    return checked
