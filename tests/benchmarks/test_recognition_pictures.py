"""The confusion matrix and the reliability plot."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from benchmarks.recognition import __main__ as recognition
from benchmarks.recognition import report
from benchmarks.recognition.pictures import CELL, MARGIN, Named, confusion, reliability
from hupai.models import registry
from hupai.scoring.tiles import Tile
from hupai.vision.types import Image

GREEN, RED, WHITE = [150, 190, 120], [90, 90, 230], [255, 255, 255]


def corner(picture: Image, row: int, column: int) -> list[int]:
    pixel: list[int] = picture[MARGIN + row * CELL, MARGIN + column * CELL].tolist()
    return pixel


def test_a_confusion_shows_in_the_row_of_the_true_face() -> None:
    one, two, green = Tile.from_code("1m"), Tile.from_code("2m"), Tile.from_code("F")
    tiles = [Named(one, one, 0.9), Named(two, one, 0.6), Named(green, green, 1.0)]
    picture = confusion(tiles)
    assert picture.shape[0] == MARGIN + 3 * CELL, "only the faces that are there"
    assert [corner(picture, i, i) for i in range(3)] == [GREEN, WHITE, GREEN]
    assert corner(picture, 1, 0) == RED
    assert corner(picture, 0, 1) == WHITE


def test_bars_of_the_reliability_plot_are_as_high_as_the_share_of_right_faces() -> None:
    one, two = Tile.from_code("1m"), Tile.from_code("2m")
    high = [Named(one, one, 0.97)] * 3 + [Named(one, two, 0.97)]
    picture = reliability(high)
    height, width = picture.shape[:2]
    column = picture[:, width - 5]
    bar = np.flatnonzero((column == (190, 140, 60)).all(1))
    assert abs(len(bar) / height - 0.75) < 0.02
    assert reliability([]).shape == picture.shape


def test_precision_and_recall_of_red_fives_are_reported() -> None:
    row = {"kind": "red fives", "tiles": 50, "found": 48, "named": 40, "wrong": 2, "pictures": 0}
    result = {
        "model": {"name": "default", "version": "1", "sha256": "0" * 64},
        "folders": {}, "changes": [], "special": [row],
    }  # fmt: skip
    page = report.markdown(result)
    assert "precision 0.9524 (40 of 42), recall 0.8000 (40 of 50)" in page
    assert (
        "precision"
        not in report.markdown(result | {"special": [row | {"tiles": 0}]}).split("## Backs")[1]
    )


def test_a_folder_without_a_name_is_refused_before_the_weights_are_opened(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(registry, "load", lambda _: pytest.fail("opened"))
    monkeypatch.setattr(sys, "argv", ["recognition", "../shared/photos/dev"])
    with pytest.raises(SystemExit):
        recognition.main()
    assert "give the folder a name" in capsys.readouterr().err
