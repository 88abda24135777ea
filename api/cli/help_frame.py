"""The words and cells that Typer itself puts around help and errors.

Imports rich, which takes 50 ms; only help and errors need it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.columns import Columns
from rich.text import Text
from typer import rich_utils

CHINESE = {
    "ARGUMENTS_PANEL_TITLE": "参数",
    "OPTIONS_PANEL_TITLE": "选项",
    "COMMANDS_PANEL_TITLE": "命令",
    "ERRORS_PANEL_TITLE": "有误",
    "DEFAULT_STRING": "[默认：{}]",
    "REQUIRED_LONG_STRING": "[必填]",
    "RICH_HELP": "[blue]'{command_path} {help_option}'[/] 显示帮助。",
}
"""Words of Typer by their names in ``typer.rich_utils``."""

SECTIONS = {"Arguments": "参数", "Options": "选项", "Commands": "命令"}
"""Headings of help without boxes."""

_ENGLISH = {name: getattr(rich_utils, name) for name in CHINESE}


def frame(language: str) -> None:
    """Use Typer's words in a language, and break long lines of Chinese instead of cutting them."""
    for name, word in (CHINESE if language == "zh" else _ENGLISH).items():
        setattr(rich_utils, name, word)
    rich_utils.__dict__["Columns"] = _cell


def headed(formatter: Any) -> None:
    """Give usage and sections of help without boxes their Chinese headings."""
    section, usage = formatter.section, formatter.write_usage
    formatter.section = lambda name: section(SECTIONS.get(name, name))
    formatter.write_usage = lambda program, arguments="": usage(program, arguments, "用法：")


def _cell(items: Sequence[Any]) -> Any:
    """Put the items of one cell on one line, which folds where it is too long."""
    if not all(isinstance(item, Text) for item in items):
        return Columns(items)
    cell = Text(" ").join(items)
    cell.overflow = "fold"
    return cell
