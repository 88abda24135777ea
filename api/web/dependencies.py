"""Shared by routes: media types, conditional answers, and the documentation of problems."""

from __future__ import annotations

from hashlib import sha256
from typing import Any, TypeVar

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ValidationError

from hupai.api.web import samples
from hupai.api.web.problem_types import (
    NOT_ACCEPTABLE,
    ProblemType,
)
from hupai.api.web.problems import MEDIA_TYPE, ApiProblem
from hupai.api.web.routing.bodies import given_twice, keys_twice
from hupai.api.web.settings import Settings

M = TypeVar("M", bound=BaseModel)
NOT_MODIFIED: dict[int | str, dict[str, Any]] = {
    304: {"description": "As the client has it: If-None-Match names this version."}
}
"""Describes for OpenAPI the answer of a route that has entity tags."""
BINARY: dict[str, Any] = {"schema": {"type": "string", "format": "binary"}}
"""Describes for OpenAPI the content of an answer that is a file."""
PICTURES = {"image/jpeg": ".jpg", "image/png": ".png"}
"""Media types of the pictures that routes draw, with their endings."""


def wanted_type(request: Request, offered: tuple[str, ...]) -> str:
    """Choose the offered media type that the Accept header prefers. Of several with the highest
    quality it is one that the header names, otherwise the first.

    Raises:
        ApiProblem: ``not-acceptable``.
    """
    ranges = _media_ranges(request.headers.get("accept", "*/*") or "*/*")
    quality, _, media = max(
        ((*_quality(media, ranges), media) for media in offered), key=lambda one: one[:2]
    )
    if quality == 0:
        raise ApiProblem(
            NOT_ACCEPTABLE,
            f"This route answers {', '.join(offered)}.",
            f"此接口可答复 {'、'.join(offered)}。",
        )
    return media


def _media_ranges(header: str) -> dict[str, float]:
    """The quality of each media range of an Accept header, 0 to 1; of one that comes twice the
    higher.
    """
    ranges: dict[str, float] = {}
    for item in header.lower().split(","):
        kind, *parameters = (part.strip() for part in item.split(";"))
        quality = 1.0
        for parameter in parameters:
            if parameter.startswith("q="):
                try:
                    quality = float(parameter[2:])
                except ValueError:
                    quality = 0.0
        if not 0 <= quality <= 1:  # nor is NaN
            quality = 0.0
        ranges[kind] = max(quality, ranges.get(kind, 0.0))
    return ranges


def _quality(media: str, ranges: dict[str, float]) -> tuple[float, int]:
    """The quality of a media type, and how specific the range is that it comes from: the most
    specific range that matches decides (RFC 9110, 12.5.1).
    """
    matching = (media, f"{media.partition('/')[0]}/*", "*/*")
    for unspecific, name in enumerate(matching):
        if name in ranges:
            return ranges[name], -unspecific
    return 0.0, -len(matching)


def form_json(model: type[M], text: str, field: str) -> M:
    """Read a form field that holds JSON, as `model`.

    Raises:
        RequestValidationError: with the field's name before each location, as for any other field.
        ApiProblem: ``invalid-request``, if an object in it holds a key twice.
    """
    try:
        value = model.model_validate_json(text or "{}")
    except ValidationError as error:
        raise RequestValidationError(
            [{**item, "loc": ("body", field, *item["loc"])} for item in error.errors()]
        ) from None
    if twice := keys_twice(text or "{}", field):
        raise given_twice(twice)
    return value


def cacheable(request: Request, content: bytes, media_type: str, seconds: int) -> Response:
    """Answer with an ETag and a time to cache; 304 if the client has the content already."""
    tag = f'"{sha256(content).hexdigest()[:32]}"'
    headers = {"ETag": tag, "Cache-Control": f"public, max-age={seconds}"}
    if has_current(request, tag):
        return Response(status_code=304, headers=headers)
    return Response(content, media_type=media_type, headers=headers)


def has_current(request: Request, tag: str) -> bool:
    """Whether the client has the version of this entity tag (If-None-Match, RFC 9110, 13.1.2)."""
    known = {one.removeprefix("W/") for one in tags_of(request.headers.get("if-none-match", ""))}
    return bool({tag, "*"} & known)


def etag(version: int) -> str:
    """The ETag of what is stored, at this version."""
    return f'"{version}"'


def tags_of(header: str) -> list[str]:
    """The entity tags of an If-Match or If-None-Match header."""
    return [tag.strip() for tag in header.split(",") if tag.strip()]


def app_settings(request: Request) -> Settings:
    """Return the app's settings."""
    settings = request.app.state.settings
    assert isinstance(settings, Settings)
    return settings


def problem_docs(*kinds: ProblemType) -> dict[int | str, dict[str, Any]]:
    """Describe for OpenAPI the problems that a route may answer, with an example each."""
    documented: dict[int | str, dict[str, Any]] = {}
    for kind in kinds:
        entry = documented.setdefault(
            kind.status,
            {
                "description": "",
                "content": {
                    MEDIA_TYPE: {
                        "schema": {"$ref": "#/components/schemas/ProblemDetails"},
                        "examples": {},
                    }
                },
            },
        )
        entry["description"] += ("; " if entry["description"] else "") + kind.title
        entry["content"][MEDIA_TYPE]["examples"][kind.slug] = {
            "value": {
                "type": kind.uri,
                "title": kind.title,
                "title_zh": kind.title_zh,
                "status": kind.status,
                "detail": kind.meaning,
                "detail_zh": kind.title_zh,
                "advice": kind.advice,
                "advice_zh": kind.advice_zh,
                "request_id": "0d7c3a4e5b6f4d0f8a1b2c3d4e5f6a7b",
            }
        }
    return documented


def sample_docs(name: str) -> dict[int | str, dict[str, Any]]:
    """Describe for OpenAPI a JSON answer with its recorded example."""
    return {
        200: {
            "content": {"application/json": {"examples": {name: {"value": samples.sample(name)}}}}
        }
    }
