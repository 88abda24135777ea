"""The layout benchmark: three families, photos first, and the sheet of what was misread."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from benchmarks.layout import __main__ as benchmark
from benchmarks.layout.compare import examine
from benchmarks.layout.detected import Finder, HandRead
from benchmarks.layout.families import FAMILIES, key, kinds, picture_of, style_of
from benchmarks.layout.photos import outcome_of, photo_cell, photo_figures, wrong_photos
from benchmarks.layout.sheet import sheet
from hupai.models import registry
from hupai.models.evaluation.evaluate import PhotoOutcome
from hupai.models.evaluation.labelled_folder import LabelledPhoto, TrueGroup
from hupai.scoring.tiles import tiles_from_codes
from hupai.vision.types import Detections, ModelInfo, Reading

INFO = ModelInfo("test", "0", "")


@pytest.mark.parametrize("number", FAMILIES)
def test_each_family_makes_tables_by_number(number: str) -> None:
    family = FAMILIES[number]
    table = family.table(2)
    assert table.seed == family.table(2).seed
    assert kinds(table)
    assert style_of(table)
    assert any(tile.in_hand for tile in table.tiles)
    outcome, reading = examine(table)
    drawn = sheet([(table, f"{outcome.tiles}\nsecond line", reading)], plain=True)
    assert drawn.shape[2] == 3
    assert drawn.max() > 100


def test_pictures_have_keys_of_their_own_and_one_family_has_none() -> None:
    first, third = FAMILIES["1"].table(0), FAMILIES["3"].table(0)
    assert key(first) != key(third)
    with pytest.raises(TypeError, match="no picture"):
        picture_of(FAMILIES["2"].table(0))


def judged(
    folder: Path, codes: str, melds: tuple[TrueGroup, ...] | None, name: str
) -> tuple[HandRead, PhotoOutcome]:
    path = folder / f"{name}.png"
    cv2.imwrite(str(path), np.full((60, 90, 3), 90, np.uint8))
    photo = LabelledPhoto(
        path=path,
        table="t",
        tiles=(),
        boxes=np.zeros((0, 4), np.float32),
        hand=tiles_from_codes(codes),
        melds=melds,
        boxed=False,
    )
    row = HandRead(photo, Reading(()), False, 3.0)
    return row, outcome_of(row, INFO)


def test_photos_count_hands_melds_and_what_was_certain(tmp_path: Path) -> None:
    meld = ("pung", tiles_from_codes("999m"), "left")
    rows = [judged(tmp_path, "999mCC", (meld,), "a"), judged(tmp_path, "CC", None, "b")]
    figures = photo_figures(rows)
    assert figures["photos"] == 2
    assert figures["exact"] == 0
    assert figures["groups"] == 0
    assert "winning" not in figures, "known of no photo"
    assert figures["certain_wrong"] == 0
    wrong = wrong_photos(rows)
    assert [text.split(":")[0] for _, text in wrong] == ["a", "b"]
    assert "melds" in wrong[0][1]
    assert photo_cell(*wrong[0]).shape[2] == 3
    assert photo_figures([])["photos"] == 0


def test_the_command_writes_every_family(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out, drawn = tmp_path / "out.json", tmp_path / "sheet.jpg"
    command = ["layout", "--scenes", "1", "--failures", "1", "--plain"]
    monkeypatch.setattr(sys, "argv", [*command, "--out", str(out), "--sheet", str(drawn)])
    benchmark.main()
    parts = json.loads(out.read_text("utf-8"))
    for number in ("1", "2", "3"):
        row = parts[f"family {number}, true tiles"]["all"]
        assert row["scenes"] == 1
        assert {"exact", "groups", "claims", "winning", "certain", "certain_wrong"} <= set(row)
    assert drawn.is_file()


def test_without_a_table_all_of_whose_tiles_are_named_there_is_no_row_for_such_tables() -> None:
    table = FAMILIES["1"].table(2)
    row = (table, examine(table)[0])
    found = benchmark.Results(true=[row], detected=[row]).summary()
    assert list(found) == ["true tiles", "true tiles, by tiles", "detected tiles"]


def test_detections_from_the_cache_are_those_that_were_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def seen(n: int, low: Detections | None = None) -> Detections:
        corners = np.arange(8 * n, dtype=np.float32).reshape(n, 4, 2)
        numbers = np.linspace(0.1, 0.9, n, dtype=np.float32)
        boxes = np.concatenate([corners.min(1), corners.max(1)], axis=1)
        faces = np.full((n, 43), 1 / 43, np.float32)
        return Detections(boxes, numbers, faces, numbers, None, low, corners, numbers)

    class Detector:
        info = INFO

        def detect(self, image: np.ndarray) -> Detections:
            return seen(len(image), seen(2))

    monkeypatch.setattr(registry, "load", Detector)
    first, again = (Finder(tmp_path).photo("a", np.zeros((3, 4, 3), np.uint8)) for _ in range(2))
    assert first.low_confidence is not None
    assert again.low_confidence is not None
    for one, other in ((first, again), (first.low_confidence, again.low_confidence)):
        for name in ("boxes", "scores", "probabilities", "axes", "quads", "reds"):
            assert np.array_equal(getattr(one, name), getattr(other, name)), name
