"""The service on a Ray cluster of three raylets, of which one ends while photos are posted, and a
replica too.

Starting Ray takes most of the time. The profile ``nightly`` posts 300 photos; otherwise there are
few, and only where the extra ``ray`` is installed.
"""

from __future__ import annotations

import os
import random
import signal
import socket
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any

import httpx
import pytest
from sqlalchemy import func, select

from hupai.api.scale.application import APP, RECOGNISER, Arguments, build
from hupai.api.storage import Storage
from hupai.api.storage.rows import HandRow
from hupai.api.web.settings import Settings
from tests.api import postgres
from tests.api.service import MCR, photo_file
from tests.shared import ROOT

ray = pytest.importorskip("ray", reason="no Ray here: pip install 'hupai[ray]'")
pytest.importorskip("ray.cluster_utils")
serve = pytest.importorskip("ray.serve", reason="no Ray Serve here: pip install 'hupai[ray]'")

NIGHTLY = os.environ.get("HUPAI_TEST_PROFILE") == "nightly"
PHOTOS = 300 if NIGHTLY else 24
PATIENCE = float(os.environ.get("HUPAI_TEST_RAY_SECONDS", "900" if NIGHTLY else "120"))
"""Seconds that all may take; a busy machine needs more."""
_BYTES = 100 * 1024 * 1024

pytestmark = [
    pytest.mark.timeout(PATIENCE),
    # Ray and its libraries leave sockets and deprecations behind.
    pytest.mark.filterwarnings("ignore"),
]


@dataclass
class Running:
    """A cluster with the service on it."""

    cluster: Any
    nodes: list[Any]
    address: str
    settings: Settings


def free_port() -> int:
    """A port that neither the system nor Ray gives to anybody else before the proxy takes it."""
    for port in random.sample(range(20000, 30000), 50):
        with socket.socket() as free, suppress(OSError):
            free.bind(("127.0.0.1", port))
            return port
    raise AssertionError("no free port")


@pytest.fixture(scope="module")
def running(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("ray")
    port = free_port()
    url = ""
    if postgres.programs() is not None:
        url = postgres.fresh(request.getfixturevalue("postgresql"))
    settings = Settings(
        port=port, data_dir=str(folder), database_url=url, rate_limit=0, threads=1, preload=False
    )
    os.environ["PYTHONPATH"] = f"{ROOT / 'src'}:{ROOT}"
    os.environ.update(
        {
            "RAY_AUTH_MODE": "disabled",
            "RAY_USAGE_STATS_ENABLED": "0",
            "RAY_SERVE_PROXY_READY_CHECK_TIMEOUT_S": str(PATIENCE),
            "RAY_SERVE_PROXY_HEALTH_CHECK_TIMEOUT_S": str(PATIENCE),
            "RAY_worker_register_timeout_seconds": str(int(PATIENCE)),
        }
    )
    cluster = ray.cluster_utils.Cluster(
        initialize_head=True,
        head_node_args={
            "num_cpus": 1,
            "object_store_memory": _BYTES,
            "include_dashboard": False,
        },
    )
    nodes = [cluster.add_node(num_cpus=1, object_store_memory=_BYTES) for _ in range(2)]
    try:
        ray.init(address=cluster.address, logging_level="error", log_to_driver=False)
        serve.start(proxy_location="HeadOnly", http_options={"host": "127.0.0.1", "port": port})
        serve.run(build(Arguments(replicas=2, queued=4), settings), name=APP, route_prefix="/")
        yield Running(cluster, nodes, f"http://127.0.0.1:{port}", settings)
        serve.shutdown()
    finally:
        ray.shutdown()
        cluster.shutdown()


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


def reader_pids(running: Running) -> set[int]:
    """Processes of the replicas that read."""
    handle = serve.get_deployment_handle(RECOGNISER, app_name=APP)
    states = [handle.state.remote().result(timeout_s=PATIENCE) for _ in range(4)]
    return {state["pid"] for state in states}


def test_photos_are_read_and_stored(running: Running) -> None:
    photo = (ROOT / "examples" / "concealed-kong.jpg").read_bytes()
    answer = httpx.post(
        f"{running.address}/v1/hands",
        files=photo_file(photo),
        data={"rules": MCR},
        timeout=PATIENCE,
    )
    assert answer.is_success, answer.text
    assert answer.json()["result"]["notation"]
    assert httpx.get(f"{running.address}{answer.headers['location']}", timeout=60).is_success
    refused = httpx.post(
        f"{running.address}/v1/recognitions",
        files=photo_file(b"\xff\xd8\xff no photo"),
        timeout=PATIENCE,
    )
    assert refused.status_code in (415, 422), refused.text


def test_nothing_acknowledged_is_lost_while_a_raylet_and_a_replica_end(running: Running) -> None:
    posted, ended = Posted(), Event()
    scene = (ROOT / "examples" / "concealed-kong.jpg").read_bytes()
    photos = [scene + uuid.uuid4().bytes for _ in range(PHOTOS)]
    pid = min(reader_pids(running))
    with ThreadPoolExecutor(8) as threads:
        jobs = [
            threads.submit(post_until_acknowledged, running.address, photo, posted, ended)
            for photo in photos
        ]
        try:
            while len(posted.acknowledged) < PHOTOS // 4:
                time.sleep(0.1)
            os.kill(pid, signal.SIGKILL)
            while len(posted.acknowledged) < PHOTOS // 2:
                time.sleep(0.1)
            running.cluster.remove_node(running.nodes[1], allow_graceful=False)
            for job in jobs:
                job.result(PATIENCE)
        finally:
            ended.set()
    print(posted.answers, "connections lost:", posted.lost_connections)
    assert len(posted.acknowledged) == PHOTOS
    assert len(set(posted.acknowledged.values())) == PHOTOS
    storage = Storage(Path(running.settings.data_dir), running.settings.database_url)
    try:
        with storage.database.session(write=False) as session:
            stored = set(session.scalars(select(HandRow.id)))
            keys = session.scalar(select(func.count()).select_from(HandRow))
    finally:
        storage.close()
    assert set(posted.acknowledged.values()) <= stored, "an acknowledged hand is not stored"
    assert keys == PHOTOS + 1, "a photo was stored twice"
