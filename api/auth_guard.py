"""Before any route: whose key is it, may a page of another origin do this, and has the client requests left."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from typing import Any, Protocol
from urllib.parse import parse_qsl, urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.auth import Credentials, Principal
from api.limits import Allowance, ProxyTrust, RateLimiter, bucket_of
from api.problem_types import CROSS_ORIGIN, RATE_LIMITED
from api.problems import problem_response
from api.settings import Settings

log = logging.getLogger("hupai.api")

_FREE = re.compile(r"/v1/(rules|tiles(/[^/]*)?)")
"""What every page loads and any cache may hold; not counted."""
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
CORS: dict[str, Any] = {
    "allow_methods": ["GET", "POST", "PUT", "PATCH", "DELETE"],
    "allow_headers": ["*"],
    "expose_headers": ["ETag", "Location", "RateLimit", "RateLimit-Policy", "Retry-After", "X-Request-ID"],
    "max_age": 600,
}
"""What pages of the allowed origins may send and see. No cookies: a key travels in a header."""


class FindsKeys(Protocol):
    """Where keys are looked up."""

    def find(self, text: str) -> Principal | None:
        """Whose key this is; None for a wrong one."""
        ...


class GuardMiddleware:
    """Pure ASGI, inside CORS, so that a page of an allowed origin can read what is refused.

    Args:
        app: the application behind.
        settings: limits, trusted proxies and allowed origins.
        keys: gives the store when the first key comes; the database may not be open before.
    """

    def __init__(self, app: ASGIApp, *, settings: Settings, keys: Callable[[], FindsKeys]) -> None:
        self._app = app
        self._keys = keys
        self._proxies = ProxyTrust(settings.trusted_proxies)
        self._origins = frozenset(settings.cors_origins)
        self._limiter = RateLimiter(settings.rate_limit) if settings.rate_limit else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        state = scope.setdefault("state", {})
        state["address"] = address = self._proxies.address(scope)
        credentials = await self._credentials(scope)
        state["credentials"] = credentials
        if credentials is None and self._is_foreign(scope):
            await self._refuse_foreign(scope, receive, send)
            return
        if self._limiter is None or not scope["path"].startswith("/v1/") or _FREE.fullmatch(scope["path"]):
            await self._app(scope, receive, send)
            return
        known = credentials.principal if credentials else None
        allowance = self._limiter.take(f"key {known.name}" if known else bucket_of(address))
        if not allowance.granted:
            await self._refuse_many(scope, receive, send, allowance)
            return
        told = _rate_headers(self._limiter.per_minute, allowance)

        async def send_told(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(told)
            await send(message)

        await self._app(scope, receive, send_told)

    async def _credentials(self, scope: Scope) -> Credentials | None:
        """The key that came with the request, looked up; None where none came."""
        scheme, _, text = Headers(scope=scope).get("authorization", "").partition(" ")
        in_query = False
        if scheme.lower() != "bearer":
            text, in_query = _query_key(scope["query_string"].decode("latin-1")), True
        if not text:
            return None
        return Credentials(await run_in_threadpool(self._keys().find, text.strip()), in_query)

    def _is_foreign(self, scope: Scope) -> bool:
        """Whether a browser sends this for a page of an origin that is neither this service's nor allowed.

        Without keys it is the network that lets a client in, and a page elsewhere could use its reader's: so it may not change
        anything, nor open a WebSocket.
        """
        if scope["type"] == "http" and scope["method"] in _SAFE:
            return False
        headers = Headers(scope=scope)
        origin = headers.get("origin")
        if origin is None or origin in self._origins or "*" in self._origins:
            return False
        return not _host(origin) or _host(origin) != headers.get("host", "")

    async def _refuse_foreign(self, scope: Scope, receive: Receive, send: Send) -> None:
        detail = "A page of another origin may not do this without a key."
        response = problem_response(_connection(scope), CROSS_ORIGIN, detail, "其他网站的页面没有密钥，不能这样做。")
        await response(scope, receive, send)

    async def _refuse_many(self, scope: Scope, receive: Receive, send: Send, allowance: Allowance) -> None:
        assert self._limiter is not None
        seconds = allowance.seconds
        response = problem_response(
            _connection(scope),
            RATE_LIMITED,
            f"More than {self._limiter.per_minute} requests a minute; try again in {seconds} s.",
            f"每分钟最多 {self._limiter.per_minute} 次请求，请 {seconds} 秒后再试。",
            headers={"Retry-After": str(seconds), **_rate_headers(self._limiter.per_minute, allowance)},
        )
        await response(scope, receive, send)


def _query_key(query: str) -> str:
    """The value of the first ``key=``; of an address with hundreds of fields nothing is taken."""
    try:
        return next((value for name, value in parse_qsl(query, max_num_fields=100) if name == "key"), "")
    except ValueError:
        return ""


def _host(origin: str) -> str:
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return ""


def _connection(scope: Scope) -> Request:
    return Request(scope) if scope["type"] == "http" else HTTPConnection(scope)  # type: ignore[return-value]


def _rate_headers(per_minute: int, allowance: Allowance) -> dict[str, str]:
    """RateLimit and RateLimit-Policy, as in the IETF draft draft-ietf-httpapi-ratelimit-headers."""
    return {
        "RateLimit-Policy": f'"requests";q={per_minute};w=60',
        "RateLimit": f'"requests";r={allowance.remaining};t={allowance.seconds}',
    }
