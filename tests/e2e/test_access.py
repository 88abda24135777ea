"""Accessibility: axe on every screen, at both sizes, in both languages and themes, with no finding;
the way of the focus.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from hupai.scoring.tiles import Tile
from hupai.vision.types import ReadTile
from tests.api.service import NOTATION, RecordedReader, recorded_reading, wait_until
from tests.e2e.conftest import SIZES, OpenPage, expect_settled
from tests.e2e.test_page import DARK, LIGHT, expect_no_wider, expect_total, total, upload
from tests.profile import NIGHTLY

pytestmark = [pytest.mark.browser]
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


RUN = "rules => axe.run(document, { resultTypes: ['violations'], runOnly: rules })"
STILL = """() => document.getAnimations().every((one) => one.playState !== "running"
    || one.effect.getTiming().iterations === Infinity)"""


def findings(page: Page, *, every_pair: bool = True) -> list[str]:
    """What axe finds on the page as it stands, in every language and theme; with `every_pair` in
    every language with every theme.
    """
    if not page.evaluate("typeof axe === 'object'"):
        page.evaluate(Axe().axe_script)
    found = []
    for language in ("en", "zh"):
        for theme in ("light", "dark"):
            whole = (language, theme) in (("en", "light"), ("zh", "dark"))
            if not whole and not every_pair:
                continue  # the same colours again
            page.emulate_media(color_scheme=theme)
            page.wait_for_function(STILL)
            answer = page.evaluate(RUN, RULES if whole else ["color-contrast"])
            assert not whole or len(answer["passes"]) >= 15  # it has looked
            for violation in answer["violations"]:
                for node in violation["nodes"]:
                    found.append(
                        f"{language} {theme}: {violation['id']}: {node['html'][:160]}: {node['failureSummary'][:200]}"
                    )
        page.evaluate("document.querySelector('#language-button').click()")
    return found


@pytest.fixture
def doubtful(reader: RecordedReader) -> Iterator[None]:
    """Reading leaves a question open."""
    reader.reading = recorded_reading(doubtful=True)
    yield
    reader.reading = recorded_reading()


SHEETS = {
    "tile": "#hand .tile.winning",
    "set": "[data-meld='0']",
    "add": "#hand .add",
    "history": "#history-button",
    "link": "#share",
    "other rules": "#compare",
}


@pytest.mark.nightly
@pytest.mark.parametrize("size", SIZES if NIGHTLY else ["phone"])
@pytest.mark.usefixtures("doubtful")
def test_axe_finds_nothing_on_the_way_from_photo_to_score(
    open_page: OpenPage, address: str, photo_path: Path, size: str
) -> None:
    page = open_page(address, size)

    def find() -> list[str]:
        return findings(page, every_pair=size == "phone")

    found = {"empty": find()}
    upload(page, photo_path)
    expect_total(page, total(NOTATION))
    page.locator("#fans [data-fan] summary").first.click()
    # At the end of the page nothing lies half under the bar that stays at the bottom.
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    found["hand"] = find()
    for name, opener in SHEETS.items():
        page.locator(opener).click()
        expect(page.locator("#sheet")).to_be_visible()
        found[name] = find()
        page.locator("#sheet-close").click()
    page.locator("#take").click()
    page.wait_for_selector("#shutter:enabled")
    found["camera"] = find()
    page.locator("#close-camera").click()
    page.context.set_offline(True)
    page.set_input_files("#file", photo_path)
    expect(page.locator("#photo-error")).to_be_visible()
    found["away"] = find()
    page.context.set_offline(False)
    expect_total(page, total(NOTATION))
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_the_tab_key_goes_through_the_boxes_in_the_order_of_the_hand(
    open_page: OpenPage, address: str, photo_path: Path, reader: RecordedReader
) -> None:
    whole = recorded_reading()
    apart = (100, 200)
    table = tuple(
        ReadTile(at, Tile.M5, (at, 10.0, at + 26.0, 50.0), 0.99, in_hand=False) for at in apart
    )
    before = reader.reading
    reader.reading = replace(whole, tiles=(*table, *reversed(whole.tiles)))
    try:
        page = open_page(address, "desktop")
        upload(page, photo_path)
        expect_total(page, total(NOTATION))
    finally:
        reader.reading = before
    boxes = page.locator("#overlay .box:not(.outside)")
    expect(boxes).to_have_count(16)
    boxes.first.focus()
    visited = []
    for _ in range(16):
        visited.append(int(page.evaluate("document.activeElement.dataset.id")))
        page.keyboard.press("Tab")
    # Concealed tiles, melds, then the flower (15) and the winning tile (14).
    assert visited == [*range(14), 15, 14]
    assert page.evaluate("document.activeElement.dataset.id") is None


def test_tiles_outside_the_hand_follow_row_by_row(open_page: OpenPage, address: str) -> None:
    page = open_page(address, "desktop")
    # Two rows that rise a little to the right, given from the last to the first.
    boxes = [
        [80, 52, 100, 82],
        [50, 55, 70, 85],
        [10, 60, 30, 90],
        [60, 8, 80, 38],
        [9, 10, 29, 40],
    ]
    tiles = [{"id": at, "box": box} for at, box in enumerate(boxes)] + [
        {"id": 9, "box": [0, 99, 9, 120]}
    ]
    order = page.evaluate(
        "async (tiles) => (await import('/page/js/photo/order.js')).inOrder(tiles, [9])", tiles
    )
    assert [one["id"] for one in order] == [9, 4, 3, 2, 1, 0]


@pytest.mark.nightly
def test_the_focus_order_follows_the_visual_order(
    open_page: OpenPage, address: str, photo_path: Path
) -> None:
    page = open_page(address, "desktop")
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#result")).to_be_focused()
    upload(page, photo_path)
    expect_total(page, total(NOTATION))
    opener = page.locator('#hand .tile[data-code="2m"]')
    opener.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#sheet-title")).to_be_focused()
    expect(page.locator("#sheet-title")).to_have_text("2 of characters")
    page.keyboard.press("Escape")
    expect(opener).to_be_focused()
    page.keyboard.press("Enter")
    page.locator('#sheet [data-key="4m"]').focus()
    page.keyboard.press("Enter")
    expect(
        page.locator('#hand .tile[data-code="4m"]')
    ).to_be_focused()  # the same tile with its new face
    expect(page.locator("#announce")).to_contain_text("Not a winning hand")


def test_nothing_needs_two_directions_of_scrolling_at_360_pixels(
    open_page: OpenPage, address: str, photo_path: Path
) -> None:
    page = open_page(address)
    upload(page, photo_path)
    expect_total(page, total(NOTATION))
    expect_no_wider(page, 360)
    sheet = page.locator("#sheet")
    for opener in SHEETS.values():
        page.locator(opener).click()
        expect(page.locator("#sheet")).to_be_visible()
        wait_until(lambda: sheet.evaluate("sheet => sheet.scrollWidth") <= 360)
        page.locator("#sheet-close").click()
    page.locator("#language-button").click()
    expect_no_wider(page, 360)
    small = page.evaluate(
        """() => [...document.querySelectorAll("#dock button, #dock a, .photo-tools button, .table-foot button, .tool")]
          .filter((one) => one.checkVisibility()).map((one) => [one.id, one.getBoundingClientRect()])
          .filter(([, box]) => box.width < 44 || box.height < 44).map(([id]) => id)"""
    )
    assert small == []  # a thumb finds them


@pytest.mark.nightly
def test_all_text_grows_with_the_size_chosen_in_the_browser(
    open_page: OpenPage, address: str, photo_path: Path
) -> None:
    page = open_page(address, locale="zh-CN")
    upload(page, photo_path)
    expect_settled(page)
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    expect(page.locator("#open-total")).to_have_css("font-size", "32px")
    expect(page.locator("#none-applies")).to_have_css("font-size", "32px")
    expect_no_wider(page, 360)
    sheet = page.locator("#sheet")
    for opener in SHEETS.values():
        page.locator(opener).click()
        expect(sheet).to_be_visible()
        wait_until(lambda: sheet.evaluate("sheet => sheet.scrollWidth") <= 360)
        page.locator("#sheet-close").click()


@pytest.mark.nightly
@pytest.mark.parametrize("figure", ["118–159", "100000–144000"])
def test_a_long_total_fits_a_narrow_phone(
    open_page: OpenPage, address: str, photo_path: Path, figure: str
) -> None:
    page = open_page(address)
    page.set_viewport_size({"width": 320, "height": 640})
    upload(page, photo_path)
    expect_settled(page)
    page.evaluate(
        """(figure) => {
          const total = document.querySelector(".total-number");
          total.classList.toggle("long", figure.length > 7);
          total.querySelector(".figure").textContent = figure;
        }""",
        figure,
    )
    expect_no_wider(page, 320)
    card, shown = (page.locator(one).bounding_box() for one in ("#score", "#score .figure"))
    assert card is not None
    assert shown is not None
    assert shown["x"] + shown["width"] <= card["x"] + card["width"]


@pytest.mark.nightly
def test_a_chosen_theme_wins_over_the_systems(open_page: OpenPage, address: str) -> None:
    page = open_page(address, "desktop")
    for system in ("light", "dark"):
        page.emulate_media(color_scheme=system)
        for choice in ("", "light", "dark"):
            page.evaluate("choice => { document.documentElement.dataset.theme = choice }", choice)
            shown = LIGHT if (choice or system) == "light" else DARK
            expect(page.locator("body")).to_have_css("background-color", shown)
