"""The end of a Sichuan deal on the page: who is listed as ready, and as not ready (查叫)."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import OpenPage
from tests.e2e.test_table import begin, club, expect_sums, penalise

__all__ = ["club"]  # a fixture
pytestmark = [pytest.mark.browser]


def ready_to_end(open_page: OpenPage, club: str, offence: str) -> Page:
    """Ben made a kong and then left the deal; the wall has ended."""
    page = open_page(club)
    begin(page, rules="sichuan-2024", together=False)
    page.locator("#table-button").tap()
    page.locator("#sheet-kong").tap()
    page.locator("#kong-player").select_option("Ben")
    page.locator("#log-kong").tap()
    expect_sums(page, [-2, 6, -2, -2])
    penalise(page, "Ben", reason=offence)
    page.locator("#sheet-draw").tap()
    page.fill("#ready-Anna", "2")
    return page


def test_who_left_after_a_false_win_takes_no_part_at_the_end_of_the_deal(
    open_page: OpenPage, club: str
) -> None:
    page = ready_to_end(open_page, club, "false_win")
    expect(page.locator("#ready-Ben")).not_to_be_visible()
    page.locator("#log-draw").tap()
    expect_sums(page, [2, 6 - 24, -4, -4])
    expect(page.locator("#sheet .message")).to_have_count(0)


@pytest.mark.nightly
def test_the_referee_may_list_who_left_after_a_false_win(open_page: OpenPage, club: str) -> None:
    page = ready_to_end(open_page, club, "false_win")
    page.locator("#list-Ben").check()
    expect(page.locator("#ready-Ben")).to_be_visible()
    page.locator("#log-draw").tap()
    expect_sums(page, [6, -26, -2, -2])


@pytest.mark.nightly
@pytest.mark.parametrize(("offence", "fine"), [("mistaken_win", 8), ("pig_win", 24)])
def test_who_left_for_another_reason_takes_part(
    open_page: OpenPage, club: str, offence: str, fine: int
) -> None:
    page = ready_to_end(open_page, club, offence)
    expect(page.locator("#ready-Ben")).to_be_visible()
    expect(page.locator("#list-Ben")).to_have_count(0)
    page.locator("#log-draw").tap()
    expect_sums(page, [6, -2 - fine, -2, -2])
