"""Corrections that teach: a missing tile tapped on the photo, something struck out, consent."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any, cast

import httpx
import pytest
from playwright.sync_api import Error, Page, Request, Route, expect

from tests.api.service import wait_until
from tests.e2e.conftest import OpenPage, eventually, expect_settled, reload
from tests.e2e.test_page import upload

pytestmark = [pytest.mark.browser]


def newest(address: str) -> dict[str, object]:
    """The hand stored last, with its corrections."""
    hands = httpx.get(f"{address}/v1/hands", timeout=30).json()["hands"]
    where = f"{address}/v1/hands/{hands[0]['id']}"
    document: dict[str, object] = httpx.get(where, timeout=30).json()
    return document


def change_of(address: str) -> dict[str, object]:
    """The last correction of the hand stored last, as it was sent; empty where there is none."""
    corrections = newest(address)["corrections"]
    assert isinstance(corrections, list)
    return corrections[-1]["change"] if corrections else {}


def tap_photo(page: Page, x: float, y: float) -> None:
    """Tap the photo at pixels of the photo itself."""
    place = """(svg, [x, y]) => {
        svg.scrollIntoView({ block: "center", behavior: "instant" });
        const point = new DOMPoint(x, y).matrixTransform(svg.getScreenCTM());
        const hit = document.elementFromPoint(point.x, point.y)?.outerHTML ?? "";
        return [point.x, point.y, hit.startsWith("<svg") || hit.startsWith('<rect class="group')];
    }"""
    overlay = page.locator("#overlay")
    wait_until(lambda: overlay.evaluate(place, [x, y])[2])
    at = overlay.evaluate(place, [x, y])[:2]
    page.mouse.click(*at)


def test_a_missing_tile_is_added_and_a_false_detection_removed_by_tapping(
    open_page: OpenPage, address: str, photo_path: Path
) -> None:
    page = open_page(address, "desktop")
    upload(page, photo_path)
    page.wait_for_selector("#confirm-hand")
    expect_settled(page)
    flower = page.locator('#hand [data-drop="flowers"] .tile')
    flower.click()
    page.click("#no-tile")
    expect_settled(page)
    expect(flower).to_have_count(0)
    eventually(lambda: change_of(address).get("no_tiles"), [15])
    tap_photo(page, 473, 120)
    expect(page.locator("#sheet-title")).to_have_text("Is a tile missing here?")
    page.click('#sheet [data-key="6h"]')
    expect_settled(page)
    expect(page.locator('#hand [data-drop="flowers"] [data-code="6h"]')).to_be_visible()
    (added,) = cast("list[dict[str, Any]]", change_of(address)["added_tiles"])
    assert added["tile"] == "6h"
    xs = [x for x, _ in added["quad"]]
    assert max(xs) - min(xs) == pytest.approx(26, abs=1), "as wide as its neighbours"
    assert sum(xs) / 4 == pytest.approx(473, abs=2)
    page.click("#undo")
    expect(page.locator('#overlay [data-id="5000"]')).to_have_count(0)
    expect_settled(page)
    tap_photo(page, 473, 120)
    page.click('#sheet [data-key="6h"]')
    expect_settled(page)
    reload(page)
    expect(page.locator('#overlay [data-id="5000"]')).to_have_count(1)


def test_consent_is_asked_once_and_taken_back(
    open_page: OpenPage, address: str, photo_path: Path
) -> None:
    page = open_page(address, "phone")
    upload(page, photo_path)
    page.click("#confirm-hand")
    expect(page.locator("#learn-ask")).to_contain_text("stay where they are stored")
    eventually(lambda: change_of(address), {"confirmed": True})
    page.click("#learn-yes")
    expect(page.locator("#learn-back")).to_be_visible()
    where = f"{address}/v1/hands/{newest(address)['id']}/consent"
    expect(page.locator("#learn-ask")).to_have_count(0)
    eventually(lambda: httpx.get(where, timeout=30).json(), {"deployment": True, "given": True})
    page.click("#learn-back")
    expect(page.locator("#learn-back")).to_have_count(0)
    eventually(lambda: httpx.get(where, timeout=30).json()["given"], False)


def test_a_mark_that_is_undone_while_it_is_sent_stays_undone(
    open_page: OpenPage, address: str, photo_path: Path
) -> None:
    page = open_page(address, "desktop")
    upload(page, photo_path)
    page.wait_for_selector("#confirm-hand")
    expect_settled(page)
    held: list[Route] = []

    def marks(request: Request) -> bool:
        return request.method == "PATCH" and "added_tiles" in (request.post_data or "")

    def hold(route: Route) -> None:
        if marks(route.request):
            held.append(route)
        else:
            route.continue_()

    page.route("**/v1/hands/*", hold)
    tap_photo(page, 510, 120)
    with page.expect_request(marks):
        page.click('#sheet [data-key="6h"]')
    expect(page.locator('#overlay [data-id="5000"]')).to_have_count(1)
    page.click("#undo")
    expect(page.locator('#overlay [data-id="5000"]')).to_have_count(0)
    page.wait_for_timeout(300)
    assert len(held) == 1
    late = held.pop()
    answer = late.fetch()  # it reaches the service only now, after the way back was asked for
    assert answer.ok
    with contextlib.suppress(Error):  # the page waits for no answer any more
        late.fulfill(response=answer)
    expect_settled(page)
    page.unroute_all()
    for _ in range(2):
        expect(page.locator('#overlay [data-id="5000"]')).to_have_count(0)
        expect(page.locator('#hand [data-drop="flowers"] [data-code="6h"]')).to_have_count(0)
        reload(page)
        page.wait_for_selector("#confirm-hand")
