"""Several cameras at one table: each keeps its part of the frame, whatever the others do."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from hupai.vision.types import Image
from hupai.vision.video.latest_frame import LatestFrames
from hupai.vision.video.several_cameras import (
    MAX_CAMERAS,
    SideBySideSource,
    frames_of,
    without_passwords,
)
from hupai.vision.video.sources import (
    CaptureSource,
    Frame,
    FrameSource,
    PushedSource,
    SourceUnavailableError,
    UnknownSourceError,
)


def plain(grey: int, width: int = 160, height: int = 90) -> Image:
    """A picture of one grey level."""
    return np.full((height, width, 3), grey, np.uint8)


class Sending:
    """Pushes a picture to a source 50 times a second until it is stopped."""

    def __init__(self, source: PushedSource, image: Image) -> None:
        self._source, self._image = source, image
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._end.wait(0.02):
            self._source.push(self._image)

    def stop(self) -> None:
        self._end.set()
        self._thread.join()


@pytest.fixture
def sending() -> Iterator[Callable[[PushedSource, Image], Sending]]:
    """Starts cameras, and stops them at the end."""
    cameras: list[Sending] = []

    def start(source: PushedSource, image: Image) -> Sending:
        cameras.append(Sending(source, image))
        return cameras[-1]

    yield start
    for camera in cameras:
        camera.stop()


def frame_with(frames: LatestFrames, wanted: Callable[[Image], bool]) -> Frame:
    """The first frame of which this holds."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        frame = frames.next(1.0)
        if frame is not None and wanted(frame.image):
            return frame
    raise AssertionError(f"no such frame: {frames.state}")


def halves(image: Image) -> tuple[int, int]:
    """The grey levels in the middle of both cameras' parts."""
    middle, width = image.shape[0] // 2, image.shape[1]
    return int(image[middle, width // 4, 0]), int(image[middle, width * 3 // 4, 0])


def test_each_camera_has_its_part_and_one_that_stops_is_black_until_it_is_back(
    sending: Callable[[PushedSource, Image], Sending],
) -> None:
    east, west = PushedSource(), PushedSource()
    both = SideBySideSource([east, west], ["east", "west"])
    sending(east, plain(100))
    second = sending(west, plain(200))
    with LatestFrames(both) as frames:
        frame = frame_with(frames, lambda image: halves(image) == (100, 200) and both.missing == "")
        assert frame.image.shape == (90, 320, 3)
        second.stop()
        frame_with(frames, lambda image: halves(image) == (100, 0))
        assert both.missing.startswith("west: ")
        begun = time.monotonic()
        for _ in range(5):
            assert frames.next(5.0) is not None
        assert time.monotonic() - begun < 5, "a silent camera holds up the other"
        sending(west, plain(220))
        frame_with(frames, lambda image: halves(image) == (100, 220) and both.missing == "")


def test_the_parts_keep_their_places_whatever_size_a_camera_sends(
    sending: Callable[[PushedSource, Image], Sending],
) -> None:
    """Regions are shares of the frame: they hold for a camera that comes late, and for 4:3."""
    east, west = PushedSource(), PushedSource()
    sending(east, plain(100, 320, 180))
    with LatestFrames(SideBySideSource([east, west])) as frames:
        alone = frame_with(frames, lambda image: halves(image) == (100, 0)).image
        assert alone.shape == (180, 640, 3)
        sending(west, plain(200, 640, 480))
        image = frame_with(frames, lambda image: halves(image) == (100, 200)).image
    assert image.shape[1] == 2 * image.shape[0] * 16 // 9
    part = image.shape[1] // 2
    assert (image[:, :part, 0] == 100).all()
    inside = (image[:, part:, 0] == 200).mean()
    assert inside == pytest.approx(4 / 3 * 9 / 16, abs=0.01)
    assert (image[:, part : part + 10] == 0).all(), "4:3 is centred in its part"


class Broken:
    """A source that cannot be opened."""

    is_endless = True

    def open(self) -> None:
        raise SourceUnavailableError("rtsp://camera.example/1")

    def grab(self) -> bool:
        return False

    def picture(self) -> Image | None:
        return None

    def close(self) -> None:
        pass


def test_a_camera_that_cannot_be_opened_is_named_and_the_other_goes_on(
    sending: Callable[[PushedSource, Image], Sending],
) -> None:
    west = PushedSource()
    broken: FrameSource = Broken()
    both = SideBySideSource([broken, west], ["rtsp://camera.example/1", "west"])
    sending(west, plain(200))
    with LatestFrames(both) as frames:
        frame_with(frames, lambda image: halves(image) == (0, 200))
        assert "cannot be opened" in both.missing
        assert frames.state.connected
        assert frames.state.reconnects == 0


def test_it_stops_at_once_while_no_camera_sends() -> None:
    frames = LatestFrames(SideBySideSource([PushedSource(60.0), PushedSource(60.0)]))
    frames.start()
    assert frames.next(0.3) is None
    begun = time.monotonic()
    frames.stop()
    assert time.monotonic() - begun < 8


def test_the_text_of_a_source_may_name_several() -> None:
    both = frames_of("camera:0 + rtsp://me:secret@camera.example/1")
    assert isinstance(both, SideBySideSource)
    assert both.is_endless
    assert isinstance(frames_of("camera:0"), CaptureSource)
    assert isinstance(frames_of("http://camera.example/?a+b"), CaptureSource)


def test_passwords_of_every_camera_are_masked() -> None:
    text = "rtsp://me:one@a.example/1 + rtsp://me:two@b.example/1"
    assert without_passwords(text) == "rtsp://…@a.example/1 + rtsp://…@b.example/1"


@pytest.mark.parametrize(
    "text",
    [
        "camera:0 + ",
        " + camera:0",
        "camera:0 + push",
        "push + push",
        "camera:0 + nowhere",
        " + ".join(["camera:0"] * (MAX_CAMERAS + 1)),
    ],
)
def test_sources_without_cameras_are_refused(text: str) -> None:
    with pytest.raises(UnknownSourceError) as refused:
        frames_of(text)
    assert re.search(r"[\u4e00-\u9fff]", refused.value.message_zh)


def test_pushed_frames_beside_a_camera_are_refused_with_the_reason() -> None:
    with pytest.raises(UnknownSourceError, match="none of them is pushed"):
        frames_of("camera:0 + push")
