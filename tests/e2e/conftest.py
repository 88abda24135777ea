"""A real Chromium against a real server. ``SCREENSHOTS=1`` makes the pictures of docs/images/ on
the way.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from hupai.api.app.factory import create_app
from hupai.api.web.settings import Settings
from tests.api.service import RecordedReader, picture, recorded_reading, served

CHROMIUM = os.environ.get("HUPAI_CHROMIUM") or shutil.which("chromium")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--use-fake-ui-for-media-stream",
    "--use-fake-device-for-media-stream",
    # For each window Chromium loads two hidden pages of its own, the suggestions of the address
    # bar: a third of all that opening our page costs. Of several such flags only the last counts,
    # so the features of Playwright's own that a test could notice are repeated.
    "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,AvoidUnnecessaryBeforeUnloadCheckSync"
    ",DestroyProfileOnBrowserClose,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,LensOverlay"
    ",MediaRouter,PaintHolding,ThirdPartyStoragePartitioning,AvoidCorsURLLoaderRestartOnRedirect"
    ",OptimizationHints,NetworkTimeServiceQuerying,AimEnabled,PreconnectToSearch",
]
CAMERA_SCENE = "mixed-chows.jpg"
"""What the camera of the tests' browser sees: one of our own scenes, as a film of one picture."""
Show = Callable[..., Page]
SIZES = {"phone": (360, 740), "desktop": (1280, 860)}
expect.set_options(timeout=30_000)  # a busy machine; what is there sooner is not waited for


@pytest.fixture(scope="package")
def browser(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """One browser for the tests of this folder; its camera shows `CAMERA_SCENE`.

    It is closed before other tests begin: Playwright's event loop runs in their thread too.
    """
    if CHROMIUM is None:
        pytest.skip("no chromium on the PATH; install it, or name it in HUPAI_CHROMIUM")
    film = tmp_path_factory.mktemp("camera") / "scene.mjpeg"
    film.write_bytes((root / "examples" / CAMERA_SCENE).read_bytes())
    with sync_playwright() as playwright:
        camera = f"--use-file-for-fake-video-capture={film}"
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=[*FLAGS, camera])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def reader() -> RecordedReader:
    """What reads photos at `address`: a recorded reading, which a test may change."""
    return RecordedReader(recorded_reading())


@pytest.fixture(scope="module")
def address(reader: RecordedReader) -> Iterator[str]:
    """A service that reads every photo as the recorded hand."""
    with served(create_app(Settings(preload=False), reader)) as address:
        yield address


@pytest.fixture(scope="session")
def photo_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A photo for the recorded reading, with room for its boxes."""
    path = tmp_path_factory.mktemp("photos") / "hand.jpg"
    path.write_bytes(picture(640, 360))
    return path


def expected(line: str) -> bool:
    """What the browser logs by itself: a request that was refused or found no service."""
    reasons = (
        "status of 4",
        "status of 502",
        "ERR_INTERNET_DISCONNECTED",
        "ERR_CONNECTION_REFUSED",
        "ERR_CONNECTION_RESET",
    )
    return line.startswith("Failed to load resource") and any(reason in line for reason in reasons)


def eventually(read: Callable[[], object], expected: object, seconds: float = 30.0) -> None:
    """What `read` returns comes to be this; for values for which Playwright's `expect` has no form.

    A page answers a tap some time after it. A value read once may be the one before.
    """
    deadline = time.monotonic() + seconds
    pause = 0.01
    while (found := read()) != expected and time.monotonic() < deadline:
        time.sleep(pause)
        pause = min(0.1, 1.3 * pause)
    assert found == expected


def expect_settled(page: Page) -> None:
    """The last change of the hand is scored, so that nothing on the page moves any more."""
    expect(page.locator("html[data-scoring]")).to_have_count(0)


KEPT = """() => new Promise((done, failed) => {
  const request = indexedDB.open("hupai");
  request.onerror = () => failed(request.error);
  request.onsuccess = () => {
    const transaction = request.result.transaction("hands", "readwrite");
    transaction.oncomplete = () => { request.result.close(); done(); };
    transaction.objectStore("hands").count();
  };
})"""
"""A transaction of its own, which waits for those before it."""


def reload(page: Page) -> None:
    """Reload the page, once the last change is scored and written to this device."""
    expect_settled(page)
    page.evaluate(KEPT)
    page.reload()
    page.wait_for_selector("html[data-ready]")


OpenPage = Callable[..., Page]


@pytest.fixture
def open_page(browser: Browser) -> Iterator[OpenPage]:
    """Opens the page of a service; fails the test if the page logs an error or throws."""
    contexts: list[BrowserContext] = []
    errors: list[str] = []

    def opened(
        address: str,
        size: str = "phone",
        *,
        locale: str = "en-GB",
        dark: bool = False,
        workers: bool = False,
    ) -> Page:
        width, height = SIZES[size]
        context = browser.new_context(
            base_url=address,
            viewport={"width": width, "height": height},
            device_scale_factor=2 if size == "phone" else 1,
            has_touch=size == "phone",
            locale=locale,
            color_scheme="dark" if dark else "light",
            service_workers="allow" if workers else "block",
            permissions=["clipboard-read", "clipboard-write"],
        )
        contexts.append(context)
        context.set_default_timeout(40_000)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on(
            "console",
            lambda line: (
                errors.append(line.text)
                if line.type == "error" and not expected(line.text)
                else None
            ),
        )
        page.goto(address)
        page.wait_for_selector("html[data-ready]")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert errors == []


@pytest.fixture
def show(browser: Browser) -> Iterator[Show]:
    """Opens a page of a size; fails the test if a page throws. The errors of connections that are
    meant to fail are let pass.
    """
    contexts: list[BrowserContext] = []
    errors: list[str] = []

    def opened(
        address: str,
        width: int = 1920,
        height: int = 1080,
        locale: str = "en-GB",
        *,
        touch: bool = False,
    ) -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": height},
            locale=locale,
            has_touch=touch,
            service_workers="block",
        )
        contexts.append(context)
        context.set_default_timeout(40_000)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(address)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert errors == []


@pytest.fixture
def shoot(root: Path) -> Callable[[Page, str], None]:
    """Keeps a picture of the page for the docs, when asked to by SCREENSHOTS=1."""

    def shot(page: Page, name: str) -> None:
        if os.environ.get("SCREENSHOTS") != "1":
            return
        folder = root / "docs" / "images"
        folder.mkdir(parents=True, exist_ok=True)
        page.mouse.move(1, 1)
        page.evaluate("scrollTo(0, 0)")
        page.wait_for_timeout(300)
        page.screenshot(path=folder / f"{name}.png")

    return shot
