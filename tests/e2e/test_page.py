"""The page on a recorded reading: what a player does between photo and score."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from hupai.scoring.hand import Circumstances
from hupai.scoring.notation import parse_hand
from hupai.scoring.rule_sets import all_rules, get
from hupai.scoring.tiles import Tile
from hupai.vision.types import Reading
from tests.api.service import MCR, NOTATION, RecordedReader, recorded_reading, wait_until
from tests.e2e.conftest import SIZES, OpenPage, eventually, expect_settled, reload

pytestmark = [pytest.mark.browser]
RECORD = """() => {
  window.told = [];
  const text = document.querySelector("#progress-text");
  const watch = new MutationObserver(() => window.told.push(text.textContent));
  watch.observe(text, { childList: true, characterData: true, subtree: true });
}"""
"""Keeps what the page tells while it reads, however short it is to be seen."""

LIGHT, DARK = "rgb(246, 243, 236)", "rgb(15, 22, 20)"
"""What the page lies on."""


def total(notation: str, **circumstances: Any) -> int:
    """What the scoring package says."""
    return get(MCR).score(parse_hand(notation), Circumstances(**circumstances)).total


def upload(page: Page, photo: Path) -> None:
    """Choose a photo and wait until the hand is shown."""
    page.set_input_files("#file", photo)
    expect(page.locator("#hand .tile").first).to_be_visible()


def expect_total(page: Page, points: int) -> None:
    """The score shown is this one."""
    expect(page.locator("[data-total]")).to_have_attribute("data-total", str(points))


def expect_no_wider(page: Page, width: int) -> None:
    """Nothing needs to be scrolled sideways."""
    wide = "document.documentElement.scrollWidth"
    wait_until(lambda: page.evaluate(wide) <= width)


def test_a_reload_restores_the_hand_with_its_corrections(
    open_page: OpenPage, address: str, photo_path: Path
) -> None:
    page = open_page(address)
    upload(page, photo_path)
    expect_total(page, total(NOTATION))
    page.locator("#circumstances [data-name=self_drawn]").evaluate("button => button.click()")
    expect_total(page, total(NOTATION, self_drawn=True))
    reload(page)
    expect(page.locator("#hand .tile.winning")).to_have_attribute("data-code", "1m")
    expect_total(page, total(NOTATION, self_drawn=True))
    expect(page.locator("#photo")).to_be_visible()


@pytest.mark.parametrize("size", ["phone", pytest.param("desktop", marks=pytest.mark.nightly)])
def test_from_photo_to_score(
    open_page: OpenPage, address: str, photo_path: Path, size: str
) -> None:
    page = open_page(address, size)
    upload(page, photo_path)
    expect_total(page, total(NOTATION))
    expect(page.locator("#overlay .box")).to_have_count(16)
    expect(page.locator("#hand .tile.winning")).to_have_attribute("data-code", "1m")
    expect(page.locator("#fans [data-fan]").first).to_be_visible()
    page.locator("#fans [data-fan] summary").first.click()
    expect(page.locator("#fans .clause").first).to_contain_text("MCR 1998")
    expect_no_wider(page, SIZES[size][0])


@pytest.mark.nightly
def test_circumstances_change_the_score_without_a_new_upload_and_are_remembered(
    open_page: OpenPage, address: str, photo_path: Path, reader: RecordedReader
) -> None:
    page = open_page(address, "desktop")
    upload(page, photo_path)
    before = len(reader.calls)
    page.get_by_role("button", name="Self-drawn").click()
    expect_total(page, total(NOTATION, self_drawn=True))
    expect(page.locator(".payments")).to_have_count(0)
    page.get_by_role("radiogroup", name="Seat wind").get_by_role("radio", name="East").click()
    page.get_by_role("radiogroup", name="Round wind").get_by_role("radio", name="East").click()
    expect_total(page, total(NOTATION, self_drawn=True, seat_wind=Tile.EAST, round_wind=Tile.EAST))
    expect(page.locator("#open-total")).to_be_visible()
    expect(page.locator(".payments")).to_have_count(0)
    robbing = page.locator("#circumstances").get_by_role("button", name="Robbing a kong")
    robbing.click()
    expect(page.get_by_role("button", name="Self-drawn")).to_have_attribute("aria-pressed", "false")
    assert len(reader.calls) == before
    reload(page)
    expect(robbing).to_have_attribute("aria-pressed", "true")


def test_a_tile_is_corrected_with_two_taps(
    open_page: OpenPage, address: str, photo_path: Path
) -> None:
    page = open_page(address)
    upload(page, photo_path)
    page.locator('#hand .tile[data-code="5p"]').first.tap()
    page.locator('#sheet [data-key="6p"]').tap()
    expect(page.locator("#sheet")).not_to_be_visible()
    expect(page.locator("#score .verdict")).to_have_text("Not a winning hand")
    page.locator('#hand .tile[data-code="5p"]').first.tap()
    page.locator('#sheet [data-key="6p"]').tap()
    expect_total(page, total(NOTATION.replace("55p", "66p")))
    expect(page.locator("#overlay .box.edited")).to_have_count(2)


@pytest.mark.nightly
def test_the_winning_tile_is_asked_for(
    open_page: OpenPage, address: str, photo_path: Path, reader: RecordedReader
) -> None:
    reader.reading = recorded_reading(winning_known=False)
    try:
        page = open_page(address)
        upload(page, photo_path)
    finally:
        reader.reading = recorded_reading()
    expect(page.locator("#score .total")).to_have_class(re.compile("open"))
    expect(page.locator("#fans-card")).to_be_hidden()
    which = page.locator(".question[data-question=winning_tile]")
    expect(which.locator("h3")).to_have_text("Which tile completed the hand?")
    which.locator('[data-option="1m"]').tap()
    expect_total(page, total(NOTATION))
    page.locator('#hand .tile[data-code="2m"]').tap()
    page.locator("#mark-winning").tap()
    expect_total(page, total("13m55pEEE[567m,1](9999s)1h+2m"))


@pytest.mark.nightly
def test_a_tile_that_was_not_seen_but_follows_is_in_the_hand(
    open_page: OpenPage, address: str, photo_path: Path, reader: RecordedReader
) -> None:
    whole = recorded_reading()
    kong = whole.groups[2]
    reader.reading = replace(
        whole,
        tiles=tuple(tile for tile in whole.tiles if tile.id != kong.tiles[0]),
        groups=tuple(
            replace(group, tiles=group.tiles[1:]) if group is kong else group
            for group in whole.groups
        ),
    )
    try:
        page = open_page(address)
        upload(page, photo_path)
    finally:
        reader.reading = recorded_reading()
    expect(page.locator('#hand .melds .tile[data-code="9s"]')).to_have_count(4)
    expect(page.locator("#overlay .box")).to_have_count(15)
    expect_total(page, total(NOTATION))


@pytest.mark.nightly
def test_sets_are_laid_out_changed_and_put_back(
    open_page: OpenPage, address: str, photo_path: Path
) -> None:
    page = open_page(address, "desktop")
    upload(page, photo_path)
    page.locator('#hand .tile[data-code="E"]').first.click()
    page.locator('#sheet [data-set="pung"]').click()
    expect_total(page, total("23m55p[567m][EEE](9999s)1h+1m"))
    page.locator("[data-meld]", has_text="Concealed kong").click()
    page.locator('#sheet [data-kind="kong"]').click()
    page.get_by_role("button", name="Done").click()
    expect_total(page, total("23m55p[567m][EEE][9999s]1h+1m"))
    page.locator("[data-meld]", has_text="Pung").click()
    page.get_by_role("button", name="Put back into the hand").click()
    expect_total(page, total("23m55pEEE[567m][9999s]1h+1m"))


@pytest.mark.nightly
def test_a_hand_entered_tile_by_tile(open_page: OpenPage, address: str) -> None:
    page = open_page(address)
    page.locator("#by-hand").tap()
    for code in ["1m", "2m", "3m", "4m", "5m", "6m", "7m", "8m", "9m", "1p", "1p", "2s", "3s"]:
        page.locator(f'#sheet [data-key="{code}"]').tap()
    page.get_by_role("button", name="Done").tap()
    expect(page.locator(".wait")).to_have_count(2)
    expect(page.locator(".verdict")).to_have_text("Ready")
    expect(page.locator("#dock-score")).to_have_text("Ready")
    page.locator("#hand .add").tap()
    page.locator('#sheet [data-key="9s"]').tap()
    page.locator("#remove-last").tap()
    page.locator('#sheet [data-key="1s"]').tap()
    page.get_by_role("button", name="Done").tap()
    first = page.locator(".question[data-question=winning_tile] [data-option]").first
    expect(first).to_have_attribute("data-option", "1s")
    expect(first).to_contain_text("entered last")
    first.tap()
    whole = "123456789m11p23s+1s"
    expect_total(page, total(whole))
    expect(page.locator("#open-total")).to_be_visible()
    drawn = page.locator('.question[data-name="self_drawn"]')
    expect(drawn.locator('[data-option="false"]')).to_contain_text(str(total(whole)))
    expect(drawn.locator('[data-option="true"]')).to_contain_text(
        str(total(whole, self_drawn=True))
    )
    drawn.locator('[data-option="true"]').tap()
    expect_total(page, total(whole, self_drawn=True))
    expect_settled(page)
    page.locator("#none-applies").tap()
    expect(page.locator("#open-total")).to_have_count(0)
    expect_total(page, total(whole, self_drawn=True))


@pytest.mark.nightly
def test_how_a_hand_entered_by_hand_was_won_is_asked_in_chinese_and_goes_into_the_link(
    open_page: OpenPage, address: str
) -> None:
    whole = "123456789m11p23s+1s"
    page = open_page(f"{address}/#rules={MCR}&hand={quote(whole)}", "desktop", locale="zh-CN")
    drawn = page.locator('.question[data-name="self_drawn"]')
    expect(page.locator("#asked-title")).to_have_text("怎么和的？")
    expect(drawn.locator("h3")).to_have_text("自摸")
    drawn.locator('[data-option="false"]').click()
    expect_settled(page)
    page.locator("#none-applies").click()
    expect(page.locator("#open-total")).to_have_count(0)
    page.locator("#share").click()
    other = open_page(page.locator("#share-link").input_value(), "desktop")
    expect_total(other, total(whole))
    expect_settled(other)
    expect(other.locator("#asked-title")).to_have_count(0)
    expect(other.locator("#open-total")).to_have_count(0)
    other.get_by_role("button", name="Self-drawn").click()
    expect_total(other, total(whole, self_drawn=True))


@pytest.mark.nightly
def test_the_hand_under_other_rules(open_page: OpenPage, address: str, photo_path: Path) -> None:
    page = open_page(address)
    upload(page, photo_path)
    page.locator("#compare").tap()
    expect(page.locator("#sheet [data-rules]")).to_have_count(len(all_rules()))
    expect(page.locator(f"#sheet [data-rules='{MCR}']")).to_contain_text(f"{total(NOTATION)} fan")
    sichuan = page.locator("#sheet [data-rules='sichuan-2024']")
    expect(sichuan).to_contain_text("not allowed")
    expect(sichuan.locator(".fan-points.void")).to_have_css("text-decoration-line", "line-through")


@pytest.mark.nightly
def test_a_link_shows_the_hand_elsewhere(
    open_page: OpenPage, address: str, photo_path: Path
) -> None:
    page = open_page(address, "desktop")
    upload(page, photo_path)
    page.get_by_role("button", name="Self-drawn").click()
    expect_total(page, total(NOTATION, self_drawn=True))
    page.locator("#share").click()
    expect(page.locator("#share-note")).to_have_text("Link copied")
    link = page.evaluate("navigator.clipboard.readText()")
    other = open_page(link, locale="zh-CN")
    expect_total(other, total(NOTATION, self_drawn=True))
    expect(other.locator("#hand .tile.winning")).to_have_attribute("data-code", "1m")


@pytest.mark.nightly
def test_language_and_theme_switch_and_stay(
    open_page: OpenPage, address: str, photo_path: Path
) -> None:
    page = open_page(address, "desktop")
    upload(page, photo_path)
    page.locator("#language-button").click()
    expect(page.locator("html")).to_have_attribute("lang", "zh-CN")
    expect(page.locator("#fans-title")).to_have_text("计番")
    expect(page.locator("#fans [data-fan] .fan-name").first).to_have_text(re.compile(r"^[一-鿿]+$"))
    expect(page.get_by_role("button", name="自摸")).to_be_visible()
    expect(page.locator("body")).to_have_css("background-color", LIGHT)
    page.locator("#theme-button").click()
    page.locator("#theme-button").click()
    expect(page.locator("body")).to_have_css("background-color", DARK)
    page.reload()
    page.wait_for_selector("html[data-ready]")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(page.locator("#take")).to_have_text("拍照")


@pytest.mark.nightly
def test_a_chinese_phone_at_night_needs_no_switch(open_page: OpenPage, address: str) -> None:
    page = open_page(address, locale="zh-CN", dark=True)
    expect(page.locator("#take")).to_have_text("拍照")
    expect(page.locator("body")).to_have_css("background-color", DARK)


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("notes.jpg", b"my notes, no photo\n" * 20, "Not a picture"),
        pytest.param("empty.jpg", b"", "Empty file", marks=pytest.mark.nightly),
    ],
)
def test_a_file_that_is_not_a_photo_gets_a_readable_message(
    open_page: OpenPage, address: str, tmp_path: Path, name: str, data: bytes, words: str
) -> None:
    file = tmp_path / name
    file.write_bytes(data)
    page = open_page(address)
    page.set_input_files("#file", file)
    expect(page.locator("#photo-error")).to_contain_text(words)
    text = page.locator("#photo-error").inner_text()
    assert text.count("JPEG") <= 1, "advice that the message gives already"
    expect(page.locator("#take")).to_be_visible()
    expect(page.locator("#by-hand")).to_be_visible()


@pytest.mark.nightly
def test_a_photo_without_tiles_is_reported(
    open_page: OpenPage, address: str, photo_path: Path, reader: RecordedReader
) -> None:
    reader.reading = Reading()
    try:
        page = open_page(address)
        page.set_input_files("#file", photo_path)
        expect(page.locator("#photo-error")).to_contain_text("No tiles were found")
        expect(page.locator("#hand-card")).to_be_hidden()
    finally:
        reader.reading = recorded_reading()


@pytest.mark.nightly
def test_a_full_queue_is_waited_for(open_page: OpenPage, address: str, photo_path: Path) -> None:
    page = open_page(address)
    page.evaluate(RECORD)
    refused: list[str] = []

    def refuse_once(route, request) -> None:  # type: ignore[no-untyped-def]
        if refused:
            route.continue_()
            return
        refused.append(request.url)
        body = json.dumps(
            {"type": "/problems/busy", "title": "Busy", "status": 429, "detail": "Wait."}
        )
        route.fulfill(
            status=429,
            body=body,
            headers={"retry-after": "1", "content-type": "application/problem+json"},
        )

    page.route("**/v1/hands", refuse_once)
    page.set_input_files("#file", photo_path)
    expect(page.locator("[data-total]")).to_be_visible()
    assert refused
    eventually(
        lambda: any("Trying again in 1 s" in text for text in page.evaluate("window.told")), True
    )


@pytest.mark.nightly
def test_keyboard_alone_corrects_a_tile(
    open_page: OpenPage, address: str, photo_path: Path
) -> None:
    page = open_page(address, "desktop")
    upload(page, photo_path)
    expect(
        page.locator("[data-total]")
    ).to_be_visible()  # the score redraws the hand, which would take the focus away
    box = page.locator('#overlay .box[aria-label^="5 of dots"]').first
    box.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#sheet")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#sheet")).not_to_be_visible()
    expect(box).to_be_focused()
    page.locator('#hand .tile[data-code="5p"]').first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#sheet")).to_be_visible()
    page.locator('#sheet [data-key="7p"]').focus()
    page.keyboard.press("Space")
    expect(page.locator('#hand .tile[data-code="7p"]')).to_have_count(1)


def test_every_control_has_a_name_and_ids_are_unique(
    open_page: OpenPage, address: str, photo_path: Path
) -> None:
    page = open_page(address)
    upload(page, photo_path)
    nameless = page.evaluate(
        """() => [...document.querySelectorAll("button, select, input:not([aria-hidden]), a, [role=button], [role=img]")]
          .filter((e) => e.checkVisibility() && !(e.getAttribute("aria-label") || e.textContent.trim() || e.labels?.length))
          .map((e) => e.outerHTML.slice(0, 120))"""
    )
    assert nameless == []
    expect(page.locator("#announce")).to_contain_text(
        re.compile(r"Most likely .+ \(\d+%\), otherwise \d+")
    )
    expect(page.locator("h1")).to_have_count(1)
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map((e) => e.id)")
    assert len(ids) == len(set(ids))
    small = page.evaluate(
        """() => [...document.querySelectorAll("button")].filter((e) => e.checkVisibility())
          .map((e) => [e.getBoundingClientRect(), e.outerHTML.slice(0, 90)]).filter(([r]) => r.width < 24 || r.height < 24)
          .map(([, html]) => html)"""
    )
    assert small == []
