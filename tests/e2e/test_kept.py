"""Hands that the service keeps: corrections, the list, links, deletion, keys."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import FilePayload, Page, Route, expect

from hupai.api.app.factory import create_app
from hupai.api.auth.keys import KeyStore
from hupai.api.web.settings import Settings
from tests.api.service import NOTATION, RecordedReader, picture, served
from tests.e2e.conftest import OpenPage, eventually, expect_settled
from tests.e2e.test_away import go_offline, go_online, hold, wait_until_held
from tests.e2e.test_page import expect_total, total, upload

pytestmark = [pytest.mark.browser]


@pytest.fixture
def own_address(reader: RecordedReader) -> Iterator[str]:
    """A service that only this test uses, so that its list of hands is its own."""
    with served(create_app(Settings(preload=False), reader)) as address:
        yield address


def stored(page: Page) -> list[dict[str, Any]]:
    """What the service keeps, newest first, each hand whole."""
    hands = page.request.get("/v1/hands").json()["hands"]
    return [page.request.get(f"/v1/hands/{hand['id']}").json() for hand in hands]


def change_one(page: Page, left: int) -> None:
    """The first 5p becomes 6p, with two taps, and so many are left."""
    page.locator('#hand .tile[data-code="5p"]').first.click()
    page.locator('#sheet [data-key="6p"]').click()
    expect(page.locator('#hand .tile[data-code="5p"]')).to_have_count(left)


def change_pair(page: Page) -> None:
    """Both 5p become 6p, the second while the first is being scored."""
    for left in (1, 0):
        change_one(page, left)


def correct_pair(page: Page) -> None:
    """Both 5p become 6p, and the service has kept it."""
    for left in (1, 0):
        expect_settled(page)  # or the tile may be drawn anew between press and release
        change_one(page, left)
    expect_settled(page)
    expect_total(page, total(NOTATION.replace("55p", "66p")))


def test_a_correction_is_appended_to_what_was_read(
    own_address: str, open_page: OpenPage, photo_path: Path
) -> None:
    page = open_page(own_address)
    upload(page, photo_path)
    correct_pair(page)
    (hand,) = stored(page)
    assert [tile["tile"] for tile in hand["reading"]["tiles"]].count(
        "5p"
    ) == 2  # what the model saw stays
    assert "66p" in hand["corrections"][-1]["notation"]
    assert hand["result"]["score"]["total"] == total(NOTATION.replace("55p", "66p"))
    last = hand["corrections"][-1]["change"]
    corrected = [
        i
        for i, code in zip(last["tile_ids"]["concealed"], last["hand"]["concealed"], strict=True)
        if code == "6p"
    ]
    assert [hand["reading"]["tiles"][i]["tile"] for i in corrected] == ["5p", "5p"]


def test_a_tile_that_an_old_correction_names_twice_is_sent_once(
    own_address: str, open_page: OpenPage
) -> None:
    page = open_page(own_address)
    ids = page.evaluate(
        """async () => {
          const { fromCorrected, tileIds } = await import("/page/js/hand/hand.js");
          const reading = { tiles: [{ id: 0, tile: "1m" }, { id: 1, tile: "1m" }] };
          const hand = { concealed: ["1m", "1m"], melds: [], winning_tile: "1m", flowers: [] };
          const named = { concealed: [0, 0], melds: [], winning_tile: 9, flowers: [] };
          return tileIds(fromCorrected(reading, hand, named));
        }"""
    )
    assert ids == {"concealed": [0, None], "melds": [], "winning_tile": None, "flowers": []}


@pytest.mark.nightly
def test_a_correction_waits_for_the_one_that_is_on_its_way(
    own_address: str, open_page: OpenPage, photo_path: Path
) -> None:
    page = open_page(own_address)
    upload(page, photo_path)
    sent: list[Route] = []

    def hold_the_first(route: Route) -> None:
        if route.request.method != "PATCH":
            route.continue_()
            return
        sent.append(route)
        if len(sent) > 1:
            route.continue_()

    page.route("**/v1/hands/*", hold_the_first)
    change_pair(page)
    page.wait_for_timeout(300)
    assert len(sent) == 1  # the second does not overtake the first
    sent[0].continue_()
    expect_settled(page)
    expect_total(page, total(NOTATION.replace("55p", "66p")))
    (hand,) = stored(page)
    assert "66p" in hand["corrections"][-1]["notation"]
    assert hand["result"]["score"]["total"] == total(NOTATION.replace("55p", "66p"))


@pytest.mark.nightly
def test_a_tile_that_is_pressed_while_the_answer_comes_is_tapped(
    own_address: str, open_page: OpenPage, photo_path: Path
) -> None:
    page = open_page(own_address)
    upload(page, photo_path)
    held = hold(page, "**/v1/hands/*", "PATCH")
    change_one(page, 1)
    wait_until_held(page, held)
    page.locator('#hand .tile[data-code="5p"]').first.hover()
    page.mouse.down()
    held[0].continue_()
    expect_settled(page)  # the hand is complete in another way now, and is to be drawn anew
    page.mouse.up()
    expect(page.locator("#sheet")).to_be_visible()
    page.locator('#sheet [data-key="6p"]').click()
    expect_settled(page)
    expect_total(page, total(NOTATION.replace("55p", "66p")))


@pytest.mark.nightly
def test_a_stored_hand_that_comes_late_does_not_replace_the_photo_chosen_meanwhile(
    own_address: str, open_page: OpenPage, photo_path: Path
) -> None:
    other = open_page(own_address)
    upload(other, photo_path)
    correct_pair(other)
    page = open_page(own_address)
    held = hold(page, "**/v1/hands/*", "GET")
    page.locator("#history-button").click()
    page.locator("#stored-hands .history-item").click()
    wait_until_held(page, held)
    upload(page, photo_path)
    expect_total(page, total(NOTATION))
    held[0].continue_()
    page.wait_for_timeout(600)
    expect(page.locator('#hand .tile[data-code="5p"]')).to_have_count(2)  # and not 6p


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("act", "asked"),
    [
        ("location.hash = 'rules=mcr-1998&hand=123456789m123p55s'", ("**/v1/scores", "POST")),
        ("document.querySelector('[data-example]').click()", ("**/examples/*", "GET")),
    ],
)
def test_what_was_begun_and_comes_late_does_not_replace_the_photo_chosen_meanwhile(
    own_address: str, open_page: OpenPage, photo_path: Path, act: str, asked: tuple[str, str]
) -> None:
    page = open_page(own_address)
    expect(page.locator("[data-example]").first).to_be_visible()
    held = hold(page, *asked)
    page.evaluate(act)
    wait_until_held(page, held)
    upload(page, photo_path)
    held[0].continue_()
    page.wait_for_timeout(300)
    expect(page.locator("#hand .tile")).to_have_count(16)
    expect_total(page, total(NOTATION))
    page.locator("#history-button").click()
    expect(page.locator("#sheet [data-entry]")).to_have_count(1)


@pytest.mark.nightly
def test_what_is_told_of_a_hand_outlives_the_late_answer_about_what_the_service_had(
    own_address: str, open_page: OpenPage, photo_path: Path
) -> None:
    page = open_page(own_address, "desktop")
    upload(page, photo_path)
    expect_settled(page)
    held = hold(page, "**/v1/hands/*", "GET")
    page.locator("#history-button").click()
    page.locator("#sheet [data-entry]").click()
    wait_until_held(page, held)
    answer = held[0].fetch()  # before the service knows what is told next
    page.locator("#circumstances [data-name=self_drawn]").evaluate("button => button.click()")
    expect_total(page, total(NOTATION, self_drawn=True))
    held[0].fulfill(response=answer)
    page.wait_for_timeout(300)
    expect_total(page, total(NOTATION, self_drawn=True))


@pytest.mark.nightly
def test_a_correction_that_waits_is_sent_though_the_next_hand_was_begun(
    own_address: str, open_page: OpenPage, photo_path: Path
) -> None:
    page = open_page(own_address)
    upload(page, photo_path)
    held = hold(page, "**/v1/hands/*", "PATCH")
    change_pair(page)
    page.locator(".brand").click()
    expect(page.locator("#hand-card")).to_be_hidden()
    held[0].continue_()
    eventually(lambda: "66p" in str(stored(page)[0]["corrections"]), True)
    page.locator("#history-button").click()
    expect(page.locator('#sheet [data-entry] [aria-label="6 of dots"]')).to_have_count(2)


@pytest.mark.nightly
def test_a_link_to_a_hand_whose_correction_waits_here_shows_it_corrected(
    own_address: str, open_page: OpenPage, photo_path: Path
) -> None:
    page = open_page(own_address)
    upload(page, photo_path)
    held = hold(page, "**/v1/hands/*", "PATCH")
    page.locator('#hand .tile[data-code="5p"]').first.click()
    page.locator('#sheet [data-key="6p"]').click()
    wait_until_held(page, held)
    page.evaluate("document.querySelector('#hand .tile').dataset.before = 'the link'")
    page.evaluate(f"location.hash = 'h={stored(page)[0]['id']}'")
    expect(page.locator("[data-before]")).to_have_count(0)
    expect(page.locator('#hand .tile[data-code="6p"]')).to_have_count(1)
    for route in held:
        route.continue_()
    eventually(lambda: "65p" in str(stored(page)[0]["corrections"]), True)
    expect(page.locator('#hand .tile[data-code="6p"]')).to_have_count(1)


@pytest.mark.nightly
def test_a_hand_opened_from_the_list_is_read_though_the_list_was_drawn_before(
    own_address: str, open_page: OpenPage, photo_path: Path, reader: RecordedReader
) -> None:
    page = open_page(own_address)
    with reader.held():
        page.set_input_files("#file", photo_path)
        expect(page.locator("#photo")).to_be_visible()
        page.locator("#history-button").click()
        expect(page.locator(".history-list .waits")).to_be_visible()
    expect(page.locator("#hand .tile")).to_have_count(16)
    page.locator("#sheet [data-entry]").click()
    expect(page.locator("#score-card")).to_be_visible()


@pytest.mark.nightly
def test_a_photo_is_read_though_the_next_hand_was_begun_and_two_taps_turn_it_twice(
    own_address: str, open_page: OpenPage, photo_path: Path, reader: RecordedReader
) -> None:
    page = open_page(own_address, "desktop")
    with reader.held():
        page.set_input_files("#file", photo_path)
        expect(page.locator("#photo")).to_be_visible()
        page.locator(".brand").click()
    expect(page.locator("#notice")).to_be_hidden()
    page.locator("#history-button").click()
    page.locator(".history-list li:not(.waits) [data-entry]").click()
    expect(page.locator("#score-card")).to_be_visible()
    before = page.locator("#photo").get_attribute("src") or ""
    page.evaluate("() => { for (const _ of 'ab') document.querySelector('#rotate').click(); }")
    expect(page.locator("#photo")).not_to_have_attribute("src", before)
    expect(page.locator("#hand .tile")).to_have_count(16)
    expect(page.locator("#photo")).to_have_js_property("naturalWidth", 640)
    expect(page.locator("#notice")).to_be_hidden()


@pytest.mark.nightly
def test_a_list_opened_twice_or_asked_twice_for_more_names_each_hand_once(
    own_address: str, open_page: OpenPage
) -> None:
    page = open_page(own_address, "desktop")
    for width in range(300, 321):
        photo: FilePayload = {
            "name": "hand.jpg",
            "mimeType": "image/jpeg",
            "buffer": picture(width, 200),
        }
        assert page.request.post("/v1/hands", multipart={"photo": photo, "rules": "mcr-1998"}).ok
    held = hold(page, "**/v1/hands?*", "GET")
    page.locator("#history-button").click()
    wait_until_held(page, held)
    page.locator("#sheet-close").click()
    page.locator("#history-button").click()
    expect(page.locator("#stored-hands .history-item")).to_have_count(20)
    held[0].continue_()
    more = page.locator("#more-hands")
    expect(more).to_be_visible()
    page.wait_for_timeout(200)
    expect(page.locator("#stored-hands .history-item")).to_have_count(20)
    more.evaluate("button => { button.click(); button.click(); }")
    expect(more).to_have_count(0)
    page.wait_for_timeout(200)
    expect(page.locator("#stored-hands .history-item")).to_have_count(21)


@pytest.mark.nightly
def test_a_hand_of_another_device_is_listed_opened_and_deleted(
    own_address: str, open_page: OpenPage, photo_path: Path
) -> None:
    phone = open_page(own_address)
    upload(phone, photo_path)
    correct_pair(phone)
    other = open_page(own_address, "desktop")
    other.locator("#history-button").click()
    expect(other.locator("#stored-hands .history-item")).to_contain_text(
        f"{total(NOTATION.replace('55p', '66p'))} fan"
    )
    expect(other.locator("#stored-hands .history-item > img")).to_have_js_property(
        "naturalWidth", 240
    )
    other.locator("#stored-hands .history-item").click()
    expect_total(other, total(NOTATION.replace("55p", "66p")))
    expect(other.locator("#overlay .box")).to_have_count(16)
    expect(other.locator("#overlay .box.edited")).to_have_count(2)
    expect(other.locator("#photo")).to_have_js_property("naturalWidth", 640)
    other.locator("#history-button").click()
    expect(other.locator("#stored-hands")).to_contain_text("No others")
    other.locator("#sheet [data-delete]").click()
    expect(other.locator("#sheet [data-entry]")).to_have_count(0)
    eventually(lambda: stored(other), [])


@pytest.mark.nightly
def test_a_long_list_comes_in_pages(own_address: str, open_page: OpenPage) -> None:
    page = open_page(own_address, "desktop")
    for width in range(300, 323):
        photo: FilePayload = {
            "name": "hand.jpg",
            "mimeType": "image/jpeg",
            "buffer": picture(width, 200),
        }
        assert page.request.post("/v1/hands", multipart={"photo": photo, "rules": "mcr-1998"}).ok
    page.locator("#history-button").click()
    expect(page.locator("#stored-hands .history-item")).to_have_count(20)
    page.locator("#more-hands").click()
    expect(page.locator("#stored-hands .history-item")).to_have_count(23)
    expect(page.locator("#more-hands")).to_have_count(0)


@pytest.mark.nightly
def test_a_link_opens_the_stored_hand_without_a_key(
    reader: RecordedReader, open_page: OpenPage, photo_path: Path
) -> None:
    app = create_app(Settings(preload=False, require_keys=True), reader)
    with served(app) as address:
        key, _ = KeyStore(app.state.storage.database).add("club", ["player"])
        page = open_page(address, "desktop")
        page.set_input_files("#file", photo_path)
        page.locator("#enter-key").click()
        page.locator("#key-field").fill(key)
        page.locator("#save-key").click()
        expect_total(page, total(NOTATION))
        correct_pair(page)
        page.locator("#share").click()
        expect(page.locator("#share-note")).to_have_text("Link copied")
        link = page.evaluate("navigator.clipboard.readText()")
        assert "share=" in link
        guest = open_page(link)
        expect_total(guest, total(NOTATION.replace("55p", "66p")))
        expect(guest.locator("#overlay .box.edited")).to_have_count(2)
        expect(guest.locator("#photo")).to_have_js_property("naturalWidth", 640)
        page.reload()  # the key is remembered
        page.wait_for_selector("html[data-ready]")
        page.locator("#history-button").click()
        expect(page.locator("#stored-hands")).to_contain_text("No others")


@pytest.mark.nightly
def test_a_comparison_that_comes_late_replaces_no_sheet_opened_since(
    open_page: OpenPage, address: str, photo_path: Path
) -> None:
    page = open_page(address)
    upload(page, photo_path)
    held = hold(page, "**/v1/comparisons", "POST")
    page.locator("#compare").tap()
    wait_until_held(page, held)
    page.locator("#hand .tile").first.tap()
    title = page.locator("#sheet-title").inner_text()
    with page.expect_response("**/v1/comparisons"):
        held[0].continue_()
    page.wait_for_timeout(200)
    expect(page.locator("#sheet-title")).to_have_text(title)
    page.locator("#sheet-close").tap()
    page.locator("#compare").tap()
    expect(page.locator("#sheet [data-rules]").first).to_be_visible()


@pytest.mark.nightly
def test_a_hand_that_the_service_did_not_delete_stays_and_says_so(
    own_address: str, open_page: OpenPage, photo_path: Path
) -> None:
    page = open_page(own_address)
    upload(page, photo_path)
    correct_pair(page)
    eventually(lambda: len(stored(page)), 1)
    go_offline(page)
    page.locator("#history-button").tap()
    page.locator("#sheet [data-delete]").tap()
    expect(page.locator("#not-deleted")).to_contain_text("cannot be reached")
    expect(page.locator("#sheet [data-entry]")).to_have_count(1)
    go_online(page)
    page.locator("#sheet [data-delete]").tap()
    expect(page.locator("#sheet [data-entry]")).to_have_count(0)
    expect(page.locator("#not-deleted")).to_have_count(0)
    eventually(lambda: stored(page), [])
