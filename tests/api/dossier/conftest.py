"""A service with a key for each role, for the tests of the cases."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from hupai.api.app.factory import create_app
from hupai.api.auth.keys import KeyStore
from hupai.api.web.settings import Settings
from hupai.api.web.storage_access import storage_of
from hupai.models import registry
from hupai.vision.pipeline.recogniser import Recogniser
from tests.api.dossier.cases import photo, read
from tests.api.dossier.desk import ROLES, Desk
from tests.api.service import RecordedReader, client_of, recorded_reading


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="module")
def settings(folder: Path) -> Settings:
    return Settings(
        preload=False,
        require_keys=True,
        rate_limit=0,
        data_dir=str(folder),
        public_url="https://club.example/",
    )


@pytest.fixture(scope="module")
def keys(settings: Settings) -> dict[str, str]:
    storage = storage_of(settings)
    storage.open()
    made = {name: KeyStore(storage.database).add(name, scopes)[0] for name, scopes in ROLES.items()}
    storage.close()
    return made


@pytest.fixture(scope="module")
def client(settings: Settings, keys: dict[str, str]) -> Iterator[httpx.Client]:
    with client_of(create_app(settings, RecordedReader(recorded_reading()))) as client:
        yield client


@pytest.fixture(scope="module")
def desk(client: httpx.Client, keys: dict[str, str]) -> Desk:
    return Desk(client, keys)


@pytest.fixture
def installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty data folder, and the recorded reading instead of the model."""
    monkeypatch.setenv("HUPAI_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setattr(registry, "load", lambda name="default", threads=0: object())
    monkeypatch.setattr(
        Recogniser, "read_photo", lambda self, data, name="", rules=None: read(data, name)
    )


@pytest.fixture
def hand(tmp_path: Path) -> Path:
    path = tmp_path / "hand.jpg"
    path.write_bytes(photo())
    return path
