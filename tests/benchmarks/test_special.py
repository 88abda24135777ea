"""Rows of their own for backs, white dragons, red fives, black sets and non-tiles."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
import pytest

from benchmarks.recognition import report
from benchmarks.recognition.special import BESIDE, NO_TILES, Tally, measure, table
from hupai.datasets.synthetic.designs import Design, DesignBank
from hupai.datasets.synthetic.scene import Proportions, Rendered
from hupai.scoring.tiles import Tile
from hupai.vision.types import Detections, Image, ModelInfo


class PlainBank(DesignBank):
    """Tile sets without ink, which are quick."""

    def __init__(self) -> None:
        super().__init__([])

    def pick(self, rng: np.random.Generator) -> Design:
        shape = Proportions()
        return Design("plain", lambda tile: None, (250, 250, 250), (0, 120, 60), 0.4, shape, 0.1)


def perfect(shot: Rendered, reds: bool = True) -> Detections:
    seen = [t for t in shot.tiles if t.visible > 0.5]
    classes = np.full((len(seen), len(Tile)), 1e-4, np.float32)
    classes[np.arange(len(seen)), [int(t.shown) for t in seen]] = 1
    return Detections(
        np.array([t.box for t in seen], np.float32).reshape(-1, 4),
        np.full(len(seen), 0.9, np.float32),
        classes / np.maximum(classes.sum(1, keepdims=True), 1e-6),
        np.array([t.axis for t in seen], np.float32),
        reds=np.array([float(t.placed.red) if reds else 1.0 for t in seen], np.float32),
    )


@pytest.fixture(scope="module")
def shots() -> list[tuple[Rendered, object]]:
    return [table(seed, PlainBank()) for seed in range(5)]


@pytest.mark.nightly
def test_a_perfect_detector_finds_and_names_everything(
    shots: list[tuple[Rendered, object]],
) -> None:
    tally = Tally()
    for shot, dress in shots:
        tally.add(shot, dress, perfect(shot))  # type: ignore[arg-type]
    rows = tally.rows
    assert rows["backs"].tiles > 20
    assert rows["backs"].tiles == sum(r.tiles for k, r in rows.items() if k.startswith("backs, "))
    assert rows["red fives"].tiles > 0
    assert rows["red fives"].wrong == 0
    for kind, row in rows.items():
        if kind not in (BESIDE, NO_TILES):
            assert row.named == row.tiles, kind
            assert row.found == row.tiles, kind
    assert rows[NO_TILES].pictures == 1
    assert rows[BESIDE].pictures == 4
    assert rows[BESIDE].wrong == 0
    text = report._special([asdict(row) for row in rows.values()])
    assert "| red fives |" in text
    assert "on 4 pictures" in text


def test_plain_fives_reported_as_red_are_counted(shots: list[tuple[Rendered, object]]) -> None:
    tally = Tally()
    for shot, dress in shots:
        tally.add(shot, dress, perfect(shot, reds=False))  # type: ignore[arg-type]
    assert tally.rows["red fives"].wrong > 0


class Everywhere:
    """Sees one white dragon in the middle of every picture."""

    @property
    def info(self) -> ModelInfo:
        return ModelInfo("everywhere", "0", "")

    def detect(self, image: Image) -> Detections:
        width = image.shape[1]
        box = np.array([[width * 0.48, 0, width * 0.52, 30]], np.float32)
        classes = np.full((1, len(Tile)), 1e-4, np.float32)
        classes[0, int(Tile.WHITE)] = 1
        one = np.ones(1, np.float32)
        return Detections(box, one * 0.9, classes / classes.sum(), one)


@pytest.mark.nightly
def test_detections_without_a_tile_count_as_wrong() -> None:
    rows = {row.kind: row for row in measure(Everywhere(), 5, PlainBank())}
    assert rows[NO_TILES].wrong == 1
    assert rows[BESIDE].wrong >= 3
