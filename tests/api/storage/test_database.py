"""The database: migrations, transactions, times, ids."""

from __future__ import annotations

import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Column, MetaData, select, text, update
from sqlalchemy.exc import IntegrityError

import hupai.api.app.factory  # noqa: F401 - so that every module with rows is imported
from hupai.api.hands.photo_work.scored_reading import Outcome
from hupai.api.hands.store import append, find
from hupai.api.storage import (
    Base,
    Database,
    Storage,
    StorageUnavailableError,
    new_id,
)
from hupai.api.storage.migrations.upgrade import alembic_config
from hupai.api.storage.rows import CorrectionRow, HandRow
from tests.api.service import MCR
from tests.api.storage.hands import keep
from tests.shared import ROOT


@pytest.mark.parametrize("url", ["sqlite", "postgresql"], indirect=True)
def test_the_migrated_schema_is_the_one_the_tables_describe(storage: Storage) -> None:
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


@pytest.mark.nightly
def test_processes_that_open_at_once_migrate_once(url: str) -> None:
    script = (
        "import sys; from hupai.api.storage import Database; "
        "d = Database(sys.argv[1]); d.migrate(); d.ping(); d.close()"
    )
    command = [sys.executable, "-c", script, url]
    processes = [subprocess.Popen(command, stderr=subprocess.PIPE, cwd=ROOT) for _ in range(2)]
    outcomes = [(process.communicate()[1].decode(), process.returncode) for process in processes]
    assert [code for _, code in outcomes] == [0, 0], outcomes


@pytest.mark.nightly
def test_a_start_on_the_newest_schema_does_without_alembic(url: str) -> None:
    script = (
        "import sys; from hupai.api.storage import Database; "
        "d = Database(sys.argv[1]); d.migrate(); d.ping(); d.close(); "
        "print('alembic' in sys.modules)"
    )
    command = [sys.executable, "-c", script, url]
    printed = [subprocess.check_output(command, cwd=ROOT, text=True).strip() for _ in range(2)]
    assert printed == ["True", "False"]


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


SCRIPTS = ScriptDirectory.from_config(alembic_config(None))
REVISIONS = [one.revision for one in SCRIPTS.walk_revisions()]
OLDER = REVISIONS[:0:-1]
"""Every revision but the newest, the oldest first."""


def migrated_to(database: Database, revision: str) -> None:
    with database.engine.connect() as connection, connection.begin():
        command.upgrade(alembic_config(connection), revision)


def tables_of(database: Database) -> MetaData:
    """The tables as a process sees them that knows no newer ones."""
    known = MetaData()
    known.reflect(database.engine)
    return known


def some_value(column: Column[Any], number: int) -> object:
    """A value for a column, by its type."""
    kind = column.type.python_type
    if kind is datetime:
        has_zone = getattr(column.type, "timezone", False)
        return datetime(2026, 11, 23, tzinfo=UTC if has_zone else None)
    if kind in (dict, list, object):  # JSON
        return {}
    if column.name == "seq":  # the first event of each case
        return 0
    if kind is str:
        return f"{number}"[: getattr(column.type, "length", None)]
    return b"x" if kind is bytes else kind(number)


def store_a_row_of_each(
    database: Database, known: MetaData, number: int
) -> dict[str, dict[str, Any]]:
    """Insert into each table, as a process does that knows these columns."""
    stored: dict[str, dict[str, Any]] = {}
    with database.engine.begin() as connection:
        for table in known.sorted_tables:
            if table.name == "alembic_version":
                continue
            row: dict[str, Any] = {}
            for column in table.columns:
                (key,) = column.foreign_keys or (None,)
                if key is not None and key.column.table is not table:
                    row[column.name] = stored[key.column.table.name][key.column.name]
                elif key is None:
                    row[column.name] = some_value(column, number)
            connection.execute(table.insert().values(row))
            stored[table.name] = row
    return stored


@pytest.mark.parametrize("older", OLDER)
def test_an_older_process_keeps_working_with_a_database_migrated_by_a_newer_one(
    url: str, older: str
) -> None:
    database = Database(url)
    try:
        migrated_to(database, older)
        known = tables_of(database)
        before = store_a_row_of_each(database, known, 1)
        database.migrate()
        after = store_a_row_of_each(database, known, 2)
        with database.engine.connect() as connection:
            for name in before:
                rows = connection.execute(select(known.tables[name])).mappings().all()
                assert len(rows) == 2, name
                for row in (before[name], after[name]):
                    assert row in [{key: one[key] for key in row} for one in rows], name
    finally:
        database.close()
