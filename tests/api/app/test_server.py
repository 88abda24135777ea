"""``hupai serve --workers 2``: one address, processes that are replaced when they die and end when
told to.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
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


@contextmanager
def supervised(folder: Path, **settings: str) -> Iterator[subprocess.Popen[str]]:
    """Run a supervisor with two workers; killed at the end at the latest."""
    environment = {
        **os.environ,
        "HUPAI_PRELOAD": "false",
        "PYTHONUNBUFFERED": "1",
        "HUPAI_DATA_DIR": str(folder),
        **settings,
    }
    with subprocess.Popen(
        COMMAND, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def address_of(process: subprocess.Popen[str]) -> str:
    """The address that the supervisor prints."""
    assert process.stdout is not None
    found = re.search(r"http://127\.0\.0\.1:\d+", process.stdout.readline())
    assert found
    return found[0]


def alive(pids: set[int]) -> set[int]:
    """Those of the processes that still run."""
    return {pid for pid in pids if Path(f"/proc/{pid}").exists()}


needs_proc = pytest.mark.skipif(
    not Path("/proc/self/task").is_dir(), reason="processes are looked up in /proc"
)


@pytest.mark.nightly
@needs_proc
def test_processes_share_an_address_and_are_replaced_when_they_die(tmp_path: Path) -> None:
    with supervised(tmp_path) as process:
        address = address_of(process)
        wait_until(lambda: answers(address), 60)
        wait_until(lambda: len(workers_of(process.pid)) == 2)
        killed = min(workers_of(process.pid))
        os.kill(killed, signal.SIGKILL)
        wait_until(lambda: len(workers_of(process.pid) - {killed}) == 2, 60)
        assert answers(address)
        left = workers_of(process.pid)
        process.send_signal(signal.SIGTERM)
        output = process.communicate(timeout=150)
    assert process.returncode == 0
    assert not alive(left)
    assert output[0] == "Hupai has stopped.\n"
    assert f"Child process [{killed}] died" in output[1]


@pytest.mark.nightly
@needs_proc
def test_workers_end_when_their_supervisor_is_killed(tmp_path: Path) -> None:
    with supervised(tmp_path) as process:
        address = address_of(process)
        wait_until(lambda: answers(address), 60)
        wait_until(lambda: len(workers_of(process.pid)) == 2)
        workers = workers_of(process.pid)
        process.kill()
        wait_until(lambda: not alive(workers), 60)


@pytest.mark.nightly
def test_workers_that_cannot_start_stop_the_service_with_advice(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    with supervised(tmp_path / "file") as process:
        output = process.communicate(timeout=150)[1]
    assert process.returncode == 1
    assert "hupai doctor" in output


def test_processes_that_share_nothing_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HUPAI_DATA_DIR", ":temporary:")
    result = CliRunner().invoke(app, ["serve", "--port", "0", "--workers", "2"])
    assert result.exit_code == 1
    assert "share" in result.stderr


def test_what_is_loaded_is_left_out_of_garbage_collections() -> None:
    code = (
        "import gc; from hupai.api.app import server; from hupai.api.web.settings import Settings; "
        "server._make_app(Settings(data_dir=':temporary:')); "
        "print(gc.get_freeze_count() > len(gc.get_objects()), gc.isenabled())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True"]
