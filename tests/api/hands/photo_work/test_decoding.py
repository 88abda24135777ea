"""Photos are decoded one at a time and written while they are read."""

from __future__ import annotations

import io
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from PIL import Image

from hupai.api.app.factory import create_app
from hupai.api.hands.photo_work.decoding import Decoding
from hupai.api.storage import Storage, StorageFullError
from hupai.api.web.problems import ApiProblem
from hupai.api.web.settings import Settings
from hupai.vision.photo.decode import Limits
from tests.api.service import (
    MCR,
    RecordedReader,
    client_of,
    photo_file,
    picture,
    recorded_reading,
    wait_until,
)


def test_one_photo_is_decoded_at_a_time_while_others_are_read() -> None:
    decoding, events = Decoding(Limits()), []
    decoded, go_on = threading.Event(), threading.Event()

    def read(name: str) -> None:
        with decoding.one_at_a_time(lambda stage: events.append((name, stage))) as stage:
            stage("decode")
            events.append((name, "decodes"))
            if name == "first":
                decoded.set()
                assert go_on.wait(60)
            stage("detect")

    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(read, "first")
        assert decoded.wait(60)
        second = threads.submit(read, "second")
        wait_until(lambda: ("second", "decode") in events)
        assert ("second", "decodes") not in events
        go_on.set()
        first.result(60)
        second.result(60)
    assert ("second", "decodes") in events


def test_two_photos_may_be_decoded_at_once_but_not_three() -> None:
    decoding = Decoding(Limits(), at_once=2)
    begun: list[int] = []
    go_on = threading.Event()

    def read(number: int) -> None:
        with decoding.one_at_a_time(lambda _: None) as stage:
            stage("decode")
            begun.append(number)
            assert go_on.wait(60)

    with ThreadPoolExecutor(3) as threads:
        jobs = [threads.submit(read, number) for number in range(3)]
        wait_until(lambda: len(begun) == 2)
        assert not decoding._turn.acquire(timeout=0.1)
        assert len(begun) == 2
        go_on.set()
        for job in jobs:
            job.result(60)
    assert len(begun) == 3


def test_a_photo_that_cannot_be_decoded_does_not_block_the_next() -> None:
    decoding = Decoding(Limits())

    def fail() -> None:
        with decoding.one_at_a_time(lambda _: None) as stage:
            stage("decode")
            raise RuntimeError("damaged")

    with pytest.raises(RuntimeError):
        fail()
    with pytest.raises(ApiProblem):
        decoding.decoded(b"no photo", "a.jpg")
    assert decoding.decoded(picture(640, 360), "a.jpg").shape == (360, 640, 3)


def test_a_picture_of_a_large_photo_is_made_of_a_reduced_one() -> None:
    file = io.BytesIO()
    Image.new("RGB", (4000, 2000), (20, 92, 60)).save(file, "JPEG")
    assert Decoding(Limits()).decoded(file.getvalue(), "a.jpg", 400).shape == (500, 1000, 3)


@pytest.mark.parametrize(("width", "height"), [(2000, 60), (60, 2000)])
def test_a_very_long_photo_is_refused_by_its_shape(
    settings: Settings, width: int, height: int
) -> None:
    with client_of(create_app(settings, RecordedReader(recorded_reading()))) as client:
        photo = photo_file(picture(width, height))
        answer = client.post("/v1/recognitions", files=photo)
        assert answer.json()["type"] == "/problems/bad-picture-size"
        assert client.post("/v1/recognitions", files=photo_file(picture(1800, 60))).is_success


def files_of(folder: Path) -> list[Path]:
    return [path for path in (folder / "photos").rglob("*") if path.is_file()]


class Breaks(RecordedReader):
    """Fails once the photo is decoded and found to be written."""

    folder: Path

    def read_photo(self, data: bytes, name: str = "", rules=None, *, point=None, on_stage=None):  # type: ignore[no-untyped-def]
        assert on_stage is not None
        on_stage("decode")
        on_stage("detect")
        wait_until(lambda: bool(files_of(self.folder)))
        raise RuntimeError("the network broke")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(preload=False, data_dir=str(tmp_path))


def test_a_photo_is_written_while_it_is_read_and_deleted_where_reading_fails(
    settings: Settings, tmp_path: Path
) -> None:
    reader = Breaks(recorded_reading())
    reader.folder = tmp_path
    with client_of(create_app(settings, reader)) as client:
        answer = client.post("/v1/hands", files=photo_file(picture()), data={"rules": MCR})
        assert answer.status_code == 500
        wait_until(lambda: files_of(tmp_path) == [])


def test_a_file_that_is_not_a_photo_is_never_written(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = []
    monkeypatch.setattr(Storage, "keep_photo", lambda _, data: kept.append(data))
    with client_of(create_app(settings, RecordedReader(recorded_reading()))) as client:
        damaged = picture()[:300]
        answer = client.post("/v1/hands", files=photo_file(damaged), data={"rules": MCR})
        assert answer.status_code == 422
    assert kept == []


def test_a_disk_that_is_full_while_the_photo_is_read_is_reported(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_storage: Storage, _data: bytes) -> str:
        raise StorageFullError("no space left")

    with client_of(create_app(settings, RecordedReader(recorded_reading()))) as client:
        with monkeypatch.context() as patched:
            patched.setattr(Storage, "keep_photo", full)
            assert post(client).json()["type"] == "/problems/storage-full"
        assert client.get("/v1/hands").json()["hands"] == []
        assert post(client).status_code == 200


def post(client: httpx.Client) -> httpx.Response:
    """Send one photo, always the same."""
    return client.post("/v1/hands", files=photo_file(picture()), data={"rules": MCR})


def test_photos_of_cases_are_decoded_in_turn(settings: Settings) -> None:
    app = create_app(settings, RecordedReader(recorded_reading()))
    with client_of(app) as client, ThreadPoolExecutor(2) as threads:
        case = client.post("/v1/cases", files=photo_file(picture()), data={"rules": MCR}).json()
        sha = case["photos"][0]["photo"]["sha256"]
        with app.state.reading.decoding.turn():
            shown = threads.submit(client.get, f"/v1/cases/{case['id']}/photos/{sha}?side=64")
            with pytest.raises(TimeoutError):
                shown.result(0.5)
        assert shown.result(60).headers["content-type"] == "image/jpeg"
