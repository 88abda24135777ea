"""Fixtures of the tests of the service."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.api import postgres


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """A PostgreSQL server, see `postgres.fresh`."""
    binaries = postgres.programs()
    if binaries is None:
        pytest.skip(postgres.MISSING)
    with postgres.server(binaries) as url:
        yield url
