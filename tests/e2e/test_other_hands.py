"""A photo that shows several hands: the one that is meant is tapped, and read."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import expect

from hupai.scoring.result import Severity
from hupai.scoring.tiles import Tile
from hupai.vision.types import OtherHand, PhotoProblem, Reading, ReadTile
from tests.api.service import RecordedReader, recorded_reading
from tests.e2e.conftest import OpenPage, eventually, expect_settled
from tests.e2e.test_page import upload

pytestmark = [pytest.mark.browser, pytest.mark.nightly]
PLACE = (115.0, 260.0)
"""The middle of a tile of the other hand."""


def two_hands(code: str = "several_hands", severity: Severity = Severity.WARNING) -> Reading:
    """The recorded hand, and thirteen tiles below it that are another one, as a problem says."""
    whole = recorded_reading()
    first = len(whole.tiles)
    others = tuple(
        ReadTile(
            first + at, Tile.P9, (10.0 + 30 * at, 240.0, 36.0 + 30 * at, 280.0), 0.99, in_hand=False
        )
        for at in range(13)
    )
    ids = tuple(tile.id for tile in others)
    warning = PhotoProblem(code, severity, "the photo shows 2 hands", "有 2 手牌", ids)
    return replace(
        whole, tiles=(*whole.tiles, *others), other_hands=(OtherHand(PLACE, ids),), problems=(warning,), certain=False
    )  # fmt: skip


def test_the_hand_that_is_meant_is_tapped_on_the_photo_or_below(
    open_page: OpenPage, address: str, photo_path: Path, reader: RecordedReader
) -> None:
    reader.reading = two_hands()
    reader.points.clear()
    try:
        page = open_page(address)
        upload(page, photo_path)
        expect(page.locator("#overlay .box.outside")).to_have_count(0)  # one area, not 13 boxes
        said = page.locator('[data-problem="several_hands"]')
        expect(said).to_contain_text("the photo shows 2 hands")
        expect(said.locator("[data-other] .tile")).to_have_count(13)
        page.get_by_role("button", name="Read this hand instead", exact=True).tap()
        eventually(lambda: reader.points, [PLACE])
        expect(page.locator("#progress")).to_be_hidden()
        expect(said).to_be_visible()
        said.locator("[data-other]").tap()
        eventually(lambda: reader.points, [PLACE, PLACE])
        expect(page.locator("#progress")).to_be_hidden()
        expect(said).to_be_visible()
        assert len(page.request.get("/v1/hands").json()["hands"]) >= 1
    finally:
        reader.reading = recorded_reading()


def test_a_hand_that_is_only_offered_leaves_the_photo_zoomed_to_the_one_that_was_read(
    open_page: OpenPage, address: str, photo_path: Path, reader: RecordedReader
) -> None:
    reader.points.clear()
    try:
        heights = {}
        for code, severity in (
            ("several_hands", Severity.WARNING),
            ("further_hands", Severity.NOTE),
        ):
            reader.reading = two_hands(code, severity)
            page = open_page(address)
            upload(page, photo_path)
            said = page.locator(f'[data-problem="{code}"]')
            expect(said.locator("[data-other] .tile")).to_have_count(13)
            view = page.locator("#overlay").get_attribute("viewBox")
            assert view is not None
            heights[code] = float(view.split()[3])
        assert heights["further_hands"] < heights["several_hands"]
        said.locator("[data-other]").tap()
        eventually(lambda: reader.points, [PLACE])
    finally:
        reader.reading = recorded_reading()


NOTATION_CODE = r"(?<![A-Za-z0-9])(?:\d+[mpsh])(?![A-Za-z0-9])"
"""What no text on the page may hold."""


def test_no_text_on_the_page_names_a_tile_by_its_code(
    open_page: OpenPage, address: str, photo_path: Path, reader: RecordedReader
) -> None:
    reader.reading = recorded_reading(doubtful=True)
    try:
        for locale in ("en-GB", "zh-CN"):
            page = open_page(address, locale=locale)
            upload(page, photo_path)
            expect(page.locator(".question").first).to_be_visible()
            page.evaluate(
                "document.querySelectorAll('details').forEach((one) => { one.open = true; })"
            )
            if locale == "en-GB":  # Chinese has names of its own: 九九九九条
                expect(page.locator("#fans .in-text .tile").first).to_be_visible()
            page.locator('#hand .tile[data-code="5p"]').first.tap()
            page.locator('#sheet [data-key="6p"]').tap()  # no winning hand any more
            expect_settled(page)
            shown = page.locator("main").inner_text()
            assert not re.findall(NOTATION_CODE, shown), shown
    finally:
        reader.reading = recorded_reading()
