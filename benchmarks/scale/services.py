"""Sends photos through the service as users start it: one process, or Ray Serve on this machine."""

from __future__ import annotations

import http.client
import json
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import local
from uuid import uuid4

import httpx

from benchmarks import service
from benchmarks.scale.processes import Marked, Spent, spent

CLIENTS_A_READER = 3
"""Concurrent clients per reader, so that no reader is idle."""
_START_SECONDS = 600


@dataclass(frozen=True, slots=True)
class Served:
    """The performance of one way of reading.

    Attributes:
        photos, seconds: photos read once everything ran, and the time this took.
        ready: seconds from the start of the command to the first photo's answer, or of the whole
            command for an archive of one photo.
        spent: what the processes used meanwhile.
    """

    photos: int
    seconds: float
    ready: float
    spent: Spent


def through_service(
    route: str, source: Path, folder: Path, readers: int, count: int, *options: str
) -> Served:
    """Send photos to ``hupai serve``, and wait for each answer.

    Args:
        route: route that photos are posted to.
        source: folder of photos.
        folder: data folder of the service.
        readers: number of its readers.
        count: photos to send.
        options: options of the command.
    """
    marked = Marked()
    scenes = [path.read_bytes() for path in sorted(source.iterdir())]
    # Made beforehand: clients of a real service do not share its cores.
    bodies = [_form(scenes[number % len(scenes)]) for number in range(count + 4 * readers)]
    started = time.perf_counter()
    with _running(marked, folder, options) as port:
        send = _Sender(port, route)
        send(_form(scenes[0]))
        ready = time.perf_counter() - started
        with ThreadPoolExecutor(CLIENTS_A_READER * readers) as threads:
            list(threads.map(send, bodies[count:]))
            begun, before = time.perf_counter(), marked.usage()
            list(threads.map(send, bodies[:count]))
            seconds = time.perf_counter() - begun
        return Served(count, seconds, ready, spent(before, marked.usage(), readers))


@contextmanager
def _running(marked: Marked, folder: Path, options: Sequence[str]) -> Iterator[int]:
    """Run the service; the value is its port."""
    port = _free_port()
    environment = marked.environment(
        HUPAI_DATA_DIR=str(folder),
        HUPAI_RATE_LIMIT="0",
        HUPAI_THREADS="1",
        OMP_NUM_THREADS="1",
        RAY_USAGE_STATS_ENABLED="0",
        RAY_SERVE_PROXY_READY_CHECK_TIMEOUT_S=str(_START_SECONDS),
        RAY_worker_register_timeout_seconds=str(_START_SECONDS),
    )
    command = [sys.executable, "-m", "hupai.api.cli.main", "serve", "--port", str(port), *options]
    log = folder.with_suffix(".log")
    with log.open("wb") as file:
        process = subprocess.Popen(command, env=environment, stdout=file, stderr=file)
    try:
        until = time.monotonic() + _START_SECONDS
        while not _is_ready(f"http://127.0.0.1:{port}"):
            if process.poll() is not None or time.monotonic() > until:
                raise SystemExit(f"the service did not start:\n{log.read_text()[-2000:]}")
            time.sleep(0.1)
        yield port
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(120)


def _free_port() -> int:
    """Find a free port."""
    for port in random.sample(range(20000, 30000), 50):
        with socket.socket() as free, suppress(OSError):
            free.bind(("127.0.0.1", port))
            return port
    raise SystemExit("no free port")


def _is_ready(address: str) -> bool:
    try:
        return httpx.get(f"{address}/readiness", timeout=5).is_success
    except httpx.TransportError:
        return False


def _form(photo: bytes) -> bytes:
    """Return the body of a request with a new photo."""
    part = "--hupai\r\ncontent-disposition: form-data; name="
    return b"".join(
        (
            f'{part}"rules"\r\n\r\n{service.RULES}\r\n'.encode(),
            f'{part}"photo"; filename="a.jpg"\r\ncontent-type: image/jpeg\r\n\r\n'.encode(),
            photo + uuid4().bytes,
            b"\r\n--hupai--\r\n",
        )
    )


class _Sender:
    """Sends requests over one connection for each thread."""

    def __init__(self, port: int, route: str) -> None:
        self._port, self._route = port, route
        self._local = local()

    def __call__(self, body: bytes) -> None:
        """Send a photo; if it is rejected, wait for Retry-After and try again."""
        headers = {"content-type": "multipart/form-data; boundary=hupai"}
        while True:
            connection = self._connection()
            connection.request("POST", self._route, body, headers)
            answer = connection.getresponse()
            content = answer.read()
            if answer.status != 429:
                if answer.status >= 400:
                    raise SystemExit(f"{answer.status}: {json.loads(content)}")
                return
            time.sleep(float(answer.headers["retry-after"]))

    def _connection(self) -> http.client.HTTPConnection:
        if not hasattr(self._local, "connection"):
            self._local.connection = http.client.HTTPConnection("127.0.0.1", self._port, 600)
        connection: http.client.HTTPConnection = self._local.connection
        return connection
