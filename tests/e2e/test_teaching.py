"""Corrections that teach: a missing tile tapped on the photo, something struck out, consent."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import httpx
import pytest
from playwright.sync_api import Page, Request, Route, expect

from hupai.scoring.tiles import Tile
from hupai.vision.types import Reading, ReadTile
from tests.api.service import RecordedReader, recorded_reading, wait_until
from tests.e2e.conftest import OpenPage, eventually, expect_settled, reload
from tests.e2e.test_page import upload

pytestmark = [pytest.mark.browser, pytest.mark.nightly]


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


def open_hand(open_page: OpenPage, address: str, photo_path: Path, size: str = "desktop") -> Page:
    """The page with a hand that was read and scored."""
    page = open_page(address, size)
    upload(page, photo_path)
    page.wait_for_selector("#confirm-hand")
    expect_settled(page)
    return page


@contextlib.contextmanager
def read_as(reader: RecordedReader, reading: Reading) -> Iterator[None]:
    """Meanwhile photos are read as this."""
    reader.reading = reading
    try:
        yield
    finally:
        reader.reading = recorded_reading()


def choose_orchid(page: Page) -> None:
    """Choose the orchid (兰) on the sheet, and wait until the hand is scored."""
    page.click('#sheet [data-key="6h"]')
    expect_settled(page)


def test_a_missing_tile_is_added_and_a_false_detection_removed_by_tapping(
    open_page: OpenPage, address: str, photo_path: Path
) -> None:
    page = open_hand(open_page, address, photo_path)
    flower = page.locator('#hand [data-drop="flowers"] .tile')
    flower.click()
    page.click("#no-tile")
    expect_settled(page)
    expect(flower).to_have_count(0)
    eventually(lambda: change_of(address).get("no_tiles"), [15])
    tap_photo(page, 473, 120)
    expect(page.locator("#sheet-title")).to_have_text("Is a tile missing here?")
    choose_orchid(page)
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
    choose_orchid(page)
    reload(page)
    expect(page.locator('#overlay [data-id="5000"]')).to_have_count(1)


def test_a_tile_outside_read_as_face_down_gets_its_face_or_is_struck_out(
    open_page: OpenPage, address: str, photo_path: Path, reader: RecordedReader
) -> None:
    whole = recorded_reading()
    backs = tuple(
        ReadTile(number, Tile.BACK, (x, 200.0, x + 26, 240.0), 0.9, in_hand=False)
        for number, x in ((40, 100.0), (41, 200.0))
    )
    with read_as(reader, replace(whole, tiles=(*whole.tiles, *backs))):
        page = open_hand(open_page, address, photo_path)
    page.locator('#overlay [data-id="40"]').click()
    choose_orchid(page)
    expect(page.locator('#hand [data-drop="flowers"] [data-id="40"]')).to_have_attribute(
        "data-code", "6h"
    )
    page.locator('#overlay [data-id="41"]').click()
    page.click("#no-tile")
    expect_settled(page)
    expect(page.locator('#overlay [data-id="41"]')).to_have_count(0)
    eventually(lambda: change_of(address).get("no_tiles"), [41])
    ids = cast("dict[str, Any]", change_of(address)["tile_ids"])
    assert ids["flowers"] == [15, 40]


def test_two_flowers_are_exchanged_with_one_tap(
    open_page: OpenPage, address: str, photo_path: Path, reader: RecordedReader
) -> None:
    whole = recorded_reading()
    flowers = replace(whole.groups[-1], tiles=(15, 16))
    other = replace(whole.tiles[15], id=16, tile=Tile.from_code("6h"), box=(490, 100, 516, 140))
    hand = whole.hands[0].hand
    both = replace(hand, flowers=(*hand.flowers, other.tile))
    reading = replace(
        whole,
        tiles=(*whole.tiles, other),
        groups=(*whole.groups[:-1], flowers),
        hands=(replace(whole.hands[0], hand=both),),
    )
    with read_as(reader, reading):
        page = open_hand(open_page, address, photo_path)
    first, second = (page.locator(f'#hand [data-id="{number}"]') for number in (15, 16))
    expect(first).to_have_attribute("data-code", "1h")
    first.click()
    page.click('#sheet [data-key="6h"]')
    expect(first).to_have_attribute("data-code", "6h")
    expect(second).to_have_attribute("data-code", "1h")


def test_a_tile_entered_without_a_box_is_found_on_the_photo(
    open_page: OpenPage, address: str, photo_path: Path
) -> None:
    page = open_hand(open_page, address, photo_path)
    page.click("#hand button.add")
    page.click('#sheet [data-key="6h"]')
    page.keyboard.press("Escape")
    expect_settled(page)
    entered = page.locator('#hand [data-drop="flowers"] [data-code="6h"]')
    expect(entered).to_have_count(1)
    tap_photo(page, 510, 120)
    choose_orchid(page)
    expect(entered).to_have_count(1)
    expect(entered).to_have_attribute("data-id", "5000")


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


def test_a_hand_teaches_only_once_nothing_is_in_doubt(
    open_page: OpenPage, address: str, photo_path: Path, reader: RecordedReader
) -> None:
    with read_as(reader, recorded_reading(doubtful=True)):
        page = open_hand(open_page, address, photo_path, "phone")
    page.locator("#leave-all").tap()
    page.locator('#hand [data-drop="flowers"] .tile').tap()
    page.locator("#remove-tile").tap()
    expect_settled(page)
    page.locator("#learn-yes").tap()
    expect(page.locator("#learn-hint")).to_contain_text("once no tile is in doubt")
    eventually(lambda: bool(change_of(address).get("doubts")), True)
    page.locator("#confirm-hand").tap()
    expect_settled(page)
    expect(page.locator("#learn-hint")).to_contain_text("may learn from this hand.")
    eventually(lambda: change_of(address).get("doubts"), [])
    expect(page.locator("#hand .tile.doubtful, #hand .tile.unsure")).to_have_count(0)
    expect(page.locator("#confirm-hand")).to_have_count(0)


def test_a_hand_confirmed_without_a_connection_can_be_confirmed_again(
    open_page: OpenPage, address: str, photo_path: Path
) -> None:
    page = open_hand(open_page, address, photo_path)
    page.context.set_offline(True)
    page.click("#confirm-hand")
    expect(page.locator("#photo-error")).to_be_visible()
    expect(page.locator("#confirm-hand")).to_be_visible()
    page.context.set_offline(False)
    page.click("#confirm-hand")
    expect(page.locator("#teach")).to_contain_text("Confirmed")
    reload(page)
    expect(page.locator("#teach")).to_contain_text("Confirmed")


def test_a_mark_whose_answer_was_lost_is_sent_again(
    open_page: OpenPage, address: str, photo_path: Path
) -> None:
    page = open_hand(open_page, address, photo_path)
    sent: list[str] = []

    def lose_first(route: Route) -> None:
        if route.request.method != "PATCH":
            route.continue_()
            return
        sent.append(route.request.post_data or "")
        if len(sent) > 1:
            route.continue_()
        else:
            assert route.fetch().ok  # the service keeps it, but the page is not told
            route.abort("connectionreset")

    page.route("**/v1/hands/*", lose_first)
    tap_photo(page, 510, 120)
    with page.expect_response(lambda answer: answer.request.method == "PATCH"):
        page.click('#sheet [data-key="6h"]')
    assert ["added_tiles" in body for body in sent] == [True, True]
    expect_settled(page)
    expect(page.locator(".message.error")).to_have_count(0)
    corrections = cast("list[dict[str, Any]]", newest(address)["corrections"])
    assert ["added_tiles" in one["change"] for one in corrections].count(True) == 1
    reload(page)
    page.wait_for_selector("#confirm-hand")
    expect(page.locator('#overlay [data-id="5000"]')).to_have_count(1)


def test_a_mark_that_is_undone_while_it_is_sent_stays_undone(
    open_page: OpenPage, address: str, photo_path: Path
) -> None:
    page = open_hand(open_page, address, photo_path)
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
    late.fulfill(response=answer)
    expect_settled(page)
    page.unroute_all()
    for _ in range(2):
        expect(page.locator('#overlay [data-id="5000"]')).to_have_count(0)
        expect(page.locator('#hand [data-drop="flowers"] [data-code="6h"]')).to_have_count(0)
        reload(page)
        page.wait_for_selector("#confirm-hand")
