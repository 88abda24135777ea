"""An example scene on the page with the shipped weights: photo, sets, fan."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from hupai.api.app.factory import create_app
from hupai.api.web.settings import Settings
from hupai.scoring.hand import Circumstances
from hupai.scoring.notation import parse_hand
from hupai.scoring.result import Score
from hupai.scoring.rule_sets import get
from hupai.scoring.tiles import Tile
from tests.api.service import served
from tests.e2e.conftest import OpenPage, expect_settled, reload

pytestmark = [pytest.mark.browser]


@pytest.fixture(scope="module")
def shipped() -> Iterator[str]:
    """A service with the shipped weights."""
    with served(create_app(Settings())) as address:
        yield address


def truth(root: Path, name: str) -> Score:
    """What a scene scores, by what it was rendered from."""
    scene = json.loads((root / "examples" / f"{name}.json").read_text(encoding="utf-8"))
    won: dict[str, Any] = scene["circumstances"]
    winds = {key: Tile.from_code(code) for key, code in won.items() if key.endswith("_wind")}
    return get(scene["rules"]).score(
        parse_hand(scene["notation"]), Circumstances(**{**won, **winds})
    )


@pytest.mark.nightly
def test_an_example_is_read_and_scored(
    shipped: str, open_page: OpenPage, root: Path, shoot: Callable[[Page, str], None]
) -> None:
    true = truth(root, "mixed-chows")
    page = open_page(shipped, "desktop")
    page.locator("[data-example='mixed-chows.jpg']").click()
    expect(page.locator("[data-total]")).to_have_attribute(
        "data-total", str(true.total), timeout=60_000
    )
    expect(page.locator("#fans [data-fan]")).to_have_count(len(true.fans))
    page.set_viewport_size({"width": 1280, "height": 1580})
    shoot(page, "scene")


@pytest.mark.nightly
def test_a_kong_whose_back_was_missed_is_whole_on_the_page(
    shipped: str, open_page: OpenPage, root: Path
) -> None:
    true = truth(root, "concealed-kong")
    page = open_page(shipped, "desktop")
    page.locator("[data-example='concealed-kong.jpg']").click()
    expect(page.locator("[data-total]")).to_have_attribute(
        "data-total", str(true.total), timeout=60_000
    )
    expect(page.locator("#hand .melds .tile[data-code='N']")).to_have_count(4)


@pytest.mark.nightly
def test_an_example_on_a_chinese_phone_at_night(
    shipped: str, open_page: OpenPage, root: Path, shoot: Callable[[Page, str], None]
) -> None:
    true = truth(root, "seven-pairs")
    page = open_page(shipped, locale="zh-CN", dark=True)
    page.locator("[data-example='seven-pairs.jpg']").tap()
    expect(page.locator("#hand .tile")).to_have_count(14, timeout=60_000)
    expect(page.locator("[data-total]")).to_have_attribute("data-total", str(true.total))
    expect(page.locator("#fans")).to_contain_text(true.fans[0].zh)
    page.locator('.question [data-option="3"]').tap()  # three players still pay
    opponents = page.locator('.question[data-name="opponents"] [data-option="3"]')
    expect(opponents.or_(page.locator("#score-card:not(:has(.open))")).first).to_be_visible()
    expect(page.locator('[data-option="3"][aria-pressed="false"]')).to_have_count(0)
    expect(page.locator("[data-total]")).to_have_attribute("data-total", str(true.total))
    shoot(page, "phone")


def photographed(page: Page, rules: str, photo: Path) -> None:
    """Read a photo under these rules, of which nothing else is told."""
    page.evaluate("(rules) => localStorage.setItem('hupai.rules', rules)", rules)
    reload(page)
    page.set_input_files("#file", photo)
    expect_settled(page)


def answers(page: Page, name: str) -> dict[str, str]:
    """What stands on the answers to a question about a circumstance, in their order."""
    options = page.locator(f'.question[data-name="{name}"] [data-option]')
    expect(options.first).to_be_visible()
    return {one.get_attribute("data-option") or "": one.inner_text() for one in options.all()}


@pytest.mark.nightly
def test_what_bars_a_win_and_what_an_answer_pays_are_told(
    shipped: str, open_page: OpenPage, root: Path
) -> None:
    page = open_page(shipped)
    photographed(page, "sichuan-2024", root / "examples" / "sichuan-kongs.jpg")
    expect(page.locator("#score .verdict")).to_have_text("Most likely valid")  # 98 %
    given_up = answers(page, "void_suit")
    assert list(given_up) == ["m", "p", "s"]  # the likely one first
    assert given_up["m"].split("\n") == ["Characters", "8 points", "receives 8–27"]
    assert given_up["p"].split("\n") == ["Dots", "8 points", "Not allowed", "receives 0"]
    pays = answers(page, "opponents")
    assert [pays[n].split("\n")[-1] for n in "123"] == [
        "receives 8–9",
        "receives 8–18",
        "receives 8–27",
    ]
    expect(page.locator("[data-rare=partner_play] b")).to_have_text(" receives 8–18")
    page.locator("#won summary").first.tap()
    expect(page.locator(".rules-note")).to_have_text("At least 1 point to win")
    page.locator('.question[data-name="void_suit"] [data-option="p"]').tap()
    expect(page.locator("#score .verdict")).to_have_text("Most likely not valid")
    expect_settled(page)
    page.locator("#none-applies").tap()  # not two against two, where void suits do not matter
    expect(page.locator("#score .verdict")).to_have_text("Not allowed")


@pytest.mark.nightly
def test_answers_that_differ_only_in_what_is_paid_are_told_apart(
    shipped: str, open_page: OpenPage, root: Path
) -> None:
    page = open_page(shipped, locale="zh-CN")
    photographed(page, "kc-2.5", root / "examples" / "concealed-kong.jpg")
    streak = answers(page, "dealer_streak")
    assert [text.split("\n")[1] for text in streak.values()] == ["8–32 倍"] * 4
    assert len({text.split("\n")[2] for text in streak.values()}) == 4
