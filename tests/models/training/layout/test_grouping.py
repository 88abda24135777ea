"""Fitting the grouping: the true grouping of a laid table is found, and the fit prefers it."""

from __future__ import annotations

import pytest

from hupai.models.training.layout.cases import Case
from hupai.models.training.layout.grouping import (
    START,
    Hand,
    fit,
    hands_of,
    key_of_blocks,
    key_of_case,
    measure,
    true_blocks,
)
from hupai.vision.layout.group_features import FEATURES
from hupai.vision.layout.grouping import as_one_hand
from tests.vision.pictures import detections, table


def hand_of(codes: str, groups: tuple[tuple[str, tuple[int, ...], str | None], ...]) -> Hand:
    found = detections(table(codes))
    ids = frozenset(i for _, members, _ in groups for i in members)
    case = Case(
        detections=found, size=(1280, 720), family="test", source=codes, tiles=ids, groups=groups
    )
    (hand,) = hands_of([case])
    return hand


@pytest.fixture(scope="module")
def plain() -> Hand:
    return hand_of("1m2m3m4p5p6p7s8s9sEEEPP", (("concealed", tuple(range(14)), None),))


def test_the_true_grouping_is_made_of_the_lines(plain: Hand) -> None:
    blocks = true_blocks(plain)
    assert blocks is not None
    one = as_one_hand(blocks, plain.model(START).habits)
    assert one is not None
    assert key_of_blocks(one, plain.faces()) == key_of_case(plain.case)


def test_a_grouping_that_the_lines_do_not_allow_is_rejected(plain: Hand) -> None:
    odd = Hand(plain.framed, plain.classes, plain.case)
    assert true_blocks(odd) is not None
    groups = (("concealed", tuple(range(0, 14, 2)), None),)
    other = Case(
        detections=plain.case.detections,
        size=(1280, 720),
        family="test",
        source="odd",
        tiles=plain.case.tiles,
        groups=groups,
    )
    assert true_blocks(Hand(plain.framed, plain.classes, other)) is None


def test_a_fit_covers_every_feature_and_groups_its_own_cases(plain: Hand) -> None:
    weights = fit([plain])
    assert weights.keys() == set(FEATURES)
    assert measure([plain], weights).right == 1
