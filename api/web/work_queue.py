"""Heavy work off the event loop: a few threads, a short queue, and rejection when it is full."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from math import ceil
from time import monotonic, perf_counter
from typing import TypeVar

from hupai.api.web.metrics import Metrics
from hupai.api.web.problem_types import BUSY, TIMEOUT
from hupai.api.web.problems import ApiProblem

T = TypeVar("T")
GRACE = 2.0
"""Seconds after its Retry-After time for which a place is reserved for a rejected request."""
_RESERVE_AHEAD = 1.0
"""Seconds before that time from which the place is reserved: waiting jobs must finish first."""
_MOST_RESERVATIONS = 1000
Watch = Callable[[str, int], None]
"""Called with the progress of a photo, from any thread: the name of its stage, and for ``queued``
its position, else 0.
"""


@dataclass(eq=False, slots=True)
class _Ticket:
    """A waiting job.

    Attributes:
        watch: called with its position.
        placed: done once it has a place in the queue.
        turn: done once a thread is assigned to it.
        last_position: the position reported last.
        has_thread: whether a thread is assigned to it.
    """

    watch: Watch | None
    placed: asyncio.Future[None]
    turn: asyncio.Future[None]
    last_position: int = 0
    has_thread: bool = False


class WorkQueue:
    """Runs functions in `workers` threads; at most `waiting` more may wait.

    A rejected request gets a Retry-After time. If the request has a name, a place in the queue is
    reserved for it from a second before that time until `GRACE` seconds after it. Nobody is
    rejected while a thread is idle.

    Jobs run in the order of their arrival. While the queue is full a patient caller waits in line:
    a place that becomes free goes to the first in line, before later callers. If a caller
    disconnects, its thread is freed only when the job is done, so the bound holds however clients
    behave.

    Attributes:
        timeout: seconds that a job may take from getting its place in the queue to its result, and
            that a patient caller waits for that place.
    """

    def __init__(self, workers: int, waiting: int, timeout: float, metrics: Metrics) -> None:
        self.timeout = timeout
        self._executor = ThreadPoolExecutor(workers, thread_name_prefix="reader")
        self._workers = workers
        self._places = workers + waiting
        self._metrics = metrics
        self._mean_seconds = 1.0
        self._running = 0
        self._line: deque[_Ticket] = deque()
        self._reservations: dict[str, float] = {}
        self._closed = False

    @property
    def depth(self) -> int:
        """Number of jobs that run or wait, except patient ones without a place."""
        return min(self._running + len(self._line), self._places)

    def check_room(self, *, patient: bool = False, request: str = "") -> None:
        """Check whether a job would be accepted now.

        A patient job is accepted unless the line is already as long as the queue. `request` is the
        name of the request; a retry has the same name.

        Raises:
            ApiProblem: ``busy`` when the queue is full.
        """
        most = 2 * self._places if patient else self._places
        if not patient:
            most -= self._reserved_places(request)
        if self._running + len(self._line) >= most:
            raise self._busy(request)

    def _reserved_places(self, request: str) -> int:
        """Count the places that this request may not take, because they are reserved for others."""
        now = monotonic()
        for name in [name for name, due in self._reservations.items() if due + GRACE < now]:
            del self._reservations[name]
        due = {
            name for name, moment in self._reservations.items() if moment - _RESERVE_AHEAD <= now
        }
        return 0 if request in due else min(len(due), self._places - self._workers)

    async def run(
        self,
        job: Callable[[], T],
        watch: Watch | None = None,
        *,
        patient: bool = False,
        request: str = "",
    ) -> T:
        """Run a job and return its result; `watch` is called with its position while it waits.

        `patient` and `request` are those of `check_room`.

        Raises:
            ApiProblem: ``busy`` when the queue is full, for a patient job until the timeout;
                ``timeout`` when the job takes longer than that.
        """
        if self._closed:
            raise RuntimeError("the queue is closed")
        if not patient:
            self.check_room(request=request)
        self._reservations.pop(request, None)
        loop = asyncio.get_running_loop()
        ticket = _Ticket(watch, loop.create_future(), loop.create_future())
        self._line.append(ticket)
        self._advance()
        started = False
        try:
            try:
                async with asyncio.timeout(self.timeout):
                    await ticket.placed
            except TimeoutError:
                raise self._busy() from None
            async with asyncio.timeout(self.timeout):
                await ticket.turn
                started = True
                return await asyncio.shield(self._start(job))
        except TimeoutError:
            detail = f"The photo was not read within {self.timeout:g} s."
            raise ApiProblem(TIMEOUT, detail, "照片识别超时。") from None
        finally:
            if not started:
                self._leave(ticket)

    def _advance(self) -> None:
        """Assign free threads and places to the first in line; report positions to the others."""
        if self._closed:
            for ticket in self._line:
                ticket.placed.cancel()
                ticket.turn.cancel()
            self._line.clear()
        while self._line and self._running < self._workers:
            ticket = self._line.popleft()
            ticket.has_thread = True
            self._running += 1
            for promise in (ticket.placed, ticket.turn):
                if not promise.done():
                    promise.set_result(None)
        for before, ticket in enumerate(self._line, 1):
            if before + self._running <= self._places and not ticket.placed.done():
                ticket.placed.set_result(None)
            if ticket.watch is not None and ticket.last_position != before:
                ticket.last_position = before
                ticket.watch("queued", before)
        self._metrics.queue_depth.set(self.depth)

    def _leave(self, ticket: _Ticket) -> None:
        """Leave the line, or release an assigned thread that was not used."""
        if ticket in self._line:
            self._line.remove(ticket)
        elif ticket.has_thread:
            self._running -= 1
        self._advance()

    def _start(self, job: Callable[[], T]) -> asyncio.Future[T]:
        """Run a job in its assigned thread; its log lines carry the request's id."""
        future = asyncio.get_running_loop().run_in_executor(
            self._executor, copy_context().run, self._timed, job
        )
        future.add_done_callback(self._finished)
        return future

    def _timed(self, job: Callable[[], T]) -> T:
        started = perf_counter()
        try:
            return job()
        finally:
            self._mean_seconds += 0.2 * (perf_counter() - started - self._mean_seconds)

    def _finished(self, future: asyncio.Future[T]) -> None:
        self._running -= 1
        self._advance()
        if not future.cancelled():
            future.exception()  # retrieve it: the caller may be gone

    def _busy(self, request: str = "") -> ApiProblem:
        """Count one rejection, and compute its Retry-After time: after all jobs before it, also
        reserved ones. An earlier time given to the same request still holds.
        """
        self._metrics.rejected.inc()
        now = monotonic()
        before = self.depth + len(self._reservations)
        due = self._reservations.get(request, 0.0)
        if due <= now:
            due = now + max(1, ceil(self._mean_seconds * before / self._workers))
            if request and len(self._reservations) < _MOST_RESERVATIONS:
                self._reservations[request] = due
        wait = str(max(1, ceil(due - now)))
        return ApiProblem(
            BUSY,
            f"{self.depth} photos are being read or wait; try again in {wait} s.",
            f"有 {self.depth} 张照片在排队，请 {wait} 秒后再试。",
            headers={"Retry-After": wait},
        )

    def close(self) -> None:
        """Wait for running jobs and drop waiting ones."""
        self._closed = True
        self._executor.shutdown(wait=True, cancel_futures=True)
