"""From a proposal to the air: approval, delay, hiding, auto mode, the stream and its resumption,
restarts, several tables.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from hupai.api.overlay.schemas import TableSettings
from hupai.scoring.tiles import tiles_from_codes
from tests.api.overlay.service import (
    READY,
    WON,
    Events,
    command,
    drawn,
    entered,
    make_table,
    overlay_app,
    proposed,
    serving,
)
from tests.api.service import wait_until


@pytest.fixture
def app(tmp_path: Path) -> FastAPI:
    """A service of its own for each test."""
    return overlay_app(tmp_path)


@pytest.fixture
def address(app: FastAPI) -> Iterator[str]:
    """Where it answers."""
    with serving(app) as address:
        yield address


@pytest.fixture
def client(address: str) -> Iterator[httpx.Client]:
    """A client of it, with the table ``final``."""
    with httpx.Client(base_url=address, timeout=30) as client:
        make_table(client)
        yield client


def test_nothing_goes_on_air_unapproved(client: httpx.Client, address: str) -> None:
    events = Events(address)
    first = events.next()
    assert (first.name, first.data["on_air"]) == ("snapshot", [])
    number = entered(client)
    assert events.nothing(1.0)
    assert client.get("/v1/tables/final/air").json()["on_air"] == []
    assert command(client, do="approve", seat="east", proposal=number).status_code == 200
    event = events.next()
    assert (event.name, event.number, event.data["seat"]) == ("hand", 1, "east")
    card = event.data["card"]
    assert card["player"] == "Lin"
    assert card["winning_tile"] == "2m"
    assert card["score"]["total"] == 8
    assert [fan["id"] for fan in card["score"]["fans"]] == ["two_dragon_pungs", "concealed_kong"]
    assert card["melds"][2]["tiles"] == ["?", "8s", "8s", "?"]


def test_a_winning_tile_that_the_hand_does_not_hold_is_refused(client: httpx.Client) -> None:
    won: dict[str, Any] = {"do": "correct", "seat": "east", "notation": WON, "approve": True}
    answer = command(client, **won, winning_tile="9p", circumstances={"self_drawn": True})
    body = answer.json()
    assert (answer.status_code, body["type"]) == (422, "/problems/invalid-request")
    assert body["errors"][0]["field"] == "winning_tile"
    assert "没有 9p" in body["detail_zh"]
    state = client.get("/v1/tables/final").json()
    assert proposed(state, "east") is None
    assert state["seats"][0]["circumstances"]["self_drawn"] is False, "nothing was changed"
    assert command(client, **won, winning_tile="3m").status_code == 200
    ready = {**won, "notation": READY, "winning_tile": "4s"}
    card = command(client, **ready).json()["seats"][0]["proposal"]["card"]
    assert (card["winning_tile"], len(card["concealed"])) == ("4s", 13)


def test_an_older_proposal_cannot_be_approved_any_more(client: httpx.Client) -> None:
    old = entered(client)
    new = entered(client, notation=READY)
    answer = command(client, do="approve", seat="east", proposal=old)
    assert (answer.status_code, answer.json()["type"]) == (409, "/problems/proposal-stale")
    assert client.get("/v1/tables/final").json()["queue"] == []
    assert command(client, do="approve", seat="east", proposal=new).status_code == 200


def test_a_rejected_proposal_is_gone(client: httpx.Client) -> None:
    number = entered(client)
    state = command(client, do="reject", seat="east", proposal=number).json()
    assert proposed(state, "east") is None
    assert command(client, do="approve", seat="east", proposal=number).status_code == 409


def test_a_hand_of_13_shows_its_waits_and_what_is_left(client: httpx.Client, address: str) -> None:
    events = Events(address)
    events.next()
    entered(client, notation=READY, approve=True)
    (wait,) = events.next().data["card"]["waits"]
    assert (wait["tile"], wait["left"], wait["legal"]) == ("4s", 4, True)


def test_visible_tiles_reduce_the_tiles_left(client: httpx.Client, address: str) -> None:
    events = Events(address)
    events.next()
    entered(client, "west", READY, approve=True)
    assert events.next().data["card"]["waits"][0]["left"] == 4
    entered(client, "east", "44s123m777m99p123p", approve=True)
    assert events.next().data["seat"] == "east"
    recounted = events.next().data
    assert (recounted["seat"], recounted["card"]["waits"][0]["left"]) == ("west", 2)
    command(client, do="hide", seat="east")
    assert events.next().name == "hide"
    assert events.next().data["card"]["waits"][0]["left"] == 4


def test_hide_takes_effect_at_once_and_drops_what_is_queued(
    client: httpx.Client, address: str
) -> None:
    events = Events(address)
    events.next()
    entered(client, approve=True)
    assert events.next().name == "hand"
    client.patch("/v1/tables/final", json={"delay_seconds": 60, "auto": "all"})
    number = entered(client, notation=READY)
    command(client, do="approve", seat="east", proposal=number)
    assert len(client.get("/v1/tables/final").json()["queue"]) == 1
    state = command(client, do="hide").json()
    assert state["table"]["auto"] == "off", "hiding all keeps everything off the air"
    event = events.next()
    assert (event.name, event.data["seat"]) == ("hide", "east")
    state = client.get("/v1/tables/final").json()
    assert state["queue"] == []
    assert [seat["on_air"] for seat in state["seats"]] == [None, None]


def test_the_delay_is_kept_and_can_be_cut_short(client: httpx.Client, address: str) -> None:
    client.patch("/v1/tables/final", json={"delay_seconds": 1.5})
    events = Events(address)
    events.next()
    begun = time.monotonic()
    entered(client, approve=True)
    assert events.nothing(begun + 1.4 - time.monotonic())
    assert events.next().name == "hand"
    assert time.monotonic() - begun >= 1.5
    client.patch("/v1/tables/final", json={"delay_seconds": 3600})
    entered(client, "west", READY, approve=True)
    assert events.nothing(0.5)
    command(client, do="now", seat="west")
    assert events.next().data["seat"] == "west"


@pytest.mark.nightly
def test_a_shorter_delay_does_not_change_the_order(client: httpx.Client, address: str) -> None:
    client.patch("/v1/tables/final", json={"delay_seconds": 2})
    events = Events(address)
    events.next()
    entered(client, "east", approve=True)
    client.patch("/v1/tables/final", json={"delay_seconds": 0})
    entered(client, "west", READY, approve=True)
    assert [events.next().data["seat"], events.next().data["seat"]] == ["east", "west"]


def test_resuming_gives_exactly_what_was_missed(client: httpx.Client, address: str) -> None:
    for notation in (WON, READY, WON):
        entered(client, notation=notation, approve=True)
    on_air(client, 3)
    events = Events(address, last=1)
    assert [(event.name, event.number) for event in (events.next(), events.next())] == [
        ("hand", 2),
        ("hand", 3),
    ]
    assert events.nothing(0.5)
    for nonsense in ("99", "-1", "x"):
        again = Events(address, headers={"last-event-id": nonsense}).next()
        assert (again.name, again.number) == ("snapshot", 3)
    with httpx.stream("GET", f"{address}/v1/tables/final/events?after=2", timeout=30) as answer:
        lines = answer.iter_lines()
        assert next(line for line in lines if line.startswith("id:")) == "id: 3"


@pytest.mark.nightly
def test_events_that_are_no_longer_kept_are_replaced_by_a_snapshot(
    client: httpx.Client, address: str, app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hupai.api.overlay.store.event_queue.KEPT_EVENTS", 2)
    for number, notation in enumerate((WON, READY, WON, READY), 1):
        entered(client, notation=notation, approve=True)
        on_air(client, number)
    app.state.overlay._feeds.clear()  # as after a restart: only what is stored is known
    assert Events(address, last=1).next().name == "snapshot"
    assert Events(address, last=2).next().number == 3


def test_state_survives_a_restart(tmp_path: Path) -> None:
    with (
        serving(overlay_app(tmp_path)) as address,
        httpx.Client(base_url=address, timeout=30) as client,
    ):
        make_table(client, rules="mcr-2006", theme="paper")
        entered(client, approve=True)
        assert Events(address, last=0).next().number == 1
        client.patch("/v1/tables/final", json={"delay_seconds": 3})
        entered(client, "west", READY, approve=True)
        pending = entered(client, "east", READY)
    with (
        serving(overlay_app(tmp_path)) as address,
        httpx.Client(base_url=address, timeout=30) as client,
    ):
        events = Events(address, last=1)
        state = client.get("/v1/tables/final").json()
        assert (state["table"]["rules"], state["table"]["theme"]) == ("mcr-2006", "paper")
        assert state["seats"][0]["on_air"]["winning_tile"] == "2m"
        proposal = proposed(state, "east")
        assert proposal is not None
        assert proposal.number == pending
        queued = events.next()
        assert (queued.number, queued.data["seat"]) == (2, "west"), (
            "what was queued before the restart goes on air in time"
        )


@pytest.mark.nightly
def test_tables_do_not_mix(client: httpx.Client, address: str) -> None:
    make_table(client, "second", name="Second")
    final, second = Events(address), Events(address, "second")
    assert final.next().data["table"] == "final"
    assert second.next().data["table"] == "second"
    entered(client, approve=True, table="second")
    assert second.next().data["seat"] == "east"
    assert final.nothing(0.7)
    listed = client.get("/v1/tables").json()["tables"]
    assert [table["id"] for table in listed] == ["final", "second"]
    assert client.delete("/v1/tables/second").status_code == 204
    assert client.get("/v1/tables/second").status_code == 404
    assert second.next().name == "gone"


@pytest.mark.nightly
def test_followers_continue_when_a_table_is_recreated_under_its_name(
    client: httpx.Client, address: str
) -> None:
    for notation in (WON, READY, WON):
        entered(client, notation=notation, approve=True)
    on_air(client, 3)
    events = Events(address)
    assert events.next().number == 3
    client.delete("/v1/tables/final")
    make_table(client)
    entered(client, "west", READY, approve=True)
    event = events.next()
    assert event.name == "gone" or (event.name == "snapshot" and event.number in (0, 1))


@pytest.mark.parametrize(("how", "goes_out"), [("off", False), ("certain", False), ("all", True)])
def test_readings_go_on_air_automatically_only_in_auto_mode(
    client: httpx.Client, address: str, how: str, goes_out: bool
) -> None:
    client.patch(
        "/v1/tables/final",
        json={"source": "push", "auto": how, "seats": [{"seat": "east", "player": "Lin"}]},
    )
    events = Events(address)
    events.next()
    frame = drawn(tiles_from_codes("23m55p"))
    there = "/v1/tables/final"
    push_until(client, frame, lambda: proposed(client.get(there).json(), "east") is not None)
    proposal = proposed(client.get(there).json(), "east")
    assert proposal is not None
    assert proposal.card.concealed == ["2m", "3m", "5p", "5p"]
    assert not proposal.certain
    assert proposal.seen_ms is not None
    if goes_out:
        assert events.next(but="table").data["card"]["concealed"] == ["2m", "3m", "5p", "5p"]
    else:
        assert events.nothing(1.0, but="table")


def test_frames_are_refused_where_none_are_taken(client: httpx.Client) -> None:
    answer = client.post("/v1/tables/final/frames", files={"photo": ("f.png", drawn(()))})
    assert (answer.status_code, answer.json()["type"]) == (409, "/problems/no-frames")
    assert client.get("/v1/tables/final/picture").status_code == 409
    answer = client.post("/v1/tables/final/frames", files={"photo": ("f.png", b"no picture")})
    assert answer.json()["type"] == "/problems/no-frames", "decoded though nobody takes it"


def test_circumstances_rescore_the_proposal_and_stay_set(client: httpx.Client) -> None:
    entered(client)
    before = proposed(client.get("/v1/tables/final").json(), "east")
    state = command(
        client, do="circumstances", seat="east", circumstances={"self_drawn": True}
    ).json()
    after = proposed(state, "east")
    assert before is not None
    assert after is not None
    assert before.card.score is not None
    assert after.card.score is not None
    assert after.card.score.total == before.card.score.total + 1
    assert after.card.score.self_drawn
    assert state["seats"][0]["circumstances"]["self_drawn"]


def on_air(client: httpx.Client, number: int) -> None:
    """Wait until the event of this number is on air."""
    wait_until(lambda: client.get("/v1/tables/final/air").json()["number"] >= number)


def push_until(client: httpx.Client, frame: bytes, seen: Callable[[], bool]) -> None:
    """Push the same frame until something has come of it."""
    deadline = time.monotonic() + 60
    while not seen():
        assert time.monotonic() < deadline, "the frames led to nothing"
        push_still(client, frame, 0.1)


def push_still(client: httpx.Client, frame: bytes, seconds: float) -> None:
    """Push the same frame for a while."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        answer = client.post("/v1/tables/final/frames", files={"photo": ("frame.png", frame)})
        assert answer.status_code == 202, answer.text
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("body", "status", "slug"),
    [
        ({"id": "final"}, 409, "table-exists"),
        ({"id": "Not allowed"}, 422, "invalid-request"),
        pytest.param({"id": "x", "rules": "none"}, 422, "unknown-rules", marks=pytest.mark.nightly),
        pytest.param(
            {"id": "x", "source": "nowhere"}, 422, "invalid-request", marks=pytest.mark.nightly
        ),
        ({"id": "x", "seats": [{"seat": "a"}, {"seat": "a"}]}, 422, "invalid-request"),
        (
            {"id": "x", "seats": [{"seat": "a", "region": [[0, 0], [1, 1], [1, 0], [0, 1]]}]},
            422,
            "invalid-request",
        ),
        (
            {"id": "x", "seats": [{"seat": "a", "region": [[0, 0], [2, 0], [2, 1], [0, 1]]}]},
            422,
            "invalid-request",
        ),
        pytest.param(
            {"id": "x", "delay_seconds": -1}, 422, "invalid-request", marks=pytest.mark.nightly
        ),
    ],
)
def test_wrong_tables_are_refused(
    client: httpx.Client, body: dict[str, Any], status: int, slug: str
) -> None:
    answer = client.post("/v1/tables", json=body)
    assert (answer.status_code, answer.json()["type"]) == (status, f"/problems/{slug}")
    assert re.search(r"[\u4e00-\u9fff]", answer.json()["detail_zh"])


def test_the_password_of_a_source_is_not_shown(client: httpx.Client) -> None:
    answer = client.post(
        "/v1/tables", json={"id": "cam", "source": "rtsp://me:secret@127.0.0.1:1/x"}
    )
    assert "secret" not in answer.text
    assert answer.json()["source"] == "rtsp://…@127.0.0.1:1/x"
    assert "secret" not in client.get("/v1/tables").text + client.get("/v1/tables/cam").text


def test_a_table_whose_rules_are_gone_does_not_hold_up_the_others(
    app: FastAPI, client: httpx.Client, address: str
) -> None:
    """Rules of a family that is no longer registered, say: the waits of that table stay as they
    are.
    """
    make_table(client, "other")
    theirs, others = Events(address), Events(address, "other")
    assert (theirs.next().name, others.next().name) == ("snapshot", "snapshot")
    entered(client, notation=READY, approve=True)
    assert theirs.next().name == "hand"
    app.state.overlay.store.change("final", TableSettings(rules="gone-2001"), "operator")
    assert command(client, do="hide", seat="east").status_code == 200
    assert theirs.next().name == "hide"
    entered(client, table="other", approve=True)
    assert others.next().name == "hand"


def test_a_source_of_another_version_does_not_hold_up_other_tables(
    app: FastAPI, client: httpx.Client, caplog: pytest.LogCaptureFixture
) -> None:
    unknown = TableSettings().model_copy(update={"source": "hologram:1"})
    app.state.overlay.store.change("final", unknown, "operator")
    make_table(client, "other", source="push")
    wait_until(lambda: app.state.overlay.reads("other"))
    assert not app.state.overlay.reads("final")
    for _ in range(2):
        app.state.overlay._lease()
    assert caplog.text.count("table final is not read") == 1


def test_a_new_source_is_read_as_soon_as_the_command_is_answered(
    app: FastAPI, client: httpx.Client
) -> None:
    answer = command(client, do="settings", settings={"source": "push"})
    assert answer.status_code == 200, answer.text
    assert app.state.overlay.reads("final")
