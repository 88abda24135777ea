"""Cases in the database: appended by one writer at a time, and never changed, not even by SQL."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from hupai.api.dossier import commands
from hupai.api.dossier.bundle.verify import verify
from hupai.api.dossier.case import Case, LogError
from hupai.api.dossier.chain.canonical import digest
from hupai.api.dossier.chain.events import Body, Closed, Noted
from hupai.api.dossier.chain.log import BrokenLogError, Log
from hupai.api.dossier.photo_records import photo_record
from hupai.api.dossier.store import CaseMissingError, CaseMovedError, CaseStore
from hupai.api.storage import PhotoMissingError, Storage
from hupai.scoring.rule_sets import get
from tests.api import postgres
from tests.api.dossier.cases import PLAYER, REFEREE, WON, key, other_photo, photo, read


@pytest.fixture
def storage(tmp_path: Path) -> Iterator[Storage]:
    storage = Storage(tmp_path)
    storage.open()
    yield storage
    storage.close()


@pytest.fixture
def store(storage: Storage) -> CaseStore:
    return CaseStore(storage, key())


def open_case(store: CaseStore, title: str = "Table 3") -> Log:
    rules = get("mcr-1998")
    bodies = [
        commands.opening(title, rules, WON),
        *commands.photo_events(rules, WON, photo_record(photo(), "hand.jpg"), read(photo())),
    ]
    return store.open(bodies, PLAYER, [photo()])


def note(words: str) -> list[Body]:
    return [Noted(text=words)]


def test_a_case_reads_back_as_it_was_written(store: CaseStore) -> None:
    case = open_case(store)
    assert store.read(case.case.id) == case
    grown = store.extend(case.case.id, lambda _: note("x"), PLAYER)
    assert store.read(case.case.id) == grown
    assert [event.line for event in grown.events[:-1]] == list(case.lines)


def test_photos_are_stored_and_kept(storage: Storage, store: CaseStore) -> None:
    case = open_case(store)

    def more(known: Case) -> list[Body]:
        return commands.more_photos(
            known, photo_record(other_photo(), "side.png"), read(other_photo(), "side.png")
        )

    store.extend(case.case.id, more, PLAYER, [other_photo()])
    assert storage.sweep(timedelta(0)) == 0
    assert store.photo(digest(photo())) == photo()
    assert verify(store.export(case.case.id), [key().public.fingerprint]).holds


def test_photos_of_an_entry_that_is_refused_are_deleted(storage: Storage, store: CaseStore) -> None:
    case = open_case(store)
    with pytest.raises(CaseMovedError):
        store.extend(case.case.id, lambda _: note("x"), PLAYER, [other_photo(), photo()], "0" * 64)
    assert not storage.photos.exists(digest(other_photo()))
    assert storage.photos.exists(digest(photo())), "the case had it before"


def test_rows_of_photos_are_locked_in_one_order(
    storage: Storage, store: CaseStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    case, use, used = open_case(store), storage.use_photo, list[str]()

    def noted(session: Session, data: bytes) -> str:
        used.append(digest(data))
        return use(session, data)

    monkeypatch.setattr(storage, "use_photo", noted)
    photos = [bytes([number]) for number in range(6)]
    store.extend(case.case.id, lambda _: note("x"), PLAYER, photos)
    assert len(used) == 6
    assert used == sorted(used)


def test_an_export_with_a_missing_photo_reports_it(storage: Storage, store: CaseStore) -> None:
    case = open_case(store)
    storage.photos.delete(digest(photo()))
    with pytest.raises(PhotoMissingError):
        store.export(case.case.id)


def test_a_refused_event_leaves_the_log_unchanged(store: CaseStore) -> None:
    case = open_case(store)
    with pytest.raises(LogError):
        store.extend(case.case.id, lambda _: [Noted(text="x"), Closed()], PLAYER)
    assert store.read(case.case.id) == case
    with pytest.raises(CaseMissingError):
        store.extend("01932f4c-1c7e-7a3b-9a4e-0242ac120009", lambda _: note("x"), PLAYER)
    with pytest.raises(CaseMissingError):
        store.read("none")


def test_a_writer_with_a_stale_state_is_refused(store: CaseStore) -> None:
    case = open_case(store)
    seen = case.case.head
    store.extend(case.case.id, lambda _: note("first"), PLAYER, head=seen)
    with pytest.raises(CaseMovedError):
        store.extend(case.case.id, lambda _: note("second"), REFEREE, head=seen)
    assert len(store.read(case.case.id).events) == len(case.events) + 1


def test_writers_at_once_write_one_after_another(store: CaseStore) -> None:
    case = open_case(store)
    with ThreadPoolExecutor(6) as pool:
        list(
            pool.map(
                lambda n: store.extend(case.case.id, lambda _: note(f"note {n}"), PLAYER), range(12)
            )
        )
    log = store.read(case.case.id)
    assert len(log.case.notes) == 12
    assert {event.body.text for event in log.case.notes if isinstance(event.body, Noted)} == {
        f"note {n}" for n in range(12)
    }


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE case_events SET line = 'x'",
        "UPDATE case_events SET seq = 99 WHERE seq = 1",
        "DELETE FROM case_events WHERE seq = 2",
        "DELETE FROM case_photos",
        "UPDATE case_photos SET sha256 = 'x'",
        "DELETE FROM cases",
        "INSERT OR REPLACE INTO case_events SELECT case_id, seq, hash, 'x' FROM case_events",
        "INSERT OR REPLACE INTO case_events "
        "SELECT case_id, seq + 3, hash, 'x' FROM case_events WHERE seq = 1",
        "INSERT INTO case_events SELECT case_id, seq + 9, 'x', 'x' FROM case_events WHERE seq = 1",
    ],
)
def test_the_database_refuses_to_change_a_log(
    storage: Storage, store: CaseStore, statement: str
) -> None:
    case = open_case(store)
    with pytest.raises(IntegrityError), storage.database.session() as session:
        session.execute(text(statement))
    assert store.read(case.case.id) == case


def test_a_log_changed_behind_the_database_is_found_and_not_continued(
    storage: Storage, store: CaseStore
) -> None:
    case = open_case(store)
    with storage.database.session() as session:
        session.execute(text("DROP TRIGGER case_events_update_refused"))
        session.execute(
            text("UPDATE case_events SET line = replace(line, 'Table 3', 'Table 4') WHERE seq = 0")
        )
    with pytest.raises(BrokenLogError) as found:
        store.read(case.case.id)
    assert found.value.fault.code == "event_hash"
    with pytest.raises(BrokenLogError):
        store.extend(case.case.id, lambda _: note("x"), REFEREE)


def test_lists_show_the_newest_first(store: CaseStore) -> None:
    ids = [open_case(store, f"Table {n}").case.id for n in range(5)]
    store.extend(ids[1], lambda _: [Closed(reason="done")], REFEREE)
    found = store.list(2)
    assert [one.id for one in found] == ids[:2:-1]
    assert [one.id for one in store.list(10, before=found[-1].id)] == ids[2::-1]
    assert [one.id for one in store.list(state="closed")] == [ids[1]]
    assert (found[0].title, found[0].rules, found[0].author, found[0].events) == (
        "Table 4",
        "mcr-1998",
        "table-3",
        4,
    )


@pytest.mark.nightly
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE case_events SET line = 'x'",
        "DELETE FROM case_events",
        "TRUNCATE case_events",
        "DELETE FROM case_photos",
        "INSERT INTO case_events SELECT * FROM case_events "
        "ON CONFLICT (case_id, seq) DO UPDATE SET line = 'x'",
    ],
)
def test_postgresql_refuses_too(postgresql: str, tmp_path: Path, statement: str) -> None:
    storage = Storage(tmp_path, postgres.fresh(postgresql))
    storage.open()
    store = CaseStore(storage, key())
    case = open_case(store)
    with pytest.raises(IntegrityError), storage.database.session() as session:
        session.execute(text(statement))
    with ThreadPoolExecutor(4) as pool:
        list(
            pool.map(lambda n: store.extend(case.case.id, lambda _: note(f"{n}"), PLAYER), range(6))
        )
    log = store.read(case.case.id)
    assert len(log.case.notes) == 6
    assert log.lines[: len(case.lines)] == case.lines
    storage.close()
