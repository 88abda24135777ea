"""Graceful shutdown: endless streams are notified, requests in progress are completed."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Stopping:
    """Set once, when the process receives SIGTERM or Ctrl+C; ``app.state.stopping``."""

    def __init__(self) -> None:
        self._flag = threading.Event()
        self._waiting: set[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = set()

    def is_set(self) -> bool:
        """Whether the service is shutting down."""
        return self._flag.is_set()

    def set(self) -> None:
        """Wake all that wait; may be called from any thread or a signal handler."""
        self._flag.set()
        for loop, event in self._waiting.copy():
            if not loop.is_closed():
                loop.call_soon_threadsafe(event.set)

    @contextmanager
    def on_signals(self) -> Iterator[None]:
        """Set this on SIGTERM and SIGINT, before the server's own handlers run.

        Nothing is changed in a thread other than the main one, which no signal reaches.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        servers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}

        def tell(number: int, frame: FrameType | None) -> None:
            self.set()
            before = servers[signal.Signals(number)]
            if callable(before):
                before(number, frame)

        for number, before in servers.items():
            if callable(before):
                signal.signal(number, tell)
        try:
            yield
        finally:
            for number, before in servers.items():
                if callable(before):
                    signal.signal(number, before)

    async def wait(self, timeout: float | None = None) -> bool:
        """Wait for the shutdown, at most `timeout` seconds; return whether it has begun.

        A stream's loop is ``while not await stopping.wait(1): send what is new``.
        """
        event = asyncio.Event()
        entry = (asyncio.get_running_loop(), event)
        self._waiting.add(entry)
        try:
            if not self._flag.is_set():
                await asyncio.wait_for(event.wait(), timeout)
        except TimeoutError:
            pass
        finally:
            self._waiting.discard(entry)
        return self._flag.is_set()
