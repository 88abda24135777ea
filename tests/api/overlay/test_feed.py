"""A feed of events: nothing twice, nothing left out, whatever comes first."""

from __future__ import annotations

import asyncio
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hupai.api.overlay.bus import BusMessage
from hupai.api.overlay.feed import Feed
from hupai.api.overlay.schemas import EventOut
from hupai.api.overlay.service import OverlayService
from tests.api.overlay.service import overlay_app


def event(number: int) -> EventOut:
    """An event with this number."""
    return EventOut(number=number, kind="hide", seat="east", at=datetime.now(UTC))


def events(*numbers: int) -> list[EventOut]:
    """Events with these numbers."""
    return [event(number) for number in numbers]


def numbers(feed: Feed, after: int = 0) -> list[int]:
    """What the feed gives after a number."""
    return [one.number for one in feed.after(after)]


def test_events_do_not_start_an_unfilled_feed() -> None:
    async def run() -> None:
        feed = Feed()
        assert not feed.put(events(3))
        assert (feed.is_filled, numbers(feed)) == (False, [])
        feed.fill(events(1, 2, 3))
        assert (feed.is_filled, numbers(feed, after=1)) == (True, [2, 3])

    asyncio.run(run())


def test_a_feed_without_events_is_filled_too() -> None:
    async def run() -> None:
        feed = Feed()
        feed.fill([])
        assert feed.put(events(1))
        assert numbers(feed) == [1]

    asyncio.run(run())


def test_events_are_not_added_twice_or_after_a_gap() -> None:
    async def run() -> None:
        feed = Feed()
        feed.fill(events(1, 2))
        assert feed.put(events(2, 3))
        assert not feed.put(events(5))
        assert numbers(feed) == [1, 2, 3]
        feed.fill(events(4, 5))
        assert numbers(feed) == [1, 2, 3, 4, 5]

    asyncio.run(run())


def test_a_feed_restarts_if_the_database_keeps_fewer_events() -> None:
    async def run() -> None:
        feed = Feed()
        feed.fill(events(1, 2))
        feed.fill(events(8, 9))
        assert (feed.first, feed.last) == (8, 9)

    asyncio.run(run())


def test_no_event_is_lost_that_arrives_while_a_feed_is_filled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when a page resumes at another process just while that process is notified of the newest
    event.
    """
    overlay: OverlayService = overlay_app(tmp_path).state.overlay
    asked, notified = threading.Event(), threading.Event()

    def slow(table: str, number: int) -> list[EventOut]:
        asked.set()
        assert notified.wait(30)
        return events(1, 2, 3)

    monkeypatch.setattr(overlay.store, "snapshot", lambda table: event(3))
    monkeypatch.setattr(overlay.store, "events_after", slow)

    async def run() -> Feed:
        overlay._loop = asyncio.get_running_loop()
        filling = asyncio.ensure_future(overlay.feed("final"))
        await asyncio.to_thread(asked.wait, 30)
        overlay._on_message(BusMessage("event", "final", event(3).model_dump_json()))
        await asyncio.sleep(0)
        notified.set()
        return await filling

    assert numbers(asyncio.run(run()), after=1) == [2, 3]
