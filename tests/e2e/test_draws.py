"""A Sichuan deal on the page after a fine: who is still offered, and who is listed as ready at its
end (查叫).
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from hupai.scoring.sichuan.deal.log import OFFENCE_RULES
from tests.e2e.conftest import OpenPage
from tests.e2e.test_page import upload
from tests.e2e.test_table import NAMES, begin, club, expect_sums, penalise

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


def offered(page: Page, button: str, *fields: str) -> list[list[str]]:
    """The players that a form offers in each of its fields."""
    page.locator(f"#{button}").tap()
    found = [page.locator(f"#{name} option").all_inner_texts() for name in fields]
    page.locator("#sheet-close").tap()
    page.locator("#table-button").tap()
    return found


def test_who_left_after_a_fine_is_offered_for_nothing_but_another_fine(
    open_page: OpenPage, club: str, photo_path: Path
) -> None:
    page = open_page(club)
    begin(page, rules="sichuan-2024", together=False)
    page.locator("#table-button").tap()
    penalise(page, "Ben", reason="mistaken_win")
    penalise(page, "Anna", reason="late_pig")  # who may not win but plays on
    winners, sources = offered(page, "sheet-win", "win-player", "win-from")
    assert winners == ["Chiara", "小明"]
    assert sources[1:] == ["Anna", "Chiara", "小明"]
    makers, sources = offered(page, "sheet-kong", "kong-player", "kong-from")
    assert makers == sources == ["Anna", "Chiara", "小明"]
    (fined,) = offered(page, "sheet-penalty", "penalty-player")
    assert fined == NAMES
    page.locator("#sheet-close").tap()
    upload(page, photo_path)
    players = page.locator('[data-question="winner"] .name')
    expect(players).to_have_text(["Chiara", "小明"])
    page.locator('[data-uid="winner-Chiara"]').tap()
    expect(page.locator('[data-question="from"] .name')).to_have_text(
        ["Self-drawn", "Anna", "小明"]
    )


def test_the_page_knows_after_which_offences_a_player_leaves_or_may_not_win(root: Path) -> None:
    script = (root / "api/page/js/service/deals.js").read_text("utf-8")
    leaving, barring = (
        set(re.findall(r'"(\w+)"', line))
        for line in re.findall(r"^const (?:LEAVING|BARRING) = \[(.+)\];$", script, re.MULTILINE)
    )
    rules = OFFENCE_RULES.values()
    assert leaving == {one.offence.value for one in rules if one.leaves_deal}
    assert barring == {one.offence.value for one in rules if not (one.may_win or one.leaves_deal)}
