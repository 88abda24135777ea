"""Heavy work off the event loop: a few threads, a short queue, and an honest refusal when it is full."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from math import ceil
from time import perf_counter
from typing import TypeVar

from api.metrics import Metrics
from api.problem_types import BUSY, TIMEOUT
from api.problems import ApiProblem

T = TypeVar("T")
Watch = Callable[[str, int], None]
"""Is told what happens to a photo, from any thread: a stage's name, and for ``queued`` how many are before it, else 0."""


@dataclass(eq=False, slots=True)
class _Ticket:
    """A job that waits for a thread."""

    watch: Watch | None
    told: int = -1


class WorkQueue:
    """Runs functions in `workers` threads; at most `waiting` more may wait.

    A caller that goes away frees its place only when its thread is done, so the bound holds however clients behave.
    """

    def __init__(self, workers: int, waiting: int, timeout: float, metrics: Metrics) -> None:
        self._executor = ThreadPoolExecutor(workers, thread_name_prefix="reader")
        self._workers = workers
        self._places = workers + waiting
        self.timeout = timeout
        self._metrics = metrics
        self._inside = 0
        self._mean_seconds = 1.0
        self._waiting: list[_Ticket] = []

    @property
    def depth(self) -> int:
        """Jobs running or waiting."""
        return self._inside

    def check_room(self) -> None:
        """See whether a job would be taken now.

        Raises:
            ApiProblem: ``busy`` when the queue is full.
        """
        if self._inside >= self._places:
            self._metrics.rejected.inc()
            wait = str(max(1, ceil(self._mean_seconds * self._inside / self._workers)))
            raise ApiProblem(
                BUSY,
                f"{self._inside} photos are being read or wait; try again in {wait} s.",
                f"有 {self._inside} 张照片在排队，请 {wait} 秒后再试。",
                headers={"Retry-After": wait},
            )

    async def run(self, job: Callable[[], T], watch: Watch | None = None) -> T:
        """The job's result; `watch` is told how many are before it while it waits.

        Raises:
            ApiProblem: ``busy`` when the queue is full, ``timeout`` when it takes longer than the limit.
        """
        self.check_room()
        self._change(+1)
        loop = asyncio.get_running_loop()
        ticket = _Ticket(watch)
        self._waiting.append(ticket)

        context = copy_context()  # log lines of the thread carry the request's id

        def started() -> T:
            loop.call_soon_threadsafe(self._taken, ticket)
            return context.run(self._timed, job)

        try:
            future = loop.run_in_executor(self._executor, started)
        except RuntimeError:
            self._waiting.remove(ticket)
            self._change(-1)
            raise
        self._tell_waiting()
        future.add_done_callback(self._left)
        try:
            return await asyncio.wait_for(asyncio.shield(future), self.timeout)
        except TimeoutError:
            raise ApiProblem(TIMEOUT, f"The photo was not read within {self.timeout:g} s.", "照片识别超时。") from None

    def _timed(self, job: Callable[[], T]) -> T:
        started = perf_counter()
        try:
            return job()
        finally:
            self._mean_seconds += 0.2 * (perf_counter() - started - self._mean_seconds)

    def _taken(self, ticket: _Ticket) -> None:
        self._waiting.remove(ticket)
        self._tell_waiting()

    def _tell_waiting(self) -> None:
        """Tell each that waits its place, where that has changed. Those that find a free thread are not told."""
        busy = self._inside - len(self._waiting)
        for place, ticket in enumerate(self._waiting):
            before = busy + place - self._workers + 1
            if before > 0 and ticket.watch is not None and ticket.told != before:
                ticket.told = before
                ticket.watch("queued", before)

    def _left(self, future: asyncio.Future[T]) -> None:
        self._change(-1)
        self._tell_waiting()
        if not future.cancelled():
            future.exception()  # seen here, so that a job whose caller is gone does not warn at exit

    def _change(self, by: int) -> None:
        self._inside += by
        self._metrics.queue_depth.set(self._inside)

    def close(self) -> None:
        """Let running jobs end and drop those that wait."""
        self._executor.shutdown(wait=True, cancel_futures=True)
