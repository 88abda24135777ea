"""Several processes serve the same tables: events pass through a real Redis."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from hupai.api.overlay.bus import BusMessage, RedisBus
from hupai.api.overlay.schemas import EventOut
from hupai.scoring.tiles import tiles_from_codes
from tests.api.overlay.service import (
    READY,
    Events,
    drawn,
    entered,
    make_table,
    overlay_app,
    serving,
)
from tests.api.redis_server import INSTALLED, MISSING, Redis, running
from tests.api.service import wait_until

pytestmark = [
    pytest.mark.skipif(not INSTALLED, reason=MISSING),
]


@pytest.fixture
def redis() -> Iterator[Redis]:
    """A running Redis."""
    with running() as server:
        yield server


@pytest.fixture
def two(tmp_path: Path, redis: Redis) -> Iterator[tuple[str, str, list[FastAPI]]]:
    """Two services with one database and one Redis, which would not look into the database for an
    hour.
    """
    apps = [overlay_app(tmp_path, redis_url=redis.url) for _ in range(2)]
    for app in apps:
        app.state.overlay.poll_seconds = 3600.0
    with serving(apps[0]) as one, serving(apps[1]) as other:
        deadline = time.monotonic() + 60
        while not all(app.state.overlay.bus.is_connected for app in apps):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        yield one, other, apps


def test_what_one_process_puts_on_air_the_other_shows(two: tuple[str, str, list[FastAPI]]) -> None:
    one, other, _ = two
    with httpx.Client(base_url=one, timeout=30) as client:
        make_table(client)
        here, there = Events(one), Events(other)
        assert (here.next().name, there.next().name) == ("snapshot", "snapshot")
        entered(client, approve=True)
        entered(client, "west", READY, approve=True)
        assert [here.next().number for _ in range(2)] == [1, 2]
        assert [there.next().number for _ in range(2)] == [1, 2]
    with httpx.Client(base_url=other, timeout=30) as client:
        entered(client, notation=READY, approve=True)
        assert (here.next().number, there.next().number) == (3, 3)
        assert Events(one, last=2).next().data["card"]["concealed"][0] == "2p"


@pytest.mark.nightly
def test_frames_reach_the_process_that_reads(two: tuple[str, str, list[FastAPI]]) -> None:
    one, other, apps = two
    with httpx.Client(base_url=one, timeout=30) as client:
        make_table(client, source="push", auto="all", seats=[{"seat": "east"}])
        there = Events(other)
        there.next()
        deadline = time.monotonic() + 60
        while (
            not any(app.state.overlay.reads("final") for app in apps)
            or apps[1].state.overlay.status("final") is None
        ):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        assert [app.state.overlay.reads("final") for app in apps] == [True, False], (
            "one process reads a table, not both"
        )
        frame = drawn(tiles_from_codes("5p6p7p"))
        deadline = time.monotonic() + 60
        while there.nothing(0.03):
            assert time.monotonic() < deadline, "the frames led to nothing on air"
            answer = httpx.post(
                f"{other}/v1/tables/final/frames",
                files={"photo": ("f.png", frame)},
                timeout=30,
            )
            assert answer.status_code == 202
        assert there.next().data["card"]["concealed"] == ["5p", "6p", "7p"]


@pytest.mark.nightly
def test_redis_may_start_late_and_disappear(tmp_path: Path, redis: Redis) -> None:
    redis.stop()
    apps = [overlay_app(tmp_path, redis_url=redis.url) for _ in range(2)]
    with (
        serving(apps[0]) as one,
        serving(apps[1]) as other,
        httpx.Client(base_url=one, timeout=30) as client,
    ):
        make_table(client)
        there = Events(other)
        there.next()
        entered(client, approve=True)
        assert there.next().number == 1, "without Redis the database is looked into"
        redis.start()
        deadline = time.monotonic() + 60
        while not all(app.state.overlay.bus.is_connected for app in apps):
            assert time.monotonic() < deadline, "the bus did not reconnect"
            time.sleep(0.05)
        entered(client, notation=READY, approve=True)
        assert there.next().number == 2


def test_messages_go_to_all_but_the_sender(redis: Redis) -> None:
    heard: list[tuple[str, BusMessage]] = []
    buses = {name: RedisBus(redis.url) for name in "ab"}
    for name, bus in buses.items():
        bus.start(lambda message, name=name: heard.append((name, message)))  # type: ignore[misc]
    deadline = time.monotonic() + 60
    while not all(bus.is_connected for bus in buses.values()):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    buses["a"].send(BusMessage("state", "final"))
    while not heard:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    time.sleep(0.2)
    assert [(name, message.kind, message.table) for name, message in heard] == [
        ("b", "state", "final")
    ]
    for bus in buses.values():
        bus.stop()


def test_a_message_that_cannot_be_used_does_not_end_the_bus(redis: Redis) -> None:
    heard: list[EventOut] = []
    sender, receiver = RedisBus(redis.url), RedisBus(redis.url)
    sender.start(lambda _: None)
    receiver.start(lambda message: heard.append(EventOut.model_validate_json(message.body)))
    wait_until(lambda: sender.is_connected and receiver.is_connected)
    good = EventOut(number=1, kind="hide", seat="east", at=datetime.now(UTC))
    sender.send(BusMessage("event", "final", "{}"))
    sender.send(BusMessage("event", "final", good.model_dump_json()))
    wait_until(lambda: heard == [good])
    for bus in (sender, receiver):
        bus.stop()


def test_a_wrong_address_is_reported() -> None:
    with pytest.raises(RuntimeError, match="HUPAI_REDIS_URL"):
        RedisBus("http://nowhere")
