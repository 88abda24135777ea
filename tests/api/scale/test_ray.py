"""The service on a Ray cluster of three raylets: photos are read and stored while a reader has no
memory, takes other weights, is killed, and while a raylet is.

Starting Ray takes most of the time. The profile ``nightly`` does all of it, with 300 photos;
otherwise there are few, and only where the extra ``ray`` is installed.
"""

from __future__ import annotations

import os
import random
import resource
import shutil
import signal
import socket
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any

import httpx
import pytest
from sqlalchemy import select

from hupai.api.scale.application import APP, RECOGNISER, Arguments, assemble
from hupai.api.storage import Storage
from hupai.api.storage.rows import HandPhotoRow, HandRow
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
        serve.run(assemble(Arguments(replicas=2, queued=16), settings), name=APP, route_prefix="/")
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


def readers() -> dict[int, dict[str, Any]]:
    """What the replicas that read tell of themselves, by process."""
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


def post_all(running: Running, count: int, *, meanwhile: Callable[[Posted], None]) -> Posted:
    """Post photos from eight phones, and do something meanwhile; returns once all are stored."""
    posted, ended = Posted(), Event()
    with ThreadPoolExecutor(8) as threads:
        jobs = [
            threads.submit(post_until_acknowledged, running.address, photo, posted, ended)
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


def check_stored(running: Running, posted: Posted) -> None:
    """Check that every acknowledged hand is stored, and no photo twice."""
    storage = Storage(Path(running.settings.data_dir), running.settings.database_url)
    try:
        with storage.database.session(write=False) as session:
            rows = list(session.execute(select(HandRow.id, HandPhotoRow.sha256).join(HandPhotoRow)))
    finally:
        storage.close()
    stored = {str(row.id) for row in rows}
    assert set(posted.acknowledged.values()) <= stored, "an acknowledged hand is not stored"
    assert len({row.sha256 for row in rows}) == len(rows), "a photo was stored twice"


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


@pytest.mark.skipif(not NIGHTLY, reason="takes minutes: HUPAI_TEST_PROFILE=nightly")
def test_a_reader_without_memory_hands_its_photos_on_and_is_replaced(running: Running) -> None:
    pid = min(readers())

    def starve(posted: Posted) -> None:
        used = int(Path(f"/proc/{pid}/statm").read_text().split()[0]) * resource.getpagesize()
        resource.prlimit(pid, resource.RLIMIT_AS, (used + 1_000_000, used + 1_000_000))

    check_stored(running, post_all(running, 24, meanwhile=starve))
    wait_until(lambda: len(readers()) == 2 and pid not in readers())


@pytest.mark.skipif(not NIGHTLY, reason="takes minutes: HUPAI_TEST_PROFILE=nightly")
def test_other_weights_are_taken_without_a_lost_request(running: Running, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(ROOT / "models" / "weights", other / "weights")
    shutil.copy(ROOT / "models" / "registry.toml", other)
    wanted = Arguments(replicas=2, queued=16, model=str(other))

    def deploy(posted: Posted) -> None:
        wait_until(lambda: len(posted.acknowledged) >= 6)
        serve.run(assemble(wanted, running.settings), name=APP, route_prefix="/")

    posted = post_all(running, 24, meanwhile=deploy)
    assert posted.answers == {200: 24}, "a request was refused"
    assert posted.lost_connections == 0
    assert {one["model"] for one in readers().values()} == {str(other)}


def test_nothing_acknowledged_is_lost_while_a_raylet_and_a_replica_end(running: Running) -> None:
    pid = min(readers())
    raylet = next(
        node
        for node in reversed(running.nodes)
        if any(other["node"] == node.node_id for other in readers().values())
    )

    def end(posted: Posted) -> None:
        wait_until(lambda: len(posted.acknowledged) >= PHOTOS // 4)
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: len(posted.acknowledged) >= PHOTOS // 2)
        running.cluster.remove_node(raylet, allow_graceful=False)

    posted = post_all(running, PHOTOS, meanwhile=end)
    print(posted.answers, "connections lost:", posted.lost_connections)
    check_stored(running, posted)
