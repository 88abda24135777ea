"""Heavy work off the event loop: a few threads, a short queue, and an honest refusal when it is
full.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from math import ceil
from time import perf_counter
from typing import TypeVar

from hupai.api.web.metrics import Metrics
from hupai.api.web.problem_types import BUSY, TIMEOUT
from hupai.api.web.problems import ApiProblem

T = TypeVar("T")
Watch = Callable[[str, int], None]
"""Is told what happens to a photo, from any thread: a stage's name, and for ``queued`` how many are
before it, else 0.
"""


@dataclass(eq=False, slots=True)
class _Ticket:
    """A job that waits for a thread, or in line for a place; `turn` is done once it has the
    place.
    """

    watch: Watch | None
    turn: asyncio.Future[None] | None = None
    told: int = -1


class WorkQueue:
    """Runs functions in `workers` threads; at most `waiting` more may wait.

    A caller that goes away frees its place only when its thread is done, so the bound holds however
    clients behave. While the queue is full a patient caller stands in line: a place that gets free
    goes to the first in line, before anybody who comes then.
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
        self._line: list[_Ticket] = []

    @property
    def depth(self) -> int:
        """Jobs running or waiting."""
        return self._inside

    def check_room(self, *, patient: bool = False) -> None:
        """See whether a job would be taken now; a patient one is, unless as many stand in line
        already as the queue has places.

        Raises:
            ApiProblem: ``busy`` when the queue is full.
        """
        if self._inside >= self._places and not (patient and len(self._line) < self._places):
            raise self._busy()

    async def run(
        self, job: Callable[[], T], watch: Watch | None = None, *, patient: bool = False
    ) -> T:
        """The job's result; `watch` is told how many are before it while it waits.

        While the queue is full a patient job stands in line for a place, as long as a job may take.

        Raises:
            ApiProblem: ``busy`` when the queue is full, ``timeout`` when it takes longer than the
                limit.
        """
        ticket = _Ticket(watch)
        if self._inside < self._places:  # then nobody is in line
            self._change(+1)
        elif patient:
            await self._stand_in_line(ticket)
        else:
            raise self._busy()
        loop = asyncio.get_running_loop()
        self._waiting.append(ticket)

        context = copy_context()  # log lines of the thread carry the request's id

        def started() -> T:
            loop.call_soon_threadsafe(self._taken, ticket)
            return context.run(self._timed, job)

        try:
            future = loop.run_in_executor(self._executor, started)
        except RuntimeError:
            self._waiting.remove(ticket)
            self._free_place()
            raise
        self._tell_waiting()
        future.add_done_callback(self._left)
        try:
            return await asyncio.wait_for(asyncio.shield(future), self.timeout)
        except TimeoutError:
            raise ApiProblem(
                TIMEOUT, f"The photo was not read within {self.timeout:g} s.", "照片识别超时。"
            ) from None

    async def _stand_in_line(self, ticket: _Ticket) -> None:
        """Wait for a place; it is this ticket's own afterwards."""
        ticket.turn = asyncio.get_running_loop().create_future()
        self._line.append(ticket)
        self._tell_waiting()
        try:
            await asyncio.wait([ticket.turn], timeout=self.timeout)
        except asyncio.CancelledError:
            if ticket.turn.done():
                self._free_place()
            else:
                self._line.remove(ticket)
            raise
        if not ticket.turn.done():
            self._line.remove(ticket)
            raise self._busy()

    def _busy(self) -> ApiProblem:
        """The refusal of one job, counted."""
        self._metrics.rejected.inc()
        wait = str(max(1, ceil(self._mean_seconds * self._inside / self._workers)))
        return ApiProblem(
            BUSY,
            f"{self._inside} photos are being read or wait; try again in {wait} s.",
            f"有 {self._inside} 张照片在排队，请 {wait} 秒后再试。",
            headers={"Retry-After": wait},
        )

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
        """Tell each that waits its place, where that has changed. Those that find a free thread are
        not told.
        """
        busy = self._inside - len(self._waiting)
        for place, ticket in enumerate((*self._waiting, *self._line)):
            before = busy + place - self._workers + 1
            if before > 0 and ticket.watch is not None and ticket.told != before:
                ticket.told = before
                ticket.watch("queued", before)

    def _left(self, future: asyncio.Future[T]) -> None:
        self._free_place()
        self._tell_waiting()
        if not future.cancelled():
            future.exception()  # seen here, so that a job whose caller is gone does not warn at exit

    def _free_place(self) -> None:
        """The first in line has the place now, or nobody."""
        if not self._line:
            self._change(-1)
            return
        turn = self._line.pop(0).turn
        assert turn is not None
        turn.set_result(None)

    def _change(self, by: int) -> None:
        self._inside += by
        self._metrics.queue_depth.set(self._inside)

    def close(self) -> None:
        """Let running jobs end and drop those that wait."""
        self._executor.shutdown(wait=True, cancel_futures=True)
