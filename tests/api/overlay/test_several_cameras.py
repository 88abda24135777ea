"""A table with two cameras: each seat is read from its own, and goes when its camera goes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import cv2
import httpx
import numpy as np
import pytest
from fastapi import FastAPI

from hupai.api.overlay import table_reader
from hupai.scoring.tiles import tiles_from_codes
from hupai.vision.types import Image
from hupai.vision.video.acceptance import Patience
from hupai.vision.video.hand_watch import WatchSettings
from hupai.vision.video.several_cameras import SideBySideSource
from hupai.vision.video.sources import PushedSource
from tests.api.overlay.service import Events, drawn, make_table, overlay_app, serving
from tests.api.service import wait_until
from tests.vision.video.test_several_cameras import Sending

COVERED = 3.0
"""Seconds after which a hand that is not seen is given up."""

TOP, BOTTOM = 140 / 540, 400 / 540
"""Edges of a picture of `drawn`, 960 x 260, within its camera's part of 960 x 540."""


def region(left: float, right: float) -> list[list[float]]:
    """The corners of a seat between these shares of the width."""
    return [[left, TOP], [right, TOP], [right, BOTTOM], [left, BOTTOM]]


def picture(codes: str) -> Image:
    """A drawn hand, RGB."""
    encoded = np.frombuffer(drawn(tiles_from_codes(codes)), np.uint8)
    decoded = cv2.imdecode(encoded, cv2.IMREAD_COLOR)
    assert decoded is not None
    return np.asarray(cv2.cvtColor(decoded, cv2.COLOR_BGR2RGB), np.uint8)


@pytest.fixture
def cameras() -> tuple[PushedSource, PushedSource]:
    """East's camera and west's."""
    return PushedSource(), PushedSource()


@pytest.fixture
def app(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cameras: tuple[PushedSource, PushedSource]
) -> FastAPI:
    """A service that opens these cameras and gives a hand up after `COVERED`."""
    patient = WatchSettings(patience=Patience(covered=COVERED))
    monkeypatch.setattr(table_reader, "WatchSettings", lambda: patient)
    monkeypatch.setattr(
        table_reader, "frames_of", lambda _: SideBySideSource(cameras, ["camera:0", "camera:1"])
    )
    return overlay_app(tmp_path)


@pytest.fixture
def client(app: FastAPI) -> Iterator[httpx.Client]:
    """A client of it, with the table ``final`` that has both cameras."""
    seats = [
        {"seat": "east", "region": region(0.0, 0.5)},
        {"seat": "west", "region": region(0.5, 1.0)},
    ]
    with serving(app) as address, httpx.Client(base_url=address, timeout=30) as client:
        make_table(client, source="camera:0 + camera:1", auto="all", seats=seats)
        yield client


def on_air(client: httpx.Client) -> dict[str, list[str]]:
    """The concealed tiles on air by seat."""
    shown = client.get("/v1/tables/final/air").json()["on_air"]
    return {one["seat"]: one["concealed"] for one in shown}


@pytest.mark.nightly
def test_each_seat_is_read_from_its_own_camera(
    client: httpx.Client, app: FastAPI, cameras: tuple[PushedSource, PushedSource]
) -> None:
    east = Sending(cameras[0], picture("23m55p"))
    west = Sending(cameras[1], picture("23s55s"))
    both = {"east": ["2m", "3m", "5p", "5p"], "west": ["2s", "3s", "5s", "5s"]}
    try:
        wait_until(lambda: on_air(client) == both)
        events = Events(str(client.base_url).rstrip("/"))
        assert events.next().name == "snapshot"
        west.stop()
        event = events.next()
        assert (event.name, event.data["seat"]) == ("hide", "west")
        wait_until(lambda: "camera:1" in app.state.overlay.status("final").error)
        wait_until(lambda: app.state.overlay.status("final").lost == {"west": "no_frames"})
        assert on_air(client) == {"east": both["east"]}
    finally:
        east.stop()
        west.stop()
