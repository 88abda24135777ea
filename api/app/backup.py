"""Backup and restoring of all that the service keeps: rows, photos, tile sets, keys, weights.

A backup is a folder: the database as its own tool writes it, the photos by their SHA-256, the other
contents of the data folder, and ``backup.json``, written last. It may be made while the service
runs, and again into the same folder: photos that are there are not copied again.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
from contextlib import closing
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path

from sqlalchemy import inspect, select
from sqlalchemy.engine import URL

from hupai.api.storage import PhotoMissingError, Storage, StorageError
from hupai.api.storage.base import now
from hupai.api.storage.photos import FolderStore
from hupai.api.storage.privacy import make_private_folder
from hupai.api.storage.rows import PhotoRow
from hupai.api.tile_sets.store import FOLDER as TILE_SETS
from hupai.api.tile_sets.store import store_in
from hupai.api.web.settings import Settings
from hupai.api.web.storage_access import storage_of
from hupai.scoring.errors import HupaiError
from hupai.vision.enrolment.store import TileSetStore

ABOUT = "backup.json"
"""Manifest of a backup; a folder without it is not a backup."""
_DATABASES = {True: "hupai.sqlite3", False: "postgresql.dump"}
"""File of the database, by whether it is SQLite."""
_PHOTOS, _DATA = "photos", "data"
_NOT_DATA = ("hupai.sqlite3*", _PHOTOS, TILE_SETS, ".*")
"""Entries of the data folder that are backed up separately or not at all."""


class BackupError(HupaiError):
    """A backup cannot be made or restored; existing data is unchanged."""


@dataclass(frozen=True, slots=True)
class Backup:
    """The content of a backup.

    Attributes:
        created: when it was started, ISO 8601.
        hupai: version of the program.
        database: name of the file with the rows.
        photos: number of photos in it.
        missing: photos that a row names and the store does not have.
        tile_sets: names of the tile sets.
    """

    created: str
    hupai: str
    database: str
    photos: int
    missing: tuple[str, ...]
    tile_sets: tuple[str, ...]


def back_up(settings: Settings, folder: Path) -> Backup:
    """Write everything that the service of these settings keeps to a folder.

    Photos are copied before the database, and those added meanwhile after it, so that every photo
    of a row in the backup is there, even if its hand is deleted in between.

    Raises:
        BackupError: the database's tool is missing or fails, or one of the folder and the data
            folder contains the other.
        hupai.api.storage.StorageError: database, photos or folder do not respond.
    """
    created = now().isoformat()
    storage = storage_of(settings)
    _check_apart(storage.folder, folder)
    copies = FolderStore(folder / _PHOTOS)
    try:
        make_private_folder(folder)
        (folder / ABOUT).unlink(missing_ok=True)
        copies.open()
        _copy_photos(storage, copies)
        name = _DATABASES[storage.database.is_sqlite]
        _dump(storage, folder / name)
        photos, missing = _copy_photos(storage, copies)
        sets = store_in(storage.folder, settings.photos_url)
        for one in sets.names():
            TileSetStore(folder / TILE_SETS).put(sets.get(one), replace=True)
        if storage.folder.is_dir():
            shutil.rmtree(folder / _DATA, ignore_errors=True)
            shutil.copytree(
                storage.folder, folder / _DATA, ignore=shutil.ignore_patterns(*_NOT_DATA)
            )
        about = Backup(created, version("hupai"), name, photos, missing, sets.names())
        (folder / ABOUT).write_text(json.dumps(asdict(about), indent=1) + "\n", encoding="utf-8")
    finally:
        copies.close()
        storage.close()
    return about


def restore(settings: Settings, folder: Path) -> Backup:
    """Write a backup to the database, the photo store and the data folder of these settings.

    The database must be an empty one of the same kind. A backup of an older version is migrated.

    Raises:
        BackupError: if the folder is not a backup, or the database is not empty, of another kind,
            or its tool is missing or fails.
        hupai.api.storage.StorageError: database or photos do not respond.
    """
    try:
        found = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
        about = Backup(**{**found, "missing": tuple(found["missing"])})
    except FileNotFoundError:
        raise BackupError(f"{folder} is not a complete backup: it has no {ABOUT}") from None
    except OSError as error:
        raise BackupError(f"{folder} cannot be read: {error.strerror}") from None
    except (ValueError, TypeError, KeyError):
        raise BackupError(f"{folder} is not a backup: its {ABOUT} is damaged") from None
    storage = storage_of(settings)
    try:
        if about.database != _DATABASES[storage.database.is_sqlite]:
            raise BackupError(f"the backup is {about.database}: HUPAI_DATABASE_URL is another kind")
        _check_empty(storage)
        make_private_folder(storage.folder)
        if (folder / _DATA).is_dir():
            shutil.copytree(folder / _DATA, storage.folder, dirs_exist_ok=True)
        copies = FolderStore(folder / _PHOTOS)
        for name in _names_in(folder / _PHOTOS):
            storage.photos.put(copies.get(name))
        saved = TileSetStore(folder / TILE_SETS)
        sets = store_in(storage.folder, settings.photos_url)
        for one in saved.names():
            sets.put(saved.get(one), replace=True)
        _load(storage, folder / about.database)
        storage.open()
    finally:
        storage.close()
    return about


def _check_apart(data: Path, folder: Path) -> None:
    """Check that a backup neither lies in the data folder, which it would copy into itself, nor
    takes its place.

    Raises:
        BackupError: if it does.
    """
    data, folder = data.resolve(), folder.resolve()
    written = (folder / name for name in (_DATA, _PHOTOS, TILE_SETS))
    if folder.is_relative_to(data) or any(data.is_relative_to(one) for one in written):
        raise BackupError(
            f"{folder} and the data folder {data} lie in each other: name another folder"
        )


def _copy_photos(storage: Storage, copies: FolderStore) -> tuple[int, tuple[str, ...]]:
    """Copy the photos that the rows name; return their number, and those missing in the store."""
    with storage.database.session(write=False) as session:
        names = list(session.scalars(select(PhotoRow.sha256).order_by(PhotoRow.sha256)))
    missing = []
    for name in names:
        if copies.exists(name):
            continue
        try:
            copies.put(storage.photos.get(name))
        except PhotoMissingError:
            missing.append(name)
    return len(names) - len(missing), tuple(missing)


def _names_in(photos: Path) -> list[str]:
    """Names of the photos in the folder of a `FolderStore`."""
    return sorted(path.name for path in photos.glob("??/??/*") if path.is_file())


def _check_empty(storage: Storage) -> None:
    database = storage.database
    if database.is_sqlite and not Path(database.url.database or "").exists():
        return
    try:
        tables = inspect(database.engine).get_table_names()
    except Exception as error:
        raise StorageError(f"the database does not answer: {type(error).__name__}") from error
    if tables:
        raise BackupError("the database is not empty: restore to a new one")


def _dump(storage: Storage, file: Path) -> None:
    """Write a consistent snapshot of the rows atomically."""
    unfinished = file.with_name(f".{file.name}")
    unfinished.unlink(missing_ok=True)
    database = storage.database
    if database.is_sqlite:
        with (
            closing(sqlite3.connect(_read_only(database.url.database or ""), uri=True)) as source,
            closing(sqlite3.connect(unfinished)) as target,
        ):
            source.backup(target)
    else:
        _tool(database.url, "pg_dump", "--format=custom", "--no-owner", f"--file={unfinished}")
    unfinished.chmod(0o600)
    unfinished.rename(file)


def _read_only(file: str) -> str:
    """Return the URI by which SQLite opens a file to read it, whatever characters its path has."""
    return f"{Path(file).absolute().as_uri()}?mode=ro"


def _load(storage: Storage, file: Path) -> None:
    """Write the rows of a backup to the empty database, all or none."""
    database = storage.database
    if database.is_sqlite:
        target = Path(database.url.database or "")
        make_private_folder(target.parent)
        unfinished = target.with_name(f".{target.name}")
        shutil.copyfile(file, unfinished)
        unfinished.chmod(0o600)
        unfinished.rename(target)
        return
    _tool(database.url, "pg_restore", "--single-transaction", "--exit-on-error", "--no-owner", file)


def _tool(url: URL, name: str, *arguments: str | Path) -> None:
    """Run a program of PostgreSQL's; the password is not among its arguments."""
    where = url.set(drivername="postgresql", password=None).render_as_string()
    environment = {**os.environ, **({"PGPASSWORD": str(url.password)} if url.password else {})}
    try:
        done = subprocess.run(
            [name, f"--dbname={where}", *arguments],
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
    except FileNotFoundError:
        raise BackupError(f"{name} is missing: install PostgreSQL's client programs") from None
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[0]
        raise BackupError(f"{name}: {reason}")
