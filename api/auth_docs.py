"""What keys and limits add to every operation of the OpenAPI document, so that routes need not list it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fastapi import FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

from api.auth import SCHEME, Needs
from api.problem_types import CROSS_ORIGIN, FORBIDDEN, RATE_LIMITED, UNAUTHENTICATED, UPLOAD_TIMEOUT, ProblemType
from api.routing import problem_docs


def scope_of(route: APIRoute) -> str | None:
    """The scope that a route needs; None where it needs none."""
    return next((call.scope for call in _calls(route.dependant) if isinstance(call, Needs)), None)


def complete(app: FastAPI, document: dict[str, Any]) -> None:
    """Tell for each operation which scope it needs, and which problems every route of its kind may answer.

    Where the service asks for no key, a key is documented as something that may be sent and need not.
    """
    optional = not app.state.settings.require_keys
    for route in app.routes:
        if not isinstance(route, APIRoute) or not route.include_in_schema:
            continue
        scope = scope_of(route)
        for method in route.methods or ():
            operation = document["paths"][route.path_format][method.lower()]
            kinds: list[ProblemType] = []
            if scope is not None:
                operation["security"] = [{SCHEME: []}, *([{}] if optional else [])]
                operation["x-scope"] = scope
                kinds += [UNAUTHENTICATED, FORBIDDEN]
            if method not in ("GET", "HEAD"):
                kinds.append(CROSS_ORIGIN)
            if "requestBody" in operation:
                kinds.append(UPLOAD_TIMEOUT)
            if route.path_format.startswith("/v1/"):
                kinds.append(RATE_LIMITED)
            _add(operation["responses"], kinds)


def _calls(dependant: Dependant) -> Iterator[object]:
    yield dependant.call
    for inner in dependant.dependencies:
        yield from _calls(inner)


def _add(responses: dict[str, Any], kinds: list[ProblemType]) -> None:
    for kind in kinds:
        (entry,) = problem_docs(kind).values()
        there = responses.setdefault(str(kind.status), entry)
        for media, content in entry["content"].items():
            examples = there.setdefault("content", {}).setdefault(media, content).setdefault("examples", {})
            if kind.slug not in examples:
                examples.update(content["examples"])
                there["description"] = f"{there['description']}; {kind.title}"
