"""The sheet of questions about a photographed hand: what each answer scores; answered, left, taken back."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

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
from tests.e2e.conftest import OpenPage, expect_settled, reload
from tests.e2e.test_away import go_offline, go_online
from tests.e2e.test_page import expect_total, total, upload

pytestmark = [pytest.mark.browser]
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
    expect_settled(page)
    (line,) = page.request.get("/v1/hands").json()["hands"]
    hand: dict[str, Any] = page.request.get(f"/v1/hands/{line['id']}").json()
    return hand


def tell(page: Page, won: dict[str, Any]) -> None:
    """How hands are won, as chosen on this device before."""
    page.evaluate(
        "([rules, won]) => localStorage.setItem(`hupai.won.${rules}`, won)", [MCR, json.dumps(won)]
    )
    reload(page)


def row(page: Page, name: str) -> Locator:
    """The row of the sheet that asks for a circumstance."""
    return page.locator(f'.question[data-name="{name}"]')


def tile_row(page: Page) -> Locator:
    """The row of the sheet that asks for a face."""
    return page.locator('.question[data-question="tile"]')


@pytest.mark.nightly
@pytest.mark.parametrize(("share", "asked"), [(0.985, False), (0.95, True)])
def test_a_face_that_is_hardly_in_doubt_is_not_asked_and_the_total_is_shown_as_it_is(
    own_address: str,
    reader: RecordedReader,
    open_page: OpenPage,
    photo_path: Path,
    share: float,
    asked: bool,
) -> None:
    first, second = reader.reading.hands
    likely = replace(first, probability=share), replace(second, probability=1 - share)
    reader.reading = replace(reader.reading, hands=likely)
    page = open_page(own_address)
    tell(page, EAST)
    upload(page, photo_path)
    expect_settled(page)
    page.locator("#none-applies").tap()
    expect_settled(page)
    expect(tile_row(page)).to_have_count(int(asked))
    expect(page.locator("#open-total")).to_have_count(int(asked))


@pytest.mark.nightly
def test_a_circumstance_is_asked_for_answered_and_taken_back(
    own_address: str, open_page: OpenPage, photo_path: Path
) -> None:
    page = open_page(own_address)
    upload(page, photo_path)
    hand = stored(page)
    asked = hand["result"]["verdict"]["question"]
    assert asked["name"] == "self_drawn"
    drawn = row(page, "self_drawn")
    expect(drawn).to_have_attribute("aria-label", asked["message"])
    expect(drawn.locator("[data-option=true] b")).to_have_text(re.compile(r"^\d+(–\d+)? fan$"))
    expect(page.locator("#open-total")).to_contain_text("Most likely")
    expect(page.locator("#score .total")).to_have_class(re.compile("open"))
    expect(page.locator("#score .figure")).to_have_text(re.compile(r"^(\d+(–\d+)?|–)$"))
    expect(page.locator(".payments")).to_have_count(0)
    drawn.locator("[data-option=true]").tap()
    expect_total(page, total(NOTATION, self_drawn=True))
    expect(drawn.locator("[data-option=true]")).to_have_attribute("aria-pressed", "true")
    control = page.locator("#circumstances [data-name=self_drawn]")
    expect(control).to_have_attribute("aria-pressed", "true")
    after = stored(page)
    change = next(option["change"] for option in asked["options"] if option["value"] == "true")
    assert [one["change"] for one in after["corrections"]] == [change]
    assert after["circumstances"]["self_drawn"] is True
    page.locator("#undo").tap()
    expect(drawn.locator("[aria-pressed=true]")).to_have_count(0)
    expect(control).to_have_attribute("aria-pressed", "false")
    back = stored(page)
    assert back["result"] == hand["result"]
    drawn.locator("[data-option=false]").tap()
    expect(control).to_have_class(re.compile("no"))
    assert "self_drawn" not in stored(page)["result"]["verdict"]["unknown"]
    drawn.locator("[data-option=true]").tap()  # it stays on the sheet, to be changed
    expect(control).to_have_attribute("aria-pressed", "true")
    assert stored(page)["circumstances"]["self_drawn"] is True
    upload(page, photo_path)  # another hand: what was answered was about the one before
    expect(drawn.locator("[aria-pressed=true]")).to_have_count(0)
    expect(control).to_have_attribute("aria-pressed", "false")


@pytest.mark.nightly
def test_rare_circumstances_are_preset_to_no_and_one_tap_settles_the_total(
    own_address: str, open_page: OpenPage, photo_path: Path, reader: RecordedReader
) -> None:
    reader.reading = recorded_reading()
    page = open_page(own_address)
    upload(page, photo_path)
    assert stored(page)["corrections"] == [], "nothing was told"
    for name, value in [("self_drawn", "true"), ("seat_wind", "S"), ("round_wind", "W")]:
        expect_settled(page)
        if row(page, name).count():
            row(page, name).locator(f'[data-option="{value}"]').tap()
            expect(row(page, name).locator("[aria-pressed=true]")).to_have_count(1)
    how = {"self_drawn": True, "seat_wind": Tile.SOUTH, "round_wind": Tile.WEST}
    expect_total(page, total(NOTATION, **how))
    expect_settled(page)
    last = page.locator("[data-rare=last_tile]")
    expect(last).to_have_attribute("aria-pressed", "false")
    expect(last.locator("b")).to_have_text(f" {total(NOTATION, **how, last_tile=True)} fan")
    expect(page.locator(".payments")).to_have_count(0)  # not settled yet
    last.tap()
    expect_total(page, total(NOTATION, **how, last_tile=True))
    expect(last).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#none-applies")).to_have_text(
        f"None of these: {total(NOTATION, **how, last_tile=True)} fan"
    )
    expect_settled(page)
    page.locator("#none-applies").tap()
    expect(page.locator(".ask-sheet")).to_have_count(0)
    expect(page.locator(".payments").first).to_be_visible()
    verdict = stored(page)["result"]["verdict"]
    assert verdict["question"] is None
    assert stored(page)["circumstances"]["last_tile"] is True


@pytest.mark.nightly
def test_a_doubtful_tile_is_shown_and_answered(
    own_address: str, open_page: OpenPage, photo_path: Path
) -> None:
    page = open_page(own_address)
    tell(page, EAST)
    upload(page, photo_path)
    won = {"self_drawn": True, "seat_wind": Tile.EAST, "round_wind": Tile.EAST}
    expect_total(page, total(NOTATION, **won))
    which = tile_row(page)
    expect(which.locator("h3")).to_have_text("Is this tile ?")
    expect(which.locator("h3 .tile")).to_have_attribute("aria-label", "1 of characters")
    expect(page.locator(".question-picture")).to_be_visible()
    expect(which.locator('[data-option="4m"]')).to_contain_text("25% likely")
    which.locator('[data-option="4m"]').tap()
    expect_total(page, total(NOTATION.replace("+1m", "+4m"), **won))
    expect(page.locator("#hand .tile.winning")).to_have_attribute("data-code", "4m")
    expect(page.locator("#overlay .box.edited")).to_have_count(1)
    hand = stored(page)
    assert hand["result"]["hand"]["winning_tile"] == "4m"
    assert hand["corrections"][-1]["change"]["answer"]["value"] == "4m"
    page.locator("#undo").tap()
    expect(which.locator("h3 .tile")).to_have_attribute("aria-label", "1 of characters")
    expect(page.locator("#hand .tile.winning")).to_have_attribute("data-code", "1m")
    assert len(stored(page)["result"]["verdict"]["hands"]) == 2
    which.locator('[data-option="4m"]').tap()
    expect_total(page, total(NOTATION.replace("+1m", "+4m"), **won))
    other = open_page(f"{own_address}/#h={hand['id']}", "desktop")
    expect_total(other, total(NOTATION.replace("+1m", "+4m"), **won))
    expect(other.locator("#overlay .box.edited")).to_have_count(1)
    expect(other.get_by_role("button", name="Self-drawn")).to_have_attribute("aria-pressed", "true")


@pytest.mark.nightly
def test_an_answer_given_offline_is_sent_later(
    own_address: str, open_page: OpenPage, photo_path: Path
) -> None:
    page = open_page(own_address)
    tell(page, EAST)
    upload(page, photo_path)
    expect(tile_row(page)).to_be_visible()
    go_offline(page)
    tile_row(page).locator('[data-option="4m"]').tap()
    expect(page.locator("#photo-error")).to_contain_text("saved on this device")
    expect(page.locator("#hand .tile.winning")).to_have_attribute("data-code", "4m")
    expect(page.locator(".question")).to_have_count(0)
    go_online(page)
    expect(page.locator(".question").first).to_be_visible()
    hand = stored(page)
    assert [one["change"].get("answer", {}).get("value") for one in hand["corrections"]] == ["4m"]


@pytest.mark.nightly
def test_questions_are_left_open_and_asked_again(
    own_address: str, open_page: OpenPage, photo_path: Path
) -> None:
    page = open_page(own_address, locale="zh-CN")
    upload(page, photo_path)
    drawn = row(page, "self_drawn")
    expect(drawn).to_have_attribute("aria-label", "是否自摸？")
    expect(drawn.locator("[data-option=true]")).to_contain_text(re.compile(r"是\s*\d+(–\d+)? 番"))
    drawn.locator("[data-leave]").tap()
    expect(drawn).to_have_count(0)
    page.locator("#leave-all").tap()
    expect(page.locator(".question")).to_have_count(0)
    expect(page.locator("#open-total")).to_contain_text("最可能：")
    assert stored(page)["corrections"] == [], "nothing was told"
    page.locator("#ask-again").tap()
    expect(drawn).to_be_visible()


@pytest.mark.nightly
def test_a_hand_whose_answers_score_the_same_is_marked(
    open_page: OpenPage, own_address: str, reader: RecordedReader
) -> None:
    whole = recorded_reading()
    flower = replace(whole.tiles[-1], confidence=0.6, alternatives=((Tile.SUMMER, 0.4),))
    likely = (LikelyHand(HAND, 0.6), LikelyHand(replace(HAND, flowers=(Tile.SUMMER,)), 0.4))
    reader.reading = replace(whole, tiles=(*whole.tiles[:-1], flower), hands=likely, certain=False)
    page = open_page(own_address, locale="zh-CN")
    given = dict.fromkeys(OPEN_CIRCUMSTANCES, False) | EAST
    read_by = get_circumstances(page)
    form = {
        "rules": MCR,
        "circumstances": json.dumps(
            {name: value for name, value in given.items() if name in read_by}
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
    expect(page.locator("#agreed")).to_have_text("存疑的牌不影响得分。")
    expect(page.locator(".question")).to_have_count(0)
    page.locator("#language-button").tap()
    expect(page.locator("#agreed")).to_have_text("The tiles in doubt do not change the score.")


def get_circumstances(page: Page) -> set[str]:
    """The circumstances that the rules of the tests read."""
    rules = page.request.get("/v1/rules").json()["rules"]
    return {one["name"] for one in next(one for one in rules if one["id"] == MCR)["circumstances"]}


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("shares", "figure", "text"),
    [
        (
            {12: 0.56, 13: 0.41, 20: 0.03},
            "12–13",
            "Most likely 12 fan (56%); 12–13 in 97% of cases, otherwise 20 fan",
        ),
        ({12: 0.6, 13: 0.4}, "12–13", "Most likely 12 fan (60%), otherwise 13 fan"),
        ({12: 0.97, 20: 0.03}, "12", "Most likely 12 fan (97%), otherwise 20 fan"),
    ],
)
def test_a_range_that_leaves_out_the_seldom_is_given_with_its_probability(
    open_page: OpenPage, own_address: str, shares: dict[int, float], figure: str, text: str
) -> None:
    page = open_page(own_address)
    outcomes = [
        {
            "total": total,
            "probability": share,
            "complete": True,
            "legal": True,
            "waits": [],
            "winner_receives": total,
        }
        for total, share in shares.items()
    ]
    verdict = {"agreed": False, "question": {}, "outcomes": outcomes}
    found = page.evaluate(
        """async (verdict) => {
          const { openTotal } = await import("/page/js/score/questions.js");
          return openTotal(verdict, "fan");
        }""",
        verdict,
    )
    assert (found["figure"], found["text"]) == (figure, text)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("refused", "doubt", "note"),
    [
        (0.02, "Most likely valid", ""),
        (0.4, "Win in doubt", "Win in doubt"),
        (0.98, "Most likely not valid", "Not allowed"),
    ],
)
def test_a_win_that_hardly_fails_is_told_from_one_in_doubt(
    open_page: OpenPage, own_address: str, refused: float, doubt: str, note: str
) -> None:
    page = open_page(own_address)
    found = page.evaluate(
        """async (refused) => {
          const { openTotal, worth } = await import("/page/js/score/questions.js");
          const { state } = await import("/page/js/service/state.js");
          const one = { complete: true, waits: [] };
          const outcomes = [
            { ...one, total: 9, legal: true, winner_receives: 33, probability: 1 - refused },
            { ...one, total: 8, legal: false, winner_receives: 0, probability: refused },
          ];
          const note = (flowers) => {
            state.hand = { flowers: Array(flowers).fill({ code: "1h" }) };
            return worth({ outcomes: outcomes.slice(1) }, "fan").note;
          };
          const notes = [note(0), note(1)];
          state.hand = null;
          outcomes.sort((a, b) => b.probability - a.probability);
          return { ...openTotal({ agreed: false, question: {}, outcomes }, "fan"), notes,
            note: worth({ outcomes }, "fan").note };
        }""",
        refused,
    )
    assert (found["legal"], found["doubt"], found["note"]) == (None, doubt, note)
    assert found["notes"] == ["Not allowed", "Below the minimum"]  # flowers do not help to it


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("waits", "text"),
    [
        ([[], [["5m", 9]]], "Most likely not a winning hand (80%), otherwise ready, but not won"),
        ([[["5m", 9]], [["8m", 9]]], "Ready; which tiles complete the hand is still open"),
    ],
)
def test_a_hand_that_has_not_won_is_ready_or_not_a_winning_hand(
    open_page: OpenPage, own_address: str, waits: list[list[list[object]]], text: str
) -> None:
    page = open_page(own_address)
    none = {"total": 0, "complete": False, "legal": False, "winner_receives": 0}
    outcomes = [
        {**none, "probability": share, "waits": of}
        for share, of in zip((0.8, 0.2), waits, strict=True)
    ]
    found = page.evaluate(
        """async (verdict) => {
          const { openTotal } = await import("/page/js/score/questions.js");
          return openTotal(verdict, "fan");
        }""",
        {"agreed": False, "question": {}, "outcomes": outcomes},
    )
    assert (found["figure"], found["text"], found["legal"]) == ("–", text, False)


def test_a_hand_that_may_have_won_or_not_is_named_within_the_sentence(
    open_page: OpenPage, own_address: str
) -> None:
    page = open_page(own_address)
    won = {"total": 12, "complete": True, "legal": True, "winner_receives": 36, "waits": []}
    none = {"total": 0, "complete": False, "legal": False, "winner_receives": 0, "waits": []}
    outcomes = [{**won, "probability": 0.7}, {**none, "probability": 0.3}]
    found = page.evaluate(
        """async (verdict) => {
          const { openTotal } = await import("/page/js/score/questions.js");
          return openTotal(verdict, "fan").text;
        }""",
        {"agreed": False, "question": {}, "outcomes": outcomes},
    )
    assert found == "Most likely 12 fan (70%), otherwise not a winning hand"
