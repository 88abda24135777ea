"""Photo stores, in a folder and in an object store."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from uuid import uuid4

import pytest

from hupai.api.app.factory import create_app
from hupai.api.storage import (
    PhotoMissingError,
    StorageUnavailableError,
)
from hupai.api.storage.photos import FolderStore, PhotoStore, RemoteStore, media_type, open_store
from hupai.api.web.settings import Settings
from tests.api.service import MCR, RecordedReader, client_of, photo_file, picture, recorded_reading


@pytest.fixture(params=["folder", "memory", "s3"])
def photos(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[PhotoStore]:
    if request.param == "s3":
        server = request.getfixturevalue("s3")
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        url = f"{server.bucket()}/photos"
    else:
        url = f"memory://{uuid4().hex}/photos" if request.param == "memory" else str(tmp_path / "p")
    store = open_store(url)
    store.open()
    yield store
    store.close()


def test_photos_are_found_by_their_hash(photos: PhotoStore) -> None:
    name = photos.put(b"a photo")
    assert name == sha256(b"a photo").hexdigest()
    assert photos.put(b"a photo") == name
    assert (photos.exists(name), photos.get(name)) == (True, b"a photo")
    photos.delete(name)
    photos.delete(name)
    assert not photos.exists(name)
    with pytest.raises(PhotoMissingError):
        photos.get(name)


@pytest.mark.parametrize("name", ["", "../../etc/passwd", "A" * 64, "0" * 63, "0" * 64 + "/.."])
def test_only_hashes_become_paths(photos: PhotoStore, name: str) -> None:
    for method in (photos.get, photos.exists, photos.delete):
        with pytest.raises(ValueError, match="SHA-256"):
            method(name)


def test_a_photo_whose_bytes_changed_is_not_handed_out(tmp_path: Path) -> None:
    store = FolderStore(tmp_path)
    name = store.put(b"evidence")
    next(tmp_path.rglob(name)).write_bytes(b"forgery")
    with pytest.raises(PhotoMissingError, match="other bytes"):
        store.get(name)
    store.close()


def test_what_a_dead_process_left_unfinished_is_removed_and_what_a_live_one_writes_is_not(
    tmp_path: Path,
) -> None:
    live = FolderStore(tmp_path)
    live.put(b"one")
    dead = tmp_path / "unfinished" / "dead"
    dead.mkdir()
    (dead / "half").write_bytes(b"half a pho")
    (living,) = [folder for folder in (tmp_path / "unfinished").iterdir() if folder != dead]
    (living / "under way").write_bytes(b"half")
    other = FolderStore(tmp_path)
    other.open()
    assert not dead.exists()
    assert (living / "under way").exists()
    live.close()
    other.close()
    assert list((tmp_path / "unfinished").iterdir()) == []


def test_photos_in_an_object_store_by_url(tmp_path: Path) -> None:
    url = f"memory://bucket-{uuid4().hex}/photos"
    settings = Settings(preload=False, data_dir=str(tmp_path), photos_url=url)
    with client_of(create_app(settings, RecordedReader(recorded_reading()))) as client:
        data = picture()
        answer = client.post("/v1/hands", files=photo_file(data), data={"rules": MCR})
        assert client.get(f"{answer.headers['location']}/photo").content == data
        assert isinstance(open_store(url), RemoteStore)
        assert open_store(url).get(sha256(data).hexdigest()) == data
    assert not (tmp_path / "photos").exists()
    with pytest.raises(StorageUnavailableError, match="HUPAI_PHOTOS_URL"):
        open_store("nosuch://bucket")


@pytest.mark.parametrize(
    "error",
    [FileNotFoundError("no such bucket"), PermissionError("key"), RuntimeError("of the library")],
)
def test_an_object_store_that_fails_is_unavailable(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_store(f"memory://{uuid4().hex}/photos")
    assert isinstance(store, RemoteStore)

    def fails(*_args: object) -> None:
        raise error

    monkeypatch.setattr(store._files, "pipe_file", fails)
    with pytest.raises(StorageUnavailableError, match="photo store"):
        store.put(b"a photo")


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (picture(form="JPEG"), "image/jpeg"),
        (picture(form="PNG"), "image/png"),
        (picture(form="WEBP"), "image/webp"),
        (picture(form="HEIF"), "image/heic"),
        (b"notes", "application/octet-stream"),
    ],
)
def test_the_media_type_is_that_of_the_bytes(data: bytes, expected: str) -> None:
    assert media_type(data) == expected
