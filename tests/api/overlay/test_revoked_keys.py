"""A key that is revoked, or expires, ends the connections that were opened with it."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from hupai.api.auth.keys import KeyStore
from hupai.api.overlay import live_routes
from hupai.api.storage import StorageUnavailableError
from hupai.api.storage.database import Database
from hupai.scoring.tiles import tiles_from_codes
from tests.api.overlay.service import Events, drawn, make_table, overlay_app, serving
from tests.api.service import wait_until

FRAME = drawn(tiles_from_codes("1m2m3m"))


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FastAPI:
    """A service that asks for keys, and looks at those of open connections often."""
    monkeypatch.setattr(live_routes, "HEARTBEAT", 0.2)
    return overlay_app(tmp_path, require_keys=True)


@pytest.fixture
def address(app: FastAPI) -> Iterator[str]:
    with serving(app) as address:
        yield address


@pytest.fixture
def keys(app: FastAPI, address: str) -> KeyStore:
    return KeyStore(app.state.storage.database)


@pytest.fixture
def operator(address: str, keys: KeyStore) -> str:
    """The key of an operator, who has made the table ``final``."""
    key = keys.add("desk", ["operator"])[0]
    headers = {"authorization": f"Bearer {key}"}
    with httpx.Client(base_url=address, headers=headers, timeout=30) as client:
        make_table(client, source="push")
    return key


def close_code(socket: ClientConnection, send: str | bytes = "", seconds: float = 30) -> int | None:
    """Send this again and again until the other side closes; its code. No command may be done."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            if send:
                socket.send(send)
            message = json.loads(socket.recv(0.1))
        except TimeoutError:
            continue
        except ConnectionClosed as closed:
            return None if closed.rcvd is None else closed.rcvd.code
        assert message["type"] != "done", "refused at once, not at the next look"
    raise AssertionError("it stays open")


def test_the_stream_of_a_viewer_ends(address: str, keys: KeyStore, operator: str) -> None:
    viewer = keys.add("obs", ["player"])[0]
    theirs = Events(address, headers={"authorization": f"Bearer {viewer}"})
    other = Events(address, headers={"authorization": f"Bearer {operator}"})
    assert theirs.next().name == other.next().name == "snapshot"
    keys.revoke("obs")
    wait_until(lambda: theirs.ended, 20)
    assert not other.ended


def test_an_operator_commands_nothing_any_more(address: str, keys: KeyStore, operator: str) -> None:
    where = f"{address.replace('http', 'ws')}/v1/tables/final/operator?key={operator}"
    renamed = {"do": "player", "seat": "east", "player": "Mallory"}
    with connect(where) as socket:
        assert json.loads(socket.recv(30))["type"] == "state"
        keys.revoke("desk")
        assert close_code(socket, json.dumps({"id": 1, "command": renamed})) == 1008
    key = keys.add("next", ["operator"])[0]
    headers = {"authorization": f"Bearer {key}"}
    state = httpx.get(f"{address}/v1/tables/final", headers=headers, timeout=30).json()
    assert state["seats"][0]["player"] == "Lin"


def test_an_idle_operators_line_is_closed(address: str, keys: KeyStore, operator: str) -> None:
    where = f"{address.replace('http', 'ws')}/v1/tables/final/operator?key={operator}"
    with connect(where) as socket:
        keys.revoke("desk")
        assert close_code(socket) == 1008


def test_frames_are_taken_no_more(address: str, keys: KeyStore, operator: str) -> None:
    where = f"{address.replace('http', 'ws')}/v1/tables/final/frames?key={operator}"
    with connect(where) as socket:
        socket.send(FRAME)
        keys.revoke("desk")
        assert close_code(socket, FRAME) == 1008


def test_the_video_ends(address: str, keys: KeyStore, operator: str, app: FastAPI) -> None:
    headers = {"authorization": f"Bearer {operator}"}
    with httpx.Client(base_url=address, headers=headers, timeout=30) as client:
        wait_until(lambda: app.state.overlay.reads("final"))

        def seen() -> bool:
            client.post("/v1/tables/final/frames", files={"photo": ("f.png", FRAME)})
            return client.get("/v1/tables/final/picture").status_code == 200

        wait_until(seen)
        with client.stream("GET", "/v1/tables/final/video") as answer:
            assert answer.status_code == 200
            keys.revoke("desk")
            for _ in answer.iter_raw():  # ends
                pass


@pytest.mark.nightly
def test_a_database_that_is_away_shuts_nobody_out(
    address: str, operator: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    events = Events(address, headers={"authorization": f"Bearer {operator}"})
    assert events.next().name == "snapshot"

    def away(*_: object, **__: object) -> None:
        raise StorageUnavailableError("gone")

    monkeypatch.setattr(Database, "session", away)
    assert events.nothing(1.5)
    assert not events.ended
