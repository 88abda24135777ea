"""The service is killed again and again while clients store, correct and delete: what it
acknowledged is there.
"""

from __future__ import annotations

import io
import multiprocessing
import os
import random
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any
from unittest.mock import patch
from uuid import uuid4

import httpx
import pytest
from sqlalchemy import event, select, text

from hupai.api.app.factory import create_app
from hupai.api.storage import Storage
from hupai.api.storage.rows import HandPhotoRow, HandRow, IdempotencyRow, PhotoRow
from hupai.api.web.settings import Settings
from tests.api.service import (
    MCR,
    RecordedReader,
    photo_file,
    picture,
    recorded_reading,
    served,
    wait_until,
)
from tests.api.storage.hands import keep

# Processes forked from one that has imported everything start in no time.
CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(
    [
        "hupai.api.app.factory",
        "tests.api.storage.hands",
        "alembic.command",
    ]
)
ROUNDS = 6
CLIENTS = 4


def serve(folder: str, pipe: Connection) -> None:
    """The service in a process of its own; says its address and runs until it is killed."""
    app = create_app(
        Settings(preload=False, rate_limit=0, queue_length=100, data_dir=folder),
        RecordedReader(recorded_reading()),
    )
    with served(app) as address:
        pipe.send(address)
        threading.Event().wait()


@contextmanager
def process_of(folder: Path) -> Iterator[tuple[int, str]]:
    """A service's process id and address; killed at the end at the latest."""
    here, there = CONTEXT.Pipe()
    process = CONTEXT.Process(target=serve, args=(str(folder), there), daemon=True)
    process.start()
    try:
        assert here.poll(150), "the service did not start"
        assert process.pid is not None
        yield process.pid, here.recv()
    finally:
        process.kill()
        process.join(60)
        here.close()
        there.close()


@dataclass
class Ledger:
    """What the service acknowledged, and what was asked for without an answer."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    hands: dict[str, dict[str, Any]] = field(default_factory=dict)
    deleted: set[str] = field(default_factory=set)
    unsure: set[str] = field(default_factory=set)
    photos: dict[str, bytes] = field(default_factory=dict)

    def holds(self, count: int) -> bool:
        """Whether so many hands were acknowledged."""
        return len(self.hands) >= count


def work(address: str, ledger: Ledger, seed: int) -> None:
    """A client that stores hands, corrects some and deletes some, until the connection breaks."""
    chance = random.Random(seed)
    mine: list[str] = []
    with httpx.Client(base_url=address, timeout=20) as client:
        while True:
            try:
                data = picture(64, 64) + uuid4().bytes * chance.randrange(1, 40_000)
                answer = client.post("/v1/hands", files=photo_file(data), data={"rules": MCR})
                assert answer.status_code == 200, answer.text
                hand = answer.json()
                with ledger.lock:
                    ledger.hands[hand["id"]] = hand
                    ledger.photos[hand["id"]] = data
                mine.append(hand["id"])
                known = chance.choice(mine)
                with ledger.lock:
                    ledger.unsure.add(known)
                if chance.random() < 0.7:
                    hand = (
                        client.patch(
                            f"/v1/hands/{known}", json={"reason": f"look {chance.random()}"}
                        )
                        .raise_for_status()
                        .json()
                    )
                    with ledger.lock:
                        ledger.hands[known] = hand
                else:
                    client.delete(f"/v1/hands/{known}").raise_for_status()
                    mine.remove(known)
                    with ledger.lock:
                        ledger.deleted.add(known)
                with ledger.lock:
                    ledger.unsure.discard(known)
            except httpx.TransportError:
                return


@pytest.mark.nightly
def test_acknowledged_hands_survive_kill_9_and_no_partial_file_remains(tmp_path: Path) -> None:
    ledger, chance = Ledger(), random.Random()
    for number in range(ROUNDS):
        with process_of(tmp_path) as (pid, address):
            threads = [
                threading.Thread(target=work, args=(address, ledger, 100 * number + n))
                for n in range(CLIENTS)
            ]
            for thread in threads:
                thread.start()
            wait_until(partial(ledger.holds, len(ledger.hands) + 8))
            time.sleep(chance.uniform(0.0, 0.4))
            os.kill(pid, signal.SIGKILL)
            for thread in threads:
                thread.join()
    assert ledger.deleted

    with process_of(tmp_path) as (_, address), httpx.Client(base_url=address, timeout=30) as client:
        for hand_id, hand in ledger.hands.items():
            found = client.get(f"/v1/hands/{hand_id}")
            if hand_id in ledger.deleted:
                assert found.status_code == 404
            elif hand_id in ledger.unsure:
                assert found.status_code in (
                    200,
                    404,
                )  # the last change was under way: done whole or not at all
                if found.status_code == 200:
                    assert (
                        found.json()["corrections"][: len(hand["corrections"])]
                        == hand["corrections"]
                    )
                    assert len(found.json()["corrections"]) in (
                        len(hand["corrections"]),
                        len(hand["corrections"]) + 1,
                    )
            else:
                assert found.json() == hand
            if found.status_code == 200:
                assert client.get(f"/v1/hands/{hand_id}/photo").content == ledger.photos[hand_id]
        (living,) = (tmp_path / "photos" / "unfinished").iterdir()
        assert list(living.iterdir()) == [], "half a file"
    check_disk(tmp_path)


def check_disk(folder: Path) -> None:
    """Every file is whole and known, and once nothing is under way every one is needed."""
    storage = Storage(folder)
    storage.open()
    try:
        files = {path.name: path for path in (folder / "photos").rglob("*") if path.is_file()}
        assert all(sha256(path.read_bytes()).hexdigest() == name for name, path in files.items())
        with storage.database.session(write=False) as session:
            assert session.scalar(text("PRAGMA integrity_check")) == "ok"
            known = set(session.scalars(select(PhotoRow.sha256)))
            needed = set(session.scalars(select(HandPhotoRow.sha256)))
            assert session.scalars(select(HandRow.id).where(~HandRow.photos.any())).all() == []
            assert len(session.scalars(select(IdempotencyRow.hand_id)).all()) == len(
                session.scalars(select(HandRow.id)).all()
            )
        assert needed <= set(files) <= known
        with storage.database.session() as session:
            session.execute(
                text(
                    "UPDATE photos SET unused_since = '2020-01-01 00:00:00' "
                    "WHERE unused_since IS NOT NULL"
                )
            )
        storage.sweep()
        assert {path.name for path in (folder / "photos").rglob("*") if path.is_file()} == needed
    finally:
        storage.close()


def die() -> None:
    """As kill -9."""
    os.kill(os.getpid(), signal.SIGKILL)


class HalfWritten(io.FileIO):
    """A file whose writer dies in the middle of what it writes."""

    def write(self, data: Any, /) -> int:
        super().write(data[: len(data) // 2])
        die()
        return 0


def store_and_die(folder: str, step: str) -> None:
    """Store a hand and die at a step of it."""
    storage = Storage(Path(folder))
    storage.open()
    commits = iter(("first commit", "second commit", "third commit"))

    @event.listens_for(storage.database.engine, "commit")
    def at_commit(_connection: object) -> None:
        if next(commits) == step:
            die()

    original_open, original_sync, original_rename = Path.open, os.fsync, Path.rename

    def opened(path: Path, *args: Any, **options: Any) -> Any:
        writes = bool(args) and "w" in args[0]
        return (
            HalfWritten(path, "w")
            if writes and step == "half written"
            else original_open(path, *args, **options)
        )

    def synced(descriptor: int) -> None:
        if step == "before sync":
            die()
        original_sync(descriptor)

    def renamed(path: Path, target: Path) -> Path:
        if step == "before rename":
            die()
        result = original_rename(path, target)
        if step == "after rename":
            die()
        return result

    with (
        patch.object(Path, "open", opened),
        patch.object(os, "fsync", synced),
        patch.object(Path, "rename", renamed),
    ):
        keep(storage, PHOTO)
    die()


PHOTO = b"a photo of a hand" * 1000
STEPS = (
    "first commit",
    "half written",
    "before sync",
    "before rename",
    "after rename",
    "second commit",
    "third commit",
    "acknowledged",
)


IN_EVERY_RUN = {"half written", "third commit", "acknowledged"}


@pytest.mark.parametrize(
    "step",
    [one if one in IN_EVERY_RUN else pytest.param(one, marks=pytest.mark.nightly) for one in STEPS],
)
def test_a_process_that_dies_at_any_step_leaves_all_or_nothing(tmp_path: Path, step: str) -> None:
    process = CONTEXT.Process(target=store_and_die, args=(str(tmp_path), step))
    process.start()
    process.join(60)
    assert process.exitcode == -signal.SIGKILL
    storage = Storage(tmp_path)
    storage.open()
    with storage.database.session(write=False) as session:
        ids = session.scalars(select(HandRow.id)).all()
    assert len(ids) == (1 if step == "acknowledged" else 0)
    (mine,) = (tmp_path / "photos" / "unfinished").iterdir()
    assert list(mine.iterdir()) == []
    again = keep(storage, PHOTO)
    assert storage.photos.get(again.photos[0].sha256) == PHOTO
    storage.close()
    check_disk(tmp_path)
