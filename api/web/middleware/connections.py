"""Closes connections of clients that do not send their request in time, or do not take the answer,
and tells them why if that is possible.

Uvicorn closes a kept connection on which nothing comes, but waits for ever for headers that trickle
in, for the rest of a body that nobody reads any more, and for a client to take its answer. Bodies
that a route reads are limited by `hupai.api.web.middleware.requests`.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import struct
import sys
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
from websockets.exceptions import InvalidHeader
from websockets.http11 import Request as WebSocketRequest
from websockets.server import ServerProtocol

from hupai.api.web.middleware.requests import SECURITY_HEADERS
from hupai.api.web.problem_types import BAD_REQUEST, UPLOAD_TIMEOUT, ProblemType
from hupai.api.web.problems import MEDIA_TYPE, problem_body
from hupai.api.web.settings import Settings

log = logging.getLogger("hupai.connections")


def timed_protocol(settings: Settings) -> type[asyncio.Protocol]:
    """Return a factory of `TimedProtocol`, typed as the class that Uvicorn's ``http`` takes."""
    protocol = partial(
        TimedProtocol,
        header_seconds=settings.header_seconds,
        body_seconds=settings.upload_seconds,
        answer_seconds=settings.download_seconds,
    )
    return cast("type[asyncio.Protocol]", protocol)  # Uvicorn does nothing with it but call it


_SLICE = 1024 * 1024
"""How much of an answer a client must take each time, bytes, unless less is left."""

_DROP = struct.pack("hh" if sys.platform == "win32" else "ii", 1, 0)
"""Value of SO_LINGER with which closing a socket drops what is not sent yet."""


class _Due(Enum):
    """What a client still has to send."""

    HEADERS = "headers"
    REST = "the rest of a body"
    NOTHING = "nothing"


class TimedProtocol(H11Protocol):
    """HTTP/1.1 over one connection, whose client has limited time to send a request, and to take
    the answer.

    An answer that goes on, such as a stream of events, is timed only while something of it waits to
    be taken. WebSockets are not timed here; Uvicorn sends them pings.

    Args:
        config, server_state, app_state: as Uvicorn passes them.
        header_seconds: the longest time until the headers of a request are complete, from the
            opening of the connection or the end of the answer before.
        body_seconds: the longest time in which the rest of a body is taken and dropped when the
            request was answered before its end.
        answer_seconds: the longest time in which each MiB of an answer, or what is left of it, is
            taken.
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
        answer_seconds: float,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._seconds = {_Due.HEADERS: header_seconds, _Due.REST: body_seconds}
        self._timed = _Due.NOTHING
        self._timer: asyncio.TimerHandle | None = None
        self._answer_seconds = answer_seconds
        self._unsent = 0
        self._taking: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request."""
        super().connection_made(transport)
        # So that `pause_writing` reports whatever waits, and not only 64 KiB of it. With 0 bytes
        # asyncio's TLS transport would pause even if nothing waits.
        transport.set_write_buffer_limits(high=1, low=0)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        super().connection_lost(exc)
        self._watch()
        self._stop_taking()

    def pause_writing(self) -> None:
        """Write nothing more, and wait for the client to take what was written."""
        super().pause_writing()
        self._start_taking()

    def resume_writing(self) -> None:
        """Write on: the client has taken everything."""
        super().resume_writing()
        self._stop_taking()

    def handle_events(self) -> None:
        """Handle what came, and wait for what is still due."""
        super().handle_events()
        self._watch()

    def on_response_complete(self) -> None:
        """Go on to the next request, and wait for it."""
        super().on_response_complete()
        self._watch()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Hand the connection over to a WebSocket, unless the handshake is malformed."""
        wrong = _wrong_in_handshake(event)
        if wrong is None:
            self.transport.set_write_buffer_limits()
            super().handle_websocket_upgrade(event)
        else:
            self._refuse(
                BAD_REQUEST,
                f"This is no WebSocket handshake (RFC 6455): {wrong[0]}.",
                f"这不是 WebSocket 握手请求（RFC 6455）：{wrong[1]}。",
            )

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - Uvicorn's, in English only
        """Refuse what is not HTTP, and headers that are too long."""
        self._refuse(
            BAD_REQUEST,
            "This is no HTTP/1.1 request, or its headers are too long.",
            "这不是 HTTP/1.1 请求，或请求头太长。",
        )

    def _due(self) -> _Due:
        if self not in self.connections or self.transport.is_closing():
            return _Due.NOTHING  # lost, given up, or handed over to a WebSocket
        if self.conn.their_state is h11.IDLE:
            return _Due.HEADERS
        if self.conn.their_state is h11.SEND_BODY and self.cycle.response_complete:
            return _Due.REST
        return _Due.NOTHING

    def _watch(self) -> None:
        """Start the timer if something new is due; what trickles in does not restart it."""
        due = self._due()
        if due is self._timed:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timed = due
        seconds = self._seconds.get(due)
        self._timer = self.loop.call_later(seconds, self._give_up) if seconds else None

    def _give_up(self) -> None:
        """Close the connection; if headers began to come, say why."""
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

    def _start_taking(self) -> None:
        """Start the timer for the next slice of what waits to be taken."""
        self._unsent = self.transport.get_write_buffer_size()
        self._taking = self.loop.call_later(self._answer_seconds, self._check_taken)

    def _stop_taking(self) -> None:
        if self._taking is not None:
            self._taking.cancel()
            self._taking = None

    def _check_taken(self) -> None:
        """Close the connection if its client took too little, and drop what waits."""
        waiting = self.transport.get_write_buffer_size()
        if self._unsent - waiting >= _SLICE:
            self._start_taking()
        elif waiting:
            log.info("answer not taken bytes=%d address=%s", waiting, self.client)
            # Otherwise the system would go on to offer the client what it holds of the answer.
            self.transport.get_extra_info("socket").setsockopt(
                socket.SOL_SOCKET, socket.SO_LINGER, _DROP
            )
            self.transport.abort()

    def _refuse(self, kind: ProblemType, detail: str, detail_zh: str) -> None:
        """Answer with a problem, unless an answer is in progress, and close the connection."""
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


def _wrong_in_handshake(event: h11.Request) -> tuple[str, str] | None:
    """Say in English and Chinese what is wrong with a WebSocket handshake; None if nothing is.

    Uvicorn would have the library answer some malformed ones in English, and others never.
    """
    fields = (b"%s: %s\r\n" % (name, value) for name, value in event.headers)
    head = b"%s %s HTTP/1.1\r\n" % (event.method, event.target)
    protocol = ServerProtocol()
    protocol.receive_data(head + b"".join(fields) + b"\r\n")
    for request in protocol.events_received():
        protocol.accept(cast("WebSocketRequest", request))
    error = protocol.handshake_exc
    if error is None:
        return None
    if isinstance(error, InvalidHeader):
        return f"{error.name} is missing or wrong", f"{error.name} 缺失或有误"
    return "it is no GET, or its headers are too many or too long", "应为 GET，请求头不能太多或太长"
