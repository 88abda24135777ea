"""Several processes behind one address, watched over: one that dies is started again, told to end
all end in order.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import socket
import threading
import time
from multiprocessing import connection
from multiprocessing.context import SpawnProcess
from types import FrameType

import typer

from hupai.api.cli.common import fail, note
from hupai.api.web.settings import TEMPORARY, Settings

_SOON = 20.0
"""A process that dies within so many seconds of its start did not start."""
_PATIENCE = 3
"""How many may die soon, one after another, before it is given up."""


def supervise(settings: Settings, listener: socket.socket) -> None:
    """Serve with ``settings.workers`` processes until told to end (SIGTERM, SIGINT).

    Each opens the model and the storage itself; they share the listening socket, and whoever is
    free takes the next connection.
    """
    if settings.data_dir == TEMPORARY:
        listener.close()
        fail(f"Several processes need a data folder they share: HUPAI_DATA_DIR is {TEMPORARY}.")
    _Supervisor(settings, listener).run()


class _Supervisor:
    def __init__(self, settings: Settings, listener: socket.socket) -> None:
        self._settings = settings
        self._listener = listener
        self._context = multiprocessing.get_context("spawn")
        self._started: dict[SpawnProcess, float] = {}
        self._stopping = False

    def run(self) -> None:
        """Start, watch, end."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._told_to_end)
        for _ in range(self._settings.workers):
            self._start()
        died_soon = 0
        while self._started and not self._stopping:
            for process in self._ended():
                died_soon = (
                    died_soon + 1 if time.monotonic() - self._started.pop(process) < _SOON else 0
                )
                if self._stopping:
                    break
                if died_soon >= _PATIENCE:
                    self._end()
                    fail(
                        "The processes of the service do not start, the lines above say why; see `hupai doctor`."
                    )
                note(f"process {process.pid} ended with {process.exitcode}; another is started")
                self._start()
        self._end()

    def _start(self) -> None:
        process = self._context.Process(target=_serve, args=(self._settings, self._listener))
        process.start()
        self._started[process] = time.monotonic()

    def _ended(self) -> list[SpawnProcess]:
        """Processes that have ended, waited for up to a second."""
        ready = set(connection.wait([process.sentinel for process in self._started], timeout=1.0))
        return [process for process in self._started if process.sentinel in ready]

    def _told_to_end(self, _signal: int, _frame: FrameType | None) -> None:
        self._stopping = True

    def _end(self) -> None:
        """Tell every process to end and wait; what does not end in its time is killed."""
        for process in self._started:
            process.terminate()
        until = time.monotonic() + self._settings.shutdown_seconds + 10
        for process in self._started:
            process.join(max(0.0, until - time.monotonic()))
            if process.is_alive():
                process.kill()
                process.join()


def _serve(settings: Settings, listener: socket.socket) -> None:
    """One process: the service, until told to end, or until the one that watches over it is
    gone.
    """
    from hupai.api.app.factory import create_app
    from hupai.api.cli.commands.serve import run

    threading.Thread(target=_end_with_parent, name="parent", daemon=True).start()
    try:
        run(create_app(settings), settings, listener)
    except typer.Exit as end:
        raise SystemExit(end.exit_code) from None


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)
