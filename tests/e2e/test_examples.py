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
from tests.e2e.conftest import OpenPage

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
