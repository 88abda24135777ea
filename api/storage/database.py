"""The database behind the service: SQLite by default, PostgreSQL by URL."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from pydantic_core import to_json
from sqlalchemy import Connection, Engine, create_engine, event, inspect, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.orm import Session, sessionmaker
from sqlalchemy.pool import QueuePool

from hupai.api.storage.errors import (
    StorageFullError,
    StorageUnavailableError,
    of_database_error,
    of_os_error,
)
from hupai.api.storage.privacy import make_private
from hupai.api.storage.reserve import Reserve
from hupai.api.tracing.spans import span

T = TypeVar("T")
BUSY_SECONDS = 15
"""Seconds that a writer waits for another before it gives up."""
_CONNECTIONS = 16
"""Most connections that are held at once."""
_FORMS = "use sqlite:///file or postgresql://user@host/name"
MIGRATIONS = Path(__file__).parent / "migrations"
"""The migrations of this package."""
_MIGRATION_LOCK = 0x68757061
"""Key of PostgreSQL's advisory lock: one process migrates, the others wait and find it done."""


class Database:
    """Engine and sessions of one database.

    Args:
        url: ``sqlite:///path/to/file`` or ``postgresql://user:password@host/name``.

    Raises:
        StorageUnavailableError: for a URL that is none, or names a database that is not supported.
    """

    def __init__(self, url: str) -> None:
        self.url = _parsed(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self._lock = Lock()
        self._engine: Engine | None = None
        file = self.url.database if self.is_sqlite else None
        self._reserve = Reserve(Path(f"{file}-reserve")) if file else None

    @property
    def engine(self) -> Engine:
        """The engine; connections are made as they are needed."""
        with self._lock:
            if self._engine is None:
                self._engine = _sqlite(self.url) if self.is_sqlite else _postgresql(self.url)
                self._sessions = sessionmaker(self._engine, expire_on_commit=False)
                options: dict[str, Any] = {
                    "isolation_level": "REPEATABLE READ",
                    "postgresql_readonly": True,
                }
                reading = self._engine.execution_options(
                    **({"hupai_read": True} if self.is_sqlite else options)
                )
                self._readers = sessionmaker(reading, expire_on_commit=False)
            return self._engine

    @contextmanager
    def session(self, *, write: bool = True) -> Iterator[Session]:
        """Open a session in a transaction: committed at the end, rolled back on an exception.

        What was committed is on disk. On SQLite there is one writer at a time; with `write` False
        the session only reads, sees one state of the database and waits for nobody.

        Raises:
            StorageFullError: if there is no room; nothing was changed.
            StorageUnavailableError: if the database cannot be reached or is locked for
                `BUSY_SECONDS`.
            sqlalchemy.exc.IntegrityError: and other errors of SQLAlchemy that indicate a fault in
                the program.
        """
        self.engine  # noqa: B018
        maker = self._sessions if write else self._readers
        try:
            with span("database", write=write), maker() as session, session.begin():
                yield session
        except DBAPIError as error:
            known = of_database_error(error)
            if known is None:
                raise
            raise known from error
        except PoolTimeoutError as error:
            raise StorageUnavailableError("all connections to the database are in use") from error

    def delete(self, job: Callable[[Session], T]) -> T:
        """Run a deletion in a separate transaction, also on a full disk.

        SQLite first writes what it deletes to its log. If the disk has no room for that, the space
        set aside is released and `job` runs again; it is set aside anew as soon as there is room.

        Raises:
            StorageFullError, StorageUnavailableError: as `session` does.
        """
        try:
            with self.session() as session:
                result = job(session)
        except StorageFullError:
            if not self.release_reserve():
                raise
            with self.session() as session:
                return job(session)
        self.set_aside()
        return result

    def set_aside(self) -> None:
        """Set space aside for deletions if there is none yet and the disk has room."""
        if self._reserve is not None:
            self._reserve.fill()

    def release_reserve(self) -> bool:
        """Release the space set aside for deletions; return whether there was any."""
        return self._reserve is not None and self._reserve.release()

    def migrate(self) -> None:
        """Bring the schema to the newest revision, in one transaction.

        Of several processes one migrates and the others wait.

        Raises:
            StorageUnavailableError: if the database cannot be opened or has a revision that this
                version does not know.
        """
        if self.is_sqlite and self.url.database:
            try:
                make_private(Path(self.url.database))
            except OSError as error:
                raise of_os_error(error, "the folder of the database cannot be made") from error
        try:
            with self.engine.connect() as connection, _unhurried(connection), connection.begin():
                if not self.is_sqlite:
                    connection.execute(
                        text("SELECT pg_advisory_xact_lock(:key)"), {"key": _MIGRATION_LOCK}
                    )
                if not _is_newest(connection):
                    # Alembic takes a tenth of the start to import, and few starts migrate.
                    import_module("hupai.api.storage.migrations.upgrade").upgrade(connection)
        except DBAPIError as error:
            raise (
                of_database_error(error)
                or StorageUnavailableError(f"migration: {type(error.orig).__name__}")
            ) from error

    def ping(self) -> None:
        """Make one round trip.

        Raises:
            StorageUnavailableError: if there is no answer.
        """
        with self.session(write=False) as session:
            session.execute(text("SELECT 1"))

    def close(self) -> None:
        """Close all connections. A later use opens new ones."""
        with self._lock:
            if self._engine is not None:
                self._engine.dispose()
                self._engine = None


@contextmanager
def _unhurried(connection: Connection) -> Iterator[None]:
    """Disable the response timeout of a PostgreSQL connection within the context."""
    driver: Any = connection.connection.driver_connection
    limit = getattr(driver, "seconds", None)
    if limit is None:
        yield
        return
    driver.seconds = None
    try:
        yield
    finally:
        driver.seconds = limit


def _is_newest(connection: Connection) -> bool:
    """Return whether the schema has the newest revision; files are named by their revision."""
    if not inspect(connection).has_table("alembic_version"):
        return False
    newest = max(file.stem for file in (MIGRATIONS / "versions").glob("[0-9]*.py"))
    held = connection.execute(text("SELECT version_num FROM alembic_version")).scalars().all()
    return held == [newest]


def _parsed(url: str) -> URL:
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise StorageUnavailableError(
            f"HUPAI_DATABASE_URL is not a database URL: {_FORMS}"
        ) from None
    if parsed.drivername in ("postgresql", "postgres"):
        parsed = parsed.set(drivername="postgresql+psycopg")
    if parsed.get_backend_name() not in ("sqlite", "postgresql"):
        raise StorageUnavailableError(
            f"HUPAI_DATABASE_URL: {parsed.get_backend_name()} is not supported; {_FORMS}"
        )
    if parsed.get_backend_name() == "sqlite" and parsed.database in (None, "", ":memory:"):
        raise StorageUnavailableError(
            "HUPAI_DATABASE_URL: a database in memory does not serve several threads; "
            "HUPAI_DATA_DIR=:temporary: does"
        )
    return parsed


def _json(value: object) -> str:
    """Write a JSON column, in a tenth of the time that the standard library takes."""
    return to_json(value, inf_nan_mode="constants").decode()


def _postgresql(url: URL) -> Engine:
    try:
        # The extra `postgres` is optional.
        from hupai.api.storage.answering import (  # noqa: PLC0415
            CONNECT_SECONDS,
            AnsweringConnection,
        )
    except ImportError as error:
        raise StorageUnavailableError(
            "PostgreSQL needs the extra 'postgres': pip install 'hupai[postgres]'"
        ) from error
    # SQLAlchemy passes the parsed URL to `connect`; a class of connections has that method, too.
    engine = create_engine(
        url,
        pool_size=_CONNECTIONS,
        max_overflow=0,
        json_serializer=_json,
        pool_pre_ping=True,
        pool_timeout=BUSY_SECONDS,
        connect_args={"connect_timeout": CONNECT_SECONDS},
    )

    @event.listens_for(engine, "do_connect")
    def connect(_dialect: object, _record: object, words: Any, options: Any) -> Any:
        return AnsweringConnection.connect(*words, **options)

    return engine


def _sqlite(url: URL) -> Engine:
    """Make an engine whose connections write ahead, wait for the other writer and sync at commit.

    Python's driver opens transactions late, and a transaction that reads before it writes may then
    fail at once instead of waiting; so the driver is told to leave transactions alone and each
    begins here: immediate for writers, deferred for readers.
    """
    engine = create_engine(
        url,
        poolclass=QueuePool,
        pool_size=_CONNECTIONS,
        max_overflow=0,
        json_serializer=_json,
        pool_timeout=BUSY_SECONDS,
        connect_args={"check_same_thread": False, "timeout": BUSY_SECONDS},
    )

    @event.listens_for(engine, "connect")
    def set_up(connection: Any, _record: object) -> None:
        connection.isolation_level = None
        cursor = connection.cursor()
        for pragma in (
            "journal_mode=WAL",
            "foreign_keys=ON",
            "synchronous=FULL",
            f"busy_timeout={BUSY_SECONDS * 1000}",
        ):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        read = connection.get_execution_options().get("hupai_read", False)
        connection.exec_driver_sql("BEGIN" if read else "BEGIN IMMEDIATE")

    return engine
