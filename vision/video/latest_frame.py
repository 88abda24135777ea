"""The newest frame of a source: a thread reads continuously, so that no caller gets a stale one."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from time import monotonic
from types import TracebackType

from hupai.vision.video.sources import Frame, FrameSource, SourceError, WakeableSource

log = logging.getLogger("hupai.video")

_WAITS = (0.25, 0.5, 1.0, 2.0, 3.0)
"""Delays between attempts to reopen a lost source, seconds; the last one is repeated."""

_RATE_S = 2.0
"""Time over which frames are counted to measure their rate, seconds."""


@dataclass(frozen=True, slots=True)
class ReaderState:
    """The state of reading a source.

    Attributes:
        connected: whether frames come in.
        ended: whether the source has ended for good.
        captured: number of frames read from the source.
        delivered: number of frames taken by callers; the rest was skipped.
        reconnects: how often the source was opened again.
        fps: frames a second that the source gives, over the last seconds.
        error: why it is not connected; empty if it is.
    """

    connected: bool = False
    ended: bool = False
    captured: int = 0
    delivered: int = 0
    reconnects: int = 0
    fps: float = 0.0
    error: str = ""

    @property
    def skipped(self) -> int:
        """Number of frames not taken by any caller."""
        return self.captured - self.delivered


class LatestFrames:
    """Reads a source in a separate thread and returns frames that come in after the request.

    Frames that no caller requests are skipped, without decoding if the source allows it, so a slow
    reader costs no memory and never lags. A failed source is reopened repeatedly, even after an
    undocumented error, which is logged. Use as a context manager, or `start` and `stop`.
    """

    def __init__(
        self,
        source: FrameSource,
        clock: Callable[[], float] = monotonic,
        on_frame: Callable[[], None] | None = None,
    ) -> None:
        """Read this source.

        Args:
            source: a camera, a stream, a file, pushed frames.
            clock: gives the time of each frame, seconds.
            on_frame: called in the reading thread for each frame, taken or not.
        """
        self._source, self._clock, self._on_frame = source, clock, on_frame
        self._condition = threading.Condition()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._wanted = 0
        self._frame: Frame | None = None
        self._state = ReaderState()
        self._measured, self._fps = (0.0, 0), 0.0
        self._logged = ""

    def __enter__(self) -> LatestFrames:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    @property
    def state(self) -> ReaderState:
        """The state of reading."""
        with self._condition:
            return self._state

    def start(self) -> None:
        """Begin to read."""
        self._thread = threading.Thread(target=self._run, name="frames", daemon=True)
        self._thread.start()

    def stop(self, seconds: float = 10.0) -> None:
        """Stop reading and close the source; wait for the thread at most so many seconds."""
        self._stopping.set()
        if isinstance(self._source, WakeableSource):
            self._source.wake()
        with self._condition:
            self._condition.notify_all()
        if self._thread is not None:
            self._thread.join(seconds)

    def next(self, timeout: float = 1.0) -> Frame | None:
        """Wait for a frame that comes in from now on.

        Args:
            timeout: longest wait, seconds.

        Returns:
            None without a frame in that time, or at the end of the source.
        """
        with self._condition:
            self._frame = None
            self._wanted += 1
            try:
                self._condition.wait_for(lambda: self._frame is not None or self._over, timeout)
            finally:
                self._wanted -= 1
            frame, self._frame = self._frame, None
            if frame is not None:
                self._state = replace(self._state, delivered=self._state.delivered + 1)
            return frame

    @property
    def _over(self) -> bool:
        return self._state.ended or self._stopping.is_set()

    def _run(self) -> None:
        failures = 0
        while not self._stopping.is_set():
            before = self._state.captured
            try:
                self._source.open()
                self._read_until_it_fails()
            except SourceError as error:
                self._put(connected=False, error=str(error))
            except Exception as error:  # noqa: BLE001  # whatever it is, the feed goes on
                self._put(connected=False, error=self._unforeseen(error))
            else:
                if not self._source.is_endless:
                    self._put(connected=False, ended=True)
                    break
                self._put(
                    connected=False,
                    error="" if self._stopping.is_set() else "no more frames come; trying again",
                )
            if self._state.captured > before:
                failures = 0
            self._close()
            self._stopping.wait(_WAITS[min(failures, len(_WAITS) - 1)])
            failures += 1
            if not self._stopping.is_set():
                self._put(reconnects=self._state.reconnects + 1)
        self._close()
        with self._condition:
            self._condition.notify_all()

    def _unforeseen(self, error: Exception) -> str:
        """Log an error that is not a `SourceError`, once while it repeats; return it in words."""
        text = f"reading failed ({type(error).__name__}: {error}); trying again"
        if text != self._logged:
            log.error("frames of %s: %s", type(self._source).__name__, text, exc_info=error)
            self._logged = text
        return text

    def _close(self) -> None:
        try:
            self._source.close()
        except Exception as error:  # noqa: BLE001
            self._unforeseen(error)

    def _read_until_it_fails(self) -> None:
        self._measured, self._fps = (0.0, 0), 0.0
        while not self._stopping.is_set() and self._source.grab():
            at = self._clock()
            wanted = self._wanted > 0 and self._frame is None
            image = self._source.picture() if wanted else None
            with self._condition:
                captured = self._state.captured + 1
                self._state = replace(
                    self._state,
                    connected=True,
                    error="",
                    captured=captured,
                    fps=self._rate(at, captured),
                )
                if image is not None:
                    self._frame = Frame(image, at, captured)
                    self._condition.notify_all()
            if self._on_frame is not None:
                self._on_frame()

    def _rate(self, at: float, captured: int) -> float:
        """Return frames a second over the last whole `_RATE_S`, at first over the time so far."""
        since, count = self._measured
        if at - since >= _RATE_S:
            self._fps = 0.0 if since == 0.0 else (captured - count) / (at - since)
            self._measured = (at, captured)
            return self._fps
        return self._fps or (captured - count) / max(at - since, 1.0)

    def _put(self, **changes: object) -> None:
        with self._condition:
            self._state = replace(self._state, **changes)  # type: ignore[arg-type]
            self._condition.notify_all()
