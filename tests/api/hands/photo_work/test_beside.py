"""A photo that is read alone has all threads, one that is read beside others has one."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from hupai.api.hands.photo_work.hand_photos import HandPhotos
from hupai.api.hands.recognition import ReadingService
from hupai.api.web.metrics import Metrics
from hupai.api.web.settings import Settings
from hupai.models import registry
from hupai.vision.pipeline.recogniser import Recogniser
from tests.api.service import RecordedReader, picture, recorded_reading, wait_until


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The threads with which weights are opened, in order."""
    threads: list[int] = []
    load = registry.load

    def noted(name: str, count: int, providers: str) -> Any:
        threads.append(count)
        return load(name, count, providers)

    monkeypatch.setattr(registry, "load", noted)
    return threads


def settings(tmp_path: Path, **given: Any) -> Settings:
    return Settings(preload=False, data_dir=str(tmp_path), **given)


def one(data: bytes) -> HandPhotos:
    return HandPhotos([(data, "hand.jpg")], tile_set="none")


@pytest.mark.parametrize(
    ("given", "threads"),
    [
        ({"concurrency": 2}, [0, 1]),
        ({"concurrency": 1}, [0]),
        ({"concurrency": 2, "threads": 1}, [1]),
    ],
    ids=["several at once", "one at a time", "threads named"],
)
def test_weights_are_opened_a_second_time_where_photos_share_the_processors(
    tmp_path: Path, opened: list[int], given: dict[str, int], threads: list[int]
) -> None:
    service = ReadingService(settings(tmp_path, **given), Metrics())
    service.load()
    service.close()
    assert sorted(opened) == threads


def test_a_photo_beside_another_is_read_with_one_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = ReadingService(settings(tmp_path, concurrency=2), Metrics())
    alone = service.load()
    assert isinstance(alone, Recogniser)
    recorded, detectors, go_on = RecordedReader(recorded_reading()), [], threading.Event()

    def read(reader: Recogniser, data: bytes, *_: Any, **__: Any) -> Any:
        detectors.append(reader.detector)
        assert go_on.wait(60)
        return recorded.read_photo(data)

    monkeypatch.setattr(Recogniser, "read_photo", read)

    async def both() -> None:
        first = asyncio.create_task(service.read(one(picture())))
        while not detectors:
            await asyncio.sleep(0.01)
        second = asyncio.create_task(service.read(one(picture(640, 400))))
        await asyncio.to_thread(wait_until, lambda: len(detectors) == 2)
        go_on.set()
        await asyncio.gather(first, second)

    asyncio.run(both())
    service.close()
    assert detectors[0] is alone.detector
    assert detectors[1] is not alone.detector
