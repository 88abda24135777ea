"""Is everything there that the service needs: weights, database, photos, room, fonts, keys?

What is written to find out is taken back. A database that is not there yet is not made.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from importlib.util import find_spec
from ipaddress import ip_address
from os import urandom
from pathlib import Path
from time import perf_counter

from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from hupai.api.auth.keys import KeyStore
from hupai.api.storage import Database, Storage, StorageError
from hupai.api.storage.database import alembic_config
from hupai.api.web.settings import Settings
from hupai.api.web.storage_access import storage_of
from hupai.models import registry

_ROOM_NEEDED, _ROOM_WANTED = 200_000_000, 2_000_000_000
"""Bytes free below which the service is about to stop storing, and below which somebody should
look.
"""


class State(StrEnum):
    """How a check went. A warning is no fault: the service works."""

    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at; `advice` says what to do where it is not well."""

    name: str
    state: State
    detail: str
    advice: str = ""


def examine(settings: Settings) -> Iterator[Check]:
    """Every check, one after the other. None raises: what goes wrong is its answer."""
    yield from _weights(settings)
    storage = storage_of(settings)
    try:
        yield from _database(settings, storage)
        yield _photos(settings, storage)
        yield _room(settings)
        yield _fonts()
        yield from _access(settings, storage)
    finally:
        storage.database.close()
        storage.photos.close()


def _weights(settings: Settings) -> Iterator[Check]:
    try:
        entry = registry.find(settings.model)
    except registry.UnknownWeightsError as error:
        advice = f"set HUPAI_MODEL to {' or '.join(error.known)}"
        yield Check("weights", State.FAILED, f"there are none called {settings.model!r}", advice)
        return
    for role, file, digest in entry.files:
        path = entry.path(role)
        if not path.is_file():
            yield Check(f"weights {file}", State.FAILED, "missing", "install hupai again")
        elif (found := registry.sha256(path)) != digest:
            detail = f"SHA-256 {found[:16]}…, not {digest[:16]}…"
            yield Check(
                f"weights {file}",
                State.FAILED,
                detail,
                "install hupai again: the file is not the one that was released",
            )
        else:
            yield Check(
                f"weights {file}", State.OK, f"SHA-256 {digest}, {path.stat().st_size / 1e6:.1f} MB"
            )
    started = perf_counter()
    try:
        registry.load(settings.model, settings.threads)
    except (registry.WeightsError, OSError, ValueError, RuntimeError) as error:
        yield Check(
            "model",
            State.FAILED,
            f"does not open: {type(error).__name__}: {error}",
            "see the lines above",
        )
    else:
        yield Check(
            "model",
            State.OK,
            f"{settings.model} {entry.version}, opened in {perf_counter() - started:.1f} s",
        )


def _database(settings: Settings, storage: Storage) -> Iterator[Check]:
    where = storage.database.url.render_as_string(hide_password=True)
    if settings.data_folder is None and not settings.database_url:
        detail = "temporary: hands are forgotten when the service ends"
        yield Check("database", State.WARNING, detail, "set HUPAI_DATA_DIR to a folder")
        return
    if storage.database.is_sqlite:
        file = Path(storage.database.url.database or "")
        if not file.exists():
            yield _new_file(file)
            return
    advice = (
        "who owns the file?"
        if storage.database.is_sqlite
        else "is the server up, and are address, user and password right?"
    )
    try:
        current, newest, known = _revisions(storage.database)
    except (StorageError, SQLAlchemyError, OSError) as error:
        yield Check("database", State.FAILED, f"{where}: {_reason(error)}", advice)
        return
    yield Check("database", State.OK, where)
    if current == newest:
        yield Check("schema", State.OK, f"revision {current}")
    elif current is None or current in known:
        detail = f"revision {current or 'none'}, newest is {newest}"
        yield Check("schema", State.WARNING, detail, "the next start of the service migrates it")
    else:
        detail = f"revision {current} is of a newer version"
        yield Check("schema", State.FAILED, detail, "install the newer hupai, or restore a backup")
    yield _tried(
        "writing", lambda: _write_and_undo(storage.database), "the database takes changes", advice
    )


def _revisions(database: Database) -> tuple[str | None, str | None, frozenset[str]]:
    """The revision of the database, the newest one, and all that this version knows."""
    with database.session(write=False) as session:
        connection = session.connection()
        script = ScriptDirectory.from_config(alembic_config(connection))
        current = MigrationContext.configure(connection).get_current_revision()
    return (
        current,
        script.get_current_head(),
        frozenset(one.revision for one in script.walk_revisions()),
    )


def _write_and_undo(database: Database) -> None:
    """Make a table, as a migration may have to, and roll it back."""
    with suppress(_UndoError), database.session() as session:
        session.execute(text("CREATE TABLE hupai_doctor (looked integer)"))
        raise _UndoError


class _UndoError(Exception):
    """Rolls back."""


def _new_file(file: Path) -> Check:
    """A database that is not there yet can be made where its folder, or the first parent that
    exists, takes files.
    """
    folder = next(parent for parent in file.parents if parent.exists())
    return _tried(
        "database",
        lambda: _write_file(folder),
        f"not there yet; the first start makes {file}",
        "who owns the folder?",
    )


def _photos(settings: Settings, storage: Storage) -> Check:
    advice = "set HUPAI_PHOTOS_URL or HUPAI_DATA_DIR to a place that can be written"
    folder = Path(settings.data_dir).absolute()
    if not settings.photos_url and not folder.exists():
        there = next(parent for parent in folder.parents if parent.exists())
        return _tried(
            "photos",
            lambda: _write_file(there),
            "not there yet; the first start makes the folder",
            advice,
        )

    def round_trip() -> None:
        probe = b"hupai doctor " + urandom(16)
        name = storage.photos.put(probe)
        try:
            if storage.photos.get(name) != probe:
                raise StorageError("what was written came back altered")
        finally:
            storage.photos.delete(name)

    return _tried("photos", round_trip, "written, read and deleted", advice)


def _room(settings: Settings) -> Check:
    folder = Path(settings.data_dir).absolute()
    there = next(parent for parent in (folder, *folder.parents) if parent.exists())
    free = shutil.disk_usage(there).free
    state = (
        State.FAILED if free < _ROOM_NEEDED else State.WARNING if free < _ROOM_WANTED else State.OK
    )
    advice = (
        "" if state is State.OK else "make room, or delete old hands with `hupai storage prune`"
    )
    return Check("room", state, f"{free / 1e9:.1f} GB free at {there}", advice)


def _fonts() -> Check:
    from hupai.api.dossier.report.fonts import PATH

    if not PATH.is_file():
        return Check(
            "fonts", State.FAILED, "the font of the reports is missing", "install hupai again"
        )
    return Check(
        "fonts",
        State.OK,
        f"{PATH.name} for reports; overlays and pages use the fonts of the browser",
    )


def _access(settings: Settings, storage: Storage) -> Iterator[Check]:
    near = _is_loopback(settings.host)
    if settings.require_keys:
        yield _active_keys(storage)
    elif near and not settings.trusted_proxies:
        yield Check("keys", State.OK, f"not asked for; only this machine reaches {settings.host}")
    else:
        who = "whoever reaches the proxy" if near else f"whoever reaches {settings.host}"
        yield Check(
            "keys",
            State.WARNING,
            f"not asked for: {who} may do everything",
            "set HUPAI_REQUIRE_KEYS=true and make keys",
        )
    if not near and not settings.trusted_proxies:
        advice = "put a reverse proxy with HTTPS in front, see docs/deployment.md: a phone gives a page its camera only there"
        yield Check(
            "https", State.WARNING, f"{settings.host} is answered without encryption", advice
        )
    if settings.redis_url:
        installed = find_spec("redis") is not None
        state = State.OK if installed else State.FAILED
        yield Check(
            "redis",
            state,
            "client installed" if installed else "HUPAI_REDIS_URL is set, the client is missing",
        )


def _active_keys(storage: Storage) -> Check:
    try:
        active = [key for key in KeyStore(storage.database).all() if key.state == "active"]
    except (
        StorageError,
        SQLAlchemyError,
    ):  # no table before the first start: the checks above have told
        active = []
    if not active:
        return Check(
            "keys",
            State.WARNING,
            "asked for, and there is none",
            "hupai keys add NAME --scope player",
        )
    return Check("keys", State.OK, f"{len(active)} active")


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _write_file(folder: Path) -> None:
    probe = folder / f".hupai-doctor-{urandom(8).hex()}"
    probe.write_bytes(b"")
    probe.unlink()


def _tried(name: str, job: Callable[[], None], good: str, advice: str) -> Check:
    try:
        job()
    except (StorageError, SQLAlchemyError, OSError) as error:
        return Check(name, State.FAILED, _reason(error), advice)
    return Check(name, State.OK, good)


def _reason(error: Exception) -> str:
    """What the error says in one line, without the statement that SQLAlchemy adds."""
    told = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    text = told.strerror if isinstance(told, OSError) and told.strerror else str(told)
    return (text.splitlines() or [type(told).__name__])[0]
