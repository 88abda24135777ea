"""The pages: what they share stands once, and text stands out from what lies behind it, in both
themes (WCAG 2.2, contrast 4.5 to 1).
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from hupai.api.app.factory import create_app
from hupai.api.web.page_files import PAGE_DIR, PageFiles, html_page
from hupai.api.web.settings import Settings
from tests.api.service import client_of

TEXT_ON = [
    ("ink", "paper"),
    ("ink", "card"),
    ("soft", "paper"),
    ("soft", "card"),
    ("jade", "card"),
    ("jade", "paper"),
    ("on-jade", "jade"),
    ("jade-deep", "jade-wash"),
    ("red", "card"),
    ("red", "red-wash"),
    ("ink", "red-wash"),
    ("ink", "amber-wash"),
    ("soft", "red-wash"),
    ("ink", "jade-wash"),
]


def luminance(colour: str) -> float:
    """Relative luminance of ``#rrggbb``, 0 to 1."""
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize(("text", "behind"), TEXT_ON)
@pytest.mark.parametrize("selector", [":root", ':root[data-theme="dark"]'], ids=["light", "dark"])
def test_text_can_be_read(text: str, behind: str, selector: str) -> None:
    css = (PAGE_DIR / "css" / "base.css").read_text(encoding="utf-8")
    block = css.partition(f"{selector} {{")[2].partition("}")[0]
    colours = dict(re.findall(r"--([\w-]+): (#\w{6});", block))
    high, low = sorted((luminance(colours[name]) for name in (text, behind)), reverse=True)
    assert (high + 0.05) / (low + 0.05) >= 4.5


PAGES = sorted(path.relative_to(PAGE_DIR).as_posix() for path in PAGE_DIR.rglob("*.html"))


@pytest.mark.parametrize("name", [name for name in PAGES if not name.startswith("parts/")])
def test_shared_parts_of_pages_are_written_once(name: str) -> None:
    text = (PAGE_DIR / name).read_text(encoding="utf-8")
    assert 'class="brand"' not in text
    sent = bytes(html_page(name).body).decode()
    assert "<!-- part" not in sent
    if name != "overlay/overlay.html":  # the picture for the broadcast has neither
        assert sent.count('class="brand"') == 1
        assert sent.count('href="/page/css/base.css"') == 1


def test_files_of_the_page_are_sent_whole_in_part_and_not_again() -> None:
    content = (PAGE_DIR / "js" / "main.js").read_bytes()
    with client_of(create_app(Settings(preload=False))) as client:
        first, again = (client.get("/page/js/main.js") for _ in range(2))
        assert first.content == again.content == content
        assert first.headers["content-length"] == str(len(content))
        assert first.headers["content-type"] == "text/javascript; charset=utf-8"
        tag = first.headers["etag"]
        known = client.get("/page/js/main.js", headers={"If-None-Match": tag})
        assert (known.status_code, known.content) == (304, b"")
        part = client.get("/page/js/main.js", headers={"Range": "bytes=3-9"})
        assert (part.status_code, part.content) == (206, content[3:10])
        head = client.head("/page/js/main.js")
        assert (head.content, head.headers["content-length"]) == (b"", str(len(content)))


def test_a_file_of_the_page_that_changes_is_sent_as_it_is_now(tmp_path: Path) -> None:
    file = tmp_path / "a.css"
    app = create_app(Settings(preload=False))
    app.mount("/files", PageFiles(directory=tmp_path))
    with client_of(app) as client:
        for text in ("p {}", "b { }", "i {}"):
            file.write_text(text, encoding="utf-8")
            os.utime(file, ns=(0, 1_000_000_000 * len(text) + ord(text[0])))
            assert client.get("/files/a.css").text == text


def test_an_unknown_address_is_a_page_for_people_and_a_problem_for_programs() -> None:
    with client_of(create_app(Settings(preload=False))) as client:
        page = client.get("/nothing", headers={"accept": "text/html,*/*"})
        assert page.status_code == 404
        assert page.headers["content-type"].startswith("text/html")
        assert 'href="/"' in page.text
        assert client.get("/nothing").json()["type"] == "/problems/not-found"
        response = client.get("/v1/nothing", headers={"accept": "text/html"})
        assert response.json()["type"] == "/problems/not-found"
        assert "<code>hupai keys add</code>" in client.get("/problems/unauthenticated").text
