"""The assurance of a reading, and the threshold from which it is certain."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hupai.scoring.notation import parse_hand
from hupai.scoring.tiles import Tile
from hupai.vision.layout.arrange import arrange
from hupai.vision.layout.weights import shipped_weights
from hupai.vision.reading.certainty import RISK, fit_threshold, probability, risk_coverage
from hupai.vision.reading.certainty_features import FEATURES, TILE_FEATURES, looking_alike
from hupai.vision.reading.read import read_with_features
from hupai.vision.types import LikelyHand
from tests.vision.pictures import detections, table

PAIRS = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=60)
ROW = "1m2m3m4p5p6p7s8s9sEEEPP"


@pytest.mark.parametrize("name", FEATURES)
def test_more_doubt_never_makes_a_reading_surer(name: str) -> None:
    reading, values = read_with_features(arrange(detections(table(ROW))))
    assert values.keys() == FEATURES.keys()
    more = values | {name: values[name] + FEATURES[name]}
    for weights in (shipped_weights().certainty, shipped_weights().tiles):
        assert probability(more, weights) >= probability(values, weights)
    assert reading.assurance == probability(values, shipped_weights().certainty)


def test_a_tile_left_out_beside_the_row_lowers_the_probability_of_the_hand() -> None:
    row = table(ROW)
    layout = arrange(detections([*row, replace(row[-1], y=row[-1].y - 50)]))
    alone = arrange(detections(row))
    beside = replace(layout, arrangements=alone.arrangements)
    first, second = read_with_features(alone)[0], read_with_features(beside)[0]
    assert first.certain
    assert second.hands[0].hand == first.hands[0].hand
    assert second.hands[0].probability < first.hands[0].probability
    assert second.assurance < first.assurance


def test_a_hand_of_thirteen_is_certain_only_where_no_winning_tile_can_be_missed() -> None:
    row = table("1m2m3m4p5p6p7s8s9sEEEP")
    layout = arrange(detections([replace(tile, x=tile.x + 200) for tile in row]), (1000, 400))
    assert not read_with_features(layout)[0].certain
    examined = replace(layout, examined=True)
    assert read_with_features(examined)[0].certain
    at_the_edge = arrange(detections(row), (1000, 400))
    assert not read_with_features(replace(at_the_edge, examined=True))[0].certain


@pytest.mark.parametrize(("away", "certain"), [(85, False), (130, True)])
def test_an_open_tile_near_a_hand_of_thirteen_may_be_the_winning_one(
    away: float, certain: bool
) -> None:
    row = [replace(t, x=t.x + 300, y=t.y + 300) for t in table("1m2m3m4p5p6p7s8s9sEEEP")]
    other = replace(row[6], y=row[6].y - away, tile=Tile.from_code("3s"))
    layout = replace(arrange(detections([*row, other]), (1200, 800)), examined=True)
    reading, _ = read_with_features(layout)
    assert sum(tile.in_hand for tile in reading.tiles) == 13
    assert reading.certain is certain


def test_weights_bear_only_on_what_their_names_say() -> None:
    weights = shipped_weights()
    assert weights.tiles.keys() <= TILE_FEATURES | {"bias"}
    assert weights.certainty.keys() == FEATURES.keys() | {"bias", "threshold"}
    assert 0.9 < weights.certainty["threshold"] <= 1.0


def test_hands_that_no_photo_can_distinguish_look_alike() -> None:
    texts = ("[777s] (1111p)", "[777s] [1111p]", "[777s,2] (1111p)")
    hands = [LikelyHand(parse_hand(f"123m55p {text} +4m"), 0.3) for text in texts]
    assert looking_alike(hands) == hands[:2]
    assert looking_alike([]) == []


def test_curve_of_three_right_and_one_wrong() -> None:
    curve = risk_coverage([(0.9, True), (0.8, True), (0.7, False), (0.6, True)])
    assert [(p.threshold, p.coverage, p.risk) for p in curve] == [
        (0.9, 0.25, 0.0),
        (0.8, 0.5, 0.0),
        (0.7, 0.75, pytest.approx(1 / 3)),
        (0.6, 1.0, 0.25),
    ]


@given(readings=PAIRS)
def test_fitted_threshold_keeps_the_promise(readings: list[tuple[float, bool]]) -> None:
    threshold = fit_threshold(readings)
    certain = [right for value, right in readings if value >= threshold]
    assert certain.count(False) <= RISK * len(certain)


def test_nothing_is_certain_where_the_surest_is_wrong() -> None:
    assert fit_threshold([(0.99, False), (0.5, True)]) > 1


def test_threshold_lies_between_the_last_right_and_the_first_wrong() -> None:
    assert fit_threshold([(0.9, True), (0.8, True), (0.6, False)]) == pytest.approx(0.7)
