"""The program in the bundle says what Hupai says, of genuine files and of every tampered one.

The page in the bundle: tests/e2e/test_check_page.py.
"""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from hupai.api.dossier.bundle.checkers import CHECKERS
from hupai.api.dossier.bundle.checkers.verify import Check
from hupai.api.dossier.bundle.verify import verify
from tests.api.dossier import cases
from tests.api.dossier.bundle.tampers import OWN, Tried, every

TRIED = list(every())


def test_there_are_enough_tampered_files() -> None:
    assert sum(not one.holds for one in TRIED) >= 50


@pytest.mark.parametrize("tried", TRIED, ids=lambda one: one.name)
def test_the_program_in_the_bundle_agrees_with_hupai(tried: Tried) -> None:
    own = verify(tried.data, tried.keys, tried.head or None)
    assert own.holds is tried.holds, own.fault
    _, wrong = Check(tried.data, list(tried.keys), tried.head).run()
    if own.fault is None:
        assert wrong is None, wrong
    else:
        assert wrong is not None
        assert wrong.step == own.fault.code.partition(".")[0]


def test_another_machine_needs_only_what_is_in_the_file(tmp_path: Path) -> None:
    with _archive(tmp_path) as file:
        file.extract("verify.py", tmp_path)

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        program = [sys.executable, "-I", "verify.py", "case.zip", *words]
        return subprocess.run(program, cwd=tmp_path, capture_output=True, text=True, check=False)

    done = run("--key", OWN, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["holds"]
    unknown = run()
    assert unknown.returncode == 1
    assert "SIGNER UNKNOWN" in unknown.stdout
    assert run("--any-key").returncode == 0
    assert run("--key", "0" * 32).returncode == 1
    assert run("--key", "abc").returncode == 2


def test_an_old_file_is_valid_without_checkers(root: Path) -> None:
    data = (root / "docs" / "example-case.zip").read_bytes()
    assert Check(data, ["5915541815c8298acbbbfc3ed2b99a13"], "").run()[1] is None


def test_both_checkers_are_in_the_bundle(tmp_path: Path) -> None:
    with _archive(tmp_path) as file:
        for path in CHECKERS:
            assert file.read(path.name) == path.read_bytes()


def _archive(folder: Path) -> zipfile.ZipFile:
    path = folder / "case.zip"
    path.write_bytes(cases.bundle())
    return zipfile.ZipFile(path)
