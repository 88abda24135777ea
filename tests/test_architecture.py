"""The shape of the source tree: who imports whom, how long a file may be, and what never stands in a tracked file."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.shared import ROOT

MAY_IMPORT: dict[str, frozenset[str]] = {
    "scoring": frozenset(),
    "vision": frozenset({"scoring"}),
    "datasets": frozenset({"scoring"}),
    "models": frozenset({"scoring", "vision", "datasets"}),
    "api": frozenset({"scoring", "vision", "models", "datasets"}),
}
"""Our own packages each room may import besides itself."""

OURS = frozenset(MAY_IMPORT) | {"tests", "benchmarks"}
LONGEST_FILE = 500
SOURCES = (".py", ".js", ".css", ".html", ".sh")

# Written in pieces, so that this file passes its own test.
NEVER = {
    "a registry host": r"(?:pypi|pythonhosted|npmjs|crates)\." + r"(?:org|com|io)\b|deb\.debian\." + r"org|index-" + r"url",
    "an absolute path of one machine": r"(?<![\w.~-])/(?:home|Users|root|work)" + r"/[\w.]",
}


def tracked_files() -> list[Path]:
    """Files under version control; in an unpacked archive, every file that is not hidden."""
    try:
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.decode()
    except (OSError, subprocess.CalledProcessError):
        visible = (path for path in ROOT.rglob("*") if not any(part.startswith(".") for part in path.relative_to(ROOT).parts))
        return [path for path in visible if path.is_file()]
    return [path for name in listed.split("\0") if name and (path := ROOT / name).is_file()]


FILES = tracked_files()


def imported_roots(source: str, package: str) -> Iterator[tuple[int, str]]:
    """Line and top-level package of every import in `source`, inside functions too; a relative import is one of `package`."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name.partition(".")[0]) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.lineno, package if node.level else (node.module or "").partition(".")[0]


def forbidden_imports(source: str, room: str) -> list[tuple[int, str]]:
    """Imports that `room` may not make: other rooms of ours, and for scoring everything outside the standard library."""
    allowed = MAY_IMPORT[room] | {room}

    def wrong(root: str) -> bool:
        if root in OURS:
            return root not in allowed
        return room == "scoring" and root not in sys.stdlib_module_names

    return [(line, root) for line, root in imported_roots(source, room) if wrong(root)]


def unwanted_text(text: str) -> list[tuple[int, str]]:
    """Lines that hold something of `NEVER`, with what it is."""
    return [
        (number, what)
        for number, line in enumerate(text.splitlines(), 1)
        for what, pattern in NEVER.items()
        if re.search(pattern, line)
    ]


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_a_room_imports_only_what_the_design_allows(room: str) -> None:
    sources = [path for path in FILES if path.suffix == ".py" and path.relative_to(ROOT).parts[0] == room]
    assert sources, f"no source file in {room}/"
    found = [
        f"{path.relative_to(ROOT)}:{line} imports {root}"
        for path in sources
        for line, root in forbidden_imports(path.read_text("utf-8"), room)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("room", "source", "wrong"),
    [
        ("scoring", "import itertools\nfrom scoring.tiles import Tile", []),
        ("scoring", "import numpy as np", [(1, "numpy")]),
        ("scoring", "def f():\n    from vision.types import Image", [(2, "vision")]),
        ("vision", "import cv2\nfrom scoring import hand", []),
        ("vision", "import models.registry", [(1, "models")]),
        ("datasets", "from vision import types", [(1, "vision")]),
        ("models", "from api import cli", [(1, "api")]),
        ("api", "from vision import types\nfrom . import output", []),
        ("api", "from tests.shared import ROOT", [(1, "tests")]),
    ],
)
def test_forbidden_imports_are_found(room: str, source: str, wrong: list[tuple[int, str]]) -> None:
    assert forbidden_imports(source, room) == wrong


def test_no_source_file_is_too_long() -> None:
    lengths = {path: len(path.read_text("utf-8").splitlines()) for path in FILES if path.suffix in SOURCES}
    long = [f"{path.relative_to(ROOT)}: {length} lines" for path, length in lengths.items() if length > LONGEST_FILE]
    assert not long, f"split these, {LONGEST_FILE} lines are the limit:\n" + "\n".join(long)


def test_no_tracked_file_names_a_registry_or_a_path_of_one_machine() -> None:
    found = []
    for path in FILES:
        try:
            text = path.read_text("utf-8")
        except UnicodeDecodeError:
            continue
        found += [f"{path.relative_to(ROOT)}:{line}: {what}" for line, what in unwanted_text(text)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see https://" + "pypi" + ".org/project/x", ["a registry host"]),
        ("--extra-index-" + "url=x", ["a registry host"]),
        ("path = '/" + "home/anna/photos'", ["an absolute path of one machine"]),
        ("GET /v1/rules, ../shared/photos, frame" + "work/x, ~/work" + "/x", []),
    ],
)
def test_unwanted_text_is_found(text: str, found: list[str]) -> None:
    assert [what for _, what in unwanted_text(text)] == found


def test_every_room_is_packaged() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert set(project["tool"]["setuptools"]["packages"]["find"]["include"]) == {f"{room}*" for room in MAY_IMPORT}
    assert all((ROOT / room / "__init__.py").is_file() for room in MAY_IMPORT)


def test_every_data_file_of_a_room_is_packaged() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    suffixes = {Path(pattern).suffix for pattern in project["tool"]["setuptools"]["package-data"]["*"]}
    data = [path for path in FILES if path.relative_to(ROOT).parts[0] in MAY_IMPORT and path.suffix != ".py"]
    assert [str(path.relative_to(ROOT)) for path in data if path.suffix not in suffixes] == []


def test_constraints_pin_every_dependency_exactly() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    lines = [line for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines() if line and not line.startswith("#")]
    assert all(re.fullmatch(r"[\w.-]+==[\w.+]+", line) for line in lines)
    pinned = {re.sub(r"[-_.]+", "-", line.partition("==")[0]).lower() for line in lines}
    wanted = project["dependencies"] + [one for extra in project["optional-dependencies"].values() for one in extra]
    names = {re.sub(r"[-_.]+", "-", re.split(r"[><=!~\[; ]", requirement)[0]).lower() for requirement in wanted}
    assert names - pinned == set()
