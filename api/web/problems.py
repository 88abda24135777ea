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
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse

from hupai.api.web.field_errors import FieldError, shortened
from hupai.api.web.problem_types import INTERNAL, INVALID, ProblemType
from hupai.scoring.cases.fields import CaseFormatError
from hupai.scoring.errors import HupaiError

MEDIA_TYPE = "application/problem+json"
log = logging.getLogger("hupai.api")

_SHOWN_FIELDS = 3
"""Maximum number of wrong fields named in the detail of a problem."""
_MOST_FIELDS = 50
"""Maximum number of wrong fields listed in a problem."""
_LONGEST_DETAIL = 1000
"""Maximum number of characters of a detail: some quote what was sent."""


class ApiProblem(HupaiError, HTTPException):
    """Raised by routes and middleware to answer with a problem.

    Args:
        kind: the problem type.
        detail: what is wrong with this request, one English sentence.
        detail_zh: the same in Chinese; the type's title if it adds nothing.
        headers: response headers, e.g. Retry-After.
        extra: extension members, e.g. ``{"known": [...]}``.
        advice: what to do, in English and Chinese, if the type's own does not fit.
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


def invalid_field(field: str, message: str, message_zh: str) -> ApiProblem:
    """Make the problem for one wrong field, with what is wrong with it in English and Chinese."""
    return invalid([FieldError(shortened(field), shortened(message), shortened(message_zh))])


def refused_log(error: CaseFormatError, parents: Sequence[str] = ()) -> ApiProblem:
    """Make the problem for a log of a deal or a session that does not have the form described.

    The field is named below `parents`.
    """
    return invalid_field(".".join((*parents, error.field)), error.message, error.message_zh)


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
