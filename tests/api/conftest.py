"""Fixtures of the tests of the service."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.api import postgres, redis_server, s3_server
from tests.api.redis_server import Redis
from tests.api.s3_server import S3


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """A PostgreSQL server, see `postgres.fresh`."""
    binaries = postgres.programs()
    if binaries is None:
        pytest.skip(postgres.MISSING)
    with postgres.server(binaries) as url:
        yield url


@pytest.fixture(scope="session")
def s3() -> Iterator[S3]:
    """A running S3 server."""
    if not s3_server.INSTALLED:
        pytest.skip(s3_server.MISSING)
    with s3_server.running() as server:
        yield server


@pytest.fixture(scope="session")
def redis() -> Iterator[Redis]:
    """A running Redis."""
    if not redis_server.INSTALLED:
        pytest.skip(redis_server.MISSING)
    with redis_server.running() as server:
        yield server
