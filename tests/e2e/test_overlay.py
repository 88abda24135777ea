"""The overlay in Chromium: on air, reconnecting, the operator's page; pictures for the docs on the
way.

``SCREENSHOTS=1`` also plays the demonstration through the real model and keeps its pictures and its
animation.
"""

from __future__ import annotations

import io
import os
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from hupai.api.cli.commands.overlay import set_up_demo
from hupai.api.overlay.demo.clip import make_clip
from tests.api.overlay.service import (
    READY,
    WON,
    command,
    drawn,
    entered,
    make_table,
    overlay_app,
    serving,
)
from tests.api.service import wait_until
from tests.e2e.conftest import Show, eventually
from tests.e2e.overlay_page import expect_accent, expect_at_rest, free_port
from tests.e2e.test_page import expect_no_wider

pytestmark = [pytest.mark.browser]


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """A service with the table ``final``."""
    with serving(overlay_app(tmp_path)) as address:
        with httpx.Client(base_url=address, timeout=30) as client:
            make_table(client)
        yield address


def concealed(page: Page, seat: str) -> list[str]:
    """Codes of the concealed tiles that a seat's strip shows."""
    tiles = page.locator(f'.seat[data-seat="{seat}"] .group.concealed .tile')
    return [tile.get_attribute("data-code") or "" for tile in tiles.all()]


@pytest.mark.nightly
def test_the_page_on_air(show: Show, address: str) -> None:
    page = show(f"{address}/overlay/final")
    page.wait_for_selector('html[data-connection="live"]')
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgba(0, 0, 0, 0)"
    with httpx.Client(base_url=address, timeout=30) as client:
        entered(client, notation=WON)
        page.wait_for_timeout(700)
        expect(page.locator(".seat"), "nothing goes on air unapproved").to_have_count(0)
        entered(client, notation=READY, approve=True)
        strip = page.locator('.seat[data-seat="east"]')
        expect(strip.locator(".wait")).to_have_attribute("data-left", "4")
        eventually(lambda: "".join(concealed(page, "east")), "2p3p4p4p5p6p6p7p8p2s2s3s5s")
        entered(client, notation=WON, approve=True)
        expect(strip.locator(".score")).to_have_attribute("data-total", "8")
        expect(strip.locator(".fan")).to_have_count(2)
        expect(strip.locator(".tile.won")).to_have_attribute("data-code", "2m")
        expect(strip.locator(".number")).to_have_text("8")
        expect(strip).to_contain_text("双箭刻")
        expect_at_rest(page)
        command(client, do="hide", seat="east")
        expect(page.locator(".seat")).to_have_count(0)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("width", "height"), [(1920, 1080), pytest.param(3840, 2160, marks=pytest.mark.nightly)]
)
@pytest.mark.parametrize(
    "seats",
    [pytest.param(1, marks=pytest.mark.nightly), pytest.param(2, marks=pytest.mark.nightly), 4],
)
def test_everything_fits_at_every_size(
    show: Show, tmp_path: Path, width: int, height: int, seats: int
) -> None:
    with (
        serving(overlay_app(tmp_path)) as address,
        httpx.Client(base_url=address, timeout=30) as client,
    ):
        make_table(
            client, seats=[{"seat": str(n), "player": f"Player {n} 选手"} for n in range(seats)]
        )
        for n in range(seats):
            entered(client, str(n), WON if n % 2 == 0 else READY, approve=True)
        page = show(f"{address}/overlay/final", width, height)
        expect(page.locator(".seat")).to_have_count(seats)
        expect_at_rest(page)
        boxes = [strip.bounding_box() for strip in page.locator(".seat").all()]
        for at, box in enumerate(boxes):
            assert box is not None
            assert box["x"] >= 0
            assert box["y"] >= 0
            assert box["x"] + box["width"] <= width
            assert box["y"] + box["height"] <= height
            for other in boxes[:at]:
                assert other is not None
                apart = (
                    box["x"] >= other["x"] + other["width"]
                    or other["x"] >= box["x"] + box["width"]
                    or box["y"] >= other["y"] + other["height"]
                    or other["y"] >= box["y"] + box["height"]
                )
                assert apart, "two strips overlap"
        inside = page.evaluate(
            """() => [...document.querySelectorAll('.seat')].every((seat) => {
              const box = seat.getBoundingClientRect();
              return [...seat.querySelectorAll('.tile, .fan, .wait, .player')].every((part) => {
                const inner = part.getBoundingClientRect();
                return inner.left >= box.left - 1 && inner.right <= box.right + 1 && inner.bottom <= box.bottom + 1;
              });
            })"""
        )
        assert inside, "a tile or fan is cut off"


@pytest.mark.nightly
def test_themes_and_languages(show: Show, address: str) -> None:
    with httpx.Client(base_url=address, timeout=30) as client:
        entered(client, approve=True)
        page = show(f"{address}/overlay/final")
        expect(page.locator(".seat")).to_have_count(1)
        expect_accent(page, "#ffd873")
        client.patch("/v1/tables/final", json={"theme": "night", "language": "zh"})
        expect_accent(page, "#6fd3ff")
        expect(page.locator(".fan-en").first).to_be_hidden()
        own = show(f"{address}/overlay/final?theme=paper&language=en&seats=east")
        expect_accent(own, "#a32817")
        expect(own.locator(".fan-zh").first).to_be_hidden()
        # OBS puts its custom CSS into a style element; the page's policy has to let it.
        own.add_style_tag(content=":root { --accent: rgb(1, 2, 3) }")
        expect(own.locator(".total").first).to_have_css("color", "rgb(1, 2, 3)")
        nobody = show(f"{address}/overlay/final?seats=west")
        nobody.wait_for_selector('html[data-connection="live"]')
        expect(nobody.locator(".seat")).to_have_count(0)


@pytest.mark.nightly
def test_the_page_comes_back_when_the_service_restarts(show: Show, tmp_path: Path) -> None:
    port = free_port()
    with (
        serving(overlay_app(tmp_path), port) as address,
        httpx.Client(base_url=address, timeout=30) as client,
    ):
        make_table(client)
        entered(client, approve=True)
        page = show(f"{address}/overlay/final")
        expect(page.locator(".seat")).to_have_count(1)
        page.evaluate("window.mark = 'not reloaded'")
    page.wait_for_selector('html[data-connection="lost"]')
    page.wait_for_timeout(1500)
    expect(page.locator('.seat[data-seat="east"]')).to_have_count(1)  # what is on air stays there
    with (
        serving(overlay_app(tmp_path), port) as address,
        httpx.Client(base_url=address, timeout=30) as client,
    ):
        entered(client, "west", READY, approve=True)
        expect(page.locator('.seat[data-seat="west"] .wait')).to_have_count(1)
        page.wait_for_selector('html[data-connection="live"]')
        assert page.evaluate("window.mark") == "not reloaded"
        expect(page.locator('.seat[data-seat="east"]')).to_have_count(1)


@pytest.mark.nightly
def test_a_source_opened_before_the_service_starts_shows_the_overlay(
    show: Show, tmp_path: Path
) -> None:
    port = free_port()
    with (
        serving(overlay_app(tmp_path), port) as address,
        httpx.Client(base_url=address, timeout=30) as client,
    ):
        make_table(client)
        entered(client, approve=True)
        local = tmp_path / "hupai-final.html"
        local.write_text(client.get("/overlay/final/local.html").text, "utf-8")
    page = show(f"{local.as_uri()}?theme=night")
    page.wait_for_timeout(2500)
    assert page.url.startswith("file:")
    with serving(overlay_app(tmp_path), port) as address:
        page.wait_for_url(f"{address}/overlay/final?theme=night")
        expect(page.locator('.seat[data-seat="east"] .score')).to_have_attribute("data-total", "8")


@pytest.mark.parametrize(
    ("width", "height", "touch"),
    [pytest.param(1440, 900, False, marks=pytest.mark.nightly), (390, 844, True)],
)
def test_the_operator_corrects_a_tile_and_puts_the_hand_on_air(
    show: Show, address: str, width: int, height: int, touch: bool
) -> None:
    with httpx.Client(base_url=address, timeout=30) as client:
        entered(client, notation="34m55p[CCC,2][FFF,3](8888s)2m")
        page = show(f"{address}/overlay/final/operator", width, height, touch=touch)
        page.wait_for_selector("html[data-ready]")
        east = page.locator('.place[data-seat="east"]')
        expect(east).to_contain_text("Which tile won?")
        east.locator('.concealed button[data-code="2m"]').click()
        page.locator("#won").click()
        expect(east.locator(".total")).to_have_attribute("data-total", "8")
        east.locator('.concealed button[data-code="5p"]').first.click()
        page.locator('#pad .keypad button[data-code="6p"]').click()
        expect(east).to_contain_text("not a winning hand")
        east.locator('.concealed button[data-code="6p"]').click()
        page.locator('#pad .keypad button[data-code="5p"]').click()
        expect(east.locator(".total")).to_have_attribute("data-total", "8")
        east.locator('[data-flag="self_drawn"]').click()
        expect(east.locator(".total")).to_have_attribute("data-total", "9")
        assert client.get("/v1/tables/final/air").json()["on_air"] == []
        east.locator('[data-do="approve"]').click()
        expect(east.locator(".live")).to_be_visible()
        programme = page.frame_locator("#programme")
        expect(programme.locator('.seat[data-seat="east"] .score')).to_have_attribute(
            "data-total", "9"
        )
        expect_no_wider(page, width)
        page.locator("#language").click()
        expect(page.locator("#hide-all")).to_have_text("全部隐藏")
        page.locator("#hide-all").click()
        expect(east.locator(".live")).to_have_count(0)
        expect(programme.locator(".seat")).to_have_count(0)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("rules", "notation", "said"),
    [
        ("sichuan-2024", WON, "not allowed"),  # honours are not in play
        ("mcr-1998", "123m456m789p23s55s1h+4s", "below the minimum"),
    ],
)
def test_what_keeps_a_complete_hand_from_winning(
    show: Show, address: str, rules: str, notation: str, said: str
) -> None:
    with httpx.Client(base_url=address, timeout=30) as client:
        client.patch("/v1/tables/final", json={"rules": rules})
        entered(client, notation=notation)
        page = show(f"{address}/overlay/final/operator", 1280, 900)
        east = page.locator('.place[data-seat="east"]')
        expect(east.locator(".pill.bad")).to_have_text(said)
        east.locator('[data-do="approve"]').click()
        on_air = page.frame_locator("#programme").locator('.seat[data-seat="east"] .refused')
        expect(on_air).to_contain_text(said)


@pytest.mark.nightly
def test_a_riichi_table_asks_for_riichi_and_dora(show: Show, address: str) -> None:
    with httpx.Client(base_url=address, timeout=30) as client:
        client.patch("/v1/tables/final", json={"rules": "riichi-ema"})
        entered(client, notation="23456m234p567s88p+7m")
        page = show(f"{address}/overlay/final/operator", 1280, 900)
        east = page.locator('.place[data-seat="east"]')
        east.locator('[data-flag="riichi"]').click()
        expect(east.locator('[data-flag="riichi"]')).to_have_attribute("aria-pressed", "true")
        east.locator('[data-field="dora_indicators"]').fill("7p")
        east.locator('[data-field="dora_indicators"]').press("Tab")
        east.locator('[data-field="honba"]').fill("2")
        east.locator('[data-field="honba"]').press("Tab")
        expect(east.locator(".fans")).to_contain_text("dora")
        expect(east.locator('[data-field="honba"]')).to_have_attribute("value", "2")

        def state_shown() -> tuple[bool, list[str], int]:
            won_how = client.get("/v1/tables/final").json()["seats"][0]["circumstances"]
            return won_how["riichi"], won_how["dora_indicators"], won_how["honba"]

        eventually(state_shown, (True, ["7p"], 2))  # no change undoes another


@pytest.mark.nightly
def test_a_number_typed_while_the_page_redraws_replaces_the_one_selected(
    show: Show, tmp_path: Path
) -> None:
    with (
        serving(overlay_app(tmp_path), free_port()) as address,
        httpx.Client(base_url=address, timeout=30) as client,
    ):
        make_table(client)
        client.patch("/v1/tables/final", json={"rules": "riichi-ema"})
        entered(client, notation="23456m234p567s88p+7m")
        page = show(f"{address}/overlay/final/operator", 1280, 900)
        honba = page.locator('.place[data-seat="east"] [data-field="honba"]')
        honba.select_text()
        honba.evaluate("field => field.classList.add('before')")
        client.patch("/v1/tables/final", json={"delay_seconds": 7})
        entered(client, "west", READY)
        expect(page.locator("[data-field].before")).to_have_count(0)  # redrawn
        page.keyboard.type("2")
        expect(honba).to_have_value("2")
        page.keyboard.press("Tab")

        def state_shown() -> int:
            seat = client.get("/v1/tables/final").json()["seats"][0]
            counted: int = seat["circumstances"]["honba"]
            return counted

        eventually(state_shown, 2)
        honba.fill("two")
        page.keyboard.press("Tab")
        expect(honba).to_have_value("2")  # no number: the field goes back to what is known


@pytest.mark.nightly
def test_the_operator_sees_the_queue_and_is_back_after_a_restart(
    show: Show, tmp_path: Path
) -> None:
    port = free_port()
    with (
        serving(overlay_app(tmp_path), port) as address,
        httpx.Client(base_url=address, timeout=30) as client,
    ):
        make_table(client, delay_seconds=600)
        page = show(f"{address}/overlay/final/operator", 1440, 900)
        page.wait_for_selector("html[data-ready]")
        number = entered(client)
        page.locator('.place[data-seat="east"] [data-do="approve"]').click()
        expect(page.locator("#queue li[data-seat=east]")).to_contain_text("Lin")
        assert client.get("/v1/tables/final/air").json()["on_air"] == []
    page.wait_for_selector('html[data-connection="lost"]')
    with (
        serving(overlay_app(tmp_path), port) as address,
        httpx.Client(base_url=address, timeout=30) as client,
    ):
        page.wait_for_selector('html[data-connection="live"]')
        assert client.get("/v1/tables/final").json()["seats"][0]["proposal"]["number"] == number
        page.locator("#queue button", has_text="Now").click()
        expect(page.locator('.place[data-seat="east"] .live')).to_be_visible()


@pytest.mark.nightly
def test_a_table_is_made_and_its_places_are_drawn(show: Show, address: str) -> None:
    page = show(f"{address}/overlay", 1280, 860)
    page.wait_for_selector("html[data-ready]")
    page.fill("[name=id]", "court-2")
    page.fill("[name=source]", "push")
    page.fill("[name=seats]", "east west")
    page.locator("#new button").click()
    page.wait_for_url("**/overlay/court-2/operator")
    page.wait_for_selector("html[data-ready]")
    expect(page.locator("#source.wait")).to_have_text("waiting for pushed frames")
    with httpx.Client(base_url=address, timeout=30) as client:

        def is_seen() -> bool:
            client.post("/v1/tables/court-2/frames", files={"photo": ("f.png", drawn(()))})
            return client.get("/v1/tables/court-2/picture").status_code == 200

        wait_until(is_seen, 60)
        page.locator("#setup").click()
        expect(page.locator(".stage img")).to_be_visible()
        wait_until(
            lambda: page.locator(".stage img").evaluate(
                "image => image.complete && image.naturalWidth > 0"
            )
        )
        corner = page.locator('circle[data-seat="east"][data-corner="2"]').last
        box = corner.bounding_box()
        stage = page.locator(".stage").bounding_box()
        assert box is not None
        assert stage is not None
        page.mouse.move(box["x"] + box["width"] / 4, box["y"] + box["height"] / 4)
        page.mouse.down()
        page.mouse.move(stage["x"] + stage["width"] / 2, stage["y"] + stage["height"] / 2, steps=4)
        page.mouse.up()
        page.locator("#save-places").click()
        expect(page.locator("#places")).to_be_hidden()
        seats = {
            seat["seat"]: seat["region"]
            for seat in client.get("/v1/tables/court-2").json()["table"]["seats"]
        }
        moved = [
            seat
            for seat, region in seats.items()
            if abs(region[2][0] - 0.5) < 0.03 and abs(region[2][1] - 0.5) < 0.03
        ]
        assert len(moved) == 1


@pytest.mark.skipif(
    os.environ.get("SCREENSHOTS") != "1", reason="makes pictures for the docs: SCREENSHOTS=1"
)
@pytest.mark.timeout(600)
def test_pictures_of_the_demonstration(show: Show, tmp_path: Path, root: Path) -> None:
    images = root / "docs" / "images"
    app = overlay_app(tmp_path, threads=1)
    app.state.overlay.detector = None
    make_clip(tmp_path / "hands.mp4")

    def keep(page: Page, name: str, side: int = 1280, quality: int = 82) -> None:
        picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
        picture.thumbnail((side, side))
        picture.save(images / name, quality=quality)

    with serving(app) as address:
        set_up_demo(app.state.overlay.store, tmp_path / "hands.mp4")
        page = show(f"{address}/overlay/demo")
        page.goto(f"{address}/overlay/demo?video=1", wait_until="commit")
        operator = show(f"{address}/overlay/demo/operator", 1440, 900)
        phone = show(f"{address}/overlay/demo/operator", 390, 844)
        page.wait_for_selector('.seat[data-seat="far"] .waits', timeout=90_000)
        frames: list[Image.Image] = []
        taken: list[float] = []
        end = time.monotonic() + 240
        scored = 0
        while scored < 12 and time.monotonic() < end:
            picture = Image.open(io.BytesIO(page.screenshot(type="jpeg", quality=80))).convert(
                "RGB"
            )
            frames.append(picture.resize((720, 405), Image.Resampling.LANCZOS))
            taken.append(time.monotonic())
            scored += page.locator('.seat[data-seat="near"] .score').count()
            if scored == 11:
                keep(page, "overlay.jpg")
                keep(operator, "overlay-operator.jpg", 1440)
                keep(phone, "overlay-operator-phone.jpg", 844)
            page.wait_for_timeout(60)
        assert scored == 12, "the demonstration did not come to its end"
        lasts = [round(1000 * (later - earlier)) for earlier, later in pairwise(taken)] + [1500]
        options: dict[str, Any] = {
            "append_images": frames[1:],
            "duration": lasts,
            "loop": 0,
            "quality": 50,
            "method": 4,
        }
        frames[0].save(images / "overlay.webp", save_all=True, **options)
        operator.locator("#setup").click()
        expect(operator.locator(".stage img")).to_be_visible()
        operator.evaluate("document.getElementById('source-choice').placeholder = 'camera:0'")
        operator.wait_for_timeout(500)
        keep(operator, "overlay-places.jpg", 1440)
