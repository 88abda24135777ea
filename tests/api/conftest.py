"""Fixtures of the tests of the service."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from hupai.api.app.factory import create_app
from hupai.api.web.settings import Settings
from tests.api import postgres, redis_server, s3_server
from tests.api.redis_server import Redis
from tests.api.s3_server import S3
from tests.api.service import RecordedReader, client_of, recorded_reading


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


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    """A client of a service that reads `recorded_reading` on every photo.

    Modules that need other settings or another reader define a `client` of their own.
    """
    app = create_app(Settings(preload=False), RecordedReader(recorded_reading()))
    with client_of(app) as client:
        yield client
