"""Views of cases: photos, the report, and the page of the dispute."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.responses import FileResponse
from starlette.concurrency import run_in_threadpool

from hupai.api.dossier.bundle.checkers import CHECKERS
from hupai.api.dossier.photo_records import STORED
from hupai.api.dossier.routes import KEPT, CaseId, Cases, Player
from hupai.api.hands.recognition import encode
from hupai.api.web.dependencies import BINARY, app_settings, problem_docs
from hupai.api.web.page_files import html_page
from hupai.api.web.problem_types import INVALID, NOT_FOUND
from hupai.api.web.routing.route_classes import MediaRoute, Route
from hupai.vision.photo.decode import decode
from hupai.vision.pipeline.annotate import annotate

router = APIRouter(prefix="/v1", tags=["cases"], route_class=MediaRoute)
pages = APIRouter(include_in_schema=False, route_class=Route)
_CHECK_POLICY = (
    "default-src 'none'; img-src blob:; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Policy of the page: one file that sends and loads nothing."""


@router.get(
    "/cases/{case_id}/photos/{sha256}",
    summary="A photo of a case",
    response_class=Response,
    responses={
        200: {
            "description": "The photo.",
            "content": {"image/jpeg": BINARY},
        },
        **problem_docs(NOT_FOUND, INVALID, *KEPT),
    },
)
async def photo(
    request: Request,
    case_id: CaseId,
    sha256: Annotated[str, Path(pattern="^[0-9a-f]{64}$", description="SHA-256 of the photo.")],
    who: Player,
    cases: Cases,
    annotated: Annotated[bool, Query(description="With boxes, names and groups.")] = False,
    side: Annotated[int | None, Query(ge=64, le=8192, description="Longest side, pixels.")] = None,
) -> Response:
    """Upright and scaled down, for looking at; the bytes as they came are in the exported file."""
    longest = side or app_settings(request).annotated_side

    def draw() -> bytes:
        case = cases.read(case_id).case
        data = cases.photo(case, sha256)
        known = case.photo(sha256)
        read = known.read if annotated and known is not None else None
        with cases.decoding.turn():
            # A reading has places on the whole photo.
            image = decode(data, "", STORED, None if read else 2 * longest).image
        if read is not None:
            image = annotate(image, read.reading.to_reading())
        return encode(image, ".jpg", longest)

    headers = {"Cache-Control": "private, max-age=86400, immutable"}
    return Response(await run_in_threadpool(draw), media_type="image/jpeg", headers=headers)


@router.get(
    "/cases/{case_id}/report",
    summary="Print a case",
    response_class=Response,
    responses={
        200: {
            "description": "The report.",
            "content": {"application/pdf": BINARY},
        },
        **problem_docs(NOT_FOUND, INVALID, *KEPT),
    },
)
async def report(
    request: Request,
    case_id: CaseId,
    who: Player,
    cases: Cases,
    language: Annotated[
        Literal["both", "en", "zh"],
        Query(description="English, Chinese, or both beside each other."),
    ] = "both",
    zone: Annotated[
        str,
        Query(max_length=64, description="Time zone of the report; that of the case if empty."),
    ] = "",
) -> Response:
    """A PDF to be signed at the table: photo, sets, fan with clauses, what was left out and why,
    corrections, ruling, hashes.
    """
    base = app_settings(request).public_url or str(request.base_url)
    link = f"{base.rstrip('/')}/cases/{case_id}"
    data = await run_in_threadpool(
        lambda: cases.report(cases.read(case_id).case, link, language, zone)
    )
    headers = {
        "Content-Disposition": f'inline; filename="case-{case_id}.pdf"',
        "Cache-Control": "no-store",
    }
    return Response(data, media_type="application/pdf", headers=headers)


@pages.get("/cases")
@pages.get("/cases/{case_id}")
async def page(case_id: str = "") -> Response:
    """The list of cases, and the page of one; it asks the API for what it shows."""
    return html_page("cases/index.html")


@pages.get("/check")
async def check_page() -> Response:
    """The page that checks an exported case in the browser; the one in a bundle is the same."""
    headers = {"Cache-Control": "no-cache", "Content-Security-Policy": _CHECK_POLICY}
    return FileResponse(CHECKERS[0], media_type="text/html", headers=headers)
