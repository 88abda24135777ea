"""What an installation of the project holds, and what it does not."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
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


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Build an sdist from the tracked files, and a wheel from that sdist."""
    source = tmp_path_factory.mktemp("source") / "hupai"
    for path in FILES:
        copy = source / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    for top in MAY_IMPORT:
        (source / "src" / "hupai" / top).symlink_to(Path("..", "..", top))
    out = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(source)],
        check=True,
        capture_output=True,
    )
    (sdist,) = out.glob("*.tar.gz")
    (wheel,) = out.glob("*.whl")
    return sdist, wheel


@pytest.mark.packaging
def test_the_sdist_contains_files_and_no_links(distributions: tuple[Path, Path]) -> None:
    with tarfile.open(distributions[0]) as archive:
        members = archive.getmembers()
    assert not [member.name for member in members if member.issym() or member.islnk()]
    names = {member.name.partition("/")[2] for member in members}
    assert {"LICENSE", "README.md", "pyproject.toml", "src/hupai/scoring/tiles.py"} <= names


@pytest.mark.packaging
def test_the_wheel_puts_hupai_alone_into_site_packages(distributions: tuple[Path, Path]) -> None:
    with zipfile.ZipFile(distributions[1]) as archive:
        names = archive.namelist()
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"hupai"}
    tracked = {
        f"hupai/{path.relative_to(ROOT)}"
        for path in FILES
        if path.relative_to(ROOT).parts[0] in MAY_IMPORT
    }
    assert tracked - set(names) == set()
    assert "hupai/py.typed" in names


@pytest.mark.packaging
def test_an_installed_wheel_scores_reads_and_serves_its_files(
    distributions: tuple[Path, Path], tmp_path: Path
) -> None:
    target = tmp_path / "site-packages"
    subprocess.run(
        [
            *(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"),
            "--no-compile",  # most modules are not imported here
            *("--disable-pip-version-check", "--root-user-action=ignore"),
            *("--target", str(target), str(distributions[1])),
        ],
        check=True,
    )
    assert sorted(path.name.partition("-")[0] for path in target.iterdir()) == [
        "bin",
        "hupai",
        "hupai",
    ]
    program = """
import sys
from hupai.api.cli.main import main
import hupai
assert hupai.__file__.startswith(sys.argv.pop(1)), hupai.__file__
main()
"""

    def run(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", program, str(target), *words],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(target)},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr + done.stdout
        return done.stdout

    hand = "19m19p19sESWNCFP +1m"
    assert "mcr-1998" in run(
        "score", hand, "--rules", "mcr-1998", "--self-drawn", "--seat", "E", "--json"
    )
    photo = json.loads(run("read", str(ROOT / "examples" / "pungs.jpg"), "--json"))
    assert photo["hands"]
