"""The overlay inside the service: reads tables, stores proposals, releases due events, notifies
subscribers.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from collections.abc import Callable
from datetime import datetime
from uuid import uuid4

from hupai.api.hands.photo_work.decoding import Decoding
from hupai.api.hands.photo_work.limits import photo_limits
from hupai.api.overlay.bus import Bus, BusMessage, LocalBus, RedisBus, packed, unpacked
from hupai.api.overlay.commands import execute, proposal_of_sighting, update_waits
from hupai.api.overlay.feed import Feed, Watchers
from hupai.api.overlay.preview import Previews
from hupai.api.overlay.schemas import Command, EventOut, Settle, SourceStatus
from hupai.api.overlay.store.errors import UnknownSeatError, UnknownTableError
from hupai.api.overlay.store.overlay_store import Lease, OverlayStore
from hupai.api.overlay.table_reader import AcceptedReading, LostHand, SharedDetector, TableRunner
from hupai.api.storage import Storage, StorageError
from hupai.api.storage.base import now
from hupai.api.web.problems import ApiProblem
from hupai.api.web.settings import Settings
from hupai.models import registry
from hupai.models.learning.library import Library
from hupai.vision.protocols import TileDetector
from hupai.vision.types import Image
from hupai.vision.video.sources import FrameSource, UnknownSourceError

log = logging.getLogger("hupai.overlay")
POLL_SECONDS = 2.0
"""Seconds between two polls of the database for events that no message announced."""
LEASE_SECONDS = 10.0
_RENEW_SECONDS = 3.0


class OverlayService:
    """The overlay service, kept in ``app.state.overlay``.

    Args:
        settings: model, threads, address of Redis.
        storage: where tables and events are kept.

    Attributes:
        detector: returns the detector for frames; None for the registry's model, opened when the
            first table needs it.
    """

    def __init__(self, settings: Settings, storage: Storage) -> None:
        self._settings = settings
        self.store = OverlayStore(storage.database)
        self.bus: Bus = RedisBus(settings.redis_url) if settings.redis_url else LocalBus()
        self.detector: Callable[[], TileDetector] | None = None
        # Of its own: frames do not wait for photos. Two turns are enough for several tables.
        self._decoding = Decoding(photo_limits(settings), at_once=2)
        self.previews = Previews(self.bus, self._newest)
        self.watchers = Watchers()
        self.poll_seconds = POLL_SECONDS
        self._feeds: dict[str, Feed] = {}
        self._runners: dict[str, TableRunner] = {}
        self._unreadable: dict[str, str] = {}  # sources already reported, by table
        self._statuses: dict[str, tuple[SourceStatus, datetime]] = {}
        self._owner = str(uuid4())
        self._opened: TileDetector | None = None
        self._opening = threading.Lock()
        self._leasing = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._due = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    # Start and stop

    async def start(self) -> None:
        """Start to read tables and to release events."""
        self._loop = asyncio.get_running_loop()
        self._due = asyncio.Event()
        self.bus.start(self._on_message)
        self._tasks = [
            asyncio.create_task(self._release_for_ever()),
            asyncio.create_task(self._lease_for_ever()),
            asyncio.create_task(self.previews.send_for_ever()),
        ]

    async def stop(self) -> None:
        """Stop reading; queued events stay in the database."""
        for task in self._tasks:
            task.cancel()
        for ended in await asyncio.gather(*self._tasks, return_exceptions=True):
            if isinstance(ended, Exception):  # what follows here is to be stopped all the same
                log.error("a task of the overlay had ended", exc_info=ended)
        await asyncio.to_thread(self._stop_runners)
        await asyncio.to_thread(self.bus.stop)

    def _stop_runners(self) -> None:
        with self._leasing:
            runners, self._runners = list(self._runners.values()), {}
        for runner in runners:
            runner.stop()
        with contextlib.suppress(StorageError):
            self.store.end_leases(self._owner)

    # What routes use

    async def feed(self, table: str) -> Feed:
        """Return the events of a table, kept up to date from now on.

        Raises:
            UnknownTableError: if there is no such table.
        """
        feed = self._feeds.get(table)
        newest = (await asyncio.to_thread(self.store.snapshot, table)).number
        if feed is None or newest < feed.last:  # the latter: the table was created again
            feed = self._feeds[table] = Feed()
        if newest > feed.last or not feed.is_filled:
            feed.fill(await asyncio.to_thread(self.store.events_after, table, feed.last))
        return feed

    def changed(self, table: str) -> None:
        """Announce a change of a table: operators are notified, due events are released, and its
        reader adapts. Thread-safe.
        """
        self._notify_operators("state", table)
        self.bus.send(BusMessage("state", table))

    def status(self, table: str) -> SourceStatus | None:
        """Return the reading status of a table; None if no process has reported it lately."""
        found = self._statuses.get(table)
        return found[0] if found is not None and (now() - found[1]).total_seconds() < 5 else None

    def picture(self, table: str) -> Image | None:
        """Return the newest frame of a table, RGB, whichever process reads it; None if there is
        none.
        """
        return self.previews.picture(table)

    def _newest(self, table: str) -> Image | None:
        """Return the newest frame of a table that this process reads."""
        runner = self._runners.get(table)
        frame = None if runner is None else runner.picture
        return None if frame is None else frame.image

    def source(self, table: str) -> FrameSource | None:
        """Return the source that this process reads the table from; None if it does not."""
        runner = self._runners.get(table)
        return None if runner is None else runner.source

    def reads(self, table: str) -> bool:
        """Whether this process reads the table."""
        return table in self._runners

    def push(self, table: str, data: bytes) -> bool:
        """Push a frame, as the bytes of a picture; False if no process reads pushed frames of this
        table. Thread-safe.

        Raises:
            ApiProblem: if the bytes are not a picture within the limits of photos.
        """
        runner = self._runners.get(table)
        if runner is not None:
            return runner.takes_frames and runner.push(self._decoding.decoded(data, "frame"))
        if self.bus.is_shared and self.bus.is_connected and self.status(table) is not None:
            self._decoding.decoded(data, "frame")  # the process that reads could tell nobody
            self.bus.send(BusMessage("frame", table, packed(data)))
            return True
        return False

    async def execute(self, table: str, command: Command, author: str) -> None:
        """Execute a command of the operator and announce the change.

        Raises:
            StorageError: nothing was changed; also raises what
                `hupai.api.overlay.commands.execute` does.
        """
        await asyncio.to_thread(execute, self.store, table, command, author)
        self.changed(table)
        if isinstance(command, Settle):
            await self.refresh_leases()

    async def refresh_leases(self) -> None:
        """Start, restart and stop readers as the tables' settings require; while the storage does
        not answer, the next renewal of the leases does it.
        """
        with contextlib.suppress(StorageError):
            await asyncio.to_thread(self._lease)

    # Events and callbacks

    def _notify_operators(self, what: str, table: str) -> None:
        """Wake the operators of this process; after a change of state also check for due events.
        Thread-safe.
        """
        loop = self._loop
        if loop is None or loop.is_closed():
            return

        def wake() -> None:
            self.watchers.wake(table, what)
            if what == "state":
                self._due.set()

        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(wake)

    def _on_message(self, message: BusMessage) -> None:
        """Handle a message of another process, in the bus's thread."""
        if message.kind == "event":
            event = EventOut.model_validate_json(message.body)
            if self._loop is not None:
                self._loop.call_soon_threadsafe(self._deliver_event, message.table, event)
        elif message.kind == "status":
            self._statuses[message.table] = (SourceStatus.model_validate_json(message.body), now())
            self._notify_operators("status", message.table)
        elif message.kind in ("look", "picture"):
            self.previews.receive(message)
        elif message.kind == "frame":
            runner = self._runners.get(message.table)
            if runner is not None and runner.takes_frames:
                with contextlib.suppress(ApiProblem, ValueError):
                    runner.push(self._decoding.decoded(unpacked(message.body), "frame"))
        else:
            self._notify_operators("state", message.table)

    def _deliver_event(self, table: str, event: EventOut) -> None:
        feed = self._feeds.get(table)
        if feed is not None and not feed.put([event]):
            self._due.set()  # some are missing: the next poll of the database brings them
        self.watchers.wake(table, "state")

    def _on_reading(self, accepted: AcceptedReading) -> None:
        """In a runner's thread."""
        try:
            state = self.store.state(accepted.table)
            proposal = proposal_of_sighting(state, accepted)
            self.store.propose(accepted.table, accepted.seat, proposal, auto=True)
        except (UnknownTableError, UnknownSeatError):
            return
        except StorageError:
            log.exception("table %s: a reading could not be stored", accepted.table)
            return
        self.changed(accepted.table)

    def _on_lost(self, lost: LostHand) -> None:
        """In a runner's thread."""
        try:
            hidden = self.store.retire(lost.table, lost.seat, lost.replaced)
        except (UnknownTableError, UnknownSeatError):
            return
        except StorageError:
            log.exception("table %s: a hand that is out of sight could not be hidden", lost.table)
            return
        if hidden:
            log.info(
                "table %s, seat %s: hidden %.1f s after its hand was last seen (%s)",
                lost.table,
                lost.seat,
                lost.seconds,
                lost.reason,
            )
            self.changed(lost.table)

    def _on_status(self, status: SourceStatus) -> None:
        """In a runner's thread."""
        self._statuses[status.table] = (status, now())
        self._notify_operators("status", status.table)
        self.bus.send(BusMessage("status", status.table, status.model_dump_json()))

    async def _release_for_ever(self) -> None:
        while True:
            self._due.clear()  # events queued from now on are handled in the next round
            wait = self.poll_seconds
            try:
                released, next_due = await asyncio.to_thread(self.store.release_due)
                for table, event in released:
                    self._deliver_event(table, event)
                    await asyncio.to_thread(
                        self.bus.send, BusMessage("event", table, event.model_dump_json())
                    )
                for table in {table for table, _ in released}:
                    await asyncio.to_thread(self._update_waits, table)
                    self._due.set()
                await self._catch_up()
                if next_due is not None:
                    wait = min(wait, max(0.0, (next_due - now()).total_seconds()))
            except Exception:  # a fault at one table must not end the broadcast of all
                log.exception("events could not be released; trying again")
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._due.wait(), wait)

    def _update_waits(self, table: str) -> None:
        try:
            update_waits(self.store, table)
        except (UnknownTableError, UnknownSeatError):
            return  # an operator has removed the table, or the seat, meanwhile
        except ApiProblem as problem:
            log.warning("table %s: its waits could not be updated: %s", table, problem.detail)

    async def _catch_up(self) -> None:
        """Load events that other processes released without a message arriving."""
        if not self._feeds:
            return
        newest = await asyncio.to_thread(self.store.newest_numbers)
        for table, feed in list(self._feeds.items()):
            try:
                if table not in newest:
                    raise UnknownTableError(table)
                if newest[table] > feed.last:
                    feed.fill(await asyncio.to_thread(self.store.events_after, table, feed.last))
            except UnknownTableError:
                del self._feeds[table]
                self.watchers.wake(table, "gone")

    async def _lease_for_ever(self) -> None:
        while True:
            try:
                await asyncio.to_thread(self._lease)
            except Exception:  # a fault at one table must not end the reading of all
                log.exception("tables could not be leased; trying again")
            await asyncio.sleep(_RENEW_SECONDS)

    def _lease(self) -> None:
        with self._leasing:
            leases = {lease.table: lease for lease in self.store.lease(self._owner, LEASE_SECONDS)}
            for table in list(self._runners):
                lease = leases.get(table)
                if lease is None or lease.reading != self._runners[table].lease.reading:
                    self._runners.pop(table).stop()
            for table, lease in leases.items():
                if table not in self._runners:
                    self._start_runner(lease)

    def _start_runner(self, lease: Lease) -> None:
        try:
            runner = TableRunner(
                lease, self.open_detector, self._on_reading, self._on_status, self._on_lost
            )
        except UnknownSourceError as error:  # stored by a version that had this kind of source
            if self._unreadable.get(lease.table) != lease.source:
                log.warning("table %s is not read: %s", lease.table, error)
            self._unreadable[lease.table] = lease.source
            return
        self._runners[lease.table] = runner
        runner.start()

    def open_detector(self) -> TileDetector:
        """Return the detector for frames; opened by the first call, shared by all tables."""
        with self._opening:
            if self._opened is None:
                self._opened = SharedDetector(self.detector() if self.detector else self._load())
            return self._opened

    def _load(self) -> TileDetector:
        """Load the model of the settings, as it is now."""
        settings = self._settings
        path = Library.of_data_folder(settings.data_folder).resolve(settings.model)
        return registry.load(path, settings.threads, settings.providers)
