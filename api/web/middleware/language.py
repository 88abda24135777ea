"""Answers in Chinese if `Accept-Language` prefers it.

An answer carries its sentences in both languages, such as ``message`` and ``message_zh``. Where
Chinese is preferred, the first of each pair holds the Chinese too, so that a client that reads one
field shows the language of its user. Requests of the program's own pages are left alone, for these
choose by their own setting, and so are cases, whose entries are signed as they are.
"""

from __future__ import annotations

import json
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_SIGNED = "/v1/cases"
_JSON = ("application/json", "application/problem+json")


def prefers_chinese(accepted: str) -> bool:
    """Return whether an `Accept-Language` weighs Chinese above English and ``*``.

    Among equals the first counts (RFC 9110, 12.5.4).
    """
    weights: dict[str, float] = {}
    for part in accepted.lower().split(","):
        tag, _, parameters = part.partition(";")
        name, _, value = parameters.strip().partition("=")
        try:
            weight = float(value) if name == "q" else 1.0
        except ValueError:
            weight = 0.0
        language = tag.strip().partition("-")[0]
        if language in ("zh", "en", "*") and 0 <= weight <= 1:
            weights[language] = max(weights.get(language, 0.0), weight)
    best = max(weights, key=weights.__getitem__, default="")
    return best == "zh" and weights["zh"] > 0


def in_chinese(value: Any) -> Any:
    """Return JSON in which every text that has a Chinese one beside it is replaced by that."""
    if isinstance(value, list):
        return [in_chinese(one) for one in value]
    if not isinstance(value, dict):
        return value
    chinese = {
        name: value[f"{name}_zh"]
        for name in value
        if isinstance(value[name], str) and isinstance(value.get(f"{name}_zh"), str)
    }
    return {name: chinese.get(name) or in_chinese(one) for name, one in value.items()}


class LanguageMiddleware:
    """Puts the Chinese of an answer first where the request prefers it, as pure ASGI."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http" or not scope["path"].startswith("/v1/"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        wanted = prefers_chinese(headers.get("accept-language", ""))
        if not wanted or headers.get("sec-fetch-site") == "same-origin":
            await self._app(scope, receive, send)
            return
        await self._app(scope, receive, _Chinese(scope["path"], send))


class _Chinese:
    """Sends an answer on, JSON in Chinese once it is whole."""

    def __init__(self, path: str, send: Send) -> None:
        self._signed = path.startswith(_SIGNED)
        self._send = send
        self._start: Message | None = None
        self._body = b""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            kind = Headers(raw=message["headers"]).get("content-type", "").partition(";")[0]
            if kind in _JSON[self._signed :]:
                self._start = message
                return
        elif self._start is not None and message["type"] == "http.response.body":
            self._body += message.get("body", b"")
            if not message.get("more_body", False):
                await self._finish(self._start)
            return
        await self._send(message)

    async def _finish(self, start: Message) -> None:
        headers = MutableHeaders(scope=start)
        headers.add_vary_header("Accept-Language")
        body = self._body
        if body:
            headers["content-language"] = "zh"
            body = json.dumps(in_chinese(json.loads(body)), ensure_ascii=False).encode()
            headers["content-length"] = str(len(body))
        await self._send(start)
        await self._send({"type": "http.response.body", "body": body})
