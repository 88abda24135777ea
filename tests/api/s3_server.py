"""A real S3-compatible server of our own for tests: moto's, as a process on a free port."""

from __future__ import annotations

import importlib.util
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

import httpx

INSTALLED = all(importlib.util.find_spec(name) for name in ("moto", "flask", "s3fs"))
MISSING = "no S3 server here: pip install 'moto[server]' s3fs"


class S3:
    """The server. Objects are kept in its memory.

    Attributes:
        address: its URL.
        environment: variables with which the AWS libraries find it.
    """

    def __init__(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{self._port}"
        self.environment = {
            "AWS_ENDPOINT_URL": self.address,
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_DEFAULT_REGION": "us-east-1",
        }
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it and wait until it answers."""
        self._process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", "moto.server", "-p", str(self._port)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **self.environment},
        )
        deadline = time.monotonic() + 120
        while True:
            try:
                httpx.get(f"{self.address}/moto-api/", timeout=5)
                return
            except httpx.HTTPError:
                assert self._process.poll() is None, "the S3 server ended"
                assert time.monotonic() < deadline, "the S3 server did not start"
                time.sleep(0.1)

    def bucket(self) -> str:
        """Make an empty bucket; its URL."""
        name = f"bucket-{uuid4().hex}"
        httpx.put(f"{self.address}/{name}", timeout=20).raise_for_status()
        return f"s3://{name}"

    def freeze(self) -> None:
        """Let it accept connections and say nothing."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on."""
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    def stop(self) -> None:
        """End it; what it kept is gone."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


@contextmanager
def running() -> Iterator[S3]:
    """A server that runs, stopped at the end."""
    server = S3()
    server.start()
    try:
        yield server
    finally:
        server.stop()
