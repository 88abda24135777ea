"""The shape of the source tree: who imports whom, and what never stands in a tracked file."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
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
"""The other top folders that each top folder may import."""

MAY_USE: dict[str, str] = {"mahjong": "hupai.scoring.riichi", "numpy": "hupai.scoring.batch"}
"""Libraries that scoring may use, and the one package of scoring that may use each."""

MAX_LINES = 500
MAX_MODULES = 14
SOURCES = (".py", ".js", ".css", ".html", ".sh")

# Written in pieces, so that this file passes its own test.
NEVER = {
    "a registry host": r"(?:pypi|pythonhosted|npmjs|crates)\."
    + r"(?:org|com|io)\b|deb\.debian\."
    + r"org|index-"
    + r"url",
    "an absolute path of one machine": r"(?<![\w.~-])/(?:home|Users|root|work)" + r"/[\w.]",
}


def tracked_files() -> list[Path]:
    """List files under version control; in an unpacked archive, every file that is not hidden."""
    try:
        listed = subprocess.run(
            ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True
        ).stdout.decode()
    except (OSError, subprocess.CalledProcessError):
        visible = (
            path
            for path in ROOT.rglob("*")
            if not any(part.startswith(".") for part in path.relative_to(ROOT).parts)
        )
        return [path for path in visible if path.is_file()]
    return [path for name in listed.split("\0") if name and (path := ROOT / name).is_file()]


FILES = tracked_files()


def module_name(path: Path) -> str:
    """Name the module of a source file: ``hupai.vision.types`` for ``vision/types.py``."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    if parts[-1] == "__init__":
        parts = parts[:-1]
    return ".".join(("hupai", *parts) if parts[0] in MAY_IMPORT else parts)


MODULES = {
    module_name(path): path
    for path in FILES
    if path.suffix == ".py" and path.relative_to(ROOT).parts[0] in MAY_IMPORT
}
"""Every module of the product, by its full name."""


@cache
def imported_names(source: str, package: str) -> tuple[tuple[int, str], ...]:
    """List line and dotted name of every import, also inside functions.

    ``from a import b`` gives ``a.b``; a relative import is resolved within `package`.
    """
    found: list[tuple[int, str]] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found += ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, base] if base else above)
            found += ((node.lineno, f"{base}.{alias.name}") for alias in node.names)
    return tuple(found)


def forbidden_imports(source: str, package: str) -> list[tuple[int, str]]:
    """List imports that a module of `package` may not make.

    These are other top folders, tests and benchmarks, our folders under their bare names, and for
    scoring everything outside the standard library but what `MAY_USE` names.
    """
    top = package.split(".")[1]
    allowed = MAY_IMPORT[top] | {top}

    def wrong(name: str) -> bool:
        root, _, rest = name.partition(".")
        if root == "hupai":
            return rest.partition(".")[0] not in allowed
        if root in MAY_IMPORT or root in ("tests", "benchmarks"):
            return True
        if top != "scoring" or root in sys.stdlib_module_names:
            return False
        return not package.startswith(MAY_USE.get(root, "nothing"))

    return [(line, name) for line, name in imported_names(source, package) if wrong(name)]


def unwanted_text(text: str) -> list[tuple[int, str]]:
    """List lines that hold something of `NEVER`, with what it is."""
    return [
        (number, what)
        for number, line in enumerate(text.splitlines(), 1)
        for what, pattern in NEVER.items()
        if re.search(pattern, line)
    ]


def package_of(name: str) -> str:
    """Name the package that a module belongs to: itself for a package."""
    return name if MODULES[name].name == "__init__.py" else name.rpartition(".")[0]


@cache
def module_imports(name: str) -> frozenset[str]:
    """Name the modules of the product that a module imports."""
    found = set()
    for _, imported in imported_names(MODULES[name].read_text("utf-8"), package_of(name)):
        known = imported if imported in MODULES else imported.rpartition(".")[0]
        if known in MODULES:
            found.add(known)
    return frozenset(found - {name})


def sub_package(name: str, top: str) -> str:
    """Name the part of a top folder that a module belongs to: a sub-package, or a root module."""
    return name.removeprefix(f"hupai.{top}").lstrip(".").partition(".")[0]


def sub_package_graph(top: str) -> Mapping[str, set[str]]:
    """Map each part of a top folder to the other parts that it imports."""
    graph: dict[str, set[str]] = defaultdict(set)
    for name in MODULES:
        part = sub_package(name, top) if name.startswith(f"hupai.{top}.") else ""
        if part:
            others = {
                sub_package(n, top) for n in module_imports(name) if n.startswith(f"hupai.{top}.")
            }
            graph[part] |= others - {part}
    return graph


def cycle(graph: Mapping[str, set[str]]) -> list[str]:
    """Return one cycle of a graph, empty where there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


@pytest.mark.parametrize("top", MAY_IMPORT)
def test_a_top_folder_imports_only_what_the_design_allows(top: str) -> None:
    names = [name for name in MODULES if name.split(".")[1] == top]
    assert names, f"no source file in {top}/"
    found = [
        f"{MODULES[name].relative_to(ROOT)}:{line} imports {imported}"
        for name in names
        for line, imported in forbidden_imports(MODULES[name].read_text("utf-8"), package_of(name))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("package", "source", "wrong"),
    [
        ("hupai.scoring", "import itertools\nfrom hupai.scoring.tiles import Tile", []),
        ("hupai.scoring", "import numpy as np", [(1, "numpy")]),
        ("hupai.scoring.mcr", "import numpy as np", [(1, "numpy")]),
        ("hupai.scoring.batch", "import numpy as np\nimport cv2", [(2, "cv2")]),
        ("hupai.scoring.riichi", "import mahjong.hand_calculating", []),
        ("hupai.scoring.mcr", "import mahjong", [(1, "mahjong")]),
        (
            "hupai.scoring",
            "def f():\n    from hupai.vision.types import Image",
            [(2, "hupai.vision.types.Image")],
        ),
        ("hupai.vision", "import cv2\nfrom hupai.scoring import hand", []),
        ("hupai.vision", "import hupai.models.registry", [(1, "hupai.models.registry")]),
        ("hupai.vision", "from scoring import tiles", [(1, "scoring.tiles")]),
        ("hupai.datasets", "from hupai.vision import types", [(1, "hupai.vision.types")]),
        ("hupai.models", "from hupai.api.cli import main", [(1, "hupai.api.cli.main")]),
        ("hupai.api", "from hupai.vision import types\nfrom . import contract", []),
        ("hupai.api", "from tests.shared import ROOT", [(1, "tests.shared.ROOT")]),
        (
            "hupai.api.web",
            "from ..auth import keys\nfrom ...tests import x",
            [(2, "hupai.tests.x")],
        ),
    ],
)
def test_forbidden_imports_are_found(
    package: str, source: str, wrong: list[tuple[int, str]]
) -> None:
    assert forbidden_imports(source, package) == wrong


@pytest.mark.parametrize("top", MAY_IMPORT)
def test_the_sub_packages_of_a_top_folder_form_an_acyclic_graph(top: str) -> None:
    found = cycle(sub_package_graph(top))
    assert not found, f"hupai.{top}: " + " <- ".join(found)


def test_no_rule_set_needs_the_package_that_needs_numpy() -> None:
    users = [
        name
        for name in MODULES
        if name.startswith("hupai.scoring.")
        and not name.startswith("hupai.scoring.batch")
        and any(other.startswith("hupai.scoring.batch") for other in module_imports(name))
    ]
    assert not users, "single hands must be scored without NumPy: " + ", ".join(users)


def test_a_cycle_is_found() -> None:
    assert cycle({"a": {"b"}, "b": {"c"}, "c": set()}) == []
    assert set(cycle({"a": {"b"}, "b": {"c"}, "c": {"a"}})) == {"a", "b", "c"}


def test_a_folder_holds_about_a_dozen_modules() -> None:
    folders = Counter(path.parent.relative_to(ROOT) for path in MODULES.values())
    full = [f"{folder}: {count}" for folder, count in folders.items() if count > MAX_MODULES]
    assert not full, "make sub-packages of these:\n" + "\n".join(full)


def test_no_source_file_is_too_long() -> None:
    lengths = {
        path: len(path.read_text("utf-8").splitlines()) for path in FILES if path.suffix in SOURCES
    }
    long = [
        f"{path.relative_to(ROOT)}: {length} lines"
        for path, length in lengths.items()
        if length > MAX_LINES
    ]
    assert not long, f"split these, {MAX_LINES} lines are the limit:\n" + "\n".join(long)


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
