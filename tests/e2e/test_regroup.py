"""Tiles moved between hand, sets, flowers and winning tile: dragged, tapped, by keyboard; taken
back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import CDPSession, Locator, Page, expect

from hupai.scoring.result import Severity
from hupai.vision.types import PhotoProblem
from tests.api.service import NOTATION, RecordedReader, recorded_reading, wait_until
from tests.e2e.conftest import OpenPage, eventually, expect_settled, reload
from tests.e2e.test_page import expect_total, total, upload

pytestmark = [pytest.mark.browser]


def centre(locator: Locator) -> tuple[float, float]:
    """The middle of an element, in pixels of the window."""
    box = locator.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page: Page, tile: Locator, to: str) -> None:
    """Drag a tile with the mouse to the place with this data-drop, once the score above it has its
    final height.
    """
    expect_settled(page)
    page.locator("#hand-card").evaluate("card => card.scrollIntoView()")
    page.mouse.move(*centre(tile))
    page.mouse.down()
    page.mouse.move(centre(tile)[0] + 12, centre(tile)[1] + 4)
    expect(page.locator("#hand.dragging")).to_be_visible()
    page.mouse.move(*centre(page.locator(f'[data-drop="{to}"].open').last))
    expect(page.locator(f'[data-drop="{to}"].over')).to_have_count(1)
    page.mouse.up()
    expect(page.locator("#hand.dragging")).to_have_count(0)


def codes(page: Page, place: str) -> list[str]:
    """The tiles of a place, in the order shown."""
    found: list[str] = page.locator(f"{place} .tile:not(.winning)").evaluate_all(
        "tiles => tiles.map((tile) => tile.dataset.code)"
    )
    return found


CONCEALED = '#hand .tiles[data-drop="concealed"]'


def meld(index: int) -> str:
    """The tiles of the meld at this index."""
    return f'#hand [data-drop="meld:{index}"] > .tiles'


@pytest.mark.nightly
def test_a_set_is_made_by_dragging_and_taken_back(
    open_page: OpenPage, address: str, photo_path: Path
) -> None:
    page = open_page(address, "desktop")
    upload(page, photo_path)
    expect_total(page, total(NOTATION))
    east = page.locator(f'{CONCEALED} .tile:not(.winning)[data-code="E"]')
    drag(page, east.first, "new")
    expect(page.locator(f"{meld(2)} > .tile")).to_have_count(1)
    drag(page, east.first, "meld:2")
    drag(page, east.first, "meld:2")
    expect_total(page, total("23m55p[567m,1][EEE](9999s)1h+1m"))
    expect(page.locator("[data-meld]", has_text="Pung")).to_be_visible()
    for _ in range(3):
        page.locator("#undo").click()
    expect_total(page, total(NOTATION))
    expect(page.locator("#undo")).to_be_disabled()


@pytest.mark.nightly
def test_the_winning_tile_is_exchanged_by_dragging(
    open_page: OpenPage, address: str, photo_path: Path
) -> None:
    page = open_page(address, "desktop")
    upload(page, photo_path)
    drag(page, page.locator(f'{CONCEALED} .tile:not(.winning)[data-code="2m"]'), "winning")
    expect_total(page, total("13m55pEEE[567m,1](9999s)1h+2m"))
    expect(page.locator("#hand .tile.winning")).to_have_attribute("data-code", "2m")


@pytest.mark.nightly
def test_a_tile_that_is_not_of_the_hand_is_dragged_out_and_tapped_in_again(
    open_page: OpenPage, address: str, photo_path: Path
) -> None:
    page = open_page(address, "desktop")
    upload(page, photo_path)
    drag(page, page.locator('#hand [data-drop="flowers"] .tile'), "away")
    expect_total(page, total(NOTATION.replace("1h", "")))
    expect(page.locator("#overlay .box.outside")).to_have_count(1)
    page.locator("#overlay .box.outside").click()
    page.locator('#sheet [data-to="flowers"]').click()
    expect_total(page, total(NOTATION))
    expect(page.locator("#overlay .box.outside")).to_have_count(0)


@pytest.fixture
def apart(reader: RecordedReader) -> Iterator[int]:
    """A reading whose flower lies apart from the hand; its id."""
    whole = recorded_reading()
    flower = whole.tiles[-1]
    problem = PhotoProblem(
        "flowers_apart", Severity.NOTE, "Flowers lie apart.", "有花牌摆在手牌之外。", (flower.id,)
    )
    reader.reading = replace(
        whole,
        tiles=(*whole.tiles[:-1], replace(flower, in_hand=False, group=None)),
        groups=whole.groups[:-1],
        hands=tuple(replace(one, hand=replace(one.hand, flowers=())) for one in whole.hands),
        problems=(problem,),
    )
    yield flower.id
    reader.reading = recorded_reading()


@pytest.mark.nightly
def test_a_problem_names_the_tiles_it_is_about_to_be_tapped(
    open_page: OpenPage, address: str, photo_path: Path, apart: int
) -> None:
    page = open_page(address)
    upload(page, photo_path)
    expect_total(page, total(NOTATION.replace("1h", "")))
    expect(page.locator('.question[data-question="flowers"]')).to_be_visible()
    page.locator("#leave-all").tap()  # what is asked on the sheet is not said again below the hand
    page.locator(f'[data-problem="flowers_apart"] [data-about="{apart}"]').tap()
    page.locator('#sheet [data-to="flowers"]').tap()
    expect_total(page, total(NOTATION))


@pytest.mark.nightly
@pytest.mark.parametrize("flowers", ["1h", "none"])
def test_a_problem_that_an_answer_settles_is_told_no_more(
    open_page: OpenPage, address: str, photo_path: Path, apart: int, flowers: str
) -> None:
    page = open_page(address)
    upload(page, photo_path)
    page.locator(f'.question[data-question="flowers"] [data-option="{flowers}"]').tap()
    expect_total(page, total(NOTATION if flowers == "1h" else NOTATION.replace("1h", "")))
    expect_settled(page)
    expect(page.locator('[data-problem="flowers_apart"]')).to_have_count(0)
    reload(page)
    expect(page.locator("#hand .tile").first).to_be_visible()
    expect(page.locator('[data-problem="flowers_apart"]')).to_have_count(0)


@pytest.mark.nightly
def test_escape_ends_a_drag_and_nothing_has_happened(
    open_page: OpenPage, address: str, photo_path: Path
) -> None:
    page = open_page(address, "desktop")
    upload(page, photo_path)
    tile = page.locator(f'{CONCEALED} .tile:not(.winning)[data-code="2m"]')
    expect_settled(page)
    before = codes(page, CONCEALED)
    page.locator("#hand-card").evaluate("card => card.scrollIntoView()")
    page.mouse.move(*centre(tile))
    page.mouse.down()
    page.mouse.move(centre(tile)[0] + 12, centre(tile)[1] + 4)
    expect(page.locator("#hand.dragging")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#hand.dragging")).to_have_count(0)
    expect(page.locator(".ghost")).to_have_count(0)
    page.mouse.up()
    page.locator("#sort").click()  # taps work again
    expect(page.locator("#undo")).to_be_enabled()
    expect(page.locator("#sheet")).not_to_be_visible()
    wait_until(
        lambda: (
            codes(page, CONCEALED)
            == sorted(before, key=lambda code: ("mpsESWN".index(code[-1]), code))
        )
    )


@pytest.mark.nightly
def test_a_finger_drags_sideways_or_after_a_hold_and_scrolls_otherwise(
    open_page: OpenPage, address: str, photo_path: Path
) -> None:
    page = open_page(address)
    upload(page, photo_path)
    expect_total(page, total(NOTATION))
    finger = page.context.new_cdp_session(page)
    nothing_is_held(page, True)
    tile = page.locator(f'{CONCEALED} .tile:not(.winning)[data-code="2m"]')
    tile.scroll_into_view_if_needed()
    x, y = centre(tile)
    touch(finger, "touchStart", x, y)
    touch(finger, "touchMove", x + 20, y + 2)
    expect(page.locator("#hand.dragging")).to_be_visible()
    touch(finger, "touchMove", *centre(page.locator('.tray [data-drop="winning"]')))
    touch(finger, "touchEnd")
    expect(page.locator("#hand .tile.winning")).to_have_attribute("data-code", "2m")
    expect(page.locator("#sheet")).not_to_be_visible()
    expect_settled(page)
    tile = page.locator(f'{CONCEALED} .tile:not(.winning)[data-code="5p"]').first
    tile.scroll_into_view_if_needed()
    x, y = centre(tile)
    nothing_is_held(page, False)
    touch(finger, "touchStart", x, y)
    expect(page.locator("#hand.dragging")).to_be_visible()  # held, not moved
    touch(finger, "touchMove", x, y + 3)
    expect(page.locator("#hand.dragging")).to_be_visible()
    touch(finger, "touchMove", *centre(page.locator('.tray [data-drop="new"]')))
    touch(finger, "touchEnd")
    expect(page.locator(f"{meld(2)} > .tile")).to_have_attribute("data-code", "5p")
    expect_settled(page)
    page.evaluate("scrollTo(0, document.querySelector('#hand').offsetTop)")
    before = page.evaluate("scrollY")
    x, y = centre(page.locator(f'{CONCEALED} .tile:not(.winning)[data-code="3m"]'))
    nothing_is_held(page, True)
    touch(finger, "touchStart", x, y)
    for step in range(1, 9):
        touch(finger, "touchMove", x, y - 15 * step)
    touch(finger, "touchEnd")
    page.wait_for_function("before => scrollY > before", arg=before)
    expect(page.locator("#hand.dragging")).to_have_count(0)


def nothing_is_held(page: Page, never: bool) -> None:
    """Keep the hold that begins a drag from being over, or let it be: between two touches a busy
    machine may take that long.
    """
    page.evaluate(
        """never => {
          window.timeoutAsItIs ??= window.setTimeout;
          window.setTimeout = (act, ms, ...rest) => never && ms === 220 ? 0 : window.timeoutAsItIs(act, ms, ...rest);
        }""",
        never,
    )


def touch(finger: CDPSession, kind: str, x: float = 0, y: float = 0) -> None:
    """One touch event of one finger."""
    finger.send(
        "Input.dispatchTouchEvent",
        {"type": kind, "touchPoints": [] if kind == "touchEnd" else [{"x": x, "y": y}]},
    )


@pytest.mark.nightly
def test_the_keyboard_does_what_dragging_does(
    open_page: OpenPage, address: str, photo_path: Path
) -> None:
    page = open_page(address, "desktop")
    upload(page, photo_path)
    expect_total(page, total(NOTATION))
    first = page.locator(f"{CONCEALED} .tile:not(.winning)").first
    expect(first).to_have_attribute("data-code", "2m")
    first.focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(':focus[data-code="3m"]')).to_have_count(1)
    page.keyboard.press("Alt+ArrowLeft")
    expect(first).to_have_attribute("data-code", "3m")
    expect(first).to_be_focused()
    page.keyboard.press("Alt+ArrowRight")
    expect(first).to_have_attribute("data-code", "2m")
    eventually(lambda: codes(page, CONCEALED)[:2], ["2m", "3m"])
    expect_total(page, total(NOTATION))
    page.keyboard.press("Enter")
    page.locator('#sheet [data-to="new"]').focus()
    page.keyboard.press("Enter")
    expect(page.locator(f"{meld(2)} > .tile")).to_have_attribute("data-code", "3m")
    expect(page.locator(f"{meld(2)} > .tile")).to_be_focused()
    page.keyboard.press("Enter")
    page.locator('#sheet [data-to="concealed"]').focus()
    page.keyboard.press("Enter")
    expect_total(page, total(NOTATION))


@pytest.mark.nightly
def test_the_claimed_tile_is_tapped(open_page: OpenPage, address: str, photo_path: Path) -> None:
    page = open_page(address)
    upload(page, photo_path)
    page.locator(f'{CONCEALED} .tile:not(.winning)[data-code="E"]').first.tap()
    page.locator('#sheet [data-set="pung"]').tap()
    expect(page.locator("#hand .tile.claimed")).to_have_count(1)  # the chow's, as read
    page.locator(f"{meld(2)} > .tile").nth(2).tap()
    page.locator("#mark-claimed").tap()
    expect(page.locator("[data-meld]", has_text="Pung")).to_have_text(re.compile("right"))
    expect(page.locator(f"{meld(2)} > .tile").nth(2)).to_have_class(re.compile("claimed"))
    page.locator("[data-meld]", has_text="Pung").tap()
    page.locator('#sheet [data-claim="0"]').tap()
    expect(page.locator('#sheet [data-source="left"]')).to_have_attribute("aria-pressed", "true")
    page.locator('#sheet [data-kind="kong"]').tap()
    page.locator('#sheet [data-source="across"]').tap()
    page.get_by_role("button", name="Done").tap()
    expect_total(page, total("23m55p[567m,1][EEEE,2](9999s)1h+1m"))
    expect(page.locator(f"{meld(2)} > .tile").nth(1)).to_have_class(re.compile("claimed"))


@pytest.mark.nightly
def test_the_score_precedes_the_questions_and_the_dock_links_to_them(
    open_page: OpenPage, address: str, photo_path: Path
) -> None:
    page = open_page(address)
    upload(page, photo_path)
    expect(page.locator("#dock-score")).to_have_text(re.compile(r"^\d+(–\d+)? fan$"))
    places = ("#stage", "#score-card", "#questions", "#hand-card", "#fans-card", "#tools-card")
    for place in places:
        expect(page.locator(place)).to_be_visible()
    expect_settled(page)
    tops = "places => places.map((one) => document.querySelector(one).getBoundingClientRect().top)"
    found = page.evaluate(tops, places)
    assert found == sorted(found)
    page.evaluate("scrollTo(0, 2000)")
    page.locator("#dock-score").tap()
    title = page.locator("#asked-title")
    expect(title).to_be_focused()
    expect(page.locator(".question").first).to_be_in_viewport()
    header = page.locator(".bar").bounding_box()
    assert header
    eventually(lambda: (title.bounding_box() or header)["y"] >= header["height"], True)
    wait_until(
        lambda: page.locator("#dock").evaluate("dock => dock.getBoundingClientRect().bottom") == 740
    )


@pytest.mark.nightly
def test_the_hand_is_shown_in_sets_and_a_fan_highlights_its_own(
    open_page: OpenPage, address: str, photo_path: Path
) -> None:
    page = open_page(address)
    upload(page, photo_path)
    expect_total(page, total(NOTATION))
    sets = page.locator(f"{CONCEALED} .part-tiles")
    expect(sets).to_have_count(3)
    of_set = "sets => sets.map((one) => [...one.querySelectorAll('.tile')].map((tile) => tile.dataset.code))"
    in_sets = [["1m", "2m", "3m"], ["5p", "5p"], ["E", "E", "E"]]
    eventually(lambda: sets.evaluate_all(of_set), in_sets)
    expect(page.locator("#fans .split .part")).to_have_count(0)  # drawn once
    page.locator('#fans [data-fan="concealed_kong"] summary').tap()
    lit = page.locator("#hand [data-part].lit")
    expect(lit).to_have_count(1)
    expect(lit.locator('.tile[data-code="9s"]')).to_have_count(4)
    small = page.locator("#hand button").evaluate_all(
        "buttons => buttons.filter((one) => Math.max(one.offsetWidth, one.offsetHeight) < 44 || Math.min(one.offsetWidth, one.offsetHeight) < 44).length"
    )
    assert small == 0
