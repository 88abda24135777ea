"""The classes of our routes."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, get_args, get_origin

from fastapi import Request, Response
from fastapi.params import Form
from fastapi.routing import APIRoute
from starlette.routing import Match
from starlette.types import Receive, Scope, Send

from hupai.api.web.problem_types import UNSUPPORTED_MEDIA_TYPE
from hupai.api.web.problems import ApiProblem
from hupai.api.web.routing.bodies import StrictRequest


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
    """A route that refuses a body of the wrong Content-Type before reading it, and one that gives a
    value twice.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Wrap the usual handler with the checks."""
        original = super().get_route_handler()
        lists = _list_fields(self)
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
            return await original(StrictRequest(request, lists) if wanted else request)

        return handler


def _list_fields(route: APIRoute) -> frozenset[str]:
    """Name the form fields of which a route takes several; FastAPI makes a model of the fields."""
    form = None if route.body_field is None else route.body_field.field_info.annotation
    fields = getattr(form, "model_fields", {})
    return frozenset(
        field.alias or name for name, field in fields.items() if _is_list(field.annotation)
    )


def _is_list(annotation: object) -> bool:
    """Whether an annotation is a list, also one of several."""
    return get_origin(annotation) is list or any(map(_is_list, get_args(annotation)))


def _takes_form(route: APIRoute) -> bool:
    return route.body_field is not None and isinstance(route.body_field.field_info, Form)
