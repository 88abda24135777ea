"""Sources of frames: files in their own time, streams that break off, pushed frames; and the thread
that keeps the newest.
"""

from __future__ import annotations

import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import cv2
import numpy as np
import pytest

from hupai.vision.types import Image
from hupai.vision.video import sources
from hupai.vision.video.latest_frame import LatestFrames
from hupai.vision.video.sources import (
    FileSource,
    PushedSource,
    SourceUnavailableError,
    source_of,
)
from tests.vision.video.rtsp_server import RtspServer

FPS = 25


def picture(number: int) -> Image:
    """A frame that says its number by how many of 8 columns are white, binary."""
    image = np.zeros((120, 160, 3), np.uint8)
    for bit in range(8):
        if number >> bit & 1:
            image[:, bit * 20 : bit * 20 + 20] = 255
    return image


def number_of(image: Image) -> int:
    """The number of a `picture`."""
    return sum(1 << bit for bit in range(8) if image[60, bit * 20 + 10].mean() > 128)


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two seconds of numbered frames."""
    path = tmp_path_factory.mktemp("clips") / "numbers.mp4"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), FPS, (160, 120))
    for number in range(2 * FPS):
        writer.write(picture(number))
    writer.release()
    return path


class Clock:
    """A clock that a test moves, and that moves by itself where a source waits for a frame's
    time.
    """

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """What sources sleep by."""
    clock = Clock()
    monkeypatch.setattr(sources, "sleep", clock.sleep)
    return clock


def next_number(source: FileSource) -> int | None:
    """The number of the next frame."""
    if not source.grab():
        return None
    image = source.picture()
    assert image is not None
    return number_of(image)


def test_a_file_plays_in_real_time(clip: Path, clock: Clock) -> None:
    source = FileSource(clip, clock=clock)
    source.open()
    numbers, moments = [], []
    while (number := next_number(source)) is not None:
        numbers.append(number)
        moments.append(clock.now - 1000.0)
    assert numbers == list(range(2 * FPS))
    assert moments == pytest.approx([number / FPS for number in numbers])
    source.close()


def test_after_a_stall_the_current_frame_follows(clip: Path, clock: Clock) -> None:
    source = FileSource(clip, clock=clock)
    source.open()
    numbers = []
    while (number := next_number(source)) is not None:
        numbers.append(number)
        assert 0 <= clock.now - 1000.0 - number / FPS <= 1.01 / FPS
        clock.now += 0.3
    assert len(numbers) == 7  # every 0.3 s of two seconds
    source.close()


def test_a_slow_reader_skips_frames_and_does_not_lag(clip: Path) -> None:
    with LatestFrames(FileSource(clip)) as frames:
        numbers, asked = [], time.monotonic()
        while (frame := frames.next(20.0)) is not None:
            assert frame.at >= asked, "a frame from before it was asked for"
            numbers.append(number_of(frame.image))
            time.sleep(0.3)
            asked = time.monotonic()
        state = frames.state
    assert state.ended
    assert numbers == sorted(set(numbers))
    assert len(numbers) < FPS
    assert state.delivered == len(numbers)
    assert state.skipped == state.captured - len(numbers) > 0


def test_after_a_long_stall_all_missed_frames_are_skipped(
    clock: Clock, monkeypatch: pytest.MonkeyPatch, clip: Path
) -> None:
    source = FileSource(clip, clock=clock)
    source.open()
    grabbed = 0

    class Endless:
        """Grabs at once, for ever."""

        def grab(self) -> bool:
            nonlocal grabbed
            grabbed += 1
            return True

    monkeypatch.setattr(source, "_capture", Endless())
    clock.now += 400
    assert source.grab()
    assert grabbed == pytest.approx(400 * FPS, abs=2)


def test_of_a_file_that_decodes_too_slowly_some_frames_are_shown(
    clock: Clock, monkeypatch: pytest.MonkeyPatch, clip: Path
) -> None:
    source = FileSource(clip, clock=clock)
    source.open()
    capture = cv2.VideoCapture(str(clip))

    class Slow:
        """Takes twice as long as a frame lasts."""

        retrieve = capture.retrieve

        def grab(self) -> bool:
            clock.now += 2 / FPS
            return capture.grab()

    monkeypatch.setattr(source, "_capture", Slow())
    numbers = []
    while (number := next_number(source)) is not None:
        numbers.append(number)
    assert len(numbers) >= 3
    assert numbers == sorted(set(numbers))
    capture.release()


def test_the_rate_is_known_from_the_first_second_on(clip: Path, clock: Clock) -> None:
    rates: list[float] = []

    def note() -> None:
        rates.append(frames.state.fps)

    frames = LatestFrames(FileSource(clip, clock=clock), clock, note)
    with frames:
        deadline = time.monotonic() + 60
        while not frames.state.ended:
            assert time.monotonic() < deadline
            time.sleep(0.01)
    assert rates[FPS:] == pytest.approx([FPS] * FPS, rel=0.05)


def test_a_loop_restarts(clip: Path, clock: Clock) -> None:
    source = FileSource(clip, loop=True, clock=clock)
    source.open()
    numbers = [next_number(source) for _ in range(2 * FPS + 5)]
    assert numbers == [*range(2 * FPS), *range(5)]
    source.close()


def test_of_pushed_frames_the_newest_counts() -> None:
    source = PushedSource(patience=0.05)
    source.open()
    assert not source.grab()
    for number in (1, 2, 3):
        source.push(picture(number))
    assert source.grab()
    image = source.picture()
    assert image is not None
    assert number_of(image) == 3
    assert not source.grab(), "a frame is given once"


class _Faulty(PushedSource):
    """Raises an error that no source documents, twice where it is told to."""

    def __init__(self, at: str) -> None:
        super().__init__(patience=60)
        self.at, self.left = at, 2

    def _fail(self, at: str) -> None:
        if at == self.at and self.left:
            self.left -= 1
            raise ValueError("cannot decode")

    def open(self) -> None:
        self._fail("open")
        super().open()

    def grab(self) -> bool:
        self._fail("grab")
        if self.at == "close" and self.left:
            return False
        return super().grab()

    def close(self) -> None:
        super().close()
        self._fail("close")


@pytest.mark.parametrize("at", ["open", "grab", "close"])
def test_an_unforeseen_error_is_logged_shown_and_followed_by_another_attempt(
    at: str, caplog: pytest.LogCaptureFixture
) -> None:
    source = _Faulty(at)
    errors = set()
    with LatestFrames(source) as frames:
        deadline = time.monotonic() + 60
        frame = None
        while frame is None:
            assert time.monotonic() < deadline
            errors.add(frames.state.error)
            source.push(picture(5))
            frame = frames.next(0.05)
        assert frames.state.error == ""
        assert frames.state.reconnects == 2
    assert number_of(frame.image) == 5
    if at != "close":
        assert "reading failed (ValueError: cannot decode); trying again" in errors
    logged = [one for one in caplog.records if one.name == "hupai.video"]
    assert len(logged) == 1, "once, while it repeats"
    assert logged[0].exc_info


def test_a_reader_that_waits_for_a_push_can_be_stopped() -> None:
    frames = LatestFrames(PushedSource(patience=60))
    frames.start()
    time.sleep(0.1)
    begun = time.monotonic()
    frames.stop()
    assert time.monotonic() - begun < 30
    assert frames.next(0.1) is None


class _Stream(ThreadingHTTPServer):
    """MJPEG over HTTP as cheap cameras give it; breaks off after `most` frames a connection."""

    daemon_threads = True
    most = 40
    connections = 0


class _Camera(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        server = self.server
        assert isinstance(server, _Stream)
        server.connections += 1
        self.send_response(200)
        self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
        self.end_headers()
        for number in range(server.most):
            data = cv2.imencode(".jpg", picture(number))[1].tobytes()
            try:
                self.wfile.write(
                    b"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n%s\r\n"
                    % (len(data), data)
                )
            except OSError:
                return
            time.sleep(1 / FPS)

    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture
def camera() -> Iterator[_Stream]:
    """A stream on this machine."""
    server = _Stream(("127.0.0.1", 0), _Camera)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def test_an_interrupted_stream_is_reopened(camera: _Stream) -> None:
    with LatestFrames(source_of(f"http://127.0.0.1:{camera.server_port}/video")) as frames:
        deadline = time.monotonic() + 100
        seen = 0
        while frames.state.reconnects < 2 or seen <= 10:
            assert time.monotonic() < deadline, frames.state
            seen += frames.next(1.0) is not None
        while not frames.state.connected:
            assert time.monotonic() < deadline, frames.state
            frames.next(1.0)
    assert camera.connections >= 3


@pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="no ffmpeg on the PATH to serve RTMP")
def test_an_rtmp_stream_is_read(clip: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"rtmp://127.0.0.1:{free.getsockname()[1]}/live/table"
    command = [
        "ffmpeg",
        "-loglevel",
        "quiet",
        "-re",
        "-stream_loop",
        "20",
        "-i",
        str(clip),
        "-c:v",
        "flv1",
        "-f",
        "flv",
        "-listen",
        "1",
    ]
    with subprocess.Popen([*command, address], stdin=subprocess.DEVNULL) as server:
        try:
            with LatestFrames(source_of(address)) as frames:
                deadline = time.monotonic() + 60
                while (frame := frames.next(1.0)) is None:
                    assert time.monotonic() < deadline, frames.state
                assert frame.image.shape == (120, 160, 3)
        finally:
            server.kill()


@pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="no ffmpeg on the PATH")
def test_an_rtsp_stream_is_read_over_tcp(clip: Path) -> None:
    with RtspServer(clip) as server, LatestFrames(source_of(server.address)) as frames:
        deadline = time.monotonic() + 60
        while (frame := frames.next(1.0)) is None:
            assert time.monotonic() < deadline, frames.state
        assert frame.image.shape == (120, 160, 3)
        assert {"DESCRIBE", "SETUP", "PLAY"} <= set(server.asked)


def ffmpeg_has_srt() -> bool:
    """Whether the ffmpeg of this machine sends and takes SRT."""
    if shutil.which("ffmpeg") is None:
        return False
    result = subprocess.run(["ffmpeg", "-protocols"], capture_output=True, text=True, check=False)
    return " srt\n" in result.stdout


@pytest.mark.skipif(not ffmpeg_has_srt(), reason="no ffmpeg with SRT on the PATH")
def test_srt_is_read_over_the_bridge_of_the_guide(clip: Path) -> None:
    """An encoder that listens for SRT, the bridge of the broadcast guide, and what arrives."""
    ports = []
    for kind in (socket.SOCK_DGRAM, socket.SOCK_DGRAM):
        with socket.socket(type=kind) as free:
            free.bind(("127.0.0.1", 0))
            ports.append(free.getsockname()[1])
    quiet = ["ffmpeg", "-loglevel", "quiet"]
    encoder = [*quiet, "-re", "-stream_loop", "-1", "-i", str(clip), "-c:v", "mpeg2video"]
    encoder += ["-g", "10", "-f", "mpegts", f"srt://127.0.0.1:{ports[0]}?mode=listener"]
    bridge = [*quiet, "-i", f"srt://127.0.0.1:{ports[0]}", "-c", "copy", "-f", "mpegts"]
    bridge += [f"udp://127.0.0.1:{ports[1]}"]
    with (
        subprocess.Popen(encoder, stdin=subprocess.DEVNULL) as sending,
        subprocess.Popen(bridge, stdin=subprocess.DEVNULL) as between,
    ):
        try:
            with LatestFrames(source_of(f"udp://127.0.0.1:{ports[1]}")) as frames:
                deadline = time.monotonic() + 60
                while (frame := frames.next(1.0)) is None:
                    assert time.monotonic() < deadline, frames.state
                    assert between.poll() is None, "the bridge ended"
                assert frame.image.shape == (120, 160, 3)
        finally:
            between.kill()
            sending.kill()


@pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="no ffmpeg on the PATH")
def test_two_cameras_side_by_side_are_one_picture(clip: Path, tmp_path: Path) -> None:
    """The command of the broadcast guide for several cameras at a table."""
    other = tmp_path / "west.mp4"
    writer = cv2.VideoWriter(str(other), cv2.VideoWriter.fourcc(*"mp4v"), FPS, (320, 240))
    for _ in range(2 * FPS):
        writer.write(np.full((240, 320, 3), (0, 0, 255), np.uint8))
    writer.release()
    with socket.socket(type=socket.SOCK_DGRAM) as free:
        free.bind(("127.0.0.1", 0))
        address = f"udp://127.0.0.1:{free.getsockname()[1]}"
    command = ["ffmpeg", "-loglevel", "quiet"]
    for camera in (clip, other):
        command += ["-re", "-stream_loop", "-1", "-i", str(camera)]
    command += ["-filter_complex", "[0]scale=-2:240[a];[1]scale=-2:240[b];[a][b]hstack"]
    command += ["-g", "10", "-f", "mpegts", address]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL) as sending:
        try:
            with LatestFrames(source_of(address)) as frames:
                deadline = time.monotonic() + 60
                while (frame := frames.next(1.0)) is None:
                    assert time.monotonic() < deadline, frames.state
                    assert sending.poll() is None, "ffmpeg ended"
        finally:
            sending.kill()
    assert frame.image.shape == (240, 640, 3)
    east, west = frame.image[:, :320].astype(int), frame.image[:, 320:].astype(int)
    assert np.ptp(east, axis=2).max() < 60, "black and white columns"
    assert west[..., 0].mean() > 200 > 100 > west[..., 1:].mean(), "the red picture"


def test_a_missing_source_is_retried(tmp_path: Path, clip: Path) -> None:
    path = tmp_path / "later.mp4"
    with pytest.raises(SourceUnavailableError, match="cannot be opened"):
        FileSource(path).open()
    with LatestFrames(FileSource(path, loop=True)) as frames:
        assert frames.next(0.6) is None
        deadline = time.monotonic() + 60
        while "later.mp4" not in frames.state.error:
            assert time.monotonic() < deadline, frames.state
        path.write_bytes(clip.read_bytes())
        assert frames.next(40) is not None
        assert frames.state.error == ""


def test_a_file_that_is_gone_when_its_loop_restarts_is_retried(tmp_path: Path, clip: Path) -> None:
    path = tmp_path / "table.mp4"
    path.write_bytes(clip.read_bytes())
    with LatestFrames(FileSource(path, loop=True)) as frames:
        assert frames.next(40) is not None
        path.unlink()
        deadline = time.monotonic() + 60
        while "table.mp4" not in frames.state.error:
            assert time.monotonic() < deadline, frames.state
            time.sleep(0.01)
        assert not frames.state.connected
        path.write_bytes(clip.read_bytes())
        assert frames.next(40) is not None


def test_a_file_keeps_its_first_frames_after_a_stream_was_opened(
    camera: _Stream, clip: Path
) -> None:
    stream = source_of(f"http://127.0.0.1:{camera.server_port}/video")
    stream.open()
    source = FileSource(clip, clock=lambda: 0.0)  # never late, so that no frame is passed over
    source.open()
    assert next_number(source) == 0
    stream.close()
    source.close()


def test_opencv_reads_urls_with_ffmpeg() -> None:
    line = next(line for line in cv2.getBuildInformation().splitlines() if "FFMPEG:" in line)
    assert "YES" in line
