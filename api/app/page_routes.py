"""The page at / with its files, /docs, and a readable page for each problem type."""

from __future__ import annotations

from html import escape

from fastapi import APIRouter, Request, Response
from fastapi.responses import FileResponse, HTMLResponse

from hupai.api.app.docs_page import docs_html
from hupai.api.web.page_files import PAGE_DIR, html_page
from hupai.api.web.problem_types import NOT_FOUND, TYPES, ProblemType
from hupai.api.web.problems import ApiProblem

router = APIRouter(include_in_schema=False)
_HEADER = (
    '<header class="bar"><a class="brand" href="/" aria-label="Hupai 和牌">'
    '<img src="/page/icon.svg" width="34" height="34" alt=""><span class="brand-zh" lang="zh" '
    'aria-hidden="true">和牌</span><span class="brand-en" aria-hidden="true">Hupai</span></a>'
    "</header>"
)
"""The header of every page; its languages stand side by side here."""
_SOURCE = '<a href="/source">Source (AGPL) · <span lang="zh">源代码</span></a>'


@router.get("/")
async def index() -> Response:
    """Send the page."""
    return html_page("index.html")


@router.get("/tile-sets")
async def tile_sets() -> Response:
    """Send the page that teaches the service a tile set."""
    return html_page("tile-sets/index.html")


@router.get("/learning")
async def learning() -> Response:
    """Send the page with hands to check next and with how much is corrected."""
    return html_page("learning/index.html")


@router.get("/sw.js")
async def service_worker() -> Response:
    """Send the page's service worker, from the root because its place is its scope."""
    return FileResponse(
        PAGE_DIR / "sw.js", media_type="text/javascript", headers={"Cache-Control": "no-cache"}
    )


@router.get("/favicon.ico")
async def favicon() -> Response:
    """Send the icon under the name that browsers try."""
    return FileResponse(
        PAGE_DIR / "icon.svg",
        media_type="image/svg+xml",
        headers={"Cache-Control": "public, max-age=86400"},
    )


@router.get("/docs")
async def docs(request: Request) -> Response:
    """Describe the API for people."""
    return HTMLResponse(_document("API", docs_html(request.app.openapi())))


@router.get("/problems")
async def problem_list() -> Response:
    """Describe all problem types."""
    return HTMLResponse(_document("Problems · 问题", "".join(map(_section, TYPES.values()))))


@router.get("/problems/{slug}")
async def problem_page(slug: str, request: Request) -> Response:
    """Describe one problem type; its URI is the `type` of the answers."""
    kind = TYPES.get(slug)
    if kind is None:
        raise ApiProblem(
            NOT_FOUND,
            "No problem type has this name; /problems lists them.",
            "没有这种问题类型，见 /problems。",
        )
    return HTMLResponse(_document(f"{kind.title} · {kind.title_zh}", _section(kind)))


def _section(kind: ProblemType) -> str:
    return (
        f'<section><h2><a href="{kind.uri}">{escape(kind.title)}</a> · '
        f'<span lang="zh">{escape(kind.title_zh)}</span></h2>'
        f"<p><code>{kind.uri}</code>, HTTP {kind.status}</p>"
        f"<p>{escape(kind.meaning)}</p><p>{escape(kind.advice)}</p>"
        f'<p lang="zh">{escape(kind.advice_zh)}</p></section>'
    )


def _document(title: str, body: str) -> str:
    heading = "" if "<h1" in body else f"<h1>{escape(title)}</h1>"
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f'<title>{escape(title)} · Hupai</title><link rel="stylesheet" href="/page/css/base.css">'
        f'<link rel="stylesheet" href="/page/css/document.css"></head>'
        f'<body class="document">{_HEADER}<main>{heading}{body}<p>{_SOURCE}</p></main>'
        "</body></html>"
    )
