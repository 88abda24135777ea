from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hupai.models.evaluation.matching import (
    IOU_STEPS,
    PhotoBoxes,
    labelled_area,
    match,
    mean_average_precision,
)
from hupai.scoring.tiles import Tile
from hupai.vision.geometry.boxes import pairwise_iou
from hupai.vision.types import FloatArray


def boxes(*rows: tuple[float, float, float, float]) -> FloatArray:
    return np.asarray(rows, np.float32).reshape(-1, 4)


def photo(
    predicted: list[tuple[Tile, float, tuple[float, float, float, float]]],
    true: list[tuple[Tile, tuple[float, ...]]],
) -> PhotoBoxes:
    return PhotoBoxes(
        tuple(tile for tile, _, _ in predicted),
        boxes(*(box for _, _, box in predicted)),
        np.asarray([confidence for _, confidence, _ in predicted], np.float32),
        tuple(tile for tile, _ in true),
        np.asarray([box for _, box in true], np.float32).reshape(-1, 4),
    )


def test_the_larger_overlap_is_matched_first_and_each_box_once() -> None:
    predicted = boxes((0, 0, 10, 9), (0, 0, 10, 10), (100, 0, 110, 10))
    assert match(predicted, boxes((0, 0, 10, 10))) == [(1, 0)]


def test_too_small_an_overlap_is_no_match() -> None:
    assert match(boxes((0, 0, 10, 4)), boxes((0, 0, 10, 10))) == []
    assert match(boxes((0, 0, 10, 4)), boxes((0, 0, 10, 10)), least=0.4) == [(0, 0)]


def test_the_labelled_area_reaches_one_tile_beyond_the_labels() -> None:
    truth = boxes((0, 0, 10, 10), (90, 0, 100, 10))
    asked = boxes(
        (45, 0, 55, 10), (45, 14, 55, 24), (45, 16, 55, 26), (-14, 0, -4, 10), (-20, 0, -10, 10)
    )
    assert labelled_area(truth, asked) == [True, True, False, True, False]
    assert labelled_area(boxes(), asked) == [True] * 5


def test_perfect_predictions_have_map_one() -> None:
    one = photo(
        [(Tile.M1, 0.9, (0, 0, 10, 10)), (Tile.P5, 0.8, (20, 0, 30, 10))],
        [(Tile.M1, (0, 0, 10, 10)), (Tile.P5, (20, 0, 30, 10))],
    )
    assert list(mean_average_precision([one]).values()) == pytest.approx([1.0] * len(IOU_STEPS))


def test_a_more_confident_false_prediction_halves_the_precision_at_every_recall() -> None:
    one = photo(
        [(Tile.M1, 0.9, (50, 50, 60, 60)), (Tile.M1, 0.5, (0, 0, 10, 10))],
        [(Tile.M1, (0, 0, 10, 10))],
    )
    assert mean_average_precision([one], [0.5])[0.5] == pytest.approx(0.5)


def test_a_second_box_on_one_tile_is_a_false_prediction() -> None:
    twice = [
        (Tile.M1, 0.9, (0.0, 0.0, 10.0, 10.0)),
        (Tile.M1, 0.8, (0.0, 0.0, 10.0, 9.0)),
        (Tile.M1, 0.7, (20.0, 0.0, 30.0, 10.0)),
    ]
    two = photo(twice, [(Tile.M1, (0, 0, 10, 10)), (Tile.M1, (20, 0, 30, 10))])
    # Precision 1 up to recall 0.5 (51 of 101 steps), then 2/3.
    assert mean_average_precision([two], [0.5])[0.5] == pytest.approx(
        (51 + 50 * 2 / 3) / 101, abs=1e-6
    )


def test_a_face_that_is_never_predicted_counts_zero() -> None:
    one = photo(
        [(Tile.M1, 0.9, (0, 0, 10, 10))], [(Tile.M1, (0, 0, 10, 10)), (Tile.M2, (20, 0, 30, 10))]
    )
    assert mean_average_precision([one], [0.5])[0.5] == pytest.approx(0.5)


def test_looser_boxes_lose_at_higher_overlaps() -> None:
    one = photo([(Tile.M1, 0.9, (0, 0, 10, 8))], [(Tile.M1, (0, 0, 10, 10))])
    means = mean_average_precision([one])
    assert means[0.5] == pytest.approx(1.0)
    assert means[0.8] == pytest.approx(1.0)
    assert means[0.85] == 0.0


def test_without_labels_it_is_zero() -> None:
    assert mean_average_precision([], [0.5]) == {0.5: 0.0}


coordinates = st.integers(0, 40)
box = st.tuples(coordinates, coordinates, st.integers(1, 20), st.integers(1, 20)).map(
    lambda b: (b[0], b[1], b[0] + b[2], b[1] + b[3])
)


@given(st.lists(box, max_size=6), st.lists(box, max_size=6))
def test_matching_does_not_depend_on_which_side_is_called_predicted(
    first: list[tuple[int, ...]], second: list[tuple[int, ...]]
) -> None:
    one, other = (np.asarray(side, np.float32).reshape(-1, 4) for side in (first, second))
    iou = pairwise_iou(one, other)
    np.testing.assert_allclose(iou, pairwise_iou(other, one).T)
    pairs = match(one, other)
    assert len({i for i, _ in pairs}) == len({j for _, j in pairs}) == len(pairs)
    assert all(iou[i, j] >= 0.5 for i, j in pairs)
