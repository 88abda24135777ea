"""Additions to the OpenAPI document that FastAPI does not make itself.

These are recorded examples, the schema of problems, and what keys and limits add to every
operation, so that routes need not list it.
"""

from __future__ import annotations

import json
import re
from typing import Any

from fastapi import FastAPI

from hupai.api.auth.middleware import is_counted
from hupai.api.auth.principal import SCOPES
from hupai.api.contract.problem import ProblemDetails
from hupai.api.contract.values import described
from hupai.api.web import samples
from hupai.api.web.dependencies import problem_docs
from hupai.api.web.problem_types import (
    BAD_REQUEST,
    CROSS_ORIGIN,
    FORBIDDEN,
    INVALID,
    RATE_LIMITED,
    STORAGE_UNAVAILABLE,
    UNAUTHENTICATED,
    UNKNOWN_HOST,
    UPLOAD_TIMEOUT,
    ProblemType,
)
from hupai.api.web.routing.route_classes import CHECKED

_VALUES = {"None": "null", "True": "true", "False": "false"}
METHODS = frozenset({"get", "head", "post", "put", "patch", "delete"})
"""The members of a path that are operations."""


def install(app: FastAPI) -> None:
    """Complete the document that the app makes of its routes, once."""
    make_document = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            document: dict[str, Any] = samples.fill(make_document())
            _describe_errors(document)
            _drop_unused(document)
            _describe_schemas(document)
            _describe_forms(document)
            _describe_access(document, keys_optional=not app.state.settings.keys_needed)
            app.openapi_schema = document
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]


def _describe_errors(document: dict[str, Any]) -> None:
    """Replace FastAPI's own validation errors by problems."""
    schemas = document["components"]["schemas"]
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    problem = ProblemDetails.model_json_schema(ref_template="#/components/schemas/{model}")
    schemas.update(problem.pop("$defs", {}))
    schemas["ProblemDetails"] = problem
    for item in document["paths"].values():
        for operation in item.values():
            if "application/json" in operation["responses"].get("422", {}).get("content", {}):
                del operation["responses"]["422"]


def _drop_unused(document: dict[str, Any]) -> None:
    """Drop schemas that nothing refers to, such as those of types with another form in JSON."""
    schemas = document["components"]["schemas"]
    used = set(re.findall(r'"#/components/schemas/([^"]+)"', json.dumps(document)))
    for name in schemas.keys() - used:
        del schemas[name]


def _describe_schemas(document: dict[str, Any]) -> None:
    """Describe schemas in terms of JSON: the descriptions are docstrings of Python."""
    for schema in document["components"]["schemas"].values():
        properties = schema.get("properties", {})
        if "Attributes:" in schema.get("description", ""):
            schema["description"], texts = described(schema["description"])
            for name, text in texts.items():
                properties[name].setdefault("description", text)
        for one in (schema, *properties.values()):
            if "description" in one:
                one["description"] = _of_json(one["description"])


def _of_json(text: str) -> str:
    """Replace a docstring's words for values by those of JSON."""
    text = re.sub(r"\b(None|True|False)\b", lambda found: _VALUES[found[0]], text)
    return text.replace("``", "`")


def _describe_forms(document: dict[str, Any]) -> None:
    """Say that a form has no fields but those described, see `hupai.api.web.routing`."""
    schemas = document["components"]["schemas"]
    for item in document["paths"].values():
        for operation in item.values():
            content = operation.get("requestBody", {}).get("content", {})
            if "multipart/form-data" in content:
                reference = content["multipart/form-data"]["schema"]["$ref"]
                schemas[reference.rpartition("/")[2]]["additionalProperties"] = False


def _describe_access(document: dict[str, Any], *, keys_optional: bool) -> None:
    """Name for each operation the scope it needs and the problems that any of its kind may answer.

    Each scope is a security scheme, so a route's `needs` is listed in its ``security``. If the
    service requires no key, sending one is optional.
    """
    for path, item in document["paths"].items():
        for method in METHODS & item.keys():
            operation = item[method]
            scopes = scopes_of(operation)
            kinds: list[ProblemType] = [BAD_REQUEST, UNKNOWN_HOST]
            if scopes:
                needed: list[dict[str, list[str]]] = [{scope: [] for scope in scopes}]
                operation["security"] = [*needed, {}] if keys_optional else needed
                kinds += [UNAUTHENTICATED, FORBIDDEN, STORAGE_UNAVAILABLE]
            if method not in ("get", "head"):
                kinds.append(CROSS_ORIGIN)
            if "requestBody" in operation:
                kinds.append(UPLOAD_TIMEOUT)
            if path.startswith(CHECKED):
                kinds.append(INVALID)
            if is_counted(path):
                kinds.append(RATE_LIMITED)
            _add(operation["responses"], kinds)


def scopes_of(operation: dict[str, Any]) -> list[str]:
    """List the scopes that an operation needs, all of them; none where it is open."""
    named = {name for alternative in operation.get("security", ()) for name in alternative}
    return [scope for scope in SCOPES if scope in named]


def _add(responses: dict[str, Any], kinds: list[ProblemType]) -> None:
    """Add problems to the answers of an operation, beside those of the same status."""
    for kind in kinds:
        (entry,) = problem_docs(kind).values()
        known = responses.setdefault(str(kind.status), entry)
        for media, content in entry["content"].items():
            described = known.setdefault("content", {}).setdefault(media, content)
            examples = described.setdefault("examples", {})
            if kind.slug not in examples:
                examples.update(content["examples"])
                known["description"] = f"{known['description']}; {kind.title}"
