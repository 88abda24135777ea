"""The service on a Ray cluster of three raylets: photos are read and stored while a reader has no
memory, takes other weights, is killed, and while a raylet is.

Starting Ray takes most of the time. The profile ``nightly`` does all of it, with 300 photos;
otherwise there are few, and only where the extra ``ray`` is installed.
"""

from __future__ import annotations

import os
import resource
import shutil
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from hupai.api.scale.application import APP, Arguments, assemble
from hupai.api.web.settings import Settings
from tests.api import postgres
from tests.api.scale.ray_posting import (
    PATIENCE,
    STORE_BYTES,
    Posted,
    check_stored,
    free_port,
    post_all,
    readers,
    set_up_environment,
    wait_until,
)
from tests.api.service import MCR, photo_file
from tests.profile import NIGHTLY
from tests.shared import ROOT

ray = pytest.importorskip("ray", reason="no Ray here: pip install 'hupai[ray]'")
pytest.importorskip("ray.cluster_utils")
serve = pytest.importorskip("ray.serve", reason="no Ray Serve here: pip install 'hupai[ray]'")

PHOTOS = 300 if NIGHTLY else 24

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
    set_up_environment()
    cluster = ray.cluster_utils.Cluster(
        initialize_head=True,
        head_node_args={
            "num_cpus": 1,
            "object_store_memory": STORE_BYTES,
            "include_dashboard": False,
        },
    )
    nodes = [cluster.add_node(num_cpus=1, object_store_memory=STORE_BYTES) for _ in range(2)]
    try:
        ray.init(address=cluster.address, logging_level="error", log_to_driver=False)
        serve.start(proxy_location="HeadOnly", http_options={"host": "127.0.0.1", "port": port})
        serve.run(assemble(Arguments(replicas=2, queued=16), settings), name=APP, route_prefix="/")
        yield Running(cluster, nodes, f"http://127.0.0.1:{port}", settings)
        serve.shutdown()
    finally:
        ray.shutdown()
        cluster.shutdown()


def post(running: Running, count: int, *, meanwhile: Callable[[Posted], None]) -> Posted:
    """Post photos to the cluster, and do something meanwhile."""
    return post_all(running.address, count, meanwhile=meanwhile)


def check(running: Running, posted: Posted) -> None:
    """Check that every acknowledged hand is stored, and no photo twice."""
    check_stored(Path(running.settings.data_dir), running.settings.database_url, posted)


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
    large = httpx.post(
        f"{running.address}/v1/recognitions",
        files=photo_file(photo + bytes(6_000_000)),
        timeout=PATIENCE,
    )
    assert large.is_success, "gRPC takes 4 MB where no other limit is set"
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

    check(running, post(running, 24, meanwhile=starve))
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

    posted = post(running, 24, meanwhile=deploy)
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

    posted = post(running, PHOTOS, meanwhile=end)
    print(posted.answers, "connections lost:", posted.lost_connections)
    check(running, posted)
