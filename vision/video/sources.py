"""Sources of video frames: a camera, a stream's URL, a video file, or frames that are pushed."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep
from typing import Protocol, runtime_checkable
from urllib.parse import urlsplit

import cv2
import numpy as np

from hupai.scoring.errors import HupaiError
from hupai.vision.types import Image

_STREAMS = ("rtsp", "rtsps", "rtmp", "rtmps", "http", "https", "udp", "tcp")
"""Schemes of the URLs that are read as streams. The FFmpeg of OpenCV's packages has no SRT."""

_KINDS = "camera:0, rtsp://…, rtmp://…, http(s)://…, udp://…, tcp://…, file:PATH, loop:PATH"
"""The sources, as a message names them."""

_LONGEST_SHOWN = 80
"""Maximum number of characters of an unknown source that a message quotes."""

_RELAYED = "udp://127.0.0.1:9710"
_FROM_SRT = f"ffmpeg -i 'srt://…' -c copy -f mpegts {_RELAYED}"
"""Command that relays a stream over SRT as one over UDP."""

_OPEN_MS = 15000
"""Longest wait for a stream to open, milliseconds."""

_READ_MS = 5000
"""Longest wait for a frame of a stream, milliseconds."""

_FFMPEG = "rtsp_transport;tcp|fflags;nobuffer|flags;low_delay|analyzeduration;1000000"
"""Options of FFmpeg for streams.

No buffering, as old frames are useless; RTSP over TCP, so that no picture is torn; one second
to analyse a stream, for which RTMP would take five.
"""

_OPTIONS = "OPENCV_FFMPEG_CAPTURE_OPTIONS"
"""Environment variable from which OpenCV takes these options."""

_CAMERA_NUMBER = re.compile("[0-9]{1,3}")
"""The number of a camera; OpenCV fails on very large ones."""

_FILE_FPS = 25.0
"""Frames a second assumed for a file that does not state its rate."""

_CAMERA = (
    (cv2.CAP_PROP_FOURCC, float(cv2.VideoWriter.fourcc(*"MJPG"))),
    (cv2.CAP_PROP_FRAME_WIDTH, 1920.0),
    (cv2.CAP_PROP_FRAME_HEIGHT, 1080.0),
    (cv2.CAP_PROP_BUFFERSIZE, 1.0),
)
"""Settings requested from a camera: 1920 x 1080 without buffering."""


class SourceError(HupaiError):
    """A source of frames cannot be used; the message says which and what to do."""


class UnknownSourceError(SourceError):
    """The text names no source; `message_zh` says so in Chinese."""

    def __init__(self, message: str, message_zh: str) -> None:
        self.message_zh = message_zh
        super().__init__(message)


class SourceUnavailableError(SourceError):
    """The source does not answer now; it may later."""

    def __init__(self, text: str) -> None:
        kind = text.partition(":")[0].lower()
        if kind == "camera":
            hint = "is it connected, and does no other program hold it?"
        elif kind in _STREAMS:
            hint = "is it sending, and is the address right?"
        else:
            hint = "is there a video file of this name on this machine?"
        super().__init__(f"{shown(text)} cannot be opened: {hint}")


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One picture of a video.

    Attributes:
        image: RGB, shape (height, width, 3).
        at: when it came in, seconds of `time.monotonic`.
        index: its number in the source, counting skipped frames.
    """

    image: Image
    at: float
    index: int = 0


class FrameSource(Protocol):
    """A source of frames, one after another; used by one thread."""

    def open(self) -> None:
        """Begin, or begin again.

        Raises:
            SourceError: when there is nothing to read from.
        """
        ...

    def grab(self) -> bool:
        """Advance to the next frame, waiting for it if the source is live; False at the end.

        Raises:
            SourceError: when the source has to be opened again and cannot be.
        """
        ...

    def picture(self) -> Image | None:
        """Return the frame last grabbed, RGB; None if it cannot be decoded."""
        ...

    def close(self) -> None:
        """Release the source; `open` may follow."""
        ...

    @property
    def is_endless(self) -> bool:
        """Whether its end is a fault that reconnecting may repair."""
        ...


@runtime_checkable
class WakeableSource(FrameSource, Protocol):
    """A source whose `grab` may wait for long and can be woken by another thread."""

    def wake(self) -> None:
        """Let a waiting `grab` return False."""
        ...


class CaptureSource:
    """A camera or a stream, read by OpenCV (FFmpeg for URLs)."""

    def __init__(self, target: int | str) -> None:
        """Read camera number `target`, or the stream at that URL."""
        self._target = target
        self._capture: cv2.VideoCapture | None = None

    @property
    def is_endless(self) -> bool:
        """True: cameras and streams do not end by themselves."""
        return True

    def open(self) -> None:
        """See `FrameSource.open`."""
        self.close()
        if isinstance(self._target, int):
            capture = cv2.VideoCapture(self._target)
            for key, value in _CAMERA:
                capture.set(key, value)
        else:
            capture = _OPENING.stream(self._target)
        if not capture.isOpened():
            capture.release()
            raise SourceUnavailableError(
                f"camera:{self._target}" if isinstance(self._target, int) else self._target
            )
        self._capture = capture

    def grab(self) -> bool:
        """See `FrameSource.grab`."""
        return self._capture is not None and self._capture.grab()

    def picture(self) -> Image | None:
        """See `FrameSource.picture`."""
        return None if self._capture is None else _retrieved(self._capture)

    def close(self) -> None:
        """See `FrameSource.close`."""
        if self._capture is not None:
            self._capture.release()
            self._capture = None


class FileSource:
    """A video file, played at its own speed: late frames are skipped."""

    def __init__(
        self, path: Path, *, loop: bool = False, clock: Callable[[], float] = monotonic
    ) -> None:
        """Play the file at `path`; with `loop`, over and over."""
        self._path, self._loop, self._clock = path, loop, clock
        self._capture: cv2.VideoCapture | None = None
        self._fps, self._begun, self._count = _FILE_FPS, 0.0, 0

    @property
    def is_endless(self) -> bool:
        """False: a file has an end."""
        return False

    @property
    def begun(self) -> float:
        """When the video's first frame was due, seconds of the clock; 0 before it is opened."""
        return self._begun

    def open(self) -> None:
        """See `FrameSource.open`."""
        self.close()
        capture = _OPENING.file(self._path) if self._path.is_file() else None
        if capture is None or not capture.isOpened():
            raise SourceUnavailableError(str(self._path))
        fps = capture.get(cv2.CAP_PROP_FPS)
        self._fps = fps if 1.0 <= fps <= 240.0 else _FILE_FPS
        self._capture, self._begun, self._count = capture, self._clock(), 0

    def grab(self) -> bool:
        """See `FrameSource.grab`."""
        # Only frames that are late by now are skipped: if decoding is slower than the video,
        # skipping until none is late would go on to the end of the file.
        oldest = self._clock() - 1.0 / self._fps
        while self._capture is not None:
            if not self._capture.grab():
                if not self._loop or self._count == 0:
                    return False
                self.open()
                continue
            due = self._begun + self._count / self._fps
            self._count += 1
            if due >= oldest:
                sleep(max(0.0, due - self._clock()))
                return True
        return False

    def picture(self) -> Image | None:
        """See `FrameSource.picture`."""
        return None if self._capture is None else _retrieved(self._capture)

    def close(self) -> None:
        """See `FrameSource.close`."""
        if self._capture is not None:
            self._capture.release()
            self._capture = None


class PushedSource:
    """Frames that another part of the program pushes; only the newest is kept."""

    def __init__(self, patience: float = 5.0) -> None:
        """Wait at most `patience` seconds for a frame before saying that none comes."""
        self._patience = patience
        self._condition = threading.Condition()
        self._newest: Image | None = None
        self._taken: Image | None = None
        self._closed = False

    @property
    def is_endless(self) -> bool:
        """True: more frames may be pushed at any time."""
        return True

    def push(self, image: Image) -> None:
        """Push a frame, RGB, shape (height, width, 3); never waits."""
        with self._condition:
            self._newest = image
            self._condition.notify_all()

    def open(self) -> None:
        """See `FrameSource.open`."""
        with self._condition:
            self._closed = False

    def grab(self) -> bool:
        """See `FrameSource.grab`."""
        with self._condition:
            self._condition.wait_for(
                lambda: self._newest is not None or self._closed, self._patience
            )
            self._taken, self._newest = self._newest, None
            return self._taken is not None

    def picture(self) -> Image | None:
        """See `FrameSource.picture`."""
        return self._taken

    def close(self) -> None:
        """See `FrameSource.close`."""
        self.wake()

    def wake(self) -> None:
        """See `WakeableSource.wake`."""
        with self._condition:
            self._closed = True
            self._condition.notify_all()


def source_of(text: str) -> FrameSource:
    """Return the source that a text names.

    Args:
        text: ``camera:0``, a stream's URL, ``file:PATH`` (``loop:PATH`` plays it over and over), or
            ``push``.

    Raises:
        UnknownSourceError: when it names none. Whether the source answers is seen when it is
            opened.
    """
    kind, _, rest = text.strip().partition(":")
    kind = kind.lower() if text.isprintable() else ""
    if kind == "push" and not rest:
        return PushedSource()
    if kind == "camera" and _CAMERA_NUMBER.fullmatch(rest):
        return CaptureSource(int(rest))
    if kind in _STREAMS and rest.startswith("//") and _host(text.strip()):
        return CaptureSource(text.strip())
    if kind in ("file", "loop") and rest:
        return FileSource(Path(rest), loop=kind == "loop")
    if kind == "srt":
        raise UnknownSourceError(
            f"SRT is not read directly: run {_FROM_SRT} and use the source {_RELAYED}",
            f"不能直接读取 SRT：请运行 {_FROM_SRT}，来源填 {_RELAYED}",
        )
    name = repr(shown(text)[:_LONGEST_SHOWN])
    raise UnknownSourceError(
        f"{name} is not a source of frames: use {_KINDS} or push",
        f"{name} 不是画面来源：可用 {_KINDS} 或 push",
    )


def shown(text: str) -> str:
    """Return a source's text without the password that its URL may hold."""
    if "://" not in text or "@" not in text:
        return text
    try:
        parts = urlsplit(text)
        netloc, _port = parts.netloc, parts.port
    except ValueError:
        # Brackets around something that is not an address, or a port that is not a number: the
        # first part of a password with a slash, question mark or hash sign that is not
        # percent-encoded.
        return f"{text.partition('://')[0]}://…@{text.rpartition('@')[2]}"
    if "@" not in netloc:
        return text
    return parts._replace(netloc="…@" + netloc.rpartition("@")[2]).geturl()


def _host(url: str) -> str:
    """Return host and port of a URL, with user and password; empty if there are none."""
    try:
        return urlsplit(url).netloc
    except ValueError:  # brackets around something that is not an address
        return ""


class _Opening:
    """Opens streams with the options of `_FFMPEG`, with which files would lose their first frames.

    OpenCV takes the options from the environment. Streams may be opened concurrently; files wait
    for them.
    """

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._streams = 0
        self._given = _OPTIONS in os.environ  # keep options that the user has set

    def stream(self, url: str) -> cv2.VideoCapture:
        limits = [
            cv2.CAP_PROP_OPEN_TIMEOUT_MSEC,
            _OPEN_MS,
            cv2.CAP_PROP_READ_TIMEOUT_MSEC,
            _READ_MS,
        ]
        with self._condition:
            self._streams += 1
            if not self._given:
                os.environ[_OPTIONS] = _FFMPEG
        try:
            return cv2.VideoCapture(url, cv2.CAP_FFMPEG, limits)
        finally:
            with self._condition:
                self._streams -= 1
                if self._streams == 0 and not self._given:
                    os.environ.pop(_OPTIONS, None)
                self._condition.notify_all()

    def file(self, path: Path) -> cv2.VideoCapture:
        with self._condition:
            self._condition.wait_for(lambda: self._streams == 0)
            return cv2.VideoCapture(str(path), cv2.CAP_FFMPEG)


_OPENING = _Opening()


def _retrieved(capture: cv2.VideoCapture) -> Image | None:
    done, picture = capture.retrieve()
    if not done or picture.ndim != 3:
        return None
    return np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2RGB), np.uint8)
