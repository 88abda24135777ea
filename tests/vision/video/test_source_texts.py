"""The text that names a video source, and what messages show of it."""

from __future__ import annotations

import pytest

from hupai.vision.video.sources import (
    CaptureSource,
    FileSource,
    PushedSource,
    SourceUnavailableError,
    UnknownSourceError,
    shown,
    source_of,
)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("loop:table.mp4", FileSource),
        ("camera:0", CaptureSource),
        ("rtsp://camera.example/1", CaptureSource),
        ("rtmp://server.example/live/x", CaptureSource),
        ("udp://127.0.0.1:9710", CaptureSource),
        ("file:table.mp4", FileSource),
        ("push", PushedSource),
    ],
)
def test_the_text_says_which_source(text: str, kind: type) -> None:
    assert isinstance(source_of(text), kind)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "camera:",
        "camera:x",
        "camera:٣",
        "camera:" + "9" * 300,
        "ftp://x/y",
        "rtsp:",
        "rtsp://",
        "rtsp://\x01",
        "http://[::1",
        "file:",
        "push:1",
        "/dev/video0",
    ],
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(UnknownSourceError, match="camera:0"):
        source_of(text)


def test_srt_is_refused_with_what_to_do_instead() -> None:
    with pytest.raises(UnknownSourceError, match=r"ffmpeg .* udp://127\.0\.0\.1:9710"):
        source_of("srt://encoder.example:9000")


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("camera:7", "does no other program hold it"),
        ("rtsp://me:secret@camera.example/1", "is it sending"),
        ("/nope.mp4", "is there a video file"),
    ],
)
def test_an_unresponsive_source_is_reported_with_advice(text: str, hint: str) -> None:
    message = str(SourceUnavailableError(text))
    assert hint in message
    assert "secret" not in message


def test_passwords_are_not_shown() -> None:
    assert shown("rtsp://me:secret@host:554/1?x=1") == "rtsp://…@host:554/1?x=1"
    assert shown("camera:0") == "camera:0"
    assert shown("http://host:8080/@me") == "http://host:8080/@me"
    for password in ("sec/ret", "sec#ret", "sec?ret", "sec@ret"):
        assert shown(f"rtsp://me:{password}@host/1") == "rtsp://…@host/1"
    with pytest.raises(UnknownSourceError) as error:
        source_of("ftp://me:secret@host/")
    assert "secret" not in str(error.value)
    with pytest.raises(UnknownSourceError) as error:
        source_of("http://me:secret@[::1")
    assert "secret" not in str(error.value)
