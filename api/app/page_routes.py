"""The page at / with its files, /docs, and a readable page for each problem type."""

from __future__ import annotations

import re
from html import escape

from fastapi import APIRouter, Request, Response
from fastapi.responses import FileResponse, HTMLResponse

from hupai.api.app.docs_page import docs_html
from hupai.api.web.page_files import PAGE_DIR, html_page, part
from hupai.api.web.problem_types import NOT_FOUND, TYPES, ProblemType
from hupai.api.web.problems import ApiProblem
from hupai.api.web.routing.route_classes import Route

router = APIRouter(include_in_schema=False, route_class=Route)
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
        f"<p>{_text(kind.meaning)}</p><p>{_text(kind.advice)}</p>"
        f'<p lang="zh">{_text(kind.advice_zh)}</p></section>'
    )


def _text(text: str) -> str:
    """Write a text as HTML, text in backticks as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text, quote=False))


def nothing_here() -> Response:
    """Build the page for an unknown address, for people; programs get a problem."""
    body = (
        "<p>There is nothing at this address. What was deleted is gone.</p>"
        '<p lang="zh">这个地址没有内容；已删除的无法找回。</p>'
        '<p><a class="button primary" href="/">Photograph a hand · '
        '<span lang="zh">去拍手牌</span></a></p>'
    )
    return HTMLResponse(_document("Not found · 找不到", body), 404)


def _document(title: str, body: str) -> str:
    heading = "" if "<h1" in body else f"<h1>{escape(title)}</h1>"
    return (
        f'<!doctype html><html lang="en"><head>{part("head")}'
        f"<title>{escape(title)} · Hupai</title>"
        f'<link rel="stylesheet" href="/page/css/document.css"></head>'
        f'<body class="document"><header class="bar">{part("brand")}</header>'
        f"<main>{heading}{body}<p>{_SOURCE}</p></main>"
        "</body></html>"
    )
