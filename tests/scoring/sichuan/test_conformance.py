"""The case files of ../shared, and what the runner says when a case fails or is not of the form
described.
"""

from __future__ import annotations

import json

import pytest

from hupai.scoring import conformance
from hupai.scoring.cases.fields import Case, CaseFormatError
from hupai.scoring.cases.figures import CaseOutcome
from tests.shared import require_shared

HAND = {
    "kind": "hand",
    "concealed": "123456789m22p56p",
    "melds": [],
    "win_tile": "7p",
    "self_drawn": True,
    "opponents_not_yet_won": 2,
    "expected": {
        "legal": True,
        "fans": {"平和": 1, "自摸": 1},
        "fan_sum": 0,
        "base_points": 1,
        "each_payer_pays": 2,
        "winner_receives": 4,
    },
}


def run_case(case: Case) -> CaseOutcome:
    return conformance.run_case({"rules": "sichuan-2024", **case})


def test_every_shared_case_passes() -> None:
    lines = require_shared("cases", "sichuan.jsonl").read_text(encoding="utf-8").splitlines()
    cases = [json.loads(line) for line in lines]
    failed = {
        case["id"]: outcome.differences for case in cases if not (outcome := run_case(case)).passed
    }
    assert cases
    assert failed == {}


def test_a_correct_case_passes() -> None:
    assert run_case(HAND).passed


@pytest.mark.parametrize(
    ("figure", "value"),
    [
        ("legal", False),
        ("fans", {"平和": 1}),
        ("base_points", 2),
        ("each_payer_pays", 3),
        ("winner_receives", 6),
        ("luck", 1),
    ],
)
def test_a_wrong_figure_is_reported(figure: str, value: object) -> None:
    outcome = run_case({**HAND, "expected": {figure: value}})
    assert len(outcome.differences) == 1
    assert outcome.differences[0].startswith(figure)


def test_a_standing_with_fines_in_each_form() -> None:
    base = {"kind": "standing", "scores": {"A": 5, "B": 5, "C": 0, "D": -10}}
    b_first = {"standard": {"A": 3, "B": 4, "C": 2, "D": 1}}
    for penalties in ({"A": 4}, {"A": -4}, {"A": [2, 2]}, {"A": {"points": 4, "count": 2}}):
        assert run_case({**base, "penalties": penalties, "expected": b_first}).passed
    equal = {**base, "penalties": {"A": 4, "B": 4}, "penalty_counts": {"A": 2, "B": 1}}
    assert run_case({**equal, "expected": b_first}).passed


def test_a_deal_with_an_impossible_event_fails() -> None:
    case = {
        "kind": "round",
        "players": ["A", "B", "C", "D"],
        "events": [{"type": "win", "player": "A", "base_points": 3, "from": "B"}],
        "expected": {"net": {"A": 0, "B": 0, "C": 0, "D": 0}},
    }
    assert "base points are 1, 2, 4 or 8" in run_case(case).differences[0]


@pytest.mark.parametrize(
    ("case", "field"),
    [
        ({"kind": "song"}, "kind"),
        ({**HAND, "win_tile": "7q"}, "win_tile"),
        ({**HAND, "win_tile": "77p"}, "win_tile"),
        ({**HAND, "melds": ["quad:1111m"]}, "melds[0]"),
        ({**HAND, "concealed": 5}, "concealed"),
        ({**HAND, "self_drawn": "yes"}, "self_drawn"),
        ({**HAND, "under_the_moon": True}, "under_the_moon"),
        ({**HAND, "opponents": "two", "opponents_not_yet_won": None}, "opponents"),
        ({"kind": "pass_then_win", "passed_fan": None, "offered_fan": 1}, "passed_fan"),
        ({"kind": "standing", "scores": {"A": "five"}}, "scores.A"),
    ],
)
def test_a_case_of_another_form_is_refused_by_field(case: dict[str, object], field: str) -> None:
    with pytest.raises(CaseFormatError) as caught:
        run_case(case)
    assert caught.value.field == field
