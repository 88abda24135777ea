"""Long-lived connections: on-air events as SSE, the operator's WebSocket, a WebSocket for frames;
and the pages of the overlay.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from time import monotonic
from typing import Annotated, Any

from fastapi import (
    APIRouter,
    Depends,
    Header,
    Path,
    Query,
    Request,
    Response,
    WebSocket,
    WebSocketDisconnect,
)
from fastapi.responses import FileResponse, HTMLResponse, StreamingResponse
from fastapi.sse import EventSourceResponse, format_sse_event
from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.requests import HTTPConnection

from hupai.api.auth.principal import Principal, is_still_admitted, needs
from hupai.api.dossier.report.fonts import PATH as FONT
from hupai.api.hands.recognition import encode
from hupai.api.overlay.feed import Feed
from hupai.api.overlay.pages.obs_waiting_page import local_page
from hupai.api.overlay.routes import ERRORS, Overlay, TableName, table_problem
from hupai.api.overlay.schemas import TABLE_ID, Envelope, EventOut, Snapshot
from hupai.api.overlay.service import OverlayService
from hupai.api.overlay.source_access import check_source
from hupai.api.overlay.store.errors import UnknownTableError
from hupai.api.storage import StorageError
from hupai.api.web.dependencies import problem_docs
from hupai.api.web.field_errors import field_error
from hupai.api.web.middleware.shutdown import Stopping
from hupai.api.web.page_files import html_page
from hupai.api.web.problem_types import INVALID, NO_FRAMES, NOT_FOUND, STORAGE_UNAVAILABLE
from hupai.api.web.problems import ApiProblem, invalid
from hupai.api.web.routing.route_classes import Route, StrictRoute
from hupai.api.web.sse import MEDIA_TYPE, STREAM_HEADERS

# Streams: HEAD would have no end.
router = APIRouter(prefix="/v1/tables", tags=["tables"], route_class=StrictRoute)
pages = APIRouter(prefix="/overlay", include_in_schema=False, route_class=Route)

HEARTBEAT = 5.0
"""Seconds between heartbeats; a page that misses three of them reconnects. The key of a connection
is looked up again as often.
"""
_REVOKED = 1008
"""Code with which a WebSocket is closed whose key is no longer in force (RFC 6455, 7.4.1)."""
_RETRY_SECONDS = 1.0
"""Delay before the database is queried again after a failure."""
_EXAMPLE = (
    'id: 7\nevent: snapshot\ndata: {"number": 7, "table": "final", "on_air": [], …}\n\n'
    'id: 8\nevent: hand\ndata: {"number": 8, "kind": "hand", "seat": "east", "card": {…}}\n\n'
    'id: 9\nevent: hide\ndata: {"number": 9, "kind": "hide", "seat": "east"}\n\n'
    "event: alive\ndata: {}\n\n"
)

# OBS puts a style element with its "custom CSS" into the page; other programs and the operator's
# page may frame it.
OVERLAY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; connect-src 'self'; font-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self' file:"
)
OPERATOR_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "
    "connect-src 'self'; font-src 'self'; "
    "frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


@router.get(
    "/{table}/events",
    summary="Follow what is on air",
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "`snapshot` first, then `hand`, `hide` and `table` as they happen; "
            "`alive` every 5 s.",
            "content": {MEDIA_TYPE: {"schema": {}, "example": _EXAMPLE}},
        },
        **problem_docs(NOT_FOUND, INVALID, STORAGE_UNAVAILABLE),
    },
)
async def follow(
    request: Request,
    who: Annotated[Principal, Depends(needs("player", query_key=True))],
    overlay: Overlay,
    table: TableName,
    last_event_id: Annotated[
        str | None,
        Header(
            max_length=20,
            description="Number of the last event seen: what followed comes, no snapshot.",
        ),
    ] = None,
    after: Annotated[
        str | None, Query(max_length=20, description="The same, where no header can be sent.")
    ] = None,
) -> Response:
    """Server-Sent Events. Numbers ascend by one; where the ones after yours are no longer kept a
    snapshot comes instead.
    """
    try:
        feed = await overlay.feed(table)
        snapshot = await run_in_threadpool(overlay.store.snapshot, table)
    except ERRORS as error:
        raise table_problem(error) from None
    resume = _resume_at(last_event_id or after, feed)
    body = _events(
        request.app.state.stopping, overlay, table, snapshot, resume, _Pass(request, who)
    )
    return EventSourceResponse(body, headers=STREAM_HEADERS)


def _resume_at(text: str | None, feed: Feed) -> int | None:
    """Return the number after which to resume; None if a snapshot must be sent."""
    if text is None or not text.isascii() or not text.isdigit():
        return None
    number = int(text)
    return number if max(0, feed.first - 1) <= number <= feed.last else None


class _Pass:
    """Whether the key with which a connection was opened is still in force."""

    def __init__(self, connection: HTTPConnection, who: Principal) -> None:
        self._connection, self._who = connection, who
        self._asked_at = monotonic()

    async def holds(self) -> bool:
        """Whether it is in force now."""
        self._asked_at = monotonic()
        return await is_still_admitted(self._connection, self._who)

    async def held_lately(self) -> bool:
        """Whether it is in force, looked up again after `HEARTBEAT`."""
        return monotonic() - self._asked_at < HEARTBEAT or await self.holds()

    async def wait_for_end(self) -> None:
        """Wait until it is no longer in force."""
        while await self.holds():
            await asyncio.sleep(HEARTBEAT)


async def _events(
    stopping: Stopping,
    overlay: OverlayService,
    table: str,
    snapshot: Snapshot,
    resume: int | None,
    key: _Pass,
) -> AsyncIterator[bytes]:
    number = snapshot.number if resume is None else resume
    yield format_sse_event(retry=1000)
    if resume is None:
        yield _message("snapshot", snapshot.model_dump_json(), number)
    end = asyncio.ensure_future(stopping.wait())
    try:
        while not stopping.is_set() and await key.held_lately():
            try:
                feed = await overlay.feed(table)
                if feed.last < number:  # the table was removed and created again: numbers restart
                    snapshot = await run_in_threadpool(overlay.store.snapshot, table)
                    number = snapshot.number
                    yield _message("snapshot", snapshot.model_dump_json(), number)
            except UnknownTableError:
                yield format_sse_event(event="gone", data_str="{}")
                return
            except StorageError:
                # The page keeps what is on air; events missed now follow once the database is back.
                yield format_sse_event(event="alive", data_str="{}")
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(asyncio.shield(end), _RETRY_SECONDS)
                continue
            more = asyncio.ensure_future(feed.wait(number, HEARTBEAT))
            await asyncio.wait({more, end}, return_when=asyncio.FIRST_COMPLETED)
            if not more.done():
                more.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await more
                return
            events = more.result()
            if not events:
                yield format_sse_event(event="alive", data_str="{}")
            for event in events:
                number = event.number
                yield _message(event.kind, _event_json(event), number)
    finally:
        end.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await end


def _event_json(event: EventOut) -> str:
    return event.model_dump_json(exclude_none=True)


def _message(name: str, data: str, number: int) -> bytes:
    return format_sse_event(event=name, data_str=data, id=str(number))


@router.get("/{table}/video", include_in_schema=False)
async def video(
    request: Request,
    who: Annotated[Principal, Depends(needs("operator", query_key=True))],
    overlay: Overlay,
    table: TableName,
    side: Annotated[int, Query(ge=64, le=1920)] = 960,
) -> Response:
    """What the camera sees, as moving JPEGs: a preview for the operator and the demonstration, ten
    pictures a second.
    """
    if await overlay.previews.first(table) is None:
        raise ApiProblem(NO_FRAMES, "No frame has come in here yet.", "尚无画面。")
    stopping: Stopping = request.app.state.stopping
    key = _Pass(request, who)

    async def frames() -> AsyncIterator[bytes]:
        last: object = None
        while not stopping.is_set() and await key.held_lately():
            image = await run_in_threadpool(overlay.picture, table)
            if image is not None and image is not last:
                last = image
                data = await run_in_threadpool(encode, image, ".jpg", side)
                yield b"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n%s\r\n" % (
                    len(data),
                    data,
                )
            await stopping.wait(0.1)

    return StreamingResponse(
        frames(), media_type="multipart/x-mixed-replace; boundary=frame", headers=STREAM_HEADERS
    )


@router.websocket("/{table}/operator")
async def operate(
    socket: WebSocket,
    who: Annotated[Principal, Depends(needs("operator"))],
    table: Annotated[str, Path(pattern=TABLE_ID)],
) -> None:
    """The operator's line: ``state`` and ``status`` come whenever they change; commands go the
    other way and are answered.

    A message is ``{"id": 1, "command": {"do": "approve", …}}``; its answer ``{"type": "done", "id":
    1}`` or ``{"type": "problem", "id": 1, "title": …}``. Closed with 1008 once the key is no longer
    in force.
    """
    key = _Pass(socket, who)
    overlay: OverlayService = socket.app.state.overlay
    stopping: Stopping = socket.app.state.stopping
    await socket.accept()
    changes: asyncio.Queue[str] = asyncio.Queue()
    await changes.put("state")
    await changes.put("status")
    overlay.watchers.add(table, changes.put_nowait)
    try:
        jobs = {
            asyncio.ensure_future(_send_updates(socket, overlay, table, changes)),
            asyncio.ensure_future(_run_commands(socket, overlay, table, who, key)),
            asyncio.ensure_future(key.wait_for_end()),
            asyncio.ensure_future(stopping.wait()),
        }
        done, rest = await asyncio.wait(jobs, return_when=asyncio.FIRST_COMPLETED)
        for job in rest:
            job.cancel()
        for job in (*done, *rest):
            with contextlib.suppress(asyncio.CancelledError, WebSocketDisconnect, RuntimeError):
                await job
        with contextlib.suppress(RuntimeError, WebSocketDisconnect):
            ended = 1000 if await key.holds() else _REVOKED
            await socket.close(1001 if stopping.is_set() else ended)
    finally:
        overlay.watchers.remove(table, changes.put_nowait)


async def _send_updates(
    socket: WebSocket, overlay: OverlayService, table: str, changes: asyncio.Queue[str]
) -> None:
    while True:
        what = {await changes.get()}
        while not changes.empty():
            what.add(changes.get_nowait())
        if "state" in what or "gone" in what:
            try:
                state = await run_in_threadpool(overlay.store.state, table)
            except UnknownTableError:
                await socket.send_json({"type": "gone"})
                return
            except StorageError:
                await socket.send_json({"type": "trouble"})
                continue
            await socket.send_json({"type": "state", "state": state.model_dump(mode="json")})
        status = overlay.status(table)
        if status is not None:
            await socket.send_json({"type": "status", "status": status.model_dump(mode="json")})


async def _run_commands(
    socket: WebSocket, overlay: OverlayService, table: str, who: Principal, key: _Pass
) -> None:
    while True:
        message = await socket.receive()
        if message["type"] == "websocket.disconnect" or not await key.holds():
            return
        name: str | int | None = None
        try:
            text = message.get("text") or message.get("bytes") or ""
            envelope = Envelope.model_validate_json(text)
            name = envelope.id
            check_source(socket, who, envelope.command)
            await overlay.execute(table, envelope.command, who.name)
        except ValidationError as error:
            wrong = [field_error(item) for item in error.errors(include_url=False)]
            await _refuse(socket, name, invalid(wrong))
        except ApiProblem as problem:
            await _refuse(socket, name, problem)
        except ERRORS as error:
            await _refuse(socket, name, table_problem(error))
        except StorageError:
            await _refuse(
                socket,
                name,
                ApiProblem(
                    STORAGE_UNAVAILABLE,
                    "The storage does not answer; nothing was changed.",
                    "存储无响应，未作任何更改。",
                ),
            )
        else:
            await socket.send_json({"type": "done", "id": name})


async def _refuse(socket: WebSocket, name: str | int | None, problem: ApiProblem) -> None:
    body: dict[str, Any] = {
        "type": "problem",
        "id": name,
        "problem": problem.kind.uri,
        "title": problem.kind.title,
        "title_zh": problem.kind.title_zh,
        "detail": problem.detail,
        "detail_zh": problem.detail_zh,
    }
    await socket.send_json(body)


@router.websocket("/{table}/frames")
async def take_frames(
    socket: WebSocket,
    who: Annotated[Principal, Depends(needs("operator"))],
    table: Annotated[str, Path(pattern=TABLE_ID)],
) -> None:
    """Frames, one JPEG, PNG or WebP a binary message. Closed with 4409 where nobody takes them,
    4415 for what is not a picture, 1008 once the key is no longer in force.
    """
    key = _Pass(socket, who)
    overlay: OverlayService = socket.app.state.overlay
    await socket.accept()
    with contextlib.suppress(WebSocketDisconnect):
        while True:
            message = await socket.receive()
            if message["type"] == "websocket.disconnect":
                return
            if not await key.held_lately():
                await socket.close(_REVOKED)
                return
            data = message.get("bytes") or b""
            try:
                taken = await run_in_threadpool(overlay.push, table, data)
            except ApiProblem as problem:
                await socket.close(4415, problem.detail[:100])
                return
            if not taken:
                await socket.close(4409, "nobody takes pushed frames for this table here")
                return


@pages.get("")
@pages.get("/")
async def tables_page() -> Response:
    """All tables, and a form for a new one."""
    return html_page("overlay/tables.html", OPERATOR_POLICY)


@pages.get("/font.otf")
async def font() -> Response:
    """The font of the overlay, so that it looks the same on every machine."""
    headers = {"Cache-Control": "public, max-age=86400"}
    return FileResponse(FONT, media_type="font/otf", headers=headers)


@pages.get("/{table}")
async def overlay_page(table: TableName) -> Response:
    """The transparent page for a browser source."""
    response = html_page("overlay/overlay.html", OVERLAY_POLICY)
    response.headers["X-Frame-Options"] = "SAMEORIGIN"
    return response


@pages.get("/{table}/operator")
async def operator_page(table: TableName) -> Response:
    """The operator's page."""
    return html_page("overlay/operator.html", OPERATOR_POLICY)


@pages.get("/{table}/local.html")
async def page_for_obs(request: Request, table: TableName) -> Response:
    """A file for OBS to open: it waits for this service, however late it starts, and then shows the
    overlay.
    """
    address = str(request.url_for("overlay_page", table=table))
    headers = {"Content-Disposition": f'attachment; filename="hupai-{table}.html"'}
    return HTMLResponse(local_page(address), headers=headers)
