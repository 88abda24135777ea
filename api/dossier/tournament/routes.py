"""The cases of a tournament over HTTP, for referees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool

from hupai.api.dossier.routes import KEPT, Referee, case_service, documented
from hupai.api.dossier.tournament.desk import Chosen, TournamentDesk
from hupai.api.dossier.tournament.overview import Statistics, Waiting, statistics
from hupai.api.web.dependencies import BINARY, problem_docs
from hupai.api.web.problem_types import INVALID
from hupai.api.web.routing.route_classes import MediaRoute

router = APIRouter(prefix="/v1", tags=["cases"], route_class=MediaRoute)
_CHUNK = 1 << 20
Words = Annotated[str, Query(max_length=200)]


class TournamentOut(BaseModel):
    """The cases, those that wait first, and figures over them."""

    cases: list[Waiting]
    statistics: Statistics


def tournament_desk(request: Request) -> TournamentDesk:
    """Return the desk of this app, made at the first request."""
    state = request.app.state
    if not hasattr(state, "tournament"):
        state.tournament = TournamentDesk(case_service(request))
    desk = state.tournament
    assert isinstance(desk, TournamentDesk)
    return desk


def chosen_cases(
    tournament: Words = "",
    session: Words = "",
    table: Words = "",
    state: Annotated[Literal["", "open", "ruled", "closed"], Query()] = "",
) -> Chosen:
    """Which cases are meant; what is left out leaves all."""
    return Chosen(tournament, session, table, state)


Desk = Annotated[TournamentDesk, Depends(tournament_desk)]
Wanted = Annotated[Chosen, Depends(chosen_cases)]


@router.get(
    "/tournament",
    summary="The cases of a tournament",
    response_model=TournamentOut,
    responses=documented("tournament", INVALID, *KEPT),
)
async def tournament(who: Referee, desk: Desk, wanted: Wanted) -> TournamentOut:
    """Those that wait for a referee first, by session and table, with figures over all of them."""
    found = await run_in_threadpool(desk.chosen, wanted)
    return TournamentOut(cases=list(found), statistics=statistics(found))


@router.get(
    "/tournament/bundles",
    summary="Export all cases",
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "A zip file with the bundle of each case, and `manifest.json`.",
            "content": {"application/zip": BINARY},
        },
        **problem_docs(INVALID, *KEPT),
    },
)
async def bundles(who: Referee, desk: Desk, wanted: Wanted) -> StreamingResponse:
    """One file with a bundle for each case, each as `hupai dossier verify` takes it. Its
    `manifest.json` names the bundles, and under `missing` the cases that could not be exported,
    such as those of which a photo is gone, with the reason.
    """
    file = await run_in_threadpool(desk.export, wanted)

    def chunks() -> Iterator[bytes]:
        with file:
            while chunk := file.read(_CHUNK):
                yield chunk

    headers = {
        "Content-Disposition": 'attachment; filename="cases.zip"',
        "Cache-Control": "no-store",
    }
    return StreamingResponse(chunks(), media_type="application/zip", headers=headers)
