"""One thread per table: takes the newest frame, examines each seat, and runs the model for the seat
that has waited longest.
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
from hupai.scoring import rule_sets
from hupai.vision.protocols import TileDetector
from hupai.vision.types import Detections, Image, ModelInfo
from hupai.vision.video.hand_watch import HandWatch, Sighting, WatchSettings
from hupai.vision.video.latest_frame import LatestFrames
from hupai.vision.video.region import shrink
from hupai.vision.video.several_cameras import SideBySideSource, frames_of
from hupai.vision.video.sources import Frame, FrameSource, PushedSource

log = logging.getLogger("hupai.overlay")

FRAMES_PER_SECOND_AT_REST = 15.0
"""Frames examined per second while every hand is at rest and accepted."""

FRAMES_PER_SECOND_MOVING = 30.0
"""Frames examined per second otherwise, so that rest is noticed with the next frame."""
_STATUS_SECONDS = 1.0
_SILENCE_SECONDS = 1.0
"""Age of a seat's newest picture from which a lost hand is put down to missing frames."""


@dataclass(frozen=True, slots=True, eq=False)
class AcceptedReading:
    """A reading that was accepted at a table; `seconds` is the time since the hand came to rest."""

    table: str
    rules: str
    seat: str
    sighting: Sighting
    seconds: float


@dataclass(frozen=True, slots=True)
class LostHand:
    """An accepted hand that has been out of sight for too long.

    Attributes:
        table, seat: where it lay.
        replaced: whether another reading, or an empty place, was accepted since.
        reason: why it is out of sight.
        seconds: time since it was last seen.
    """

    table: str
    seat: str
    replaced: bool
    reason: LossReason
    seconds: float


class SharedDetector:
    """A detector shared by several tables: one picture at a time, first come, first served.

    A plain lock is not fair: a table that asks again at once could overtake one that is waiting.
    """

    def __init__(self, detector: TileDetector) -> None:
        """Share this detector."""
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


def frame_interval(watches: Iterable[HandWatch]) -> float:
    """Return the seconds until the next frame of these hands is examined."""
    at_rest = all(watch.at_rest for watch in watches)
    return 1.0 / (FRAMES_PER_SECOND_AT_REST if at_rest else FRAMES_PER_SECOND_MOVING)


class TableRunner:
    """Reads one table until it is stopped."""

    def __init__(
        self,
        lease: Lease,
        detector: Callable[[], TileDetector],
        on_reading: Callable[[AcceptedReading], None],
        on_status: Callable[[SourceStatus], None],
        on_lost: Callable[[LostHand], None],
    ) -> None:
        """Read the table of this lease.

        Args:
            lease: source, seats and rules.
            detector: returns the detector; called in the runner's thread.
            on_reading, on_status, on_lost: called in the runner's thread.
        """
        self.lease = lease
        self._detector, self._on_reading, self._on_status = detector, on_reading, on_status
        self._on_lost = on_lost
        self.source: FrameSource = frames_of(lease.source)
        self._frames = LatestFrames(self.source)
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"table {lease.table}", daemon=True)
        self._read = 0
        self._lost: dict[str, LossReason] = {}
        self._latest: Frame | None = None
        self._last_picture: dict[str, float] = {}

    def start(self) -> None:
        """Start reading."""
        self._frames.start()
        self._thread.start()

    def stop(self) -> None:
        """Stop after the picture that is being read."""
        self._stopping.set()
        self._frames.stop()
        self._thread.join(20)

    @property
    def takes_frames(self) -> bool:
        """Whether this table's source is `push`."""
        return isinstance(self.source, PushedSource)

    def push(self, image: Image) -> bool:
        """Push a frame; False if this table's source is not `push`."""
        if isinstance(self.source, PushedSource):
            self.source.push(image)
            return True
        return False

    @property
    def picture(self) -> Frame | None:
        """The frame examined last."""
        return self._latest

    def _run(self) -> None:
        try:
            self._watch()
        except Exception:
            log.exception("table %s: reading ended", self.lease.table)

    def _watch(self) -> None:
        rules = rule_sets.get(self.lease.rules)
        detector, settings = self._detector(), WatchSettings()
        watches = {
            seat.seat: HandWatch(detector, region_of(seat.region), rules, settings)
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
                self._report_lost(name, watch)
            if frame is None:
                continue
            self._latest = frame
            small = shrink(frame.image)
            waiting = []
            for name, watch in watches.items():
                due = watch.look(frame, small)
                if watch.has_picture:
                    self._last_picture[name] = frame.at
                if due:
                    waiting.append(name)
                else:
                    self._report_reading(name, watch.rest(frame))
            if waiting:
                name = min(waiting, key=last_read.__getitem__)
                last_read[name] = frame.at
                self._read += 1
                self._report_reading(name, watches[name].read(frame))
            next_look = frame.at + frame_interval(watches.values())

    def _report_reading(self, seat: str, sighting: Sighting | None) -> None:
        """Report a reading if one was accepted."""
        if sighting is None:
            return
        self._lost.pop(seat, None)
        seconds = monotonic() - sighting.still_since
        self._on_reading(
            AcceptedReading(self.lease.table, self.lease.rules, seat, sighting, seconds)
        )

    def _report_lost(self, seat: str, watch: HandWatch) -> None:
        """Report a hand that has been out of sight for too long, whether or not frames arrive."""
        moment = monotonic()
        lost = watch.give_up(moment)
        if lost is not None:
            silence = moment - self._last_picture.get(seat, 0.0)
            reason: LossReason = "out_of_sight" if silence < _SILENCE_SECONDS else "no_frames"
            if not lost.replaced:
                self._lost[seat] = reason
            seconds = moment - lost.seen_at
            self._on_lost(LostHand(self.lease.table, seat, lost.replaced, reason, seconds))

    @property
    def _missing(self) -> str:
        """Those of several cameras that send nothing."""
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
