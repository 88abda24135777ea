"""Recorded cases keep what they were given."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from hupai.models.training.layout.cases import Case, load, save
from hupai.scoring.tiles import Tile
from hupai.vision.types import Detections


def _detections(count: int, seed: int) -> Detections:
    rng = np.random.default_rng(seed)
    low = rng.uniform(0, 400, (count, 2))
    return Detections(
        np.concatenate([low, low + 40], 1).astype(np.float32),
        rng.uniform(0.3, 1, count).astype(np.float32),
        rng.dirichlet(np.full(43, 0.2), count).astype(np.float32),
        rng.uniform(0, np.pi, count).astype(np.float32),
    )


def _case() -> Case:
    return Case(
        detections=replace(_detections(5, 0), low_confidence=_detections(2, 1)),
        size=(640, 480),
        family="family 1",
        source="7",
        tiles=frozenset({0, 2, 6}),
        missing=1,
        groups=(("pung", (0, 2, 6), "left"),),
        winning_tile=None,
        faces=(Tile.WHITE, Tile.WHITE, Tile.WHITE, Tile.BACK),
        rows_end=True,
    )


def test_saved_cases_round_trip(tmp_path: Path) -> None:
    photo = Case(detections=_detections(3, 2), size=(100, 200), family="real", source="felt")
    case = _case()
    assert save(tmp_path / "cases.npz", [case, photo]) == 2
    again, bare = load(tmp_path / "cases.npz")
    assert (again.tiles, again.groups, again.faces) == (case.tiles, case.groups, case.faces)
    assert again.rows_end
    assert not bare.rows_end
    assert (again.missing, again.size, again.hand_size) == (1, (640, 480), 13)
    np.testing.assert_array_equal(again.all_detections.boxes, case.all_detections.boxes)
    np.testing.assert_allclose(
        again.all_detections.probabilities, case.all_detections.probabilities, atol=1e-3
    )
    assert len(again.detections) == 5
    assert bare.tiles is None
    assert bare.faces is None
    assert bare.detections.low_confidence is None


def test_corners_are_kept(tmp_path: Path) -> None:
    plain = _case()
    quads = np.arange(40, dtype=np.float32).reshape(5, 4, 2)
    save(
        tmp_path / "cases.npz", [replace(plain, detections=replace(plain.detections, quads=quads))]
    )
    (again,) = load(tmp_path / "cases.npz")
    np.testing.assert_array_equal(again.detections.quads, quads)


def test_a_case_names_only_tiles_that_it_has() -> None:
    with pytest.raises(ValueError, match="ids must be from 0 to 2"):
        Case(detections=_detections(3, 0), size=(9, 9), family="", source="", tiles=frozenset({3}))
