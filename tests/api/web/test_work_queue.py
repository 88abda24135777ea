"""The queue of photos: who waits, who is refused, and in which order places are given."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator

import pytest

from hupai.api.web.metrics import Metrics
from hupai.api.web.problems import ApiProblem
from hupai.api.web.work_queue import GRACE, WorkQueue

SOON = 20.0
"""Longest time that anything here may take, seconds."""


class Gate:
    """Jobs that run until they are let go."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self._open: dict[str, threading.Event] = {}

    def job(self, name: str) -> Callable[[], str]:
        """A job of that name, whose result is the name."""
        self._open[name] = threading.Event()

        def work() -> str:
            self.begun.append(name)
            assert self._open[name].wait(SOON)
            return name

        return work

    def let_go(self, name: str) -> None:
        """The job ends."""
        self._open[name].set()

    def let_all_go(self) -> None:
        """All jobs end."""
        for event in self._open.values():
            event.set()


@pytest.fixture
def gate() -> Iterator[Gate]:
    gate = Gate()
    yield gate
    gate.let_all_go()


def with_queue(
    test: Callable[[WorkQueue], Awaitable[None]], timeout: float = SOON, waiting: int = 0
) -> None:
    """Run a test with a queue that reads one photo and lets so many wait."""
    queue = WorkQueue(1, waiting, timeout, Metrics())
    try:
        asyncio.run(asyncio.wait_for(test(queue), 2 * SOON))
    finally:
        queue.close()


async def until(condition: Callable[[], bool]) -> None:
    """Wait for it."""
    async with asyncio.timeout(SOON):
        while not condition():
            await asyncio.sleep(0.001)


def test_a_free_place_goes_to_the_first_in_line_not_to_a_newcomer(
    gate: Gate,
) -> None:
    async def test(queue: WorkQueue) -> None:
        positions: list[tuple[str, int]] = []
        first = asyncio.create_task(queue.run(gate.job("first")))
        await until(lambda: gate.begun == ["first"])
        patient = [
            asyncio.create_task(
                queue.run(
                    gate.job(name),
                    lambda stage, before: positions.append((stage, before)),
                    patient=True,
                )
            )
            for name in ("second", "third")
        ]
        await until(lambda: len(positions) == 2)
        assert positions == [("queued", 1), ("queued", 2)]
        gate.let_go("first")
        # At no moment is there a place for one that does not wait: each step of the loop is one at
        # which it could come.
        refused = 0
        while len(gate.begun) < 2:
            with pytest.raises(ApiProblem):
                await queue.run(gate.job("impatient"))
            refused += 1
            await asyncio.sleep(0)
        assert refused > 0
        assert await first == "first"
        gate.let_all_go()
        assert await asyncio.gather(*patient) == ["second", "third"]
        assert gate.begun == ["first", "second", "third"]
        assert queue.depth == 0
        assert positions == [("queued", 1), ("queued", 2), ("queued", 1)]

    with_queue(test)


def test_leaving_the_line_frees_its_place(gate: Gate) -> None:
    async def test(queue: WorkQueue) -> None:
        first = asyncio.create_task(queue.run(gate.job("first")))
        await until(lambda: gate.begun == ["first"])
        gone, called, last = (
            asyncio.create_task(queue.run(gate.job(name), patient=True))
            for name in ("gone", "called", "last")
        )
        await asyncio.sleep(0)
        gone.cancel()
        gate.let_go("first")
        while (
            len(queue._line) > 1
        ):  # the place is given to the second in line, who goes away before it can take it
            await asyncio.sleep(0)
        called.cancel()
        assert await first == "first"
        await until(lambda: gate.begun == ["first", "last"])
        gate.let_go("last")
        assert await last == "last"
        assert gone.cancelled()
        assert called.cancelled()
        await until(lambda: queue.depth == 0)

    with_queue(test)


def test_a_patient_caller_times_out(gate: Gate) -> None:
    async def test(queue: WorkQueue) -> None:
        running = asyncio.create_task(queue.run(gate.job("running")))
        await until(lambda: gate.begun == ["running"])
        with pytest.raises(ApiProblem) as refused:
            await queue.run(gate.job("patient"), patient=True)
        assert refused.value.kind.slug == "busy"
        gate.let_go("running")
        with pytest.raises(ApiProblem) as late:
            await running
        assert late.value.kind.slug == "timeout"
        await until(lambda: queue.depth == 0)
        assert gate.begun == ["running"]

    with_queue(test, timeout=0.1)


def test_the_line_is_no_longer_than_the_queue(gate: Gate) -> None:
    async def test(queue: WorkQueue) -> None:
        running = asyncio.create_task(queue.run(gate.job("running")))
        await until(lambda: gate.begun == ["running"])
        with pytest.raises(ApiProblem):
            queue.check_room()
        queue.check_room(patient=True)
        waiting = asyncio.create_task(queue.run(gate.job("waiting"), patient=True))
        await asyncio.sleep(0)
        with pytest.raises(ApiProblem) as refused:
            queue.check_room(patient=True)
        assert refused.value.headers is not None
        assert int(refused.value.headers["Retry-After"]) >= 1
        gate.let_all_go()
        assert [await running, await waiting] == ["running", "waiting"]

    with_queue(test)


def refused(queue: WorkQueue, request: str) -> int:
    """The Retry-After of a rejected request, seconds."""
    with pytest.raises(ApiProblem) as problem:
        queue.check_room(request=request)
    assert problem.value.headers is not None
    return int(problem.value.headers["Retry-After"])


def test_a_retry_gets_its_reserved_place_and_a_newcomer_does_not(
    gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0
    monkeypatch.setattr("hupai.api.web.work_queue.monotonic", lambda: now)

    async def test(queue: WorkQueue) -> None:
        nonlocal now
        tasks = [asyncio.create_task(queue.run(gate.job(name))) for name in ("reads", "waits")]
        await until(lambda: queue.depth == 2)
        wait = refused(queue, "early")
        assert refused(queue, "next") > wait  # they got different times
        now += wait - 0.5
        assert refused(queue, "early") == 1  # what was said holds
        gate.let_go("reads")
        assert await tasks[0] == "reads"
        await until(lambda: gate.begun == ["reads", "waits"])
        assert refused(queue, "stranger") >= 1  # there is a place, and it is promised
        now += 0.5
        tasks.append(asyncio.create_task(queue.run(gate.job("early"), request="early")))
        await until(lambda: queue.depth == 2)
        gate.let_all_go()
        assert [await task for task in tasks] == ["reads", "waits", "early"]

    with_queue(test, waiting=1)


def test_a_reservation_expires_and_never_keeps_a_reader_idle(
    gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0
    monkeypatch.setattr("hupai.api.web.work_queue.monotonic", lambda: now)

    async def test(queue: WorkQueue) -> None:
        nonlocal now
        first = [asyncio.create_task(queue.run(gate.job(name))) for name in ("reads", "waits")]
        await until(lambda: queue.depth == 2)
        waits = [refused(queue, name) for name in ("a", "b", "c")]
        gate.let_all_go()
        await asyncio.gather(*first)
        now += waits[0]
        running = asyncio.create_task(queue.run(gate.job("stranger"), request="stranger"))
        await until(lambda: gate.begun[-1] == "stranger")  # the reader was idle
        refused(queue, "another")
        now += max(waits) + GRACE + 1
        queue.check_room(request="another")
        gate.let_all_go()
        assert await running == "stranger"

    with_queue(test, waiting=1)
