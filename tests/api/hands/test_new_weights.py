"""A running service takes other weights without a restart and without a lost request."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hupai.api.app.factory import create_app
from hupai.api.web.settings import Settings
from hupai.models.learning.library import Library
from tests.api.service import client_of, photo_file
from tests.models.learning.test_library import made
from tests.shared import ROOT

PHOTO = (ROOT / "examples" / "seven-pairs.jpg").read_bytes()


def test_weights_change_while_photos_are_read(tmp_path: Path) -> None:
    library = Library(tmp_path / "data" / "models")
    library.add(made(tmp_path / "made", "club"), "club")
    settings = Settings(
        preload=False, rate_limit=0, data_dir=str(tmp_path / "data"), concurrency=2, threads=1
    )
    with client_of(create_app(settings)) as client, ThreadPoolExecutor(3) as pool:

        def read() -> str:
            answer = client.post("/v1/recognitions", files=photo_file(PHOTO), timeout=120)
            assert answer.status_code == 200, answer.text
            model: dict[str, str] = answer.json()["model"]
            return model["name"]

        assert read() == "default"
        running = [pool.submit(read) for _ in range(3)]
        library.use("club")
        assert {job.result() for job in running} <= {"default", "club"}
        assert read() == "club", "each reading says which weights read it"
        library.roll_back()
        assert read() == "default"


def test_weights_that_do_not_open_leave_the_others_in_place(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    library = Library(tmp_path / "data" / "models")
    library.add(made(tmp_path / "made", "club"), "club")
    settings = Settings(
        preload=False, rate_limit=0, data_dir=str(tmp_path / "data"), concurrency=1, threads=1
    )
    with client_of(create_app(settings)) as client:
        first = client.post("/v1/recognitions", files=photo_file(PHOTO), timeout=120).json()
        library.use("club")
        (library.folder / "club" / "weights" / "detector.onnx").write_bytes(b"no network")
        second = client.post("/v1/recognitions", files=photo_file(PHOTO), timeout=120).json()
    assert first["model"] == second["model"]
    assert "the one before it reads on" in caplog.text
