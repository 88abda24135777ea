"""App processes as a cluster has them, each with a data folder of its own, and a balancer that
gives each connection to the next.
"""

from __future__ import annotations

import itertools
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx

from tests.api.service import wait_until
from tests.shared import ROOT


class AppProcess:
    """One process with the app of `tests.api.scale.app`.

    Attributes:
        address: its URL.
    """

    def __init__(self, environment: dict[str, str], log: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{port}"
        self.log = log
        with log.open("wb") as file:
            self.process = subprocess.Popen(
                [sys.executable, "-W", "ignore", "-m", "tests.api.scale.app", str(port)],
                cwd=ROOT,
                env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}", **environment},
                stdout=file,
                stderr=file,
            )

    def wait(self) -> None:
        """Wait until it answers."""
        wait_until(self._answers, 150)

    def _answers(self) -> bool:
        assert self.process.poll() is None, self.log.read_text()
        try:
            return httpx.get(f"{self.address}/readiness", timeout=5).is_success
        except httpx.HTTPError:
            return False

    def kill(self) -> None:
        """End it at once."""
        self.process.kill()
        self.process.wait()


class Balancer:
    """Takes connections and passes each on to the next of some addresses.

    Attributes:
        address: its URL.
        taken: how many connections each got.
    """

    def __init__(self, targets: list[str]) -> None:
        self.taken = dict.fromkeys(targets, 0)
        self._next = itertools.cycle(targets)
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.address = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._open: list[socket.socket] = []
        self._threads = [threading.Thread(target=self._accept, daemon=True)]

    def start(self) -> None:
        """Begin."""
        self._threads[0].start()

    def stop(self) -> None:
        """End, with all connections."""
        for one in (self._listener, *self._open):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
        for thread in self._threads:
            thread.join(10)

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            target = next(self._next)
            self.taken[target] += 1
            host, port = target.removeprefix("http://").split(":")
            try:
                app = socket.create_connection((host, int(port)), 30)
            except OSError:
                client.close()
                continue
            app.settimeout(None)
            self._open += [client, app]
            for pair in ((client, app), (app, client)):
                thread = threading.Thread(target=_pass_on, args=pair, daemon=True)
                thread.start()
                self._threads.append(thread)


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
    for one in (source, target):
        with suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)


@contextmanager
def balanced(targets: list[str]) -> Iterator[Balancer]:
    """A balancer that runs, stopped at the end."""
    balancer = Balancer(targets)
    balancer.start()
    try:
        yield balancer
    finally:
        balancer.stop()
