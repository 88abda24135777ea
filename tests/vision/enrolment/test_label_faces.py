"""Tiles are labelled by the cheapest assignment, and the marginals keep their bounds."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from hupai.scoring.tiles import PLAYABLE, Tile
from hupai.vision.enrolment.label_faces import Seen, ShownPhoto, any_order, bounded_marginals
from hupai.vision.types import FloatArray


def seen(table: FloatArray) -> Seen:
    """A photo of tiles with these distributions."""
    boxes = np.array([[30 * i, 0, 30 * i + 24, 34] for i in range(len(table))], np.float32)
    return Seen(ShownPhoto("p", 3000, 100, len(table)), boxes, table)


@pytest.mark.parametrize("seed", range(40))
def test_no_other_labels_are_likelier(seed: int) -> None:
    rng = np.random.default_rng(seed)
    doubtful = int(rng.integers(2, 6))
    table = np.eye(43, dtype=np.float32)[: len(PLAYABLE)]
    logits = (
        rng.normal(0, 2, (doubtful, doubtful)) if seed % 3 else rng.integers(0, 3, (doubtful,) * 2)
    )
    shares = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    table[:doubtful, :doubtful] = shares
    labels = [int(tile.face) for tile in any_order([seen(table)], 34, {}).tiles]
    assert sorted(labels) == list(range(len(PLAYABLE)))
    costs = -np.log(table[:, : len(PLAYABLE)].astype(np.float64) + 1e-6)
    cheapest = min(
        sum(costs[i, face] for i, face in enumerate(faces))
        for faces in permutations(range(doubtful))
    )
    assert costs[np.arange(doubtful), labels[:doubtful]].sum() == pytest.approx(cheapest)


def test_fewer_tiles_than_faces_get_another_face_each() -> None:
    table = np.tile(np.eye(43, dtype=np.float32)[int(Tile.M1)], (3, 1)) * 0.9 + 0.1 / 43
    shown = any_order([seen(table.astype(np.float32))], 34, {})
    assert len({tile.face for tile in shown.tiles}) == 3
    assert len(shown.missing) == len(PLAYABLE) - 3


def test_marginals_pass_a_doubt_on() -> None:
    # The first tile is surely a; so the second, which might be either, is b.
    table = bounded_marginals(np.array([[0.99, 0.01], [0.6, 0.4]]), 1, 1)
    assert table.sum(1) == pytest.approx(1)
    assert table[1, 1] > 0.8


def test_marginals_leave_faces_that_may_repeat_alone() -> None:
    table = bounded_marginals(np.array([[0.9, 0.1], [0.9, 0.1], [0.1, 0.9]]), 1, 4)
    assert table.argmax(1).tolist() == [0, 0, 1]
