"""What the pages of broadcasts say of entries that are refused, and that they fit narrow screens."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, expect

from tests.api.overlay.service import READY, entered, make_table, overlay_app, serving
from tests.e2e.conftest import Show
from tests.e2e.test_page import expect_no_wider

pytestmark = [pytest.mark.browser]
CONCEALED = "123456789m1112p"


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """A service with the table ``final``, where a hand is proposed."""
    with serving(overlay_app(tmp_path)) as address:
        with httpx.Client(base_url=address, timeout=30) as client:
            make_table(client)
            entered(client, notation=READY)
        yield address


@pytest.mark.nightly
def test_what_was_refused_is_said_until_it_is_corrected(show: Show, address: str) -> None:
    page = show(f"{address}/overlay/final/operator", 1280, 860)
    hand = page.locator('.place[data-seat="east"] .edit input')
    hand.fill("nonsense")
    hand.press("Enter")
    expect(page.locator("#note")).to_contain_text("is no tile")
    hand.fill(CONCEALED)
    hand.press("Enter")
    expect(page.locator("#note")).to_be_hidden()
    expect(page.locator('.place[data-seat="east"] .facts')).to_contain_text("left")


@pytest.mark.nightly
def test_what_is_refused_of_a_dialog_is_said_in_it(show: Show, address: str) -> None:
    page = show(f"{address}/overlay/final/operator", 1280, 860)
    page.wait_for_selector("html[data-ready]")
    page.locator("#setup").click()
    page.locator("#places input").first.fill("East side!")
    page.locator("#save-places").click()
    expect(page.locator("#places #note")).to_be_visible()
    page.locator("#places .actions button", has_text="Close").click()
    hand = page.locator('.place[data-seat="east"] .edit input')
    hand.fill("nonsense")
    hand.press("Enter")
    expect(page.locator("body > #note")).to_contain_text("is no tile")


@pytest.mark.nightly
def test_names_of_seats_are_checked_before_they_are_sent(show: Show, address: str) -> None:
    page = show(f"{address}/overlay", 1280, 860)
    page.wait_for_selector("html[data-ready]")
    page.fill("[name=id]", "court-2")
    page.fill("[name=source]", "push")
    seats = page.locator("[name=seats]")
    valid = "input => input.checkValidity()"
    for names in ("east=Lin", "", "東 南", "a b c d e f g h i"):
        seats.fill(names)
        assert not seats.evaluate(valid), names
    expect(seats).to_have_attribute(
        "title",
        "Seats, separated by spaces: lower-case letters, digits, hyphens; players are named on the operator's page",
    )
    seats.fill(" East west ")
    assert seats.evaluate(valid)
    page.locator("#new button").click()
    page.wait_for_url("**/overlay/court-2/operator")


@pytest.mark.parametrize(
    ("width", "size"), [(320, "100%"), pytest.param(390, "200%", marks=pytest.mark.nightly)]
)
@pytest.mark.parametrize(
    "path",
    [
        "/overlay",
        pytest.param("/overlay/final/operator", marks=pytest.mark.nightly),
        pytest.param("/cases", marks=pytest.mark.nightly),
        "/check",
    ],
)
def test_nothing_is_wider_than_a_narrow_screen(
    browser: Browser, address: str, path: str, width: int, size: str
) -> None:
    with httpx.Client(base_url=address, timeout=30) as client:
        entered(client, notation=CONCEALED)
    context = browser.new_context(
        viewport={"width": width, "height": 700}, service_workers="block", bypass_csp=True
    )
    try:
        page = context.new_page()
        page.goto(f"{address}{path}")
        page.add_style_tag(content=f"html {{ font-size: {size} !important }}")
        if path != "/check":
            page.wait_for_selector("html[data-ready]")
        expect_no_wider(page, width)
    finally:
        context.close()
