"""axe finds nothing where test_access.py does not look: sessions, the enlarged photo, all other pages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from hupai.api.app.factory import create_app
from hupai.api.web.settings import Settings
from tests.api.service import (
    MCR,
    RecordedReader,
    photo_file,
    picture,
    recorded_reading,
    served,
    wait_until,
)
from tests.e2e.conftest import OpenPage, eventually
from tests.e2e.test_access import STILL
from tests.e2e.test_page import expect_no_wider, upload

pytestmark = [pytest.mark.browser]
AXE = Axe()
BACKGROUND = "getComputedStyle(document.body).backgroundColor"
FLYING = """new MutationObserver(() => {
  window.flying = Math.max(window.flying ?? 0, document.querySelectorAll("#cheer .fly > span").length);
}).observe(document, { childList: true, subtree: true })"""
"""Counts the tiles that fly, however short they are to be seen."""


@pytest.fixture(scope="module")
def house() -> Iterator[str]:
    """A service with a case and a broadcast table."""
    app = create_app(Settings(preload=False), RecordedReader(recorded_reading(doubtful=True)))
    with served(app) as address:
        yield address


def found(page: Page, *rules: str) -> list[str]:
    """What axe says about the page as it is, once nothing moves any more; by all its rules, or by
    those named.
    """
    wait_until(lambda: bool(page.evaluate(STILL)))
    options: dict[str, Any] = {"resultTypes": ["violations"]}
    if rules:
        options["runOnly"] = list(rules)
    if not page.evaluate("typeof axe === 'object'"):
        page.evaluate(AXE.axe_script)
    answer = page.evaluate("options => axe.run(document, options)", options)
    violations: list[dict[str, Any]] = answer["violations"]
    return [
        f"{one['id']}: {node['target']} {node['html'][:120]}"
        for one in violations
        for node in one["nodes"]
    ]


@pytest.mark.nightly
@pytest.mark.parametrize(("size", "dark"), [("phone", True), ("desktop", False)])
def test_the_page_in_all_its_states(
    open_page: OpenPage, house: str, photo_path: Path, size: str, dark: bool
) -> None:
    page = open_page(house, size, dark=dark, locale="zh-CN" if dark else "en-GB")

    def tap(what: str) -> None:
        found_there = page.locator(what).first
        found_there.tap() if size == "phone" else found_there.click()

    results = {"start": found(page)}
    tap("#table-button")
    expect(page.locator("#player-3")).to_be_visible()
    results["setup"] = found(page)
    for at in range(4):
        page.fill(f"#player-{at}", f"Player {at}")
    tap("#start-table")
    expect(page.locator("#sheet")).not_to_be_visible()
    results["session"] = found(page)
    upload(page, photo_path)
    expect(page.locator(".question").first).to_be_visible()
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    results["hand"] = found(page)
    tap("#hand .tile")
    expect(page.locator("#sheet [data-key]").first).to_be_visible()
    results["tile"] = found(page)
    tap("#sheet-close")
    tap("#history-button")
    expect(page.locator("#sheet .history-item").first).to_be_visible()
    results["history"] = found(page)
    tap("#sheet-close")
    tap("#compare")
    expect(page.locator("#sheet [data-rules]").first).to_be_visible()
    results["comparison"] = found(page)
    tap("#sheet-close")
    tap("#enlarge")
    expect(page.locator("#zoom-close")).to_be_visible()
    results["photo"] = found(page)
    tap("#zoom-close")
    tap("#table-button")
    tap("#sheet-win")
    expect(page.locator("#win-fan")).to_be_visible()
    results["win"] = found(page)
    page.fill("#win-fan", "8")
    page.locator("#win-from").select_option("Player 1")
    tap("#log-win")
    expect(page.locator("#scores [data-deal]")).to_have_count(1)
    results["scores"] = found(page)
    tap("#sheet-close")
    tap("#take")
    expect(page.locator("#shutter")).to_be_enabled()
    results["camera"] = found(page)
    assert {name: one for name, one in results.items() if one} == {}


def test_the_page_with_a_hand(open_page: OpenPage, house: str, photo_path: Path) -> None:
    page = open_page(house)
    upload(page, photo_path)
    expect(page.locator(".question").first).to_be_visible()
    assert found(page) == []


@pytest.mark.parametrize(
    "path",
    [
        "/cases",
        *(
            pytest.param(path, marks=pytest.mark.nightly)
            for path in (
                "case",
                "/tile-sets",
                "/learning",
                "/overlay",
                "/overlay/{table}/operator",
                "/overlay/{table}",
                "/docs",
                "/problems",
                "/problems/busy",
            )
        ),
    ],
)
def test_every_other_page(open_page: OpenPage, house: str, path: str) -> None:
    page = open_page(house)
    if path == "case":
        name, data, _ = photo_file(picture())["photo"]
        form = {"rules": MCR, "title": "Table 3", "photo": {"name": name, "mimeType": "image/jpeg", "buffer": data}}  # fmt: skip
        case = page.request.post("/v1/cases", multipart=form).json()  # type: ignore[arg-type]
        path = f"/cases/{case['id']}"
    if "{table}" in path:
        results = {"id": "final", "name": "Final", "rules": MCR, "source": "push"}
        page.request.post("/v1/tables", data=results)
    page.goto(house + path.replace("{table}", "final"))
    if path == "/overlay/{table}":
        page.wait_for_selector('html[data-connection="live"]')
    elif "overlay" in path:  # a stream of events stays open
        page.wait_for_selector("html[data-ready]")
    else:
        page.wait_for_load_state("networkidle")
    light = found(page)
    page.emulate_media(color_scheme="dark")
    assert light + found(page, "color-contrast", "link-in-text-block") == []  # the rules on colours
    if path != "/overlay/{table}":  # the picture for the broadcast has none
        expect(page.locator("header.bar > .brand")).to_have_attribute("href", "/")
        if not path.startswith(("/docs", "/problems")):  # documents load no script
            before = page.evaluate(BACKGROUND)
            for _ in range(2):  # as the system has it, light, dark
                page.locator("header.bar #theme-button").tap()
            page.emulate_media(color_scheme="light")
            eventually(lambda: page.evaluate(BACKGROUND), before)
        expect_no_wider(page, 360)


@pytest.mark.nightly
def test_an_exceptional_hand_is_announced_once_and_without_motion_if_preferred(
    open_page: OpenPage, house: str
) -> None:
    page = open_page(house)
    none = dict.fromkeys(["last_tile", "last_of_kind", "robbing_kong", "kong_replacement"], False)
    won = json.dumps({"self_drawn": True, "seat_wind": "E", "round_wind": "E", **none})
    link = "/#" + urlencode({"rules": MCR, "hand": "19m19p19sESWNCFP+1m", "won": won})
    page.add_init_script(FLYING)
    page.goto(house + link)
    page.reload()
    expect(page.locator("#cheer strong")).to_have_text("Thirteen Orphans")
    eventually(lambda: page.evaluate("window.flying"), 14)
    running = "document.getAnimations().filter((one) => one.animationName === 'fly').length"
    page.emulate_media(reduced_motion="reduce")
    eventually(lambda: page.evaluate(running), 0)
    page.locator("#language-button").tap()
    expect(page.locator("#cheer strong")).to_have_text("十三幺")
    expect(page.locator("#cheer .fly")).to_have_count(0)  # once
