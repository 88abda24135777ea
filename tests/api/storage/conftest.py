"""Fixtures of the tests of storage: an empty database of each kind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hupai.api.storage import Storage
from hupai.api.web.settings import Settings
from hupai.api.web.storage_access import storage_of
from tests.api import postgres
from tests.api.s3_server import S3


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.nightly)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'club.sqlite3'}"
    return postgres.fresh(request.getfixturevalue("postgresql"))


@pytest.fixture
def settings(url: str, tmp_path: Path) -> Settings:
    return Settings(preload=False, rate_limit=0, data_dir=str(tmp_path / "data"), database_url=url)


@pytest.fixture
def photos_in_s3(settings: Settings, s3: S3, monkeypatch: pytest.MonkeyPatch) -> Iterator[Storage]:
    """Storage as a cluster has it: a database of each kind, photos in S3."""
    for name, value in s3.environment.items():
        monkeypatch.setenv(name, value)
    opened = storage_of(settings.model_copy(update={"photos_url": f"{s3.bucket()}/photos"}))
    opened.open()
    yield opened
    opened.close()


@pytest.fixture
def storage(settings: Settings) -> Iterator[Storage]:
    opened = storage_of(settings)
    opened.open()
    yield opened
    opened.close()
