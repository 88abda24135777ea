"""What tests of the overlay share: services with WebSockets, tables, streams of events, drawn hands
pushed as frames.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import httpx
import numpy as np
import uvicorn
from fastapi import FastAPI

from hupai.api.app.factory import create_app
from hupai.api.app.server import Server, listen
from hupai.api.overlay.schemas import Proposal
from hupai.api.web.settings import Settings
from hupai.scoring.tiles import Tile
from hupai.vision.types import Detections, Image, ModelInfo

WON = "34m55p[CCC,2][FFF,3](8888s)+2m"
READY = "234456678p2235s"


@contextmanager
def serving(app: FastAPI, port: int = 0) -> Iterator[str]:
    """The app on a port of this machine, WebSockets and all; stopped as by the command."""
    listener = listen("127.0.0.1", port)
    config = uvicorn.Config(
        app, log_config=None, lifespan="on", ws="websockets-sansio", timeout_graceful_shutdown=3
    )
    server = Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    deadline = time.monotonic() + 60
    while not server.started:
        assert thread.is_alive(), "the server ended while starting"
        assert time.monotonic() < deadline, "the server did not start"
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        app.state.stopping.set()
        server.should_exit = True
        thread.join(20)
        listener.close()


def overlay_app(folder: Path, **settings: Any) -> FastAPI:
    """A service that keeps its things in `folder` and opens no model."""
    app = create_app(Settings(preload=False, data_dir=str(folder), rate_limit=0, **settings))
    app.state.overlay.detector = DrawnHand
    return app


def make_table(client: httpx.Client, table: str = "final", **changes: Any) -> None:
    """A table with two seats."""
    seats = [{"seat": "east", "player": "Lin"}, {"seat": "west", "player": "Chen"}]
    answer = client.post("/v1/tables", json={"id": table, "seats": seats, **changes})
    assert answer.status_code == 201, answer.text


def command(client: httpx.Client, table: str = "final", **what: Any) -> httpx.Response:
    """One command of the operator."""
    return client.post(f"/v1/tables/{table}/commands", json=what)


def entered(
    client: httpx.Client, seat: str = "east", notation: str = WON, table: str = "final", **what: Any
) -> int:
    """Enter a hand; the number of its proposal."""
    answer = command(client, table, do="correct", seat=seat, notation=notation, **what)
    assert answer.status_code == 200, answer.text
    (place,) = (place for place in answer.json()["seats"] if place["seat"] == seat)
    return int(place["proposal"]["number"])


@dataclass(frozen=True)
class Event:
    """One server-sent event."""

    name: str
    number: int | None
    data: dict[str, Any]


class Events:
    """A stream of events, read in a thread."""

    def __init__(
        self,
        address: str,
        table: str = "final",
        last: int | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        self._address = f"{address}/v1/tables/{table}/events"
        self._headers = {"accept": "text/event-stream", **(headers or {})}
        if last is not None:
            self._headers["last-event-id"] = str(last)
        self._events: list[Event] = []
        self._condition = threading.Condition()
        self.ended = False
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            with httpx.stream("GET", self._address, headers=self._headers, timeout=120) as answer:
                fields: dict[str, str] = {}
                for line in answer.iter_lines():
                    if line:
                        name, _, value = line.partition(": ")
                        fields[name] = value
                    elif "data" in fields:
                        number = int(fields["id"]) if "id" in fields else None
                        with self._condition:
                            self._events.append(
                                Event(fields["event"], number, json.loads(fields["data"]))
                            )
                            self._condition.notify_all()
                        fields = {}
        except httpx.HTTPError:
            pass
        with self._condition:
            self.ended = True
            self._condition.notify_all()

    def next(self, seconds: float = 60.0, but: str = "alive") -> Event:
        """The next event that is no sign of life and not of this name either.

        `but` is ``table`` after a change of the table: whether it is announced before or after a
        stream begins is a matter of chance.
        """
        with self._condition:
            assert self._condition.wait_for(
                lambda: any(e.name not in ("alive", but) for e in self._events) or self.ended,
                seconds,
            ), "no event"
            for at, event in enumerate(self._events):
                if event.name not in ("alive", but):
                    del self._events[: at + 1]
                    return event
        raise AssertionError("the stream ended")

    def nothing(self, seconds: float, but: str = "alive") -> bool:
        """Whether nothing comes for so long, but signs of life and events of one more name."""
        with self._condition:
            return not self._condition.wait_for(
                lambda: any(e.name not in ("alive", but) for e in self._events), seconds
            )


class DrawnHand:
    """A detector for pictures of `drawn`: finds white tiles by their place, their face by a grey
    level.
    """

    info = ModelInfo("drawn", "1", "0" * 64)

    def detect(self, image: Image) -> Detections:
        """The tiles of one row."""
        boxes, rows = [], []
        for place in range(16):
            x = 40 + 52 * place
            if x + 46 > image.shape[1] or image[102, x + 2].min() < 150:
                continue
            face = round((float(image[130:140, x + 15 : x + 30].mean()) - 20) / 5)
            row = np.full(43, 1e-4, np.float32)
            row[face] = 1 - 42e-4
            boxes.append([x, 100, x + 46, 162])
            rows.append(row)
        if not boxes:
            return Detections.empty()
        n = len(boxes)
        axes = np.full(n, np.pi / 2, np.float32)
        return Detections(
            np.array(boxes, np.float32), np.full(n, 0.99, np.float32), np.stack(rows), axes
        )


def drawn(tiles: tuple[Tile, ...], apart: Tile | None = None) -> bytes:
    """A picture of a row of tiles, the winning one apart, as PNG."""
    picture = np.full((260, 960, 3), (40, 90, 50), np.uint8)
    for place, tile in enumerate((*tiles, None, apart)):
        if tile is not None:
            x = 40 + 52 * place
            picture[100:162, x : x + 46] = 235
            picture[112:150, x + 8 : x + 38] = 20 + 5 * int(tile)
    return cv2.imencode(".png", picture)[1].tobytes()


def proposed(state: dict[str, Any], seat: str) -> Proposal | None:
    """The proposal of a seat in an operator's state."""
    (place,) = (place for place in state["seats"] if place["seat"] == seat)
    return None if place["proposal"] is None else Proposal.model_validate(place["proposal"])
