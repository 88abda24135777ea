"""The operator's WebSocket, scopes, pages, and frames over a WebSocket."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from hupai.api.auth.keys import KeyStore
from hupai.scoring.tiles import tiles_from_codes
from tests.api.overlay.service import (
    READY,
    WON,
    Events,
    drawn,
    entered,
    make_table,
    overlay_app,
    serving,
)
from tests.api.service import photo_file, picture, wait_until


@pytest.fixture
def app(tmp_path: Path) -> FastAPI:
    """A service of its own for each test."""
    return overlay_app(tmp_path)


@pytest.fixture
def address(app: FastAPI) -> Iterator[str]:
    """Where it answers, with the table ``final``."""
    with serving(app) as address:
        with httpx.Client(base_url=address, timeout=30) as client:
            make_table(client)
        yield address


class Line:
    """An operator's line."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket

    def message(self, kind: str, seconds: float = 30) -> dict[str, Any]:
        """The next message of that kind."""
        deadline = time.monotonic() + seconds
        while True:
            message: dict[str, Any] = json.loads(
                self._socket.recv(max(0.1, deadline - time.monotonic()))
            )
            if message["type"] == kind:
                return message

    def order(self, kind: str = "done", **command: Any) -> dict[str, Any]:
        """Send a command; its answer, which has to be of that kind."""
        self._socket.send(json.dumps({"id": 7, "command": command}))
        answer = self.message(kind)
        assert answer["id"] == 7
        return answer


@pytest.fixture
def line(address: str) -> Iterator[Line]:
    """The operator of ``final``."""
    with connect(f"{address.replace('http', 'ws')}/v1/tables/final/operator") as socket:
        yield Line(socket)


def seat(state: dict[str, Any], name: str = "east") -> dict[str, Any]:
    """A seat of a state message."""
    (found,) = (place for place in state["state"]["seats"] if place["seat"] == name)
    return dict(found)


def test_the_operator_sees_corrects_and_approves(line: Line, address: str) -> None:
    events = Events(address)
    events.next()
    assert seat(line.message("state"))["proposal"] is None
    line.order(do="correct", seat="east", notation=READY)
    state = line.message("state")
    assert seat(state)["proposal"]["corrected"]
    assert seat(state)["on_air"] is None
    assert events.nothing(0.5)
    line.order(do="correct", seat="east", notation=WON)
    number = seat(line.message("state"))["proposal"]["number"]
    line.order(do="approve", seat="east", proposal=number)
    assert events.next().data["card"]["score"]["total"] == 8
    deadline = time.monotonic() + 30
    while seat(state)["on_air"] is None:
        assert time.monotonic() < deadline
        state = line.message("state")


def test_every_operator_sees_what_another_does(line: Line, address: str) -> None:
    with connect(f"{address.replace('http', 'ws')}/v1/tables/final/operator") as socket:
        other = Line(socket)
        other.message("state")
        line.message("state")
        line.order(do="player", seat="west", player="Zhao")
        assert seat(other.message("state"), "west")["player"] == "Zhao"


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        ({"do": "approve", "seat": "east", "proposal": 99}, "/problems/proposal-stale"),
        ({"do": "approve", "seat": "north", "proposal": 1}, "/problems/not-found"),
        ({"do": "correct", "seat": "east", "notation": "12x"}, "/problems/bad-notation"),
        ({"do": "dance"}, "/problems/invalid-request"),
        ({"do": "settings", "settings": {"rules": "none"}}, "/problems/unknown-rules"),
        ({"do": "settings", "settings": {"delay_seconds": -3}}, "/problems/invalid-request"),
    ],
)
def test_wrong_commands_are_reported_and_the_connection_stays_open(
    line: Line, command: dict[str, Any], problem: str
) -> None:
    line.message("state")
    if command["do"] == "dance" or "delay_seconds" in command.get("settings", {}):
        line._socket.send(json.dumps({"id": 7, "command": command}))
        assert line.message("problem")["problem"] == problem
    else:
        assert line.order("problem", **command)["problem"] == problem
    line._socket.send("no JSON at all")
    assert line.message("problem")["problem"] == "/problems/invalid-request"
    line._socket.send(b"\xff")
    assert line.message("problem")["problem"] == "/problems/invalid-request"
    line.order(do="player", seat="east", player="still here")


def test_settings_reach_viewers_pages(line: Line, address: str) -> None:
    events = Events(address)
    events.next()
    line.order(do="settings", settings={"theme": "night", "language": "zh"})
    event = events.next()
    assert (event.name, event.data["theme"], event.data["language"]) == ("table", "night", "zh")


def test_a_missing_table_is_reported_as_gone(address: str) -> None:
    with connect(f"{address.replace('http', 'ws')}/v1/tables/none/operator") as socket:
        assert json.loads(socket.recv(30))["type"] == "gone"


def test_frames_come_over_a_websocket(address: str) -> None:
    with httpx.Client(base_url=address, timeout=30) as client:
        client.patch(
            "/v1/tables/final", json={"source": "push", "auto": "all", "seats": [{"seat": "east"}]}
        )
        events = Events(address)
        events.next()
        with connect(f"{address.replace('http', 'ws')}/v1/tables/final/frames") as socket:
            frame = drawn(tiles_from_codes("1m2m3m"))
            deadline = time.monotonic() + 60
            while events.nothing(0.05, but="table"):
                assert time.monotonic() < deadline, "the frames led to nothing on air"
                socket.send(frame)
            assert events.next(but="table").data["card"]["concealed"] == ["1m", "2m", "3m"]
            assert client.get("/v1/tables/final/picture").headers["content-type"] == "image/jpeg"
            socket.send(b"no picture")
            with pytest.raises(ConnectionClosed) as closed:
                socket.recv(30)
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 4415
        with connect(f"{address.replace('http', 'ws')}/v1/tables/final/frames") as socket:
            socket.send("a text")
            with pytest.raises(ConnectionClosed) as closed:
                socket.recv(30)
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 4415


def test_frames_have_the_limits_of_photos(tmp_path: Path) -> None:
    app = overlay_app(tmp_path, max_pixels=500 * 400)
    with serving(app) as address, httpx.Client(base_url=address, timeout=30) as client:
        make_table(client, source="push", seats=[{"seat": "east"}])
        wait_until(lambda: app.state.overlay.reads("final"))
        for data, kind in (
            (picture(500, 401), "bad-picture-size"),
            (b"no picture", "not-a-picture"),
        ):
            answer = client.post("/v1/tables/final/frames", files=photo_file(data))
            assert answer.json()["type"] == f"/problems/{kind}"
        answer = client.post("/v1/tables/final/frames", files=photo_file(picture(500, 400)))
        assert answer.status_code == 202


def test_keys_decide_who_may_follow_and_who_may_operate(tmp_path: Path) -> None:
    app = overlay_app(tmp_path, require_keys=True)
    with serving(app) as address:
        keys = KeyStore(app.state.storage.database)
        operator, player = (keys.add(name, [name])[0] for name in ("operator", "player"))
        for key, status in ((None, 401), (player, 403)):
            headers = {"authorization": f"Bearer {key}"} if key else {}
            assert (
                httpx.get(f"{address}/v1/tables", headers=headers, timeout=30).status_code == status
            )
            where = f"{address.replace('http', 'ws')}/v1/tables/final/operator" + (
                f"?key={key}" if key else ""
            )
            with pytest.raises(InvalidStatus) as refused:
                connect(where)
            assert refused.value.response.status_code == status
        with httpx.Client(
            base_url=address, headers={"authorization": f"Bearer {operator}"}, timeout=30
        ) as client:
            make_table(client)
            entered(client, approve=True)
            assert (
                client.get(
                    f"{address}/v1/tables/final/events", headers={"authorization": ""}
                ).status_code
                == 401
            )
        with httpx.stream(
            "GET", f"{address}/v1/tables/final/events?after=0&key={player}", timeout=30
        ) as answer:
            assert (
                next(line for line in answer.iter_lines() if line.startswith("event:"))
                == "event: hand"
            )
        with connect(
            f"{address.replace('http', 'ws')}/v1/tables/final/operator?key={operator}"
        ) as socket:
            assert json.loads(socket.recv(30))["type"] == "state"


def test_the_pages_are_there_and_load_nothing_that_is_not(address: str) -> None:
    with httpx.Client(base_url=address, timeout=30) as client:
        for path in ("/overlay", "/overlay/final", "/overlay/final/operator"):
            page = client.get(path)
            assert page.headers["content-type"].startswith("text/html")
            assert not re.search(r"<script(?![^>]*src=)", page.text)
            for found in re.findall(r'(?:href|src)="(/page/[^"#]*)', page.text):
                assert client.get(found).status_code == 200, found
        for file in (Path(__file__).parents[3] / "api" / "page" / "overlay").glob("*.js"):
            for found in re.findall(r'from "([^"]+)"', file.read_text("utf-8")):
                path = (
                    found if found.startswith("/") else f"/page/overlay/{found.removeprefix('./')}"
                )
                assert client.get(path).status_code == 200, found
        overlay = client.get("/overlay/final").headers
        assert (
            "'unsafe-inline'"
            in overlay["content-security-policy"].split("style-src")[1].split(";")[0]
        )
        assert (
            "unsafe" not in client.get("/overlay/final/operator").headers["content-security-policy"]
        )
        local = client.get("/overlay/final/local.html")
        assert "attachment" in local.headers["content-disposition"]
        assert f'"{address}/overlay/final"' in local.text


def test_the_pages_have_every_text_in_both_languages() -> None:
    folder = Path(__file__).parents[3] / "api" / "page" / "overlay"
    known = set(re.findall(r"^  (\w+): \[", (folder / "words.js").read_text("utf-8"), re.MULTILINE))
    used: set[str] = set()
    for file in folder.glob("*.html"):
        used |= set(re.findall(r'data-w="(\w+)"', file.read_text("utf-8")))
    for file in folder.glob("*.js"):
        text = file.read_text("utf-8")
        used |= set(re.findall(r'\bw\("(\w+)"', text)) | set(re.findall(r'\bfield\("(\w+)"', text))
    assert used - known == set()
