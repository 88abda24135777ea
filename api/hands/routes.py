"""Stored hands: read a photo and keep it, look at hands, correct, list, delete."""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Body, Depends, Form, Header, Path, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import AfterValidator, AwareDatetime, BeforeValidator
from starlette.concurrency import run_in_threadpool
from starlette.requests import HTTPConnection

from hupai.api.answers.requests import rule_set
from hupai.api.auth.principal import Needs, Principal, needs
from hupai.api.contract.hand import CircumstancesModel, OptionalTile
from hupai.api.contract.refusal import refusal
from hupai.api.contract.score import RulesId
from hupai.api.hands import store as stored
from hupai.api.hands.dependencies import Reader
from hupai.api.hands.forms import AtField, HandForm, TileSetField, point_of
from hupai.api.hands.schemas import HandChange, HandList, StoredHand
from hupai.api.hands.service import HandService, may_see, not_found
from hupai.api.hands.views import hand_out, summary_out
from hupai.api.storage import Storage
from hupai.api.web import samples, sse
from hupai.api.web.dependencies import (
    NOT_MODIFIED,
    etag,
    form_json,
    has_current,
    problem_docs,
    sample_docs,
    tags_of,
    wanted_type,
)
from hupai.api.web.problem_types import (
    BAD_NOTATION,
    BAD_REQUEST,
    BAD_SIZE,
    BUSY,
    EMPTY_UPLOAD,
    HAND_IN_USE,
    IDEMPOTENCY_KEY_REUSED,
    INVALID,
    MODEL_UNAVAILABLE,
    NOT_A_PICTURE,
    NOT_ACCEPTABLE,
    NOT_FOUND,
    PRECONDITION_FAILED,
    STORAGE_FULL,
    STORAGE_UNAVAILABLE,
    TIMEOUT,
    TOO_LARGE,
    UNKNOWN_RULES,
    UNKNOWN_TILE_SET,
    UNREADABLE_PICTURE,
    UNSUPPORTED_MEDIA_TYPE,
)
from hupai.api.web.problems import ApiProblem
from hupai.api.web.routing.route_classes import MediaRoute
from hupai.api.web.storage_access import storage
from hupai.api.web.uploads import Photos, read_uploads
from hupai.scoring.tiles import Tile

router = APIRouter(prefix="/v1", tags=["hands"], route_class=MediaRoute)

READ_PROBLEMS = (
    BAD_REQUEST, NOT_ACCEPTABLE, TOO_LARGE, NOT_A_PICTURE, UNSUPPORTED_MEDIA_TYPE, INVALID,
    EMPTY_UPLOAD, UNREADABLE_PICTURE,
    BAD_SIZE, BUSY, TIMEOUT, UNKNOWN_RULES, UNKNOWN_TILE_SET, MODEL_UNAVAILABLE,
    IDEMPOTENCY_KEY_REUSED, STORAGE_FULL,
    STORAGE_UNAVAILABLE,
)  # fmt: skip
_HAND_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_KEY = re.compile(r"[\x21-\x7e]{1,255}")
REPLAYED = "Idempotency-Replayed"
_REPLAYED_DOCS = {
    "ETag": {
        "description": "The version, for If-Match and If-None-Match.",
        "schema": {"type": "string"},
    },
    REPLAYED: {
        "description": "`true` where the hand was stored before.",
        "schema": {"type": "string"},
    },
    "Location": {"description": "The stored hand.", "schema": {"type": "string"}},
}


def hand_service(request: Request) -> HandService:
    """Stored hands of this app."""
    service = request.app.state.hands
    assert isinstance(service, HandService)
    return service


def known_id(
    hand_id: Annotated[str, Path(description="Id of the hand, as POST /v1/hands gave it.")],
) -> str:
    """The id in the path; what is no id names no hand."""
    if not _HAND_ID.fullmatch(hand_id):
        raise not_found(hand_id[:50])
    return hand_id


def idempotency_key(
    key: Annotated[
        str | None,
        Header(
            alias="Idempotency-Key",
            description="1 to 255 visible ASCII characters of the client's choice; a request "
            "repeated with it gets the same hand.",
        ),
    ] = None,
) -> str | None:
    """The client's key for this request."""
    if key is not None and not _KEY.fullmatch(key):
        raise wrong(
            ("header", "Idempotency-Key"),
            "1 to 255 visible ASCII characters",
            "应为 1 至 255 个可见的 ASCII 字符",
        )
    return key


class Viewer(Needs):
    """Lets in players, and everybody with a share token; the route checks the token against the
    hand.
    """

    async def __call__(self, connection: HTTPConnection) -> Principal:
        """The principal; an anonymous one if there is only a share token."""
        if (
            connection.query_params.get("share")
            and connection.scope.get("state", {}).get("credentials") is None
        ):
            return ANYONE
        return await super().__call__(connection)


def _written(value: object) -> object:
    """Refuse a bare number, which pydantic would take for seconds since 1970."""
    if isinstance(value, str) and value.strip().lstrip("+-").replace(".", "", 1).isdecimal():
        raise refusal(
            "write date, time and zone: 2026-11-23T12:00:00Z",
            "请写日期、时间与时区：2026-11-23T12:00:00Z",
        )
    return value


def _in_utc(moment: datetime) -> datetime:
    """Convert to UTC, which the first and the last hours of the calendar do not survive."""
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise refusal(
            "a moment of the years 1 to 9999 in UTC", "应为公元 1 至 9999 年的时间"
        ) from None


Moment = Annotated[AwareDatetime, BeforeValidator(_written), AfterValidator(_in_utc)]
"""A moment in a query, in UTC."""
ANYONE = Principal("", frozenset())
"""The principal of a client with only a share link."""

Hands = Annotated[HandService, Depends(hand_service)]
HandId = Annotated[str, Depends(known_id)]
Player = Annotated[Principal, Depends(needs("player"))]
Seer = Annotated[Principal, Depends(Viewer("player", query_key=False))]
Share = Annotated[
    str | None, Query(max_length=64, description="Token of a share link; with it no key is needed.")
]
Key = Annotated[str | None, Depends(idempotency_key)]
CircumstancesField = Annotated[
    str,
    Form(
        max_length=2000,
        description="A JSON object of circumstances.",
        examples=['{"self_drawn": true, "seat_wind": "E"}'],
    ),
]
IfMatch = Annotated[
    str | None,
    Header(
        alias="If-Match",
        description="ETag of the hand as the client knows it; 412 where it has changed since.",
    ),
]
StoreField = Annotated[
    bool, Form(description="Keep the photo and the hand; `false` answers and forgets both.")
]


def wrong(location: tuple[str, ...], message: str, message_zh: str) -> RequestValidationError:
    """Return the error that names a field and says what is wrong with it, in both languages."""
    details = {"type": "value_error", "loc": location, "msg": message, "ctx": {"zh": message_zh}}
    return RequestValidationError([details])


@router.post(
    "/hands",
    summary="Read a photo, score the hand and keep it",
    response_model=StoredHand,
    responses={
        200: {
            "headers": _REPLAYED_DOCS,
            "content": {
                "application/json": {
                    "examples": {"hand": {"value": samples.sample("hand_answer")}}
                },
                sse.MEDIA_TYPE: sse.DOCS,
            },
        },
        **problem_docs(*READ_PROBLEMS),
    },
)
async def read_and_score(
    request: Request,
    response: Response,
    photo: Photos,
    who: Player,
    hands: Hands,
    reader: Reader,
    key: Key,
    rules: Annotated[RulesId, Form()],
    circumstances: CircumstancesField = "{}",
    winning_tile: Annotated[
        OptionalTile, Form(description="The tile that won, where the photo does not set it apart.")
    ] = None,
    store: StoreField = True,
    tile_set: TileSetField = "auto",
    at: AtField = None,
) -> StoredHand | Response:
    """Reads the photo, scores the likeliest legal hand, and keeps photo, reading and score.

    Several `photo` fields are photos of the same hand and read as one: glare on the first, the edge
    cuts the second.

    Whatever is open and changes the score is asked for in `result.verdict`, with what each answer
    would score; PATCH the hand with the answer. Where the photo does not show which tile won,
    `result.score` is null.

    Sent again with the same `Idempotency-Key`, or without one with the same photo and form, it
    reads nothing and answers the stored hand as it stands now. With `Accept: text/event-stream` the
    answer is a stream: `progress` events with the stage (queued with the position, decode, detect,
    layout, read, score, store), then `done` with the hand, or `problem`. Stages of reading may come
    several times: for each of several photos, and for further looks at the hand.
    """
    media = wanted_type(request, ("application/json", sse.MEDIA_TYPE))
    chosen = rule_set(rules)
    won_how = form_json(CircumstancesModel, circumstances, "circumstances")
    tile = None if winning_tile is None else Tile.from_code(winning_tile)
    first, *more = await read_uploads(photo)
    point = point_of(at, 1 + len(more))
    form = HandForm(*first, chosen, won_how, tile, store, tile_set, tuple(more), point)
    if media == sse.MEDIA_TYPE:
        try:
            name = await run_in_threadpool(lambda: form.hand_photos.request_name)
            reader.queue.check_room(request=name)
        except ApiProblem:
            if await hands.known(form, who, key) is None:  # a repeated request takes no place
                raise

        async def job(events: sse.Events) -> StoredHand:
            return (await hands.submit(form, who, key, events.watch()))[0]

        return sse.stream(request, job)
    hand, replayed = await hands.submit(form, who, key)
    if hand.id is not None:
        response.headers["Location"] = f"/v1/hands/{hand.id}"
        response.headers["ETag"] = etag(hand.version)
    if replayed:
        response.headers[REPLAYED] = "true"
    return hand


@router.get(
    "/hands",
    summary="Stored hands, newest first",
    response_model=HandList,
    responses={
        **sample_docs("hand_list"),
        **problem_docs(INVALID, UNKNOWN_RULES, STORAGE_UNAVAILABLE),
    },
)
async def list_hands(
    who: Player,
    store: Annotated[Storage, Depends(storage)],
    limit: Annotated[int, Query(ge=1, le=100, description="Most hands of a page.")] = 30,
    cursor: Annotated[
        str | None, Query(max_length=100, description="`next` of the page before.")
    ] = None,
    rules: Annotated[
        str | None, Query(max_length=64, description="Scored under these rules.")
    ] = None,
    author: Annotated[
        str | None, Query(max_length=100, description="Of this author; players see their own only.")
    ] = None,
    certain: Annotated[bool | None, Query(description="Read with certainty, or not.")] = None,
    legal: Annotated[bool | None, Query(description="A legal win, or not.")] = None,
    corrected: Annotated[bool | None, Query(description="Corrected since, or not.")] = None,
    photo: Annotated[
        str | None, Query(pattern="^[0-9a-f]{64}$", description="Of the photo with this SHA-256.")
    ] = None,
    min_total: Annotated[
        int | None, Query(ge=0, le=1_000_000, description="Scores at least this.")
    ] = None,
    since: Annotated[Moment | None, Query(description="Stored at or after this moment.")] = None,
    until: Annotated[Moment | None, Query(description="Stored before this moment.")] = None,
) -> HandList:
    """Pages by key, so that hands stored meanwhile neither repeat nor hide one: follow `next` until
    it is null.

    A player sees hands of the own key, a referee everybody's.
    """
    before = None if cursor is None else _id_of(cursor)
    if rules is not None:
        rule_set(rules)
    seen_author = author
    if "referee" not in who.scopes:
        if author is not None and not may_see(who, author):
            return HandList(hands=[], next=None)
        seen_author = who.name
    wanted = stored.Filter(
        seen_author, rules, certain, legal, corrected, photo, min_total, since, until
    )

    def work() -> HandList:
        with store.database.session(write=False) as session:
            rows = stored.page(session, wanted, limit + 1, before)
            lines = [summary_out(row) for row in rows[:limit]]
        return HandList(hands=lines, next=_cursor(lines[-1].id) if len(rows) > limit else None)

    return await run_in_threadpool(work)


@router.get(
    "/hands/{hand_id}",
    summary="A stored hand",
    response_model=StoredHand,
    responses={
        **sample_docs("hand_answer"),
        **NOT_MODIFIED,
        **problem_docs(NOT_FOUND, INVALID, STORAGE_UNAVAILABLE),
    },
)
async def get_hand(
    request: Request,
    response: Response,
    hand_id: HandId,
    who: Seer,
    hands: Hands,
    share: Share = None,
) -> StoredHand | Response:
    """The hand as it stands, with its reading and every correction.

    `If-None-Match` with the ETag answers 304 while nothing has changed.
    """
    row = await run_in_threadpool(hands.find, hand_id, who, share)
    headers = {"ETag": etag(row.version), "Cache-Control": "private, no-cache"}
    if has_current(request, etag(row.version)):
        return Response(status_code=304, headers=headers)
    response.headers.update(headers)
    return hand_out(row)


@router.patch(
    "/hands/{hand_id}",
    summary="Correct a stored hand",
    response_model=StoredHand,
    responses={
        **sample_docs("hand_corrected"),
        **problem_docs(
            BAD_REQUEST, NOT_FOUND, PRECONDITION_FAILED, TOO_LARGE, UNSUPPORTED_MEDIA_TYPE,
            INVALID, UNKNOWN_RULES, BAD_NOTATION,
            STORAGE_FULL, STORAGE_UNAVAILABLE,
        ),
    },
)  # fmt: skip
async def change_hand(
    request: Request,
    response: Response,
    hand_id: HandId,
    who: Player,
    hands: Hands,
    change: Annotated[HandChange, Body(openapi_examples=samples.HAND_CHANGES)],
    if_match: IfMatch = None,
) -> StoredHand:
    """Appends a correction with author, time and reason, and scores anew; no photo is needed and
    nothing is overwritten.

    A change that changes nothing appends nothing, so that it may be repeated. The same holds for
    `added_tiles` with the id, face and corners of tiles that were added before, and for `no_tiles`
    that are struck out already.
    """
    hand = await hands.change(hand_id, who, change, expected_version(if_match))
    response.headers["ETag"] = etag(hand.version)
    return hand


@router.delete(
    "/hands/{hand_id}",
    summary="Delete a stored hand",
    status_code=204,
    response_class=Response,
    responses={
        204: {"description": "The hand, its corrections and its photos are gone."},
        **problem_docs(
            NOT_FOUND, HAND_IN_USE, PRECONDITION_FAILED, STORAGE_FULL, STORAGE_UNAVAILABLE
        ),
    },
)
async def delete_hand(
    hand_id: HandId,
    who: Player,
    hands: Hands,
    if_match: IfMatch = None,
) -> Response:
    """Deletes the hand and its photos at once, unless something that is kept, such as a case,
    refers to them.
    """
    await hands.delete(hand_id, who, expected_version(if_match))
    return Response(status_code=204)


def expected_version(if_match: str | None) -> Callable[[int], bool]:
    """Whether a version is one that an If-Match header names; weak tags never are (RFC 9110,
    13.1.1).
    """
    if if_match is None:
        return lambda _version: True
    tags = tags_of(if_match)
    return lambda version: "*" in tags or etag(version) in tags


def _cursor(hand_id: str) -> str:
    return urlsafe_b64encode(bytes.fromhex(hand_id.replace("-", ""))).decode().rstrip("=")


def _id_of(cursor: str) -> str:
    """The hand id in a cursor.

    Raises:
        RequestValidationError: if the text is not a cursor.
    """
    try:
        raw = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).hex()
    except ValueError:
        raw = ""
    if len(raw) != 32:
        raise wrong(
            ("query", "cursor"),
            "no cursor of this list: take `next`",
            "不是此列表的游标：请用上一页的 next",
        )
    return "-".join((raw[:8], raw[8:12], raw[12:16], raw[16:20], raw[20:]))
