"""The page with hands to check next, a tap each, and with how much is corrected."""

from __future__ import annotations

import re
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import OpenPage, eventually, expect_settled
from tests.e2e.test_page import upload
from tests.e2e.test_teaching import change_of, newest

pytestmark = [pytest.mark.browser]


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
