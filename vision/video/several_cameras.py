"""Several cameras at one table: their newest pictures side by side in one frame."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import cv2
import numpy as np

from hupai.vision.types import Image
from hupai.vision.video.latest_frame import LatestFrames
from hupai.vision.video.sources import (
    FrameSource,
    PushedSource,
    UnknownSourceError,
    shown,
    source_of,
)

SEPARATOR = " + "
"""Separates the sources of a table with several cameras."""

MAX_CAMERAS = 8
"""Maximum number of cameras of a table; eight at 1920 x 1080 make frames of 17 megapixels."""

_ASPECT = (16, 9)
"""Width to height of each camera's part of the frame.

Fixed, so that the regions of the seats stay where they were drawn while a camera is away or sends
another size.
"""

_TOGETHER_S = 0.05
"""Longest wait for the other cameras once one has sent a frame, seconds: a frame at 20 a second."""

_FRAME_S = 0.4
"""Longest wait for the picture of a camera that is sending, seconds."""


class SideBySideSource:
    """Several sources as one: each camera has an equal part of the frame, from left to right.

    Each camera is read in a separate thread and reopened independently. The part of a camera that
    sends nothing is black, which `hupai.vision.video.hand_watch` recognises as no picture. A
    camera's picture is scaled to its part without distortion; the rest of the part is black.
    """

    def __init__(self, sources: Sequence[FrameSource], names: Sequence[str] = ()) -> None:
        """Combine these sources; `missing` uses `names` for them."""
        self._sources = tuple(sources)
        self._names = tuple(names) or tuple(str(n + 1) for n in range(len(self._sources)))
        self._condition = threading.Condition()
        self._cameras: tuple[_Camera, ...] = ()
        self._pool: ThreadPoolExecutor | None = None
        self._closed = False
        self._slot = (_ASPECT[0], _ASPECT[1])

    @property
    def is_endless(self) -> bool:
        """Whether any of the sources is."""
        return any(source.is_endless for source in self._sources)

    @property
    def missing(self) -> str:
        """Names and faults of the cameras that send nothing; empty while all send."""
        faults = (
            (name, camera.frames.state.error or "no frames come")
            for name, camera in zip(self._names, self._cameras, strict=False)
            if not camera.is_sending
        )
        return "; ".join(
            fault if fault.startswith(name) else f"{name}: {fault}" for name, fault in faults
        )

    def open(self) -> None:
        """Begin to read every camera; see `FrameSource.open`."""
        self.close()
        with self._condition:
            self._closed = False
        self._pool = ThreadPoolExecutor(len(self._sources), thread_name_prefix="cameras")
        self._cameras = tuple(_Camera(source, self._condition) for source in self._sources)
        for camera in self._cameras:
            camera.frames.start()

    def grab(self) -> bool:
        """Wait until a camera sends, and a moment for the others; False once all have ended."""
        with self._condition:
            while not any(camera.fresh for camera in self._cameras):
                if self._closed or all(camera.frames.state.ended for camera in self._cameras):
                    return False
                self._condition.wait(0.5)
            self._condition.wait_for(
                lambda: (
                    self._closed
                    or all(camera.fresh for camera in self._cameras if camera.is_sending)
                ),
                _TOGETHER_S,
            )
            for camera in self._cameras:
                camera.fresh = False
            return not self._closed

    def picture(self) -> Image | None:
        """Return the cameras' next pictures side by side; None if none comes."""
        if self._pool is None:
            return None
        pictures = list(self._pool.map(_Camera.picture, self._cameras))
        sizes = [picture.shape[:2] for picture in pictures if picture is not None]
        if not sizes:
            return None
        across, down = _ASPECT
        unit = max(max(-(-width // across), -(-height // down)) for height, width in sizes)
        # A part never shrinks: its size would change whenever the largest camera misses a frame.
        self._slot = max(self._slot, (across * unit, down * unit))
        return np.hstack([_fitted(picture, self._slot) for picture in pictures])

    def wake(self) -> None:
        """Let a waiting `grab` return False."""
        with self._condition:
            self._closed = True
            self._condition.notify_all()

    def close(self) -> None:
        """Release every camera; see `FrameSource.close`."""
        self.wake()
        cameras, self._cameras = self._cameras, ()
        if self._pool is not None:
            # All at once: each may wait for a read of its stream to end.
            list(self._pool.map(lambda camera: camera.frames.stop(), cameras))
            self._pool.shutdown()
            self._pool = None


class _Camera:
    """One of the cameras: its frames and their state.

    Attributes:
        frames: reads it.
        fresh: whether it has sent a frame since the last `SideBySideSource.grab`.
        missed_at: number of frames it had sent when its last picture failed to come in time; -1 if
            it came.
    """

    def __init__(self, source: FrameSource, condition: threading.Condition) -> None:
        """Read `source`; `condition` guards `fresh` and is notified of each frame."""
        self.frames = LatestFrames(source, on_frame=self._sent)
        self.fresh = False
        self.missed_at = -1
        self._condition = condition

    @property
    def is_sending(self) -> bool:
        """Whether it is connected and its last picture came in time."""
        state = self.frames.state
        return state.connected and state.captured != self.missed_at

    def picture(self) -> Image | None:
        """Return the next picture; None at once while the camera sends nothing."""
        if not self.is_sending:
            return None
        frame = self.frames.next(_FRAME_S)
        self.missed_at = self.frames.state.captured if frame is None else -1
        return None if frame is None else frame.image

    def _sent(self) -> None:
        with self._condition:
            self.fresh = True
            self._condition.notify_all()


def frames_of(text: str) -> FrameSource:
    """Return the source that a text names: one, or several with ``+`` between spaces.

    Args:
        text: see `hupai.vision.video.sources.source_of`; several cameras are written
            ``rtsp://EAST + rtsp://WEST``.

    Raises:
        UnknownSourceError: when a part names none, there are more than `MAX_CAMERAS`, or one of
            several is ``push``, as a pushed frame does not say which camera it is from.
    """
    names = addresses(text)
    if len(names) == 1:
        return source_of(text)
    sources = [source_of(name) for name in names]
    if len(names) > MAX_CAMERAS or any(isinstance(source, PushedSource) for source in sources):
        raise UnknownSourceError(
            f"a table has at most {MAX_CAMERAS} cameras side by side, and none of them is pushed",
            f"并列的摄像机最多 {MAX_CAMERAS} 台，且其中不能有 push",
        )
    return SideBySideSource(sources, [shown(name) for name in names])


def addresses(text: str) -> list[str]:
    """Return the sources that a text names, one or several, from left to right."""
    return [part.strip() for part in text.split(SEPARATOR)]


def without_passwords(text: str) -> str:
    """Return a source's text without the passwords that its URLs may hold."""
    return SEPARATOR.join(shown(part) for part in addresses(text))


def _fitted(picture: Image | None, size: tuple[int, int]) -> Image:
    """Return a picture scaled into a part of (width, height), centred on black."""
    width, height = size
    part = np.zeros((height, width, 3), np.uint8)
    if picture is None:
        return part
    scale = min(width / picture.shape[1], height / picture.shape[0])
    across, down = round(picture.shape[1] * scale), round(picture.shape[0] * scale)
    left, top = (width - across) // 2, (height - down) // 2
    scaled = picture if scale == 1.0 else cv2.resize(picture, (across, down))
    part[top : top + down, left : left + across] = scaled
    return part
