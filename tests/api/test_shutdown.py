"""Told to end, the service answers what it has begun and then ends: photos that are read, photos that wait, streams."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.api.service import photo_file, picture

SERVICE = """
import sys
from fastapi import Request
from fastapi.responses import StreamingResponse
from api.app import create_app
from api.cli_serve import listen, run
from api.settings import Settings
from tests.api.service import RecordedReader, recorded_reading

settings = Settings(preload=False, port=0)
app = create_app(settings, RecordedReader(recorded_reading(), seconds=float(sys.argv[1])))

@app.get("/ticks")
async def ticks(request: Request):
    async def stream():
        yield b"begun\\n"
        while not await request.app.state.stopping.wait(0.2):
            yield b"tick\\n"
        yield b"ended\\n"
    return StreamingResponse(stream())

listener = listen("127.0.0.1", 0)
print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
run(app, settings, listener)
"""


@contextmanager
def service(root: Path, seconds: float, **settings: str) -> Iterator[tuple[subprocess.Popen[str], httpx.Client]]:
    """A process that takes `seconds` for each photo, and a client of it."""
    environment = {**os.environ, "PYTHONPATH": str(root), "HUPAI_DATA_DIR": ":temporary:", **settings}
    command = [sys.executable, "-c", SERVICE, str(seconds)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, cwd=root) as process:
        assert process.stdout is not None
        try:
            address = process.stdout.readline().strip()
            assert address, process.stderr and process.stderr.read()
            with httpx.Client(base_url=address, timeout=30) as client:
                for _ in range(200):
                    if client.get("/readiness").status_code == 200:
                        break
                    time.sleep(0.05)
                yield process, client
        finally:
            process.kill()


def post_photo(client: httpx.Client) -> httpx.Response:
    """Send a photo over a connection of its own."""
    return httpx.post(client.base_url.join("/v1/recognitions"), files=photo_file(picture()), timeout=30)


def in_queue(client: httpx.Client) -> int:
    """Photos being read or waiting."""
    found = re.search(r"^hupai_queue_depth (\d+)", client.get("/metrics").text, re.MULTILINE)
    assert found
    return int(found[1])


@pytest.mark.timeout(120)
@pytest.mark.parametrize("signal_sent", [signal.SIGTERM, signal.SIGINT])
def test_photos_under_way_are_answered_before_the_service_ends(root: Path, signal_sent: int) -> None:
    with service(root, 1.0) as (process, client):
        answers: list[httpx.Response] = []

        def send() -> None:
            answers.append(post_photo(client))

        threads = [threading.Thread(target=send) for _ in range(2)]
        for thread in threads:
            thread.start()
        deadline = time.monotonic() + 20
        while in_queue(client) < 2:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        process.send_signal(signal_sent)
        time.sleep(0.3)
        with pytest.raises(httpx.TransportError):
            httpx.get(client.base_url.join("/healthz"), timeout=5)
        assert process.poll() is None, "it ended before the photos were answered"
        for thread in threads:
            thread.join(30)
        assert [answer.status_code for answer in answers] == [200, 200]
        assert all(len(answer.json()["tiles"]) > 10 for answer in answers)
        assert process.wait(20) == 0
        assert process.stderr is not None
        assert "Traceback" not in process.stderr.read()


@pytest.mark.timeout(120)
def test_streams_hear_that_the_service_ends(root: Path) -> None:
    with service(root, 0.0) as (process, client), client.stream("GET", "/ticks") as stream:
        lines = stream.iter_lines()
        assert next(lines) == "begun"
        started = time.monotonic()
        process.send_signal(signal.SIGTERM)
        assert list(lines)[-1] == "ended"
        process.wait(20)
        assert time.monotonic() - started < 10


@pytest.mark.timeout(120)
def test_a_request_that_takes_too_long_does_not_hold_the_service_up(root: Path) -> None:
    with service(root, 4.0, HUPAI_SHUTDOWN_SECONDS="1") as (process, client):
        statuses: list[int] = []

        def send() -> None:
            try:
                statuses.append(post_photo(client).status_code)
            except httpx.TransportError:
                statuses.append(0)

        threads = [threading.Thread(target=send) for _ in range(3)]
        for thread in threads:
            thread.start()
        deadline = time.monotonic() + 20
        while in_queue(client) < 3:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        started = time.monotonic()
        process.send_signal(signal.SIGTERM)
        process.wait(60)
        assert time.monotonic() - started < 8, "photos that only waited were still read"
        for thread in threads:
            thread.join(30)
        assert 200 not in statuses
