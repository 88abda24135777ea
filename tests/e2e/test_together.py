"""One session on several phones: each sees the sums and adds hands, and none takes anything from
another.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from hupai.api.app.factory import create_app
from hupai.api.auth.keys import KeyStore
from hupai.api.web.settings import Settings
from hupai.scoring.tiles import Tile
from tests.api.service import NOTATION, RecordedReader, recorded_reading, served
from tests.e2e.conftest import OpenPage, eventually
from tests.e2e.test_away import go_offline, go_online, hold, wait_until_held
from tests.e2e.test_page import expect_total, total, upload
from tests.e2e.test_table import begin, expect_sums, tell

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]


@pytest.fixture
def club(reader: RecordedReader) -> Iterator[str]:
    """A service that only this test uses."""
    reader.reading = recorded_reading()
    with served(create_app(Settings(preload=False), reader)) as address:
        yield address


def invitation(page: Page) -> str:
    """The link on the sheet that invites."""
    page.locator("#table-button").tap()
    page.locator("#table-invite").tap()
    expect(page.locator("#session-code img")).to_be_visible()
    link = page.locator("#session-link").input_value()
    page.locator("#sheet-close").tap()
    expect(page.locator("#sheet")).not_to_be_visible()
    return link


@pytest.fixture
def two_phones(open_page: OpenPage, club: str) -> tuple[Page, Page]:
    """The phones of Anna, who began a session, and of Ben, who sees it."""
    anna = open_page(club)
    begin(anna)
    ben = open_page(invitation(anna))
    expect(ben.locator("#scores")).to_be_visible()
    return anna, ben


def log_win(page: Page, winner: str, fan: int, source: str = "") -> None:
    """Log a win without a photo, until the session sheet shows it."""
    send_win(page, winner, fan, source)
    expect(page.locator("#scores")).to_be_visible()


def send_win(page: Page, winner: str, fan: int, source: str = "") -> None:
    """Log a win without a photo on the session sheet, which opens for it."""
    if not page.locator("#scores").is_visible():
        page.locator("#table-button").tap()
    page.locator("#sheet-win").tap()
    page.locator("#win-player").select_option(winner)
    page.locator("#win-from").select_option(source)
    page.fill("#win-fan", str(fan))
    page.locator("#log-win").tap()


def answer_busy(page: Page, method: str) -> None:
    """The service has no time for what the page asks about sessions by this method."""
    busy = {"type": "/problems/busy", "title": "Busy", "detail": "Busy.", "status": 429}

    def answer(route: Route) -> None:
        if route.request.method == method:
            route.fulfill(status=429, json=busy)
        else:
            route.continue_()

    page.route("**/v1/sessions/*", answer)


def end_offline(page: Page, winner: str, fan: int) -> None:
    """Log a win and end the session without a connection."""
    go_offline(page)
    log_win(page, winner, fan)
    page.locator("#table-end").tap()
    expect(page.locator("#begin-table")).to_be_visible()


def held_on_the_shelf(page: Page) -> int:
    """How many acts the session that was put away last holds back."""
    return int(page.evaluate("JSON.parse(localStorage.getItem('hupai.tables'))[0].held.length"))


def reopen_last(page: Page) -> None:
    """Open the session that was put away last."""
    page.locator("#begin-table").tap()
    page.locator("#sheet [data-uid^=past-]").first.tap()
    expect(page.locator("#scores")).to_be_visible()


@pytest.mark.nightly
def test_four_phones_see_and_continue_one_session(
    open_page: OpenPage, club: str, photo_path: Path
) -> None:
    anna = open_page(club)
    begin(anna)
    link = invitation(anna)
    assert link.startswith(f"{club}/#session=")
    others = [open_page(link, locale=locale) for locale in ("en-GB", "zh-CN", "en-GB")]
    ben, ming, chiara = others
    for phone in others:
        expect(phone.locator("#scores")).to_be_visible()
        phone.locator("#sheet-close").tap()
        expect(phone).to_have_url(f"{club}/")
        expect(phone.locator("#board .seat .name")).to_have_text(["Anna", "Ben", "Chiara", "小明"])
    upload(ben, photo_path)
    tell(ben, "Ben", "from-own")
    points = total(NOTATION, self_drawn=True, seat_wind=Tile.SOUTH, round_wind=Tile.EAST)
    expect_total(ben, points)
    ben.locator("#add-to-table").tap()
    expect(ben.locator("#added")).to_contain_text("deal 1")
    lost, won = f"−{8 + points}", f"+{24 + 3 * points}"
    for phone in (anna, ming, chiara):  # without a tap
        expect(phone.locator("#board .seat b")).to_have_text([lost, won, lost, lost])
    expect(ming.locator("#board-next")).to_contain_text("第 2 盘")
    chiara.locator("#table-button").tap()
    chiara.locator("#scores .deal-tiles").tap()  # the hand that Ben photographed
    expect(chiara.locator("#hand .tile")).to_have_count(16)
    expect_total(chiara, points)
    log_win(ming, "小明", 8, "Anna")
    ben.locator("#open-table").tap()
    expect_sums(ben, [-8 - points - 16, 24 + 3 * points - 8, -8 - points - 8, -8 - points + 32])
    ming.locator("#table-undo").tap()
    expect(ben.locator("#scores [data-deal]")).to_have_count(1)
    expect(anna.locator("#board .seat b")).to_have_text([lost, won, lost, lost])
    anna.reload()
    anna.wait_for_selector("html[data-ready]")
    log_win(anna, "Anna", 10)
    expect(ben.locator("#scores [data-deal]")).to_have_count(2)


@pytest.mark.nightly
def test_deals_added_offline_are_asked_about_if_others_changed_the_session(
    two_phones: tuple[Page, Page],
) -> None:
    anna, ben = two_phones
    go_offline(ben)
    log_win(ben, "Ben", 10)
    expect(ben.locator("#sheet")).to_contain_text("The totals will be updated")
    log_win(anna, "Chiara", 20, "Anna")
    expect_sums(anna, [-28, -8, 44, -8])
    ben.locator("#sheet-close").tap()
    go_online(ben)
    held = ben.locator("#board .held")
    expect(held).to_contain_text("Ben · Self-drawn")
    expect(ben.locator("#board .seat b")).to_have_text(["−28", "−8", "+44", "−8"])
    ben.reload()  # nothing is lost
    ben.wait_for_selector("html[data-ready]")
    held.locator("button", has_text="Add it").tap()
    expect(held).to_have_count(0)
    expect(ben.locator("#board .seat b")).to_have_text(["−46", "+46", "+26", "−26"])
    expect_sums(anna, [-46, 46, 26, -26])


@pytest.mark.nightly
def test_deals_added_offline_are_sent_if_nobody_else_changed_the_session(
    two_phones: tuple[Page, Page],
) -> None:
    anna, ben = two_phones
    go_offline(ben)
    log_win(ben, "Ben", 10)
    log_win(ben, "Chiara", 8, "Ben")
    go_online(ben)
    expect(anna.locator("#board .seat b")).to_have_text(["−26", "+38", "+14", "−26"])
    expect_sums(ben, [-26, 38, 14, -26])


@pytest.mark.nightly
def test_of_two_concurrent_additions_the_later_is_asked_about(
    two_phones: tuple[Page, Page],
) -> None:
    anna, ben = two_phones
    answer_busy(ben, "GET")  # Ben's phone does not hear of it
    log_win(anna, "Ben", 10)
    expect_sums(anna, [-18, 54, -18, -18])
    log_win(ben, "Ben", 10)  # the same hand
    held = ben.locator("#sheet .held")
    expect(held).to_contain_text("Not counted yet: Ben")
    expect_sums(ben, [-18, 54, -18, -18])
    held.locator("button", has_text="Drop it").tap()
    expect(held).to_have_count(0)
    expect(ben.locator("#scores [data-deal]")).to_have_count(1)
    expect_sums(anna, [-18, 54, -18, -18])


@pytest.mark.nightly
def test_a_session_of_one_device_is_shared_later(open_page: OpenPage, club: str) -> None:
    anna = open_page(club)
    begin(anna, rules="sichuan-2024", together=False)
    anna.locator("#table-button").tap()
    anna.locator("#sheet-win").tap()
    anna.locator("#win-player").select_option("Ben")
    anna.locator("#win-from").select_option("Anna")
    anna.fill("#win-base_points", "4")
    anna.locator("#log-win").tap()
    expect_sums(anna, [-4, 4, 0, 0])
    assert anna.request.get("/v1/sessions").json() == {"sessions": []}
    anna.locator("#table-invite").tap()
    anna.locator("#share-session").tap()
    expect(anna.locator("#session-code img")).to_be_visible()
    ben = open_page(anna.locator("#session-link").input_value(), locale="zh-CN")
    expect_sums(ben, [-4, 4, 0, 0])
    expect(ben.locator("#scores .deal-hand")).to_contain_text("Ben")
    ben.locator("#sheet-kong").tap()  # the deal goes on, on another phone
    ben.locator("#kong-player").select_option("Chiara")
    ben.locator("#log-kong").tap()
    expect(ben.locator("#scores [data-deal]")).to_have_count(1)
    anna.locator("#sheet-close").tap()
    expect(anna.locator("#board .seat b").nth(2)).to_have_text("+4")


@pytest.mark.nightly
def test_a_win_logged_while_the_session_becomes_shared_is_shared_too(
    open_page: OpenPage, club: str
) -> None:
    page = open_page(club)
    begin(page, together=False)
    page.locator("#table-button").tap()
    page.locator("#table-invite").tap()
    held = hold(page, "**/v1/sessions/*", "PUT")
    page.locator("#share-session").tap()
    wait_until_held(page, held)
    page.locator("#sheet-close").tap()
    log_win(page, "Ben", 10)
    held[0].continue_()
    expect(page.locator("#board-next")).not_to_contain_text("will be updated")
    expect(page.locator("#board .seat b")).to_have_text(["−18", "+54", "−18", "−18"])

    def deals() -> list[int]:
        return [
            len(page.request.get(f"/v1/sessions/{kept['id']}").json()["log"]["deals"])
            for kept in page.request.get("/v1/sessions").json()["sessions"]
        ]

    eventually(deals, [1])


@pytest.mark.nightly
def test_a_session_put_away_without_a_connection_is_taken_up_by_its_link(
    open_page: OpenPage, club: str
) -> None:
    anna = open_page(club)
    begin(anna)
    link = invitation(anna)
    go_offline(anna)
    log_win(anna, "Ben", 10)
    anna.locator("#table-end").tap()
    go_online(anna)
    anna.evaluate("link => { location.hash = new URL(link).hash; }", link)
    expect_sums(anna, [-18, 54, -18, -18])


@pytest.mark.nightly
def test_what_an_ended_session_has_not_sent_is_sent_once_the_service_is_back(
    two_phones: tuple[Page, Page],
) -> None:
    anna, ben = two_phones
    end_offline(anna, "Ben", 10)
    go_online(anna)
    expect_sums(ben, [-18, 54, -18, -18])
    reopen_last(anna)
    expect_sums(anna, [-18, 54, -18, -18])
    expect(anna.locator("#sheet .held")).to_have_count(0)


@pytest.mark.nightly
def test_what_an_ended_session_has_not_sent_is_sent_when_the_page_is_loaded(
    two_phones: tuple[Page, Page], club: str
) -> None:
    anna, ben = two_phones
    answer_busy(anna, "PUT")
    log_win(anna, "Ben", 10)
    anna.locator("#table-end").tap()
    expect(anna.locator("#begin-table")).to_be_visible()
    again = anna.context.new_page()
    anna.close()
    again.goto(club)
    expect_sums(ben, [-18, 54, -18, -18])


@pytest.mark.nightly
def test_a_win_whose_answer_failed_after_the_session_ended_is_sent_again(
    two_phones: tuple[Page, Page],
) -> None:
    anna, ben = two_phones
    anna.locator("#table-button").tap()
    held = hold(anna, "**/v1/sessions/*", "PUT")
    anna.locator("#sheet-draw").tap()
    wait_until_held(anna, held)
    anna.locator("#table-end").tap()
    expect(anna.locator("#begin-table")).to_be_visible()
    held[0].fulfill(status=429, json={"type": "x", "title": "x", "detail": "x", "status": 429})
    expect(ben.locator("#scores [data-deal]")).to_have_count(1)


@pytest.mark.nightly
def test_what_is_not_sent_of_a_session_that_another_one_replaces_is_sent(
    two_phones: tuple[Page, Page], open_page: OpenPage, club: str
) -> None:
    anna, ben = two_phones
    chiara = open_page(club)
    begin(chiara)
    other = invitation(chiara)
    answer_busy(anna, "PUT")
    log_win(anna, "Ben", 10)
    anna.locator("#sheet-close").tap()
    anna.evaluate("link => { location.hash = new URL(link).hash; }", other)
    expect_sums(anna, [0, 0, 0, 0])
    anna.unroute("**/v1/sessions/*")
    expect_sums(ben, [-18, 54, -18, -18])
    expect_sums(anna, [0, 0, 0, 0])


@pytest.mark.nightly
def test_what_an_ended_session_sends_after_others_changed_it_is_asked_about_when_it_is_reopened(
    two_phones: tuple[Page, Page],
) -> None:
    anna, ben = two_phones
    end_offline(anna, "Ben", 10)
    log_win(ben, "Chiara", 20, "Anna")
    expect_sums(ben, [-28, -8, 44, -8])
    go_online(anna)
    eventually(lambda: held_on_the_shelf(anna), 1)
    reopen_last(anna)
    expect(anna.locator("#sheet .held")).to_contain_text("Not counted yet: Ben")
    expect_sums(anna, [-28, -8, 44, -8])
    anna.locator("#sheet .held button", has_text="Add it").tap()
    expect_sums(ben, [-46, 46, 26, -26])


@pytest.mark.nightly
def test_what_the_service_refuses_of_an_ended_session_is_shown_when_it_is_reopened(
    open_page: OpenPage, club: str
) -> None:
    anna = open_page(club)
    begin(anna)
    end_offline(anna, "Ben", 5)  # below the minimum
    go_online(anna)
    eventually(lambda: held_on_the_shelf(anna), 1)
    reopen_last(anna)
    expect(anna.locator("#sheet .held")).to_contain_text("8 are needed to win")
    expect_sums(anna, [0, 0, 0, 0])


@pytest.mark.nightly
def test_a_refused_win_goes_and_one_logged_meanwhile_stays(open_page: OpenPage, club: str) -> None:
    page = open_page(club)
    begin(page, together=False)
    held = hold(page, "**/v1/sessions", "POST")
    send_win(page, "Chiara", 5)  # below the minimum
    wait_until_held(page, held)
    page.locator("#sheet-close").tap()
    send_win(page, "Ben", 10)
    held[0].continue_()
    expect(page.locator("#photo-error")).to_contain_text("8 are needed to win")
    expect(page.locator("#board-next")).not_to_contain_text("will be updated")
    expect(page.locator("#board .seat b")).to_have_text(["−18", "+54", "−18", "−18"])


def test_a_dead_link_is_reported(open_page: OpenPage, club: str) -> None:
    page = open_page(f"{club}/#session={'0' * 32}&share=x")
    expect(page.locator("#photo-error")).to_contain_text("There is no session")


@pytest.mark.nightly
def test_the_link_is_enough_where_the_service_asks_for_keys(
    open_page: OpenPage, tmp_path: Path, reader: RecordedReader
) -> None:
    settings = Settings(preload=False, require_keys=True, data_dir=str(tmp_path))
    app = create_app(settings, reader)
    with served(app) as address:
        key, _ = KeyStore(app.state.storage.database).add("anna", ["player"])
        anna = open_page(f"{address}/#key={key}")
        begin(anna)
        guest = open_page(invitation(anna))
        expect(guest.locator("#scores")).to_be_visible()
        log_win(guest, "Ben", 10)
        expect_sums(guest, [-18, 54, -18, -18])
        expect(anna.locator("#board .seat b")).to_have_text(["−18", "+54", "−18", "−18"])
        with guest.expect_download() as saved:
            guest.locator("#table-csv").tap()
        assert "Ben" in Path(saved.value.path()).read_text("utf-8-sig")
