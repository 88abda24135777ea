"""``hupai serve`` as a process: it prints its address, answers there, and stops on a signal."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from typer.testing import CliRunner

from hupai.api.cli.main import app

COMMAND = [
    sys.executable,
    "-c",
    "from hupai.api.cli.main import main; main()",
    "serve",
    "--port",
    "0",
]


def test_serve_prints_the_address_it_answers_at() -> None:
    environment = {**os.environ, "HUPAI_PRELOAD": "false", "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(COMMAND, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        try:
            found = re.search(r"http://127\.0\.0\.1:\d+", process.stdout.readline())
            assert found
            assert httpx.get(f"{found[0]}/healthz", timeout=30).status_code == 200
            assert "text/html" in httpx.get(f"{found[0]}/", timeout=30).headers["content-type"]
        finally:
            process.send_signal(signal.SIGINT)
            rest = process.stdout.read()
            process.wait(60)
    assert process.returncode == 0
    assert rest == "Hupai has stopped.\n"


def test_a_port_in_use_is_reported_with_advice() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        result = CliRunner().invoke(app, ["serve", "--port", str(taken.getsockname()[1])])
    assert result.exit_code == 1
    printed = result.stderr.replace("\n", " ")
    assert "Choose another with --port" in printed
    assert re.search(r"`HUPAI_PORT=\d+ make run`", printed)


@pytest.mark.nightly
def test_a_service_that_cannot_start_reports_why_and_fails(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    environment = {**os.environ, "HUPAI_PRELOAD": "false", "HUPAI_DATA_DIR": str(tmp_path / "file")}
    done = subprocess.run(
        COMMAND, capture_output=True, text=True, env=environment, timeout=150, check=False
    )
    assert done.returncode == 1
    assert "hupai doctor" in done.stderr


def test_a_wrong_setting_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HUPAI_CONCURRENCY", "none")
    result = CliRunner().invoke(app, ["serve"])
    assert result.exit_code == 1
    assert "HUPAI_CONCURRENCY" in result.stderr
