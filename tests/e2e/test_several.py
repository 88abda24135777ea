"""Several photos of one hand, with the shipped weights: the first cuts it off, the second shows the
rest too.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image as Pillow
from playwright.sync_api import Page, expect

from hupai.api.app.factory import create_app
from hupai.api.web.settings import Settings
from tests.api.service import served, wait_until
from tests.e2e.conftest import OpenPage
from tests.e2e.test_examples import truth

pytestmark = [pytest.mark.browser, pytest.mark.nightly]
SCENE = "mixed-chows"


@pytest.fixture(scope="module")
def shipped() -> Iterator[str]:
    """A service with the shipped weights."""
    with served(create_app(Settings())) as address:
        yield address


@pytest.fixture(scope="module")
def photos(root: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A scene whose right part is cut off, and the scene from a little further left."""
    whole = Pillow.open(root / "examples" / f"{SCENE}.jpg")
    folder = tmp_path_factory.mktemp("photos")
    for name, box in {"cut.jpg": (0, 0, 1040, 900), "whole.jpg": (30, 60, 1600, 900)}.items():
        whole.crop(box).save(folder / name, quality=92)
    return folder / "cut.jpg", folder / "whole.jpg"


def stored_photos(page: Page) -> list[int]:
    """How many photos each stored hand has, newest first."""
    return [len(hand["photos"]) for hand in page.request.get("/v1/hands").json()["hands"]]


def test_a_second_photo_completes_the_hand(
    shipped: str, open_page: OpenPage, root: Path, photos: tuple[Path, Path]
) -> None:
    page = open_page(shipped)
    cut, whole = photos
    page.set_input_files("#file", cut)
    expect(page.locator("#hand .tile").first).to_be_visible(timeout=60_000)
    expect(page.locator("#strip")).to_be_hidden()
    page.locator("#another").tap()
    with page.expect_file_chooser() as chooser:
        page.locator("#another-choose").tap()
    chooser.value.set_files(whole)
    expect(page.locator("#strip button")).to_have_count(2)
    total = truth(root, SCENE).total
    expect(page.locator("[data-total]")).to_have_attribute("data-total", str(total), timeout=60_000)
    expect(page.locator("#strip [aria-pressed=true]")).to_have_attribute("aria-label", "Photo 2")
    boxes = page.locator("#overlay .box:not(.outside)")
    expect(boxes).to_have_count(16)
    page.locator("#strip button").first.tap()
    expect(page.locator("#strip [aria-pressed=true]")).to_have_attribute("aria-label", "Photo 1")
    wait_until(lambda: 0 < boxes.count() < 16)
    wait_until(lambda: stored_photos(page) == [2])  # the hand of the first photo alone is gone
    page.reload()
    page.wait_for_selector("html[data-ready]")
    page.locator("#history-button").tap()
    page.locator(".history-item").first.tap()
    expect(page.locator("#strip button")).to_have_count(2)
    expect(page.locator("[data-total]")).to_have_attribute("data-total", str(total))


def test_photos_chosen_at_once_are_one_hand(
    shipped: str, open_page: OpenPage, root: Path, photos: tuple[Path, Path]
) -> None:
    page = open_page(shipped, "desktop")
    page.set_input_files("#file", photos)
    expect(page.locator("#strip button")).to_have_count(2)
    expect(page.locator("[data-total]")).to_have_attribute(
        "data-total", str(truth(root, SCENE).total), timeout=60_000
    )
