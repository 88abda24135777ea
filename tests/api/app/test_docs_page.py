"""The curl lines and the Python example of docs/api.md are run against the service, as they
stand.
"""

from __future__ import annotations

import contextlib
import io
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from hupai.api.app.factory import create_app
from hupai.api.web.settings import Settings
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
    return [
        block.replace(DOCUMENTED, address)
        for block in re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)
    ]


@pytest.fixture
def checkout(root: Path, tmp_path: Path) -> Path:
    """A folder that looks like the checkout, for examples that write files."""
    (tmp_path / "examples").symlink_to(root / "examples")
    return tmp_path


NOT_RUN = {
    ("post", "/v1/tile-sets"), ("get", "/v1/tile-sets/{name}"), ("delete", "/v1/tile-sets/{name}"),
    ("get", "/v1/tile-sets/{name}/faces/{code}"),
}  # fmt: skip
"""Documented, but only photos of a whole set of tiles would do."""


@pytest.mark.nightly
@pytest.mark.skipif(shutil.which("curl") is None, reason="no curl on the PATH")
def test_every_curl_line_works_and_no_route_is_missing(root: Path, checkout: Path) -> None:
    app = create_app(Settings(preload=False, rate_limit=0), RecordedReader(recorded_reading()))
    with served(app) as address:
        script = "set -euo pipefail\n" + "".join(blocks(root, "sh", address)).replace(
            "curl -s", "curl -sS --fail-with-body"
        )
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=checkout,
            capture_output=True,
            text=True,
            timeout=90,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr
        metrics = httpx.get(f"{address}/metrics", timeout=30).text
    counted = re.findall(
        r'hupai_requests_total{method="(\w+)",route="([^"]+)",status="2\d\d"}', metrics
    )
    answered = {(method.lower(), route) for method, route in counted}
    document = app.openapi()["paths"]
    every = {(method, path) for path, item in document.items() for method in item}
    assert every - answered - NOT_RUN == set(), "routes without a line in docs/api.md"
    text = (root / DOCS).read_text(encoding="utf-8")
    for _, path in every:
        assert re.search(re.sub(r"\\{\w+\\}", r"[^/ ]+", re.escape(path)) + r"(?![\w/])", text), (
            path
        )
    for name, start in (
        ("annotated.jpg", b"\xff\xd8"),
        ("photo.jpg", b"\xff\xd8"),
        ("report.pdf", b"%PDF"),
        ("bundle.zip", b"PK"),
    ):
        assert (checkout / name).read_bytes().startswith(start), name
    assert "<svg" in (checkout / "5m.svg").read_text(encoding="utf-8")


def test_the_python_example_works(
    root: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (example,) = blocks(root, "python", address)
    monkeypatch.chdir(root)
    printed = io.StringIO()
    scope: dict[str, object] = {}
    with contextlib.redirect_stdout(printed):
        exec(example, scope)
    scope["client"].close()  # type: ignore[attr-defined]
    assert "Was the winning tile drawn by the winner?" in printed.getvalue()
