"""The words on air: legible in every theme, in the language asked for, whole or shortened."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Locator, expect

from tests.api.overlay.service import READY, command, entered, make_table, overlay_app, serving
from tests.e2e.conftest import OpenPage, Show, eventually
from tests.e2e.overlay_page import expect_accent, expect_at_rest

pytestmark = [pytest.mark.browser]
LONG = "Wolfeschlegelsteinhausenbergerdorff-Montgomery, Hubert Blaine (Philadelphia)"
DESCENT = """(one) => {
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = getComputedStyle(one).font;
  const text = pen.measureText("gjpqy");
  const style = getComputedStyle(one);
  const line = parseFloat(style.lineHeight);
  const baseline = (line - text.fontBoundingBoxAscent - text.fontBoundingBoxDescent) / 2 + text.fontBoundingBoxAscent;
  return one.clientHeight - baseline - text.actualBoundingBoxDescent;
}"""
"""Pixels left below the descenders of an element's text, negative if they are cut off."""
BOARD: dict[str, Any] = {
    "title": "World Mahjong Spring Open 2026, final of the invited and the qualified",
    "round_wind": "E",
    "deal": 7,
    "seats": [
        {"seat": "east", "wind": "E", "dealer": True, "score": 128},
        {"seat": "south", "wind": "S", "score": -1045},
        {"seat": "west", "wind": "W", "score": 2},
        {"seat": "north", "wind": "N", "score": 0},
    ],
}


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A table of four players with long names, two of whose hands are on air."""
    with serving(overlay_app(tmp_path_factory.mktemp("overlay"))) as address:
        with httpx.Client(base_url=address, timeout=30) as client:
            seats = [{"seat": one["seat"], "player": LONG} for one in BOARD["seats"]]
            seats[-1]["player"] = "Lin"
            make_table(client, seats=seats)
            command(client, do="settings", settings={"board": BOARD})
            entered(client, "east", approve=True)
            entered(client, "south", READY, approve=True)
        yield address


def luminance(colour: str) -> float:
    """Relative luminance of ``rgb(…)``, by WCAG."""
    shares = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    red, green, blue = (
        share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Contrast of two colours, 1 to 21."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def style(element: Locator, name: str) -> str:
    """A computed property."""
    return str(element.evaluate(f"(one) => getComputedStyle(one).{name}"))


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("theme", "accent", "plate"),
    [
        pytest.param("jade", "#ffd873", "rgb(14, 91, 70)", marks=pytest.mark.nightly),
        ("night", "#6fd3ff", "rgb(21, 24, 31)"),
        pytest.param("paper", "#a32817", "rgb(179, 48, 31)", marks=pytest.mark.nightly),
    ],
)
def test_name_score_and_wind_are_legible(
    show: Show, address: str, theme: str, accent: str, plate: str
) -> None:
    page = show(f"{address}/overlay/final?theme={theme}")
    expect_accent(page, accent)
    for seat in ("east", "south"):
        head = page.locator(f'.seat[data-seat="{seat}"] .plate')
        for part in (".player", ".mood", ".running"):
            assert contrast(style(head.locator(part), "color"), plate) >= 4.5, (seat, part)
    dealer = page.locator(".plate.dealer .wind")
    assert contrast(style(dealer, "color"), style(dealer, "backgroundColor")) >= 4.5


@pytest.mark.nightly
def test_english_alone_shows_no_chinese(show: Show, address: str) -> None:
    page = show(f"{address}/overlay/final?language=en")
    expect(page.locator(".seat")).to_have_count(2)
    expect(page.locator(".plate .wind").first).to_have_text("E", use_inner_text=True)
    expect(page.locator(".wait-worth").first).to_contain_text("fan", use_inner_text=True)
    eventually(lambda: re.findall(r"[\u4e00-\u9fff]+", page.locator("body").inner_text()), [])
    both = show(f"{address}/overlay/final?language=both")
    expect(both.locator(".plate .wind").first).to_have_text("东", use_inner_text=True)
    expect(both.locator(".wait-worth").first).not_to_contain_text("fan", use_inner_text=True)


def test_a_hand_that_holds_three_suits_is_not_called_ready_on_air(
    open_page: OpenPage, show: Show, tmp_path: Path
) -> None:
    with serving(overlay_app(tmp_path)) as address:
        with httpx.Client(base_url=address, timeout=30) as client:
            seats = [{"seat": one, "player": one} for one in ("east", "south", "west")]
            make_table(client, rules="sichuan-2024", seats=seats)
            entered(client, "south", "123456m2255p678s")
            entered(client, "east", "123456m2255p678s", approve=True)
            entered(client, "west", "123456789m2255p", approve=True)
        said = {
            "en": ("not ready", "A hand of three suits cannot win here."),
            "zh": ("未听牌", "三门齐全，不能和牌。"),
        }
        for language, (mood, why) in said.items():
            page = show(f"{address}/overlay/final?language={language}")
            east, west = (page.locator(f'.seat[data-seat="{one}"]') for one in ("east", "west"))
            expect(east.locator(".mood")).to_have_text(mood, use_inner_text=True)
            expect(east.locator(".bars")).to_have_text(why, use_inner_text=True)
            expect(east.locator(".wait")).to_have_count(0)
            expect(west.locator(".wait")).to_have_count(2)
            expect(west.locator(".bars")).to_have_count(0)
            strip, reason = east.bounding_box(), east.locator(".refused").bounding_box()
            assert strip is not None
            assert reason is not None
            assert strip["x"] <= reason["x"]
            assert reason["x"] + reason["width"] <= strip["x"] + strip["width"]
        operator = open_page(f"{address}/overlay/final/operator", "desktop")
        facts = operator.locator('.place[data-seat="south"] .facts').first
        expect(facts).to_contain_text("not ready")
        expect(facts.locator('[data-bar="three_suits"]')).to_have_text(said["en"][1])
        operator.close()  # before the service ends: its page would try to connect again


@pytest.mark.nightly
def test_the_scoreboard_stays_in_the_safe_area_and_shows_every_score(
    show: Show, address: str
) -> None:
    page = show(f"{address}/overlay/final?standings")
    expect(page.locator(".standings li")).to_have_count(4)
    expect_at_rest(page)
    boxes = [page.locator("#board").bounding_box()]
    boxes += [score.bounding_box() for score in page.locator("#board .running").all()]
    for box in boxes:
        assert box is not None
        assert box["x"] >= 0.05 * 1920 - 1
        assert box["x"] + box["width"] <= 0.95 * 1920 + 1
    shortened = "(one) => one.scrollWidth > one.clientWidth"
    for name in page.locator(".standings-name").all():
        assert name.evaluate(shortened) == (name.text_content() == LONG)
        assert name.evaluate(DESCENT) >= 0
    assert page.locator(".board-title").evaluate(DESCENT) >= 0


@pytest.mark.nightly
def test_a_shortened_name_keeps_its_descenders(show: Show, address: str) -> None:
    page = show(f"{address}/overlay/final")
    name = page.locator('.seat[data-seat="east"] .player')
    expect(name).to_have_text(LONG)
    wait = "document.fonts.check('28px \"Hupai Sans\"')"
    eventually(lambda: page.evaluate(wait), True)
    assert name.evaluate(DESCENT) >= 0
