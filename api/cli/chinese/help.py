"""The help of the commands in one language: Chinese, or English without the Chinese beside it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from copy import copy
from functools import cache, partial
from typing import Any

from hupai.api.cli.chinese.help_commands import COMMAND_HELP
from hupai.api.cli.chinese.help_options import OPTION_HELP, USAGE_ERRORS
from hupai.api.cli.chinese.messages import MESSAGES
from hupai.api.cli.circumstance_flags import PANEL
from hupai.api.contract.circumstances import DESCRIPTIONS

_CIRCUMSTANCES = "和牌条件"
_ALSO_CHINESE = re.compile(r" [\u4e00-\u9fff][^A-Za-z]*。$")
"""A Chinese sentence after an English one."""


def help_text(text: str, language: str) -> str:
    """Return the paragraphs of a help text in ``zh`` or ``en``; unknown texts stay."""
    paragraphs = [" ".join(one.split()) for one in text.split("\n\n")]
    return "\n\n".join([_paragraph(one, language) for one in paragraphs])


def _paragraph(text: str, language: str) -> str:
    circumstance = _circumstances().get(text)
    if circumstance is not None:
        return circumstance[language == "zh"]
    if language != "zh":
        return _ALSO_CHINESE.sub("", text)
    known = COMMAND_HELP.get(text) or OPTION_HELP.get(text)
    if known is not None:
        return known
    # Exit codes and the like are separate texts; an example stays as it is.
    return _filled(text, _templates(), lambda part: COMMAND_HELP.get(part, part))


Templates = tuple[tuple[re.Pattern[str], str], ...]
"""What recognises a text, and the text in Chinese."""


def _filled(text: str, templates: Templates, fill: Callable[[str], str]) -> str:
    for pattern, chinese in templates:
        match = pattern.fullmatch(text)
        if match:
            return chinese.format(*map(fill, match.groups()))
    return text


def _compiled(texts: Mapping[str, str]) -> Templates:
    return tuple(
        (re.compile("(.*?)".join(map(re.escape, english.split("{}"))), re.DOTALL), chinese)
        for english, chinese in sorted(texts.items(), key=lambda pair: -len(pair[0]))
    )


@cache
def _circumstances() -> dict[str, tuple[str, str]]:
    """Map the help of each circumstance to the same in English alone and in Chinese alone."""
    return {
        f"{about.label_zh}: {about.help_en}": (
            f"{about.label_en}: {about.help_en}",
            f"{about.label_zh}：{about.help_zh}",
        )
        for about in DESCRIPTIONS.values()
    }


@cache
def _templates() -> Templates:
    texts = {**COMMAND_HELP, **OPTION_HELP}
    return _compiled({english: chinese for english, chinese in texts.items() if "{}" in english})


def localized(command: Any, language: str) -> Any:
    """Return a copy of a command, or a group, whose texts are in one language."""
    shown = copy(command)
    for name in ("help", "short_help", "epilog"):
        if text := getattr(command, name, None):
            setattr(shown, name, help_text(text, language))
    if hasattr(command, "commands"):
        shown.commands = {name: localized(one, language) for name, one in command.commands.items()}
    return shown


def localized_parameter(parameter: Any, language: str) -> Any:
    """Return a copy of an option or argument whose help is in one language."""
    shown = copy(parameter)
    if getattr(parameter, "help", None):
        shown.help = help_text(parameter.help, language)
    if language == "zh" and getattr(parameter, "rich_help_panel", None) == PANEL:
        shown.rich_help_panel = _CIRCUMSTANCES
    if language == "zh":
        shown.get_help_record = partial(_record, parameter=shown)
    return shown


def _record(ctx: Any, parameter: Any) -> tuple[str, str] | None:
    """Return the line of help without boxes."""
    record = type(parameter).get_help_record(parameter, ctx)
    return record and (record[0], record[1].replace("[required]", "[必填]"))


def usage_error(text: str) -> str:
    """Return a message about a wrong command line in Chinese; unknown messages stay."""
    return _filled(text, _errors(), usage_error)


@cache
def _errors() -> Templates:
    return _compiled({**MESSAGES, **USAGE_ERRORS})
