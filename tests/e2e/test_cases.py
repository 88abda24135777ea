"""The dispute view in a real browser: players propose, the referee decides, everybody sees claimed
against computed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from hupai.api.app.factory import create_app
from hupai.api.auth.keys import KeyStore
from hupai.api.dossier.bundle.verify import verify
from hupai.api.web.settings import Settings
from hupai.api.web.storage_access import storage_of
from hupai.scoring.rule_sets import all_rules
from tests.api.dossier import guide_pictures
from tests.api.dossier.cases import WON, photo
from tests.api.service import RecordedReader, recorded_reading, served
from tests.e2e.conftest import OpenPage
from tests.e2e.test_away import hold, wait_until_held
from tests.e2e.test_page import expect_no_wider

pytestmark = [pytest.mark.browser]


@pytest.fixture(scope="module")
def keys() -> dict[str, str]:
    """Keys by name; filled by `club`."""
    return {}


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory, keys: dict[str, str]) -> Iterator[str]:
    """A service that asks for keys."""
    folder = tmp_path_factory.mktemp("club")
    settings = Settings(preload=False, require_keys=True, rate_limit=0, data_dir=str(folder))
    storage = storage_of(settings)
    storage.open()
    for name, scope in (("anna", "player"), ("ben", "player"), ("chief", "referee")):
        keys[name] = KeyStore(storage.database).add(name, [scope])[0]
    storage.close()
    with served(create_app(settings, RecordedReader(recorded_reading(doubtful=True)))) as address:
        yield address


def case_of(club: str, key: str, rules: str = "mcr-1998", circumstances: str = "") -> str:
    """A case opened over the API; its address on the page."""
    form = {
        "rules": rules,
        "circumstances": circumstances or WON.model_dump_json(),
        "title": "Table 3, hand 7",
    }
    headers = {"Authorization": f"Bearer {key}"}
    photos = {"photo": ("hand.jpg", photo())}
    answer = httpx.post(f"{club}/v1/cases", files=photos, data=form, headers=headers, timeout=30)
    return f"{club}/cases/{answer.raise_for_status().json()['id']}"


def enter(page: Page, key: str) -> None:
    """Give the page its key, and wait until it shows what it fetched with it."""
    page.fill("input[name=key]", key)
    page.click("form button")
    expect(page.locator("input[name=key]")).to_have_count(0)
    expect(page.locator("h1").first).to_be_visible()


@pytest.mark.nightly
def test_a_player_opens_a_case_from_a_photo(
    club: str, keys: dict[str, str], open_page: OpenPage, tmp_path: Path
) -> None:
    path = tmp_path / "hand.jpg"
    path.write_bytes(photo())
    page = open_page(f"{club}/cases", "desktop")
    enter(page, keys["ben"])
    page.set_input_files("input[name=photo]", path)
    page.select_option("select[name=rules]", "mcr-1998")
    page.fill("input[name=title]", "Table 9")
    page.fill("input[name=stated]", "Ben")
    page.click("#open-form button.primary")
    expect(page.locator("h1")).to_have_text("Table 9")
    expect(page.locator("#notation")).to_have_text("23m55pEEE [567m,1] (9999s) 1h +1m")
    expect(page.locator(".shot rect")).to_have_count(16)
    page.goto(f"{club}/cases")
    expect(page.locator(".case-line")).to_have_count(1)


@pytest.mark.nightly
def test_propose_claim_decide_and_rule(
    club: str, keys: dict[str, str], open_page: OpenPage, tmp_path: Path
) -> None:
    address = case_of(club, keys["anna"])
    player = open_page(address, "desktop")
    enter(player, keys["anna"])

    # The reading at a tile: the winning tile may be 1m or 4m.
    player.locator(".shot rect[data-tile='14']").click()
    expect(player.locator(".reading-at")).to_contain_text("70%")
    expect(player.locator(".reading-at")).to_contain_text("25%")

    # A claim, side by side with what is computed.
    player.locator("[data-act=claim]").click()
    player.fill("[name=by]", "Anna")
    player.fill("[name=total]", "12")
    player.fill("[name=fans]", "双暗刻，圈风刻")
    player.fill("[name=stated]", "Anna")
    player.locator("#sheet button.primary").click()
    expect(player.locator("#claimed [data-claim='12']")).to_contain_text("1 more")
    expect(player.locator("#claimed [data-computed='11']")).to_be_visible()
    expect(player.locator("#by-rules tr")).to_have_count(1 + len(all_rules()))
    expect(player.locator("#by-rules tr.own")).to_have_attribute("data-total", "11")

    # A proposal by tapping the flower on the photo; a player cannot decide.
    player.locator(".shot rect[data-tile='15']").click()
    player.locator("#other-tile").click()
    player.locator("#sheet [data-code='2h']").click()
    player.fill("[name=reason]", "It is summer.")
    player.locator("#sheet button.primary").click()
    expect(player.locator(".correction")).to_contain_text("It is summer.")
    expect(player.locator("[data-act=accept]")).to_have_count(0)
    expect(player.locator("#referee")).to_have_count(0)
    expect(player.locator("#who-may tr[data-may=decide] td").last).to_have_text("no")
    expect(player.locator("#notation")).to_contain_text("1h")

    # The referee accepts, rules, closes and exports.
    referee = open_page(address, "desktop")
    enter(referee, keys["chief"])
    expect(referee.locator("#who-may tr[data-may=decide] td").last).to_have_text("yes")
    referee.locator("[data-act=accept]").click()
    referee.fill("[name=reason]", "Seen on the photo.")
    referee.locator("#sheet button.primary").click()
    expect(referee.locator("#notation")).to_contain_text("2h")
    expect(referee.locator("#hand-card .tile.edited")).to_have_count(1)
    referee.locator("[data-act=rule]").click()
    expect(referee.locator("[name=total]")).to_have_value("11")
    referee.fill("[name=reason]", "As computed.")
    referee.locator("#sheet button.primary").click()
    expect(referee.locator("#state")).to_have_text("ruled")
    expect(referee.locator("#claimed [data-ruled='win']")).to_contain_text("11")
    with referee.expect_download() as waited:
        referee.locator("[data-act=exportCase]").click()
    target = tmp_path / "case.zip"
    waited.value.save_as(target)
    assert verify(target.read_bytes()).holds
    referee.locator("[data-act=close_case]").click()
    referee.fill("[name=reason]", "Signed.")
    referee.locator("#sheet button.primary").click()
    expect(referee.locator("#state")).to_have_text("closed")
    expect(referee.locator("#acts")).to_have_count(0)

    # The player looks again; the code of the report leads to the entry it was printed from.
    printed = referee.locator("#log tr").nth(3).locator("td.hash").inner_text()
    player.goto(f"{address}#{printed}")
    player.reload()
    expect(player.locator("[data-printed]")).to_have_attribute("data-printed", "5")
    player.goto(f"{address}#{'0' * 64}")
    expect(player.locator("[data-printed=unknown]")).to_be_visible()


@pytest.mark.nightly
def test_an_act_whose_answer_comes_late_closes_no_other_form_and_is_done_once(
    club: str, keys: dict[str, str], open_page: OpenPage
) -> None:
    page = open_page(case_of(club, keys["anna"]), "desktop")
    enter(page, keys["anna"])
    held = hold(page, "**/v1/cases/*/notes", "POST")
    page.locator("[data-act=addRemark]").click()
    page.fill("[name=text]", "It was dark.")
    page.locator("#sheet button.primary").click()
    wait_until_held(page, held)
    page.locator("#sheet button", has_text="Cancel").click()
    page.locator("[data-act=claim]").click()
    page.fill("[name=by]", "Anna")
    held[0].continue_()
    expect(page.locator("#acts")).to_contain_text("It was dark.")
    page.wait_for_timeout(200)
    expect(page.locator("#sheet")).to_be_visible()
    expect(page.locator("[name=by]")).to_have_value("Anna")
    page.fill("[name=total]", "12")
    page.route("**/v1/cases/*", lambda route: route.abort("connectionreset"))
    page.locator("#sheet button.primary").click()
    expect(page.locator("#sheet")).not_to_be_visible()  # a second tap would claim it twice
    expect(page.locator("main [role=alert]")).to_contain_text("Reload the page")


@pytest.mark.nightly
def test_a_late_list_does_not_replace_the_one_chosen_since(
    club: str, keys: dict[str, str], open_page: OpenPage
) -> None:
    case_of(club, keys["anna"])
    page = open_page(f"{club}/cases", "desktop")
    enter(page, keys["chief"])
    page.fill("input[name=title]", "Table 5")
    held = hold(page, "**/v1/tournament?state=closed", "GET")
    page.select_option("select[name=state]", "closed")
    wait_until_held(page, held)
    page.select_option("select[name=state]", "open")
    expect(page.locator("select[name=state] option[selected]")).to_have_text("open")
    held[0].continue_()
    page.wait_for_timeout(300)
    expect(page.locator("select[name=state]")).to_have_value("open")
    expect(page.locator(".case-line").first).to_be_visible()
    expect(page.locator("input[name=title]")).to_have_value("Table 5")


@pytest.mark.nightly
def test_the_referee_is_warned_when_the_case_has_changed(
    club: str, keys: dict[str, str], open_page: OpenPage
) -> None:
    address = case_of(club, keys["anna"])
    referee = open_page(address, "desktop")
    enter(referee, keys["chief"])
    headers = {"Authorization": f"Bearer {keys['anna']}"}
    httpx.post(
        f"{club}/v1/cases/{address.rpartition('/')[2]}/notes",
        json={"text": "wait"},
        headers=headers,
        timeout=30,
    ).raise_for_status()
    referee.locator("[data-act=rule]").click()
    referee.fill("[name=reason]", "x")
    referee.locator("#sheet button.primary").click()
    expect(referee.locator("#sheet [role=alert]")).to_contain_text("since you fetched it")


@pytest.mark.nightly
def test_a_hand_that_is_not_complete_has_no_totals_and_keeps_its_margins_on_a_phone(
    club: str, keys: dict[str, str], open_page: OpenPage
) -> None:
    address = case_of(club, keys["anna"])
    case = f"{club}/v1/cases/{address.rpartition('/')[2]}"
    with httpx.Client(headers={"Authorization": f"Bearer {keys['chief']}"}, timeout=30) as client:
        players = [{"seat": "E", "name": "Anna"}, {"seat": "S", "name": "Ben"}]
        client.post(f"{case}/place", json={"players": players}).raise_for_status()
        wanted = {"notation": "23m55pEEE[567m,1](9999s)1h+9m", "reason": "seen"}
        proposed = client.post(f"{case}/corrections", json=wanted).raise_for_status().json()
        number = proposed["corrections"][0]["number"]
        decision = f"{case}/corrections/{number}/decision"
        client.post(decision, json={"accepted": True, "reason": "seen"}).raise_for_status()
    page = open_page(address)
    enter(page, keys["chief"])
    own = page.locator("#by-rules tr.own")
    expect(own.locator("td.number").first).to_have_text("–")
    expect(page.locator(".case-facts b").first).to_contain_text("Chinese Mahjong")
    expect(page.locator("[data-act=won_how]")).to_have_text("How it was won")
    left = "(element) => element.getBoundingClientRect().left"
    inside = page.locator("#hand-card").evaluate(left) + 12
    assert page.locator("#hand-card h2").evaluate(left) >= inside
    assert page.locator("#notation").evaluate(left) >= inside
    page.goto(f"{club}/cases")
    expect(page.locator(".case-line").filter(has_text="Anna")).to_contain_text("Anna, Ben")


def test_the_tab_key_goes_through_the_photo_in_the_order_of_the_hand(
    club: str, keys: dict[str, str], open_page: OpenPage
) -> None:
    page = open_page(case_of(club, keys["anna"]), "desktop")
    enter(page, keys["anna"])
    first = page.locator(".shot rect[data-tile='0']")
    first.focus()
    visited = ["0"]
    while len(visited) < 16:
        page.keyboard.press("Tab")
        visited.append(str(page.evaluate("document.activeElement.dataset.tile")))
    # Concealed tiles, melds, then the flower (15) and the winning tile (14).
    assert visited == [*map(str, range(14)), "15", "14"]


@pytest.mark.nightly
def test_a_false_win_on_a_chinese_phone(
    club: str, keys: dict[str, str], open_page: OpenPage
) -> None:
    address = case_of(club, keys["anna"], "sichuan-2024", "{}")
    page = open_page(address, locale="zh-CN")
    enter(page, keys["chief"])
    card = page.locator("#false-win details[data-rules='sichuan-2024']")
    expect(card.locator("[data-lack=rules]").first).to_contain_text("四川麻将")
    expect(page.locator("#claimed [data-computed] .bad-text")).to_have_text("不能和")
    expect(card.locator(".fine.fits").first).to_contain_text("四川麻将竞赛规则第11.2.")
    expect(page.locator("#false-win [data-rules='mcr-handbook'] .fine").first).to_contain_text(
        "赛事规程"
    )
    expect(page.locator("#false-win")).not_to_contain_text("regulations")
    page.locator("[data-act=rule]").tap()
    expect(page.locator("[name=outcome]")).to_have_value("false_win")
    page.select_option("[name=fine]", "sichuan-2024/pig_win")
    page.fill("[name=reason]", "未打缺")
    page.locator("#sheet button.primary").tap()
    expect(page.locator("#claimed [data-ruled='false_win']")).to_contain_text(
        "罚 24 分 (四川麻将竞赛规则第11.2.10.3条)"
    )
    expect_no_wider(page, 360)


@pytest.mark.nightly
@pytest.mark.parametrize("size", ["phone", "desktop"])
def test_the_page_is_accessible(
    club: str, keys: dict[str, str], open_page: OpenPage, size: str
) -> None:
    page = open_page(case_of(club, keys["anna"]), size, dark=size == "phone")
    enter(page, keys["chief"])
    page.locator(".shot rect[data-tile='14']").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".reading-at [data-read]")).to_be_visible()
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.nightly
def test_the_language_can_be_changed(club: str, keys: dict[str, str], open_page: OpenPage) -> None:
    page = open_page(case_of(club, keys["anna"]), "desktop")
    enter(page, keys["anna"])
    expect(page.locator("#claimed h2")).to_have_text("Claimed and computed")
    page.locator("#language-button").click()
    expect(page.locator("#claimed h2")).to_have_text("申报与计算")
    expect(page.locator("html")).to_have_attribute("lang", "zh-CN")


def test_a_case_that_is_not_there(club: str, keys: dict[str, str], open_page: OpenPage) -> None:
    page = open_page(f"{club}/cases/01932f4c-1c7e-7a3b-9a4e-0242ac120009")
    page.fill("input[name=key]", keys["anna"])
    page.click("form button")
    expect(page.locator("#main [role=alert]")).to_have_text("There is no case with this id.")


@pytest.fixture
def example(tmp_path: Path) -> Iterator[str]:
    """A service that reads the example case's photo as it was read then; without keys."""
    settings = Settings(preload=False, rate_limit=0, data_dir=str(tmp_path))
    with served(create_app(settings, RecordedReader(guide_pictures.reading()))) as address:
        yield address


def test_the_case_of_the_guide(
    example: str, open_page: OpenPage, shoot: Callable[[Page, str], None]
) -> None:
    (data,) = guide_pictures.photos().values()
    form = {
        "rules": "mcr-1998",
        "circumstances": '{"self_drawn": true, "seat_wind": "W", "round_wind": "S"}',
        "title": "第三桌 第七盘 · Table 3, hand 7",
        "stated": "Zhao",
    }
    case = (
        httpx.post(
            f"{example}/v1/cases",
            files={"photo": ("table-3.jpg", data)},
            data=form,
            timeout=30,
        )
        .raise_for_status()
        .json()
    )
    claim = {
        "by": "Chen",
        "total": 26,
        "fans": ["清龙", "混一色"],
        "text": "清龙、暗杠、不求人",
        "stated": "Chen",
    }
    where = f"{example}/v1/cases/{case['id']}"
    httpx.post(f"{where}/claims", json=claim, timeout=30).raise_for_status()
    wanted = {"winning_tile": "3m", "reason": "和的是三万。", "stated": "Li"}
    httpx.post(f"{where}/corrections", json=wanted, timeout=30).raise_for_status()
    page = open_page(f"{example}/cases/{case['id']}", "desktop")
    expect(page.locator("#claimed [data-claim='26']")).to_contain_text("2 more")
    expect(page.locator(".shot rect.inferred")).to_have_count(2)
    page.locator(".shot rect.inferred").first.click()
    expect(page.locator(".reading-at")).to_contain_text("Inferred")
    expect(page.locator(".correction .tile")).to_have_count(2)
    page.set_viewport_size({"width": 1280, "height": 1500})
    shoot(page, "case")
