"""Checks before any route: whose key, from which origin, and how many requests are left."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from functools import partial
from typing import Any, Protocol
from urllib.parse import parse_qsl, urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hupai.api.auth.access import AccessPolicy
from hupai.api.auth.principal import Credentials, Principal, needs_a_key, who_asks
from hupai.api.auth.rate_limit import WINDOW, Allowance, RateLimiter
from hupai.api.storage.errors import StorageError
from hupai.api.web.middleware.proxies import ProxyTrust, bucket_of
from hupai.api.web.problem_types import (
    BAD_REQUEST,
    CROSS_ORIGIN,
    RATE_LIMITED,
    STORAGE_UNAVAILABLE,
    UNKNOWN_HOST,
)
from hupai.api.web.problems import ApiProblem, problem_answer
from hupai.api.web.settings import Settings

log = logging.getLogger("hupai.api")

_FREE = re.compile(r"/v1/(rules|tiles(/[^/]*)?)")
"""What every page loads and any cache may hold; not counted."""
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_LINKED = re.compile("/v1/sessions/[0-9a-f]{32}")
"""What may be changed by ``PUT`` with the token of a link instead of a key; the route checks it."""
CORS: dict[str, Any] = {
    "allow_methods": ["GET", "POST", "PUT", "PATCH", "DELETE"],
    "allow_headers": ["*"],
    "expose_headers": [
        "Content-Disposition",
        "ETag",
        "Idempotency-Replayed",
        "Location",
        "RateLimit",
        "RateLimit-Policy",
        "Retry-After",
        "X-Request-ID",
    ],
    "max_age": 600,
}
"""What pages of the allowed origins may send and see. No cookies: a key travels in a header."""


def is_counted(path: str) -> bool:
    """Whether requests to this path count towards a client's limit."""
    return path.startswith("/v1/") and _FREE.fullmatch(path) is None


class FindsKeys(Protocol):
    """A place where keys are looked up."""

    def find(self, text: str) -> Principal | None:
        """Find the holder of a key; None for a wrong one."""
        ...


class GuardMiddleware:
    """Admits or refuses a request.

    It is pure ASGI and lies inside CORS, so that a page of an allowed origin can read a refusal.

    Args:
        app: the application behind.
        settings: trusted proxies and allowed origins.
        policy: who needs a key, and under which host names the service answers.
        keys: returns the key store, when the first key arrives; the database may not be open
            before.
        limiter: counts the requests of each client; None for no limit.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        settings: Settings,
        policy: AccessPolicy,
        keys: Callable[[], FindsKeys],
        limiter: RateLimiter | None,
    ) -> None:
        self._app = app
        self._keys = keys
        self._proxies = ProxyTrust(settings.trusted_proxies)
        self._policy = policy
        self._origins = frozenset(settings.cors_origins)
        self._limiter = limiter

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request or WebSocket."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        try:
            rate_headers = await self._admit(scope)
        except ApiProblem as refusal:
            await problem_answer(_connection(scope), refusal)(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(rate_headers)
            await send(message)

        await self._app(scope, receive, send_with_headers if rate_headers else send)

    async def _admit(self, scope: Scope) -> dict[str, str]:
        """Admit a request, store its sender in the scope's state, return headers for the answer.

        A state-changing request needs a valid key before its body is read; for others `needs`
        checks the key. A wrong key is always refused.

        Raises:
            ApiProblem: if the request is refused.
        """
        if "\0" in scope["path"] or b"%00" in scope["query_string"]:
            raise ApiProblem(BAD_REQUEST, "The address holds a NUL.", "地址含有空字符。")
        state = scope.setdefault("state", {})
        state["address"] = address = self._proxies.address(scope)
        credentials = state["credentials"] = await self._credentials(scope)
        state["look_up_again"] = partial(self._credentials, scope)
        state["needs_key"] = self._policy.needs_key(scope, address)
        self._check_host(scope, credentials)
        changes = scope["type"] == "websocket" or scope["method"] not in _SAFE
        if changes and credentials is None and self._is_foreign(scope):
            detail = "A page of another origin may not do this without a key."
            raise ApiProblem(CROSS_ORIGIN, detail, "其他网站的页面没有密钥，不能这样做。")
        known = credentials.principal if credentials else None
        wrong = credentials is not None and known is None
        if not wrong and not is_counted(scope["path"]):
            return {}
        rate_headers = await self._take(f"key {known.name}" if known else bucket_of(address))
        by_link = scope.get("method") == "PUT" and _LINKED.fullmatch(scope["path"]) is not None
        if wrong or (changes and not (by_link and _from_query(scope, "share"))):
            who_asks(scope, in_address=True)
        return rate_headers

    def _check_host(self, scope: Scope, credentials: Credentials | None) -> None:
        """Refuse a request without a key that names another host than this service.

        Raises:
            ApiProblem: ``unknown-host``.
        """
        if credentials is not None or needs_a_key(scope):
            return
        host = Headers(scope=scope).get("host", "")
        if host and not self._policy.knows_host(host):
            raise ApiProblem(
                UNKNOWN_HOST,
                "This host name is not known here, and the request has no key.",
                "请求没有密钥，且此处不认识这个主机名。",
            )

    async def _take(self, client: str) -> dict[str, str]:
        if self._limiter is None:
            return {}
        allowance = await self._limiter.take(client)
        headers = _rate_headers(self._limiter.per_minute, allowance)
        if not allowance.granted:
            raise ApiProblem(
                RATE_LIMITED,
                f"More than {self._limiter.per_minute} requests a minute; "
                f"try again in {allowance.seconds} s.",
                f"每分钟最多 {self._limiter.per_minute} 次请求，请 {allowance.seconds} 秒后再试。",
                headers={"Retry-After": str(allowance.seconds), **headers},
            )
        return headers

    async def _credentials(self, scope: Scope) -> Credentials | None:
        """Look up the key that came with the request; None if none came."""
        scheme, _, text = Headers(scope=scope).get("authorization", "").partition(" ")
        in_query = False
        if scheme.lower() != "bearer":
            text, in_query = _from_query(scope, "key"), True
        if not text:
            return None
        try:
            return Credentials(await run_in_threadpool(self._keys().find, text.strip()), in_query)
        except StorageError as error:
            log.error("a key cannot be looked up: %s", error)
            detail = "The storage does not answer, so the key cannot be looked up."
            raise ApiProblem(
                STORAGE_UNAVAILABLE,
                detail,
                "存储无响应，无法核对密钥。",
                headers={"Retry-After": "5"},
            ) from error

    def _is_foreign(self, scope: Scope) -> bool:
        """Whether a browser sends this for a page of an origin that is not allowed.

        Without keys, the network decides who gets in, and a page elsewhere could use its reader's
        access. So such a page may neither change anything nor open a WebSocket.
        """
        headers = Headers(scope=scope)
        origin = headers.get("origin")
        if origin is None or origin in self._origins or "*" in self._origins:
            return False
        return not _host(origin) or _host(origin) != headers.get("host", "")


def _from_query(scope: Scope, field: str) -> str:
    """Return the first value of a field, empty for an address with hundreds of fields."""
    query = scope["query_string"].decode("latin-1")
    try:
        return next(
            (value for name, value in parse_qsl(query, max_num_fields=100) if name == field), ""
        )
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
    """Make RateLimit and RateLimit-Policy (draft-ietf-httpapi-ratelimit-headers)."""
    return {
        "RateLimit-Policy": f'"requests";q={per_minute};w={WINDOW:g}',
        "RateLimit": f'"requests";r={allowance.remaining};t={allowance.seconds}',
    }
