"""A win of which there is no photo: its worth is typed in."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import OpenPage
from tests.e2e.test_table import begin, club, expect_sums

__all__ = ["club"]  # a fixture
pytestmark = [pytest.mark.browser]


@pytest.mark.parametrize(
    ("locale", "included"),
    [
        ("en-GB", ["self-draw", "robbing a kong", "dealer", "at least 2"]),
        ("zh-CN", ["自摸", "抢杠", "庄家", "最少 2 倍"]),
    ],
)
def test_a_multiplier_of_kc_includes_how_the_hand_was_won_and_is_at_least_two(
    open_page: OpenPage, club: str, locale: str, included: list[str]
) -> None:
    page = open_page(club, locale=locale)
    begin(page, rules="kc-2.5", together=False)
    page.locator("#table-button").tap()
    page.locator("#sheet-win").tap()
    field = page.locator("#win-multiplier")
    for words in included:
        expect(field).to_have_accessible_description(re.compile(words))
    page.locator("#win-player").select_option("Ben")
    field.fill("1")
    page.locator("#log-win").tap()
    expect(field).to_be_visible()  # 3.2.2: a win has a fan, so 2 times at least
    assert field.evaluate("field => field.validity.rangeUnderflow")
    field.fill("2")
    page.locator("#log-win").tap()
    expect_sums(page, [-4, 8, -2, -2])
