"""Teaching a tile set on the page, with the shipped weights and rendered rows of a set they have
not seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from hupai.api.app.factory import create_app
from hupai.api.web.settings import Settings
from tests.api.service import served
from tests.e2e.conftest import OpenPage, eventually
from tests.e2e.rows import ROWS, render_rows
from tests.e2e.test_access import findings
from tests.e2e.test_away import hold, wait_until_held

pytestmark = [pytest.mark.browser, pytest.mark.nightly]


@pytest.fixture(scope="module")
def shipped() -> Iterator[str]:
    """A service with the shipped weights."""
    with served(create_app(Settings())) as address:
        yield address


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A photo of each row."""
    return render_rows(tmp_path_factory.mktemp("rows"))


def begin(page: Page, name: str) -> None:
    """Up to the first row."""
    page.locator("#new-set").click()
    page.locator("#set-name").fill(name)
    page.locator("#start-rows").click()


def give(page: Page, photo: Path) -> None:
    """Choose this photo for the row shown."""
    with page.expect_file_chooser() as chooser:
        page.locator("#choose-row").click()
    chooser.value.set_files(photo)
    expect(page.locator("#row-photo")).to_be_visible()


def test_a_set_is_taught_row_by_row_and_shows_before_and_after(
    shipped: str, open_page: OpenPage, rows: dict[str, Path], shoot: Callable[[Page, str], None]
) -> None:
    page = open_page(f"{shipped}/tile-sets")
    expect(page).to_have_title("Teach it your tiles · Hupai 和牌")
    found = findings(page)
    begin(page, "Blue")
    for name in ROWS:
        if name == "p":
            shoot(page, "teach-row")
            found += findings(page)
        give(page, rows[name])
        page.locator("#next-row").click()
    page.locator("#skip-row").click()
    expect(page.locator("html[data-step=asked], html[data-step=done]")).to_be_visible(
        timeout=60_000
    )
    if page.locator("html[data-step=asked]").count():
        found += findings(page)
        for asked in page.locator("[data-asked]").all():
            asked.locator("[data-key]").first.click()
        page.locator("#send-answers").click()
    expect(page.locator("html[data-step=done]")).to_be_visible(timeout=60_000)
    pairs = page.locator("[data-face]")
    right = """(rows, side) => rows.map((row) => row.querySelectorAll(".read-as")[side])
        .filter((read) => read.classList.contains("right")).length"""
    eventually(lambda: pairs.evaluate_all(right, 1), 34)
    before, after = pairs.evaluate_all(right, 0), 34
    assert before < after
    expect(page.locator("#before-after")).to_have_text(
        f"Read correctly before: {before} of 34. Now: {after} of 34."
    )
    found += findings(page)
    shoot(page, "teach-done")
    page.locator("#to-list").click()
    expect(page.locator(".set-list")).to_contain_text("Blue")
    page.locator("#set-choice").select_option("Blue")
    page.locator(".brand").click()
    page.wait_for_selector("html[data-stage=empty][data-ready]")
    page.set_input_files("#file", rows["m"])
    expect(page.locator("#reading-info")).to_contain_text("with your tile set Blue", timeout=60_000)
    page.goto(f"{shipped}/tile-sets")
    page.locator('[data-remove="Blue"]').click()
    expect(page.locator(".set-list")).to_have_count(0)
    assert found == []


def test_a_name_typed_while_another_set_is_removed_stays(shipped: str, open_page: OpenPage) -> None:
    page = open_page(shipped)
    one = {"name": "Green", "faces": ["1m"], "created": "2026-11-01T10:00:00Z"}
    page.route("**/v1/tile-sets", lambda route: route.fulfill(json={"tile_sets": [one]}))
    page.goto(f"{shipped}/tile-sets")
    held = hold(page, "**/v1/tile-sets/Green", "DELETE")
    page.locator('[data-remove="Green"]').click()
    wait_until_held(page, held)
    page.locator("#new-set").click()
    page.locator("#set-name").fill("Blue")
    page.locator("#set-name").evaluate("field => field.classList.add('before')")
    held[0].fulfill(status=204)
    expect(page.locator("#set-name.before")).to_have_count(0)  # redrawn
    expect(page.locator("#set-name")).to_have_value("Blue")


def test_a_row_that_shows_something_else_is_asked_for_again(
    shipped: str, open_page: OpenPage, rows: dict[str, Path]
) -> None:
    page = open_page(f"{shipped}/tile-sets", "desktop")
    begin(page, "Wrong")
    for name in ROWS:
        give(page, rows["z"] if name == "s" else rows[name])
        page.locator("#next-row").click()
    page.locator("#skip-row").click()
    expect(page.locator(".message.warning").first).to_have_text(
        "Bamboo, 1 to 9: 7 tiles were found, 9 were expected. Photograph that row again.",
        timeout=60_000,
    )
    page.locator('[data-row="s"]').click()
    expect(page.locator("#row-title")).to_have_text("Bamboo, 1 to 9")


def test_a_row_is_photographed_with_the_camera(shipped: str, open_page: OpenPage) -> None:
    page = open_page(f"{shipped}/tile-sets", locale="zh-CN", dark=True)
    begin(page, "相机")
    page.locator("#take-row").click()
    page.locator("#shutter:enabled").click()
    expect(page.locator("#row-photo")).to_be_visible()
    expect(page.locator("#next-row")).to_be_focused()
    expect(page.locator("#camera")).not_to_be_visible()
