"""The service offers its source (AGPL-3.0, section 13), and every page links to it."""

from __future__ import annotations

import io
import re
import tarfile
from pathlib import Path

import httpx
import pytest

from hupai.api.app.factory import create_app
from hupai.api.app.source_routes import package_files
from hupai.api.web.page_files import PAGE_DIR
from hupai.api.web.settings import Settings
from tests.api.service import RecordedReader, client_of, recorded_reading
from tests.shared import ROOT


@pytest.mark.nightly
def test_the_archive_holds_the_sources_and_the_licence(client: httpx.Client) -> None:
    answer = client.get("/source")
    assert answer.headers["content-type"] == "application/gzip"
    assert (
        client.get("/source", headers={"if-none-match": answer.headers["etag"]}).status_code == 304
    )
    with tarfile.open(fileobj=io.BytesIO(answer.content)) as archive:
        names = archive.getnames()
        (folder,) = {name.partition("/")[0] for name in names}
        assert f'filename="{folder}.tar.gz"' in answer.headers["content-disposition"]

        def text(name: str) -> str:
            file = archive.extractfile(f"{folder}/{name}")
            assert file is not None
            return file.read().decode()

        assert "GNU AFFERO GENERAL PUBLIC LICENSE" in text("LICENSE")
        assert "Requires-Dist: fastapi" in text("METADATA")
        for part in ("api/app/factory.py", "scoring/tiles.py", "vision/types.py"):
            assert text(f"hupai/{part}") == (ROOT / part).read_text(encoding="utf-8")
    inside = {name.removeprefix(f"{folder}/hupai/") for name in names}
    for top in ("api", "datasets", "models", "scoring", "vision"):
        sources = {path.relative_to(ROOT).as_posix() for path in (ROOT / top).rglob("*.py")}
        assert sources <= inside
    assert {"api/page/index.html", "models/registry.toml"} <= inside


def test_files_outside_the_package_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "photos" / "ab").mkdir(parents=True)
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / ".git").mkdir()
    for name in (
        "a.py", ".env", "dossier-key.pem", "hupai.sqlite3", "hupai.sqlite3-wal", "me.jpg", "id_rsa",
        "photos/ab/abcd", "__pycache__/a.cpython-311.pyc", "__pycache__/b.py", ".git/config.py",
    ):  # fmt: skip
        (tmp_path / name).write_bytes(b"x")
    assert list(package_files(tmp_path)) == [(Path("a.py"), b"x")]


def test_a_service_may_name_another_source() -> None:
    settings = Settings(preload=False, source_url="https://club.example/hupai.git")
    with client_of(create_app(settings, RecordedReader(recorded_reading()))) as client:
        answer = client.get("/source")
        assert (answer.status_code, answer.headers["location"]) == (302, settings.source_url)


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/tile-sets",
        "/learning",
        "/cases",
        "/overlay",
        "/overlay/final/operator",
        "/docs",
        "/problems",
    ],
)
def test_every_page_links_to_the_source(client: httpx.Client, path: str) -> None:
    page = client.get(path).text
    assert re.search(r'<a href="/source"[^>]*>Source( code)? \(AGPL\)', page), (
        "also without scripts"
    )


def test_no_page_is_forgotten() -> None:
    for path in PAGE_DIR.rglob("*.html"):
        # The picture in a broadcast shows the hand alone.
        if path.name != "overlay.html" and path.parent.name != "parts":
            assert 'href="/source"' in path.read_text(encoding="utf-8"), path
