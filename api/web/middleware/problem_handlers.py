"""Exception handlers that turn what the web framework raises into problems."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.routing import Match, Mount

from hupai.api.web.field_errors import field_error, shortened
from hupai.api.web.problem_types import (
    BAD_REQUEST,
    INTERNAL,
    METHOD_NOT_ALLOWED,
    NOT_ACCEPTABLE,
    NOT_FOUND,
    TOO_LARGE,
)
from hupai.api.web.problems import ApiProblem, invalid, problem_answer, problem_response

_METHODS = ("DELETE", "GET", "HEAD", "PATCH", "POST", "PUT")
"""HTTP methods that a route may have."""
_BY_STATUS = {
    400: BAD_REQUEST,
    404: NOT_FOUND,
    405: METHOD_NOT_ALLOWED,
    406: NOT_ACCEPTABLE,
    413: TOO_LARGE,
}


def install(app: FastAPI, nothing_here: Callable[[], Response] | None = None) -> None:
    """Answer every error that the app raises on purpose as a problem.

    `nothing_here` makes the page that a browser is shown at an unknown address outside the API.

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
        detail, detail_zh = f"There is nothing at {path}.", f"{path} 处没有内容。"
    elif error.status_code == 405:
        detail = f"{request.method} is not allowed at {path}."
        detail_zh = f"{path} 不支持 {request.method}。"
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
    if request.headers.get("content-type", "").lower().startswith("multipart/"):
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

    Starlette names only those of the first route. The OpenAPI document knows better about the paths
    that it describes: there ``/v1/hands/batch`` is not a hand. HEAD, which it does not describe, is
    listed beside GET.
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
    the one with the fewest parameters; empty if none fits.
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
