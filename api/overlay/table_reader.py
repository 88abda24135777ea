"""A thread a table: newest frame, a look at each seat, and the model for the one that waits
longest.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from time import monotonic

from hupai.api.overlay.schemas import LossReason, SourceStatus, region_of
from hupai.api.overlay.store.overlay_store import Lease
from hupai.scoring import rule_sets as rule_sets
from hupai.vision.protocols import TileDetector
from hupai.vision.types import Detections, Image, ModelInfo
from hupai.vision.video.hand_watch import HandWatch, Sighting, WatchSettings
from hupai.vision.video.latest_frame import LatestFrames
from hupai.vision.video.region import shrink
from hupai.vision.video.several_cameras import SideBySideSource, frames_of
from hupai.vision.video.sources import Frame, FrameSource, PushedSource

log = logging.getLogger("hupai.overlay")

LOOKS_A_SECOND = 15.0
"""Frames that are looked at while every hand is at rest and accepted."""

LOOKS_A_SECOND_MOVING = 30.0
"""Frames that are looked at otherwise, so that stillness is noticed with the next frame."""
_STATUS_SECONDS = 1.0
_SILENCE_SECONDS = 1.0
"""Age of a seat's newest picture from which its hand is lost with it, not within it."""


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """A reading that was accepted at a table, and how long that took from the picture at rest,
    seconds.
    """

    table: str
    rules: str
    seat: str
    sighting: Sighting
    seconds: float


@dataclass(frozen=True, slots=True)
class Unseen:
    """A hand that was accepted at a table and has not been seen for too long.

    Attributes:
        table, seat: where.
        replaced: another reading, or an empty place, was accepted since.
        reason: why it is not seen.
        seconds: since it was last seen.
    """

    table: str
    seat: str
    replaced: bool
    reason: LossReason
    seconds: float


class OneAtATime:
    """A detector that several tables share: one picture at a time, in the order in which they
    ask.

    A plain lock would let a table that asks again at once go before one that has waited.
    """

    def __init__(self, detector: TileDetector) -> None:
        """Share this one."""
        self._detector = detector
        self._turn = threading.Condition()
        self._queue: deque[object] = deque()

    @property
    def info(self) -> ModelInfo:
        """Which weights answer."""
        return self._detector.info

    def detect(self, image: Image) -> Detections:
        """See `hupai.vision.protocols.TileDetector.detect`."""
        ticket = object()
        with self._turn:
            self._queue.append(ticket)
            self._turn.wait_for(lambda: self._queue[0] is ticket)
        try:
            return self._detector.detect(image)
        finally:
            with self._turn:
                self._queue.popleft()
                self._turn.notify_all()


def looks_apart(watches: Iterable[HandWatch]) -> float:
    """Return the seconds until these hands are to be looked at again."""
    at_rest = all(watch.at_rest for watch in watches)
    return 1.0 / (LOOKS_A_SECOND if at_rest else LOOKS_A_SECOND_MOVING)


class TableRunner:
    """Reads one table until it is stopped."""

    def __init__(
        self,
        lease: Lease,
        detector: Callable[[], TileDetector],
        on_seen: Callable[[Seen], None],
        on_status: Callable[[SourceStatus], None],
        on_unseen: Callable[[Unseen], None],
        source: FrameSource | None = None,
        settings: WatchSettings | None = None,
    ) -> None:
        """Read the table of this lease.

        Args:
            lease: source, seats and rules.
            detector: gives the detector, called in the runner's thread.
            on_seen, on_status, on_unseen: called in the runner's thread.
            source: instead of the lease's.
            settings: see `hupai.vision.video.hand_watch.WatchSettings`.
        """
        self.lease = lease
        self._detector, self._on_seen, self._on_status = detector, on_seen, on_status
        self._on_unseen = on_unseen
        self._settings = settings or WatchSettings()
        self.source = source or frames_of(lease.source)
        self._frames = LatestFrames(self.source)
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"table {lease.table}", daemon=True)
        self._read = 0
        self._lost: dict[str, LossReason] = {}
        self._latest: Frame | None = None
        self._pictured: dict[str, float] = {}
        self.wanted_until = 0.0

    def start(self) -> None:
        """Begin."""
        self._frames.start()
        self._thread.start()

    def stop(self) -> None:
        """End, after the picture that is being read."""
        self._stopping.set()
        self._frames.stop()
        self._thread.join(20)

    def push(self, image: Image) -> bool:
        """Hand in a frame; False where this table's frames are not pushed."""
        if isinstance(self.source, PushedSource):
            self.source.push(image)
            return True
        return False

    @property
    def picture(self) -> Frame | None:
        """The frame last looked at."""
        return self._latest

    def _run(self) -> None:
        try:
            self._watch()
        except Exception:
            log.exception("table %s: reading ended", self.lease.table)

    def _watch(self) -> None:
        rules = rule_sets.get(self.lease.rules)
        detector = self._detector()
        watches = {
            seat.seat: HandWatch(detector, region_of(seat.region), rules, self._settings)
            for seat in self.lease.seats
        }
        last_read = dict.fromkeys(watches, 0.0)
        next_look = next_status = 0.0
        while not self._stopping.is_set():
            self._stopping.wait(max(0.0, next_look - monotonic()))
            frame = self._frames.next(0.5)
            if monotonic() >= next_status:
                next_status = monotonic() + _STATUS_SECONDS
                self._on_status(self._status(watches))
            for name, watch in watches.items():
                self._give_up(name, watch)
            if frame is None:
                continue
            self._latest = frame
            small = shrink(frame.image)
            waiting = []
            for name, watch in watches.items():
                due = watch.look(frame, small)
                if watch.has_picture:
                    self._pictured[name] = frame.at
                if due:
                    waiting.append(name)
                else:
                    self._accepted(name, watch.rest(frame))
            if waiting:
                name = min(waiting, key=last_read.__getitem__)
                last_read[name] = frame.at
                self._read += 1
                self._accepted(name, watches[name].read(frame))
            next_look = frame.at + looks_apart(watches.values())

    def _accepted(self, seat: str, sighting: Sighting | None) -> None:
        """Tell about a reading that was accepted, if one was."""
        if sighting is None:
            return
        self._lost.pop(seat, None)
        seconds = monotonic() - sighting.still_since
        self._on_seen(Seen(self.lease.table, self.lease.rules, seat, sighting, seconds))

    def _give_up(self, seat: str, watch: HandWatch) -> None:
        """Tell about a hand that has not been seen for too long, whether frames come or not."""
        moment = monotonic()
        lost = watch.give_up(moment)
        if lost is not None:
            silence = moment - self._pictured.get(seat, 0.0)
            reason: LossReason = "out_of_sight" if silence < _SILENCE_SECONDS else "no_frames"
            if not lost.replaced:
                self._lost[seat] = reason
            seconds = moment - lost.seen_at
            self._on_unseen(Unseen(self.lease.table, seat, lost.replaced, reason, seconds))

    @property
    def _missing(self) -> str:
        """Which of several cameras send nothing."""
        return self.source.missing if isinstance(self.source, SideBySideSource) else ""

    def _status(self, watches: dict[str, HandWatch]) -> SourceStatus:
        state = self._frames.state
        moment = monotonic()
        seen = {name: watch.seen_at for name, watch in watches.items()}
        height, width = self._latest.image.shape[:2] if self._latest else (0, 0)
        return SourceStatus(
            table=self.lease.table,
            connected=state.connected,
            ended=state.ended,
            error=state.error or self._missing,
            fps=round(state.fps, 1),
            captured=state.captured,
            skipped=state.skipped,
            read=self._read,
            covered=[name for name, watch in watches.items() if watch.covered],
            unseen_s={name: round(moment - at, 1) for name, at in seen.items() if at is not None},
            lost=dict(self._lost),
            width=width,
            height=height,
        )
