"""What every request gets: an id, a body limit, security headers, a log line and metrics."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from time import perf_counter
from uuid import uuid4

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hupai.api.web.logs import request_id_var
from hupai.api.web.metrics import Metrics
from hupai.api.web.middleware.proxies import is_loopback
from hupai.api.web.problem_types import TOO_LARGE, UPLOAD_TIMEOUT
from hupai.api.web.problems import ApiProblem, crashed

_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
access_log = logging.getLogger("hupai.access")

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "
    "connect-src 'self'; font-src 'self'; manifest-src 'self'; worker-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
MOST_JSON = 64 * 1024
"""Largest body that is not a form, bytes; a hand takes less than 2 KiB."""
_SEND_LESS = (
    "Send less at once: a body of JSON is about one hand, deal, session, case or table.",
    "请减少内容：JSON 请求一次只发送一手牌、一副、一场、一个案卷或一张牌桌。",
)
"""Advice for a body that is too large and not a form."""
_DRAINED = 4
"""How many times the largest body is received and dropped before the connection is closed."""
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "WEBSOCKET"})
_QUIET = frozenset({"/healthz", "/readiness", "/metrics"})
"""Paths that machines poll: not worth a line at level INFO."""
SECURITY_HEADERS = {
    "content-security-policy": CONTENT_SECURITY_POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "permissions-policy": "camera=(self), microphone=(), geolocation=()",
}
OPENER_POLICY = ("cross-origin-opener-policy", "same-origin")
"""Only for trustworthy origins (W3C Secure Contexts, 3.1): elsewhere browsers ignore the header and
write an error to the console of every page.
"""


class RequestMiddleware:
    """Wraps every request, as pure ASGI. A client's own X-Request-ID is kept if short and plain.

    Args:
        app: the application behind.
        max_body: largest body, bytes.
        body_seconds: longest time a body may take to come.
        metrics: where requests are counted.
    """

    def __init__(
        self, app: ASGIApp, *, max_body: int, body_seconds: float, metrics: Metrics
    ) -> None:
        self._app = app
        self._max_body = max_body
        self._body_seconds = body_seconds
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request or WebSocket."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        request_id = request_id_of(Headers(scope=scope))
        scope.setdefault("state", {})["request_id"] = request_id
        token = request_id_var.set(request_id)
        started = perf_counter()
        status = 500 if scope["type"] == "http" else 101
        begun = False

        async def send_with_headers(message: Message) -> None:
            nonlocal status, begun
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                begun = True
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers["x-request-id"] = request_id
                for name, value in SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
                if _is_trustworthy(scope):
                    headers.setdefault(*OPENER_POLICY)
                if scope["path"].startswith("/v1/"):
                    headers.setdefault("cache-control", "no-store")
            await send(message)

        try:
            if scope["type"] == "http":
                receive = self._limited(scope, receive)
            await self._app(scope, receive, send_with_headers)
        except Exception as error:  # an answer is due; the log gets the traceback
            if scope["type"] == "websocket":
                status = 500
                raise
            response = crashed(Request(scope), error)
            if not begun:
                await response(scope, receive, send_with_headers)
        finally:
            self._record(scope, request_id, status, perf_counter() - started)
            request_id_var.reset(token)

    def _record(self, scope: Scope, request_id: str, status: int, seconds: float) -> None:
        route = getattr(scope.get("route"), "path", "other")
        method = scope.get("method", "WEBSOCKET")
        self._metrics.requests.labels(
            method if method in _METHODS else "other", route, str(status)
        ).inc()
        self._metrics.latency.labels(route).observe(seconds)
        problem = scope["state"].get("problem", "")
        if problem:
            self._metrics.problems.labels(problem).inc()
        credentials = scope["state"].get("credentials")
        fields = {
            "request_id": request_id,
            "method": method,
            "path": scope["path"],
            "status": status,
            "ms": round(seconds * 1000, 1),
            "problem": problem,
            "address": scope["state"].get("address", ""),
            "key": credentials.principal.name if credentials and credentials.principal else "",
        }
        shown = " ".join(
            f"{key}={json.dumps(value, ensure_ascii=False)}"
            for key, value in fields.items()
            if value != ""
        )
        access_log.log(
            logging.DEBUG if route in _QUIET and status < 500 else logging.INFO,
            "%s",
            shown,
            extra={"fields": fields},
        )

    def _limited(self, scope: Scope, receive: Receive) -> Receive:
        """Wrap `receive` so that it stops with a problem when the body is too large or too slow.

        A form may have `max_body` bytes, any other body less.
        """
        most = self._max_body
        is_form = Headers(scope=scope).get("content-type", "").lower().startswith("multipart/")
        limit = most if is_form else min(most, MOST_JSON)
        declared = Headers(scope=scope).get("content-length", "")
        declared_size = int(declared) if declared.isdecimal() else 0
        seen = 0
        complete = False
        deadline = asyncio.get_running_loop().time() + self._body_seconds

        async def next_part() -> Message:
            nonlocal complete
            if complete:  # all that follows is the client going away, which may take for ever
                return await receive()
            try:
                async with asyncio.timeout_at(deadline):
                    message = await receive()
            except TimeoutError:
                raise ApiProblem(
                    UPLOAD_TIMEOUT,
                    f"The body did not come within {self._body_seconds:g} s.",
                    f"{self._body_seconds:g} 秒内没有收完请求。",
                    headers={"Connection": "close"},
                ) from None
            complete = message["type"] != "http.request" or not message.get("more_body", False)
            return message

        async def refuse() -> None:
            """Drop what still comes, within bounds, so that the client sees the answer."""
            nonlocal seen
            while not complete and seen < _DRAINED * most:
                seen += len((await next_part()).get("body", b""))
            raise too_large(limit, None if is_form else _SEND_LESS)

        async def limited() -> Message:
            nonlocal seen
            if declared_size > limit:
                await refuse()
            message = await next_part()
            if message["type"] == "http.request":
                seen += len(message.get("body", b""))
                if seen > limit:
                    await refuse()
            return message

        return limited


def _is_trustworthy(scope: Scope) -> bool:
    """Whether a browser considers the origin of this request trustworthy: HTTPS, or loopback.

    A client that lies about the scheme in front of a proxy changes its own answer only.
    """
    headers = Headers(scope=scope)
    if "https" in (scope.get("scheme"), headers.get("x-forwarded-proto")):
        return True
    return is_loopback(headers.get("host", ""))


def request_id_of(headers: Headers) -> str:
    """Return the id that a client chose for its request, or a new one."""
    offered = headers.get("x-request-id", "")
    return offered if _REQUEST_ID.fullmatch(offered) else uuid4().hex


def too_large(limit: int, advice: tuple[str, str] | None = None) -> ApiProblem:
    """Make the problem for a body of more than `limit` bytes; see `ApiProblem` for `advice`."""
    size = f"{limit / 1024 / 1024:.3g} MiB" if limit >= 1024 * 1024 else f"{limit / 1024:.3g} KiB"
    return ApiProblem(
        TOO_LARGE,
        f"The body is larger than {size}.",
        f"请求体超过 {size}。",
        headers={"Connection": "close"},
        extra={"max_bytes": limit},
        advice=advice,
    )
