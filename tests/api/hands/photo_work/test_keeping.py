"""Photos of hands that are not stored do not stay."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import cast

import pytest

from hupai.api.app.factory import create_app
from hupai.api.hands import store as stored
from hupai.api.hands.photo_work.keeping import Keeping
from hupai.api.storage import Storage, StorageFullError
from hupai.api.web.settings import Settings
from tests.api.service import (
    MCR,
    RecordedReader,
    client_of,
    photo_file,
    picture,
    recorded_reading,
    wait_until,
)


class Kept:
    """A storage that only records the calls."""

    def __init__(self) -> None:
        self.log: list[object] = []

    def keep_photo(self, data: bytes) -> str:
        self.log.append(data)
        return ""

    def forget_photos(self, photos: list[bytes]) -> None:
        self.log.append(photos)


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(2) as pool:
        yield pool


def keeping_in(kept: Kept, threads: ThreadPoolExecutor) -> Keeping:
    return Keeping(cast("Storage", kept), threads, ((b"photo", "a.jpg"),), None)


def test_what_was_written_is_deleted(threads: ThreadPoolExecutor) -> None:
    kept = Kept()
    keeping = keeping_in(kept, threads)
    for stage in ("decode", "detect", "layout", "detect"):
        keeping.watch(stage, 0)
    keeping.undo()
    threads.shutdown(wait=True)
    assert kept.log == [b"photo", [b"photo"]]


def test_a_reading_that_was_given_up_writes_nothing_later(threads: ThreadPoolExecutor) -> None:
    kept = Kept()
    keeping = keeping_in(kept, threads)
    keeping.watch("decode", 0)
    keeping.undo()
    keeping.watch("detect", 0)
    threads.shutdown(wait=True)
    assert kept.log == []


def test_photos_of_a_hand_that_cannot_be_stored_are_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_arguments: object, **_options: object) -> None:
        raise StorageFullError("no space left")

    def files() -> list[Path]:
        return [path for path in (tmp_path / "photos").rglob("*") if path.is_file()]

    settings = Settings(preload=False, data_dir=str(tmp_path))
    with client_of(create_app(settings, RecordedReader(recorded_reading()))) as client:
        monkeypatch.setattr(stored, "insert", full)
        answer = client.post("/v1/hands", files=photo_file(picture()), data={"rules": MCR})
        assert answer.json()["type"] == "/problems/storage-full"
        wait_until(lambda: files() == [])
