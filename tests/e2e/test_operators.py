"""The operator's page while another operator, or the camera, changes the table as well."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import httpx
import pytest
from playwright.sync_api import WebSocketRoute, expect

from tests.api.overlay.service import READY, WON, entered, make_table, overlay_app, serving
from tests.e2e.conftest import Show, eventually

pytestmark = [pytest.mark.browser]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A service on which each test makes a table of its own."""
    with serving(overlay_app(tmp_path_factory.mktemp("overlay"))) as address:
        yield address


MIDDLE = """(selector) => {
  const box = document.querySelector(selector).getBoundingClientRect();
  return [box.x + box.width / 2, box.y + box.height / 2];
}"""
"""Where an element is that may be drawn anew at any time."""


@pytest.mark.nightly
def test_what_the_operator_types_and_presses_outlives_a_change_of_another_seat(
    show: Show, address: str
) -> None:
    with httpx.Client(base_url=address, timeout=30) as client:
        make_table(client, delay_seconds=600)
        entered(client, approve=True)
        page = show(f"{address}/overlay/final/operator", 1280, 900)
        east = page.locator('.place[data-seat="east"]')
        west = page.locator('.place[data-seat="west"]')
        typed = east.locator(".edit input")
        typed.fill("34m")
        entered(client, "west", READY)
        expect(west.locator(".facts .wait").first).to_be_visible()  # redrawn
        expect(typed).to_have_value("34m")
        player = east.locator(".place-head input")
        player.fill("Lin W")
        entered(client, "west", WON)
        expect(west.locator(".total")).to_be_visible()
        page.keyboard.type("ei")
        page.keyboard.press("Tab")
        expect(page.locator("#queue li[data-seat=east]")).to_contain_text("Lin Wei")
        page.mouse.move(*page.evaluate(MIDDLE, "#queue li[data-seat=east] button"))
        page.mouse.down()
        entered(client, "west", READY)
        page.wait_for_timeout(300)
        page.mouse.up()
        expect(east.locator(".live")).to_be_visible()


def test_places_keep_what_another_operator_changed_meanwhile(show: Show, address: str) -> None:
    with httpx.Client(base_url=address, timeout=30) as client:
        make_table(client, "places")
        page = show(f"{address}/overlay/places/operator", 1280, 900)
        page.locator("#setup").click()
        expect(page.locator("#places")).to_be_visible()
        before = client.get("/v1/tables/places").json()["table"]["seats"]
        moved = [[0.1, 0.1], [0.4, 0.1], [0.4, 0.4], [0.1, 0.4]]
        east, west = before[0] | {"player": "Zhao", "region": moved}, before[1]
        client.patch("/v1/tables/places", json={"seats": [east, west], "theme": "paper"})
        expect(page.locator('.place[data-seat="east"] .place-head input')).to_have_value("Zhao")
        page.locator("#language-choice").select_option("zh")
        seat = page.locator("#places input[aria-label]").nth(1)
        seat.fill("north")
        seat.press("Tab")
        page.locator("#save-places").click()
        expect(page.locator("#places")).to_be_hidden()
        table = client.get("/v1/tables/places").json()["table"]
        assert (table["theme"], table["language"]) == ("paper", "zh")
        assert table["seats"] == [east, west | {"seat": "north"}]


@pytest.mark.nightly
def test_the_scoreboard_keeps_what_another_operator_changed_meanwhile(
    show: Show, address: str
) -> None:
    with httpx.Client(base_url=address, timeout=30) as client:
        make_table(client, "board")
        page = show(f"{address}/overlay/board/operator", 1280, 900)
        page.locator("#board").click()
        sheet = page.locator("#board-sheet")
        expect(sheet).to_be_visible()
        scores = [{"seat": "east", "score": 24, "dealer": True}, {"seat": "west", "score": -8}]
        board = {"title": "Final", "deal": 3, "seats": scores}
        seats = [{"seat": "east", "player": "Zhao"}, {"seat": "west", "player": "Chen"}]
        client.patch("/v1/tables/board", json={"board": board, "seats": seats})
        expect(page.locator('.place[data-seat="east"] .place-head input')).to_have_value("Zhao")
        sheet.locator('fieldset[data-seat="west"] select').select_option("W")
        sheet.locator("[type=number]").first.fill("4")
        sheet.locator(".button.primary").click()
        expect(sheet).to_be_hidden()

        def stored() -> object:
            board = client.get("/v1/tables/board").json()["table"]["board"]
            row = {
                one["seat"]: (one["wind"], one["dealer"], one["score"]) for one in board["seats"]
            }
            return board["title"], board["deal"], row

        # The dialog closes as soon as the command is sent.
        eventually(stored, ("Final", 4, {"east": (None, True, 24), "west": ("W", False, -8)}))


@pytest.mark.nightly
def test_circumstances_add_up_on_a_slow_line(show: Show, address: str) -> None:
    held: list[Callable[[], None]] = []

    def slowly(line: WebSocketRoute) -> None:
        service = line.connect_to_server()
        line.on_message(lambda message: held.append(lambda: service.send(message)))

    with httpx.Client(base_url=address, timeout=30) as client:
        make_table(client, "slow")
        entered(client, table="slow")
        page = show("about:blank", 1280, 900)
        page.route_web_socket("**/v1/tables/slow/operator*", slowly)
        page.goto(f"{address}/overlay/slow/operator")
        toggle = page.locator('.place[data-seat="east"] .toggle')
        toggle.nth(0).click()
        page.wait_for_timeout(1700)
        toggle.nth(1).click()
        # What the page sends is handled while Playwright waits for the page.
        eventually(lambda: (page.evaluate("0"), len(held))[1], 2)
        for send in held:
            send()
        flags = [one.get_attribute("data-flag") or "" for one in toggle.all()[:2]]

        def stored() -> dict[str, object]:
            seats = client.get("/v1/tables/slow").json()["seats"]
            given: dict[str, object] = seats[0]["circumstances"]
            return {flag: given[flag] for flag in flags}

        eventually(stored, dict.fromkeys(flags, True))
