"""The service away: nothing is lost, what waits is sent when it is back, and recent hands can be
looked at.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image as Pillow
from playwright.sync_api import Page, Route, expect

from hupai.api.app.factory import create_app
from hupai.api.web.settings import Settings
from tests.api.service import NOTATION, RecordedReader, served, wait_until
from tests.e2e.conftest import OpenPage
from tests.e2e.test_page import expect_total, total, upload

pytestmark = [pytest.mark.browser]


@pytest.fixture
def own_address(reader: RecordedReader) -> Iterator[str]:
    """A service that only this test uses, so that its list of hands is its own."""
    with served(create_app(Settings(preload=False), reader)) as address:
        yield address


def stored(page: Page) -> list[dict[str, Any]]:
    """What the service keeps."""
    hands: list[dict[str, Any]] = page.request.get("/v1/hands").json()["hands"]
    return hands


def go_offline(page: Page) -> None:
    """No connection; the page has seen it."""
    page.context.set_offline(True)
    expect(page.locator("#notice")).to_contain_text("You are offline")


def go_online(page: Page) -> None:
    """The connection is back; the page has seen it and has sent all."""
    page.context.set_offline(False)
    expect(page.locator("#notice")).to_be_hidden()


def hold(page: Page, url: str, method: str) -> list[Route]:
    """Hold back the first request of this kind, so that something else can come in between."""
    held: list[Route] = []

    def take(route: Route) -> None:
        if route.request.method == method and not held:
            held.append(route)
        else:
            route.continue_()

    page.route(url, take)
    return held


def wait_until_held(page: Page, held: list[Route]) -> None:
    """The page has sent the request that `hold` holds back."""
    while not held:
        page.wait_for_timeout(20)


def ready(page: Page) -> None:
    """The worker has kept all that the page is made of."""
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")


@pytest.mark.nightly
def test_a_photo_taken_offline_survives_a_reload_and_is_read_once_when_the_service_is_back(
    own_address: str, open_page: OpenPage, photo_path: Path
) -> None:
    page = open_page(own_address, workers=True)
    ready(page)
    go_offline(page)
    page.set_input_files("#file", photo_path)
    expect(page.locator("#photo-error")).to_contain_text("Your photo is saved on this device")
    expect(page.locator("#photo")).to_be_visible()
    expect(page.locator("#waiting-count")).to_have_text("1")
    page.reload()
    page.wait_for_selector("html[data-ready]")
    expect(page.locator("#notice")).to_contain_text("1 waiting to be sent")
    page.locator("#history-button").click()
    expect(page.locator(".history-list .waits")).to_contain_text("waiting to be sent")
    page.locator("#sheet-close").click()
    go_online(page)
    page.locator("#history-button").click()
    expect(page.locator(".waits")).to_have_count(0)
    page.locator(".history-item").first.click()
    expect_total(page, total(NOTATION))
    assert len(stored(page)) == 1


@pytest.mark.nightly
def test_a_photo_on_the_screen_is_read_as_soon_as_the_service_is_back(
    own_address: str, open_page: OpenPage, photo_path: Path
) -> None:
    page = open_page(own_address)
    go_offline(page)
    page.set_input_files("#file", photo_path)
    expect(page.locator("#photo-error")).to_be_visible()
    go_online(page)
    expect_total(page, total(NOTATION))
    expect(page.locator("#photo-error")).to_be_hidden()
    assert len(stored(page)) == 1


@pytest.mark.nightly
def test_a_correction_made_offline_is_kept_and_sent(
    own_address: str, open_page: OpenPage, photo_path: Path
) -> None:
    page = open_page(own_address)
    upload(page, photo_path)
    expect_total(page, total(NOTATION))
    go_offline(page)
    page.get_by_text("Rules and conditions").click()
    page.get_by_role("button", name="Self-drawn").click()
    expect(page.locator("#photo-error")).to_contain_text("Your correction is saved on this device")
    expect(page.locator("#score-before")).to_contain_text("the score before your last change")
    go_online(page)
    expect_total(page, total(NOTATION, self_drawn=True))
    expect(page.locator("#score-before")).to_have_count(0)
    wait_until(lambda: stored(page)[0]["total"] == total(NOTATION, self_drawn=True))


@pytest.mark.nightly
def test_an_answer_lost_on_the_way_makes_no_second_hand(
    own_address: str, open_page: OpenPage, photo_path: Path
) -> None:
    page = open_page(own_address)
    lost: list[str] = []

    def lose_the_answer(route: Route) -> None:
        if lost or route.request.method != "POST":
            route.continue_()
            return
        lost.append(
            str(route.fetch().status)
        )  # the service has read and kept it; the page does not hear of it
        route.abort("connectionreset")

    page.route("**/v1/hands", lose_the_answer)
    page.set_input_files("#file", photo_path)
    expect_total(page, total(NOTATION))
    assert lost == ["200"]
    assert len(stored(page)) == 1


@pytest.mark.nightly
def test_heic_taken_offline_is_kept_although_this_browser_cannot_show_it(
    own_address: str, open_page: OpenPage, tmp_path: Path
) -> None:
    file = io.BytesIO()
    Pillow.new("RGB", (640, 360), (20, 92, 60)).save(file, "HEIF")
    path = tmp_path / "phone.heic"
    path.write_bytes(file.getvalue())
    page = open_page(own_address)
    go_offline(page)
    page.set_input_files("#file", path)
    expect(page.locator("#photo-error")).to_contain_text("Your photo is saved on this device")
    go_online(page)
    expect_total(page, total(NOTATION))
    expect(page.locator("#photo")).to_have_js_property("naturalWidth", 640)


@pytest.mark.nightly
def test_recent_hands_can_be_viewed_without_a_connection(
    own_address: str, open_page: OpenPage, photo_path: Path
) -> None:
    page = open_page(own_address, "desktop", workers=True)
    upload(page, photo_path)
    expect_total(page, total(NOTATION))
    ready(page)
    go_offline(page)
    page.reload()  # at the first visit already
    page.wait_for_selector("html[data-ready]")
    page.locator("#history-button").click()
    page.locator(".history-item").click()
    expect_total(page, total(NOTATION))
    expect(page.locator("#overlay .box")).to_have_count(16)
    expect(page.locator("#photo")).to_have_js_property("naturalWidth", 640)
    pictures = page.locator("#hand img")
    for index in range(pictures.count()):
        expect(pictures.nth(index)).not_to_have_js_property("naturalWidth", 0)


@pytest.mark.nightly
def test_a_gateways_error_page_counts_as_away(
    own_address: str, open_page: OpenPage, photo_path: Path
) -> None:
    page = open_page(own_address)
    gone = [True]

    def gateway(route: Route) -> None:
        if gone[0]:
            route.fulfill(status=502, body="<h1>Bad gateway</h1>", content_type="text/html")
        else:
            route.continue_()

    page.route("**/v1/hands", gateway)
    page.route("**/healthz", gateway)
    page.set_input_files("#file", photo_path)
    expect(page.locator("#photo-error")).to_contain_text("The service cannot be reached")
    expect(page.locator("#notice")).to_contain_text("The service is not responding")
    gone[0] = False
    expect_total(page, total(NOTATION))
    expect(page.locator("#notice")).to_be_hidden()
