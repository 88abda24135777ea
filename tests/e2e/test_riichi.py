"""Riichi on the phone: red fives, indicators, han and fu, and two rule sets side by side."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Page, expect
from typer.testing import CliRunner

import hupai
from hupai.api.app.factory import create_app
from hupai.api.cli.main import app
from hupai.api.web.settings import Settings
from hupai.datasets.synthetic.designs import project_design, red_fives
from hupai.datasets.synthetic.examples import Example, render_example
from hupai.datasets.synthetic.layout.compose import HandStyle
from hupai.datasets.synthetic.picture.camera import View
from hupai.scoring.hand import Circumstances, Source
from hupai.scoring.notation import parse_hand
from hupai.scoring.rule_sets import get
from hupai.scoring.tiles import Tile
from hupai.vision.types import Group, GroupKind, LikelyHand, Reading, ReadTile
from tests.api.service import RecordedReader, served
from tests.e2e.conftest import OpenPage

pytestmark = [pytest.mark.browser]
HAND = "22678s40p [234m,1] [5555s+,2] +6p"
"""A chow from the left, an added kong, a red five among the concealed tiles."""
ONLINE = "riichi-online"


def riichi_reading() -> Reading:
    """`HAND` as a photo shows it, and one tile of the dead wall beside it."""
    hand = parse_hand(HAND)
    tiles: list[ReadTile] = []
    groups: list[Group] = []

    def lay(kind: GroupKind, faces: tuple[Tile, ...], source: Source | None = None) -> None:
        first = len(tiles)
        for at, face in enumerate(faces, first):
            box = (10.0 + 30 * at, 100.0, 36.0 + 30 * at, 140.0)
            red = face is Tile.P5
            tiles.append(ReadTile(at, face, box, 0.99, group=len(groups), red=red))
        groups.append(Group(len(groups), kind, tuple(range(first, len(tiles))), source))

    lay(GroupKind.CONCEALED, hand.concealed)
    lay(GroupKind.CHOW, hand.melds[0].tiles, Source.LEFT)
    lay(GroupKind.ADDED_KONG, hand.melds[1].tiles, Source.ACROSS)
    lay(GroupKind.WINNING_TILE, (Tile.P6,))
    beside = ReadTile(len(tiles), Tile.P4, (500.0, 20.0, 526.0, 60.0), 0.99, in_hand=False)
    return Reading((*tiles, beside), tuple(groups), (LikelyHand(hand, 0.9),), certain=True)


@pytest.fixture(scope="module")
def table() -> Iterator[str]:
    """A service that reads every photo as `HAND`."""
    app = create_app(Settings(preload=False), RecordedReader(riichi_reading()))
    with served(app) as address:
        yield address


def worth(rules: str, notation: str = HAND, **circumstances: object) -> int:
    given = Circumstances(**circumstances)  # type: ignore[arg-type]
    return get(rules).score(parse_hand(notation), given).total


def read(page: Page, photo: Path, rules: str) -> None:
    page.locator("#rules-select").select_option(rules)
    page.set_input_files("#file", photo)
    expect(page.locator("#hand .tile").first).to_be_visible()


def expect_total(page: Page, points: int) -> None:
    expect(page.locator("[data-total]")).to_have_attribute("data-total", str(points))


@pytest.mark.nightly
def test_han_fu_red_fives_and_indicators(open_page: OpenPage, table: str, photo_path: Path) -> None:
    page = open_page(table)
    read(page, photo_path, ONLINE)
    expect(page.locator("#hand .tile.red")).to_have_count(1)
    expect_total(page, worth(ONLINE))
    expect(page.locator("#open-total")).to_be_visible()
    expect(page.locator("#figures")).to_have_count(0)  # han and fu are open with the total
    expect(page.locator("#fans [data-fan='aka_dora']")).to_be_visible()
    page.locator("#steps summary").tap()
    expect(page.locator("#steps [data-step='han']")).to_contain_text("1 + 1 dora")
    page.locator("#hand .tile.red").tap()
    page.locator("#mark-red").tap()
    expect(page.locator("#hand .tile.red")).to_have_count(0)
    expect_total(page, worth(ONLINE, HAND.replace("0", "5")))


@pytest.mark.nightly
def test_no_seat_is_assumed_while_the_seat_wind_is_asked_for(
    open_page: OpenPage, table: str, photo_path: Path
) -> None:
    page = open_page(table)
    read(page, photo_path, ONLINE)
    expect(page.locator('.question[data-name="seat_wind"]')).to_be_visible()
    expect(page.locator("[data-problem='furiten_not_seen']")).to_be_visible()
    expect(page.locator("[data-problem='dealer_unknown']")).to_have_count(0)
    page.locator("#leave-all").tap()
    expect(page.locator("[data-problem='dealer_unknown']")).to_be_visible()


@pytest.mark.nightly
def test_a_tile_beside_the_hand_is_offered_as_an_indicator(
    open_page: OpenPage, table: str, photo_path: Path
) -> None:
    page = open_page(table)
    read(page, photo_path, ONLINE)
    before = worth(ONLINE)
    expect_total(page, before)
    if not page.locator("#circumstances").is_visible():
        page.locator("#won summary").tap()
    page.locator("#circumstances [data-name='dora_indicators']").tap()
    page.locator("#sheet [data-beside]").tap()
    expect(page.locator("#sheet .tile.tiny")).to_have_count(1)
    page.get_by_role("button", name="Done").tap()
    expect(page.locator("#circumstances [data-indicator='4p']")).to_be_visible()
    expect_total(page, worth(ONLINE, dora_indicators=(Tile.P4,)))
    assert worth(ONLINE, dora_indicators=(Tile.P4,)) > before


@pytest.mark.nightly
def test_european_and_online_rules_side_by_side(
    open_page: OpenPage, table: str, photo_path: Path
) -> None:
    page = open_page(table, locale="zh-CN")
    read(page, photo_path, "riichi-ema")
    expect_total(page, worth("riichi-ema"))
    page.locator("#compare").tap()
    for rules in ("riichi-ema", ONLINE):
        expect(page.locator(f"#sheet [data-rules='{rules}']")).to_contain_text(f"{worth(rules)} 点")
    assert worth("riichi-ema") < worth(ONLINE)


PHOTOGRAPHED = "23m88p406s [678m,1] [3333p+,2] +4m"


@pytest.fixture(scope="module")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A photo of `PHOTOGRAPHED`: a chow from the left, an added kong, a red five."""
    own = project_design()
    picture = render_example(
        Example(
            parse_hand(PHOTOGRAPHED),
            HandStyle(group_gap=0.7),
            View(elevation=68, azimuth=4, roll=0, field_of_view=50, width=1600, height=900),
            seed=1,
            discards=True,
            fill=0.9,
            faults=0.35,
            table="felt",
        ),
        replace(own, face=red_fives(own.face)),
    ).image
    path = tmp_path_factory.mktemp("photo") / "riichi.jpg"
    Image.fromarray(picture).save(path, quality=92)
    return path


@pytest.mark.nightly
def test_a_rendered_photo_is_read_whole_and_scored_under_both(rendered: Path) -> None:
    photo = hupai.read(rendered)
    assert photo.hand == parse_hand(PHOTOGRAPHED)
    assert photo.score("riichi-ema", seat="S").total == worth("riichi-ema", PHOTOGRAPHED) == 1000
    assert photo.score(ONLINE, seat="S").total == worth(ONLINE, PHOTOGRAPHED) == 2000
    answer = CliRunner().invoke(
        app, ["photo", str(rendered), "--rules", "riichi-ema", "--also", ONLINE, "--json"]
    )
    also = json.loads(answer.stdout)["also"]
    assert [(column["rules"], column["total"]) for column in also] == [(ONLINE, 2000)]


@pytest.mark.nightly
def test_a_rendered_photo_under_both_rules_on_the_phone(
    open_page: OpenPage, rendered: Path
) -> None:
    with served(create_app(Settings())) as address:
        page = open_page(address)
        page.locator("#rules-select").select_option("riichi-ema")
        page.set_input_files("#file", rendered)
        expect(page.locator("[data-total]")).to_have_attribute("data-total", "1000", timeout=60_000)
        expect(page.locator("#hand .tile.red")).to_have_count(1)
        page.locator("#compare").tap()
        for rules, points in (("riichi-ema", 1000), (ONLINE, 2000)):
            shown = page.locator(f"#sheet [data-rules='{rules}']")
            expect(shown).to_contain_text(f"{points} points")


def test_the_reading_is_as_the_photo_shows_it() -> None:
    reading = riichi_reading()
    assert sum(tile.red for tile in reading.tiles) == 1
    assert replace(reading.hands[0].hand, red_fives=()) == parse_hand(HAND.replace("0", "5"))
