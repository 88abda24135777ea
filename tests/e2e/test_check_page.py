"""The page that checks a case, opened from a folder, says what Hupai says."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, FilePayload, Page, expect

from hupai.api.dossier.bundle.verify import verify
from tests.api.dossier import cases
from tests.api.dossier.bundle.tampers import OWN, Tried, every


@pytest.fixture(scope="module")
def page(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """The page as it comes out of a bundle, without a network."""
    folder = tmp_path_factory.mktemp("elsewhere")
    (folder / "case.zip").write_bytes(cases.bundle())
    with zipfile.ZipFile(folder / "case.zip") as archive:
        archive.extract("check.html", folder)
    context = browser.new_context(
        offline=True, locale="en-GB", viewport={"width": 900, "height": 900}
    )
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.goto((folder / "check.html").as_uri())
    yield page
    context.close()


def checked(page: Page, tried: Tried) -> dict[str, Any]:
    """What the page says of a file."""
    page.evaluate("window.outcome = null")
    page.locator("#file").set_input_files([])
    page.locator("#keys").fill(" ".join(tried.keys))
    page.locator("#head").fill(tried.head)
    page.locator("#file").set_input_files(
        FilePayload(name="case.zip", mimeType="application/zip", buffer=tried.data)
    )
    found: dict[str, Any] = until(page, "window.outcome")
    return found


def until(page: Page, expression: str) -> Any:
    """The value of an expression once it is true. The page forbids eval, which waiting by
    Playwright's own function needs.
    """
    wait = "while (!(EXPRESSION)) await new Promise((done) => setTimeout(done, 20));"
    body = f"async () => {{ {wait} return EXPRESSION; }}"
    return page.evaluate(body.replace("EXPRESSION", expression))


@pytest.mark.nightly
def test_the_page_agrees_with_hupai_on_every_file(page: Page) -> None:
    for tried in every():
        own = verify(tried.data, tried.keys, tried.head or None)
        said = checked(page, tried)
        assert said["holds"] is tried.holds is own.holds, (tried.name, said, own.fault)
        step = own.fault.code.partition(".")[0] if own.fault else None
        assert said["step"] == step, (tried.name, said)


def test_a_genuine_file_shows_log_and_photos(page: Page) -> None:
    checked(page, Tried("genuine", cases.bundle(), holds=True))
    expect(page.locator("#verdict")).to_have_text("It holds.")
    expect(page.locator("#log tr")).to_have_count(len(cases.ruled().events))
    expect(page.locator("#log")).to_contain_text("花牌是夏，不是春")
    until(page, "[...document.images].every((one) => one.complete && one.naturalWidth)")
    sizes = page.evaluate("[...document.images].map((one) => one.naturalWidth)")
    assert sizes == [640, 320]
    expect(page.locator("#result")).to_contain_text(OWN)


def test_without_a_key_the_signer_is_unknown_and_in_chinese_too(page: Page) -> None:
    checked(page, Tried("unknown", cases.bundle(), ()))
    expect(page.locator("#verdict")).to_contain_text("who signed it is unknown")
    page.locator("#language").click()
    assert until(page, "document.getElementById('verdict')?.innerText.includes('未核对')")
    page.locator("#language").click()


def test_the_example_of_the_guide_verifies(page: Page, root: Path) -> None:
    key = ("5915541815c8298acbbbfc3ed2b99a1352de0061e0b4398bbf70d4b8159d3f43",)
    data = (root / "docs" / "example-case.zip").read_bytes()
    assert checked(page, Tried("example", data, key, holds=True))["holds"]


def test_the_service_has_the_page_too(page: Page, address: str) -> None:
    other = page.context.browser.new_page() if page.context.browser else page
    other.goto(f"{address}/check")
    other.locator("#keys").fill(OWN)
    other.locator("#file").set_input_files(
        FilePayload(name="case.zip", mimeType="application/zip", buffer=cases.bundle())
    )
    assert until(other, "window.outcome")["holds"]
    other.close()
