"""Heavy work off the event loop: a few threads, a short queue, and a refusal when it is full."""

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
"""Seconds for which a place is kept for who was told to come again by now."""
_AHEAD = 1.0
"""Seconds before that time from which places are kept, as those that wait have to be read first."""
_MOST_PROMISES = 1000
Watch = Callable[[str, int], None]
"""Hears of a photo, from any thread: the name of its stage, and for ``queued`` how many are before
it, else 0.
"""


@dataclass(eq=False, slots=True)
class _Ticket:
    """A job that waits.

    Attributes:
        watch: hears how many are before it.
        placed: done once it has a place in the queue.
        turn: done once a thread is its own.
        told: how many were before it when it last heard.
        has_thread: whether a thread is kept for it.
    """

    watch: Watch | None
    placed: asyncio.Future[None]
    turn: asyncio.Future[None]
    told: int = 0
    has_thread: bool = False


class WorkQueue:
    """Runs functions in `workers` threads; at most `waiting` more may wait.

    Who is refused is told when to come again. For a request that has a name, places in the queue
    are then kept free of others from a second before that time until `GRACE` seconds after it, so
    that what was said holds; but nobody is refused while a thread is idle.

    Who comes first is first. While the queue is full a patient caller stands in line behind it: a
    place that gets free goes to the first in line, before anybody who comes then. A caller that
    goes away frees its thread only when the job is done, so the bound holds however clients behave.

    Attributes:
        timeout: seconds that a job may take from its place in the queue to its result, and that a
            patient caller waits for that place.
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
        self._promised: dict[str, float] = {}
        self._closed = False

    @property
    def depth(self) -> int:
        """Jobs that run or wait, but for patient ones without a place."""
        return min(self._running + len(self._line), self._places)

    def check_room(self, *, patient: bool = False, request: str = "") -> None:
        """Check whether a job would be taken now.

        A patient one is, unless as many stand in line already as the queue has places. `request`
        names what asks: the same name is the same request, sent again.

        Raises:
            ApiProblem: ``busy`` when the queue is full.
        """
        most = 2 * self._places if patient else self._places
        if not patient:
            most -= self._kept_free(request)
        if self._running + len(self._line) >= most:
            raise self._busy(request)

    def _kept_free(self, request: str) -> int:
        """Count the places that this request may not take: those promised to others."""
        now = monotonic()
        for name in [name for name, due in self._promised.items() if due + GRACE < now]:
            del self._promised[name]
        due = {name for name, moment in self._promised.items() if moment - _AHEAD <= now}
        return 0 if request in due else min(len(due), self._places - self._workers)

    async def run(
        self,
        job: Callable[[], T],
        watch: Watch | None = None,
        *,
        patient: bool = False,
        request: str = "",
    ) -> T:
        """Run a job and return its result; `watch` hears how many are before it while it waits.

        `patient` and `request` are those of `check_room`.

        Raises:
            ApiProblem: ``busy`` when the queue is full, for a patient job until the timeout;
                ``timeout`` when the job takes longer than that.
        """
        if self._closed:
            raise RuntimeError("the queue is closed")
        if not patient:
            self.check_room(request=request)
        self._promised.pop(request, None)
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
                self._give_up(ticket)

    def _advance(self) -> None:
        """Give free threads and places to the first in line, and tell the others where they are."""
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
            if ticket.watch is not None and ticket.told != before:
                ticket.told = before
                ticket.watch("queued", before)
        self._metrics.queue_depth.set(self.depth)

    def _give_up(self, ticket: _Ticket) -> None:
        """Leave the line, or hand on a thread that was given and not used."""
        if ticket in self._line:
            self._line.remove(ticket)
        elif ticket.has_thread:
            self._running -= 1
        self._advance()

    def _start(self, job: Callable[[], T]) -> asyncio.Future[T]:
        """Run a job in the thread that it was given; its log lines carry the request's id."""
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
            future.exception()  # taken note of: the caller may be gone

    def _busy(self, request: str = "") -> ApiProblem:
        """Count one refusal, and say when to try again: after those before it, wherever they wait.

        What was said to the same request before still holds.
        """
        self._metrics.rejected.inc()
        now = monotonic()
        before = self.depth + len(self._promised)
        due = self._promised.get(request, 0.0)
        if due <= now:
            due = now + max(1, ceil(self._mean_seconds * before / self._workers))
            if request and len(self._promised) < _MOST_PROMISES:
                self._promised[request] = due
        wait = str(max(1, ceil(due - now)))
        return ApiProblem(
            BUSY,
            f"{self.depth} photos are being read or wait; try again in {wait} s.",
            f"有 {self.depth} 张照片在排队，请 {wait} 秒后再试。",
            headers={"Retry-After": wait},
        )

    def close(self) -> None:
        """Let running jobs end and drop those that wait."""
        self._closed = True
        self._executor.shutdown(wait=True, cancel_futures=True)
