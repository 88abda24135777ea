"""Stored sessions: begin, look, change, list, delete, and the code that lets others in."""

from __future__ import annotations

import io
import json
import re
from hmac import compare_digest
from typing import Annotated, Any
from urllib.parse import urlencode

import segno
from fastapi import APIRouter, Body, Depends, Header, Path, Query, Request, Response
from starlette.concurrency import run_in_threadpool

from hupai.api.auth.principal import Principal
from hupai.api.contract.session import SessionOut
from hupai.api.hands.dependencies import Reader
from hupai.api.hands.recognition import ReadingService
from hupai.api.hands.routes import (
    REPLAYED,
    Key,
    Player,
    Seer,
    expected_version,
    wrong,
)
from hupai.api.hands.service import may_see
from hupai.api.scores.session_routes import MEDIA_TYPES, check_names, settled, sheet_response
from hupai.api.sessions import store
from hupai.api.sessions.rows import SessionRow
from hupai.api.sessions.schemas import (
    ChangeOut,
    SessionChange,
    SessionList,
    SessionSummary,
    StoredSession,
    TableHand,
)
from hupai.api.storage import Storage
from hupai.api.web import samples
from hupai.api.web.dependencies import (
    NOT_MODIFIED,
    app_settings,
    etag,
    has_current,
    problem_docs,
    sample_docs,
    wanted_type,
)
from hupai.api.web.problem_types import (
    BAD_REQUEST,
    IDEMPOTENCY_KEY_REUSED,
    INVALID,
    NOT_ACCEPTABLE,
    NOT_FOUND,
    PRECONDITION_REQUIRED,
    SESSION_MOVED,
    STORAGE_FULL,
    STORAGE_UNAVAILABLE,
    TOO_LARGE,
    UNSUPPORTED_MEDIA_TYPE,
)
from hupai.api.web.problems import ApiProblem, refused_log
from hupai.api.web.routing.route_classes import MediaRoute
from hupai.api.web.storage_access import storage
from hupai.scoring.cases.fields import CaseFormatError
from hupai.scoring.sessions.sheet import Sheet

router = APIRouter(prefix="/v1", tags=["hands"], route_class=MediaRoute)

_ID = re.compile("[0-9a-f]{32}")
_MOST_CHANGES = 100
"""Changes that an answer lists."""
_SVG = "image/svg+xml"
_REFUSED = frozenset({"session_han_fu"})
"""Problems of a sheet with which no new entry is stored. What was stored before they were found is
settled all the same.
"""


def _known_id(
    session_id: Annotated[
        str,
        Path(
            description="32 hexadecimal digits that the client chose at random.",
            json_schema_extra={"pattern": f"^{_ID.pattern}$"},
        ),
    ],
) -> str:
    if not _ID.fullmatch(session_id):
        raise ApiProblem(
            NOT_FOUND,
            "The id of a session is 32 hexadecimal digits, in small letters.",
            "对局编号为 32 位小写十六进制数字。",
        )
    return session_id


SessionId = Annotated[str, Depends(_known_id)]
Kept = Annotated[Storage, Depends(storage)]
Token = Annotated[
    str | None,
    Query(
        alias="share", max_length=64, description="Token of the session's link, instead of a key."
    ),
]
IfMatch = Annotated[
    str | None,
    Header(
        alias="If-Match",
        description="ETag of the session that was changed; without it a session is begun.",
    ),
]
_EXAMPLE: dict[str, Any] = {
    "application/json": {"examples": {"session": {"value": samples.sample("stored_session")}}}
}
_STORED: dict[str, Any] = {
    "content": _EXAMPLE,
    "headers": {
        "ETag": {"description": "The version, for If-Match.", "schema": {"type": "string"}}
    },
}


@router.get(
    "/sessions",
    summary="Stored sessions, newest first",
    response_model=SessionList,
    responses={**sample_docs("session_list"), **problem_docs(INVALID, STORAGE_UNAVAILABLE)},
)
def list_sessions(
    who: Player,
    kept: Kept,
    limit: Annotated[int, Query(ge=1, le=100, description="Most sessions.")] = 30,
) -> SessionList:
    """A player sees the sessions that the own key began, a referee everybody's."""
    author = None if "referee" in who.scopes else who.name
    with kept.database.session(write=False) as session:
        return SessionList(
            sessions=[_summary(row) for row in store.of_author(session, author, limit)]
        )


@router.get(
    "/sessions/{session_id}",
    summary="A stored session",
    response_model=StoredSession,
    responses={
        200: {
            **_STORED,
            "content": {
                **_EXAMPLE,
                **{media: {"schema": {"type": "string"}} for media in MEDIA_TYPES[1:]},
            },
        },
        **NOT_MODIFIED,
        **problem_docs(NOT_FOUND, INVALID, NOT_ACCEPTABLE, STORAGE_UNAVAILABLE),
    },
)
async def get_session(
    request: Request, session_id: SessionId, who: Seer, kept: Kept, reader: Reader,
    share: Token = None,
) -> Response:  # fmt: skip
    """The log with its sums; `Accept` as for POST /v1/sessions. `If-None-Match` with the ETag
    answers 304 while nothing has changed, so that every phone may ask every few seconds.
    """
    media = wanted_type(request, MEDIA_TYPES)
    if "if-none-match" in request.headers:
        # A poll that brings nothing new is answered from the version alone: a log may be long.
        known = await run_in_threadpool(_head, kept, session_id, who, share)
        headers = _headers(known.version, media)
        if has_current(request, headers["ETag"]):
            return Response(status_code=304, headers=headers)
    row = await run_in_threadpool(_find, kept, session_id, who, share)
    sheet = await settled(reader, row.log)
    answer = (
        _json(_session_out(row, sheet)) if media == MEDIA_TYPES[0] else sheet_response(sheet, media)
    )
    answer.headers.update(_headers(row.version, media))
    return answer


@router.put(
    "/sessions/{session_id}",
    summary="Begin or change a stored session",
    response_model=StoredSession,
    responses={
        200: _STORED,
        201: {**_STORED, "model": StoredSession, "description": "The session is begun."},
        **problem_docs(
            BAD_REQUEST, NOT_FOUND, SESSION_MOVED, TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, INVALID,
            IDEMPOTENCY_KEY_REUSED, PRECONDITION_REQUIRED, STORAGE_FULL, STORAGE_UNAVAILABLE,
        ),
    },
)  # fmt: skip
async def put_session(
    session_id: SessionId,
    who: Seer,
    kept: Kept,
    reader: Reader,
    change: Annotated[SessionChange, Body(openapi_examples=samples.SESSION_CHANGES)],
    key: Key,
    share: Token = None,
    if_match: IfMatch = None,
) -> Response:
    """Begins a session under an id of the client's choice, or puts it into a new state.

    A change names in `If-Match` the version that it was made on. Where somebody else was faster the
    answer is 412 with the session as it stands in the member `session`, and nothing is changed: no
    deal is overwritten unseen. With an `Idempotency-Key` a request whose answer was lost can be
    sent again; `changes` lists the keys of the changes that were made.

    A new deal whose han and fu no hand has together is refused; one that is stored already stays,
    with a problem in the sheet.
    """
    state = _state(change)
    sheet = await settled(reader, state.log, ("log",))
    await _check_entries(kept, reader, session_id, sheet)
    if if_match is None and who.name:  # a link does not begin a session
        check_names(sheet, ("log",))
        begun = await run_in_threadpool(store.begin, kept, session_id, who.name, state, key)
        if begun is not None:
            return _json(_session_out(begun, sheet), 201)
    held = await run_in_threadpool(_find, kept, session_id, who, share)
    if if_match is None and not _has(held, key):
        raise ApiProblem(
            PRECONDITION_REQUIRED,
            f"The session exists, at version {held.version}: name it in If-Match.",
            "该对局已存在，请用 If-Match 指明版本。",
        )
    expected = (lambda _version: False) if if_match is None else expected_version(if_match)
    try:
        row, done = await run_in_threadpool(
            store.change, kept, session_id, expected, who.name, state, key
        )
    except store.KeyReusedError:
        raise ApiProblem(
            IDEMPOTENCY_KEY_REUSED,
            "This Idempotency-Key was sent with another change of the session before.",
            "这个 Idempotency-Key 已用于该对局的另一次更改。",
        ) from None
    if row is None:
        raise _not_found(session_id)
    out = _session_out(row, await settled(reader, row.log))
    if not done:
        raise ApiProblem(
            SESSION_MOVED,
            f"Somebody else has changed the session: it is at version {row.version} now.",
            "对局已被他人更改。",
            headers={"ETag": etag(row.version)},
            extra={"version": row.version, "session": out.model_dump(mode="json", by_alias=True)},
        )
    answer = _json(out)
    if held.version == row.version:
        answer.headers[REPLAYED] = "true"
    return answer


@router.delete(
    "/sessions/{session_id}",
    summary="Delete a stored session",
    status_code=204,
    response_class=Response,
    responses={
        204: {"description": "The session is gone."},
        **problem_docs(NOT_FOUND, STORAGE_FULL, STORAGE_UNAVAILABLE),
    },
)
def delete_session(session_id: SessionId, who: Player, kept: Kept) -> Response:
    """Only who began it and referees may; a link does not suffice. Stored hands stay."""
    _find(kept, session_id, who, None)
    kept.database.delete(lambda session: store.remove(session, session_id))
    return Response(status_code=204)


@router.get(
    "/sessions/{session_id}/code",
    summary="The link of a session as a QR code",
    response_class=Response,
    responses={
        200: {"content": {_SVG: {"schema": {"type": "string"}}}},
        **problem_docs(NOT_FOUND, INVALID, STORAGE_UNAVAILABLE),
    },
)
def session_code(
    request: Request, session_id: SessionId, who: Seer, kept: Kept, share: Token = None
) -> Response:
    """A drawing to scan with a phone's camera; the link opens the page with the session."""
    row = _find(kept, session_id, who, share)
    base = app_settings(request).public_url or str(request.base_url)
    link = f"{base.rstrip('/')}/#{urlencode({'session': row.id, 'share': row.token})}"
    drawn = io.BytesIO()
    segno.make(link, error="l", micro=False).save(drawn, kind="svg", border=4, light="#fff")
    return Response(drawn.getvalue(), media_type=_SVG, headers={"Cache-Control": "no-store"})


async def _check_entries(
    kept: Storage, reader: ReadingService, session_id: str, sheet: Sheet
) -> None:
    """Check that a change adds no deal that cannot have been, to a session or as its beginning.

    Raises:
        ApiProblem: ``invalid-request``, with what is wrong with the deal.
    """
    found = [one for one in sheet.problems if one.code in _REFUSED]
    if not found:
        return

    def stored_log() -> dict[str, Any] | None:
        with kept.database.session(write=False) as session:
            row = store.find(session, session_id)
            return None if row is None else row.log

    log = await run_in_threadpool(stored_log)
    known = () if log is None else (await settled(reader, log)).problems
    for one in found:
        if one not in known:
            raise refused_log(CaseFormatError("deals", one.message, one.message_zh), ("log",))


def _find(kept: Storage, session_id: str, who: Principal, share: str | None) -> SessionRow:
    """The session.

    Raises:
        ApiProblem: ``not-found``, also for one that this principal may not see.
    """
    with kept.database.session(write=False) as session:
        row = store.find(session, session_id)
    if row is None or not _may_see(row, who, share):
        raise _not_found(session_id)
    return row


def _head(kept: Storage, session_id: str, who: Principal, share: str | None) -> store.Head:
    """The session without its log; raises as `_find` does."""
    with kept.database.session(write=False) as session:
        found = store.head(session, session_id)
    if found is None or not _may_see(found, who, share):
        raise _not_found(session_id)
    return found


def _may_see(found: SessionRow | store.Head, who: Principal, share: str | None) -> bool:
    if share and compare_digest(found.token.encode(), share.encode()):
        return True
    return may_see(who, found.author)


def _headers(version: int, media: str) -> dict[str, str]:
    """The headers of a session at this version, in one of its forms."""
    # A tag stands for one representation; If-Match of a change takes that of the JSON.
    tag = etag(version) if media == MEDIA_TYPES[0] else f'"{version}-{media}"'
    return {"ETag": tag, "Cache-Control": "private, no-cache", "Vary": "Accept, Authorization"}


def _not_found(session_id: str) -> ApiProblem:
    return ApiProblem(NOT_FOUND, f"There is no session {session_id}.", "没有这个对局。")


def _has(row: SessionRow, key: str | None) -> bool:
    return key is not None and any(one.key == key for one in row.changes)


def _state(change: SessionChange) -> store.State:
    """Return what is stored of a change.

    Raises:
        RequestValidationError: the log is not JSON that every database can store, or there are
            hands of deals that it does not have.
    """
    try:
        json.dumps(change.log, allow_nan=False)
    except ValueError:
        raise wrong(
            ("body", "log"), "holds a number that is not finite", "含有不是有限值的数"
        ) from None
    deals = change.log.get("deals")
    if isinstance(deals, list) and len(change.hands) > len(deals):
        raise wrong(
            ("body", "hands"),
            f"lists {len(change.hands)} deals of {len(deals)}",
            f"列出 {len(change.hands)} 盘，记录只有 {len(deals)} 盘",
        )
    hands = [[one.model_dump(mode="json", by_alias=True) for one in deal] for deal in change.hands]
    return store.State(change.log, hands)


def _session_out(row: SessionRow, sheet: Sheet) -> StoredSession:
    return StoredSession(
        id=row.id,
        version=row.version,
        created=row.created_at,
        updated=row.updated_at,
        share=row.token,
        log=row.log,
        hands=[[TableHand.model_validate(one) for one in deal] for deal in row.hands],
        sheet=SessionOut.of(sheet),
        changes=[
            ChangeOut(version=one.version, key=one.key, at=one.created_at)
            for one in row.changes[-_MOST_CHANGES:]
        ],
    )


def _summary(row: SessionRow) -> SessionSummary:
    return SessionSummary(
        id=row.id,
        version=row.version,
        created=row.created_at,
        updated=row.updated_at,
        share=row.token,
        rules=row.log["rules"],
        players=row.log["players"],
        deals=len(row.log["deals"]),
    )


def _json(out: StoredSession, status: int = 200) -> Response:
    headers = {"ETag": etag(out.version)}
    if status == 201:
        headers["Location"] = f"/v1/sessions/{out.id}"
    return Response(out.model_dump_json(by_alias=True), status, headers, "application/json")
