"""The page around a photo: while it is opened, when it shows no hand, and what the dock covers."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from hupai.scoring.result import Severity
from hupai.vision.types import PhotoProblem, Reading
from tests.api.service import RecordedReader
from tests.e2e.conftest import OpenPage, expect_settled
from tests.e2e.test_page import upload

pytestmark = [pytest.mark.browser, pytest.mark.nightly]
NOTHING = Reading(
    problems=(PhotoProblem("no_tiles", Severity.ERROR, "no tile was found", "未找到牌"),)
)
IN_THE_DOCK = """() => {
  const focus = document.activeElement.getBoundingClientRect();
  const dock = document.getElementById("dock");
  return !dock.contains(document.activeElement) && focus.bottom > dock.getBoundingClientRect().top;
}"""
"""Whether the dock covers what has the focus."""


def test_a_photo_that_is_being_opened_cannot_be_enlarged_yet(
    open_page: OpenPage, address: str, photo_path: Path
) -> None:
    page = open_page(address)
    page.evaluate("() => { window.createImageBitmap = () => new Promise(() => {}); }")
    page.set_input_files("#file", photo_path)
    expect(page.locator("#progress-text")).to_contain_text("Opening the photo")
    expect(page.locator("#enlarge")).to_be_hidden()


def test_recent_hands_say_that_a_photo_shows_none(
    open_page: OpenPage, address: str, photo_path: Path, reader: RecordedReader
) -> None:
    whole = reader.reading
    reader.reading = NOTHING
    try:
        page = open_page(address)
        page.set_input_files("#file", photo_path)
        expect(page.locator("#photo-error")).to_be_visible()
        for where in ("#kept-here + ul", "#stored-hands"):
            page.locator("#history-button").click()
            expect(page.locator(f"{where} .history-item").first).to_contain_text(
                "No hand was found"
            )
            page.keyboard.press("Escape")
            page.evaluate(
                "() => new Promise((done) => { indexedDB.deleteDatabase('hupai'); done(); })"
            )
            page.reload()
            page.wait_for_selector("html[data-ready]")
    finally:
        reader.reading = whole


def tabbed(page: Page, times: int) -> list[str]:
    """What had the focus, as the Tab key went on, while the dock covered it."""
    covered = []
    for _ in range(times):
        page.keyboard.press("Tab")
        if page.evaluate(IN_THE_DOCK):
            covered.append(str(page.evaluate("document.activeElement.innerText")))
    return covered


def test_the_dock_covers_nothing_that_has_the_focus(
    open_page: OpenPage, address: str, photo_path: Path
) -> None:
    page = open_page(address)
    upload(page, photo_path)
    expect_settled(page)
    page.locator("#dock #take").focus()
    assert tabbed(page, 45) == []
