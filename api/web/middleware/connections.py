"""Connections of which a request does not come: closed in time, and told why in our own words.

Uvicorn closes a kept connection on which nothing comes, but waits for ever for headers that trickle
in, and for the rest of a body that nobody reads any more. Bodies that a route reads are limited by
`hupai.api.web.middleware.requests`.
"""

from __future__ import annotations

import asyncio
import logging
from enum import Enum
from functools import partial
from http import HTTPStatus
from typing import Any, cast
from uuid import uuid4

import h11
from starlette.responses import JSONResponse
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from hupai.api.web.middleware.requests import SECURITY_HEADERS
from hupai.api.web.problem_types import BAD_REQUEST, UPLOAD_TIMEOUT, ProblemType
from hupai.api.web.problems import MEDIA_TYPE, problem_body
from hupai.api.web.settings import Settings

log = logging.getLogger("hupai.connections")


def timed_protocol(settings: Settings) -> type[asyncio.Protocol]:
    """Return what makes a `TimedProtocol` of each connection, as Uvicorn's ``http`` takes it."""
    protocol = partial(
        TimedProtocol,
        header_seconds=settings.header_seconds,
        body_seconds=settings.upload_seconds,
    )
    return cast("type[asyncio.Protocol]", protocol)  # Uvicorn does nothing with it but call it


class _Due(Enum):
    """What a client still has to send."""

    HEADERS = "headers"
    REST = "the rest of a body"
    NOTHING = "nothing"


class TimedProtocol(H11Protocol):
    """HTTP/1.1 over one connection, whose client has only so long to send a request.

    WebSockets and answers that go on, such as events, are not timed: there the client has sent all
    that it owes.

    Args:
        config, server_state, app_state: as Uvicorn passes them.
        header_seconds: the longest time until the headers of a request are complete, from the
            opening of the connection or the end of the answer before.
        body_seconds: the longest time in which the rest of a body is taken and dropped when the
            request was answered before its end.
    """

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
        *,
        header_seconds: float,
        body_seconds: float,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._seconds = {_Due.HEADERS: header_seconds, _Due.REST: body_seconds}
        self._timed = _Due.NOTHING
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        super().connection_lost(exc)
        self._watch()

    def handle_events(self) -> None:
        """Handle what came, and wait for what is still due."""
        super().handle_events()
        self._watch()

    def on_response_complete(self) -> None:
        """Go on to the next request, and wait for it."""
        super().on_response_complete()
        self._watch()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - Uvicorn's, in English only
        """Refuse what is no HTTP, and headers that are too long."""
        self._refuse(
            BAD_REQUEST,
            "This is no HTTP/1.1 request, or its headers are too long.",
            "这不是 HTTP/1.1 请求，或请求头太长。",
        )

    def _due(self) -> _Due:
        if self not in self.connections:  # lost, or handed over to a WebSocket
            return _Due.NOTHING
        if self.conn.their_state is h11.IDLE:
            return _Due.HEADERS
        if self.conn.their_state is h11.SEND_BODY and self.cycle.response_complete:
            return _Due.REST
        return _Due.NOTHING

    def _watch(self) -> None:
        """Start the timer where something new is due; what trickles in does not start it anew."""
        due = self._due()
        if due is self._timed:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timed = due
        seconds = self._seconds.get(due)
        self._timer = self.loop.call_later(seconds, self._give_up) if seconds else None

    def _give_up(self) -> None:
        """Close the connection; one on which headers began to come is told why."""
        begun, _ = self.conn.trailing_data
        if self._timed is _Due.HEADERS and begun:
            seconds = self._seconds[_Due.HEADERS]
            self._refuse(
                UPLOAD_TIMEOUT,
                f"The headers did not come within {seconds:g} s.",
                f"{seconds:g} 秒内没有收完请求头。",
            )
        else:
            self.transport.close()

    def _refuse(self, kind: ProblemType, detail: str, detail_zh: str) -> None:
        """Answer with a problem, unless an answer is under way, and close the connection."""
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            request_id = uuid4().hex
            log.info("%s request_id=%s address=%s", detail, request_id, self.client)
            answer = JSONResponse(
                problem_body(kind, detail, detail_zh, request_id),
                headers={**SECURITY_HEADERS, "x-request-id": request_id, "connection": "close"},
                media_type=MEDIA_TYPE,
            )
            events = (
                h11.Response(
                    status_code=kind.status,
                    headers=answer.raw_headers,
                    reason=HTTPStatus(kind.status).phrase.encode(),
                ),
                h11.Data(data=bytes(answer.body)),
                h11.EndOfMessage(),
            )
            self.transport.write(b"".join(self.conn.send(event) or b"" for event in events))
        self.transport.close()
