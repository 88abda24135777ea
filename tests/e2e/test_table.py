"""A session at the table: four names, winds that move on, hands that are added, sums, undo, export;
none of it lost by a reload or a lost connection. test_first_evening.py is the whole evening.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from hupai.api.app.factory import create_app
from hupai.api.web.settings import Settings
from hupai.scoring.sichuan.deal.ladder import MISCONDUCT
from hupai.scoring.sichuan.deal.log import Offence
from hupai.scoring.tiles import Tile
from tests.api.service import MCR, NOTATION, RecordedReader, recorded_reading, served
from tests.e2e.conftest import OpenPage, eventually, expect_settled, reload
from tests.e2e.test_away import go_offline, go_online, hold, wait_until_held
from tests.e2e.test_page import expect_total, total, upload

pytestmark = [pytest.mark.browser]
NAMES = ["Anna", "Ben", "Chiara", "小明"]


@pytest.fixture
def club(reader: RecordedReader) -> Iterator[str]:
    """A service that only this test uses."""
    reader.reading = recorded_reading()
    with served(create_app(Settings(preload=False), reader)) as address:
        yield address


def begin(page: Page, names: list[str] = NAMES, rules: str = MCR, *, together: bool = True) -> None:
    """Start a session, which the service keeps if it is for all `together`."""
    page.locator("#table-button").tap()
    for at, name in enumerate(names):
        page.fill(f"#player-{at}", name)
    page.locator("#table-rules").select_option(rules)
    page.locator("#table-together").set_checked(together)
    page.locator("#start-table").tap()
    expect(page.locator("#sheet")).not_to_be_visible()


def tell(page: Page, winner: str, source: str) -> None:
    """Say who won and whose tile it was, and that nothing rare applies."""
    page.locator(f'[data-uid="winner-{winner}"]').tap()
    expect_settled(page)
    page.locator(f'[data-uid="{source}"]').tap()
    expect(page.locator(f'[data-uid="{source}"]')).to_have_attribute("aria-pressed", "true")
    expect_settled(page)
    page.locator("#none-applies").tap()


def sums(page: Page) -> list[int]:
    """The sums of the sheet that is open, as they stand now."""
    texts = page.locator("#scores [data-sum]").all_inner_texts()
    return [int(text.replace("−", "-")) for text in texts]


def expect_sums(page: Page, expected: list[int]) -> None:
    """The sheet that is open comes to have these sums."""
    eventually(lambda: sums(page), expected)


def start_page(page: Page) -> None:
    """Back to the first screen."""
    page.locator(".brand").tap()
    expect(page.locator("#board")).to_be_visible()


def test_a_hand_is_added_and_the_winds_move_on(
    open_page: OpenPage, club: str, photo_path: Path
) -> None:
    page = open_page(club)
    begin(page)
    expect(page.locator("#board-next")).to_have_text("East round · deal 1 · Anna deals")
    upload(page, photo_path)
    expect(page.locator('.question[data-name="seat_wind"]')).to_have_count(0)  # follows
    tell(page, "Ben", "from-own")
    points = total(NOTATION, self_drawn=True, seat_wind=Tile.SOUTH, round_wind=Tile.EAST)
    expect_total(page, points)
    page.locator("#add-to-table").tap()
    expect(page.locator("#added")).to_contain_text("deal 1")
    expect(page.locator("#add-to-table")).to_have_count(0)  # once
    page.locator("#open-table").tap()
    expect(page.locator("#scores [data-deal]")).to_have_count(1)
    expect_sums(page, [-8 - points, 24 + 3 * points, -8 - points, -8 - points])
    expect(page.locator("#scores .deal-tiles .tile")).to_have_count(16)
    page.locator("#sheet-draw").tap()
    expect(page.locator("#scores [data-deal]")).to_have_count(2)
    page.locator("#sheet-close").tap()
    start_page(page)
    expect(page.locator("#board-next")).to_have_text("East round · deal 3 · Chiara deals")
    expect(page.locator("#board .dealer .name")).to_have_text("Chiara")
    upload(page, photo_path)  # Chiara deals: an own draw of hers is with the east wind twice
    tell(page, "Chiara", "from-own")
    expect_total(page, total(NOTATION, self_drawn=True, seat_wind=Tile.EAST, round_wind=Tile.EAST))


@pytest.mark.nightly
def test_a_sheet_opened_before_the_totals_arrive_is_updated(
    open_page: OpenPage, club: str, photo_path: Path
) -> None:
    page = open_page(club)
    begin(page)
    upload(page, photo_path)
    tell(page, "Ben", "from-own")
    held: list[Route] = []
    page.route(
        "**/v1/sessions/*",
        lambda route: held.append(route) if route.request.method == "PUT" else route.continue_(),
    )
    page.locator("#add-to-table").tap()
    page.locator("#open-table").tap()
    expect(page.locator("#sheet .message.warning")).to_contain_text("The totals will be updated")
    assert sums(page) == [0, 0, 0, 0]
    held[0].continue_()
    expect(page.locator("#sheet .message.warning")).to_have_count(0)
    points = total(NOTATION, self_drawn=True, seat_wind=Tile.SOUTH, round_wind=Tile.EAST)
    expect_sums(page, [-8 - points, 24 + 3 * points, -8 - points, -8 - points])


@pytest.mark.nightly
def test_the_session_survives_a_reload_and_can_be_undone_step_by_step(
    open_page: OpenPage, club: str, photo_path: Path
) -> None:
    page = open_page(club)
    begin(page)
    upload(page, photo_path)
    tell(page, "Ben", "from-own")
    page.locator("#add-to-table").tap()
    expect(page.locator("#added")).to_be_visible()
    reload(page)
    expect(page.locator("#added")).to_be_visible()
    page.locator("#table-button").tap()
    page.locator("#sheet-win").tap()
    page.locator("#win-player").select_option("Chiara")
    page.locator("#win-from").select_option("Ben")
    page.fill("#win-fan", "8")
    page.locator("#log-win").tap()
    expect(page.locator("#scores [data-deal]")).to_have_count(2)
    expect(page.locator("#sheet .message.warning")).to_have_count(0)  # the sums are of both deals
    before = sums(page)
    page.locator("#sheet-win").tap()
    page.locator("#win-player").select_option("Chiara")
    page.locator("#win-from").select_option("Ben")
    page.fill("#win-fan", "5")  # below the minimum: refused, and not logged
    page.locator("#log-win").tap()
    expect(page.locator("#photo-error")).to_contain_text("8 are needed to win")
    page.locator("#table-button").tap()
    expect_sums(page, before)
    page.locator("#table-undo").tap()
    expect(page.locator("#scores [data-deal]")).to_have_count(1)
    page.locator("#table-undo").tap()
    expect(page.locator("#scores [data-deal]")).to_have_count(0)
    expect_sums(page, [0, 0, 0, 0])
    page.locator("#sheet-close").tap()
    expect(page.locator("#add-to-table")).to_be_visible()  # it may be added again


def with_a_win_filled_in(open_page: OpenPage, club: str, fan: int) -> Page:
    """A session has begun, and a win without a photo is filled in and not yet logged."""
    page = open_page(club)
    begin(page)
    page.locator("#table-button").tap()
    page.locator("#sheet-win").tap()
    page.fill("#win-fan", str(fan))
    return page


@pytest.mark.nightly
def test_a_refusal_is_said_though_the_page_was_just_asking_for_news(
    open_page: OpenPage, club: str
) -> None:
    page = with_a_win_filled_in(open_page, club, 5)
    held = hold(page, "**/v1/sessions/*", "GET")
    wait_until_held(page, held)  # the page asks every three seconds
    page.locator("#log-win").tap()
    held[0].continue_()
    expect(page.locator("#photo-error")).to_contain_text("8 are needed to win")


@pytest.mark.nightly
def test_a_second_tap_logs_no_second_win_and_a_form_opened_meanwhile_stays(
    open_page: OpenPage, club: str
) -> None:
    page = with_a_win_filled_in(open_page, club, 8)
    held = hold(page, "**/v1/sessions/*", "PUT")
    page.evaluate(
        "() => { for (const _ of 'ab') document.querySelector('#log-win').click(); }"
    )  # two quick taps
    wait_until_held(page, held)
    page.locator("#sheet-close").tap()
    page.locator("#table-button").tap()
    expect(page.locator("#scores [data-deal]")).to_have_count(1)
    page.locator("#sheet-penalty").tap()
    page.fill("#penalty-points", "30")
    held[0].continue_()
    expect(page.locator("#board-next")).not_to_contain_text("will be updated")
    expect(page.locator("#penalty-points")).to_have_value("30")


@pytest.mark.nightly
def test_a_session_begun_without_a_connection_keeps_the_names_and_is_begun_once(
    open_page: OpenPage, club: str
) -> None:
    page = open_page(club)
    page.context.set_offline(True)
    page.locator("#table-button").tap()
    for at, name in enumerate(NAMES):
        page.fill(f"#player-{at}", name)
    page.locator("#table-rules").select_option("kc-2.5")
    page.locator("#start-table").tap()
    expect(page.locator("#sheet .message.error")).to_be_visible()
    expect(page.locator("#player-3")).to_have_value(NAMES[3])
    expect(page.locator("#table-rules")).to_have_value("kc-2.5")
    page.context.set_offline(False)
    page.evaluate("() => { for (const _ of 'ab') document.querySelector('#start-table').click(); }")
    expect(page.locator("#sheet")).not_to_be_visible()
    assert len(page.request.get("/v1/sessions").json()["sessions"]) == 1


@pytest.mark.nightly
def test_a_hand_is_added_with_the_score_it_has_now(
    open_page: OpenPage, club: str, photo_path: Path
) -> None:
    page = open_page(club)
    begin(page)
    upload(page, photo_path)
    tell(page, "Ben", "from-own")
    expect(page.locator("#add-to-table")).to_be_enabled()
    held = hold(page, "**/v1/hands/*", "PATCH")
    page.locator('#hand .tile[data-code="1h"]').tap()
    page.locator("#remove-tile").tap()
    wait_until_held(page, held)
    page.evaluate("document.querySelector('#add-to-table').click()")
    held[0].continue_()
    expect_settled(page)
    expect(page.locator("#added")).to_have_count(0)
    page.locator("#add-to-table").tap()
    page.locator("#open-table").tap()
    notation = NOTATION.replace("1h", "")
    points = total(notation, self_drawn=True, seat_wind=Tile.SOUTH, round_wind=Tile.EAST)
    expect_sums(page, [-8 - points, 24 + 3 * points, -8 - points, -8 - points])


@pytest.mark.nightly
def test_who_won_is_heard_while_an_answer_is_on_its_way(
    open_page: OpenPage, club: str, photo_path: Path, reader: RecordedReader
) -> None:
    reader.reading = recorded_reading(doubtful=True)
    page = open_page(club)
    begin(page)
    upload(page, photo_path)
    held = hold(page, "**/v1/hands/*", "PATCH")
    page.locator('.question[data-question="tile"] [data-option="1m"]').tap()
    wait_until_held(page, held)
    page.locator('[data-uid="winner-Ben"]').tap()
    page.locator('[data-uid="from-own"]').tap()
    held[0].continue_()
    page.locator("#none-applies").tap()
    expect_total(page, total(NOTATION, self_drawn=True, seat_wind=Tile.SOUTH, round_wind=Tile.EAST))


@pytest.mark.nightly
def test_a_deal_without_a_connection_is_kept_and_settled_later(
    open_page: OpenPage, club: str
) -> None:
    page = open_page(club)
    begin(page)
    go_offline(page)
    page.locator("#table-button").tap()
    page.locator("#sheet-win").tap()
    page.locator("#win-player").select_option("Ben")
    page.fill("#win-fan", "10")
    page.locator("#log-win").tap()
    expect(page.locator("#sheet")).to_contain_text("The totals will be updated")
    expect(page.locator("#scores [data-deal]")).to_have_count(1)
    page.locator("#sheet-close").tap()
    go_online(page)
    expect(page.locator("#board-next")).not_to_contain_text("will be updated")
    page.locator("#table-button").tap()
    expect_sums(page, [-18, 54, -18, -18])


@pytest.mark.nightly
def test_the_sheet_is_saved_and_printed(open_page: OpenPage, club: str) -> None:
    page = open_page(club, locale="zh-CN")
    begin(page, rules="kc-2.5")
    page.locator("#table-button").tap()
    page.locator("#sheet-win").tap()
    page.locator("#win-player").select_option("小明")
    page.locator("#win-from").select_option("Anna")
    page.fill("#win-multiplier", "4")
    page.locator("#log-win").tap()
    expect(page.locator("#scores [data-deal]")).to_have_count(1)
    with page.expect_download() as saved:
        page.locator("#table-csv").tap()
    file = Path(saved.value.path())
    assert re.match(r"hupai-\d{4}-\d\d-\d\d\.csv$", saved.value.suggested_filename)

    def first_cells() -> list[str]:
        return [line.split(",")[0] for line in file.read_text("utf-8-sig").splitlines()]

    eventually(lambda: first_cells()[1:3], ["副数 deal", "1"])
    page.evaluate(
        "window.print = () => { window.printed = document.documentElement.dataset.print }"
    )
    page.locator("#table-print").tap()
    eventually(lambda: page.evaluate("window.printed"), "sheet")
    page.emulate_media(media="print")
    expect(page.locator("#scores")).to_be_visible()
    expect(page.locator("main")).not_to_be_visible()
    expect(page.locator("#table-csv")).not_to_be_visible()


@pytest.mark.nightly
def test_a_sichuan_deal_goes_on_after_a_win(open_page: OpenPage, club: str) -> None:
    page = open_page(club)
    begin(page, rules="sichuan-2024")
    page.locator("#table-button").tap()
    for winner, source in [("Ben", "Anna"), ("Chiara", "Anna")]:
        page.locator("#sheet-win").tap()
        page.locator("#win-player").select_option(winner)
        page.locator("#win-from").select_option(source)
        page.fill("#win-base_points", "4")
        page.locator("#log-win").tap()
        expect(page.locator("#scores .deal-hand strong", has_text=winner)).to_be_visible()
    expect(page.locator("#scores [data-deal]")).to_have_count(1)  # one deal
    expect_sums(page, [-8, 4, 4, 0])
    page.locator("#sheet-draw").tap()
    page.fill('[id="ready-小明"]', "2")
    page.locator("#log-draw").tap()
    expect(page.locator('#scores [data-sum="小明"]')).to_have_text("+2")
    expect_sums(page, [-10, 4, 4, 2])


def penalise(page: Page, player: str, **fields: str) -> None:
    """Enter a penalty; a field is a choice or a number."""
    page.locator("#sheet-penalty").tap()
    page.locator("#penalty-player").select_option(player)
    for name, value in fields.items():
        field = page.locator(f"#penalty-{name.replace('_', '-')}")
        if name in ("reason", "to"):
            field.select_option(value)
        else:
            field.fill(value)
    page.locator("#log-penalty").tap()
    expect(page.locator("#scores")).to_be_visible()


@pytest.mark.nightly
def test_penalties_of_mcr_are_listed_with_their_deal(open_page: OpenPage, club: str) -> None:
    page = open_page(club)
    begin(page)
    page.locator("#table-button").tap()
    penalise(page, "Ben", points="30", to="others")
    expect(page.locator('[data-fines="0"]')).to_contain_text("Ben")
    expect_sums(page, [10, -30, 10, 10])
    page.locator("#sheet-draw").tap()
    expect(page.locator('[data-fines="1"]')).to_contain_text("−30")
    penalise(page, "Anna", points="5")
    expect_sums(page, [5, -30, 10, 10])
    fined = [10, -30, 10, 10]
    for after, deals, fines in ((fined, 1, 1), (fined, 0, 1), ([0, 0, 0, 0], 0, 0)):
        page.locator("#table-undo").tap()
        expect(page.locator("#scores [data-deal]")).to_have_count(deals)
        expect(page.locator("#scores .deal-fine")).to_have_count(fines)
        expect_sums(page, after)
    expect(page.locator("#table-undo")).to_be_disabled()


@pytest.mark.nightly
def test_fines_of_sichuan_grow_and_a_false_win_costs_what_the_chapter_says(
    open_page: OpenPage, club: str
) -> None:
    page = open_page(club)
    begin(page, rules="sichuan-2024")
    page.locator("#table-button").tap()
    penalise(page, "Anna", reason="signalling")
    penalise(page, "Anna", reason="signalling")
    penalise(page, "Ben", reason="false_win")
    expect_sums(page, [-6, -24, 0, 0])
    expect(page.locator('[data-fines="1"] p')).to_have_count(3)
    page.locator("#table-undo").tap()
    expect(page.locator('#scores [data-sum="Ben"]')).to_have_text("0")


@pytest.mark.nightly
def test_a_false_win_of_kc_is_a_deal(open_page: OpenPage, club: str) -> None:
    page = open_page(club)
    begin(page, rules="kc-2.5")
    page.locator("#table-button").tap()
    penalise(page, "Anna", ready_1="4")
    expect(page.locator("#scores .deal-about").first).to_contain_text("False win · Anna")
    expect_sums(page, [-20, 16, 2, 2])
    page.locator("#table-undo").tap()
    expect_sums(page, [0, 0, 0, 0])


@pytest.mark.nightly
@pytest.mark.parametrize(("locale", "cuts"), [("zh-CN", False), ("en-GB", True)])
def test_no_reason_of_a_fine_is_cut_on_a_small_phone(
    open_page: OpenPage, club: str, locale: str, cuts: bool
) -> None:
    """Chinese fits into the field; of longer English the whole text stands below."""
    page = open_page(club, locale=locale)
    page.set_viewport_size({"width": 320, "height": 640})
    begin(page, rules="sichuan-2024", together=False)
    page.locator("#table-button").tap()
    page.locator("#sheet-penalty").tap()
    reason, whole = page.locator("#penalty-reason"), page.locator("#penalty-whole")
    written_out = []
    for option in reason.locator("option").all():
        text = option.inner_text()
        reason.select_option(label=text)
        needed = page.evaluate(NEEDED_WIDTH, text)
        if whole.is_visible():
            expect(whole).to_have_text(text)
            written_out.append(text)
        else:
            assert needed <= reason.evaluate("field => field.clientWidth"), text
    assert bool(written_out) is cuts
    assert page.evaluate("document.documentElement.scrollWidth") == 320


NEEDED_WIDTH = """(text) => {
  const style = getComputedStyle(document.querySelector("#penalty-reason"));
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = style.font;
  const arrow = 20;
  return pen.measureText(text).width + 2 * parseFloat(style.paddingLeft) + arrow;
}"""
"""How wide the field has to be to show a text and its arrow."""


@pytest.mark.nightly
def test_the_player_who_won_falsely_is_not_asked_for_a_ready_hand(
    open_page: OpenPage, club: str
) -> None:
    page = open_page(club)
    begin(page, rules="kc-2.5", together=False)
    page.locator("#table-button").tap()
    page.locator("#sheet-penalty").tap()
    for at, name in enumerate(NAMES):
        page.locator("#penalty-player").select_option(name)
        asked = [page.locator(f"#penalty-ready-{i}").is_visible() for i in range(4)]
        assert asked == [i != at for i in range(4)]


def test_the_page_names_every_offence_of_chapter_11(root: Path) -> None:
    script = (root / "api/page/js/score/penalties.js").read_text("utf-8")
    listed = dict(re.findall(r'^  \["(\w+)", "[^"]+", "([^"]+)"\],$', script, re.MULTILINE))
    for one in MISCONDUCT.values():
        assert listed.pop(one.id) == one.zh
    assert set(listed) == {one.value for one in Offence} - {"barred", "other"}


@pytest.mark.nightly
def test_names_have_to_differ_and_a_session_that_is_over_can_be_opened_again(
    open_page: OpenPage, club: str
) -> None:
    page = open_page(club)
    page.locator("#table-button").tap()
    for at in range(4):
        page.fill(f"#player-{at}", "Ann")
    page.locator("#start-table").tap()
    expect(page.locator("#sheet [role=alert]")).to_have_text("Give four different names.")
    page.locator("#sheet-close").tap()
    begin(page)
    page.locator("#table-draw").tap()
    page.locator("#table-end").tap()
    expect(page.locator("#begin-table")).to_be_visible()
    page.locator("#begin-table").tap()
    page.locator("#sheet [data-uid^=past-]").tap()
    expect(page.locator("#scores [data-deal]")).to_have_count(1)


@pytest.mark.nightly
def test_hands_are_found_by_player_fan_and_tile(
    open_page: OpenPage, club: str, photo_path: Path
) -> None:
    page = open_page(club)
    begin(page)
    upload(page, photo_path)
    tell(page, "Ben", "from-own")
    page.locator("#add-to-table").tap()
    expect(page.locator("#added")).to_be_visible()
    page.locator("#history-button").tap()
    entry = page.locator("#sheet li[data-find]").first
    expect(entry).to_contain_text("Ben")
    for words, found in [("ben", True), ("anna", False), ("暗杠", True), ("concealed kong", True),
                         ("七条", False), ("竞赛规则", True), ("nobody", False)]:  # fmt: skip
        page.fill("#search-hands", words)
        expect(entry).to_be_visible(visible=found)
        expect(page.locator("#nothing-found")).to_be_visible(visible=not found)
