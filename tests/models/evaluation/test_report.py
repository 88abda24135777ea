from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from rich.console import Console

from hupai.datasets.real.patches import BoxPatch
from hupai.models.evaluation.evaluate import Evaluation, PhotoOutcome, compare, summarise
from hupai.models.evaluation.labelled_folder import LabelledPhoto, read_folder
from hupai.models.evaluation.report import (
    contact_sheet,
    corrections,
    evaluation_json,
    report,
    write_picture,
)
from hupai.scoring.tiles import Tile
from hupai.vision.types import ModelInfo, PhotoInfo, PhotoReading, Reading, ReadTile, Timing

MODEL = ModelInfo("fake", "2", "a" * 64)


def outcome(
    folder: Path, name: str, true: Tile, seen: Tile | None, hand: bool = True
) -> PhotoOutcome:
    """A photo of one tile, 100 x 80 pixels, read as another, right, or not at all."""
    path = folder / f"{name}.png"
    cv2.imwrite(str(path), np.full((80, 100, 3), 120, np.uint8))
    truth = LabelledPhoto(
        path,
        "felt",
        (true,),
        np.asarray([[0.1, 0.1, 0.4, 0.6]], np.float32),
        (true,) if hand else None,
    )
    tiles = () if seen is None else (ReadTile(0, seen, (10, 8, 40, 48), 0.9),)
    return compare(
        truth,
        PhotoReading(
            PhotoInfo(str(path), "", 100, 80), MODEL, Reading(tiles), Timing(1, 20, 1, 1, 23)
        ),
    )


@pytest.fixture
def evaluation(tmp_path: Path) -> Evaluation:
    """Three hands of one tile: right, misread, not found."""
    return summarise(
        [
            outcome(tmp_path, "a", Tile.M1, Tile.M1),
            outcome(tmp_path, "b", Tile.M2, Tile.M6),
            outcome(tmp_path, "c", Tile.M3, None),
        ]
    )


def test_json_has_counts_rates_and_a_row_a_photo(evaluation: Evaluation) -> None:
    found = json.loads(json.dumps(evaluation_json(evaluation, MODEL)))
    assert found["model"] == {"name": "fake", "version": "2", "sha256": "a" * 64}
    assert (found["hands"], found["hands_exact"], found["hands_exact_rate"]) == (3, 1, 0.33333)
    assert (found["tile_recall"], found["tile_precision"], found["class_accuracy"]) == (
        0.66667,
        1.0,
        0.5,
    )
    assert found["median_ms"]["total"] == 23
    assert found["confusions"] == [["2m", "6m", 1]]
    assert [
        (row["photo"], row["exact"], row["missing"], row["surplus"]) for row in found["photos"]
    ] == [
        ("a", True, [], []),
        ("b", False, ["2m"], ["6m"]),
        ("c", False, ["3m"], []),
    ]
    assert found["tables"]["felt"]["photos"] == 3


def test_the_table_names_figures_and_confusions(evaluation: Evaluation) -> None:
    console = Console(width=160, record=True, file=None, quiet=False)
    with console.capture() as shown:
        console.print(report(evaluation))
    text = shown.get()
    assert "1/3 (33.3%)" in text
    assert "0.6667" in text
    assert "2m as 6m 1×" in text
    assert "23 ms" in text
    assert "whole hands: hands of which exactly the right tiles are read" in text
    assert "groups" not in text, "no hand has known groups"


def test_figures_by_the_published_labels_stand_beside_the_corrected_ones(
    evaluation: Evaluation,
) -> None:
    console = Console(width=200)
    with console.capture() as shown:
        console.print(report(evaluation, evaluation.figures))
    assert "all, by the labels as published" in shown.get()
    found = evaluation_json(evaluation, MODEL, evaluation.figures)
    assert found["by_published_labels"]["hands_exact"] == 1


def test_corrected_labels_are_named_with_their_reason(shared: Path) -> None:
    lines = corrections(read_folder(shared / "photos" / "dev"))
    assert "cm_003_white-rail-blue: 1m is 9m (reads 九萬)" in lines
    assert any(line.startswith("cm_036_red-floor: 1p is 9m, ") for line in lines)


def test_each_kind_of_correction_is_named(tmp_path: Path) -> None:
    box = (0.5, 0.5, 0.1, 0.1)
    patches = (
        BoxPatch(box, Tile.M2, Tile.M1, "reads 一萬"),
        BoxPatch(box, Tile.M3, None, "a stick"),
        BoxPatch(box, Tile.M4, None, "a blur", unreadable=True),
    )
    photo = LabelledPhoto(tmp_path / "a.png", "felt", (), np.zeros((0, 4), np.float32))
    assert corrections([replace(photo, patches=patches)]) == [
        "a: 2m is 1m (reads 一萬)",
        "a: 3m is no tile (a stick)",
        "a: 4m is unreadable (a blur)",
    ]


def test_the_contact_sheet_shows_the_failures_only(evaluation: Evaluation, tmp_path: Path) -> None:
    sheet = contact_sheet(evaluation.outcomes, columns=2)
    one = contact_sheet(evaluation.outcomes[1:2])
    assert sheet is not None
    assert one is not None
    assert sheet.shape == (one.shape[0], 2 * one.shape[1], 3)
    assert contact_sheet(evaluation.outcomes[:1]) is None
    write_picture(sheet, tmp_path / "sheet.png")
    back = cv2.imread(str(tmp_path / "sheet.png"))
    assert back is not None
    np.testing.assert_array_equal(back[:, :, ::-1], sheet)


def test_a_picture_is_png_or_jpeg(evaluation: Evaluation, tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"name the picture \.png or \.jpg"):
        write_picture(np.zeros((4, 4, 3), np.uint8), tmp_path / "sheet.pdf")


def test_without_a_hand_a_misread_tile_is_a_failure(tmp_path: Path) -> None:
    assert outcome(tmp_path, "a", Tile.M1, Tile.M2, hand=False).failed
    assert outcome(tmp_path, "a", Tile.M1, None, hand=False).failed
    assert not outcome(tmp_path, "a", Tile.M1, Tile.M1, hand=False).failed
