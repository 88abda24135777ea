"""What is asked about a photographed hand: one question at a time, with what each answer scores;
answered, left, taken back.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from hupai.api.app.factory import create_app
from hupai.api.web.settings import Settings
from hupai.scoring.tiles import Tile
from hupai.vision.questions.circumstances import OPEN_CIRCUMSTANCES
from hupai.vision.types import LikelyHand
from tests.api.service import (
    HAND,
    MCR,
    NOTATION,
    RecordedReader,
    photo_file,
    picture,
    recorded_reading,
    served,
)
from tests.e2e.conftest import OpenPage
from tests.e2e.test_away import go_offline, go_online
from tests.e2e.test_page import expect_total, total, upload

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]
EAST = {"self_drawn": True, "seat_wind": "E", "round_wind": "E"}


@pytest.fixture
def own_address(reader: RecordedReader) -> Iterator[str]:
    """A service that only this test uses; its photos show a winning 1m that may be a 4m."""
    reader.reading = recorded_reading(doubtful=True)
    with served(create_app(Settings(preload=False), reader)) as address:
        yield address
    reader.reading = recorded_reading()


def stored(page: Page) -> dict[str, Any]:
    """The one hand that the service keeps, once all that was changed is there."""
    expect(page.locator("html[data-scoring]")).to_have_count(0)
    (line,) = page.request.get("/v1/hands").json()["hands"]
    hand: dict[str, Any] = page.request.get(f"/v1/hands/{line['id']}").json()
    return hand


def tell(page: Page, won: dict[str, Any]) -> None:
    """How hands are won, as chosen on this device before."""
    page.evaluate(
        "([rules, won]) => localStorage.setItem(`hupai.won.${rules}`, won)", [MCR, json.dumps(won)]
    )
    page.reload()
    page.wait_for_selector("html[data-ready]")


def test_a_circumstance_is_asked_for_answered_and_taken_back(
    own_address: str, open_page: OpenPage, photo_path: Path
) -> None:
    page = open_page(own_address)
    upload(page, photo_path)
    hand = stored(page)
    asked = hand["result"]["verdict"]["question"]
    assert asked["name"] == "self_drawn"
    title = page.locator(".question h2")
    expect(title).to_have_text(asked["message"])
    expect(page.locator(".question [data-option=true] b")).to_have_text(
        re.compile(r"^\d+(–\d+)? fan$")
    )
    expect(page.locator("#open-total")).to_contain_text("likely")
    expect(page.locator("#score .total")).to_have_class(re.compile("open"))
    expect(page.locator("#score .figure")).to_have_text(re.compile(r"^(\d+(–\d+)?|–)$"))
    expect(page.locator(".payments")).to_have_count(0)
    page.locator(".question [data-option=true]").tap()
    expect_total(page, total(NOTATION, self_drawn=True))
    expect(title).not_to_have_text(asked["message"])
    control = page.locator("#circumstances [data-name=self_drawn]")
    expect(control).to_have_attribute("aria-pressed", "true")
    after = stored(page)
    change = next(option["change"] for option in asked["options"] if option["value"] == "true")
    assert [one["change"] for one in after["corrections"]] == [change]
    assert after["circumstances"]["self_drawn"] is True
    page.locator("#undo").tap()
    expect(title).to_have_text(asked["message"])
    expect(control).to_have_attribute("aria-pressed", "false")
    back = stored(page)
    assert back["result"] == hand["result"]
    page.locator(".question [data-option=false]").tap()
    expect(control).to_have_class(re.compile("no"))
    assert "self_drawn" not in stored(page)["result"]["verdict"]["unknown"]
    upload(page, photo_path)  # another hand: what was answered was about the one before
    expect(title).to_have_text(asked["message"])
    expect(control).not_to_have_class(re.compile("no"))


def test_a_doubtful_tile_is_shown_and_answered(
    own_address: str, open_page: OpenPage, photo_path: Path
) -> None:
    page = open_page(own_address)
    tell(page, EAST)
    upload(page, photo_path)
    won = {"self_drawn": True, "seat_wind": Tile.EAST, "round_wind": Tile.EAST}
    expect_total(page, total(NOTATION, **won))
    expect(page.locator(".question h2")).to_have_text("Is this tile 1m?")
    expect(page.locator(".question-picture")).to_be_visible()
    expect(page.locator('.question [data-option="4m"]')).to_contain_text("25% likely")
    page.locator('.question [data-option="4m"]').tap()
    expect_total(page, total(NOTATION.replace("+1m", "+4m"), **won))
    expect(page.locator("#hand .tile.winning")).to_have_attribute("data-code", "4m")
    expect(page.locator("#overlay .box.edited")).to_have_count(1)
    hand = stored(page)
    assert hand["result"]["hand"]["winning_tile"] == "4m"
    assert hand["corrections"][-1]["change"]["answer"]["value"] == "4m"
    page.locator("#undo").tap()
    expect(page.locator(".question h2")).to_have_text("Is this tile 1m?")
    expect(page.locator("#hand .tile.winning")).to_have_attribute("data-code", "1m")
    assert len(stored(page)["result"]["verdict"]["hands"]) == 2
    page.locator('.question [data-option="4m"]').tap()
    expect_total(page, total(NOTATION.replace("+1m", "+4m"), **won))
    other = open_page(f"{own_address}/#h={hand['id']}", "desktop")
    expect_total(other, total(NOTATION.replace("+1m", "+4m"), **won))
    expect(other.locator("#overlay .box.edited")).to_have_count(1)
    expect(other.get_by_role("button", name="Self-drawn")).to_have_attribute("aria-pressed", "true")


def test_an_answer_given_offline_is_sent_later(
    own_address: str, open_page: OpenPage, photo_path: Path
) -> None:
    page = open_page(own_address)
    tell(page, EAST)
    upload(page, photo_path)
    expect(page.locator(".question h2")).to_have_text("Is this tile 1m?")
    go_offline(page)
    page.locator('.question [data-option="4m"]').tap()
    expect(page.locator("#photo-error")).to_contain_text("saved on this device")
    expect(page.locator("#hand .tile.winning")).to_have_attribute("data-code", "4m")
    expect(page.locator(".question")).to_have_count(0)
    go_online(page)
    expect(page.locator(".question h2")).to_be_visible()
    hand = stored(page)
    assert [one["change"].get("answer", {}).get("value") for one in hand["corrections"]] == ["4m"]


def test_questions_are_left_open_and_asked_again(
    own_address: str, open_page: OpenPage, photo_path: Path
) -> None:
    page = open_page(own_address, locale="zh-CN")
    upload(page, photo_path)
    title = page.locator(".question h2")
    expect(title).to_have_text("是否自摸？")
    expect(page.locator(".question [data-option=true]")).to_contain_text(
        re.compile(r"是\s*\d+(–\d+)? 番")
    )
    page.locator("#leave-open").tap()
    expect(title).not_to_have_text("是否自摸？")
    page.locator("#leave-all").tap()
    expect(page.locator(".question")).to_have_count(0)
    expect(page.locator("#open-total")).to_contain_text("的可能性为")
    assert stored(page)["corrections"] == [], "nothing was told"
    page.locator("#ask-again").tap()
    expect(title).to_have_text("是否自摸？")


def test_a_hand_that_comes_to_the_same_says_so(
    open_page: OpenPage, own_address: str, reader: RecordedReader
) -> None:
    whole = recorded_reading()
    flower = replace(whole.tiles[-1], confidence=0.6, alternatives=((Tile.SUMMER, 0.4),))
    likely = (LikelyHand(HAND, 0.6), LikelyHand(replace(HAND, flowers=(Tile.SUMMER,)), 0.4))
    reader.reading = replace(whole, tiles=(*whole.tiles[:-1], flower), hands=likely, certain=False)
    page = open_page(own_address, locale="zh-CN")
    told = dict.fromkeys(OPEN_CIRCUMSTANCES, False) | EAST
    read_by = get_circumstances(page)
    form = {
        "rules": MCR,
        "circumstances": json.dumps(
            {name: value for name, value in told.items() if name in read_by}
        ),
    }
    name, data, _ = photo_file(picture())["photo"]
    photo = {"name": name, "mimeType": "image/jpeg", "buffer": data}
    hand = page.request.post("/v1/hands", multipart={"photo": photo, **form}).json()  # type: ignore[dict-item]
    assert hand["result"]["verdict"]["agreed"]
    page.goto(f"{own_address}/#h={hand['id']}")
    page.wait_for_selector("html[data-ready]")
    points = total(NOTATION, self_drawn=True, seat_wind=Tile.EAST, round_wind=Tile.EAST)
    page.reload()
    expect_total(page, points)
    expect(page.locator("#agreed")).to_have_text(f"无论如何都是 {points} 番")
    expect(page.locator(".question")).to_have_count(0)
    page.locator("#language-button").tap()
    expect(page.locator("#agreed")).to_have_text(f"{points} fan either way")


def get_circumstances(page: Page) -> set[str]:
    """The circumstances that the rules of the tests read."""
    rules = page.request.get("/v1/rules").json()["rules"]
    return {one["name"] for one in next(one for one in rules if one["id"] == MCR)["circumstances"]}
