"""The log of what a table had on air."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query, Response
from starlette.concurrency import run_in_threadpool

from hupai.api.auth.principal import Principal, needs
from hupai.api.dossier.report.zones import NO_ZONE_ZH, zone_of
from hupai.api.overlay.log.formats import LogEntry, LogOut, log_csv, log_edl, log_entries
from hupai.api.overlay.routes import ERRORS, Overlay, TableName, docs, table_problem
from hupai.api.web.dependencies import problem_docs
from hupai.api.web.problem_types import INVALID, NOT_FOUND
from hupai.api.web.problems import invalid_field
from hupai.api.web.routing.route_classes import Route

router = APIRouter(prefix="/v1/tables", tags=["tables"], route_class=Route)

_EXAMPLE: dict[str, Any] = LogOut(
    table="final",
    entries=[
        LogEntry(
            number=7,
            at="2026-11-21T14:30:08Z",  # type: ignore[arg-type]
            seat="east",
            player="Li Wei",
            kind="hand",
            tiles="2m3m5p5p [5m6m7m] [EEE] [?9s9s?] +1m",
            total=12,
            unit="fan",
            author="operator",
        )
    ],
).model_dump(mode="json")


@router.get(
    "/{table}/log",
    summary="List what went on air",
    response_model=LogOut,
    responses={
        200: {
            "content": {
                **docs("log", _EXAMPLE)[200]["content"],
                "text/csv": {"schema": {"type": "string"}},
                "text/plain": {"schema": {"type": "string"}},
            }
        },
        **problem_docs(NOT_FOUND, INVALID),
    },
)
async def show_log(
    who: Annotated[Principal, Depends(needs("operator", query_key=True))],
    overlay: Overlay,
    table: TableName,
    form: Annotated[
        Literal["json", "csv", "edl"],
        Query(alias="format", description="`edl`: an edit decision list, CMX 3600."),
    ] = "json",
    fps: Annotated[
        int, Query(ge=1, le=240, description="Frames a second of the list's timecodes.")
    ] = 25,
    zone: Annotated[
        str,
        Query(max_length=60, description="Time zone: `Europe/Paris`, `+08:00`; empty: UTC."),
    ] = "",
) -> Response | LogOut:
    """The newest 2,000 changes, oldest first. Times are those at which they went on air."""
    try:
        clock = zone_of(zone)
    except ValueError as error:
        raise invalid_field("zone", str(error), NO_ZONE_ZH) from None
    try:
        entries = log_entries(await run_in_threadpool(overlay.store.log, table))
    except ERRORS as error:
        raise table_problem(error) from None
    if form == "csv":
        return _file(log_csv(entries, clock), "text/csv", f"{table}.csv")
    if form == "edl":
        return _file(log_edl(table, entries, clock, fps), "text/plain", f"{table}.edl")
    return LogOut(table=table, entries=entries)


def _file(text: str, media_type: str, name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(text, media_type=f"{media_type}; charset=utf-8", headers=headers)
