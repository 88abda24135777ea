"""Processes that read photos: what they answer, and what comes of one that ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import httpx
import pytest

from hupai.api.app.factory import create_app
from hupai.api.contract.hand import CircumstancesModel
from hupai.api.hands.photo_work.scored_reading import ReadingScorer
from hupai.api.readers import pool as pool_module
from hupai.api.readers.photo_request import PhotoRequest
from hupai.api.readers.pool import ReaderProcesses, ReadingFailedError
from hupai.api.web.problems import ApiProblem
from hupai.api.web.settings import Settings
from hupai.models import registry
from hupai.models.learning.library import Library
from hupai.models.registry import WeightsError
from hupai.vision.enrolment.enrol import TileSetError
from hupai.vision.photo.decode import PhotoError
from hupai.vision.pipeline.recogniser import Recogniser
from tests.api.service import MCR, client_of, photo_file, picture, wait_until
from tests.models.learning.test_library import made
from tests.shared import ROOT

PHOTO = (ROOT / "examples" / "seven-pairs.jpg").read_bytes()
SETTINGS = Settings(preload=False, rate_limit=0, threads=1, concurrency=2, separate_readers=True)
REQUEST = PhotoRequest([(PHOTO, "seven-pairs.jpg")], MCR)


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


SPENT: list[float] = []
"""Processor time of each hand that `pool` read, seconds."""


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReaderProcesses]:
    """Two processes with the weights shipped."""
    processes = ReaderProcesses(SETTINGS, tmp_path_factory.mktemp("data"), 2, SPENT.append)
    processes.open("default")
    wait_until(lambda: len(processes.pids) == 2)
    yield processes
    pids = processes.pids
    processes.close()
    assert not any(map(is_running, pids))


def test_a_process_reads_what_this_one_reads(pool: ReaderProcesses) -> None:
    stages: list[str] = []
    found = pool.read(REQUEST, stages.append)
    here = Recogniser(registry.load(threads=1)).read_photo(PHOTO, "seven-pairs.jpg")
    assert found.reading == here.reading
    assert (found.photo, found.model) == (here.photo, here.model)
    assert stages == ["decode", "detect", "layout", "read"]


def test_several_photos_of_one_hand_are_read_together(pool: ReaderProcesses) -> None:
    found = pool.read(replace(REQUEST, photos=[(PHOTO, "one.jpg"), (PHOTO, "two.jpg")]))
    assert [photo.path for photo in found.photos] == ["one.jpg", "two.jpg"]
    assert found.reading.hands


def test_a_hand_is_scored_where_it_is_read(pool: ReaderProcesses) -> None:
    stages: list[str] = []
    scorer = ReadingScorer("mcr-1998", CircumstancesModel(self_drawn=True), None)
    found = pool.read_and_score(REQUEST, stages.append, scorer)
    assert stages == ["decode", "detect", "layout", "read", "score"]
    assert found.scored == scorer(found.reading)
    assert found.scored is not None
    assert found.scored.outcome.result is not None
    again = pool.read_and_score(REQUEST)
    assert again.scored is None
    assert SPENT[-2:] == [found.processor, again.processor]
    assert again.processor > 0


def test_what_is_no_photo_is_refused_as_here(pool: ReaderProcesses) -> None:
    with pytest.raises(PhotoError, match=r"notes\.txt: the content is text"):
        pool.read(replace(REQUEST, photos=[(b"just some text " * 20, "notes.txt")]))
    assert pool.read(REQUEST).reading.hands


def test_a_tile_set_that_is_gone_is_told(pool: ReaderProcesses) -> None:
    with pytest.raises(TileSetError, match="no tile set called 'gone'"):
        pool.read(replace(REQUEST, tile_set="gone"))


def test_a_fault_of_the_program_comes_with_its_trace(pool: ReaderProcesses) -> None:
    with pytest.raises(ReadingFailedError, match="Traceback"):
        pool.read(replace(REQUEST, rules="no-such-rules"))
    assert pool.read(REQUEST).reading.hands, "the process lives on"


def test_a_photo_whose_process_is_killed_is_read_by_another(pool: ReaderProcesses) -> None:
    before = set(pool.pids)
    killed: list[int] = []

    def kill(stage: str) -> None:
        if stage == "detect" and not killed:
            killed.append(pool.pids[0])  # the one that reads this photo: the first that is free
            os.kill(killed[0], signal.SIGKILL)

    assert pool.read(REQUEST, kill).reading.hands
    wait_until(lambda: len(pool.pids) == 2)
    assert killed[0] in before
    assert killed[0] not in pool.pids


@pytest.mark.nightly
def test_a_photo_over_which_two_processes_end_is_refused(pool: ReaderProcesses) -> None:
    def kill(stage: str) -> None:
        if stage == "detect":
            for pid in pool.pids:
                os.kill(pid, signal.SIGKILL)

    with pytest.raises(ApiProblem) as refused:
        pool.read(REQUEST, kill)
    assert refused.value.kind.slug == "model-unavailable"
    assert pool.read(REQUEST).reading.hands


@pytest.mark.nightly
def test_an_error_of_the_caller_does_not_hold_a_process_up(pool: ReaderProcesses) -> None:
    def fail(stage: str) -> None:
        raise RuntimeError(stage)

    for _ in range(3):
        with pytest.raises(RuntimeError, match="decode"):
            pool.read(REQUEST, fail)
    assert pool.read(REQUEST).reading.hands


@pytest.mark.nightly
def test_weights_that_do_not_open_leave_the_others_in_place(
    tmp_path: Path, pool: ReaderProcesses
) -> None:
    made(tmp_path / "made", "club")
    assert pool.open(str(tmp_path / "made")).name == "club"
    (tmp_path / "broken").mkdir()
    with pytest.raises(WeightsError):
        pool.open(str(tmp_path / "broken"))
    assert {pool.read(REQUEST).model.name for _ in range(3)} == {"club"}
    assert pool.open("default").name == "default"
    assert pool.read(REQUEST).model.name == "default"


@pytest.mark.nightly
def test_weights_that_never_opened_are_reported(tmp_path: Path) -> None:
    pool = ReaderProcesses(SETTINGS, tmp_path, 2)
    try:
        with pytest.raises(WeightsError):
            pool.open(str(tmp_path / "nothing"))
        assert pool.open("default").name == "default"
    finally:
        pool.close()


@pytest.mark.nightly
def test_processes_end_with_the_app(tmp_path: Path) -> None:
    program = (
        "import sys, time; from pathlib import Path;"
        "from hupai.api.readers.pool import ReaderProcesses;"
        "from hupai.api.web.settings import Settings;"
        "pool = ReaderProcesses(Settings(threads=1), Path(sys.argv[1]), 1);"
        "pool.open('default'); print(pool.pids[0], flush=True); time.sleep(600)"
    )
    app = subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert app.stdout is not None
    child = int(app.stdout.readline())
    assert is_running(child)
    app.kill()
    app.wait()
    app.stdout.close()
    wait_until(lambda: not is_running(child))


@pytest.fixture
def client(tmp_path: Path) -> Iterator[httpx.Client]:
    app = create_app(SETTINGS.model_copy(update={"data_dir": str(tmp_path / "data")}))
    with client_of(app) as one:
        one.timeout = httpx.Timeout(120)
        yield one


@pytest.mark.nightly
def test_the_service_reads_scores_and_stores(client: httpx.Client, tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as threads:
        answers = list(
            threads.map(
                lambda number: client.post(
                    "/v1/hands",
                    files=photo_file(PHOTO + bytes([number])),
                    data={"rules": MCR},
                ),
                range(4),
            )
        )
    assert [answer.status_code for answer in answers] == [200] * 4
    assert all(answer.json()["result"]["score"] for answer in answers)
    assert len(client.get("/v1/hands").json()["hands"]) == 4
    assert client.post("/v1/recognitions", files=photo_file(b"text " * 90)).status_code == 415
    empty = client.post("/v1/recognitions", files=photo_file(picture()))
    assert [problem["code"] for problem in empty.json()["problems"]] == ["no_tiles"]


@pytest.mark.nightly
def test_the_service_takes_other_weights(client: httpx.Client, tmp_path: Path) -> None:
    library = Library(tmp_path / "data" / "models")
    library.add(made(tmp_path / "made", "club"), "club")

    def reads_with() -> str:
        answer = client.post("/v1/recognitions", files=photo_file(PHOTO))
        return str(answer.json()["model"]["name"])

    assert reads_with() == "default"
    library.use("club")
    assert reads_with() == "club"
    library.roll_back()
    assert reads_with() == "default"


def test_a_process_that_starts_while_the_others_end_is_ended_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    starting, go_on, ended = Event(), Event(), Event()

    class SlowProcess:
        """Takes its time to start."""

        weights = ""

        def __init__(self, _start: object) -> None:
            starting.set()
            assert go_on.wait(60)

        def end(self, *, at_once: bool = False) -> None:
            ended.set()

    monkeypatch.setattr(pool_module, "_Process", SlowProcess)
    processes = ReaderProcesses(SETTINGS, tmp_path, 1)
    processes._open_in_background()
    assert starting.wait(60)
    processes.close()
    go_on.set()
    assert ended.wait(10)


def test_a_process_that_cannot_be_told_anything_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[subprocess.Popen[bytes]] = []

    class Noted(subprocess.Popen[bytes]):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            started.append(self)

    def broken(_connection: object, _message: object) -> None:
        raise BrokenPipeError

    monkeypatch.setattr(subprocess, "Popen", Noted)
    monkeypatch.setattr(pool_module, "send", broken)
    processes = ReaderProcesses(SETTINGS, tmp_path, 1)
    with pytest.raises(WeightsError):
        processes.open("default")
    assert len(started) == pool_module.TRIES
    assert all(process.returncode == -signal.SIGKILL for process in started)


def test_a_reading_during_the_end_starts_no_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[object] = []
    monkeypatch.setattr(pool_module, "_Process", started.append)
    processes = ReaderProcesses(SETTINGS, tmp_path, 1)
    processes.close()
    with pytest.raises(ApiProblem):
        processes.read(REQUEST)
    assert started == []
