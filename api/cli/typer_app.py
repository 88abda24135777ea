"""Commands that are imported when they are called, with help for people.

`hupai --help` and shell completion then need none of the libraries that read photos or serve HTTP.
"""

from __future__ import annotations

import functools
import inspect
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from copy import copy
from functools import partial
from importlib import import_module
from itertools import pairwise
from typing import Annotated, Any, NamedTuple, TypeVar, cast

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup

from hupai.scoring.errors import HupaiError

EXIT_CODES = "0 done, 1 done with problems, 2 bad usage"
"""What the exit codes of every command mean."""

NARROW = 60
"""Terminals with fewer columns get help without boxes."""

LANGUAGE: ContextVar[str] = ContextVar("LANGUAGE", default="")
"""The language that a command answers in: ``zh``, ``en``, or empty for both."""

LANGUAGES = ("zh", "en")

F = TypeVar("F", bound=Callable[..., Any])


class LazyCommand(NamedTuple):
    """Where a command is defined, and its line in the list of commands."""

    module: str
    summary: str


def _shown_type(param: Any) -> str:
    """Return what a person has to write for a parameter; nothing for a switch or an argument."""
    if isinstance(param, TyperArgument) or getattr(param, "is_flag", False):
        return ""
    if param.metavar is not None:
        return str(param.metavar)
    kind = param.type_descriptor
    if kind.is_choice:
        return "|".join(str(getattr(choice, "value", choice)) for choice in kind.choices or ())
    return "FILE" if kind.is_path else "N" if kind.annotation in (int, float) else "TEXT"


def _constant(shown: str, *_: object, **__: object) -> str:
    return shown


@contextmanager
def _in_the_language() -> Iterator[None]:
    """Say what is wrong with a command line in the requested language."""
    try:
        yield
    except typer.TyperException as error:
        if not hasattr(error, "format_message"):
            raise
        from hupai.api.cli.help_frame import frame

        frame(LANGUAGE.get())
        if LANGUAGE.get() == "zh":
            from hupai.api.cli.chinese.help import usage_error

            error.__dict__["format_message"] = partial(usage_error, error.format_message())
        raise


class _PlainHelp:
    """Help without Python's types, and without boxes where the terminal is narrow."""

    rich_markup_mode: Any

    def get_params(self, ctx: Any) -> Any:
        """Return the parameters, each with a type that people can read."""
        params = super().get_params(ctx)  # type: ignore[misc]
        for param in params:
            param.display_type_rich = partial(_constant, _shown_type(param))
        return params

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        """Set the language of the whole command line before anything of it is answered."""
        if ctx.parent is None:
            LANGUAGE.set(_language_of(args))
        with _in_the_language():
            return super().parse_args(ctx, args)  # type: ignore[misc]

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return name, command and the remaining arguments of a command line."""
        with _in_the_language():
            return super().resolve_command(ctx, args)  # type: ignore[misc]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help, in the requested language."""
        if shutil.get_terminal_size().columns < NARROW:
            self.rich_markup_mode = None
        # rich takes 50 ms to import, and only help and errors need it
        from hupai.api.cli.help_frame import frame, headed

        language = LANGUAGE.get()
        frame(language)
        if language == "zh":
            headed(formatter)
        shown: Any = self
        if language:
            from hupai.api.cli.chinese.help import localized, localized_parameter

            shown = localized(self, language)
            shown.get_params = lambda ctx: [
                localized_parameter(one, language) for one in self.get_params(ctx)
            ]
        super(_PlainHelp, shown).format_help(ctx, formatter)  # type: ignore[misc]

    def get_usage(self, ctx: Any) -> str:
        """Return the line of usage, in the requested language."""
        usage = str(super().get_usage(ctx))  # type: ignore[misc]
        return "用法：" + usage.removeprefix("Usage: ") if LANGUAGE.get() == "zh" else usage


def _language_of(args: list[str]) -> str:
    """Return the last language that a command line names, otherwise Chinese if the locale is
    Chinese, otherwise both.
    """
    named = ""
    for word, following in pairwise([*args, ""]):
        named = following if word == "--language" else word.partition("--language=")[2] or named
    if named:
        return named if named in LANGUAGES else ""
    locale = next(filter(None, map(os.environ.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), "")
    return "zh" if locale.lower().startswith("zh") else ""


class Command(_PlainHelp, TyperCommand):
    """A command whose `HupaiError` ends it with a message on standard error and code 1."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except HupaiError as error:
            # rich takes 50 ms to import, which `hupai --version` and completion do without
            from hupai.api.cli.terminal import fail

            fail(_message(error))


def _message(error: HupaiError) -> str:
    return str(getattr(error, "message_zh", error)) if LANGUAGE.get() == "zh" else str(error)


class Group(_PlainHelp, TyperGroup):
    """A group of commands, which takes ``--language`` as they do."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        if not any("--language" in parameter.opts for parameter in self.params):
            self.params.append(copy(_language_parameter()))

    def invoke(self, ctx: Any) -> Any:
        """Run the command that is named."""
        with _in_the_language():
            return super().invoke(ctx)


class App(typer.Typer):
    """The commands of one module; a module with several is a group of `hupai`."""

    def __init__(self, help_text: str | None = None) -> None:
        """Begin without commands; `help_text` says what they are for."""
        super().__init__(help=help_text, cls=Group, no_args_is_help=True, add_completion=False)

    def add(self, name: str, *examples: str, exits: str = EXIT_CODES) -> Callable[[F], F]:
        """Register a function as a command.

        Args:
            name: name of the command.
            examples: command lines that its help shows.
            exits: what its exit codes mean.
        """
        lines = [f"Example: {example}" for example in examples] + [f"Exit codes: {exits}."]
        register: Callable[[F], F] = self.command(name, cls=Command, epilog="\n\n".join(lines))

        def add(function: F) -> F:
            register(_with_language(function))
            return function

        return add


def _known_language(value: str | None) -> str | None:
    if value not in (None, *LANGUAGES):
        raise typer.BadParameter("use zh or en")
    return value


LanguageOption = Annotated[
    str | None,
    typer.Option(
        "--language",
        metavar="zh|en",
        callback=_known_language,
        show_default=False,
        help="Answer in Chinese or English alone. 只用中文或英文回答。",
    ),
]
"""``--language``, of the program and of every command."""


@functools.cache
def _language_parameter() -> Any:
    """Return ``--language`` as a parameter of a group, whose callback does not get it."""

    def nothing(language: LanguageOption = None) -> None:
        pass

    only = typer.Typer(add_completion=False)
    only.command()(nothing)
    option = next(one for one in typer.main.get_command(only).params if one.name == "language")
    option.expose_value = False
    return option


def _with_language(function: F) -> F:
    """Give a command the option ``--language``, which `said` looks at, unless it has its own."""

    own = inspect.signature(function, eval_str=True)
    if "language" in own.parameters:
        return function

    @functools.wraps(function)
    def asked(*args: Any, language: str | None = None, **given: Any) -> Any:
        if language:
            LANGUAGE.set(language)
        return function(*args, **given)

    option = inspect.Parameter(
        "language", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=LanguageOption
    )
    parameters = [*own.parameters.values(), option]
    asked.__dict__["__signature__"] = own.replace(parameters=parameters)
    asked.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return cast("F", asked)


def said(en: str, zh: str, between: str = " ") -> str:
    """Return words in the requested language, in both if none was requested."""
    language = LANGUAGE.get()
    return zh if language == "zh" else en if language == "en" else f"{en}{between}{zh}"


def lazy_group(commands: Mapping[str, LazyCommand]) -> type[TyperGroup]:
    """Return a group whose commands are imported when they are called."""

    class LazyGroup(Group):
        """Lists its commands by their summaries."""

        def __init__(self, **settings: Any) -> None:
            super().__init__(**settings)
            for name, command in commands.items():
                self.add_command(TyperCommand(name, help=command.summary))

        def resolve_command(self, ctx: Any, args: list[str]) -> Any:
            """Return name, command and the remaining arguments of a command line."""
            name, _, rest = super().resolve_command(ctx, args)
            return name, None if name is None else load(name, commands[name]), rest

    return LazyGroup


def load(name: str, command: LazyCommand) -> Any:
    """Import a command or a group of commands."""
    found = typer.main.get_command(import_module(command.module).app)
    found = found.commands.get(name, found) if isinstance(found, TyperGroup) else found
    found.name = name
    return found
