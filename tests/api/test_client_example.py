"""The Python client of examples/client: generated from the document as it is, and at work against
the service.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from hupai.api.app.factory import create_app
from hupai.api.auth.keys import KeyStore
from hupai.api.web.settings import Settings
from tests.api.service import MCR, NOTATION, RecordedReader, picture, recorded_reading, served
from tests.shared import ROOT

FOLDER = ROOT / "examples" / "client"


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    """examples/client/generate.py."""
    spec = importlib.util.spec_from_file_location("generate_client", FOLDER / "generate.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str, RecordedReader]]:
    """Address of a service that asks for keys, a key, and what reads its photos."""
    reader = RecordedReader(recorded_reading(winning_known=False))
    app = create_app(
        Settings(preload=False, require_keys=True, data_dir=str(tmp_path_factory.mktemp("data"))),
        reader,
    )
    with served(app) as address:
        yield (
            address,
            KeyStore(app.state.storage.database).add("example", ["operator", "referee"])[0],
            reader,
        )


@pytest.fixture(scope="module")
def module() -> Iterator[Any]:
    """The package hupai_client."""
    sys.path.insert(0, str(FOLDER))
    try:
        yield importlib.import_module("hupai_client")
    finally:
        sys.path.remove(str(FOLDER))


def test_the_client_is_the_one_that_the_document_gives(generator: ModuleType) -> None:
    written = generator.generate(create_app(Settings(preload=False)).openapi())
    files = (FOLDER / "hupai_client").glob("*.py")
    there = {
        path.name: path.read_text(encoding="utf-8") for path in files if path.name != "core.py"
    }
    assert there == written, "run: python examples/client/generate.py"


def test_the_client_reads_corrects_and_scores(
    service: tuple[str, str, RecordedReader], module: Any, tmp_path: Path
) -> None:
    address, key, _ = service
    photo = tmp_path / "hand.jpg"
    photo.write_bytes(picture())
    with module.Client(address, key) as hupai:
        assert hupai.operation.healthz() == {"status": "ok"}
        assert hupai.hands.score(MCR, notation=NOTATION)["score"]["complete"] is True
        kept = hupai.hands.read_and_score(
            photo, MCR, circumstances='{"self_drawn": true}', idempotency_key="one"
        )
        again = hupai.hands.read_and_score(
            photo, MCR, circumstances='{"self_drawn": true}', idempotency_key="one"
        )
        assert kept["id"] == again["id"]
        changed = hupai.hands.change_hand(
            kept["id"], winning_tile="1m", reason="seen", if_match='"1"'
        )
        assert changed["result"]["score"]["complete"] is True
        assert len(hupai.hands.list_hands(limit=1)["hands"]) == 1
        assert hupai.hands.photo(kept["id"]) == photo.read_bytes()
        assert hupai.photos.recognise(photo.read_bytes(), accept="image/png").startswith(b"\x89PNG")
        assert hupai.tiles.tile_svg("5m").startswith("<svg")
        assert hupai.hands.delete_hand(kept["id"]) is None
        with pytest.raises(module.Problem) as caught:
            hupai.hands.get_hand(kept["id"])
        assert (caught.value.status, caught.value.type) == (404, "/problems/not-found")


def test_a_client_without_a_key_is_told_so(
    service: tuple[str, str, RecordedReader], module: Any
) -> None:
    with module.Client(service[0]) as hupai, pytest.raises(module.Problem, match="hupai keys add"):
        hupai.hands.score(MCR, notation=NOTATION)


def test_the_client_waits_as_long_as_it_is_told(
    module: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []
    with served(
        create_app(Settings(preload=False, rate_limit=2), RecordedReader(recorded_reading()))
    ) as address:
        monkeypatch.setattr(module.core.time, "sleep", waited.append)
        with module.Client(address, retries=2) as hupai:
            for _ in range(2):
                hupai.hands.score(MCR, notation=NOTATION)
            with pytest.raises(module.Problem) as caught:
                hupai.hands.score(MCR, notation=NOTATION)
    assert caught.value.type == "/problems/rate-limited"
    assert len(waited) == 2
    assert all(1 <= seconds <= 60 for seconds in waited)


def test_the_example_program_answers_the_question(
    service: tuple[str, str, RecordedReader], tmp_path: Path
) -> None:
    address, key, _ = service
    photo = tmp_path / "hand.jpg"
    photo.write_bytes(picture())
    program = [sys.executable, str(FOLDER / "score_a_photo.py"), str(photo), "--address", address]
    done = subprocess.run(
        [*program, "--key", key], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert "Which tile won?" in done.stdout
    refused = subprocess.run(program, capture_output=True, text=True, check=False, timeout=60)
    assert refused.returncode == 1
    assert "401 /problems/unauthenticated" in refused.stderr
