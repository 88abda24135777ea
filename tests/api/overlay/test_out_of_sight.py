"""What the camera no longer sees leaves the air, whoever put it there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from hupai.api.overlay import table_reader
from hupai.scoring.tiles import tiles_from_codes
from hupai.vision.video.acceptance import Patience
from hupai.vision.video.hand_watch import WatchSettings
from tests.api.overlay.service import (
    READY,
    Events,
    command,
    drawn,
    entered,
    make_table,
    overlay_app,
    proposed,
    serving,
)
from tests.api.overlay.test_air import push_still, push_until
from tests.api.service import wait_until

COVERED = 3.0
"""Seconds; much longer than a frame is on its way, on a busy machine too."""


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FastAPI:
    """A service that gives a hand up after `COVERED`."""
    patient = WatchSettings(patience=Patience(covered=COVERED))
    monkeypatch.setattr(table_reader, "WatchSettings", lambda: patient)
    return overlay_app(tmp_path)


@pytest.fixture
def client(app: FastAPI) -> Iterator[httpx.Client]:
    """A client of it, with the table ``final`` that takes frames."""
    with serving(app) as address, httpx.Client(base_url=address, timeout=30) as client:
        make_table(client, source="push", auto="all", seats=[{"seat": "east", "player": "Lin"}])
        frame = {"photo": ("f.png", drawn(()))}
        wait_until(lambda: client.post("/v1/tables/final/frames", files=frame).status_code == 202)
        yield client


@pytest.mark.nightly
def test_a_lost_source_hides_the_hand_and_reports_why(client: httpx.Client, app: FastAPI) -> None:
    events = Events(str(client.base_url).rstrip("/"))
    events.next()
    frame = drawn(tiles_from_codes("23m55p"))
    push_until(client, frame, lambda: not events.nothing(0.0))
    assert events.next().data["card"]["concealed"] == ["2m", "3m", "5p", "5p"]
    push_still(client, frame, COVERED + 1.0)
    assert events.nothing(0.1), "a hand that is seen stays"
    event = events.next()
    assert (event.name, event.data["seat"]) == ("hide", "east")
    wait_until(lambda: app.state.overlay.status("final").lost == {"east": "no_frames"})
    assert client.get("/v1/tables/final/air").json()["on_air"] == []


def test_a_manually_aired_hand_is_hidden_when_another_replaces_it(client: httpx.Client) -> None:
    client.patch("/v1/tables/final", json={"auto": "off"})
    events = Events(str(client.base_url).rstrip("/"))
    events.next()
    frame = drawn(tiles_from_codes("23m55p"))
    there = "/v1/tables/final"
    push_until(client, frame, lambda: proposed(client.get(there).json(), "east") is not None)
    proposal = proposed(client.get("/v1/tables/final").json(), "east")
    assert proposal is not None
    command(client, do="approve", seat="east", proposal=proposal.number)
    assert events.next().name == "hand"
    frame = drawn(tiles_from_codes("23s55s"))
    push_until(client, frame, lambda: not events.nothing(0.0))
    event = events.next()
    assert (event.name, event.data["seat"]) == ("hide", "east")

    def lies_there() -> list[str | None]:
        waiting = proposed(client.get(there).json(), "east")
        return [] if waiting is None else list(waiting.card.concealed)

    push_until(client, frame, lambda: lies_there() == ["2s", "3s", "5s", "5s"])


@pytest.mark.nightly
def test_a_typed_hand_that_was_never_seen_stays_on_air(client: httpx.Client) -> None:
    entered(client, "east", READY, approve=True)
    push_still(client, drawn(()), COVERED + 1.0)
    assert len(client.get("/v1/tables/final/air").json()["on_air"]) == 1
