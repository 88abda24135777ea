"""The set that nothing is trained on can be made by anyone, piece by piece."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import pytest

from hupai.datasets.faces.raster import rasterise
from hupai.datasets.faces.svg import face_svg
from hupai.datasets.synthetic import held_out_designs
from hupai.datasets.synthetic.truth import is_scene_folder
from hupai.models.evaluation.scenes import read_scenes
from hupai.scoring.tiles import FLOWERS, PLAYABLE

pytestmark = pytest.mark.nightly


def own_faces(out: Path, styles: int, seed: int) -> int:
    """The project's own faces for each style: random ones need fonts that not every machine has."""
    for style in range(styles):
        folder = out / f"drawn-{style:03d}"
        folder.mkdir(parents=True)
        for tile in (*PLAYABLE, *FLOWERS):
            cv2.imwrite(
                str(folder / f"{tile.code}_0.png"),
                cv2.cvtColor(rasterise(face_svg(tile), 120), cv2.COLOR_RGBA2BGRA),
            )
    return styles * 42


def test_it_resumes_where_it_stopped_and_shows_hands_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(held_out_designs, "drawn", own_faces)
    monkeypatch.setattr(held_out_designs, "STYLES", 1)
    whole, pieces = tmp_path / "whole", tmp_path / "pieces"
    assert held_out_designs.make(whole, 2) == 2
    assert held_out_designs.make(pieces, 1) == 1
    assert held_out_designs.make(pieces, 2) == 1
    assert held_out_designs.make(pieces, 2) == 0
    assert (whole / "truth.jsonl").read_text("utf-8") == (pieces / "truth.jsonl").read_text("utf-8")
    assert is_scene_folder(whole)
    for line in (whole / "truth.jsonl").read_text("utf-8").splitlines():
        assert any(tile[5] for tile in json.loads(line)["tiles"])
    assert len(read_scenes(whole)) == 2


def test_a_line_that_a_kill_left_unfinished_is_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(held_out_designs, "drawn", own_faces)
    monkeypatch.setattr(held_out_designs, "STYLES", 1)
    truth = tmp_path / "truth.jsonl"
    held_out_designs.make(tmp_path, 2)
    whole = truth.read_bytes()
    truth.write_bytes(whole[:-40])
    assert held_out_designs.make(tmp_path, 2) == 1
    assert truth.read_bytes() == whole
