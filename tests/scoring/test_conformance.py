"""Running case files: the project's own, and the shared ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hupai.scoring.conformance import run_file, run_lines
from tests.shared import require_shared

OWN = Path(__file__).parent / "mcr" / "fans.jsonl"

SETTLED_IN_RULINGS = {"mcr-0081", "mcr-0091"}
"""Disputed cases where docs/rulings.md takes the other side."""


@pytest.mark.parametrize("name", ["mcr-published", "mcr-generated", "sichuan", "kc"])
def test_shared_cases_pass_but_for_the_disputed_ones_that_are_explained(name: str) -> None:
    report = run_file(require_shared("cases", f"{name}.jsonl"))
    assert report.passed > 0
    assert all(result.disputed_by for result in report.failures)
    assert {result.id for result in report.failures} <= SETTLED_IN_RULINGS


def test_a_difference_is_shown_with_both_breakdowns() -> None:
    case = json.loads(OWN.read_text(encoding="utf-8").splitlines()[5])
    case |= {
        "id": "wrong",
        "expected_total": 90,
        "expected_fans": {"连七对": 1, "断幺": 1},
        "disputed_by": ["someone"],
    }
    (result,) = run_lines([json.dumps(case)])
    assert list(result.lines()) == [
        "wrong [mcr-1998] (disputed by someone; see docs/rulings.md)",
        "  differs   total: expected 90, got 88",
        "  differs   断幺: expected x1, got x0",
        "  expected  total 90; 连七对 x1; 断幺 x1",
        "  got       total 88; 连七对 x1",
    ]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "not JSON"),
        ("[]", "not a JSON object"),
        ('{"rules": "taiwan"}', "no rule set with cases"),
        ('{"rules": "mcr-2020", "concealed": "1m"}', "no MCR rule set"),
        ('{"concealed": "1x", "win_tile": "1m"}', "concealed"),
        ('{"concealed": "1m", "win_tile": "1m", "seat_wind": "Q"}', "seat_wind"),
        ('{"concealed": "1m", "win_tile": "1m", "dora": true}', "dora"),
        ('{"kind": "round"}', "no kind of MCR case"),
    ],
)
def test_a_line_that_cannot_be_run_counts_as_failed_and_says_why(line: str, said: str) -> None:
    (result,) = run_lines([line, ""])
    assert not result.passed
    assert said in "\n".join(result.lines())


def test_flags_winds_and_ids_may_be_left_out_and_lists_may_trade_places() -> None:
    hand = {
        "concealed": "12345678p55s",
        "melds": ["chow:123m"],
        "win_tile": "9p",
        "expected_total": 19,
    }
    traded = {
        "concealed": "22m12345566789p",
        "win_tile": "4p",
        "self_drawn": True,
        "expected_total": 24,
    }
    lists = [
        {"清龙": 1, "不求人": 1, "平和": 1, name: 1, "缺一门": 1} for name in ("一般高", "连六")
    ]
    lines = [json.dumps(hand), *(json.dumps({**traded, "expected_fans": fans}) for fans in lists)]
    assert [result.passed for result in run_lines(lines)] == [True, True, True]
