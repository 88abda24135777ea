"""What the tests on Ray share: phones that post photos, what readers tell, what is stored."""

from __future__ import annotations

import os
import random
import socket
import time
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any

import httpx
from sqlalchemy import select

from hupai.api.scale.application import APP, RAY_SETTINGS, RECOGNISER
from hupai.api.storage import Storage
from hupai.api.storage.rows import HandPhotoRow, HandRow
from tests.api.service import MCR, photo_file
from tests.profile import NIGHTLY
from tests.shared import ROOT

PATIENCE = float(os.environ.get("HUPAI_TEST_RAY_SECONDS", "900" if NIGHTLY else "240"))
"""Seconds that all may take; a busy machine needs more."""
STORE_BYTES = 100 * 1024 * 1024
"""Ray's memory for photos on their way, on each raylet."""


def set_up_environment() -> None:
    """Set what Ray's processes take from the environment."""
    os.environ["PYTHONPATH"] = f"{ROOT / 'src'}:{ROOT}"
    os.environ.update(
        {
            **RAY_SETTINGS,
            "RAY_AUTH_MODE": "disabled",
            "RAY_USAGE_STATS_ENABLED": "0",
            "RAY_SERVE_PROXY_READY_CHECK_TIMEOUT_S": str(PATIENCE),
            "RAY_SERVE_PROXY_HEALTH_CHECK_TIMEOUT_S": str(PATIENCE),
            "RAY_worker_register_timeout_seconds": str(int(PATIENCE)),
        }
    )


def free_port() -> int:
    """A port that neither the system nor Ray gives to anybody else before the proxy takes it."""
    for port in random.sample(range(20000, 30000), 50):
        with socket.socket() as free, suppress(OSError):
            free.bind(("127.0.0.1", port))
            return port
    raise AssertionError("no free port")


@dataclass
class Posted:
    """What became of the photos that were posted."""

    acknowledged: dict[str, str] = field(default_factory=dict)
    answers: dict[int, int] = field(default_factory=dict)
    lost_connections: int = 0


def post_until_acknowledged(address: str, photo: bytes, posted: Posted, ended: Event) -> None:
    """Post a photo as a phone does: after an error the same request again, as the answer says."""
    key = uuid.uuid4().hex
    while not ended.is_set():
        try:
            answer = httpx.post(
                f"{address}/v1/hands",
                files=photo_file(photo),
                data={"rules": MCR},
                headers={"idempotency-key": key},
                timeout=PATIENCE,
            )
        except httpx.HTTPError:
            posted.lost_connections += 1
            time.sleep(0.5)
            continue
        code = answer.status_code
        posted.answers[code] = posted.answers.get(code, 0) + 1
        if answer.is_success:
            posted.acknowledged[key] = str(answer.json()["id"])
            return
        assert code in (429, 500, 502, 503, 504), answer.text
        if code == 429:
            assert int(answer.headers["retry-after"]) >= 1
            assert answer.headers["content-type"] == "application/problem+json"
        time.sleep(min(2.0, float(answer.headers.get("retry-after", "1"))))


def readers() -> dict[int, dict[str, Any]]:
    """What the replicas that read tell of themselves, by process."""
    import ray  # noqa: PLC0415 - whoever calls this has it
    from ray import serve  # noqa: PLC0415

    handle = serve.get_deployment_handle(RECOGNISER, app_name=APP)
    found: dict[int, dict[str, Any]] = {}
    for _ in range(8):
        with suppress(ray.exceptions.RayError):
            state = handle.state.remote().result(timeout_s=PATIENCE)
            found[state["pid"]] = state
    return found


def wait_until(what: Callable[[], bool]) -> None:
    """Wait, as long as all may take."""
    until = time.monotonic() + PATIENCE
    while not what():
        assert time.monotonic() < until
        time.sleep(0.5)


def some_photos(count: int) -> list[bytes]:
    """Photos that differ, so that each is read."""
    scene = (ROOT / "examples" / "concealed-kong.jpg").read_bytes()
    return [scene + uuid.uuid4().bytes for _ in range(count)]


def post_all(address: str, count: int, *, meanwhile: Callable[[Posted], None]) -> Posted:
    """Post photos from eight phones, and do something meanwhile; returns once all are stored."""
    posted, ended = Posted(), Event()
    with ThreadPoolExecutor(8) as threads:
        jobs = [
            threads.submit(post_until_acknowledged, address, photo, posted, ended)
            for photo in some_photos(count)
        ]
        try:
            meanwhile(posted)
            for job in jobs:
                job.result(PATIENCE)
        finally:
            ended.set()
    assert len(posted.acknowledged) == count
    assert len(set(posted.acknowledged.values())) == count
    return posted


def check_stored(folder: Path, database_url: str, posted: Posted) -> None:
    """Check that every acknowledged hand is stored, and no photo twice."""
    storage = Storage(folder, database_url)
    try:
        with storage.database.session(write=False) as session:
            rows = list(session.execute(select(HandRow.id, HandPhotoRow.sha256).join(HandPhotoRow)))
    finally:
        storage.close()
    stored = {str(row.id) for row in rows}
    assert set(posted.acknowledged.values()) <= stored, "an acknowledged hand is not stored"
    assert len({row.sha256 for row in rows}) == len(rows), "a photo was stored twice"
