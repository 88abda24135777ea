"""``deploy/ray/serve.yaml`` as it stands, deployed on a Ray cluster of one machine: streams through
its ingress, readers that follow the queue, other weights by ``user_config``.
"""

from __future__ import annotations

import copy
import json
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.sync.client import connect

from hupai.api.scale.application import APP
from tests.api import postgres
from tests.api.overlay.service import READY, Events, entered, make_table
from tests.api.redis_server import Redis
from tests.api.s3_server import S3
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
from tests.shared import ROOT

ray = pytest.importorskip("ray", reason="no Ray here: pip install 'hupai[ray]'")
pytest.importorskip("ray.cluster_utils")
serve = pytest.importorskip("ray.serve", reason="no Ray Serve here: pip install 'hupai[ray]'")
schema = pytest.importorskip("ray.serve.schema")
yaml = pytest.importorskip("yaml")

pytestmark = [
    pytest.mark.timeout(PATIENCE),
    # Ray and its libraries leave sockets and deprecations behind.
    pytest.mark.filterwarnings("ignore"),
]


@dataclass
class Deployed:
    """What ``serve deploy`` made.

    Attributes:
        config: the document, with this machine's addresses.
        address: of Ray's proxy.
        folder: the data folder.
    """

    config: dict[str, Any]
    address: str
    folder: Path

    @property
    def application(self) -> dict[str, Any]:
        """The one application of the document."""
        (found,) = self.config["applications"]
        assert isinstance(found, dict)
        return found

    @property
    def reader(self) -> dict[str, Any]:
        """The deployment that reads."""
        (found,) = (one for one in self.application["deployments"] if one["name"] == "Recogniser")
        assert isinstance(found, dict)
        return found

    @property
    def database_url(self) -> str:
        """Where the rows are."""
        return str(self.application["runtime_env"]["env_vars"]["HUPAI_DATABASE_URL"])

    def deploy(self) -> None:
        """Do what ``serve deploy`` does, and wait until it is done."""
        client = serve.context._get_global_client()
        client.deploy_apps(schema.ServeDeploySchema.model_validate(copy.deepcopy(self.config)))
        wait_until(self.is_running)

    def is_running(self) -> bool:
        """Whether everything is as the document says."""
        message = serve.status().applications[APP]
        assert message.status not in ("DEPLOY_FAILED", "UNHEALTHY"), message.message
        return bool(message.status == "RUNNING")


@pytest.fixture(scope="module")
def deployed(
    postgresql: str, redis: Redis, s3: S3, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Deployed]:
    folder, port = tmp_path_factory.mktemp("ray"), free_port()
    config = yaml.safe_load((ROOT / "deploy" / "ray" / "serve.yaml").read_text(encoding="utf-8"))
    config["http_options"] |= {"host": "127.0.0.1", "port": port}
    made = Deployed(config, f"http://127.0.0.1:{port}", folder)
    made.application["runtime_env"]["env_vars"] |= {
        "HUPAI_DATABASE_URL": postgres.fresh(postgresql),
        "HUPAI_REDIS_URL": redis.url,
        "HUPAI_PHOTOS_URL": f"{s3.bucket()}/photos",
        "HUPAI_DATA_DIR": str(folder),
        "HUPAI_REQUIRE_KEYS": "false",
        "HUPAI_RATE_LIMIT": "0",
        **s3.environment,
    }
    made.reader["autoscaling_config"] |= {
        "min_replicas": 1,
        "max_replicas": 2,
        "upscale_delay_s": 1,
        "downscale_delay_s": 10,
    }
    set_up_environment()
    cluster = ray.cluster_utils.Cluster(
        initialize_head=True,
        head_node_args={
            "num_cpus": 2,
            "object_store_memory": STORE_BYTES,
            "include_dashboard": False,
        },
    )
    try:
        ray.init(address=cluster.address, logging_level="error", log_to_driver=False)
        serve.start(proxy_location="HeadOnly", http_options=config["http_options"])
        made.deploy()
        yield made
        serve.shutdown()
    finally:
        ray.shutdown()
        cluster.shutdown()


def test_events_and_operators_through_the_ingress(deployed: Deployed) -> None:
    with httpx.Client(base_url=deployed.address, timeout=60) as client:
        make_table(client, "on-ray")
        first = Events(deployed.address, "on-ray")
        assert first.next(60).name == "snapshot"
        entered(client, table="on-ray", approve=True)
        entered(client, "west", READY, table="on-ray", approve=True)
        entered(client, notation=READY, table="on-ray", approve=True)
        assert [first.next(60).number for _ in range(3)] == [1, 2, 3]
        for _ in range(6):  # each is given to one of the app processes
            resumed = Events(deployed.address, "on-ray", last=1)
            assert [resumed.next(60).number, resumed.next(60).number] == [2, 3]
        where = f"{deployed.address.replace('http', 'ws')}/v1/tables/on-ray/operator"
        with connect(where) as one, connect(where) as two:
            command = {"do": "player", "seat": "east", "player": "Wu"}
            one.send(json.dumps({"id": 1, "command": command}))
            for line in (one, two):
                while True:
                    message = json.loads(line.recv(timeout=60))
                    if (
                        message["type"] == "state"
                        and message["state"]["seats"][0]["player"] == "Wu"
                    ):
                        break


def test_readers_follow_the_queue(deployed: Deployed) -> None:
    assert len(readers()) == 1

    most = 0

    def watch(posted: Posted) -> None:
        nonlocal most
        while len(posted.acknowledged) < 40:
            most = max(most, len(readers()))
            time.sleep(0.5)

    def grow() -> bool:
        posted = post_all(deployed.address, 40, meanwhile=watch)
        assert posted.answers == {200: 40}, "a request was refused"
        check_stored(deployed.folder, deployed.database_url, posted)
        return most == 2

    wait_until(grow)
    wait_until(lambda: len(readers()) == 1)


def test_weights_of_user_config_are_taken_in_place(deployed: Deployed, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(ROOT / "models" / "weights", other / "weights")
    shutil.copy(ROOT / "models" / "registry.toml", other)
    deployed.reader["autoscaling_config"]["min_replicas"] = 2
    deployed.deploy()
    wait_until(lambda: len(readers()) == 2)
    before = set(readers())

    def change(posted: Posted) -> None:
        wait_until(lambda: len(posted.acknowledged) >= 6)
        deployed.reader["user_config"] = {"model": str(other)}
        deployed.deploy()

    posted = post_all(deployed.address, 24, meanwhile=change)
    assert (posted.answers, posted.lost_connections) == ({200: 24}, 0), "a request was lost"
    check_stored(deployed.folder, deployed.database_url, posted)
    after = readers()
    assert set(after) == before, "readers were started anew"
    assert {one["model"] for one in after.values()} == {str(other)}
