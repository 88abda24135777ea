"""The camera in the page, on Chromium's film of a scene: from the shutter to the score, and without
a camera.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from hupai.api.app.factory import create_app
from hupai.api.web.settings import Settings
from tests.api.service import NOTATION, served
from tests.e2e.conftest import CAMERA_SCENE, OpenPage, eventually
from tests.e2e.test_examples import truth
from tests.e2e.test_page import expect_total, total

pytestmark = [pytest.mark.browser]


@pytest.fixture(scope="module")
def shipped() -> Iterator[str]:
    """A service with the shipped weights."""
    with served(create_app(Settings())) as address:
        yield address


def photograph(page: Page, shots: int = 1) -> None:
    """Open the camera, take so many photos, have them read."""
    page.locator("#take").click()
    for number in range(1, shots + 1):
        page.locator("#shutter:enabled").click()
        expect(page.locator(".shot-count")).to_have_text(f"{number} taken")
    page.locator("#use-shots").click()
    expect(page.locator("#camera")).not_to_be_visible()


@pytest.mark.nightly
def test_from_the_shutter_to_the_true_score(
    shipped: str, open_page: OpenPage, root: Path, shoot: Callable[[Page, str], None]
) -> None:
    true = truth(root, CAMERA_SCENE.removesuffix(".jpg"))
    scene = json.loads(
        (root / "examples" / CAMERA_SCENE).with_suffix(".json").read_text(encoding="utf-8")
    )
    page = open_page(shipped)
    page.evaluate(
        "values => localStorage.setItem('hupai.won.mcr-1998', values)",
        json.dumps(scene["circumstances"]),
    )
    page.reload()
    page.wait_for_selector("html[data-ready]")
    page.locator("#take").tap()
    page.wait_for_selector("#shutter:enabled")
    shoot(page, "camera")
    page.locator("#close-camera").tap()
    photograph(page)
    expect(page.locator("[data-total]")).to_have_attribute(
        "data-total", str(true.total), timeout=90_000
    )
    # What the scene does not tell, as whether it was the last of its kind, may still change the
    # total.
    expect(page.locator("#dock-score")).to_have_text(re.compile(r"^\d+(–\d+)? fan$"))
    expect(page.locator("#score .total")).to_have_class(re.compile("open"))


@pytest.mark.nightly
@pytest.mark.parametrize(
    "way",
    [
        pytest.param("Escape", marks=pytest.mark.nightly),
        "button",
        pytest.param("shots used", marks=pytest.mark.nightly),
    ],
)
def test_the_camera_is_released_when_closed(address: str, open_page: OpenPage, way: str) -> None:
    page = open_page(address)
    page.locator("#take").click()
    page.wait_for_selector("#shutter:enabled")
    track = page.evaluate_handle(
        "document.querySelector('#camera video').srcObject.getVideoTracks()[0]"
    )
    assert track.evaluate("track => track.readyState") == "live"
    if way == "Escape":
        page.keyboard.press("Escape")
    elif way == "button":
        page.locator("#close-camera").click()
    else:
        page.locator("#shutter").click()
        page.locator("#use-shots").click()
    expect(page.locator("#camera")).not_to_be_visible()
    page.wait_for_function("track => track.readyState === 'ended'", arg=track)
    if way != "shots used":
        expect(page.locator("#take")).to_be_focused()


@pytest.mark.nightly
def test_a_camera_granted_too_late_is_released_too(address: str, open_page: OpenPage) -> None:
    page = open_page(address)
    page.evaluate(
        """() => {
          const devices = navigator.mediaDevices;
          const ask = devices.getUserMedia.bind(devices), known = devices.enumerateDevices.bind(devices);
          window.tracks = [];
          window.answer = [];
          devices.enumerateDevices = async () => { const found = await known(); return [...found, ...found]; };
          devices.getUserMedia = async (wanted) => {
            const stream = await ask({ video: true });
            if (window.tracks.push(...stream.getVideoTracks()) > 1) await new Promise((go) => window.answer.push(go));
            return stream;
          };
        }"""
    )
    page.locator("#take").click()
    page.wait_for_selector("#shutter:enabled")
    page.locator("#swap-camera").click()
    page.wait_for_function("() => window.answer.length === 1")
    page.locator("#close-camera").click()
    states = "window.tracks.map((track) => track.readyState)"
    eventually(lambda: page.evaluate(states), ["ended", "live"])
    page.evaluate("window.answer[0]()")
    page.wait_for_function("() => window.tracks.every((track) => track.readyState === 'ended')")


@pytest.mark.nightly
@pytest.mark.parametrize("missing", ["no camera", "refused", "no HTTPS"])
def test_without_a_camera_the_devices_own_is_asked_for(
    address: str, open_page: OpenPage, photo_path: Path, missing: str
) -> None:
    page = open_page(address)
    page.evaluate(
        """missing => {
          const names = { "no camera": "NotFoundError", refused: "NotAllowedError" };
          const refuse = () => Promise.reject(new DOMException(missing, names[missing]));
          const devices = names[missing] ? { getUserMedia: refuse } : undefined;
          Object.defineProperty(navigator, "mediaDevices", { value: devices, configurable: true });
        }""",
        missing,
    )
    with page.expect_file_chooser() as chooser:
        page.locator("#take").click()
    assert chooser.value.element.get_attribute("capture") == "environment"
    chooser.value.set_files(photo_path)
    expect_total(page, total(NOTATION))


@pytest.mark.nightly
def test_a_late_camera_refusal_leaves_an_alternative(
    address: str, open_page: OpenPage, photo_path: Path
) -> None:
    page = open_page(address)
    page.evaluate(
        """() => {
          const refuse = () => Promise.reject(new DOMException("read first", "NotAllowedError"));
          Object.defineProperty(navigator, "mediaDevices", { value: { getUserMedia: refuse }, configurable: true });
          // What Chromium tells some seconds after the tap.
          Object.defineProperty(navigator, "userActivation", { value: { isActive: false }, configurable: true });
        }"""
    )
    page.locator("#take").tap()
    expect(page.locator("#sheet")).to_be_visible()
    with page.expect_file_chooser() as chooser:
        page.locator("#own-camera").tap()
    assert chooser.value.element.get_attribute("capture") == "environment"
    chooser.value.set_files(photo_path)
    expect_total(page, total(NOTATION))
