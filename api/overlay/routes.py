"""Broadcast tables: settings, what is on air, pushed frames, the newest picture, and the operator's
commands by HTTP.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends, File, Path, Query, Request, Response, UploadFile
from starlette.concurrency import run_in_threadpool

from hupai.api.answers.requests import rule_set
from hupai.api.auth.principal import Principal, needs
from hupai.api.hands.recognition import encode
from hupai.api.overlay.demo import examples
from hupai.api.overlay.schemas import (
    TABLE_ID,
    Command,
    Snapshot,
    TableIn,
    TableOut,
    TableSettings,
    TablesOut,
    TableState,
)
from hupai.api.overlay.service import OverlayService
from hupai.api.overlay.source_access import check_source
from hupai.api.overlay.store.errors import (
    NothingToUndoError,
    StaleProposalError,
    TableExistsError,
    UnknownSeatError,
    UnknownTableError,
)
from hupai.api.web.dependencies import BINARY, problem_docs
from hupai.api.web.problem_types import (
    BAD_NOTATION,
    BAD_REQUEST,
    BAD_SIZE,
    INVALID,
    NO_FRAMES,
    NOT_A_PICTURE,
    NOT_FOUND,
    PROPOSAL_STALE,
    SOURCE_NOT_ALLOWED,
    STORAGE_FULL,
    STORAGE_UNAVAILABLE,
    TABLE_EXISTS,
    TOO_LARGE,
    UNKNOWN_RULES,
    UNREADABLE_PICTURE,
    UNSUPPORTED_MEDIA_TYPE,
)
from hupai.api.web.problems import ApiProblem
from hupai.api.web.routing.route_classes import MediaRoute

router = APIRouter(prefix="/v1/tables", tags=["tables"], route_class=MediaRoute)

TableName = Annotated[str, Path(alias="table", pattern=TABLE_ID, description="Id of a table.")]
Operator = Annotated[Principal, Depends(needs("operator"))]
_BODY = (BAD_REQUEST, UNSUPPORTED_MEDIA_TYPE, INVALID, TOO_LARGE, STORAGE_FULL, STORAGE_UNAVAILABLE)


def overlay_service(request: Request) -> OverlayService:
    """Return the app's overlay service."""
    service = request.app.state.overlay
    assert isinstance(service, OverlayService)
    return service


Overlay = Annotated[OverlayService, Depends(overlay_service)]


def docs(name: str, value: Any, status: int = 200) -> dict[int | str, dict[str, Any]]:
    """Return the OpenAPI entry of a JSON answer with an example."""
    return {status: {"content": {"application/json": {"examples": {name: {"value": value}}}}}}


def table_problem(error: Exception) -> ApiProblem:
    """Return the API problem for an error of the store."""
    if isinstance(error, UnknownTableError):
        return ApiProblem(
            NOT_FOUND, "There is no table of this id; GET /v1/tables lists them.", "没有这张牌桌。"
        )
    if isinstance(error, UnknownSeatError):
        return ApiProblem(
            NOT_FOUND, "The table has no seat of this name.", "这张牌桌没有这个座位。"
        )
    if isinstance(error, StaleProposalError):
        return ApiProblem(
            PROPOSAL_STALE,
            "Another reading came in, or the proposal was decided: look at the newest one.",
            "已有新的识别结果，或该提案已处理：请看最新的提案。",
        )
    if isinstance(error, NothingToUndoError):
        return ApiProblem(
            PROPOSAL_STALE,
            "Nothing of this seat has been on air yet, so there is nothing to undo.",
            "这个座位还没有播出过内容，无可撤销。",
        )
    if isinstance(error, TableExistsError):
        return ApiProblem(TABLE_EXISTS, "A table has this id already.", "已有同名牌桌。")
    raise error


ERRORS = (
    UnknownTableError,
    UnknownSeatError,
    StaleProposalError,
    TableExistsError,
    NothingToUndoError,
)


@router.get(
    "",
    summary="List broadcast tables",
    response_model=TablesOut,
    responses=docs("tables", examples.TABLES),
)
async def list_tables(who: Operator, overlay: Overlay) -> TablesOut:
    """All tables by id, with their settings."""
    return TablesOut(tables=await run_in_threadpool(overlay.store.tables))


@router.post(
    "",
    status_code=201,
    summary="Set up a broadcast table",
    response_model=TableOut,
    responses={
        **docs("table", examples.TABLE, 201),
        **problem_docs(TABLE_EXISTS, UNKNOWN_RULES, SOURCE_NOT_ALLOWED, *_BODY),
    },
)
async def create_table(
    request: Request, who: Operator, overlay: Overlay, table: TableIn, response: Response
) -> TableOut:
    """Make a table. Its overlay is at `/overlay/ID`, the operator's page at
    `/overlay/ID/operator`.
    """
    check_source(request, who, table)
    if table.rules is not None:
        rule_set(table.rules)
    try:
        made = await run_in_threadpool(overlay.store.create, table)
    except ERRORS as error:
        raise table_problem(error) from None
    await overlay.refresh_leases()
    response.headers["Location"] = f"/v1/tables/{made.id}"
    return made


@router.get(
    "/{table}",
    summary="Show a broadcast table to its operator",
    response_model=TableState,
    responses={**docs("state", examples.STATE), **problem_docs(NOT_FOUND, INVALID)},
)
async def show_table(who: Operator, overlay: Overlay, table: TableName) -> TableState:
    """Settings, proposals, what is queued and what is on air."""
    try:
        return await run_in_threadpool(overlay.store.state, table)
    except ERRORS as error:
        raise table_problem(error) from None


@router.patch(
    "/{table}",
    summary="Change a broadcast table",
    response_model=TableOut,
    responses={
        **docs("table", examples.TABLE),
        **problem_docs(NOT_FOUND, UNKNOWN_RULES, SOURCE_NOT_ALLOWED, *_BODY),
    },
)
async def change_table(
    request: Request,
    who: Operator,
    overlay: Overlay,
    table: TableName,
    settings: TableSettings,
) -> TableOut:
    """Change the settings given; `seats` replaces all seats."""
    check_source(request, who, settings)
    if settings.rules is not None:
        rule_set(settings.rules)
    try:
        changed = await run_in_threadpool(overlay.store.change, table, settings, who.name)
    except ERRORS as error:
        raise table_problem(error) from None
    overlay.changed(table)
    await overlay.refresh_leases()
    return changed


@router.delete(
    "/{table}",
    status_code=204,
    summary="Remove a broadcast table",
    responses={204: {"description": "It is gone."}, **problem_docs(NOT_FOUND, INVALID)},
)
async def remove_table(who: Operator, overlay: Overlay, table: TableName) -> Response:
    """Delete a table, its proposals and its events; its overlay becomes empty."""
    try:
        await run_in_threadpool(overlay.store.remove, table)
    except ERRORS as error:
        raise table_problem(error) from None
    overlay.changed(table)
    await overlay.refresh_leases()
    return Response(status_code=204)


@router.get(
    "/{table}/air",
    summary="Show what is on air",
    response_model=Snapshot,
    responses={**docs("snapshot", examples.SNAPSHOT), **problem_docs(NOT_FOUND, INVALID)},
)
async def show_air(
    who: Annotated[Principal, Depends(needs("player"))], overlay: Overlay, table: TableName
) -> Snapshot:
    """The cards that viewers see now. `/events` streams the changes."""
    try:
        return await run_in_threadpool(overlay.store.snapshot, table)
    except ERRORS as error:
        raise table_problem(error) from None


@router.post(
    "/{table}/commands",
    summary="Approve, correct, hide",
    response_model=TableState,
    responses={
        **docs("state", examples.STATE),
        **problem_docs(
            NOT_FOUND, PROPOSAL_STALE, UNKNOWN_RULES, SOURCE_NOT_ALLOWED, BAD_NOTATION, *_BODY
        ),
    },
)
async def command_table(
    request: Request,
    who: Operator,
    overlay: Overlay,
    table: TableName,
    command: Annotated[Command, Body()],
) -> TableState:
    """One command of the operator, as over the WebSocket; answers the table as it then stands."""
    check_source(request, who, command)
    try:
        await overlay.execute(table, command, who.name)
        return await run_in_threadpool(overlay.store.state, table)
    except ERRORS as error:
        raise table_problem(error) from None


@router.post(
    "/{table}/frames",
    status_code=202,
    summary="Push a frame",
    response_class=Response,
    responses={
        202: {
            "description": "Accepted. Where frames come faster than they are read, only the newest "
            "counts."
        },
        **problem_docs(NOT_FOUND, NO_FRAMES, UNREADABLE_PICTURE, NOT_A_PICTURE, BAD_SIZE, *_BODY),
    },
)
async def push_frame(
    who: Operator,
    overlay: Overlay,
    table: TableName,
    photo: Annotated[UploadFile, File(description="The frame as JPEG, PNG, WebP or HEIC.")],
) -> Response:
    """Push a frame of a table whose source is `push`. The WebSocket at the same path takes one
    frame per message, with less overhead.
    """
    data = await photo.read()
    if not await run_in_threadpool(overlay.push, table, data):
        raise ApiProblem(
            NO_FRAMES,
            "Nobody takes pushed frames for this table here and now.",
            "此处现在不接收该牌桌的画面。",
        )
    return Response(status_code=202)


@router.get(
    "/{table}/picture",
    summary="Show the newest frame",
    response_class=Response,
    responses={
        200: {
            "description": "The frame examined last.",
            "content": {"image/jpeg": BINARY},
        },
        **problem_docs(NOT_FOUND, NO_FRAMES, INVALID),
    },
)
async def show_picture(
    who: Annotated[Principal, Depends(needs("operator", query_key=True))],
    overlay: Overlay,
    table: TableName,
    side: Annotated[int, Query(ge=64, le=3840, description="Longest side, pixels.")] = 960,
) -> Response:
    """What the camera sees, for marking where the seats lie."""
    image = await overlay.previews.first(table)
    if image is None:
        raise ApiProblem(NO_FRAMES, "No frame has come in here yet.", "尚无画面。")
    data = await run_in_threadpool(encode, image, ".jpg", side)
    return Response(data, media_type="image/jpeg", headers={"Cache-Control": "no-store"})
