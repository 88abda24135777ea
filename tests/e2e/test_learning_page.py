"""The page with hands to check next, a tap each, and with how much is corrected."""

from __future__ import annotations

import re
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import OpenPage
from tests.e2e.test_page import upload
from tests.e2e.test_regroup import settled
from tests.e2e.test_teaching import newest

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]


def test_a_hand_is_checked_with_one_tap_and_counted(
    open_page: OpenPage, address: str, photo_path: Path
) -> None:
    page = open_page(address, "phone")
    upload(page, photo_path)
    page.wait_for_selector("#confirm-hand")
    settled(page)
    hand = newest(address)["id"]
    page.goto(f"{address}/learning")
    one = page.locator(f'.to-check [data-hand="{hand}"]')
    expect(one.locator("img")).to_have_attribute("src", re.compile("^blob:"))
    one.get_by_role("button", name="All tiles are right").click()
    expect(one).to_have_count(0)
    assert newest(address)["corrections"][-1]["change"] == {"confirmed": True}  # type: ignore[index]
    expect(page.locator(".drift-table td").first).not_to_be_empty()
    expect(page.locator("svg.plot circle.tiles").first).to_be_visible()
    counted = httpx.get(f"{address}/v1/learning/drift").json()["rows"]
    hands = sum(row["hands"] for row in counted)
    shown = page.locator(".drift-table tbody tr td:nth-child(2)").all_inner_texts()
    assert sum(map(int, shown)) == hands > 0
    page.reload()
    expect(page.locator("#next")).to_be_visible()
    expect(one).to_have_count(0)
