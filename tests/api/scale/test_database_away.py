"""PostgreSQL ends and comes back while photos are read, an overlay is followed and an operator
works: by default for `AWAY` seconds, for 30 s in the profile ``nightly``.
"""

from __future__ import annotations

import json
import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.sync.client import ClientConnection, connect

from hupai.api.app.factory import create_app
from hupai.api.storage import answering
from hupai.api.web.settings import Settings
from tests.api import postgres
from tests.api.overlay.service import READY, Events, entered, make_table
from tests.api.scale.round_robin import AppProcess, balanced
from tests.api.service import MCR, RecordedReader, client_of, photo_file, picture, recorded_reading
from tests.api.service import wait_until as wait
from tests.profile import NIGHTLY

pytestmark = [pytest.mark.timeout(480), pytest.mark.nightly]

AWAY = 30.0 if NIGHTLY else 3.0
"""Seconds without PostgreSQL."""
PATIENCE = 60.0
"""Seconds within which a client has its answer, on a busy machine too."""
PROBLEM = "storage-unavailable"
RENAMED = {"do": "player", "seat": "east", "player": "Wu"}
"""What the operator asks for."""


@dataclass
class Phones:
    """What phones got that post photo after photo.

    Attributes:
        kept: hands that were acknowledged, by idempotency key.
        refused: how many requests were refused.
        longest: seconds that the slowest answer took.
        ended: set once they are to stop.
        without: set while there is no database for certain.
    """

    address: str
    kept: dict[str, str] = field(default_factory=dict)
    refused: int = 0
    longest: float = 0.0
    ended: threading.Event = field(default_factory=threading.Event)
    without: threading.Event = field(default_factory=threading.Event)

    def post_for_ever(self) -> None:
        """Post photos; each that is refused again, under the same key, until it is kept."""
        while not self.ended.is_set():
            key, photo = uuid.uuid4().hex, picture(form="PNG") + uuid.uuid4().bytes
            while key not in self.kept:
                self.post(key, photo)

    def post(self, key: str, photo: bytes) -> None:
        """Post a photo once."""
        began, without = time.monotonic(), self.without.is_set()
        answer = httpx.post(
            f"{self.address}/v1/hands",
            files=photo_file(photo),
            data={"rules": MCR},
            headers={"idempotency-key": key},
            timeout=120,
        )
        self.longest = max(self.longest, time.monotonic() - began)
        if answer.is_success:
            assert not (without and self.without.is_set()), "kept without a database"
            self.kept[key] = answer.json()["id"]
            return
        assert problem(answer) == PROBLEM
        self.refused += 1
        time.sleep(0.2)


def problem(answer: httpx.Response) -> str:
    """The type of the problem of an answer that says when to come again."""
    assert answer.status_code == 503, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert int(answer.headers["retry-after"]) >= 1
    return str(answer.json()["type"]).rpartition("/")[2]


def test_postgresql_ends_under_load_and_comes_back(postgresql: str, tmp_path: Path) -> None:
    environment = {
        "HUPAI_DATABASE_URL": postgres.fresh(postgresql),
        "HUPAI_PHOTOS_URL": str(tmp_path / "photos"),
        "HUPAI_RATE_LIMIT": "0",
        "HUPAI_TEST_SECONDS": "0.3",  # so that photos are being read when the database ends
    }
    apps = [
        AppProcess(
            {**environment, "HUPAI_DATA_DIR": str(tmp_path / name)}, tmp_path / f"{name}.log"
        )
        for name in ("one", "two")
    ]
    try:
        for app in apps:
            app.wait()
        with balanced([app.address for app in apps]) as balancer:
            check_outage(postgresql, balancer.address)
        for app in apps:
            assert app.process.poll() is None, "a process ended"
    finally:
        for app in apps:
            app.kill()


def check_outage(postgresql: str, address: str) -> None:
    phones = Phones(address)
    with httpx.Client(base_url=address, timeout=120) as client, ThreadPoolExecutor(4) as threads:
        make_table(client, "kept")
        stream = Events(address, "kept")
        assert stream.next(60).name == "snapshot"
        entered(client, table="kept", approve=True)
        assert stream.next(60).number == 1
        where = f"{address.replace('http', 'ws')}/v1/tables/kept/operator"
        with connect(where) as operator:
            jobs = [threads.submit(phones.post_for_ever) for _ in range(4)]
            try:
                wait(lambda: len(phones.kept) >= 4, 120)
                with postgres.away(postgresql):
                    phones.without.set()
                    back = time.monotonic() + AWAY
                    wait(lambda: phones.refused >= 4, 120)
                    operator.send(json.dumps({"id": 1, "command": RENAMED}))
                    assert answer_to(operator, 1)["problem"].endswith(PROBLEM)
                    assert problem(client.get("/readiness")) == PROBLEM
                    assert problem(client.get("/v1/tables/kept/events")) == PROBLEM
                    assert client.get("/healthz").is_success
                    time.sleep(max(0.0, back - time.monotonic()))
                    phones.without.clear()
                before = len(phones.kept)
                wait(lambda: len(phones.kept) >= before + 8, 120)
                assert client.get("/readiness").is_success
            finally:
                phones.ended.set()
            for job in jobs:
                job.result(120)
            operator.send(json.dumps({"id": 2, "command": RENAMED}))
            assert answer_to(operator, 2)["type"] == "done"
        entered(client, "west", READY, table="kept", approve=True)
        assert not stream.ended, "the overlay's stream broke off"
        number, name = 1, ""
        while name != "hand":  # what the operator did may be an event of its own
            event = stream.next(60)
            name, number = event.name, number + 1
            assert event.number == number, "an event is missing"
        for kept in phones.kept.values():
            assert client.get(f"/v1/hands/{kept}").is_success, "an acknowledged hand is lost"
    assert len(set(phones.kept.values())) == len(phones.kept)
    assert phones.longest < PATIENCE, "a client was left waiting"


def answer_to(operator: ClientConnection, number: int) -> dict[str, Any]:
    """What the service says to a command."""
    while True:
        message: dict[str, Any] = json.loads(operator.recv(timeout=90))
        if message["type"] in ("done", "problem") and message.get("id") == number:
            return message


def test_an_unresponsive_postgresql_times_out(
    postgresql: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answering.AnsweringConnection, "seconds", 1.0)
    url = postgres.fresh(postgresql)
    settings = Settings(preload=False, data_dir=str(tmp_path), database_url=url)
    with client_of(create_app(settings, RecordedReader(recorded_reading()))) as client:
        client.timeout = httpx.Timeout(120)
        phones = Phones(str(client.base_url))
        phones.post("before", picture(form="PNG"))
        photo = picture(form="PNG") + b"during"
        with postgres.silent(postgresql):
            phones.post("during", photo)
            assert problem(client.get(f"/v1/hands/{phones.kept['before']}")) == PROBLEM
            assert problem(client.get("/readiness")) == PROBLEM
        assert phones.refused == 1
        assert phones.longest < PATIENCE, "it waited on in silence"
        wait(lambda: client.get("/readiness").is_success, 120)

        def is_kept() -> bool:  # on a busy machine an answer may again take more than a second
            phones.post("during", photo)
            return "during" in phones.kept

        wait(is_kept, 120)
        assert len(client.get("/v1/hands").json()["hands"]) == 2
