"""The classes of our routes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from typing import Any, cast, get_args, get_origin

from fastapi import Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.dependencies.utils import get_flat_params
from fastapi.params import Form, Query
from fastapi.routing import APIRoute
from fastapi.security.base import SecurityBase
from starlette.routing import Match
from starlette.types import Receive, Scope, Send

from hupai.api.web.problem_types import UNSUPPORTED_MEDIA_TYPE
from hupai.api.web.problems import ApiProblem
from hupai.api.web.routing.bodies import StrictRequest, given_twice, not_known

CHECKED = "/v1/"
"""Beginnings of the addresses whose query is checked; pages read theirs themselves."""
_ACCESS = ("key", "share")
"""Query parameters that give access, which are ignored where they have no use: the key (see
`hupai.api.auth.principal`) and the token of a link.
"""


class StrictRoute(APIRoute):
    """A route that refuses query parameters it does not have, and those that come twice and may
    not, where it is one of the API.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Wrap the usual handler with the check."""
        original = super().get_route_handler()
        if not self.path.startswith(CHECKED):
            return original
        fields = get_flat_params(self.dependant)
        known = {
            field.alias: _is_list(field.field_info.annotation)
            for field in fields
            if isinstance(field.field_info, Query)
        }
        guards = list(_guards(self.dependant))

        async def handler(request: Request) -> Response:
            counted = Counter(name for name, _ in request.query_params.multi_items())
            unknown = [name for name in counted if name not in {*known, *_ACCESS}]
            twice = [name for name in counted if counted[name] > 1 and not known.get(name)]
            if unknown or twice:
                for guard in guards:  # whoever may not ask at all is told that instead
                    await guard(request)
                raise not_known(unknown, known) if unknown else given_twice(twice)
            return await original(request)

        return handler


def _guards(dependant: Dependant) -> Iterator[Callable[[Request], Awaitable[object]]]:
    """Yield the checks of who may use a route, see `hupai.api.auth.principal`."""
    if isinstance(dependant.call, SecurityBase):
        yield cast("Callable[[Request], Awaitable[object]]", dependant.call)
    for inner in dependant.dependencies:
        yield from _guards(inner)


class Route(StrictRoute):
    """A route that answers HEAD like GET; the server leaves out the body (RFC 9110, 9.3.2).

    Routes of Starlette do so too, those of FastAPI do not. HEAD is not among the ``methods``, since
    FastAPI would then describe it as an operation with the same id as GET. Streams are not of this
    class: their GET has no end.
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
    """A route that refuses a body of the wrong Content-Type before reading it, one that gives a
    value twice, and a form with fields that the route does not have.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Wrap the usual handler with the checks."""
        original = super().get_route_handler()
        fields = _form_fields(self)
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
            return await original(StrictRequest(request, fields) if wanted else request)

        return handler


def _form_fields(route: APIRoute) -> dict[str, bool]:
    """Name the form fields of a route, and tell whether it takes several of each; FastAPI makes a
    model of the fields.
    """
    form = None if route.body_field is None else route.body_field.field_info.annotation
    fields = getattr(form, "model_fields", {})
    return {field.alias or name: _is_list(field.annotation) for name, field in fields.items()}


def _is_list(annotation: object) -> bool:
    """Whether an annotation is a list, also one of several."""
    return get_origin(annotation) is list or any(map(_is_list, get_args(annotation)))


def _takes_form(route: APIRoute) -> bool:
    return route.body_field is not None and isinstance(route.body_field.field_info, Form)
