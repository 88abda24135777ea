"""What clients get while PostgreSQL, Redis or the object store is away, and that nothing
acknowledged is lost. A full disk is in tests/api/storage/test_storage.py, replicas that end in
test_remote_reader.py and test_ray.py.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from hupai.api.app.factory import create_app
from hupai.api.storage import photos
from hupai.api.web.settings import Settings
from tests.api import postgres
from tests.api.redis_server import INSTALLED, MISSING, running
from tests.api.s3_server import S3
from tests.api.service import MCR, RecordedReader, client_of, photo_file, picture, recorded_reading


@contextmanager
def service(folder: Path, **settings: object) -> Iterator[httpx.Client]:
    """A service that reads a recorded reading."""
    given = Settings(preload=False, data_dir=str(folder), **settings)  # type: ignore[arg-type]
    with client_of(create_app(given, RecordedReader(recorded_reading()))) as client:
        client.timeout = httpx.Timeout(60)
        yield client


def send(client: httpx.Client, key: str | None = None) -> httpx.Response:
    return client.post(
        "/v1/hands",
        files=photo_file(picture(form="PNG") + uuid.uuid4().bytes),
        data={"rules": MCR},
        headers={"idempotency-key": key or uuid.uuid4().hex},
    )


def refused(answer: httpx.Response) -> str:
    """The type of the problem of an answer that says when to come again."""
    assert answer.status_code == 503, answer.text
    assert int(answer.headers["retry-after"]) >= 1
    assert answer.headers["content-type"] == "application/problem+json"
    return str(answer.json()["type"]).rpartition("/")[2]


@pytest.mark.nightly
def test_postgresql_unreachable(postgresql: str, tmp_path: Path) -> None:
    with service(tmp_path, database_url=postgres.fresh(postgresql)) as client:
        kept = send(client).headers["location"]
        with postgres.away(postgresql):
            key = uuid.uuid4().hex
            assert refused(send(client, key)) == "storage-unavailable"
            assert refused(client.get(kept)) == "storage-unavailable"
            assert refused(client.get("/readiness")) == "storage-unavailable"
            assert client.get("/healthz").is_success
            body = {"rules": MCR, "notation": "19m19p19sESWNCFP+1m"}
            assert client.post("/v1/scores", json=body).is_success, "scoring needs no database"
        assert send(client, key).is_success
        assert client.get(kept).is_success
        assert len(client.get("/v1/hands").json()["hands"]) == 2


@pytest.mark.skipif(not INSTALLED, reason=MISSING)
def test_redis_unreachable(tmp_path: Path) -> None:
    with running() as redis, service(tmp_path, redis_url=redis.url) as client:
        key, photo = uuid.uuid4().hex, picture()
        form = {"files": photo_file(photo), "data": {"rules": MCR}}
        first = client.post("/v1/hands", headers={"idempotency-key": key}, **form)  # type: ignore[arg-type]
        redis.stop()
        again = client.post("/v1/hands", headers={"idempotency-key": key}, **form)  # type: ignore[arg-type]
        assert again.json()["id"] == first.json()["id"]
        assert again.headers["idempotency-replayed"] == "true"
        new = send(client)
        assert new.is_success, "without Redis photos are read and kept all the same"
        assert "ratelimit" in new.headers, "the process counts for itself"
        redis.start()
        assert send(client).is_success


@pytest.mark.nightly
def test_object_store_refusing(tmp_path: Path, s3: S3, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in s3.environment.items():
        monkeypatch.setenv(name, value)
    with service(tmp_path, photos_url=f"{s3.bucket()}-not-there/photos") as client:
        assert refused(send(client)) == "storage-unavailable"
        assert client.get("/v1/hands").json()["hands"] == []


@pytest.mark.nightly
def test_object_store_slow(tmp_path: Path, s3: S3, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in s3.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(photos, "ANSWER_SECONDS", 2.0)
    with service(tmp_path, photos_url=f"{s3.bucket()}/photos") as client:
        kept = send(client).headers["location"]
        key = uuid.uuid4().hex
        s3.freeze()
        try:
            started = time.monotonic()
            assert refused(send(client, key)) == "storage-unavailable"
            assert time.monotonic() - started < 8 * photos.ANSWER_SECONDS, "it waited on in silence"
            assert client.get(kept).is_success, "rows need no object store"
        finally:
            s3.thaw()
        assert send(client, key).is_success
        assert client.get(f"{kept}/photo").is_success
        assert len(client.get("/v1/hands").json()["hands"]) == 2
