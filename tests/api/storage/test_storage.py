"""Database and photo store: migrations, transactions, photos that come and go with what needs them,
storage that fails.
"""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from hashlib import sha256
from pathlib import Path
from uuid import UUID, uuid4

import httpx
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import select, text, update
from sqlalchemy.exc import IntegrityError

from hupai.api.app.factory import create_app
from hupai.api.hands.store import Draft, Outcome, append, find, insert, prune, remove
from hupai.api.storage import (
    Base,
    Database,
    PhotoMissingError,
    Storage,
    StorageFullError,
    StorageUnavailableError,
    new_id,
)
from hupai.api.storage.database import alembic_config
from hupai.api.storage.photos import FolderStore, PhotoStore, RemoteStore, media_type, open_store
from hupai.api.storage.rows import CorrectionRow, HandRow, PhotoRow
from hupai.api.web.settings import Settings
from hupai.api.web.storage_access import storage_of
from tests.api import postgres
from tests.api.hands.test_recognition import problem
from tests.api.service import MCR, RecordedReader, client_of, photo_file, picture, recorded_reading
from tests.shared import ROOT

NOTHING = timedelta(0)


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    binaries = postgres.programs()
    if binaries is None:
        pytest.skip(postgres.MISSING)
    with postgres.server(binaries) as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'club.sqlite3'}"
    return postgres.fresh(request.getfixturevalue("postgresql"))


@pytest.fixture
def settings(url: str, tmp_path: Path) -> Settings:
    return Settings(preload=False, rate_limit=0, data_dir=str(tmp_path / "data"), database_url=url)


@pytest.fixture
def storage(settings: Settings) -> Iterator[Storage]:
    opened = storage_of(settings)
    opened.open()
    yield opened
    opened.close()


def draft(*photos: bytes) -> Draft:
    """A hand to store."""
    outcome = Outcome(MCR, {}, "11m+1m", {"score": {"total": 8}})
    return Draft("anna", tuple(("a.jpg", photo) for photo in photos), {"certain": True}, outcome)


def keep(storage: Storage, *photos: bytes) -> HandRow:
    """A stored hand."""
    row = insert(storage, draft(*photos), f"key:{uuid4()}", "0" * 64)
    assert row is not None
    return row


def test_the_migrated_schema_is_the_one_the_tables_describe(storage: Storage) -> None:
    """`create_app` has imported every module that describes tables."""
    with storage.database.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, Base.metadata) == []


def test_the_revisions_form_one_chain() -> None:
    scripts = ScriptDirectory.from_config(alembic_config(None))
    assert len(scripts.get_heads()) == 1
    assert scripts.get_base() == "0001_hands"


def test_a_service_of_an_older_version_leaves_a_newer_database_alone(storage: Storage) -> None:
    with storage.database.session() as session:
        session.execute(text("UPDATE alembic_version SET version_num = '9999_future'"))
    with pytest.raises(StorageUnavailableError, match="9999_future"):
        storage.database.migrate()


def test_processes_that_open_at_once_migrate_once(url: str) -> None:
    script = "import sys; from hupai.api.storage import Database; d = Database(sys.argv[1]); d.migrate(); d.ping(); d.close()"
    command = [sys.executable, "-c", script, url]
    processes = [subprocess.Popen(command, stderr=subprocess.PIPE, cwd=ROOT) for _ in range(2)]
    outcomes = [(process.communicate()[1].decode(), process.returncode) for process in processes]
    assert [code for _, code in outcomes] == [0, 0], outcomes


@pytest.mark.parametrize("wrong", ["mysql://x/y", "no url", "sqlite://", "sqlite:///:memory:"])
def test_databases_that_are_not_supported_are_named_with_those_that_are(wrong: str) -> None:
    with pytest.raises(StorageUnavailableError, match="HUPAI_DATABASE_URL"):
        Database(wrong)


def test_a_database_that_is_away_is_unavailable(tmp_path: Path) -> None:
    pytest.importorskip("psycopg")
    database = Database(f"postgresql://nobody@/none?host={tmp_path}")
    with pytest.raises(StorageUnavailableError):
        database.migrate()
    folder = tmp_path / "file"
    folder.write_text("in the way")
    with pytest.raises(StorageUnavailableError, match="folder"):
        Database(f"sqlite:///{folder}/a.sqlite3").migrate()


def test_sqlite_writes_ahead_checks_keys_and_syncs(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'a.sqlite3'}")
    with database.session() as session:
        found = {
            name: session.execute(text(f"PRAGMA {name}")).scalar()
            for name in ("journal_mode", "foreign_keys", "synchronous")
        }
    database.close()
    assert found == {"journal_mode": "wal", "foreign_keys": 1, "synchronous": 2}


def test_a_block_that_raises_changes_nothing(storage: Storage) -> None:
    row = keep(storage, b"a")

    def half() -> None:
        with storage.database.session() as session:
            session.execute(update(HandRow).values(author="somebody else"))
            raise KeyError

    with pytest.raises(KeyError):
        half()
    with storage.database.session(write=False) as session:
        assert session.scalar(select(HandRow.author).where(HandRow.id == row.id)) == "anna"


def test_writers_wait_for_each_other(storage: Storage) -> None:
    row = keep(storage, b"a")

    def count() -> None:
        for _ in range(10):
            with storage.database.session() as session:
                version = session.scalar(
                    select(HandRow.version).where(HandRow.id == row.id).with_for_update()
                )
                assert version is not None
                session.execute(
                    update(HandRow).where(HandRow.id == row.id).values(version=version + 1)
                )

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with storage.database.session(write=False) as session:
        assert session.scalar(select(HandRow.version)) == 41


def test_moments_come_back_in_utc_and_need_a_zone(storage: Storage) -> None:
    row = keep(storage, b"a")
    moment = datetime(2026, 11, 21, 22, 30, tzinfo=timezone(timedelta(hours=8)))
    with storage.database.session() as session:
        session.execute(update(HandRow).values(created_at=moment))
    with storage.database.session(write=False) as session:
        found = find(session, row.id)
        assert found is not None
        assert (found.created_at, found.created_at.tzinfo) == (moment, UTC)
    with pytest.raises(Exception, match="time zone"), storage.database.session() as session:
        session.execute(update(HandRow).values(created_at=datetime(2026, 11, 21)))


def test_ids_are_uuids_of_version_7_that_ascend() -> None:
    ids = [new_id() for _ in range(5000)]
    assert ids == sorted(set(ids))
    assert {UUID(one).version for one in ids} == {7}
    assert {UUID(one).variant for one in ids} == {"specified in RFC 4122"}
    age = datetime.now(UTC).timestamp() - (UUID(ids[0]).int >> 80) / 1000
    assert 0 <= age < 60


def test_corrections_cannot_be_changed_even_by_hand(storage: Storage) -> None:
    row = keep(storage, b"a")
    with storage.database.session() as session:
        assert (
            append(
                session, row.id, 1, "ben", "why", {"rules": MCR}, Outcome(MCR, {}, "22m+2m", None)
            )
            is not None
        )
    with pytest.raises(IntegrityError, match="appended"), storage.database.session() as session:
        session.execute(update(CorrectionRow).values(reason="another"))
    with storage.database.session() as session:
        assert append(session, row.id, 1, "eve", "", {}, Outcome(MCR, {}, None, None)) is None, (
            "appended to a version that is past"
        )


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


def test_a_photo_nothing_came_to_need_is_swept_after_its_time(storage: Storage) -> None:
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


def test_retention_deletes_what_is_old_and_only_that(storage: Storage) -> None:
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


@pytest.fixture(params=["folder", "memory"])
def photos(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[PhotoStore]:
    store = open_store(
        str(tmp_path / "photos") if request.param == "folder" else f"memory://{uuid4().hex}/photos"
    )
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
from tests.api.storage.test_storage import keep
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


def test_storage_full_error_is_told_by_its_number() -> None:
    from hupai.api.storage.errors import of_os_error

    assert isinstance(of_os_error(OSError(errno.EDQUOT, "x"), "a"), StorageFullError)
    assert not isinstance(of_os_error(OSError(errno.EACCES, "x"), "a"), StorageFullError)
