"""Server-Sent Events for one slow request: progress while it runs, then its answer or its
problem.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from fastapi import Request
from fastapi.responses import JSONResponse, StreamingResponse
from pydantic import BaseModel

from hupai.api.storage import StorageError
from hupai.api.web.problems import ApiProblem, crashed, problem_response
from hupai.api.web.storage_access import storage_problem
from hupai.api.web.work_queue import Watch

MEDIA_TYPE = "text/event-stream"
_HEARTBEAT = 10.0
"""Seconds of silence after which a comment is sent, so that no proxy takes the connection for
dead.
"""
_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
_EXAMPLE = (
    'event: progress\ndata: {"stage": "queued", "position": 2}\n\nevent: progress\ndata: {"stage": "decode"}\n\n'
    'event: progress\ndata: {"stage": "detect"}\n\nevent: done\ndata: {"reading": …}\n\n'
)
DOCS: dict[str, Any] = {"schema": {}, "example": _EXAMPLE}
"""How a stream is described in the OpenAPI document."""

_running: set[asyncio.Task[Any]] = set()
"""Jobs under way. One whose client went away goes on: its hand is stored, and a repetition of the
request finds it.
"""


async def settle(seconds: float) -> None:
    """Wait for the jobs of this event loop that still run, at most so long: what they read is
    stored before storage closes.
    """
    loop = asyncio.get_running_loop()
    mine = [job for job in _running if job.get_loop() is loop]
    if mine:
        await asyncio.wait(mine, timeout=seconds)


def event(name: str, data: str) -> bytes:
    """One event of a stream; `data` is one line of JSON."""
    return f"event: {name}\ndata: {data}\n\n".encode()


class Events:
    """Where a job tells how it goes, from any thread."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[bytes | None] = asyncio.Queue()

    def put(self, name: str, data: str) -> None:
        """Send an event; `data` is one line of JSON."""
        self._loop.call_soon_threadsafe(self._queue.put_nowait, event(name, data))

    def watch(self, index: int | None = None) -> Watch:
        """What sends ``progress`` events; of photo `index` in a batch."""
        photo = {} if index is None else {"index": index}

        def tell(stage: str, position: int) -> None:
            self.put(
                "progress",
                json.dumps(
                    photo | {"stage": stage} | ({"position": position} if stage == "queued" else {})
                ),
            )

        return tell

    def end(self) -> None:
        """Nothing more comes."""
        self._loop.call_soon_threadsafe(self._queue.put_nowait, None)

    async def next(self, seconds: float) -> bytes | None:
        """The next event as it is sent; None at the end.

        Raises:
            TimeoutError: when none came in time.
        """
        return await asyncio.wait_for(self._queue.get(), seconds)


def stream(request: Request, job: Callable[[Events], Awaitable[BaseModel]]) -> StreamingResponse:
    """Run `job` and answer with the events it tells, then ``done`` with its answer, or ``problem``.

    A request that cannot be begun should be refused before, as any other: once the stream has begun
    its status is 200.
    """
    events = Events()

    async def run() -> None:
        try:
            answer = await job(events)
            events.put("done", answer.model_dump_json())
        except Exception as error:  # a stream that has begun can only tell of it
            events.put("problem", bytes(_problem(request, error).body).decode())
        finally:
            events.end()

    task = asyncio.create_task(run())
    _running.add(task)
    task.add_done_callback(_running.discard)

    async def body() -> AsyncIterator[bytes]:
        while True:
            try:
                item = await events.next(_HEARTBEAT)
            except TimeoutError:
                yield b": still here\n\n"
                continue
            if item is None:
                return
            yield item

    return StreamingResponse(body(), media_type=MEDIA_TYPE, headers=_HEADERS)


def problem_of(request: Request, error: Exception) -> dict[str, Any]:
    """An error as the members of the problem that would answer it."""
    members: dict[str, Any] = json.loads(bytes(_problem(request, error).body))
    return members


def _problem(request: Request, error: Exception) -> JSONResponse:
    if isinstance(error, ApiProblem):
        extra = dict(error.extra)
        retry = (error.headers or {}).get("Retry-After")
        if retry is not None:
            extra["retry_after"] = int(retry)
        return problem_response(request, error.kind, error.detail, error.detail_zh, extra=extra)
    if isinstance(error, StorageError):
        return storage_problem(request, error)
    return crashed(request, error)
