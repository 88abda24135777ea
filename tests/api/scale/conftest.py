"""A cluster for the tests of this folder: PostgreSQL, Redis, an S3 server and two app processes."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.api import postgres
from tests.api.redis_server import Redis
from tests.api.s3_server import S3
from tests.api.scale.round_robin import AppProcess, Balancer, balanced


@dataclass(frozen=True)
class Cluster:
    """What runs.

    Attributes:
        apps: the processes.
        balancer: in front of them.
        environment: settings that the processes share.
    """

    apps: list[AppProcess]
    balancer: Balancer
    environment: dict[str, str]


@pytest.fixture(scope="module")
def cluster(
    postgresql: str, redis: Redis, s3: S3, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Cluster]:
    """Two app processes that share nothing but PostgreSQL, Redis and S3, behind a round-robin."""
    folder = tmp_path_factory.mktemp("cluster")
    environment = {
        "HUPAI_DATABASE_URL": postgres.fresh(postgresql),
        "HUPAI_REDIS_URL": redis.url,
        "HUPAI_PHOTOS_URL": f"{s3.bucket()}/photos",
        "HUPAI_TEST_SECONDS": "0.5",
        "HUPAI_TEST_POLL": "3600",
        "HUPAI_RATE_LIMIT": "100000",
        **s3.environment,
    }
    apps = [
        AppProcess({**environment, "HUPAI_DATA_DIR": str(folder / name)}, folder / f"{name}.log")
        for name in ("one", "two")
    ]
    try:
        for app in apps:
            app.wait()
        with balanced([app.address for app in apps]) as balancer:
            yield Cluster(apps, balancer, environment)
    finally:
        for app in apps:
            app.kill()
        shutil.rmtree(folder, ignore_errors=True)
