"""Pictures of a table that another process reads, so that every process can show them.

A process that needs a picture of a table it does not read sends ``look`` on the bus. The process
that reads the table then sends its newest frames for a few seconds, as JPEGs of at most `SIDE`
pixels.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from threading import Lock
from time import monotonic

from hupai.api.hands.recognition import encode
from hupai.api.overlay.bus import Bus, BusMessage, packed, unpacked
from hupai.vision.photo.decode import PhotoError, decode
from hupai.vision.types import Image

log = logging.getLogger("hupai.overlay")
SIDE = 1280
"""Longest side of the pictures sent, pixels."""
_EVERY = 0.2
"""Seconds between two pictures."""
_WATCHED = 5.0
"""How long pictures are sent after a request, seconds."""
_STALE = 3.0
"""Age from which a received picture is no longer shown, seconds."""
_ASK_AGAIN = 1.0
"""Seconds between two requests."""
_FIRST = 3.0
"""How long to wait for the first picture, seconds."""


class Previews:
    """Requests, sends and caches pictures.

    Args:
        bus: connects the processes.
        newest: returns the newest frame of a table that this process reads, RGB; None if it does
            not read the table or has no frame.
    """

    def __init__(self, bus: Bus, newest: Callable[[str], Image | None]) -> None:
        self._bus = bus
        self._newest = newest
        self._lock = Lock()
        self._received: dict[str, tuple[Image, float]] = {}
        self._asked: dict[str, float] = {}
        self._watched: dict[str, float] = {}

    def picture(self, table: str) -> Image | None:
        """Return the newest picture of a table; request the next if another process reads it."""
        own = self._newest(table)
        if own is not None or not self._bus.is_shared:
            return own
        now = monotonic()
        with self._lock:
            ask = now - self._asked.get(table, -_ASK_AGAIN) >= _ASK_AGAIN
            if ask:
                self._asked[table] = now
            image, at = self._received.get(table, (None, -_STALE))
        if ask:
            self._bus.send(BusMessage("look", table))
        return image if now - at < _STALE else None

    async def first(self, table: str) -> Image | None:
        """Return the newest picture, waiting briefly if another process has to send it."""
        deadline = monotonic() + (_FIRST if self._bus.is_shared else 0.0)
        while True:
            image = await asyncio.to_thread(self.picture, table)
            if image is not None or monotonic() >= deadline:
                return image
            await asyncio.sleep(_EVERY / 2)

    def receive(self, message: BusMessage) -> None:
        """Handle ``look`` or ``picture`` of another process, in the bus's thread."""
        if message.kind == "look":
            with self._lock:
                self._watched[message.table] = monotonic() + _WATCHED
            return
        with contextlib.suppress(PhotoError, ValueError):
            image = decode(unpacked(message.body), "frame").image
            now = monotonic()
            with self._lock:
                fresh = {k: v for k, v in self._received.items() if now - v[1] < _STALE}
                self._received = fresh | {message.table: (image, now)}

    async def send_for_ever(self) -> None:
        """Send the frames that other processes request."""
        sent: dict[str, Image] = {}
        while self._bus.is_shared:
            await asyncio.sleep(_EVERY)
            with self._lock:
                self._watched = {k: v for k, v in self._watched.items() if v > monotonic()}
                wanted = tuple(self._watched)
            sent = {table: image for table, image in sent.items() if table in wanted}
            for table in wanted:
                image = self._newest(table)
                if image is not None and sent.get(table) is not image:
                    sent[table] = image
                    await asyncio.to_thread(self._send, table, image)

    def _send(self, table: str, image: Image) -> None:
        self._bus.send(BusMessage("picture", table, packed(encode(image, ".jpg", SIDE))))
