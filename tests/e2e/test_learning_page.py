"""The page with hands to check next, a tap each, and with how much is corrected."""

from __future__ import annotations

import re
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Route, expect

from tests.api.service import MCR, picture
from tests.e2e.conftest import OpenPage, eventually, expect_settled
from tests.e2e.test_page import upload
from tests.e2e.test_teaching import change_of, newest

pytestmark = [pytest.mark.browser, pytest.mark.nightly]


def test_a_hand_is_checked_with_one_tap_and_counted(
    open_page: OpenPage, address: str, photo_path: Path
) -> None:
    page = open_page(address, "phone")
    upload(page, photo_path)
    page.wait_for_selector("#confirm-hand")
    expect_settled(page)
    hand = newest(address)["id"]
    page.goto(f"{address}/learning")
    one = page.locator(f'.to-check [data-hand="{hand}"]')
    expect(one.locator("> img")).to_have_attribute("src", re.compile("^blob:"))
    expect(one.locator(".row-tiles .tile")).to_have_count(16)
    expect(one).not_to_contain_text("[567m")  # never notation
    one.get_by_role("button", name="All tiles are right").click()
    expect(one).to_have_count(0)
    eventually(lambda: change_of(address), {"confirmed": True})
    expect(page.locator(".drift-table td").first).not_to_be_empty()
    expect(page.locator("svg.plot circle.tiles").first).to_be_visible()
    counted = httpx.get(f"{address}/v1/learning/drift", timeout=30).json()["rows"]
    hands = sum(row["hands"] for row in counted)
    counts = page.locator(".drift-table tbody tr td:nth-child(2)")
    eventually(lambda: sum(map(int, counts.all_inner_texts())), hands)
    assert hands > 0
    page.reload()
    expect(page.locator("#next")).to_be_visible()
    expect(one).to_have_count(0)


def test_the_list_stands_before_the_pictures_and_these_come_as_one_scrolls(
    open_page: OpenPage, address: str
) -> None:
    for number in range(8):
        photo = {"photo": ("hand.png", picture(600 + number), "image/png")}
        httpx.post(f"{address}/v1/hands", files=photo, data={"rules": MCR}, timeout=60)
    page = open_page(address, "phone")
    asked: list[Route] = []
    held: list[Route] = []
    page.route("**/v1/learning/suggestions*", lambda route: held.append(route))
    page.route("**/v1/hands/*/photo*", lambda route: asked.append(route))
    page.goto(f"{address}/learning")
    expect(page.locator("#next")).to_be_visible()
    expect(page.locator("#view")).to_contain_text("Looking through")
    while not held:
        page.wait_for_timeout(20)
    held[0].continue_()
    rows = page.locator(".to-check > li")
    expect(rows.nth(7)).to_contain_text("All tiles are right")
    while not asked:  # waiting lets requests be noted
        page.wait_for_timeout(20)
    assert len(asked) < 8
    first = rows.first.locator("> img")
    expect(first).not_to_have_attribute("src", re.compile("blob:"))
    page.unroute("**/v1/hands/*/photo*")
    for route in asked:
        route.continue_()
    expect(first).to_have_attribute("src", re.compile("^blob:"))
    rows.nth(7).scroll_into_view_if_needed()
    expect(rows.nth(7).locator("> img")).to_have_attribute("src", re.compile("^blob:"))


def test_what_failed_stays_said_while_other_hands_are_confirmed(
    open_page: OpenPage, address: str
) -> None:
    for number in range(3):
        photo = {"photo": ("hand.png", picture(700 + number), "image/png")}
        httpx.post(f"{address}/v1/hands", files=photo, data={"rules": MCR}, timeout=60)
    page = open_page(address, "phone")
    page.goto(f"{address}/learning")
    rows = page.locator(".to-check > li")
    expect(rows.nth(2)).to_contain_text("All tiles are right")
    first, second, third = (
        page.locator(f'.to-check [data-hand="{rows.nth(at).get_attribute("data-hand")}"]')
        for at in range(3)
    )
    busy = {"type": "x", "title": "Busy", "detail": "Busy.", "advice": "", "status": 429}
    page.route("**/v1/hands/*", lambda route: route.fulfill(status=429, json=busy))
    failures = page.locator("#error h3")
    for count, hand in enumerate([first, second], 1):
        hand.get_by_role("button", name="All tiles are right").click()
        expect(failures).to_have_count(count)
    page.unroute("**/v1/hands/*")
    with page.expect_response("**/v1/learning/drift"):
        third.get_by_role("button", name="All tiles are right").click()
    expect(third).to_have_count(0)
    expect(failures).to_have_count(2)
    page.locator("#error button").first.click()  # of the first hand
    expect(first).to_have_count(0)
    expect(failures).to_have_count(1)
    second.get_by_role("button", name="All tiles are right").click()
    expect(second).to_have_count(0)
    expect(page.locator("#error")).to_be_hidden()
