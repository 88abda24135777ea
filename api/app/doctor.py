"""Checks that the service has what it needs: weights, database, photos, disk space, fonts, keys.

What a check writes is removed again. A database that does not exist yet is not created.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from os import urandom
from pathlib import Path
from time import perf_counter

from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from hupai.api.app.cluster_checks import cluster_findings
from hupai.api.auth.keys import KeyStore
from hupai.api.dossier.report.fonts import PATH as FONT
from hupai.api.storage import Database, Storage, StorageError
from hupai.api.storage.migrations.upgrade import alembic_config
from hupai.api.web.settings import Settings
from hupai.api.web.storage_access import storage_of
from hupai.models import registry
from hupai.models.learning.library import Library

_SPACE_NEEDED = 200_000_000
"""Free bytes below which the service is about to stop storing."""
_SPACE_WANTED = 2_000_000_000
"""Free bytes below which the check warns."""


class State(StrEnum):
    """The outcome of a check. With a warning the service still works."""

    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Check:
    """The result of one check; `advice` says how to fix a failure."""

    name: str
    state: State
    detail: str
    advice: str = ""


def examine(settings: Settings) -> Iterator[Check]:
    """Yield every check, one after the other. None raises: a failure is its result."""
    yield from _weights(settings)
    storage = storage_of(settings)
    try:
        yield from _database(settings, storage)
        yield _photos(settings, storage)
        yield _space(settings)
        yield _fonts()
        yield from _access(settings, storage)
        for name, detail, advice in cluster_findings(settings):
            yield _failed(name, detail, advice) if advice else _ok(name, detail)
    finally:
        storage.database.close()
        storage.photos.close()


def _ok(name: str, detail: str) -> Check:
    return Check(name, State.OK, detail)


def _warning(name: str, detail: str, advice: str) -> Check:
    return Check(name, State.WARNING, detail, advice)


def _failed(name: str, detail: str, advice: str = "") -> Check:
    return Check(name, State.FAILED, detail, advice)


def _tried(name: str, job: Callable[[], None], good: str, advice: str) -> Check:
    """Run a job that raises on failure, and return the check."""
    try:
        job()
    except (StorageError, SQLAlchemyError, OSError) as error:
        return _failed(name, _reason(error), advice)
    return _ok(name, good)


def _reason(error: Exception) -> str:
    """Say in one line what the error is, without the statement that SQLAlchemy adds."""
    cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    text = cause.strerror if isinstance(cause, OSError) and cause.strerror else str(cause)
    return (text.splitlines() or [type(cause).__name__])[0]


def _weights(settings: Settings) -> Iterator[Check]:
    library = Library.of_data_folder(settings.data_folder)
    model = library.resolve(settings.model)
    try:
        entry = registry.find(model)
    except registry.UnknownWeightsError:
        names = [one.name for one in (*registry.available(), *library.entries())]
        advice = f"set HUPAI_MODEL to {' or '.join(names)}"
        yield _failed("weights", f"there are none called {settings.model!r}", advice)
        return
    shipped = entry.folder == registry.FOLDER
    for role, file, digest in entry.files:
        yield _weight_file(f"weights {file}", entry.path(role), digest, shipped=shipped)
    started = perf_counter()
    try:
        registry.load(model, settings.threads, settings.providers)
    except (registry.WeightsError, OSError, ValueError, RuntimeError) as error:
        detail = f"cannot be opened: {type(error).__name__}: {error}"
        yield _failed("model", detail, "see the lines above")
    else:
        seconds = perf_counter() - started
        yield _ok("model", f"{entry.name} {entry.version}, opened in {seconds:.1f} s")


def _weight_file(name: str, path: Path, digest: str, *, shipped: bool) -> Check:
    own = "" if shipped else "take other weights: hupai models use shipped"
    if not path.is_file():
        return _failed(name, "missing", own or "install hupai again")
    found = registry.sha256(path)
    if found != digest:
        return _failed(
            name,
            f"SHA-256 {found[:16]}…, not {digest[:16]}…",
            own or "install hupai again: the file is not the one that was released",
        )
    return _ok(name, f"SHA-256 {digest}, {path.stat().st_size / 1e6:.1f} MB")


def _database(settings: Settings, storage: Storage) -> Iterator[Check]:
    database = storage.database
    if settings.data_folder is None and not settings.database_url:
        detail = "temporary: hands are forgotten when the service ends"
        yield _warning("database", detail, "set HUPAI_DATA_DIR to a folder")
        return
    advice = "is the server up, and are address, user and password right?"
    if database.is_sqlite:
        advice = "who owns the file?"
        file = Path(database.url.database or "")
        if not file.exists():
            yield _new_file(file)
            return
    where = database.url.render_as_string(hide_password=True)
    try:
        current, newest, known = _revisions(database)
    except (StorageError, SQLAlchemyError, OSError) as error:
        yield _failed("database", f"{where}: {_reason(error)}", advice)
        return
    yield _ok("database", where)
    if current == newest:
        yield _ok("schema", f"revision {current}")
    elif current is None or current in known:
        detail = f"revision {current or 'none'}, newest is {newest}"
        yield _warning("schema", detail, "the next start of the service migrates it")
    else:
        detail = f"revision {current} is of a newer version"
        yield _failed("schema", detail, "install the newer hupai, or restore a backup")
    yield _tried("writing", lambda: _write_and_undo(database), "the database takes changes", advice)


def _revisions(database: Database) -> tuple[str | None, str | None, frozenset[str]]:
    """Read the revision of the database, the newest one, and all that this version knows."""
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
    """Rolls a transaction back."""


def _new_file(file: Path) -> Check:
    """Check that a database can be made: in its folder, or in the first parent that exists."""
    return _tried(
        "database",
        lambda: _write_file(_existing(file.parent)),
        f"not there yet; the first start makes {file}",
        "who owns the folder?",
    )


def _photos(settings: Settings, storage: Storage) -> Check:
    advice = "set HUPAI_PHOTOS_URL or HUPAI_DATA_DIR to a place that can be written"
    folder = Path(settings.data_dir).absolute()
    if not settings.photos_url and not folder.exists():
        detail = "not there yet; the first start makes the folder"
        return _tried("photos", lambda: _write_file(_existing(folder)), detail, advice)

    def round_trip() -> None:
        probe = b"hupai doctor " + urandom(16)
        name = storage.photos.put(probe)
        try:
            if storage.photos.get(name) != probe:
                raise StorageError("what was written came back altered")
        finally:
            storage.photos.delete(name)

    return _tried("photos", round_trip, "written, read and deleted", advice)


def _space(settings: Settings) -> Check:
    folder = _existing(Path(settings.data_dir).absolute())
    free = shutil.disk_usage(folder).free
    detail = f"{free / 1e9:.1f} GB free at {folder}"
    if free >= _SPACE_WANTED:
        return _ok("room", detail)
    state = State.WARNING if free >= _SPACE_NEEDED else State.FAILED
    advice = "free some space, or delete old hands with `hupai storage prune`"
    return Check("room", state, detail, advice)


def _fonts() -> Check:
    if not FONT.is_file():
        return _failed("fonts", "the font of the reports is missing", "install hupai again")
    return _ok(
        "fonts", f"{FONT.name} for reports and overlays; other pages use the fonts of the browser"
    )


def _access(settings: Settings, storage: Storage) -> Iterator[Check]:
    near = settings.is_local
    if settings.keys_needed:
        yield _active_keys(storage)
    elif near and not settings.trusted_proxies:
        yield _ok("keys", f"not asked for; only this machine reaches {settings.host}")
    else:
        who = "whoever reaches the proxy" if near else f"whoever reaches {settings.host}"
        yield _warning(
            "keys",
            f"not asked for: {who} may do everything",
            "do not set HUPAI_REQUIRE_KEYS=false, or make keys and set it to true",
        )
    if not near and not settings.trusted_proxies:
        yield _warning(
            "https",
            f"{settings.host} is answered without encryption",
            "put a reverse proxy with HTTPS in front, see docs/deployment.md: "
            "a phone gives a page its camera only there",
        )


def _active_keys(storage: Storage) -> Check:
    try:
        active = [key for key in KeyStore(storage.database).all() if key.state == "active"]
    except (StorageError, SQLAlchemyError):
        active = []  # before the first start there are no rows; the checks above say the rest
    if not active:
        return _warning(
            "keys", "asked for, and there is none", "hupai keys add NAME --scope player"
        )
    return _ok("keys", f"{len(active)} active")


def _existing(folder: Path) -> Path:
    """Return the folder, or the first parent that exists."""
    return next(one for one in (folder, *folder.parents) if one.exists())


def _write_file(folder: Path) -> None:
    probe = folder / f".hupai-doctor-{urandom(8).hex()}"
    probe.write_bytes(b"")
    probe.unlink()
