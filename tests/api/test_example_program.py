"""examples/score_a_photo.py against a real service: score, open question, typed problems."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hupai.api.app.factory import create_app
from hupai.api.auth.keys import KeyStore
from hupai.api.web.settings import Settings
from tests.api.service import NOTATION, RecordedReader, picture, recorded_reading, served
from tests.shared import ROOT


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str, RecordedReader]]:
    """Address of a service that asks for keys, a key, and what reads its photos."""
    reader = RecordedReader(recorded_reading())
    folder = str(tmp_path_factory.mktemp("data"))
    app = create_app(Settings(preload=False, require_keys=True, data_dir=folder), reader)
    with served(app) as address:
        key, _ = KeyStore(app.state.storage.database).add("example", ["player"])
        yield address, key, reader


def run(
    service: tuple[str, str, RecordedReader], photo: bytes, folder: Path, key: bool = True
) -> subprocess.CompletedProcess[str]:
    """The program with a photo, and with the key or without one."""
    path = folder / "hand.jpg"
    path.write_bytes(photo)
    program = [sys.executable, str(ROOT / "examples" / "score_a_photo.py"), str(path)]
    options = ["--address", service[0], *(["--key", service[1]] if key else [])]
    return subprocess.run(
        [*program, *options], capture_output=True, text=True, check=False, timeout=150
    )


def test_it_prints_the_score_with_every_fan_and_the_open_question(
    service: tuple[str, str, RecordedReader], tmp_path: Path
) -> None:
    done = run(service, picture(650), tmp_path)
    assert done.returncode == 0, done.stderr
    hand, total, *lines = done.stdout.splitlines()
    assert hand.replace(" ", "") == NOTATION
    assert total.split()[1] == "fan,"
    assert any("MCR 1998, fan" in line for line in lines)
    assert "Was the winning tile drawn by the winner?" in lines


@pytest.mark.nightly
def test_it_prints_the_question_alone_where_the_winning_tile_is_open(
    service: tuple[str, str, RecordedReader], tmp_path: Path
) -> None:
    reader = service[2]
    reader.reading, known = recorded_reading(winning_known=False), reader.reading
    try:
        done = run(service, picture(660), tmp_path)
    finally:
        reader.reading = known
    assert done.returncode == 1
    assert " fan, " not in done.stdout
    question, no, yes = done.stdout.splitlines()[-3:]
    assert question == "Was the winning tile drawn by the winner?"
    for answer, line in (("no (60%)", no), ("yes (40%)", yes)):
        totals = list(map(int, line.removeprefix(f"  {answer}: ").split(", ")))
        assert len(totals) > 1
        assert totals == sorted(set(totals))


@pytest.mark.parametrize(
    ("photo", "said"),
    [
        (ROOT / "examples" / "knitted.jpg", "No answer from http://127.0.0.1:9 ("),
        (ROOT / "examples" / "none.jpg", f"{ROOT / 'examples' / 'none.jpg'}: No such file"),
    ],
)
def test_it_says_so_where_no_service_answers_or_there_is_no_photo(photo: Path, said: str) -> None:
    program = [sys.executable, str(ROOT / "examples" / "score_a_photo.py"), str(photo)]
    done = subprocess.run(
        [*program, "--address", "http://127.0.0.1:9"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(said)


@pytest.mark.nightly
def test_it_prints_the_errors_of_a_request(
    service: tuple[str, str, RecordedReader], tmp_path: Path
) -> None:
    no_key = run(service, picture(650), tmp_path, key=False)
    assert (no_key.returncode, no_key.stdout) == (1, "")
    assert "401 /problems/unauthenticated" in no_key.stderr
    no_photo = run(service, b"notes", tmp_path)
    assert no_photo.returncode == 1
    assert "/problems/not-a-picture" in no_photo.stderr
