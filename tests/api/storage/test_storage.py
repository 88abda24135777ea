"""Photos that come and go with the hands that need them, and storage that fails."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path

import httpx
import pytest
from sqlalchemy import select, text, update

from hupai.api.app.factory import create_app
from hupai.api.hands.store import insert, prune, remove
from hupai.api.storage import (
    Storage,
    StorageFullError,
    StorageUnavailableError,
)
from hupai.api.storage.errors import of_os_error
from hupai.api.storage.rows import HandRow, PhotoRow
from hupai.api.web.settings import Settings
from tests.api.hands.test_recognition import problem
from tests.api.service import MCR, RecordedReader, client_of, photo_file, picture, recorded_reading
from tests.api.storage.hands import draft, keep
from tests.shared import ROOT

NOTHING = timedelta(0)


def test_a_photo_stays_while_a_hand_needs_it(storage: Storage) -> None:
    first, second = keep(storage, b"shared", b"own"), keep(storage, b"shared")
    shared, own = (sha256(data).hexdigest() for data in (b"shared", b"own"))
    assert remove(storage, first.id)
    assert (storage.photos.exists(shared), storage.photos.exists(own)) == (True, False)
    assert not remove(storage, first.id)
    assert remove(storage, second.id)
    assert not storage.photos.exists(shared)
    with storage.database.session(write=False) as session:
        assert session.scalars(select(PhotoRow.sha256)).all() == []


@pytest.mark.nightly
def test_photos_in_an_object_store_come_and_go_with_hands(photos_in_s3: Storage) -> None:
    storage = photos_in_s3
    first, second = keep(storage, b"shared", b"own"), keep(storage, b"shared")
    shared, own = (sha256(data).hexdigest() for data in (b"shared", b"own"))
    assert remove(storage, first.id)
    assert (storage.photos.exists(shared), storage.photos.exists(own)) == (True, False)
    assert remove(storage, second.id)
    assert not storage.photos.exists(shared)
    name = storage.keep_photo(b"abandoned")
    assert storage.sweep() == 0
    assert storage.sweep(NOTHING) == 1
    assert not storage.photos.exists(name)


def test_an_unreferenced_photo_is_deleted_after_the_grace_period(storage: Storage) -> None:
    name = storage.keep_photo(b"abandoned")
    assert storage.sweep() == 0
    storage.photos.put(b"somebody else's")
    assert storage.sweep(NOTHING) == 1
    assert not storage.photos.exists(name)
    assert storage.photos.exists(sha256(b"somebody else's").hexdigest()), (
        "a file that this database does not know was deleted"
    )


def test_a_photo_deleted_between_its_writing_and_its_use_is_written_again(storage: Storage) -> None:
    name = storage.keep_photo(b"raced")
    storage.sweep(NOTHING)
    with storage.database.session() as session:
        assert storage.use_photo(session, b"raced") == name
    assert storage.sweep(NOTHING) == 0
    assert storage.photos.get(name) == b"raced"


def test_a_photo_swept_while_it_is_written_is_found_by_the_next_sweep(
    storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    put = storage.photos.put

    def swept_first(data: bytes) -> str:
        assert storage.sweep(NOTHING) == 1
        return put(data)

    monkeypatch.setattr(storage.photos, "put", swept_first)
    name = storage.keep_photo(b"abandoned")
    assert storage.photos.exists(name)
    assert storage.sweep(NOTHING) == 1
    assert not storage.photos.exists(name)


def test_photos_of_a_request_that_came_second_are_deleted(storage: Storage) -> None:
    assert insert(storage, draft(b"first"), "key:one", "0" * 64) is not None
    assert insert(storage, draft(b"second"), "key:one", "1" * 64) is None
    exist = [storage.photos.exists(sha256(one).hexdigest()) for one in (b"first", b"second")]
    assert exist == [True, False]


def test_storing_and_deleting_one_photo_at_once_never_leaves_a_hand_without_it(
    storage: Storage,
) -> None:
    failures: list[str] = []

    def coming_and_going() -> None:
        for _ in range(8):
            row = keep(storage, b"the same photo")
            if not storage.photos.exists(row.photos[0].sha256):
                failures.append(row.id)
            remove(storage, row.id)

    threads = [threading.Thread(target=coming_and_going) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert not storage.photos.exists(sha256(b"the same photo").hexdigest())


def test_retention_deletes_only_old_hands(storage: Storage) -> None:
    old, new = keep(storage, b"old"), keep(storage, b"new")
    with storage.database.session() as session:
        session.execute(
            update(HandRow)
            .where(HandRow.id == old.id)
            .values(created_at=datetime(2026, 1, 1, tzinfo=UTC))
        )
    before = datetime(2026, 6, 1, tzinfo=UTC)
    assert prune(storage, before, dry_run=True).deleted == 1
    assert prune(storage, before).deleted == 1
    with storage.database.session(write=False) as session:
        assert session.scalars(select(HandRow.id)).all() == [new.id]
    assert not storage.photos.exists(old.photos[0].sha256)


def full(*_args: object, **_options: object) -> None:
    """An operation that finds no room."""
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_is_a_problem_and_loses_nothing(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    with client_of(create_app(settings, RecordedReader(recorded_reading()))) as client:
        before = client.post("/v1/hands", files=photo_file(picture(500)), data={"rules": MCR})
        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", full)
            problem(
                client.post("/v1/hands", files=photo_file(picture(510)), data={"rules": MCR}),
                507,
                "storage-full",
            )
            unkept = client.post(
                "/v1/hands", files=photo_file(picture(510)), data={"rules": MCR, "store": "false"}
            )
            assert unkept.status_code == 200
        assert [line["id"] for line in client.get("/v1/hands").json()["hands"]] == [
            before.json()["id"]
        ]
        assert client.get(f"{before.headers['location']}/photo").content == picture(500)
        assert (
            client.post(
                "/v1/hands", files=photo_file(picture(510)), data={"rules": MCR}
            ).status_code
            == 200
        )
    assert list((Path(settings.data_dir) / "photos" / "unfinished").iterdir()) == []


@pytest.mark.nightly
def test_a_database_file_that_may_not_grow_is_a_full_disk(tmp_path: Path) -> None:
    """A process with a limit on the size of files, as a disk that is full: writes fail, what was
    there stays and can be read.
    """
    script = """
import resource, sys
from sqlalchemy import select, func
from pathlib import Path
from hupai.api.storage import Storage, StorageFullError
from hupai.api.storage.rows import HandRow
from tests.api.storage.hands import keep
storage = Storage(Path(sys.argv[1]))
storage.open()
kept = keep(storage, b"before").id
resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
stored = 1
try:
    while stored < 2000:
        keep(storage, b"x" * 5000 + str(stored).encode())
        stored += 1
except StorageFullError as error:
    print("full after", stored, error)
with storage.database.session(write=False) as session:
    assert session.scalar(select(func.count()).select_from(HandRow)) == stored
    assert session.get(HandRow, kept) is not None
storage.close()
"""
    command = [sys.executable, "-c", script, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("full after")
    again = Storage(tmp_path)
    again.open()
    with again.database.session(write=False) as session:
        assert session.scalar(text("PRAGMA integrity_check")) == "ok"
        assert session.scalar(text("SELECT count(*) FROM hands")) == int(done.stdout.split()[2])
    again.close()


def test_errors_of_storage_are_problems(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = create_app(
        Settings(preload=False, data_dir=str(tmp_path)), RecordedReader(recorded_reading())
    )
    with client_of(app) as client:

        def raised(*_args: object, **_options: object) -> None:
            raise StorageUnavailableError("/secret/place is away")

        answer = client.post("/v1/hands", files=photo_file(picture()), data={"rules": MCR})
        monkeypatch.setattr(app.state.storage.photos, "get", raised)
        away = client.get(f"{answer.headers['location']}/photo")
        problem(away, 503, "storage-unavailable")
        assert "secret" not in away.text
        assert away.headers["retry-after"]


@pytest.mark.nightly
def test_several_services_share_one_database(settings: Settings) -> None:
    apps = [create_app(settings, RecordedReader(recorded_reading())) for _ in range(2)]
    with client_of(apps[0]) as one, client_of(apps[1]) as two:
        for client in (
            one,
            two,
        ):  # FastAPI completes routes at the first request, and two apps of one process share them
            assert (
                client.post(
                    "/v1/hands", files=photo_file(picture(530)), data={"rules": MCR}
                ).status_code
                == 200
            )
        answers: list[httpx.Response] = []

        def send(client: httpx.Client) -> None:
            answers.append(
                client.post("/v1/hands", files=photo_file(picture(520)), data={"rules": MCR})
            )

        threads = [threading.Thread(target=send, args=(client,)) for client in (one, two) * 3]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert {answer.status_code for answer in answers} == {200}
        assert len({answer.json()["id"] for answer in answers}) == 1
        path = answers[0].headers["location"]
        assert one.patch(path, json={"reason": "seen here"}).json() == two.get(path).json()
        assert two.delete(path).status_code == 204
        problem(one.get(path), 404, "not-found")


def test_a_full_disk_is_recognised_by_its_error_number() -> None:
    assert isinstance(of_os_error(OSError(errno.EDQUOT, "x"), "a"), StorageFullError)
    assert not isinstance(of_os_error(OSError(errno.EACCES, "x"), "a"), StorageFullError)
