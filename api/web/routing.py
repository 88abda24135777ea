"""The classes of our routes: HEAD beside GET, and bodies checked before they are parsed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

from fastapi import Request, Response
from fastapi.params import Form
from fastapi.routing import APIRoute
from starlette.routing import Match
from starlette.types import Receive, Scope, Send

from hupai.api.web.problem_types import BAD_REQUEST, UNSUPPORTED_MEDIA_TYPE
from hupai.api.web.problems import ApiProblem


class Route(APIRoute):
    """A route that answers HEAD like GET; the server leaves out the body (RFC 9110, 9.3.2).

    Routes of Starlette do so too, those of FastAPI do not. HEAD is not among the ``methods``, since
    FastAPI would then describe it as an operation with the same id as GET. Streams are routes of
    FastAPI's own class: their GET has no end.
    """

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Match HEAD where GET matches."""
        return super().matches(self._as_get(scope))

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer HEAD like GET."""
        await super().handle(self._as_get(scope), receive, send)

    def _as_get(self, scope: Scope) -> Scope:
        if scope.get("method") == "HEAD" and "GET" in (self.methods or ()):
            return {**scope, "method": "GET"}
        return scope


class MediaRoute(Route):
    """A route that refuses a body of the wrong Content-Type before reading it."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Wrap the usual handler with the check."""
        original = super().get_route_handler()
        wanted = ""
        if self.body_field is not None:
            wanted = (
                "multipart/form-data" if self.methods and _takes_form(self) else "application/json"
            )

        async def handler(request: Request) -> Response:
            given = request.headers.get("content-type", "").partition(";")[0].strip().lower()
            if wanted and given != wanted:
                raise ApiProblem(
                    UNSUPPORTED_MEDIA_TYPE,
                    f"This route takes {wanted}, not {given or 'a body without Content-Type'}.",
                    f"此接口需要 {wanted}。",
                )
            if wanted == "application/json":
                check_text(await request.body())
            return await original(request)

        return handler


_ESCAPED = re.compile(rb"\\u(?:[dD][89a-fA-F]|0000)")


def check_text(body: bytes) -> None:
    """Refuse JSON whose text cannot be stored: half a character (a lone surrogate), or a NUL.

    So that these can be found, JSON is taken in UTF-8 alone (RFC 8259, 8.1).

    Raises:
        ApiProblem: ``bad-request``. What is no JSON at all is left to the parser.
    """
    encoding = json.detect_encoding(body)
    if encoding not in ("utf-8", "utf-8-sig"):
        raise ApiProblem(
            BAD_REQUEST,
            f"The body is in {encoding.upper()}; send JSON in UTF-8.",
            f"请求体的编码是 {encoding.upper()}；JSON 请用 UTF-8 发送。",
        )
    if _ESCAPED.search(body) is None:
        return
    try:
        texts = list(_texts(json.loads(body)))
    except (ValueError, RecursionError):
        return
    if any("\0" in text or any("\ud800" <= char <= "\udfff" for char in text) for text in texts):
        detail = "The body holds a text with half a character (a lone surrogate) or a NUL."
        raise ApiProblem(BAD_REQUEST, detail, "请求体的文本含有不完整的字符或空字符。")


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield name
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


def _takes_form(route: APIRoute) -> bool:
    return route.body_field is not None and isinstance(route.body_field.field_info, Form)
