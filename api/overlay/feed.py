"""Events on air to whoever listens in this process, each exactly once and in order."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

from hupai.api.overlay.schemas import EventOut
from hupai.api.overlay.store.event_queue import KEPT_EVENTS


class Feed:
    """The newest events of one table, in memory. Used in the event loop only.

    A new feed takes no news until it is filled from the database: news of a late event would
    otherwise begin it, and the events before would be missing.
    """

    def __init__(self) -> None:
        self._events: deque[EventOut] = deque(maxlen=KEPT_EVENTS)
        self._news = asyncio.Event()
        self._filled = False

    @property
    def is_filled(self) -> bool:
        """Whether the feed was filled from the database."""
        return self._filled

    @property
    def last(self) -> int:
        """Number of the newest event; 0 where there is none."""
        return self._events[-1].number if self._events else 0

    @property
    def first(self) -> int:
        """Number of the oldest event kept; 0 where there is none."""
        return self._events[0].number if self._events else 0

    def fill(self, events: list[EventOut]) -> None:
        """Take in all events that the database keeps after `last`. Where older ones are no longer
        kept, the feed begins with these.
        """
        fresh = self._newer(events)
        if fresh and fresh[0].number != self.last + 1:
            self._events.clear()
        self._filled = True
        self._add(fresh)

    def put(self, events: list[EventOut]) -> bool:
        """Take in news; False, and nothing is taken, where events are missing in between: the feed
        must be filled.
        """
        fresh = self._newer(events)
        if not self._filled or (fresh and fresh[0].number != self.last + 1):
            return False
        self._add(fresh)
        return True

    def _newer(self, events: list[EventOut]) -> list[EventOut]:
        return [event for event in events if event.number > self.last]

    def _add(self, events: list[EventOut]) -> None:
        self._events.extend(events)
        if events:
            self._news.set()
            self._news = asyncio.Event()

    def after(self, number: int) -> list[EventOut]:
        """Events with a greater number."""
        return [event for event in self._events if event.number > number]

    async def wait(self, number: int, seconds: float) -> list[EventOut]:
        """Events with a greater number, waiting for one at most so long."""
        if self.last <= number:
            try:
                await asyncio.wait_for(self._news.wait(), seconds)
            except TimeoutError:
                return []
        return self.after(number)


class Watchers:
    """Wakes those who show a table to operators, when its state or status changes. Used in the
    event loop only.
    """

    def __init__(self) -> None:
        self._callbacks: dict[str, set[Callable[[str], None]]] = {}

    def add(self, table: str, callback: Callable[[str], None]) -> None:
        """Call `callback` with ``state``, ``status`` or ``gone`` from now on."""
        self._callbacks.setdefault(table, set()).add(callback)

    def remove(self, table: str, callback: Callable[[str], None]) -> None:
        """Do not any more."""
        left = self._callbacks.get(table, set())
        left.discard(callback)
        if not left:
            self._callbacks.pop(table, None)

    def wake(self, table: str, what: str) -> None:
        """Tell everybody who watches the table."""
        for callback in tuple(self._callbacks.get(table, ())):
            callback(what)
