"""Example scenes for the page: the pictures of the examples folder, with what is known of each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import FileResponse

from hupai.api.web.dependencies import app_settings, cacheable
from hupai.api.web.problem_types import NOT_FOUND
from hupai.api.web.problems import ApiProblem
from hupai.api.web.routing.route_classes import Route

router = APIRouter(prefix="/examples", include_in_schema=False, route_class=Route)
_MEDIA = {".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".png": "image/png", ".webp": "image/webp"}


def _scenes(folder: Path) -> dict[str, Path]:
    """Map file names to the pictures of the folder; empty if there is no folder."""
    if not folder.is_dir():
        return {}
    return {path.name: path for path in sorted(folder.iterdir()) if path.suffix.lower() in _MEDIA}


def _described(path: Path) -> dict[str, Any]:
    """Read title, rules and circumstances from the JSON file beside a picture."""
    beside = path.with_suffix(".json")
    known: dict[str, Any] = (
        json.loads(beside.read_text(encoding="utf-8")) if beside.is_file() else {}
    )
    title = path.stem.replace("-", " ").replace("_", " ")
    return {
        "name": path.name,
        "url": f"/examples/{path.name}",
        "title_en": known.get("title_en", title),
        "title_zh": known.get("title_zh", title),
        "rules": known.get("rules"),
        "circumstances": known.get("circumstances", {}),
    }


@router.get("")
async def list_examples(request: Request) -> Response:
    """List the scenes that the page offers."""
    scenes = [_described(path) for path in _scenes(app_settings(request).examples_dir).values()]
    return cacheable(
        request,
        json.dumps({"examples": scenes}, ensure_ascii=False).encode(),
        "application/json",
        seconds=60,
    )


@router.get("/{name}")
async def example(name: str, request: Request) -> Response:
    """Send one picture; only names of the list are served."""
    path = _scenes(app_settings(request).examples_dir).get(name)
    if path is None:
        raise ApiProblem(
            NOT_FOUND, "There is no example with this name; /examples lists them.", "没有这个示例。"
        )
    return FileResponse(
        path,
        media_type=_MEDIA[path.suffix.lower()],
        headers={"Cache-Control": "public, max-age=3600"},
    )
