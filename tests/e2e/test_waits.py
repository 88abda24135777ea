"""A hand of 13 on the page: what it waits for, or what bars it from being ready."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import OpenPage, expect_settled

pytestmark = [pytest.mark.browser]


@pytest.mark.parametrize(
    ("locale", "ready", "barred", "why"),
    [
        ("en-GB", "Ready", "Not ready", "The hand holds all three suits"),
        ("zh-CN", "听牌", "未听牌", "手牌有三门花色"),
    ],
)
def test_a_hand_that_holds_three_suits_is_not_called_ready(
    open_page: OpenPage, address: str, locale: str, ready: str, barred: str, why: str
) -> None:
    for hand, verdict, waits in (("123456m2255p678s", barred, 0), ("123456789m2255p", ready, 2)):
        where = f"{address}/#rules=sichuan-2024&hand={quote(hand)}"
        page = open_page(where, locale=locale)
        expect(page.locator("#score .total .verdict").first).to_have_text(verdict)
        expect_settled(page)
        expect(page.locator("#score .wait")).to_have_count(waits)
        said = page.locator('#score [data-problem="three_suits"]')
        expect(said).to_have_count(1 if verdict == barred else 0)
        if verdict == barred:
            expect(said).to_contain_text(why)
            expect(said).to_contain_text("查叫")
