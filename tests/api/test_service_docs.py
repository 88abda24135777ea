"""The curl lines and the Python example of docs/api.md are run against the service, as they stand."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from api.app import create_app
from api.settings import Settings
from tests.api.service import RecordedReader, recorded_reading, served

DOCS = Path("docs") / "api.md"
DOCUMENTED = "http://127.0.0.1:8000"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    reader = RecordedReader(recorded_reading(winning_known=False))
    with served(create_app(Settings(preload=False), reader)) as address:
        yield address


def blocks(root: Path, language: str, address: str) -> list[str]:
    """The code blocks in one language, sent to this test's service."""
    text = (root / DOCS).read_text(encoding="utf-8")
    return [block.replace(DOCUMENTED, address) for block in re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)]


@pytest.fixture
def checkout(root: Path, tmp_path: Path) -> Path:
    """A folder that looks like the checkout, for examples that write files."""
    (tmp_path / "examples").symlink_to(root / "examples")
    return tmp_path


@pytest.mark.skipif(shutil.which("curl") is None, reason="no curl on the PATH")
def test_every_curl_line_works(root: Path, address: str, checkout: Path) -> None:
    commands = [line for block in blocks(root, "sh", address) for line in block.replace("\\\n", " ").splitlines() if line.strip()]
    assert len(commands) == 9
    for command in commands:
        done = subprocess.run(
            command.replace("curl -s", "curl -sS --fail-with-body", 1),
            shell=True, cwd=checkout, capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        if "-o " not in command:
            json.loads(done.stdout)
    assert (checkout / "annotated.jpg").read_bytes().startswith(b"\xff\xd8")
    assert "<svg" in (checkout / "5m.svg").read_text(encoding="utf-8")


def test_the_python_example_works(root: Path, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (example,) = blocks(root, "python", address)
    monkeypatch.chdir(root)
    printed = io.StringIO()
    scope: dict[str, object] = {}
    with contextlib.redirect_stdout(printed):
        exec(example, scope)
    scope["client"].close()  # type: ignore[attr-defined]
    assert "Which tile won?" in printed.getvalue()
