"""A whole session, settled: sheet, running sums, fines and places."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends, Request, Response

from hupai.api.auth.principal import needs
from hupai.api.contract import to_json
from hupai.api.contract.session import SessionOut
from hupai.api.hands.dependencies import Reader
from hupai.api.hands.recognition import ReadingService
from hupai.api.scores.names import is_visible, look_the_same
from hupai.api.scores.session_sheet import sheet_html
from hupai.api.web import samples
from hupai.api.web.dependencies import problem_docs, wanted_type
from hupai.api.web.problem_types import (
    BAD_REQUEST,
    INVALID,
    NOT_ACCEPTABLE,
    TOO_LARGE,
    UNSUPPORTED_MEDIA_TYPE,
)
from hupai.api.web.problems import refused_log
from hupai.api.web.routing.route_classes import MediaRoute
from hupai.scoring.cases.fields import CaseFormatError
from hupai.scoring.session import session_sheet
from hupai.scoring.sessions.sheet import Sheet
from hupai.scoring.sessions.tables import sheet_csv

router = APIRouter(
    prefix="/v1", tags=["hands"], route_class=MediaRoute, dependencies=[Depends(needs("player"))]
)

_CSV, _HTML = "text/csv", "text/html"
MEDIA_TYPES = ("application/json", _CSV, _HTML)
"""The forms of a sheet."""


@router.post(
    "/sessions",
    summary="Settle a session",
    response_model=SessionOut,
    responses={
        200: {
            "content": {
                "application/json": {"examples": {"session": {"value": samples.sample("session")}}},
                _CSV: {"schema": {"type": "string"}},
                _HTML: {"schema": {"type": "string"}},
            }
        },
        **problem_docs(BAD_REQUEST, TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, INVALID, NOT_ACCEPTABLE),
    },
)
async def sessions(
    request: Request,
    log: Annotated[dict[str, Any], Body(openapi_examples=samples.SESSION_REQUESTS)],
    reader: Reader,
) -> Response:
    """Every deal of a session with running sums, fines that grow with repetition, and the places.

    The log names `rules`, `players` and `deals` in order, as in docs/sessions.md. `Accept:
    text/csv` gives the sheet for a spreadsheet, `text/html` a page to print. What cannot be right
    is left out and named in `problems`, with the deal and the event.
    """
    media = wanted_type(request, MEDIA_TYPES)
    sheet = await settled(reader, log)
    check_names(sheet)
    return sheet_response(sheet, media)


async def settled(
    reader: ReadingService, log: dict[str, Any], parents: tuple[str, ...] = ()
) -> Sheet:
    """Settle a log without blocking the event loop.

    Raises:
        hupai.api.web.problems.ApiProblem: ``invalid-request``, with the field below `parents`.
    """
    try:
        sheet: Sheet = await reader.compute(lambda: session_sheet(log))
    except CaseFormatError as error:
        raise refused_log(error, parents) from None
    if not all(map(is_visible, sheet.players)):
        detail = "a name contains invisible characters; type it again"
        raise refused_log(
            CaseFormatError("players", detail, "名字中有不可见字符，请重新输入"), parents
        )
    return sheet


def check_names(sheet: Sheet, parents: tuple[str, ...] = ()) -> None:
    """Check the names in a new log. A session that has begun keeps its names.

    Raises:
        hupai.api.web.problems.ApiProblem: ``invalid-request``: two names look the same.
    """
    if look_the_same(sheet.players):
        detail, detail_zh = (
            "two names look the same: tell them apart",
            "有两个名字看起来相同，请加以区分",
        )
        raise refused_log(CaseFormatError("players", detail, detail_zh), parents)


def sheet_response(sheet: Sheet, media: str) -> Response:
    """Answer a sheet in one of `MEDIA_TYPES`."""
    if media == _CSV:
        named = {"Content-Disposition": 'attachment; filename="session.csv"'}
        return Response("\ufeff" + sheet_csv(sheet), media_type=_CSV, headers=named)
    if media == _HTML:
        policy = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'"}
        return Response(sheet_html(sheet), media_type=_HTML, headers=policy)
    return Response(to_json(SessionOut.of(sheet)), media_type="application/json")
