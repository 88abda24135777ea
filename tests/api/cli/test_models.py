"""``hupai models`` and ``hupai datasets`` as a shell sees them."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner, Result

from hupai.api.cli.main import app
from hupai.models import registry
from hupai.scoring.tiles import CODES, Tile, tiles_from_codes
from hupai.vision.types import Detections, Image, ModelInfo

ROW = "123456789m11444p"
LEFT, TOP, WIDTH, HEIGHT = 40, 80, 44, 60


class RowDetector:
    """Sees the row on every photo, its last tile misread on photos 241 high."""

    info = ModelInfo("fake", "1", "f" * 64)

    def detect(self, image: Image) -> Detections:
        tiles = tiles_from_codes(ROW if image.shape[0] == 240 else ROW[:-2] + "5p")
        left = LEFT + np.arange(len(tiles), dtype=np.float32) * (WIDTH + 2)
        top = np.full_like(left, TOP)
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
def labelled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A labelled folder of two photos of the row, one of which is misread."""
    monkeypatch.setattr(registry, "load", lambda name="default", threads=0: RowDetector())
    for name in ("images", "labels"):
        (tmp_path / name).mkdir()
    (tmp_path / "classes.txt").write_text("\n".join(CODES), "utf-8")
    hands = []
    for name, height in (("good_felt", 240), ("bad_wood", 241)):
        cv2.imwrite(
            str(tmp_path / "images" / f"{name}.png"), np.full((height, 800, 3), 80, np.uint8)
        )
        lines = []
        for column, tile in enumerate(tiles_from_codes(ROW)):
            x, y = LEFT + column * (WIDTH + 2) + WIDTH / 2, TOP + HEIGHT / 2
            lines.append(f"{tile.value} {x / 800} {y / height} {WIDTH / 800} {HEIGHT / height}")
        (tmp_path / "labels" / f"{name}.txt").write_text("\n".join(lines), "utf-8")
        hands.append(
            json.dumps({"photo": name, "tiles": [tile.code for tile in tiles_from_codes(ROW)]})
        )
    (tmp_path / "hands.jsonl").write_text("\n".join(hands), "utf-8")
    return tmp_path


def hupai(*arguments: object) -> Result:
    return CliRunner().invoke(
        app, [str(argument) for argument in arguments], env={"COLUMNS": "200"}
    )


def test_evaluate_prints_figures_and_writes_json_and_the_failures(
    labelled: Path, tmp_path: Path
) -> None:
    figures, sheet = tmp_path / "figures.json", tmp_path / "failures.jpg"
    result = hupai("models", "evaluate", labelled, "--json", figures, "--contact-sheet", sheet)
    assert result.exit_code == 0, result.output
    assert "felt" in result.stdout
    assert "4p as 5p 1×" in result.stdout
    found = json.loads(figures.read_text("utf-8"))
    assert (
        found["hands"],
        found["hands_exact"],
        found["tile_recall"],
        found["tile_precision"],
    ) == (2, 1, 1.0, 1.0)
    assert [row["photo"] for row in found["photos"] if not row["exact"]] == ["bad_wood"]
    assert cv2.imread(str(sheet)) is not None


def test_evaluate_counts_whole_hands_without_boxes(labelled: Path) -> None:
    for path in (labelled / "labels").iterdir():
        path.unlink()
    (labelled / "labels").rmdir()
    (labelled / "classes.txt").unlink()
    result = hupai("models", "evaluate", labelled)
    assert result.exit_code == 0, result.output
    assert "1/2 (50.0%)" in result.stdout
    assert "tile recall" not in result.stdout


def test_evaluate_takes_a_limit(labelled: Path, tmp_path: Path) -> None:
    hupai("models", "evaluate", labelled, "--json", tmp_path / "f.json", "--limit", 1)
    assert json.loads((tmp_path / "f.json").read_text("utf-8"))["hands"] == 1


def test_a_folder_without_labels_is_bad_usage(tmp_path: Path) -> None:
    result = hupai("models", "evaluate", tmp_path)
    assert result.exit_code == 2
    assert "images is missing" in result.stderr.replace("\n", "")


def test_models_are_listed_with_their_hash() -> None:
    lines = [json.loads(line) for line in hupai("models", "list", "--json").stdout.splitlines()]
    assert lines[0]["name"] == "default"
    assert len(lines[0]["sha256"]) == 64
    assert lines[0]["sha256"][:16] in hupai("models", "list").stdout


@pytest.mark.nightly
def test_datasets_render_writes_pictures_with_truth(tmp_path: Path) -> None:
    result = hupai(
        "datasets",
        "render",
        tmp_path / "scenes",
        "--count",
        2,
        "--size",
        320,
        "--workers",
        1,
        "--seed",
        5,
    )
    assert result.exit_code == 0, result.output
    rows = [
        json.loads(line)
        for line in (tmp_path / "scenes" / "truth.jsonl").read_text("utf-8").splitlines()
    ]
    assert len(rows) == 2
    for row in rows:
        picture = cv2.imread(str(tmp_path / "scenes" / "images" / row["image"]))
        assert picture is not None
        assert (picture.shape[1], picture.shape[0]) == (row["width"], row["height"])
        assert row["tiles"]


@pytest.mark.nightly
@pytest.mark.parametrize("plain", [True, False])
def test_a_plain_contact_sheet_has_no_legend(tmp_path: Path, plain: bool) -> None:
    scenes, sheet = tmp_path / "scenes", tmp_path / "sheet.png"
    hupai("datasets", "render", scenes, "--count", 1, "--size", 200, "--workers", 1)
    result = hupai("datasets", "contact-sheet", scenes, sheet, *(["--plain"] if plain else []))
    assert result.exit_code == 0, result.output
    assert ("hand orange" in result.output) is not plain


def test_datasets_faces_writes_every_face(tmp_path: Path) -> None:
    result = hupai("datasets", "faces", tmp_path / "faces")
    assert result.exit_code == 0, result.output
    files = list((tmp_path / "faces").glob("*.svg"))
    assert len(files) == 43
    assert all("<svg" in path.read_text("utf-8") for path in files)
