"""The overlay in 24 combinations of seats, languages and sizes: all fits, and it looks as it should.

``UPDATE_PICTURES=1`` draws the pictures anew that the test compares with; look at them before they
are committed.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, Page

from tests.api.overlay.service import WON, entered, make_table, overlay_app, serving
from tests.api.service import wait_until

pytestmark = [pytest.mark.browser]

PICTURES = Path(__file__).with_name("overlay_pictures")
NINE = "1112345678999m"
ORPHANS = "19m19p19sESWNCFP"
THREE = "234m23456s77p888p"
ONE = "234456678p2235s"
MANY_FANS = "123456789m11s99s+1s"
HANDS = {
    1: [ORPHANS],
    2: [NINE, MANY_FANS],
    3: [THREE, WON, NINE],
    4: [WON, NINE, ORPHANS, THREE],
}
PLAYERS = ["Anna 王", "陈浩", "María José Hernández García", "Lin"]
SIZES = [(1280, 720), (3840, 2160)]
COMBINATIONS = list(product(HANDS, ["zh", "en", "both"], SIZES))

MEASURE = """() => {
  const shown = (one) => one.getClientRects().length > 0;
  const texts = [...document.querySelectorAll("#seats *")].filter((one) => shown(one) &&
    [...one.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim()));
  const strips = [...document.querySelectorAll(".seat")];
  return {
    smallest: Math.min(...texts.map((one) => parseFloat(getComputedStyle(one).fontSize))),
    strips: strips.map((strip) => {
      const box = strip.getBoundingClientRect();
      const inside = [...strip.querySelectorAll(".tile, .wait, .fan, .more, .number, .mood")].filter(shown)
        .every((one) => { const at = one.getBoundingClientRect();
          return at.left >= box.left - 1 && at.right <= box.right + 1 && at.top >= box.top - 1 && at.bottom <= box.bottom + 1; });
      const name = strip.querySelector(".player");
      return {
        box: [box.left, box.top, box.right, box.bottom], inside,
        name: name.clientWidth, whole: name.scrollWidth <= name.clientWidth,
        waits: strip.querySelectorAll(".wait").length,
        shown: [...strip.querySelectorAll(".wait")].filter(shown).length,
        live: [...strip.querySelectorAll(".wait:not(.none)")].filter(shown).length,
        more: strip.querySelector(".waits .more")?.textContent ?? "",
      };
    }),
  };
}"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A service with a table for each number of seats and language, all on air."""
    with (
        serving(overlay_app(tmp_path_factory.mktemp("overlay"))) as address,
        httpx.Client(base_url=address, timeout=30) as client,
    ):
        for (count, hands), language in product(HANDS.items(), ["zh", "en", "both"]):
            table = f"t{count}-{language}"
            seats = [{"seat": str(n), "player": PLAYERS[n]} for n in range(count)]
            make_table(client, table, theme="night", language=language, seats=seats)
            for n, notation in enumerate(hands):
                entered(client, str(n), notation, table, approve=True)
        yield address


def opened(browser: Browser, address: str, count: int, size: tuple[int, int]) -> Page:
    """The overlay at rest, at this size."""
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        reduced_motion="reduce",
        service_workers="block",
    )
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector(f'#seats[data-count="{count}"]')
    ready = (
        "document.fonts.check('20px \"Hupai Sans\"') && [...document.querySelectorAll('.tile img')]"
        ".every((image) => image.complete && image.naturalWidth) && "
        "document.getAnimations().every((one) => one.playState !== 'running')"
    )
    wait_until(lambda: bool(page.evaluate(ready)))
    return page


@pytest.mark.nightly
@pytest.mark.parametrize(("count", "language", "size"), COMBINATIONS)
def test_everything_fits_and_looks_as_it_should(
    browser: Browser, address: str, count: int, language: str, size: tuple[int, int]
) -> None:
    page = opened(browser, f"{address}/overlay/t{count}-{language}", count, size)
    try:
        check(page.evaluate(MEASURE), count, size)
        compare(page.screenshot(), f"{count}-{language}-{size[1]}")
    finally:
        page.context.close()


def check(found: dict[str, Any], count: int, size: tuple[int, int]) -> None:
    """Everything lies in the graphics-safe area, is large enough to read, and is not truncated."""
    width, height = size
    assert len(found["strips"]) == count
    assert found["smallest"] >= 20 * width / 1920 - 0.01
    for strip in found["strips"]:
        left, top, right, bottom = strip["box"]
        assert left >= 0.05 * width - 1
        assert right <= 0.95 * width + 1
        assert top >= 0.05 * height - 1
        assert bottom <= 0.95 * height + 1
        assert strip["inside"]
        assert strip["whole"] or strip["name"] >= 300 * width / 1920, "a name is there"
        hidden = strip["waits"] - strip["shown"]
        assert strip["more"] == (f"+{hidden}" if hidden else "")
        assert strip["waits"] <= 9 or strip["shown"] >= 8
        assert hidden or strip["shown"] == strip["waits"]


def compare(screenshot: bytes, name: str) -> None:
    """The picture is the one that is kept, but for how a browser smooths edges."""
    now = Image.open(io.BytesIO(screenshot)).convert("RGB").resize((640, 360), Image.Resampling.BOX)
    path = PICTURES / f"{name}.webp"
    if os.environ.get("UPDATE_PICTURES"):
        PICTURES.mkdir(exist_ok=True)
        now.save(path, quality=80, method=6)
    kept = Image.open(path).convert("RGB")
    difference = np.abs(np.asarray(now, np.int16) - np.asarray(kept, np.int16)).mean(2)
    assert (difference > 40).mean() < 0.005, f"{path.name} looks different now"
