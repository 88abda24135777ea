"""The scores from which tiles count as a hand are measured on tables with and without one."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from hupai.models.training.layout.cases import Case
from hupai.models.training.layout.limits import limits, without_hand
from hupai.vision.layout.weights import SHIPPED, LayoutWeights, shipped_weights
from tests.vision.pictures import detections, table

HANDS = ("1m2m3m4p5p6p7s8s9sEEEPP", "2m2m2m3p4p5p6s6s7s7s8s8sNN", "1p1p1p _ 4m5m6m _ 7s8s9sFFFCC")
OTHERS = "3m9sEC1p5s\n8m2sN7p4p6m\n~\n~\n"


def case_of(hand: str, others: str = OTHERS, weak: int = 0) -> Case:
    """A table: first the other tiles, the last `weak` of all tiles of low confidence."""
    found = detections(table(others + hand))
    first, n = len(table(others)) if others.strip("~\n") else 0, len(found)
    firm = replace(found.only(np.arange(n - weak)), low_confidence=None)
    if weak:
        firm = replace(firm, low_confidence=found.only(np.arange(n - weak, n)))
    own = frozenset(range(first, n))
    return Case(detections=firm, size=(1280, 720), family="test", source=hand, tiles=own)


def test_hands_score_more_than_what_is_left_without_them() -> None:
    cases = [case_of(hand) for hand in HANDS]
    found = limits(cases, shipped_weights())
    assert set(found) == set(shipped_weights().limits)
    assert found["hand"] > found["other"] >= found["partial"]


def test_other_players_hands_do_not_count_as_tiles_without_a_hand() -> None:
    case = case_of(HANDS[0], others=f"{HANDS[1]}\n~\n~\n~\n{OTHERS}")
    theirs = frozenset(range(len(table(HANDS[1]))))
    unknown = limits([case], shipped_weights())["further"]
    known = limits([replace(case, other_hands=(theirs,))], shipped_weights())["further"]
    assert unknown > shipped_weights().limits["further"] > known


@pytest.mark.parametrize("weak", [0, 3])
def test_a_table_without_its_hand_keeps_the_other_tiles(weak: int) -> None:
    case = case_of(HANDS[0], weak=weak)
    rest = without_hand(case)
    first = len(table(OTHERS))
    assert len(rest.detections) == first
    assert (rest.detections.boxes == case.detections.boxes[:first]).all()
    low = rest.detections.low_confidence
    assert low is None or len(low) == 0
    assert rest.tiles == frozenset()


def test_a_table_of_the_hand_alone_has_no_score_without_it() -> None:
    assert limits([case_of(HANDS[0], others="")], shipped_weights())["other"] == float("-inf")


def test_weights_from_before_the_limits_get_those_shipped(tmp_path: Path) -> None:
    content = json.loads(SHIPPED.read_text("utf-8"))
    del content["limits"]
    (tmp_path / "old.json").write_text(json.dumps(content), "utf-8")
    old = LayoutWeights.load(tmp_path / "old.json")
    assert old.limits == shipped_weights().limits
    old.save(tmp_path / "new.json")
    assert LayoutWeights.load(tmp_path / "new.json").limits == old.limits


def test_of_weights_fitted_to_corrections_only_the_grouping_is_read(tmp_path: Path) -> None:
    """Files of earlier versions hold the other sections of their time as well."""
    content = json.loads(SHIPPED.read_text("utf-8"))
    content |= {"version": "2026.11.30+own", "selection": {}, "limits": {}, "certainty": {}}
    content["grouping"] = {name: weight + 1 for name, weight in content["grouping"].items()}
    (tmp_path / "own.json").write_text(json.dumps(content), "utf-8")
    own, shipped = LayoutWeights.load(tmp_path / "own.json"), shipped_weights()
    assert own.grouping == content["grouping"]
    assert (own.selection, own.limits, own.certainty) == (
        shipped.selection,
        shipped.limits,
        shipped.certainty,
    )
    own.save(tmp_path / "again.json")
    assert json.loads((tmp_path / "again.json").read_text("utf-8")).keys() == {
        "version",
        "grouping",
    }
