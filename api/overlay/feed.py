"""Delivers on-air events to subscribers in this process, each exactly once and in order."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

from hupai.api.overlay.schemas import EventOut
from hupai.api.overlay.store.event_queue import KEPT_EVENTS


class Feed:
    """The newest events of one table, in memory. Used in the event loop only.

    A new feed accepts no events until it is filled from the database. Otherwise it would start with
    whichever event arrives first, and the events before that one would be missing.
    """

    def __init__(self) -> None:
        self._events: deque[EventOut] = deque(maxlen=KEPT_EVENTS)
        self._arrived = asyncio.Event()
        self._filled = False

    @property
    def is_filled(self) -> bool:
        """Whether the feed was filled from the database."""
        return self._filled

    @property
    def last(self) -> int:
        """Number of the newest event; 0 if there is none."""
        return self._events[-1].number if self._events else 0

    @property
    def first(self) -> int:
        """Number of the oldest event kept; 0 if there is none."""
        return self._events[0].number if self._events else 0

    def fill(self, events: list[EventOut]) -> None:
        """Add all events that the database keeps after `last`. If events between are no longer
        kept, the feed starts with these.
        """
        fresh = self._newer(events)
        if fresh and fresh[0].number != self.last + 1:
            self._events.clear()
        self._filled = True
        self._add(fresh)

    def put(self, events: list[EventOut]) -> bool:
        """Add new events. Returns False, and adds none, if events before them are missing: then the
        feed must be filled.
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
            self._arrived.set()
            self._arrived = asyncio.Event()

    def after(self, number: int) -> list[EventOut]:
        """Return the events with a greater number."""
        return [event for event in self._events if event.number > number]

    async def wait(self, number: int, seconds: float) -> list[EventOut]:
        """Return the events with a greater number; wait at most `seconds` for one."""
        if self.last <= number:
            try:
                await asyncio.wait_for(self._arrived.wait(), seconds)
            except TimeoutError:
                return []
        return self.after(number)


class Watchers:
    """Callbacks to run when the state or status of a table changes, for the operators' pages. Used
    in the event loop only.
    """

    def __init__(self) -> None:
        self._callbacks: dict[str, set[Callable[[str], None]]] = {}

    def add(self, table: str, callback: Callable[[str], None]) -> None:
        """Call `callback` with ``state``, ``status`` or ``gone`` from now on."""
        self._callbacks.setdefault(table, set()).add(callback)

    def remove(self, table: str, callback: Callable[[str], None]) -> None:
        """Stop calling `callback`."""
        left = self._callbacks.get(table, set())
        left.discard(callback)
        if not left:
            self._callbacks.pop(table, None)

    def wake(self, table: str, what: str) -> None:
        """Call all callbacks of the table."""
        for callback in tuple(self._callbacks.get(table, ())):
            callback(what)
