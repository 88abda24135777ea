"""Flowers that lie apart belong to the hand as seldom as they do on tables."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hupai.scoring import rule_sets
from hupai.scoring.hand import Circumstances
from hupai.scoring.tiles import Tile
from hupai.vision.layout.arrange import arrange
from hupai.vision.questions.decide import assess
from hupai.vision.questions.flower_owner import own_probabilities, with_flower_count
from hupai.vision.questions.resolved_hands import likely_hands
from hupai.vision.questions.types import QuestionKind
from hupai.vision.reading.read import read
from hupai.vision.types import Reading
from tests.vision.pictures import detections, table

MCR = rule_sets.get("mcr-1998")
HAND = "1m2m3m4p5p6p7s8s9sEEEP _ P"
IN_POND = HAND + "\n" + "~\n" * 10 + "1hS2s"
TWO_BETWEEN = HAND + "\n" + "~\n" * 6 + "1h . 5h _ _ 2sS4m"
"""Two flowers between the hand and a pond, and one that lies in the pond."""


def reading(text: str, certain: bool = True) -> Reading:
    return replace(read(arrange(detections(table(text)))), certain=certain)


def flowers_of(one: Reading, count: int | None = None) -> dict[tuple[Tile, ...], float]:
    found: dict[tuple[Tile, ...], float] = {}
    left = one if count is None else with_flower_count(one, count)
    for likely in likely_hands(left, MCR):
        flowers = likely.hand.flowers
        found[flowers] = found.get(flowers, 0.0) + likely.probability
    total = sum(found.values())
    return {flowers: p / total for flowers, p in found.items()}


def test_a_flower_in_the_pond_is_not_the_hands() -> None:
    one = reading(IN_POND)
    (probability,) = own_probabilities(one).values()
    assert probability < 0.01
    assert flowers_of(one) == {(): 1.0}
    verdict = assess(one, MCR)
    assert all(question.kind is not QuestionKind.FLOWERS for question in verdict.questions)


def test_flowers_are_likelier_the_nearer_they_lie_to_the_hand_than_to_others() -> None:
    one = reading(TWO_BETWEEN)
    near, far = own_probabilities(one).values()
    assert 0.5 > near > 0.03 > far
    assert flowers_of(one) == pytest.approx({(): 1 - near, (Tile.SPRING,): near})


def test_a_known_number_of_flowers_leaves_only_hands_with_so_many() -> None:
    one = reading(TWO_BETWEEN)
    assert set(flowers_of(one, 0)) == {()}
    either = flowers_of(one, 1)
    assert set(either) == {(Tile.SPRING,), (Tile.PLUM,)}
    assert either[(Tile.SPRING,)] > either[(Tile.PLUM,)]
    assert set(flowers_of(one, 2)) == {(Tile.SPRING, Tile.PLUM)}
    assert with_flower_count(one, 5) is one, "the photo does not show all"
    for count, total in ((0, 18), (1, 19), (2, 20)):
        verdict = assess(with_flower_count(one, count), MCR, Circumstances(flowers=count))
        assert {outcome.total for outcome, _ in verdict.outcomes} == {total}


def test_a_flower_on_a_photo_without_the_hand_is_not_the_hands() -> None:
    one = reading(TWO_BETWEEN)
    apart = own_probabilities(one)
    tiles = tuple(replace(tile, photo=int(tile.id in apart)) for tile in one.tiles)
    assert set(own_probabilities(replace(one, tiles=tiles)).values()) == {0.0}
