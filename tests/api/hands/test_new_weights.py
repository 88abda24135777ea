"""A running service takes other weights without a restart and without a lost request."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NoReturn

import pytest

from hupai.api.app.factory import create_app
from hupai.api.hands.recognition import ReadingService
from hupai.api.web.metrics import Metrics
from hupai.api.web.problem_types import MODEL_UNAVAILABLE
from hupai.api.web.problems import ApiProblem
from hupai.api.web.settings import Settings
from hupai.models.learning.library import Library
from tests.api.service import RecordedReader, client_of, photo_file, recorded_reading
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


@pytest.mark.nightly
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


class ElsewhereReader(RecordedReader):
    """Stands for processes that read photos: takes weights without opening them."""

    def open(self, weights: str) -> tuple[str, str]:
        return weights, "1"

    def with_tile_set(self, choice: str) -> ElsewhereReader:
        return self

    def read_and_score(self, *_: Any) -> NoReturn:
        raise AssertionError("nothing is read")

    def close(self) -> None:
        pass


@pytest.mark.nightly
def test_tile_sets_are_learnt_with_the_weights_that_read(tmp_path: Path) -> None:
    library = Library(tmp_path / "data" / "models")
    library.add(made(tmp_path / "made", "club"), "club")
    settings = Settings(preload=False, data_dir=str(tmp_path / "data"), threads=1)
    service = ReadingService(settings, Metrics(), processes=ElsewhereReader(recorded_reading()))
    assert service.two_stage().info.name == "default"
    library.use("club")
    assert service.two_stage().info.name == "club"
    library.roll_back()
    assert service.two_stage().info.name == "default"
    library.use("club")
    (library.folder / "club" / "weights" / "detector.onnx").write_bytes(b"no network")
    with pytest.raises(ApiProblem) as refused:
        service.two_stage()
    assert refused.value.kind is MODEL_UNAVAILABLE
    service.close()
