"""The page as an app: it can be installed, tells how far it is, and obeys the service's content
security policy.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from playwright.sync_api import expect

from hupai.vision.types import PhotoReading
from tests.api.service import NOTATION, RecordedReader, wait_until
from tests.e2e.conftest import OpenPage, eventually
from tests.e2e.test_page import RECORD, expect_total, total, upload

pytestmark = [pytest.mark.browser]


@pytest.mark.nightly
def test_chromium_finds_nothing_that_keeps_it_from_being_installed(
    open_page: OpenPage, address: str
) -> None:
    page = open_page(address, workers=True)
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    session = page.context.new_cdp_session(page)

    def hindrances() -> list[str]:
        answer = session.send("Page.getInstallabilityErrors")
        found = [one["errorId"] for one in answer["installabilityErrors"]]
        return [one for one in found if one != "in-incognito"]  # a window of the tests is private

    eventually(hindrances, [])
    manifest = session.send("Page.getAppManifest")
    assert manifest["errors"] == []


@pytest.mark.nightly
def test_the_stages_of_reading_are_shown_as_they_happen(
    open_page: OpenPage, address: str, photo_path: Path, reader: RecordedReader
) -> None:
    page = open_page(address)
    page.evaluate(RECORD)
    with reader.held():
        page.set_input_files("#file", photo_path)
        expect(page.locator("#progress-text")).to_have_text("Reading the hand …")
        bar = page.locator("#progress-bar")
        wait_until(lambda: bar.evaluate("bar => bar.position") > 0.5)
    expect_total(page, total(NOTATION))
    expect(page.locator("#progress")).to_be_hidden()
    shown = page.evaluate("window.told")
    order = ["Opening the photo …", "Sending the photo …", "Reading the hand …"]
    assert [text for text in shown if text in order][:1] == order[:1]
    assert [shown.index(text) for text in order[1:]] == sorted(
        shown.index(text) for text in order[1:]
    )


@pytest.mark.nightly
def test_the_bar_does_not_go_back_during_a_further_look(
    open_page: OpenPage,
    address: str,
    photo_path: Path,
    reader: RecordedReader,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page = open_page(address)
    once = reader.read_photo
    seen = Event()

    def twice(*photo: Any, on_stage: Callable[[str], None], **options: Any) -> PhotoReading:
        answer = once(*photo, on_stage=on_stage, **options)
        on_stage("detect")
        assert seen.wait(60)
        return answer

    monkeypatch.setattr(reader, "read_photo", twice)
    page.set_input_files("#file", photo_path)
    bar = page.locator("#progress-bar")
    wait_until(lambda: bar.evaluate("bar => bar.position") > 0.7)
    expect(page.locator("#progress-text")).to_have_text("Looking for tiles …")
    assert bar.evaluate("bar => bar.position") > 0.7
    seen.set()
    expect_total(page, total(NOTATION))


@pytest.mark.nightly
def test_foreign_resources_are_blocked_and_the_page_needs_none(
    open_page: OpenPage, address: str, photo_path: Path
) -> None:
    page = open_page(address, "desktop")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.reload()
    page.wait_for_selector("html[data-ready]")
    upload(page, photo_path)
    expect_total(page, total(NOTATION))
    assert [url for url in asked if not url.startswith((address, "blob:", "data:"))] == []
    policy = page.request.get("/").headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
