"""``hupai serve --workers 2``: one address, processes that are replaced when they die and end when
told to.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
from typer.testing import CliRunner

from hupai.api.cli.main import app
from tests.api.service import wait_until

COMMAND = [
    sys.executable,
    "-c",
    "from hupai.api.cli.main import main; main()",
    "serve",
    "--port",
    "0",
    "--workers",
    "2",
]


def workers_of(pid: int) -> set[int]:
    """Process ids of the workers of a supervisor."""
    found = set()
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        with suppress(FileNotFoundError, ProcessLookupError):  # gone since
            if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes():
                found.add(int(child))
    return found


def answers(address: str) -> bool:
    """Whether the service lists hands, which takes its database."""
    try:
        return httpx.get(f"{address}/v1/hands", timeout=20).status_code == 200
    except httpx.TransportError:
        return False


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="processes are looked up in /proc")
@pytest.mark.timeout(180)
def test_processes_share_an_address_and_are_replaced_when_they_die(tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "HUPAI_PRELOAD": "false",
        "PYTHONUNBUFFERED": "1",
        "HUPAI_DATA_DIR": str(tmp_path),
    }
    with subprocess.Popen(
        COMMAND, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
    ) as process:
        assert process.stdout is not None
        try:
            found = re.search(r"http://127\.0\.0\.1:\d+", process.stdout.readline())
            assert found
            wait_until(lambda: answers(found[0]), 60)
            wait_until(lambda: len(workers_of(process.pid)) == 2)
            before = workers_of(process.pid)
            killed = min(before)
            os.kill(killed, signal.SIGKILL)
            wait_until(lambda: len(workers_of(process.pid) - {killed}) == 2, 60)
            assert answers(found[0])
            left = workers_of(process.pid)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(60)
    assert process.returncode == 0
    assert not any(Path(f"/proc/{pid}").exists() for pid in left)


def test_processes_that_share_nothing_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HUPAI_DATA_DIR", ":temporary:")
    result = CliRunner().invoke(app, ["serve", "--port", "0", "--workers", "2"])
    assert result.exit_code == 1
    assert "share" in result.stderr
