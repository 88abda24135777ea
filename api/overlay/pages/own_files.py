"""Themes, logos and pictures of players that the producer puts into the data folder.

``DATA/overlay/themes/NAME.css`` is a theme, ``DATA/overlay/media/NAME`` a picture. Nothing else of
the folder is served.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Request, Response
from fastapi import Path as PathParameter
from fastapi.responses import FileResponse

from hupai.api.overlay.schemas import MEDIA_NAME
from hupai.api.web.page_files import PAGE_DIR
from hupai.api.web.problem_types import NOT_FOUND
from hupai.api.web.problems import ApiProblem
from hupai.api.web.routing.route_classes import Route

pages = APIRouter(prefix="/overlay", include_in_schema=False, route_class=Route)

_TYPES = {
    "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "webp": "image/webp",
    "svg": "image/svg+xml",
}  # fmt: skip
_HEADERS = {"Cache-Control": "no-cache"}


@pages.get("/themes/{name}.css")
async def theme(
    request: Request, name: Annotated[str, PathParameter(pattern=r"^[a-z0-9-]{1,40}$")]
) -> Response:
    """A theme of the producer's, or one that is shipped."""
    own = _folder(request, "themes")
    shipped = PAGE_DIR / "overlay" / "themes"
    for folder in (own, shipped):
        if folder is not None and (folder / f"{name}.css").is_file():
            return FileResponse(folder / f"{name}.css", media_type="text/css", headers=_HEADERS)
    raise ApiProblem(NOT_FOUND, f"There is no theme {name}.", "没有这个主题。")


@pages.get("/media/{name}")
async def media(
    request: Request, name: Annotated[str, PathParameter(pattern=MEDIA_NAME)]
) -> Response:
    """A logo or a player's picture."""
    folder = _folder(request, "media")
    if folder is None or not (folder / name).is_file():
        raise ApiProblem(NOT_FOUND, f"There is no picture {name}.", "没有这张图片。")
    # An SVG may contain scripts; this policy keeps them from running if the file is opened
    # directly.
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    headers = {**_HEADERS, "Content-Security-Policy": policy}
    return FileResponse(folder / name, media_type=_TYPES[name.rpartition(".")[2]], headers=headers)


def _folder(request: Request, name: str) -> Path | None:
    base: Path | None = request.app.state.settings.data_folder
    return None if base is None else base / "overlay" / name
