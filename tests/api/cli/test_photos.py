"""``hupai read`` and ``hupai photo`` with a detector whose answers are known: order, bad files,
annotation, exit codes.
"""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest
from rich.console import Console
from typer.testing import CliRunner, Result

from hupai.api.cli.main import app
from hupai.api.cli.photo_tables import reading_view
from hupai.api.cli.score_tables import problem_lines
from hupai.api.cli.typer_app import LANGUAGE
from hupai.models import registry
from hupai.scoring.tiles import Tile, tiles_from_codes
from hupai.vision.reading.problem_catalogue import tile_problem
from hupai.vision.types import (
    Detections,
    Image,
    ModelInfo,
    OtherHand,
    PhotoInfo,
    PhotoReading,
    Reading,
)
from tests.shared import ROOT

WIDTH, HEIGHT = 44, 60


class RowDetector:
    """Sees one upright row of tiles; which ones, the photo says by its height."""

    info = ModelInfo("fake", "1", "f" * 64)

    def __init__(self, rows: dict[int, str]) -> None:
        self._rows = rows
        self.photos = 0

    def detect(self, image: Image) -> Detections:
        self.photos += 1
        tiles = tiles_from_codes(self._rows[image.shape[0]])
        left = 40 + np.arange(len(tiles), dtype=np.float32) * (WIDTH + 2)
        top = np.full_like(left, 80)
        probabilities = np.full((len(tiles), len(Tile)), 0.002 / (len(Tile) - 1), np.float32)
        probabilities[np.arange(len(tiles)), [tile.value for tile in tiles]] = 0.998
        boxes = np.stack([left, top, left + WIDTH, top + HEIGHT], axis=1)
        return Detections(
            boxes,
            np.full(len(tiles), 0.97, np.float32),
            probabilities,
            np.full(len(tiles), np.pi / 2, np.float32),
        )


@pytest.fixture
def detector(monkeypatch: pytest.MonkeyPatch) -> RowDetector:
    """The registry's model is a detector that sees 123456789m11444p on photos 240 high, 13 tiles on
    241, none on 242.
    """
    detector = RowDetector({240: "123456789m11444p", 241: "123456789m1144p", 242: ""})
    monkeypatch.setattr(registry, "load", lambda name="default", threads=0: detector)
    return detector


def write_photo(folder: Path, name: str, height: int = 240) -> Path:
    path = folder / name
    noise = np.random.default_rng(height).integers(60, 90, (height, 800, 3), np.uint8)
    assert cv2.imwrite(str(path), noise)
    return path


def hupai(*arguments: object) -> Result:
    return CliRunner().invoke(
        app, [str(argument) for argument in arguments], env={"COLUMNS": "200"}
    )


def test_read_prints_groups_and_the_likeliest_hand(detector: RowDetector, tmp_path: Path) -> None:
    result = hupai("read", write_photo(tmp_path, "win.jpg"))
    assert "一万 二万 三万" in result.stdout
    assert "123456789m11444p" in result.stdout.replace(" ", "")
    assert "fake 1" in result.stdout


def test_json_is_one_line_a_photo_in_the_order_given_with_one_model(
    detector: RowDetector, tmp_path: Path
) -> None:
    text = tmp_path / "text.jpg"
    text.write_text("not a picture", "utf-8")
    empty = tmp_path / "empty.jpg"
    empty.touch()
    good = write_photo(tmp_path, "a.png")
    photos = [write_photo(tmp_path, "z.jpg"), text, tmp_path / "missing.jpg", empty, tmp_path, good]
    result = hupai("read", "--json", *photos)
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    assert [answer["photo"]["path"] for answer in answers] == [str(photo) for photo in photos]
    assert [len(answer["tiles"]) for answer in answers] == [14, 0, 0, 0, 0, 14]
    codes = [[problem["code"] for problem in answer["problems"]] for answer in answers]
    assert codes[1:5] == [
        ["not_a_photo"],
        ["photo_not_found"],
        ["photo_empty"],
        ["photo_is_folder"],
    ]
    assert all(answer["model"]["name"] == "fake" for answer in answers)
    assert detector.photos == 2
    assert result.exit_code == 1


def test_a_file_that_is_not_a_photo_is_reported_in_the_terminal_too(
    detector: RowDetector, tmp_path: Path
) -> None:
    path = tmp_path / "notes.jpg"
    path.write_text("milk, eggs", "utf-8")
    result = hupai("read", path)
    assert result.exit_code == 1
    assert "not_a_photo" in result.stderr
    assert not result.stdout


def test_annotate_writes_a_picture_a_photo_and_overwrites_none_of_another_name(
    detector: RowDetector, tmp_path: Path
) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    photos = [
        write_photo(tmp_path / "one", "hand.jpg"),
        write_photo(tmp_path / "two", "hand.png", 241),
    ]
    hupai("read", *photos, "--annotate", tmp_path / "out")
    written = {path.name: cv2.imread(str(path)) for path in (tmp_path / "out").iterdir()}
    assert set(written) == {"hand-read.jpg", "hand-read-2.jpg"}
    first = written["hand-read.jpg"]
    assert first is not None
    original = cv2.imread(str(photos[0]))
    assert original is not None
    assert int(np.abs(first[: original.shape[0]].astype(int) - original).max()) > 100, (
        "nothing was drawn"
    )


def test_photo_asks_which_tile_won_if_the_photo_does_not_show_it(
    detector: RowDetector, tmp_path: Path
) -> None:
    result = hupai("photo", write_photo(tmp_path, "win.jpg"), "--rules", "mcr-1998")
    assert result.exit_code == 1
    assert "Which tile completed the hand?" in result.stdout
    assert "--win" in result.stdout


def test_photo_with_win_scores_the_hand(detector: RowDetector, tmp_path: Path) -> None:
    result = hupai(
        "photo",
        write_photo(tmp_path, "win.jpg"),
        "--rules",
        "mcr-1998",
        "--win",
        "4p",
        "--self-drawn",
        "--json",
    )
    (line,) = result.stdout.splitlines()
    answer = json.loads(line)
    assert answer["result"]["score"]["legal"] is True
    assert "清龙" in [fan["zh"] for fan in answer["result"]["score"]["fans"]]
    assert answer["reading"]["photo"]["path"].endswith("win.jpg")


def test_win_that_is_not_in_the_hand_is_bad_usage(detector: RowDetector, tmp_path: Path) -> None:
    result = hupai("photo", write_photo(tmp_path, "win.jpg"), "--rules", "mcr-1998", "--win", "9s")
    assert result.exit_code == 2
    assert "has no 9s" in result.stderr


def test_photo_prints_the_open_question_and_the_score_of_each_answer(
    detector: RowDetector, tmp_path: Path
) -> None:
    photo = write_photo(tmp_path, "win.jpg")
    verdict = json.loads(hupai("photo", photo, "--rules", "mcr-1998", "--json").stdout)["result"][
        "verdict"
    ]
    assert verdict["question"]["message"] in hupai("photo", photo, "--rules", "mcr-1998").stdout
    assert "self_drawn" in verdict["unknown"]
    drawn = json.loads(
        hupai("photo", photo, "--rules", "mcr-1998", "--self-drawn", "--win", "4p", "--json").stdout
    )["result"]
    assert "self_drawn" not in drawn["verdict"]["unknown"]
    assert drawn["verdict"]["outcomes"][0]["total"] == drawn["score"]["total"]


def test_a_hand_of_13_tiles_is_answered_with_its_problems(
    detector: RowDetector, tmp_path: Path
) -> None:
    result = hupai("photo", write_photo(tmp_path, "thirteen.jpg", 241), "--rules", "mcr-1998")
    assert result.exit_code == 1
    assert "13" in result.stdout


def test_an_empty_table_is_answered_with_a_problem(detector: RowDetector, tmp_path: Path) -> None:
    result = hupai(
        "photo", write_photo(tmp_path, "table.jpg", 242), "--rules", "mcr-1998", "--json"
    )
    answer = json.loads(result.stdout)
    assert answer["result"] is None
    assert answer["reading"]["problems"]
    assert result.exit_code == 1


def test_an_unknown_model_is_bad_usage(tmp_path: Path) -> None:
    result = hupai("read", write_photo(tmp_path, "win.jpg"), "--model", "nonsense")
    assert result.exit_code == 2
    assert "nonsense" in result.stderr


def test_also_sets_the_hand_beside_other_rule_sets(detector: RowDetector, tmp_path: Path) -> None:
    photo = write_photo(tmp_path, "win.jpg")
    flags = ("--rules", "mcr-1998", "--win", "4p", "--also", "kc-2.5", "--also", "sichuan-2024")
    line = json.loads(hupai("photo", photo, *flags, "--json").stdout)
    assert [column["rules"] for column in line["also"]] == ["kc-2.5", "sichuan-2024"]
    assert all(column["complete"] for column in line["also"])
    table = hupai("photo", photo, *flags).stdout
    assert "kc-2.5" in table
    assert "sichuan-2024" in table


def test_file_errors_go_to_standard_error_with_one_exit_code(
    detector: RowDetector, tmp_path: Path
) -> None:
    good, missing = write_photo(tmp_path, "win.jpg"), tmp_path / "missing.jpg"
    closed = write_photo(tmp_path, "closed.jpg")
    closed.chmod(0)
    for path in (missing, tmp_path, *([] if os.access(closed, os.R_OK) else [closed])):
        alone = hupai("read", path)
        assert (alone.exit_code, alone.stdout) == (1, "")
        assert str(path.name) in alone.stderr.replace("\n", "")
    both = hupai("read", good, missing)
    assert both.exit_code == 1
    assert "123456789m11444p" in both.stdout
    assert "photo_not_found" in both.stderr
    assert "photo_not_found" in hupai("read", missing, "--json").stdout


def test_many_photos_end_with_a_line_that_counts_them(
    detector: RowDetector, tmp_path: Path
) -> None:
    photos = [write_photo(tmp_path, "a.jpg"), write_photo(tmp_path, "b.jpg", 242)]
    result = hupai("read", *photos, tmp_path / "none.jpg", "--json")
    assert "3 photos: 1 with a hand, 1 of them certain, 1 could not be read" in result.stderr
    assert len(result.stdout.splitlines()) == 3
    assert "photos:" not in hupai("read", photos[0]).stderr


def _until_closed(terminal: int) -> bytes:
    """What is written to a terminal until its last writer ends, 4,096 bytes at most a read."""
    parts = []
    with contextlib.suppress(OSError):  # Linux ends a terminal with an error
        while part := os.read(terminal, 4096):
            parts.append(part)
    os.close(terminal)
    return b"".join(parts)


@pytest.mark.nightly
def test_progress_is_shown_on_a_terminal_while_the_results_go_to_a_file(tmp_path: Path) -> None:
    reader, writer = pty.openpty()
    command = [
        sys.executable,
        "-c",
        "from hupai.api.cli.main import main; main()",
        "read",
        "--json",
    ]
    photos = [str(ROOT / "examples" / name) for name in ("pungs.jpg", "no-win.jpg")]
    with (tmp_path / "hands.jsonl").open("w") as target:
        process = subprocess.Popen([*command, *photos], stdout=target, stderr=writer)
    os.close(writer)
    shown = _until_closed(reader).decode()
    process.wait()
    assert "Photos" in shown
    assert "/2" in shown
    assert len((tmp_path / "hands.jsonl").read_text("utf-8").splitlines()) == 2


def test_merged_photos_are_numbered_and_one_of_another_hand_is_reported_by_number() -> None:
    photos = [ROOT / "examples" / name for name in ("pungs.jpg", "knitted.jpg")]
    result = hupai("read", "--merge", *photos)
    assert result.exit_code == 1
    assert f"1: {photos[0]}" in result.stdout
    assert f"2: {photos[1]}" in result.stdout
    assert "photo 2 shows another hand" in result.stdout


def test_totals_that_depend_on_unstated_circumstances_are_set_apart() -> None:
    photo = ROOT / "examples" / "mixed-chows.jpg"
    flags = ("--rules", "mcr-1998", "--seat", "E", "--round", "E", "--self-drawn")
    shown = hupai("photo", photo, *flags).stdout
    assert "rarely" in shown
    assert re.search(r"│ 13 +│ (?:\d+ \(\d+%\), )*20 \(\d+%\)", shown)
    told = shown.replace("\n", " ")
    assert re.search(r"A rare total depends on what was not stated: [-a-z, ]*--last-tile", told)


def test_of_what_was_not_stated_only_what_can_apply_is_named() -> None:
    """The hand of the photo has no kong, no winds and no second seven of characters."""
    shown = hupai("photo", ROOT / "examples" / "seven-pairs.jpg", "--rules", "mcr-1998").stdout
    assert "A rare total depends on what was not stated: --last-tile.\n" in shown


def test_where_totals_are_equal_a_question_shows_what_the_winner_receives() -> None:
    photo = ROOT / "examples" / "sichuan-kongs.jpg"
    shown = hupai("photo", photo, "--rules", "sichuan-2024", "--language", "en").stdout
    assert re.search(r"answer +┃ likely ┃ total ┃ winner receives", shown)
    assert re.search(r"no +│ +60% │ 8 +│ 8 +│", shown)
    assert re.search(r"yes +│ +40% │ 8 +│ 27, 18, 9 +│", shown)
    photo = ROOT / "examples" / "seven-pairs.jpg"
    assert "┃ winner receives" not in hupai("photo", photo, "--rules", "mcr-1998").stdout


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "warning: not sure of P; check it (3 times)"),
        ("zh", "注意：不能确定白；请核对（3处）"),
    ],
)
def test_equal_problems_are_one_line_with_their_number(language: str, said: str) -> None:
    problems = [tile_problem("low_confidence", (number,), Tile.WHITE) for number in range(3)]
    token = LANGUAGE.set(language)
    try:
        assert problem_lines(problems).plain == f"{said} [low_confidence]"
    finally:
        LANGUAGE.reset(token)


@pytest.mark.parametrize(
    ("language", "said"),
    [("en", "another hand, 3 tiles: --at 826,326"), ("zh", "另一手牌，3张：--at 826,326")],
)
def test_another_hand_is_named_with_the_option_that_reads_it(language: str, said: str) -> None:
    read = Reading(other_hands=(OtherHand((825.6, 326.0), (1, 2, 3)),))
    reading = PhotoReading(
        PhotoInfo("two.jpg", "", 1600, 1500), ModelInfo("default", "1", ""), read
    )
    token = LANGUAGE.set(language)
    try:
        with (console := Console(width=100)).capture() as shown:
            console.print(reading_view(reading))
    finally:
        LANGUAGE.reset(token)
    assert said in shown.get()


@pytest.mark.parametrize("command", [("read",), ("photo", "--rules", "mcr-1998")])
def test_a_place_outside_the_photo_is_bad_usage(
    detector: RowDetector, tmp_path: Path, command: tuple[str, ...]
) -> None:
    result = hupai(*command, write_photo(tmp_path, "win.jpg"), "--at=800.5,100")
    assert result.exit_code == 2
    assert "the point 800.5,100 is outside the photo, which has 800 x 240 pixels" in result.stderr
