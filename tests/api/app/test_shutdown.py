"""Told to end, the service answers what it has begun and then ends: photos that are read, photos
that wait, streams.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
import uvicorn
from uvicorn._types import ASGIReceiveCallable, ASGISendCallable, Scope

from hupai.api.app.server import Server, listen
from tests.api.service import photo_file, picture, wait_until

SERVICE = """
import contextlib, os, sys, threading, time
from fastapi import Request
from fastapi.responses import StreamingResponse
from hupai.api.app.factory import create_app
from hupai.api.app.server import listen, run
from hupai.api.web.settings import Settings
from tests.api.service import RecordedReader, recorded_reading

settings = Settings(preload=False, port=0, concurrency=1)
reader = RecordedReader(recorded_reading())
app = create_app(settings, reader)
held = contextlib.ExitStack()
queue = app.state.reading.queue

def until_told():
    os.read(0, 1)
    held.close()

def until_those_that_wait_are_dropped():
    while queue.depth < 3:
        time.sleep(0.01)
    while queue.depth > 1:
        time.sleep(0.01)
    held.close()

if sys.argv[1]:
    held.enter_context(reader.held())
    threading.Thread(target=globals()[sys.argv[1]], daemon=True).start()

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
print(len(reader.calls), "read")
"""


@contextmanager
def service(
    root: Path, held: str = "", **settings: str
) -> Iterator[tuple[subprocess.Popen[str], httpx.Client]]:
    """A process, and a client of it. With `held` the photos that it begins to read are not read
    before what that says.
    """
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join((str(root / "src"), str(root))),
        "HUPAI_DATA_DIR": ":temporary:",
        **settings,
    }
    command = [sys.executable, "-c", SERVICE, held]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        cwd=root,
    ) as process:
        assert process.stdout is not None
        try:
            address = process.stdout.readline().strip()
            assert address, process.stderr and process.stderr.read()
            with httpx.Client(base_url=address, timeout=30) as client:
                wait_until(lambda: client.get("/readiness").status_code == 200)
                yield process, client
        finally:
            process.kill()


def post_photo(client: httpx.Client) -> httpx.Response:
    """Send a photo over a connection of its own."""
    return httpx.post(
        client.base_url.join("/v1/recognitions"), files=photo_file(picture()), timeout=30
    )


def in_queue(client: httpx.Client) -> int:
    """Photos being read or waiting."""
    found = re.search(r"^hupai_queue_depth (\d+)", client.get("/metrics").text, re.MULTILINE)
    assert found
    return int(found[1])


def takes_requests(client: httpx.Client) -> bool:
    """Whether a new connection is answered."""
    try:
        return httpx.get(client.base_url.join("/healthz"), timeout=5).status_code == 200
    except httpx.TransportError:
        return False


@pytest.mark.nightly
@pytest.mark.parametrize("signal_sent", [signal.SIGTERM, signal.SIGINT])
def test_photos_in_progress_are_answered_before_the_service_ends(
    root: Path, signal_sent: int
) -> None:
    with service(root, "until_told") as (process, client):
        answers: list[httpx.Response] = []

        def send() -> None:
            answers.append(post_photo(client))

        threads = [threading.Thread(target=send) for _ in range(2)]
        for thread in threads:
            thread.start()
        wait_until(lambda: in_queue(client) == 2)
        process.send_signal(signal_sent)
        wait_until(lambda: not takes_requests(client))
        assert process.poll() is None, "it ended before the photos were answered"
        assert answers == []
        assert process.stdin is not None
        process.stdin.write(".")
        process.stdin.flush()
        for thread in threads:
            thread.join(60)
        assert [answer.status_code for answer in answers] == [200, 200]
        assert all(len(answer.json()["tiles"]) > 10 for answer in answers)
        assert process.wait(60) == 0
        assert process.stderr is not None
        assert "Traceback" not in process.stderr.read()


@pytest.mark.nightly
def test_streams_are_closed_when_the_service_ends(root: Path) -> None:
    with service(root) as (process, client), client.stream("GET", "/ticks") as stream:
        lines = stream.iter_lines()
        assert next(lines) == "begun"
        started = time.monotonic()
        process.send_signal(signal.SIGTERM)
        assert list(lines)[-1] == "ended"
        process.wait(60)
        assert time.monotonic() - started < 25, "it waited until HUPAI_SHUTDOWN_SECONDS were over"


@pytest.mark.nightly
def test_a_request_that_takes_too_long_does_not_delay_the_shutdown(root: Path) -> None:
    with service(root, "until_those_that_wait_are_dropped", HUPAI_SHUTDOWN_SECONDS="1") as (
        process,
        client,
    ):
        statuses: list[int] = []

        def send() -> None:
            try:
                statuses.append(post_photo(client).status_code)
            except httpx.TransportError:
                statuses.append(0)

        threads = [threading.Thread(target=send) for _ in range(3)]
        for thread in threads:
            thread.start()
        wait_until(lambda: in_queue(client) == 3)
        process.send_signal(signal.SIGTERM)
        process.wait(60)
        assert process.stdout is not None
        assert process.stdout.read() == "1 read\n", "photos that only waited were still read"
        for thread in threads:
            thread.join(60)
        assert 200 not in statuses


async def endless(_scope: Scope, _receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
    """An application whose answer has no end."""
    await send({"type": "http.response.start", "status": 200, "headers": [], "trailers": False})
    while True:
        await send({"type": "http.response.body", "body": bytes(65536), "more_body": True})


def test_a_client_that_does_not_take_its_answer_is_dropped_at_the_end() -> None:
    config = uvicorn.Config(endless, log_config=None, lifespan="off", timeout_graceful_shutdown=1)
    server = Server(config)
    listener = listen("127.0.0.1", 0)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    with socket.create_connection(listener.getsockname(), timeout=10) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: here\r\n\r\n")
        assert client.recv(1)
        server.should_exit = True
        thread.join(20)
        assert not thread.is_alive()
        while client.recv(65536):  # what was sent, then the end
            pass
