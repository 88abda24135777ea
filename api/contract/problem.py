"""Errors of requests as JSON: RFC 9457 problems."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field


class FieldError(BaseModel):
    """One wrong field, e.g. `hand.melds.0.kind`."""

    field: str
    message: str
    message_zh: str


def _is_absent(value: object) -> bool:
    return value is None


def _member(description: str) -> Any:
    """Describe a member that only some problems have."""
    return Field(default=None, description=description, exclude_if=_is_absent)


class ProblemDetails(BaseModel):
    """An RFC 9457 problem. `type` is stable; the types are listed at /problems.

    The members after `request_id` are those of single types.
    """

    type: str
    title: str
    title_zh: str
    status: int
    detail: str
    detail_zh: str
    advice: str
    advice_zh: str
    request_id: str
    errors: list[FieldError] | None = _member("`invalid-request`: every wrong field, at most 50.")
    code: str | None = _member(
        "What is wrong with a photo, or with a point on it: one of the codes in docs/problems.md."
    )
    photo: int | None = _member("Which of several photos it is, from 0.")
    known: list[str] | None = _member("`unknown-rules`, `unknown-tile-set`: those that exist.")
    position: int | None = _member("`bad-notation`: characters before the place, from 0.")
    max_bytes: int | None = _member("`too-large`: the largest body that the route takes.")
    scope: str | None = _member("`forbidden`: the scope that the key lacks.")
    retry_after: int | None = _member(
        "Seconds to wait; only in streams and batches, which have no header Retry-After for it."
    )
    version: int | None = _member("`precondition-failed`, `session-moved`: the version now.")
    session: dict[str, Any] | None = _member(
        "`session-moved`: the session now, as GET /v1/sessions/{session_id} answers it."
    )
    head: str | None = _member("`case-moved`: hash of the last event of the case now.")
    entries: list[int] | None = _member("`case-refused`: entries that can be objected to.")
    undecided: list[int] | None = _member("`case-refused`: entries to decide on first.")
    where: str | None = _member("`case-broken`: the first event that is wrong.")
    missing: list[str] | None = _member("`tile-set-incomplete`: faces that no tile shows.")
    surplus: list[str] | None = _member("`tile-set-incomplete`: faces that too many tiles show.")
    photos: list[dict[str, Any]] | None = _member(
        "`tile-set-incomplete`: `index`, `name`, `width`, `height`, number of `tiles` and "
        "`problem` of each photo."
    )
    tiles: list[dict[str, Any]] | None = _member(
        "`tile-set-incomplete`: `photo`, `tile`, `box`, `face`, `confidence` and `alternatives` of "
        "each tile, and whether it is `asked` for."
    )
