"""What an installation of the project holds, and what it does not."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.shared import ROOT
from tests.test_architecture import FILES, MAY_IMPORT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


@pytest.mark.parametrize("top", MAY_IMPORT)
def test_a_top_folder_cannot_be_imported_under_its_bare_name(top: str, tmp_path: Path) -> None:
    for folder in (tmp_path, ROOT):
        done = subprocess.run(
            [sys.executable, "-c", f"import {top}"], cwd=folder, capture_output=True, text=True
        )
        assert done.returncode == 1
        assert f"No module named '{top}'" in done.stderr or f"hupai.{top}" in done.stderr


def test_every_top_folder_is_linked_into_the_package() -> None:
    package = ROOT / "src" / "hupai"
    for top in MAY_IMPORT:
        assert (package / top).is_symlink()
        assert (package / top).resolve() == ROOT / top
    assert (package / "py.typed").is_file()


def test_every_data_file_is_packaged() -> None:
    patterns = PROJECT["tool"]["setuptools"]["package-data"]["*"]
    suffixes = {Path(pattern).suffix for pattern in patterns}
    data = [
        path
        for path in FILES
        if path.relative_to(ROOT).parts[0] in MAY_IMPORT and path.suffix != ".py"
    ]
    assert [str(path.relative_to(ROOT)) for path in data if path.suffix not in suffixes] == []


def test_constraints_pin_every_dependency_exactly() -> None:
    text = (ROOT / "constraints.txt").read_text("utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert all(re.fullmatch(r"[\w.-]+==[\w.+]+", line) for line in lines)
    pinned = {normalised(line.partition("==")[0]) for line in lines}
    extras = PROJECT["project"]["optional-dependencies"].values()
    wanted = PROJECT["project"]["dependencies"] + [one for extra in extras for one in extra]
    names = {normalised(re.split(r"[><=!~\[; ]", requirement)[0]) for requirement in wanted}
    assert names - pinned == set()


def normalised(name: str) -> str:
    """Write a distribution's name as PEP 503 has it."""
    return re.sub(r"[-_.]+", "-", name).lower()
