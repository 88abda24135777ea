"""Tiles are labelled by the cheapest assignment, and the marginals keep their bounds."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from hupai.scoring.tiles import FLOWERS, PLAYABLE, Tile
from hupai.vision.enrolment.label_faces import (
    Seen,
    ShownPhoto,
    any_order,
    bounded_marginals,
    guided,
)
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


def test_a_face_that_the_set_does_not_have_is_left_out() -> None:
    table = np.eye(43, dtype=np.float32)[[*range(34), 0, 1]]
    for faces in (34, None):  # two flowers are too few to be a set with flowers
        answers = {(0, 34): FLOWERS[0], (0, 35): FLOWERS[1]}
        shown = any_order([seen(table)], faces, answers)
        assert shown.expected == PLAYABLE
        assert [tile.place[1] for tile in shown.tiles] == list(range(34))
    left = any_order([seen(table)], 34, {(0, 34): Tile.BACK, (0, 35): None})
    assert len(left.tiles) == 34


def test_an_answer_counts_more_than_the_order() -> None:
    table = np.eye(43, dtype=np.float32)[:9]
    named = (Tile.M2, Tile.M1, *PLAYABLE[2:9])
    asked = guided([seen(table)], [named], None, {}).doubtful
    assert [tile.face for tile in asked] == [Tile.M2, Tile.M1]
    answers = {(0, 0): Tile.M1, (0, 1): Tile.M2}
    shown = guided([seen(table)], [named], None, answers)
    assert [tile.face for tile in shown.tiles] == list(PLAYABLE[:9])
    assert not shown.doubtful


def test_photos_without_tiles_show_no_face() -> None:
    assert any_order([seen(np.zeros((0, 43), np.float32))], None, {}).missing == PLAYABLE
    assert bounded_marginals(np.zeros((0, 34)), 0, 1).shape == (0, 34)
