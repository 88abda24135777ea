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

HAND: dict[str, object] = {
    "kind": "hand",
    "concealed": "68s555s99p",
    "melds": ["kong:7777m", "chow:234p"],
    "win_tile": "7s",
    "self_drawn": True,
    "winner_is_dealer": True,
    "kong_draw": True,
    "expected": {
        "legal": True,
        "factors": {"杠上开花": 4, "杠": 2, "庄家": 2},
        "multiplier": 16,
        "payments": {"each_of_three_1": 16, "each_of_three_2": 16, "each_of_three_3": 16},
        "winner_receives": 48,
    },
}

FALSE_WIN: dict[str, object] = {
    "kind": "false_win",
    "players": {"A": "dealer", "B": "non-dealer", "C": "non-dealer", "D": "non-dealer"},
    "offender": "B",
}


def run_case(case: Case) -> CaseOutcome:
    return conformance.run_case({"rules": "kc-2.5", **case})


def test_every_shared_case_passes() -> None:
    lines = require_shared("cases", "kc.jsonl").read_text(encoding="utf-8").splitlines()
    cases = [json.loads(line) for line in lines]
    failed = {
        case["id"]: outcome.differences for case in cases if not (outcome := run_case(case)).passed
    }
    assert cases
    assert failed == {}


def test_a_correct_case_passes() -> None:
    assert run_case(HAND).passed


@pytest.mark.parametrize(
    ("figure", "value", "said"),
    [
        ("legal", False, "legal: expected False"),
        ("multiplier", 8, "multiplier: expected 8, got 16"),
        ("factors", {"杠上开花": 4, "庄家": 2}, "factors: 杠 should not count"),
        ("factors", {"杠上开花": 4, "杠": 2, "庄家": 2, "自摸": 2}, "factors: 自摸 is missing"),
        ("factors", {"杠上开花": 4, "杠": 4, "庄家": 2}, "factors: 杠 expected 4"),
        ("payments", {"each_of_three_1": 8}, "payments.each_of_three_1: expected 8, got 16"),
        ("winner_receives", 24, "winner_receives: expected 24"),
        ("luck", 1, "luck: the engine has no such figure"),
    ],
)
def test_a_wrong_figure_is_reported(figure: str, value: object, said: str) -> None:
    outcome = run_case({**HAND, "expected": {figure: value}})
    assert len(outcome.differences) == 1
    assert outcome.differences[0].startswith(said)


def test_a_pattern_by_its_other_name() -> None:
    case = {
        "kind": "hand",
        "concealed": "111m99p99s",
        "melds": ["pung:111s", "pung:999m"],
        "win_tile": "9p",
    }
    assert run_case({**case, "expected": {"factors": {"全幺九": 16}}}).passed
    assert run_case({**case, "expected": {"factors": {"清老头": 16}}}).passed


@pytest.mark.parametrize(
    ("others_ready", "more", "net"),
    [
        ([], {}, {"A": 4, "B": -8, "C": 2, "D": 2}),
        ({"A": 4}, {}, {"A": 12, "B": -16, "C": 2, "D": 2}),
        ([{"player": "A", "multiplier": 4}], {}, {"A": 12, "B": -16, "C": 2, "D": 2}),
        (["A"], {"multipliers": {"A": 4}}, {"A": 12, "B": -16, "C": 2, "D": 2}),
    ],
)
def test_false_wins_in_each_form(
    others_ready: object, more: dict[str, object], net: dict[str, int]
) -> None:
    assert run_case(
        {**FALSE_WIN, "others_ready": others_ready, **more, "expected": {"net": net}}
    ).passed


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        ("dealer_wins", "same"),
        ("non_dealer_wins", "next"),
        ("exhausted_wall", "same"),
        ("流局", "same"),
    ],
)
def test_next_dealer(event: str, expected: str) -> None:
    assert run_case(
        {"kind": "next_dealer", "event": event, "expected": {"next_dealer": expected}}
    ).passed


def test_special_events() -> None:
    heavenly = {"kind": "special", "event": "天和", "winner_is_dealer": True}
    assert run_case(
        {**heavenly, "expected": {"payments": {"each_of_three": 200}, "winner_receives": 600}}
    ).passed
    three = {
        "kind": "special",
        "event": "一炮三响",
        "players": ["A", "B", "C", "D"],
        "dealer": "A",
        "from": "D",
        "winners": {"A": 64, "B": 48, "C": 24},
    }
    payments = {"A": 120, "B": 120, "C": 60, "discarder": 300}
    assert run_case(
        {
            **three,
            "expected": {"payments": payments, "net": {"A": 120, "B": 120, "C": 60, "D": -300}},
        }
    ).passed
    two = {**three, "event": "一炮双响", "winners": {"A": 64, "B": 48}}
    assert run_case({**two, "expected": {"legal": False, "winner_receives": 0}}).passed


@pytest.mark.parametrize(
    ("case", "field"),
    [
        ({"kind": "song"}, "kind"),
        ({**HAND, "win_tile": "7q"}, "win_tile"),
        ({**HAND, "dealer_streak": "three"}, "dealer_streak"),
        ({**HAND, "under_the_moon": True}, "under_the_moon"),
        ({"kind": "special", "event": "eclipse"}, "event"),
        ({"kind": "next_dealer", "event": "eclipse"}, "event"),
        ({"kind": "next_dealer"}, "event"),
        ({**FALSE_WIN, "offender": 3}, "offender"),
        ({**FALSE_WIN, "others_ready": ["A"]}, "multipliers.A"),
        ({**FALSE_WIN, "others_ready": [{"player": "A"}]}, "others_ready[0]"),
        ({**FALSE_WIN, "players": {"A": "east"}}, "players"),
    ],
)
def test_a_case_of_another_form_is_refused_by_field(case: dict[str, object], field: str) -> None:
    with pytest.raises(CaseFormatError) as caught:
        run_case(case)
    assert caught.value.field == field
