"""The terminal: results, remarks and errors, exit codes, tables that fit."""

from __future__ import annotations

import os
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import typer
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from hupai.api.cli.chinese.translate import cell_in_chinese, in_chinese
from hupai.api.cli.typer_app import LANGUAGE
from hupai.api.contract import to_json
from hupai.scoring.cases.fields import CaseFormatError
from hupai.scoring.errors import HupaiError

if TYPE_CHECKING:
    from hupai.scoring.result import Problem
    from hupai.vision.types import PhotoProblem

_WIDTH_WITHOUT_TERMINAL = 140
"""Width of output to a file or another program, unless COLUMNS sets it."""

_NARROW = 72
"""With fewer columns a table is written as lines."""

_BORDER = 3
"""Columns that each cell needs besides its text: a line and a space on either side."""


class ExitCode(IntEnum):
    """The exit codes of commands."""

    DONE = 0
    PROBLEMS = 1
    BAD_USAGE = 2


def _console(*, error: bool) -> Console:
    stream = sys.stderr if error else sys.stdout
    free = stream.isatty() or os.environ.get("COLUMNS", "").isdigit()
    return Console(stderr=error, width=None if free else _WIDTH_WITHOUT_TERMINAL, highlight=False)


def out() -> Console:
    """Return standard output, for results."""
    return _console(error=False)


def err() -> Console:
    """Return standard error, for progress, remarks and what went wrong."""
    return _console(error=True)


def visible(text: str) -> str:
    """Return a text with its control characters written out.

    Names come from files and requests; raw, an escape sequence in one would command the terminal.
    """
    return "".join(
        char if char in "\n\t" or unicodedata.category(char) != "Cc" else repr(char)[1:-1]
        for char in text
    )


def tell(text: str) -> None:
    """Write a line of the result to standard output, in the requested language."""
    out().print(visible(in_chinese(text)), markup=False, soft_wrap=True)


def note(text: str) -> None:
    """Write a remark to standard error, in the requested language."""
    err().print(visible(in_chinese(text)), style="cyan", markup=False, soft_wrap=True)


def fail(text: str, code: ExitCode = ExitCode.PROBLEMS) -> NoReturn:
    """End the command with a message on standard error."""
    err().print(visible(in_chinese(text)), style="bold red", markup=False, soft_wrap=True)
    raise typer.Exit(code)


@contextmanager
def bad_usage(*errors: type[Exception]) -> Iterator[None]:
    """End the command with code 2 if one of these errors is raised."""
    try:
        yield
    except errors as error:
        chinese = LANGUAGE.get() == "zh"
        message = str(getattr(error, "message_zh", error) if chinese else error)
        if isinstance(error, CaseFormatError):
            message = f"{error.field}: {error.message_zh if chinese else error.message}"
        fail(message, ExitCode.BAD_USAGE)


def finish(problems: bool) -> None:
    """End with code 1 when there were problems; return otherwise."""
    if problems:
        raise typer.Exit(ExitCode.PROBLEMS)


def serious(problems: Iterable[Problem | PhotoProblem]) -> bool:
    """Return whether there is more than a note among the problems."""
    return any(problem.severity.value != "note" for problem in problems)


def print_json(value: object) -> None:
    """Print a value of the contract, or an object, as one line of JSON."""
    typer.echo(to_json(value))


def message_of(error: HupaiError) -> str:
    """Return what an error says, in the requested language."""
    if LANGUAGE.get() != "zh":
        return str(error)
    return str(getattr(error, "message_zh", None) or in_chinese(str(error)))


def os_reason(error: OSError) -> str:
    """Return why the system refuses a file, in its own words or in Chinese."""
    return in_chinese(error.strerror or str(error))


def read_text(file: Path) -> str:
    """Read a text file, standard input for ``-``; end the command if it cannot be read."""
    try:
        return sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8-sig")
    except OSError as error:
        fail(f"{file}: {os_reason(error)}")
    except UnicodeDecodeError as error:
        fail(f"{file}: not UTF-8 text, see byte {error.start + 1}", ExitCode.BAD_USAGE)


class Rows:
    """A table that becomes lines if the terminal is narrow.

    Args:
        headings: one per column.
        title: what it shows.
        right: headings of the columns that are aligned to the right.
        style: style of every row.
        least: columns that the table needs; with fewer it is written as lines.
        whole: headings of the columns whose cells are copied, and so never folded.
    """

    def __init__(
        self,
        *headings: str,
        title: str = "",
        right: Sequence[str] = (),
        style: str = "",
        least: int = 0,
        whole: Sequence[str] = (),
    ) -> None:
        self._keys = headings
        self._headings = tuple(map(in_chinese, headings))
        self._right = tuple(map(in_chinese, right))
        self._title, self._style = in_chinese(title), style
        self._least = max(least, _NARROW)
        self._whole = tuple(map(in_chinese, whole))
        self._rows: list[tuple[object, ...]] = []

    def add(self, *cells: object) -> None:
        """Add a row, one cell per column: text of `rich`, or anything that `str` writes."""
        self._rows.append(
            tuple(
                cell if isinstance(cell, Text) else visible(cell_in_chinese(key, str(cell)))
                for key, cell in zip(self._keys, cells, strict=True)
            )
        )

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if options.max_width < max(self._least, self._width_of_whole()):
            if self._title:
                yield Text(self._title, style="bold italic")
            for row in self._rows:
                yield Text(self._line(row), style=self._style)
            return
        table = Table(title=Text(self._title) if self._title else None, title_justify="left")
        for heading in self._headings:
            table.add_column(
                heading,
                justify="right" if heading in self._right else "left",
                overflow="fold",
                no_wrap=heading in self._whole,
            )
        for row in self._rows:
            cells = [cell if isinstance(cell, Text) else Text(str(cell)) for cell in row]
            table.add_row(*cells, style=self._style)
        yield table

    def _width_of_whole(self) -> int:
        """Return the columns that the table needs so that no cell of ``whole`` is folded.

        Every other column is at least as wide as its heading.
        """
        if not self._whole:
            return 0
        widths = [
            max(
                cell_len(heading),
                *(cell_len(str(row[number])) for row in self._rows if heading in self._whole),
                0,
            )
            for number, heading in enumerate(self._headings)
        ]
        return sum(widths) + _BORDER * len(widths) + 1

    def _line(self, row: tuple[object, ...]) -> str:
        """Write a row as a line; a number beyond the first column gets its heading."""
        parts = []
        for number, (heading, cell) in enumerate(zip(self._headings, row, strict=True)):
            if text := str(cell):
                named = number > 0 and heading in self._right
                parts.append(f"{heading} {text}" if named else text)
        return "  ".join(parts).replace("\n", " ")
