"""The comparison with the public package: readers take turns, and every picture is timed."""

from __future__ import annotations

import sys
import time
from contextlib import nullcontext
from pathlib import Path

import pytest

from benchmarks import public_detector
from hupai.vision.types import PhotoInfo, PhotoReading, Reading, Timing


class Clocked:
    """A reader that takes as many milliseconds as its photo has bytes."""

    def __init__(self, name: str, turns: list[tuple[str, str]]) -> None:
        self._name, self._turns = name, turns

    def read_photo(self, data: bytes, name: str = "") -> PhotoReading:
        self._turns.append((self._name, Path(name).name))
        photo = PhotoInfo(name, "", 4, 3)
        return PhotoReading(photo, public_detector.PUBLIC, Reading(()), Timing(total=len(data)))


def test_readers_take_turns_with_a_pause(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    turns: list[tuple[str, str]] = []
    pauses: list[float] = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    (tmp_path / "a.jpg").write_bytes(bytes(30))
    (tmp_path / "b.jpg").write_bytes(bytes(90))
    readers = {name: Clocked(name, turns) for name in ("ours", "theirs")}
    times = public_detector.times_of(readers, sorted(tmp_path.iterdir()))
    assert times == {"ours": [30, 90], "theirs": [30, 90]}
    assert turns == [(name, file) for file in ("a.jpg", "b.jpg") for name in ("ours", "theirs")]
    assert pauses == [public_detector.PAUSE] * 4
    rows = public_detector.times_table(times)
    assert list(rows.columns[1].cells) == ["60", "60"]
    assert list(rows.columns[2].cells) == ["90", "90"]


def test_photos_without_labels_are_timed_and_other_files_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "images").mkdir()
    for name in ("a.jpg", "b.PNG", "notes.txt"):
        (tmp_path / "images" / name).write_bytes(bytes(30))
    turns: list[tuple[str, str]] = []
    reader = nullcontext(Clocked("public", turns))
    monkeypatch.setattr(time, "sleep", lambda _: None)
    monkeypatch.setattr(public_detector, "public_reader", lambda _: reader)
    options = [str(tmp_path), "--python", "python", "--only-public", "--times"]
    monkeypatch.setattr(sys, "argv", ["public_detector", *options])
    public_detector.main()
    assert turns == [("public", "a.jpg"), ("public", "b.PNG")]
    assert "2 pictures" in capsys.readouterr().out
