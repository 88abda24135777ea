"""The files of the HTML pages."""

from __future__ import annotations

import re
from pathlib import Path

from fastapi.responses import HTMLResponse

PAGE_DIR = Path(__file__).parents[1] / "page"
"""The folder of the pages; its files are served under /page."""
_PART = re.compile(r"<!-- part: ([a-z]+) -->")


def html_page(name: str, policy: str = "") -> HTMLResponse:
    """Answer with one HTML file of `PAGE_DIR`, under a content security policy of its own.

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
