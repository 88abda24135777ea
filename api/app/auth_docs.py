"""What keys and limits add to every operation of the OpenAPI document, so that routes need not list
it.
"""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI

from hupai.api.auth.middleware import is_counted
from hupai.api.auth.principal import SCOPES
from hupai.api.web.dependencies import problem_docs
from hupai.api.web.problem_types import (
    BAD_REQUEST,
    CROSS_ORIGIN,
    FORBIDDEN,
    RATE_LIMITED,
    STORAGE_UNAVAILABLE,
    UNAUTHENTICATED,
    UPLOAD_TIMEOUT,
    ProblemType,
)

METHODS = frozenset({"get", "head", "post", "put", "patch", "delete"})


def complete(app: FastAPI, document: dict[str, Any]) -> None:
    """Tell for each operation which scope it needs, and which problems every operation of its kind
    may answer.

    Each scope is a security scheme, so a route's `needs` stands under its ``security``. Where the
    service asks for no key, one may be sent and need not.
    """
    optional = not app.state.settings.require_keys
    for path, item in document["paths"].items():
        for method in METHODS & item.keys():
            operation = item[method]
            scopes = scopes_of(operation)
            kinds: list[ProblemType] = [BAD_REQUEST]
            if scopes:
                operation["security"] = [
                    {scope: [] for scope in scopes},
                    *([{}] if optional else []),
                ]
                kinds += [UNAUTHENTICATED, FORBIDDEN, STORAGE_UNAVAILABLE]
            if method not in ("get", "head"):
                kinds.append(CROSS_ORIGIN)
            if "requestBody" in operation:
                kinds.append(UPLOAD_TIMEOUT)
            if is_counted(path):
                kinds.append(RATE_LIMITED)
            _add(operation["responses"], kinds)


def scopes_of(operation: dict[str, Any]) -> list[str]:
    """The scopes that an operation needs, all of them; none where it is open."""
    named = {name for alternative in operation.get("security", ()) for name in alternative}
    return [scope for scope in SCOPES if scope in named]


def _add(responses: dict[str, Any], kinds: list[ProblemType]) -> None:
    for kind in kinds:
        (entry,) = problem_docs(kind).values()
        there = responses.setdefault(str(kind.status), entry)
        for media, content in entry["content"].items():
            examples = (
                there.setdefault("content", {})
                .setdefault(media, content)
                .setdefault("examples", {})
            )
            if kind.slug not in examples:
                examples.update(content["examples"])
                there["description"] = f"{there['description']}; {kind.title}"
