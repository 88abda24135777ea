"""The source code of the service, offered to all who use it (AGPL-3.0, section 13)."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
from collections.abc import Iterator
from functools import cache
from importlib.metadata import distribution
from importlib.resources import files
from pathlib import Path

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse
from starlette.concurrency import run_in_threadpool

from hupai.api.web.dependencies import app_settings, cacheable
from hupai.api.web.routing.route_classes import Route

router = APIRouter(include_in_schema=False, route_class=Route)

_KINDS = frozenset({
    ".css", ".csv", ".html", ".js", ".json", ".md", ".onnx", ".otf", ".png", ".py", ".svg", ".toml",
    ".txt", ".typed", ".webmanifest",
})  # fmt: skip
"""Suffixes of the files that make up the package. Keys, databases and photos have none of these."""
_DAY = 24 * 60 * 60


@router.get("/source")
async def source(request: Request) -> Response:
    """Lead to the source that the settings name, or send the installed package."""
    url = app_settings(request).source_url
    if url:
        return RedirectResponse(url, 302)
    answer = cacheable(
        request, await run_in_threadpool(installed_source), "application/gzip", seconds=_DAY
    )
    answer.headers["Content-Disposition"] = f'attachment; filename="{_folder()}.tar.gz"'
    return answer


@cache
def installed_source() -> bytes:
    """Pack the installed package with its licence and the metadata that name its libraries."""
    installed = distribution("hupai")
    members = [
        (f"hupai/{path.as_posix()}", data)
        for path, data in package_files(Path(str(files("hupai"))))
    ]
    for member, name in (("LICENSE", "licenses/LICENSE"), ("METADATA", "METADATA")):
        text = installed.read_text(name)
        assert text is not None, f"{name} is missing from the installation"
        members.append((member, text.encode()))
    return _packed(_folder(), members)


def package_files(folder: Path) -> Iterator[tuple[Path, bytes]]:
    """Yield path and bytes of each file of the package in `folder`, in order."""
    for place, folders, names in os.walk(folder, followlinks=True):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "__")))
        for name in sorted(names):
            path = Path(place, name)
            if path.suffix in _KINDS and not name.startswith("."):
                yield path.relative_to(folder), path.read_bytes()


def _packed(folder: str, members: list[tuple[str, bytes]]) -> bytes:
    """Pack files as a tar.gz that depends on nothing but their names and bytes."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name, data in members:
            entry = tarfile.TarInfo(f"{folder}/{name}")
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return gzip.compress(packed.getvalue(), mtime=0)


def _folder() -> str:
    return f"hupai-{distribution('hupai').version}"
