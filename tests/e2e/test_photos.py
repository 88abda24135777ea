"""The ways in which a photo reaches the page, and what the page does with it before it is sent."""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import Any

import pytest
from PIL import Image as Pillow
from playwright.sync_api import Page, expect

from tests.api.service import picture
from tests.e2e.conftest import OpenPage, eventually
from tests.e2e.test_page import upload

pytestmark = [pytest.mark.browser]


def read_photo(page: Page, act: Any) -> dict[str, Any]:
    """What the service read of the photo that `act` makes the page send, as it keeps it."""
    with page.expect_response(
        lambda response: response.request.method == "POST" and response.url.endswith("/v1/hands")
    ):
        act()
    expect(
        page.locator("html[data-stage=hand]")
    ).to_be_visible()  # "photo" until the answer has come whole
    photo: dict[str, Any] = newest(page)["reading"]["photo"]
    return photo


def newest(page: Page) -> dict[str, Any]:
    """The hand that the service stored last."""
    newest_id = page.request.get("/v1/hands", params={"limit": "1"}).json()["hands"][0]["id"]
    hand: dict[str, Any] = page.request.get(f"/v1/hands/{newest_id}").json()
    return hand


@pytest.mark.nightly
def test_a_large_photo_is_scaled_down_before_it_is_sent(
    open_page: OpenPage, address: str, tmp_path: Path
) -> None:
    path = tmp_path / "large.jpg"
    path.write_bytes(picture(4800, 3600))
    page = open_page(address)
    photo = read_photo(page, lambda: page.set_input_files("#file", path))
    assert (photo["width"], photo["height"]) == (2400, 1800)


@pytest.mark.nightly
def test_a_photo_is_upright_and_can_be_turned(
    open_page: OpenPage, address: str, tmp_path: Path
) -> None:
    exif = Pillow.Exif()
    exif[0x0112] = 6
    path = tmp_path / "turned.jpg"
    path.write_bytes(picture(640, 360, exif=exif))
    page = open_page(address)
    photo = read_photo(page, lambda: page.set_input_files("#file", path))
    assert (photo["width"], photo["height"]) == (360, 640)
    photo = read_photo(page, lambda: page.locator("#rotate").click())
    assert (photo["width"], photo["height"]) == (640, 360)


@pytest.mark.nightly
def test_heic_goes_through_the_service(open_page: OpenPage, address: str, tmp_path: Path) -> None:
    path = tmp_path / "phone.heic"
    file = io.BytesIO()
    Pillow.new("RGB", (640, 360), (20, 92, 60)).save(file, "HEIF")
    path.write_bytes(file.getvalue())
    page = open_page(address)
    photo = read_photo(page, lambda: page.set_input_files("#file", path))
    assert (photo["width"], photo["height"]) == (640, 360)


@pytest.mark.nightly
@pytest.mark.parametrize("way", ["drop", pytest.param("paste", marks=pytest.mark.nightly)])
def test_drop_and_paste(open_page: OpenPage, address: str, way: str) -> None:
    page = open_page(address, "desktop")
    give = """([way, data]) => {
        const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
        const transfer = new DataTransfer();
        transfer.items.add(new File([bytes], "given.png", { type: "image/png" }));
        const event = way === "drop" ? new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true })
          : new ClipboardEvent("paste", { clipboardData: transfer, bubbles: true, cancelable: true });
        document.body.dispatchEvent(event);
    }"""
    data = base64.b64encode(picture(640, 360, form="PNG")).decode()
    photo = read_photo(page, lambda: page.evaluate(give, [way, data]))
    assert photo["path"] == "given.png"


@pytest.mark.nightly
def test_the_zoom_shows_the_hand_or_the_whole_photo(
    open_page: OpenPage, address: str, photo_path: Path
) -> None:
    page = open_page(address)
    read_photo(page, lambda: page.set_input_files("#file", photo_path))
    expect(page.locator("#overlay .box")).to_have_count(16)
    expect(page.locator("#overlay")).not_to_have_attribute("viewBox", "0 0 640 360")
    page.locator("#zoom").click()
    expect(page.locator("#overlay")).to_have_attribute("viewBox", "0 0 640 360")


@pytest.mark.nightly
@pytest.mark.parametrize("size", ["phone", "desktop"])
def test_the_button_that_enlarges_the_photo_covers_no_tile_of_the_hand(
    open_page: OpenPage, address: str, photo_path: Path, size: str
) -> None:
    page = open_page(address, size)
    upload(page, photo_path)
    button = page.locator("#enlarge").bounding_box()
    assert button is not None
    photo = page.locator("#stage-bed").bounding_box()
    assert photo is not None
    assert photo["x"] <= button["x"] <= photo["x"] + photo["width"] - button["width"]
    assert photo["y"] <= button["y"] <= photo["y"] + photo["height"] - button["height"]
    for tile in page.locator("#overlay .box").all():
        box = tile.bounding_box()
        assert box is not None
        beside = box["x"] + box["width"] <= button["x"] or button["x"] + 44 <= box["x"]
        above = box["y"] + box["height"] <= button["y"] or button["y"] + 44 <= box["y"]
        assert beside or above


@pytest.mark.nightly
def test_two_fingers_enlarge_the_photo(open_page: OpenPage, address: str, photo_path: Path) -> None:
    page = open_page(address)
    upload(page, photo_path)
    page.locator("#enlarge").tap()
    expect(page.locator("#zoom-close")).to_be_visible()
    stage = page.locator("#zoomed #stage")
    expect(stage).to_be_visible()
    fingers = page.context.new_cdp_session(page)

    def width() -> float:
        return float(stage.evaluate("(one) => one.getBoundingClientRect().width"))

    def send(kind: str, *across: float) -> None:
        points = [{"x": x, "y": 300, "id": i} for i, x in enumerate(across)]
        fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    eventually(lambda: width() > 300, True)  # it fills the screen
    before = width()
    send("touchStart", 150, 210)
    for step in range(1, 7):
        send("touchMove", 150 - 15 * step, 210 + 15 * step)  # four times as far apart at the end
    send("touchEnd")
    eventually(lambda: abs(width() / before - 4) < 0.1, True)
    page.locator("#zoom-close").tap()
    expect(page.locator("#zoomed")).not_to_be_visible()
