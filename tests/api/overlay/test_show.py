"""What a producer does during a show: undo, freeze, scoreboard, and the log afterwards."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from hupai.api.overlay import service
from hupai.api.overlay.commands import hand_of_card
from hupai.api.overlay.log.formats import LogEntry, log_csv, log_edl
from hupai.api.overlay.store.errors import UnknownTableError
from hupai.api.overlay.viewer_json import hand_card
from hupai.models import registry
from hupai.scoring import rule_sets
from hupai.scoring.hand import Circumstances
from hupai.scoring.notation import parse_hand
from hupai.scoring.tiles import Tile
from tests.api.overlay.service import (
    READY,
    WON,
    Events,
    command,
    entered,
    make_table,
    overlay_app,
    serving,
)


@pytest.fixture
def app(tmp_path: Path) -> FastAPI:
    """A service of its own for each test."""
    return overlay_app(tmp_path)


@pytest.fixture
def client(app: FastAPI) -> Iterator[httpx.Client]:
    """A client of it, with the table ``final``."""
    with serving(app) as address, httpx.Client(base_url=address, timeout=30) as client:
        make_table(client)
        yield client


def shown(events: Events) -> tuple[str, int | None]:
    """The next event: its name, and how many tiles stand concealed."""
    event = events.next()
    card = event.data.get("card")
    return event.name, None if card is None else len(card["concealed"])


def followed(client: httpx.Client) -> Events:
    """The stream after its snapshot."""
    events = Events(str(client.base_url).rstrip("/"))
    assert events.next().name == "snapshot"
    return events


def test_undo_brings_back_what_was_on_air(client: httpx.Client) -> None:
    events = followed(client)
    answer = command(client, do="undo", seat="east")
    assert (answer.status_code, answer.json()["type"]) == (409, "/problems/proposal-stale")
    entered(client, notation=READY, approve=True)
    assert shown(events) == ("hand", 13)
    entered(client, notation=WON, approve=True)
    assert shown(events) == ("hand", 4)
    command(client, do="undo", seat="east")
    assert shown(events) == ("hand", 13)
    command(client, do="undo", seat="east")
    assert shown(events) == ("hand", 4), "undone twice"
    command(client, do="hide", seat="east")
    assert shown(events) == ("hide", None)
    command(client, do="undo", seat="east")
    assert shown(events) == ("hand", 4), "the last hand is back"


def test_undo_of_the_first_hand_hides_it_and_drops_what_is_queued(client: httpx.Client) -> None:
    events = followed(client)
    entered(client, notation=READY, approve=True)
    assert shown(events) == ("hand", 13)
    client.patch("/v1/tables/final", json={"delay_seconds": 60})
    entered(client, notation=WON, approve=True)
    assert len(client.get("/v1/tables/final").json()["queue"]) == 1
    command(client, do="undo", seat="east")
    assert shown(events) == ("hide", None)
    assert client.get("/v1/tables/final").json()["queue"] == []


def test_a_frozen_seat_keeps_its_hand_until_the_operator_changes_it(
    client: httpx.Client, app: FastAPI
) -> None:
    events = followed(client)
    client.patch("/v1/tables/final", json={"auto": "all"})
    entered(client, notation=READY, approve=True)
    assert shown(events) == ("hand", 13)
    state = command(client, do="freeze", seat="east").json()
    assert [seat["frozen"] for seat in state["seats"]] == [True, False]
    store = app.state.overlay.store
    proposal = store.state("final").seats[0].proposal
    assert proposal is not None
    store.propose("final", "east", proposal, auto=True)
    assert not store.retire("final", "east", replaced=False)
    assert client.get("/v1/tables/final").json()["queue"] == []
    entered(client, notation=WON, approve=True)
    assert shown(events) == ("hand", 4)
    state = command(client, do="freeze", seat="east", frozen=False).json()
    assert not state["seats"][0]["frozen"]
    assert store.retire("final", "east", replaced=False)


def test_the_scoreboard_goes_to_viewers_at_once(client: httpx.Client) -> None:
    client.patch("/v1/tables/final", json={"delay_seconds": 60})
    events = followed(client)
    seats = [{"seat": "east", "wind": "E", "dealer": True, "score": -24}]
    board = {"title": "City final", "round_wind": "S", "deal": 6, "seats": seats}
    assert client.patch("/v1/tables/final", json={"board": board}).status_code == 200
    event = events.next()
    assert (event.name, event.data["board"]["seats"][0]["score"]) == ("table", -24)
    snapshot = client.get("/v1/tables/final/air").json()
    assert snapshot["board"]["title"] == "City final"
    assert snapshot["players"] == {"east": "Lin", "west": "Chen"}
    wrong = {"board": {"seats": [{"seat": "east", "wind": "X"}]}}
    assert client.patch("/v1/tables/final", json=wrong).status_code == 422


def test_a_player_renamed_is_renamed_on_air(client: httpx.Client) -> None:
    events = followed(client)
    entered(client, notation=READY, approve=True)
    assert shown(events) == ("hand", 13)
    command(client, do="player", seat="east", player="Lin Yu")
    event = events.next()
    assert (event.name, event.data["players"]["east"]) == ("table", "Lin Yu")
    (card,) = client.get("/v1/tables/final/air").json()["on_air"]
    assert card["player"] == "Lin Yu"


def test_the_log_lists_what_was_on_air(client: httpx.Client) -> None:
    events = followed(client)
    entered(client, notation=WON, approve=True)
    shown(events)
    command(client, do="hide", seat="east")
    shown(events)
    entries = client.get("/v1/tables/final/log").json()["entries"]
    assert [(one["kind"], one["player"], one["total"]) for one in entries] == [
        ("hand", "Lin", 8),
        ("hide", "Lin", None),
    ]
    table = client.get("/v1/tables/final/log", params={"format": "csv", "zone": "+08:00"})
    assert table.headers["content-type"].startswith("text/csv")
    rows = list(csv.DictReader(io.StringIO(table.text)))
    assert rows[0]["tiles"] == "3m4m5p5p [CCC] [FFF] [?8s8s?] +2m"
    assert rows[0]["time"].endswith("+08:00")
    cuts = client.get("/v1/tables/final/log", params={"format": "edl", "fps": 30})
    assert cuts.text.startswith("TITLE: final\nFCM: NON-DROP FRAME\n\n001  AX       V     C")
    refused = client.get("/v1/tables/final/log", params={"zone": "Nowhere"})
    assert (refused.status_code, refused.json()["type"]) == (422, "/problems/invalid-request")


def test_red_fives_are_on_air_and_count_for_the_waits(client: httpx.Client) -> None:
    client.patch("/v1/tables/final", json={"rules": "riichi-online"})
    events = followed(client)
    entered(client, notation="23406m234p567s88p", approve=True)
    waiting = events.next().data["card"]
    assert waiting["concealed"][3] == "0m"
    alone = {wait["tile"]: wait["least"] for wait in waiting["waits"]}
    entered(client, "west", "23406m23p[067s,1]88p+4p", approve=True)
    won = events.next().data["card"]
    assert won["melds"][0]["tiles"][0] == "0s"
    counted = events.next().data["card"]["waits"]
    assert {wait["tile"]: wait["least"] for wait in counted} == alone, "still with the red five"


def test_themes_and_pictures_come_from_the_data_folder_alone(
    client: httpx.Client, tmp_path: Path
) -> None:
    (tmp_path / "overlay" / "themes").mkdir(parents=True)
    (tmp_path / "overlay" / "media").mkdir()
    (tmp_path / "overlay" / "themes" / "club.css").write_text(":root { --accent: red }")
    (tmp_path / "overlay" / "media" / "logo.svg").write_text("<svg/>")
    (tmp_path / "overlay" / "secret.png").write_text("no")
    assert client.get("/overlay/themes/club.css").text == ":root { --accent: red }"
    assert "Jade" in client.get("/overlay/themes/jade.css").text
    assert client.get("/overlay/themes/none.css").status_code == 404
    drawing = client.get("/overlay/media/logo.svg")
    assert drawing.headers["content-type"] == "image/svg+xml"
    assert "default-src 'none'" in drawing.headers["content-security-policy"]
    for wrong in ("..%2Fsecret.png", "../secret.png", "logo.exe", "none.png"):
        assert client.get(f"/overlay/media/{wrong}").status_code in (404, 422)
    board = {"title": "x", "logo": "../secret.png"}
    assert client.patch("/v1/tables/final", json={"board": board}).status_code == 422


def entry(number: int, seconds: float, kind: str = "hand", seat: str = "1") -> LogEntry:
    """An entry of the log, so many seconds after noon."""
    at = datetime(2026, 11, 23, 12, tzinfo=UTC) + timedelta(seconds=seconds)
    return LogEntry(
        number=number, at=at, seat=seat, player="=cmd()", kind=kind, tiles="1m", author="a"
    )


def test_cuts_run_from_a_hand_to_what_replaces_it() -> None:
    entries = [entry(1, 0), entry(2, 1.5, seat="2"), entry(3, 4.2), entry(4, 9, "hide")]
    lines = [line for line in log_edl("t", entries, UTC, 25).splitlines() if " V " in line]
    assert [line.split()[4:6] for line in lines] == [
        ["12:00:00:00", "12:00:04:05"],
        ["12:00:01:12", "12:00:06:12"],
        ["12:00:04:05", "12:00:09:00"],
    ]


def test_a_name_is_not_exported_as_a_formula() -> None:
    (row,) = csv.DictReader(io.StringIO(log_csv([entry(1, 0)], UTC)))
    assert row["player"] == "'=cmd()"
    for name in ("=1+cmd()", "+1+cmd()", "-2+cmd()", "@1", "\t=1", "\r=1"):
        named = entry(1, 0).model_copy(update={"player": name})
        (row,) = csv.DictReader(io.StringIO(log_csv([named], UTC), newline=""))
        assert row["player"] == f"'{name}"
    for number in ("-8", "+24"):
        named = entry(1, 0).model_copy(update={"player": number})
        (row,) = csv.DictReader(io.StringIO(log_csv([named], UTC), newline=""))
        assert row["player"] == number


def test_running_scores_come_from_the_log_of_a_session(client: httpx.Client) -> None:
    events = followed(client)
    win = {"type": "win", "player": "Chen", "base_points": 2, "from": "Lin"}
    log = {
        "rules": "sichuan-2024",
        "players": ["Lin", "B", "Chen", "D"],
        "deals": [
            {"events": [win, {"type": "exhaust", "ready": {}, "not_ready": ["Lin", "B", "D"]}]}
        ],
    }
    sheet = client.post("/v1/sessions", json=log).json()
    answer = command(client, do="scores", session=log)
    assert answer.status_code == 200, answer.text
    board = events.next().data["board"]
    scores = {seat["seat"]: seat["score"] for seat in board["seats"]}
    assert scores == {"east": sheet["totals"]["Lin"], "west": sheet["totals"]["Chen"]}
    assert scores["west"] > 0 > scores["east"]
    assert board["deal"] == 2
    strangers = command(client, do="scores", session={**log, "players": [*"ABCD"], "deals": []})
    assert strangers.status_code == 422
    assert "A, B, C, D" in strangers.json()["detail"]
    wrong = command(client, do="scores", session={"rules": "sichuan-2024"})
    assert wrong.status_code == 422


def test_a_red_five_of_a_concealed_kong_is_seen_and_stays() -> None:
    rules = rule_sets.get("riichi-online")
    hand = parse_hand("234m34p567s88p(0555s)")
    card = hand_card("east", "Lin", hand, rules, Circumstances())
    assert card.melds[0].tiles == ["?", "0s", "5s", "?"]
    assert hand_of_card(card).all_red_fives == hand.all_red_fives
    again = hand_card("east", "Lin", hand_of_card(card), rules, Circumstances())
    assert again.waits == card.waits


def test_a_session_that_a_scoreboard_cannot_show_changes_nothing(client: httpx.Client) -> None:
    log = {"rules": "mcr-1998", "players": ["Lin", "B", "Chen", "D"]}
    long = command(client, do="scores", session={**log, "deals": [{"type": "draw"}] * 999})
    assert long.status_code == 422, long.text
    assert "deal" in long.json()["detail"]
    assert client.get("/v1/tables/final").json()["table"]["board"]["deal"] is None


def test_changes_go_on_air_after_a_table_was_removed_in_between(
    app: FastAPI, client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(_store: object, table: str) -> None:
        raise UnknownTableError(table)

    events = followed(client)
    with monkeypatch.context() as patched:
        patched.setattr(service, "update_waits", gone)
        entered(client, notation=WON, approve=True)
        assert events.next().name == "hand"
    entered(client, notation=READY, approve=True)
    assert events.next().name == "hand"


def test_a_table_is_read_with_the_weights_in_use(
    app: FastAPI, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "models" / "club"
    own.mkdir(parents=True)
    (own / registry.FILE).touch()
    (tmp_path / "models" / "in-use.json").write_text('{"history": ["shipped", "club"]}')
    loaded: list[str] = []
    monkeypatch.setattr(registry, "load", lambda name, *_: loaded.append(name))
    app.state.overlay.detector = None
    app.state.overlay.open_detector()
    assert loaded == [str(own)]


def test_a_misread_fifth_tile_in_view_leaves_the_waits_as_they_are() -> None:
    hand, rules = parse_hand("123456789m11p23s"), rule_sets.get("mcr-1998")
    card = hand_card("east", "Lin", hand, rules, Circumstances(), [Tile.S4] * 5)
    assert [(wait.tile, wait.left) for wait in card.waits or ()] == [("1s", 4), ("4s", 0)]


def test_a_hand_whose_tiles_bar_a_win_waits_for_nothing_and_says_why() -> None:
    hand, rules = parse_hand("123456m2255p678s"), rule_sets.get("sichuan-2024")
    card = hand_card("east", "Lin", hand, rules, Circumstances(void_suit="s"))
    assert card.waits == []
    assert [bar.code for bar in card.bars] == ["three_suits", "void_suit_held"]
    assert card.bars[0].en == "A hand of three suits cannot win here."
    assert card.bars[0].zh == "三门齐全，不能和牌。"
