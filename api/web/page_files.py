"""The files of the HTML pages."""

from __future__ import annotations

import os
import re
from functools import lru_cache
from pathlib import Path

from fastapi.responses import HTMLResponse
from starlette.datastructures import Headers
from starlette.responses import FileResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

PAGE_DIR = Path(__file__).parents[1] / "page"
"""The folder of the pages; its files are served under /page."""
_PART = re.compile(r"<!-- part: ([a-z]+) -->")

_MOST_IN_MEMORY = 256
"""Files that are kept in memory at most; the pages have about a hundred, of 0.9 MB together."""


class PageFiles(StaticFiles):
    """The files of the pages, sent from memory: a page asks for some seventy at once.

    A file that has changed on disk is read again. Parts of files are sent from disk.
    """

    def file_response(
        self,
        full_path: str | os.PathLike[str],
        stat_result: os.stat_result,
        scope: Scope,
        status_code: int = 200,
    ) -> Response:
        """Answer with a file, or 304 where the client has it already; see `StaticFiles`."""
        response = super().file_response(full_path, stat_result, scope, status_code)
        whole = scope["method"] == "GET" and "range" not in Headers(scope=scope)
        if not (whole and isinstance(response, FileResponse)):
            return response
        content = _content(str(full_path), stat_result.st_mtime_ns, stat_result.st_size)
        return Response(content, status_code, response.headers, response.media_type)


@lru_cache(maxsize=_MOST_IN_MEMORY)
def _content(path: str, _changed: int, _size: int) -> bytes:
    """Return the content of a file, given when it was changed and its size."""
    return Path(path).read_bytes()


def html_page(name: str, policy: str = "") -> HTMLResponse:
    """Answer with one HTML file of `PAGE_DIR`, under its own content security policy.

    Browsers ask anew each time whether the page has changed.
    """
    headers = {"Cache-Control": "no-cache"}
    if policy:
        headers["Content-Security-Policy"] = policy
    return HTMLResponse(with_parts((PAGE_DIR / name).read_text(encoding="utf-8")), headers=headers)


def with_parts(page: str) -> str:
    """Put what all pages share, the files of ``parts/``, where a page names it:
    ``<!-- part: brand -->``.
    """
    return _PART.sub(lambda named: part(named[1]), page)


def part(name: str) -> str:
    """Read what all pages share under this name."""
    return (PAGE_DIR / "parts" / f"{name}.html").read_text(encoding="utf-8").rstrip("\n")
