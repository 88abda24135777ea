"""A backup brings everything back: on SQLite and PostgreSQL, with photos in a folder and in S3."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from sqlalchemy import select
from typer.testing import CliRunner

import hupai.api.app.backup as module
from hupai.api.app.backup import BackupError, back_up, restore
from hupai.api.app.factory import create_app
from hupai.api.cli.main import app as commands
from hupai.api.hands import store as hands
from hupai.api.storage import Storage
from hupai.api.storage.rows import HandRow, PhotoRow
from hupai.api.tile_sets.store import store_in
from hupai.api.web.settings import Settings
from hupai.api.web.storage_access import storage_of
from tests.api import postgres
from tests.api.s3_server import S3
from tests.api.service import MCR, RecordedReader, client_of, photo_file, picture, recorded_reading
from tests.api.storage.hands import keep
from tests.api.tile_sets.test_mirror import tiles

KINDS = [("sqlite", "folder"), ("sqlite", "s3"), ("postgresql", "folder"), ("postgresql", "s3")]


@pytest.fixture(
    params=[
        pytest.param(kind, marks=() if kind == KINDS[0] else pytest.mark.nightly) for kind in KINDS
    ],
    ids=lambda kind: "-".join(kind),
)
def places(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[Settings, Settings]:
    """Two installations of a kind, each with nothing in it."""
    database, photos = request.param
    if database == "postgresql" and shutil.which("pg_dump") is None:
        pytest.skip("no pg_dump here")

    def place(name: str) -> Settings:
        values = {"data_dir": str(tmp_path / name), "preload": False}
        if database == "postgresql":
            values["database_url"] = postgres.fresh(request.getfixturevalue("postgresql"))
        if photos == "s3":
            s3: S3 = request.getfixturevalue("s3")
            for variable, value in s3.environment.items():
                monkeypatch.setenv(variable, value)
            values["photos_url"] = f"{s3.bucket()}/photos"
        return Settings.model_validate(values)

    return place("old"), place("new")


def rows_of(storage: Storage) -> dict[str, list[tuple[object, ...]]]:
    """Every row of every table."""
    with storage.database.session(write=False) as session:
        return {
            name: sorted(
                (tuple(row) for row in session.execute(select(table))),
                key=str,
            )
            for name, table in HandRow.metadata.tables.items()
        }


def test_everything_is_restored(places: tuple[Settings, Settings], tmp_path: Path) -> None:
    old, new = places
    target = tmp_path / "backup"
    photo = picture(form="PNG")
    with client_of(create_app(old, RecordedReader(recorded_reading()))) as client:
        answer = client.post("/v1/hands", files=photo_file(photo), data={"rules": MCR})
        where = answer.headers["location"]
        Path(old.data_dir).mkdir(exist_ok=True)
        (Path(old.data_dir) / "dossier-key.pem").write_text("a key")
        store_in(Path(old.data_dir), old.photos_url).put(tiles("club"))
        first = back_up(old, target)
        assert (first.photos, first.missing, first.tile_sets) == (1, (), ("club",))
        # The service goes on, and the next backup has what came since.
        correction = {"notation": "19m19p19sESWNCFP+1m", "reason": "looked again"}
        etag = client.get(where).headers["etag"]
        assert client.patch(where, json=correction, headers={"if-match": etag}).is_success
        expected = client.get(where).json()
        assert back_up(old, target).photos == 1
    assert restore(new, target).photos == 1
    with client_of(create_app(new, RecordedReader(recorded_reading()))) as client:
        assert client.get(where).json() == expected
        assert client.get(f"{where}/photo").content == photo
    before, after = storage_of(old), storage_of(new)
    try:
        assert rows_of(before) == rows_of(after)
    finally:
        before.close()
        after.close()
    assert (Path(new.data_dir) / "dossier-key.pem").read_text() == "a key"
    assert store_in(Path(new.data_dir), new.photos_url).names() == ("club",)
    with pytest.raises(BackupError, match="not empty"):
        restore(new, target)


def test_a_photo_of_a_hand_deleted_meanwhile_is_in_the_backup(
    places: tuple[Settings, Settings], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = places
    storage = storage_of(old)
    storage.open()
    row = keep(storage, b"\xff\xd8\xff one")
    keep(storage, b"\xff\xd8\xff two")
    dumped = module._dump

    def then_deleted(dumped_of: Storage, file: Path) -> None:
        dumped(dumped_of, file)
        hands.remove(storage, row.id)

    monkeypatch.setattr(module, "_dump", then_deleted)
    back_up(old, tmp_path / "backup")
    storage.close()
    restore(new, tmp_path / "backup")
    restored = storage_of(new)
    with restored.database.session(write=False) as session:
        names = list(session.scalars(select(PhotoRow.sha256)))
    assert len(names) == 2
    assert {restored.photos.get(name) for name in names} == {
        b"\xff\xd8\xff one",
        b"\xff\xd8\xff two",
    }
    restored.close()


def test_an_unfinished_backup_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BackupError, match=r"backup\.json"):
        restore(Settings(data_dir=str(tmp_path / "new")), tmp_path)


def test_a_missing_tool_is_named(
    postgresql: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(data_dir=str(tmp_path / "d"), database_url=postgres.fresh(postgresql))
    storage = storage_of(settings)
    storage.open()
    storage.close()
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BackupError, match="pg_dump is missing"):
        back_up(settings, tmp_path / "backup")
    assert not (tmp_path / "backup" / module.ABOUT).exists()


def test_the_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HUPAI_DATA_DIR", str(tmp_path / "old"))
    storage = Storage(tmp_path / "old")
    storage.open()
    keep(storage, b"\xff\xd8\xff one")
    storage.close()
    runner, target = CliRunner(), str(tmp_path / "backup")
    made = runner.invoke(commands, ["storage", "backup", target, "--json"])
    assert (made.exit_code, json.loads(made.stdout)["photos"]) == (0, 1), made.output
    monkeypatch.setenv("HUPAI_DATA_DIR", str(tmp_path / "new"))
    done = runner.invoke(commands, ["storage", "restore", target])
    assert done.exit_code == 0, done.output
    assert "1 photos" in done.stdout
    checked = runner.invoke(commands, ["storage", "check", "--json"])
    assert json.loads(checked.stdout) == {"photos": 1, "wrong": []}
    monkeypatch.setenv("HUPAI_DATA_DIR", ":temporary:")
    assert runner.invoke(commands, ["storage", "backup", target]).exit_code == 2


@pytest.mark.parametrize("name", ["a#b", "a%41", "plain"])
def test_the_rows_are_saved_whatever_the_data_folder_is_called(tmp_path: Path, name: str) -> None:
    settings = Settings(data_dir=str(tmp_path / name), preload=False)
    storage = storage_of(settings)
    storage.open()
    keep(storage, b"\xff\xd8\xff one")
    expected = rows_of(storage)
    storage.close()
    back_up(settings, tmp_path / "backup")
    saved = Storage(tmp_path / "new", f"sqlite:///{tmp_path / 'backup' / 'hupai.sqlite3'}")
    assert rows_of(saved) == expected
    saved.close()


@pytest.mark.parametrize(("data", "target"), [("d", "d"), ("d", "d/b"), ("b/data", "b")])
def test_a_backup_and_the_data_folder_do_not_lie_in_each_other(
    tmp_path: Path, data: str, target: str
) -> None:
    settings = Settings(data_dir=str(tmp_path / data), preload=False)
    storage = storage_of(settings)
    storage.open()
    storage.close()
    with pytest.raises(BackupError, match="name another folder"):
        back_up(settings, tmp_path / target)
    assert (tmp_path / data / "hupai.sqlite3").is_file()


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"missing": []}'])
def test_a_damaged_manifest_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / module.ABOUT).write_text(text)
    with pytest.raises(BackupError, match="damaged"):
        restore(Settings(data_dir=str(tmp_path / "new")), tmp_path)
    with pytest.raises(BackupError, match="cannot be read"):
        restore(Settings(data_dir=str(tmp_path / "new")), tmp_path / module.ABOUT)
