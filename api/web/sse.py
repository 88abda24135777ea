"""Server-Sent Events for one slow request: progress while it runs, then its answer or its problem.

A route answers JSON or events by the Accept header, and a request that cannot be started is refused
with its own status. FastAPI's generator endpoints do neither, so only its framing is used.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from fastapi import Request
from fastapi.responses import JSONResponse
from fastapi.sse import KEEPALIVE_COMMENT, EventSourceResponse, format_sse_event
from pydantic import BaseModel

from hupai.api.storage import StorageError
from hupai.api.web.problems import ApiProblem, crashed, problem_response
from hupai.api.web.storage_access import storage_problem
from hupai.api.web.work_queue import Watch

MEDIA_TYPE = EventSourceResponse.media_type
"""The media type of a stream of events."""
STREAM_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
"""Headers of a stream, so that no proxy holds it back."""
_HEARTBEAT = 10.0
"""Seconds of silence after which a comment is sent, so that no proxy takes the connection for
dead.
"""
_EXAMPLE = """\
event: progress
data: {"stage": "queued", "position": 2}

event: progress
data: {"stage": "decode"}

event: progress
data: {"stage": "detect"}

event: done
data: {"reading": …}

"""
DOCS: dict[str, Any] = {"schema": {}, "example": _EXAMPLE}
"""How a stream is described in the OpenAPI document."""

_running: set[asyncio.Task[Any]] = set()
"""Jobs in progress. One whose client went away continues: its hand is stored, and a repetition of
the request finds it.
"""


async def settle(seconds: float) -> None:
    """Wait for the jobs of this event loop, so that what they read is stored before storage closes.

    Args:
        seconds: the longest time to wait.
    """
    loop = asyncio.get_running_loop()
    mine = [job for job in _running if job.get_loop() is loop]
    if mine:
        await asyncio.wait(mine, timeout=seconds)


class Events:
    """The events of one job, sent from any thread."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[bytes | None] = asyncio.Queue()

    def put(self, name: str, data: str) -> None:
        """Send an event; `data` is JSON."""
        self._send(format_sse_event(event=name, data_str=data))

    def watch(self, index: int | None = None) -> Watch:
        """Make what sends ``progress`` events, in a batch those of photo `index`."""
        photo = {} if index is None else {"index": index}

        def tell(stage: str, position: int) -> None:
            place = {"position": position} if stage == "queued" else {}
            self.put("progress", json.dumps({**photo, "stage": stage, **place}))

        return tell

    def end(self) -> None:
        """Send nothing more."""
        self._send(None)

    def _send(self, item: bytes | None) -> None:
        self._loop.call_soon_threadsafe(self._queue.put_nowait, item)

    async def body(self) -> AsyncIterator[bytes]:
        """Yield what is sent, and a comment in each long silence."""
        while True:
            try:
                item = await asyncio.wait_for(self._queue.get(), _HEARTBEAT)
            except TimeoutError:
                item = KEEPALIVE_COMMENT
            if item is None:
                return
            yield item


def stream(request: Request, job: Callable[[Events], Awaitable[BaseModel]]) -> EventSourceResponse:
    """Run `job` and answer with the events it sends, then ``done`` with its answer, or ``problem``.

    A request that cannot be begun should be refused before: once the stream has begun its status is
    200.
    """
    events = Events()

    async def run() -> None:
        try:
            answer = await job(events)
            events.put("done", answer.model_dump_json())
        except Exception as error:  # noqa: BLE001 - a stream that has begun can only tell of it
            events.put("problem", bytes(_problem(request, error).body).decode())
        finally:
            events.end()

    task = asyncio.create_task(run())
    _running.add(task)
    task.add_done_callback(_running.discard)
    return EventSourceResponse(events.body(), headers=STREAM_HEADERS)


def problem_of(request: Request, error: Exception) -> dict[str, Any]:
    """Give an error as the members of the problem that would answer it."""
    members: dict[str, Any] = json.loads(bytes(_problem(request, error).body))
    return members


def _problem(request: Request, error: Exception) -> JSONResponse:
    if isinstance(error, ApiProblem):
        extra = dict(error.extra)
        retry = (error.headers or {}).get("Retry-After")
        if retry is not None:
            extra["retry_after"] = int(retry)
        return problem_response(
            request, error.kind, error.detail, error.detail_zh, extra=extra, advice=error.advice
        )
    if isinstance(error, StorageError):
        return storage_problem(request, error)
    return crashed(request, error)
