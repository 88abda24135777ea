"""README and docs: links lead somewhere, names are real, commands and the Python example run."""

from __future__ import annotations

import importlib
import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer.main
from typer.testing import CliRunner

from hupai.api.cli.main import app
from tests.shared import ROOT

DOCUMENTS = sorted(
    path
    for pattern in ("*.md", "docs/**/*.md", "examples/**/*.md", "models/*.md", "datasets/*.md")
    for path in ROOT.glob(pattern)
)
README = (ROOT / "README.md").read_text("utf-8")

HISTORY = ("notebook", "CHANGELOG.md")
"""Documents that name what is no longer there."""

_LINK = re.compile(r"!?\[[^\]]*\]\(([^)#\s]+)[^)]*\)|<img src=\"([^\"]+)\"")
_CODE = re.compile(r"^```.*?^```|^    .*?$|`[^`\n]*`", re.DOTALL | re.MULTILINE)
_QUOTED = re.compile(r"`([^`\n]+)`")
_PATH = re.compile(r"(?:scoring|vision|models|datasets|api|tests|benchmarks|deploy)/[\w./-]*")
_DOTTED = re.compile(r"(?:hupai|benchmarks)(?:\.\w+)+")
_LINE = re.compile(r"^ *(?:\.venv/bin/)?(hupai .+)$", re.MULTILINE)


def names(document: Path) -> Iterator[str]:
    """Yield what stands in backticks in a document that describes the present."""
    if not any(part in HISTORY for part in document.parts):
        yield from _QUOTED.findall(document.read_text("utf-8"))


def commands(text: str) -> Iterator[list[str]]:
    """Yield the arguments of every ``hupai`` command in `text`, without the comment behind it."""
    for line in _LINE.findall(text):
        yield shlex.split(line, comments=True)[1:]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_relative_link_leads_to_a_file(document: Path) -> None:
    prose = _CODE.sub("", document.read_text("utf-8"))
    targets = [link or image for link, image in _LINK.findall(prose)]
    relative = [target for target in targets if "://" not in target]
    assert [target for target in relative if not (document.parent / target).exists()] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_file_named_exists(document: Path) -> None:
    paths = [name for name in names(document) if _PATH.fullmatch(name)]
    # Folders of labelled photos are described in the same form: labels/, images/.
    assert [path for path in paths if not (ROOT / path).exists()] == []


@cache
def exists(dotted: str) -> bool:
    """Tell whether a dotted name is a module or what a module holds."""
    try:
        importlib.import_module(dotted)
    except ModuleNotFoundError as error:
        if not dotted.startswith(f"{error.name}"):
            return True  # a library of the extra `train` is missing, not the module
    else:
        return True
    module, _, name = dotted.rpartition(".")
    return "." in dotted and exists(module) and hasattr(importlib.import_module(module), name)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_module_and_name_in_code_exists(document: Path) -> None:
    if any(part in HISTORY for part in document.parts):
        return
    text = document.read_text("utf-8")
    dotted = set(re.findall(r"python3? -m ((?:hupai|benchmarks)[\w.]*)", text))
    dotted |= {name.removesuffix("()") for name in names(document) if _DOTTED.fullmatch(name)}
    assert [name for name in sorted(dotted) if not exists(name)] == []


def known_options(arguments: list[str]) -> set[str]:
    """Name the options of the command that `arguments` begin with."""
    command: Any = typer.main.get_command(app)
    for argument in arguments:
        commands_below = getattr(command, "commands", None)
        if commands_below is None:
            break
        default = getattr(command, "default_command", None)
        if default is not None and argument not in commands_below:
            command = commands_below[default]
            break
        if not argument.startswith("-"):
            assert argument in commands_below, f"hupai {shlex.join(arguments)}"
            _, command, _ = command.resolve_command(typer.Context(command), [argument])
    return {
        name
        for parameter in command.params
        for name in (*parameter.opts, *parameter.secondary_opts)
    } | {"--help"}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_command_and_option_exists(document: Path) -> None:
    for arguments in commands(document.read_text("utf-8")):
        given = {word.partition("=")[0] for word in arguments if re.match("--?[a-z]", word)}
        assert given <= known_options(arguments), f"hupai {shlex.join(arguments)}"


@pytest.mark.parametrize(
    "arguments",
    [words for words in commands(README) if words[0] in ("photo", "score")],
    ids=lambda words: words[0],
)
def test_a_hand_in_the_readme_is_scored(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    result = CliRunner().invoke(app, arguments)
    # A reading may carry a warning, as about a flower tile that is not sure; then the command ends
    # with 1 and a score all the same.
    assert result.exit_code in ((0, 1) if arguments[0] == "photo" else (0,)), result.output
    assert ", win" in result.stdout
    assert arguments[0] != "photo" or "22" in result.stdout


def test_every_command_named_in_the_table_exists() -> None:
    named = {match.split()[0] for match in re.findall(r"`hupai (\w+[^`]*)`", README)}
    assert named
    for name in named:
        result = CliRunner().invoke(app, [name, "--help"])
        assert result.exit_code == 0, f"hupai {name}: {result.output}"


def test_the_python_example_reads_and_scores_the_photo(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    (example,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert len(example.split("\n\n", 1)[-1].splitlines()) == 4  # below the import
    exec(compile(example, "README.md", "exec"), {})
    photo, score = capsys.readouterr().out.splitlines()
    assert "88pEEFFF [222s,1] [777m,2] 3h +E" in photo
    assert score.startswith("22 fan (mcr-1998), win")


def test_every_make_target_named_exists() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    text = "\n".join(document.read_text("utf-8") for document in DOCUMENTS)
    for target in set(re.findall(r"`make ([a-z-]+)`", text)):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), f"make {target}"


def test_every_page_of_docs_is_in_the_index() -> None:
    index = (ROOT / "docs" / "README.md").read_text("utf-8")
    pages = {path.name for path in (ROOT / "docs").glob("*.md")} - {"README.md"}
    assert [name for name in sorted(pages) if f"]({name})" not in index] == []


def test_the_readme_is_short() -> None:
    assert len(README.splitlines()) <= 120


def test_every_sub_package_is_in_the_architecture_page() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    folders = sorted(
        path.parent.relative_to(ROOT)
        for top in ("scoring", "vision", "models", "datasets", "api")
        for path in (ROOT / top).glob("*/__init__.py")
    )
    assert folders
    named = set(_QUOTED.findall(text))
    assert [str(path) for path in folders if not named & {path.name, str(path)}] == []
