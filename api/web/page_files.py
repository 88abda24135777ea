"""The files of the HTML pages."""

from __future__ import annotations

from pathlib import Path

from fastapi.responses import FileResponse

PAGE_DIR = Path(__file__).parents[1] / "page"
"""The folder of the pages; its files are served under /page."""


def html_page(name: str, policy: str = "") -> FileResponse:
    """Answer with one HTML file of `PAGE_DIR`, under a content security policy of its own.

    Browsers ask anew each time whether the page has changed.
    """
    headers = {"Cache-Control": "no-cache"}
    if policy:
        headers["Content-Security-Policy"] = policy
    return FileResponse(PAGE_DIR / name, media_type="text/html", headers=headers)
