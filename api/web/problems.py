"""Errors of requests as RFC 9457 problems with stable types.

The tree of what is raised:

    ApiProblem
    ├── raised by routes with one of the types of problem_types.toml
    └── made of everything else: validation errors, unknown paths, wrong methods, crashes

An answer never holds a stack trace or a path of the server; its ``request_id`` finds the log line
that does.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.routing import Match, Mount

from hupai.api.web.field_errors import FieldError, field_error, shortened
from hupai.api.web.problem_types import (
    BAD_REQUEST,
    INTERNAL,
    INVALID,
    METHOD_NOT_ALLOWED,
    NOT_ACCEPTABLE,
    NOT_FOUND,
    TOO_LARGE,
    TYPES,
    ProblemType,
)
from hupai.scoring.errors import HupaiError

MEDIA_TYPE = "application/problem+json"
log = logging.getLogger("hupai.api")


_METHODS = ("DELETE", "GET", "HEAD", "PATCH", "POST", "PUT")
"""HTTP methods that a route may have."""
_SHOWN_FIELDS = 3
"""Most wrong fields named in the detail of a problem."""
_MOST_FIELDS = 50
"""Most wrong fields listed in a problem."""
_LONGEST_DETAIL = 1000
"""Most characters of a detail: some quote what was sent."""

_BY_STATUS = {
    400: BAD_REQUEST,
    404: NOT_FOUND,
    405: METHOD_NOT_ALLOWED,
    406: NOT_ACCEPTABLE,
    413: TOO_LARGE,
}


class ApiProblem(HupaiError, HTTPException):
    """Raised by routes and middleware to answer with a problem.

    Args:
        kind: the problem type.
        detail: what is wrong with this request, one English sentence.
        detail_zh: the same in Chinese; the type's title where it adds nothing.
        headers: response headers, e.g. Retry-After.
        extra: extension members, e.g. ``{"known": [...]}``.
        advice: what to do, in English and Chinese, where the type's own does not fit.
    """

    def __init__(
        self,
        kind: ProblemType,
        detail: str,
        detail_zh: str = "",
        *,
        headers: Mapping[str, str] | None = None,
        extra: Mapping[str, Any] | None = None,
        advice: tuple[str, str] | None = None,
    ) -> None:
        super().__init__(kind.status, detail, headers=dict(headers or {}))
        self.kind = kind
        self.detail_zh = detail_zh or kind.title_zh
        self.extra = dict(extra or {})
        self.advice = advice


def problem_response(
    request: Request,
    kind: ProblemType,
    detail: str,
    detail_zh: str,
    *,
    headers: Mapping[str, str] | None = None,
    extra: Mapping[str, Any] | None = None,
    advice: tuple[str, str] | None = None,
) -> JSONResponse:
    """Answer one problem; ``request.state.problem`` tells the middleware to count it."""
    request.state.problem = kind.slug
    request_id = getattr(request.state, "request_id", "")
    body = problem_body(kind, detail, detail_zh, request_id, advice) | dict(extra or {})
    return JSONResponse(body, kind.status, headers=dict(headers or {}), media_type=MEDIA_TYPE)


def problem_body(
    kind: ProblemType,
    detail: str,
    detail_zh: str,
    request_id: str,
    advice: tuple[str, str] | None = None,
) -> dict[str, Any]:
    """Make the JSON object of a problem."""
    todo, todo_zh = advice or (kind.advice, kind.advice_zh)
    return {
        "type": kind.uri,
        "title": kind.title,
        "title_zh": kind.title_zh,
        "status": kind.status,
        "detail": detail[:_LONGEST_DETAIL],
        "detail_zh": detail_zh[:_LONGEST_DETAIL],
        "advice": todo,
        "advice_zh": todo_zh,
        "request_id": request_id,
    }


def problem_answer(request: Request, problem: ApiProblem) -> JSONResponse:
    """Answer a problem that was raised."""
    return problem_response(
        request,
        problem.kind,
        problem.detail,
        problem.detail_zh,
        headers=problem.headers,
        extra=problem.extra,
        advice=problem.advice,
    )


def install(app: FastAPI, nothing_here: Callable[[], Response] | None = None) -> None:
    """Answer every error that the app raises on purpose as a problem.

    `nothing_here` makes the page that a browser is shown at an address outside the API that is
    none.

    Crashes are answered by `hupai.api.web.middleware.requests`.
    """
    app.state.nothing_here = nothing_here
    app.add_exception_handler(HTTPException, _on_http_exception)
    app.add_exception_handler(RequestValidationError, _on_validation_error)


def _is_for_a_page(request: Request) -> bool:
    """Whether a browser asks for a page, and not a program for a resource."""
    return "text/html" in request.headers.get("accept", "") and not request.url.path.startswith(
        "/v1/"
    )


async def _on_http_exception(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if isinstance(error, ApiProblem):
        return problem_answer(request, error)
    kind = _BY_STATUS.get(error.status_code, INTERNAL if error.status_code >= 500 else BAD_REQUEST)
    path = shortened(request.url.path)
    detail, detail_zh, headers = kind.meaning, kind.title_zh, dict(error.headers or {})
    advice = None
    if error.status_code == 404 and request.app.state.nothing_here and _is_for_a_page(request):
        return request.app.state.nothing_here()  # type: ignore[no-any-return]
    if error.status_code == 404:
        detail = f"There is nothing at {path}."
    elif error.status_code == 405:
        detail = f"{request.method} is not allowed at {path}."
        headers["Allow"] = ", ".join(_allowed_methods(request)) or headers.get("Allow", "")
    elif error.status_code == 400 and "exceeded" in error.detail:
        kind, detail = TOO_LARGE, f"The form: {error.detail}"
        detail_zh = "表单中有一项太大。"
        advice = "Send photos as files: texts of a form are short.", "照片请作为文件发送。"
    elif error.status_code == 400 and error.detail.startswith("Too many"):
        kind, detail, detail_zh = TOO_LARGE, f"The form: {error.detail}", "表单中的项太多。"
        advice = "Send fewer fields and files in a form.", "请减少表单中的项和文件。"
    elif error.status_code == 400:
        detail, detail_zh = _not_parsed(request)
    return problem_response(request, kind, detail, detail_zh, headers=headers, advice=advice)


def _not_parsed(request: Request) -> tuple[str, str]:
    """Say why a body may not have been parsed, in English and Chinese."""
    packed = request.headers.get("content-encoding", "identity")
    if packed != "identity":
        return (
            f"The body has the Content-Encoding {shortened(packed)}; send it as it is.",
            f"请求体的 Content-Encoding 为 {shortened(packed)}；请不要压缩。",
        )
    if request.headers.get("content-type", "").startswith("multipart/"):
        return (
            "The form breaks off, or its boundary is not the one that Content-Type names.",
            "表单不完整，或 boundary 与 Content-Type 所写的不同。",
        )
    return (
        "The body is no JSON in UTF-8, or it nests too deeply or holds a number that is too long.",
        "请求体不是 UTF-8 编码的 JSON，或者嵌套太深、数字太长。",
    )


def _allowed_methods(request: Request) -> list[str]:
    """List the methods that some route takes at this path (RFC 9110, 15.5.6), in order.

    Starlette names those of the first route alone. What the OpenAPI document describes it knows
    best: there ``/v1/hands/batch`` is not a hand. HEAD, which it does not describe, is named beside
    GET.
    """
    routes = [route for route in request.app.routes if not isinstance(route, Mount)]
    matched = {
        method
        for method in _METHODS
        if any(
            route.matches({**request.scope, "method": method})[0] is Match.FULL for route in routes
        )
    }
    documented = _documented_methods(request)
    if documented:
        matched &= documented | ({"HEAD"} if "GET" in documented else set())
    return [method for method in _METHODS if method in matched]


def _documented_methods(request: Request) -> set[str]:
    """Find the methods of the path in the OpenAPI document, of several templates that fit those of
    the one with the fewest parameters; empty where none fits.
    """
    parts = request.url.path.split("/")
    found: dict[int, set[str]] = {}
    for template, operations in request.app.openapi()["paths"].items():
        names = template.split("/")
        fits = len(names) == len(parts) and all(
            name == part or (name.startswith("{") and part)
            for name, part in zip(names, parts, strict=True)
        )
        if fits:
            methods = {method.upper() for method in operations}
            found.setdefault(template.count("{"), set()).update(methods)
    return found[min(found)] if found else set()


async def _on_validation_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    fields = [field_error(item) for item in error.errors()]
    if any(item.get("type") == "json_invalid" and _is_body(item) for item in error.errors()):
        detail, detail_zh = fields[0].message, fields[0].message_zh
        return problem_response(
            request, BAD_REQUEST, f"The body is {detail}.", f"请求体{detail_zh}。"
        )
    return problem_answer(request, invalid(fields))


def _is_body(item: Mapping[str, Any]) -> bool:
    """Whether the whole body is not JSON, rather than a form field."""
    location = item.get("loc", ())
    return len(location) == 2 and isinstance(location[1], int)


def invalid(fields: Sequence[FieldError]) -> ApiProblem:
    """Make the problem for wrong fields."""
    more, more_zh = "", ""
    if len(fields) > _SHOWN_FIELDS:
        more = f"; and {len(fields) - _SHOWN_FIELDS} more"
        more_zh = f"；另有 {len(fields) - _SHOWN_FIELDS} 处"
    first = fields[:_SHOWN_FIELDS]
    return ApiProblem(
        INVALID,
        "; ".join(f"{one.field}: {one.message}" for one in first) + more,
        "；".join(f"{one.field}：{one.message_zh}" for one in first) + more_zh,
        extra={"errors": [asdict(one) for one in fields[:_MOST_FIELDS]]},
    )


def crashed(request: Request, error: Exception) -> JSONResponse:
    """Answer an unexpected error: its traceback goes to the log alone."""
    request_id = getattr(request.state, "request_id", "")
    log.error("request %s crashed", request_id, exc_info=error)
    return problem_response(
        request,
        INTERNAL,
        f"The service failed on this request; it is logged as {request_id}.",
        "服务出错，已记录。",
    )


def as_markdown() -> str:
    """Write the page docs/problems.md."""
    lines = [
        "# Problems",
        "",
        "Every error of the service is an RFC 9457 problem, `application/problem+json`. Programs",
        "should check `type`, which is stable. `detail` says what is wrong with this request and",
        "`advice` what to do; `title_zh`, `detail_zh` and `advice_zh` say the same in Chinese.",
        "`request_id` (also the header `X-Request-ID`) identifies the request in the server's log.",
        "This page is generated from `api/web/problem_types.toml`; a test compares the two.",
        "",
        "| type | status | title | meaning | what to do |",
        "|---|---|---|---|---|",
    ]
    lines += [
        f"| `{p.uri}` | {p.status} | {p.title} · {p.title_zh} | {p.meaning} | {p.advice} |"
        for p in TYPES.values()
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(as_markdown(), end="")
