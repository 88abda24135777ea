"""Sends photos through the service as users start it: one process, or Ray Serve on this machine."""

from __future__ import annotations

import os
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
from uuid import uuid4

import httpx

from benchmarks import service
from hupai.api.scale.application import RECOGNISER

CLIENTS_A_READER = 3
"""Concurrent clients per reader, so that no reader is idle."""
_START_SECONDS = 600


@dataclass(frozen=True, slots=True)
class Served:
    """The performance of a service.

    Attributes:
        photos, seconds: photos read, and the time this took.
        ready: seconds from the start of the command to the first photo's answer.
        memory: resident MiB of each reader; for one process, of the service.
    """

    photos: int
    seconds: float
    ready: float
    memory: tuple[float, ...]


def through_service(folder: Path, photos: Sequence[bytes]) -> Served:
    """Send photos to ``hupai serve`` with one process and one thread a photo."""
    return _measure(folder, photos, 1, ())


def through_ray(folder: Path, photos: Sequence[bytes], readers: int) -> Served:
    """Send photos to ``hupai serve --ray`` with `readers` readers."""
    return _measure(folder, photos, readers, ("--ray", "--workers", str(readers)))


def _measure(folder: Path, photos: Sequence[bytes], readers: int, options: Sequence[str]) -> Served:
    started = time.perf_counter()
    with _running(folder, options) as (process, address):
        with httpx.Client(base_url=address, timeout=600) as client:
            _post(client, photos[0])
            ready = time.perf_counter() - started
        begun = time.perf_counter()
        with (
            httpx.Client(base_url=address, timeout=600) as client,
            ThreadPoolExecutor(CLIENTS_A_READER * readers) as threads,
        ):
            list(threads.map(lambda photo: _post(client, photo), photos))
        seconds = time.perf_counter() - begun
        memory = _readers_memory() if options else [service.memory(process.pid)]
        return Served(len(photos), seconds, ready, tuple(memory))


@contextmanager
def _running(folder: Path, options: Sequence[str]) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    port = _free_port()
    settings = {
        "HUPAI_DATA_DIR": str(folder),
        "HUPAI_RATE_LIMIT": "0",
        "HUPAI_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_SERVE_PROXY_READY_CHECK_TIMEOUT_S": str(_START_SECONDS),
        "RAY_worker_register_timeout_seconds": str(_START_SECONDS),
    }
    command = [sys.executable, "-m", "hupai.api.cli.main", "serve", "--port", str(port), *options]
    log = folder.with_suffix(".log")
    with log.open("wb") as file:
        process = subprocess.Popen(
            command, env={**os.environ, **settings}, stdout=file, stderr=file
        )
    try:
        address = f"http://127.0.0.1:{port}"
        until = time.monotonic() + _START_SECONDS
        while not _is_ready(address):
            if process.poll() is not None or time.monotonic() > until:
                raise SystemExit(f"the service did not start:\n{log.read_text()[-2000:]}")
            time.sleep(0.1)
        yield process, address
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


def _post(client: httpx.Client, photo: bytes) -> None:
    """Send a new photo; if it is rejected, wait for Retry-After and try again."""
    data = photo + uuid4().bytes
    while True:
        answer = client.post(
            "/v1/hands", files={"photo": ("a.jpg", data)}, data={"rules": service.RULES}
        )
        if answer.status_code != 429:
            answer.raise_for_status()
            return
        time.sleep(float(answer.headers["retry-after"]))


def _readers_memory() -> list[float]:
    """Resident MiB of each reader of Ray Serve on this machine."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            name = (folder / "cmdline").read_bytes()
            if name.startswith(b"ray::") and RECOGNISER.encode() in name:
                found.append(service.memory(int(folder.name)))
    return found
