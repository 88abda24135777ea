"""``hupai deal`` as a shell sees it: ledger, sums, standings, exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from hupai.api.cli.main import app

DEAL: dict[str, object] = {
    "players": ["A", "B", "C", "D"],
    "dealer": "A",
    "events": [
        {"type": "kong", "player": "D", "kong": "concealed"},
        {"type": "win", "player": "A", "base_points": 2, "from": "D", "kong_discard": True},
        {"type": "exhaust", "ready": {"B": 4}, "not_ready": ["C"], "late_pig": ["D"]},
    ],
}


def run(tmp_path: Path, value: object, *options: str) -> Result:
    path = tmp_path / "deal.json"
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return CliRunner().invoke(app, ["deal", str(path), *options], env={"COLUMNS": "200"})


def test_a_deal_is_settled_with_a_clause_for_every_payment(tmp_path: Path) -> None:
    result = run(tmp_path, DEAL)
    assert result.exit_code == 0
    for shown in (
        "table 1, 5",
        "9.3.3",
        "10.2.4 b",
        "3.27; 10.4.1 b",
        "11.2.10.1",
        "Next dealer: A",
    ):
        assert shown in result.stdout


def test_the_same_as_json(tmp_path: Path) -> None:
    answer = json.loads(run(tmp_path, DEAL, "--json").stdout)
    assert answer["net"] == {"A": 2, "B": 8, "C": -4, "D": -30}
    assert sum(answer["net"].values()) == -24
    assert answer["next_dealer"] == "A"
    assert answer["finished"] is True
    assert {"event", "kind", "payer", "payee", "points", "clause", "why_en", "why_zh"} == set(
        answer["ledger"][0]
    )


def test_a_log_with_problems_is_settled_as_far_as_it_goes_and_ends_with_1(tmp_path: Path) -> None:
    late_win = {"type": "win", "player": "B", "base_points": 1, "from": "C"}
    end = {"type": "exhaust", "ready": {"A": 1, "B": 1, "C": 1, "D": 1}}
    result = run(tmp_path, {**DEAL, "events": [end, late_win]})
    assert result.exit_code == 1
    assert "deal_over" in result.stdout


def test_a_session_is_ranked(tmp_path: Path) -> None:
    session = {"scores": {"A": 5, "B": 5, "C": -4, "D": -10}, "penalties": {"A": 4}}
    shown = run(tmp_path, session)
    assert shown.exit_code == 0
    assert "10.4.3 a 1" in shown.stdout
    rows = json.loads(run(tmp_path, session, "--json").stdout)["standings"]
    assert [(row["player"], row["standard"]) for row in rows] == [
        ("B", 4.0),
        ("A", 3.0),
        ("C", 2.0),
        ("D", 1.0),
    ]


def test_scores_that_do_not_sum_to_the_fines_are_ranked_and_the_difference_named(
    tmp_path: Path,
) -> None:
    shown = run(tmp_path, {"scores": {"A": 5, "B": 5, "C": 0, "D": 0}})
    assert shown.exit_code == 1
    assert "difference is +10" in shown.stdout


def test_an_unfinished_deal_gives_a_warning_and_no_next_dealer(tmp_path: Path) -> None:
    shown = run(tmp_path, {**DEAL, "events": DEAL["events"][:2]})  # type: ignore[index]
    assert shown.exit_code == 1
    assert "deal_unfinished" in shown.stdout
    assert "Next dealer" not in shown.stdout


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("not json", "not JSON"),
        ({"players": ["A", "B", "C", "D"], "events": [{"type": "sing"}]}, "events[0].type"),
        ({"scores": {"A": 1}}, "three or four"),
        ({"scores": {"A": 1}, "penaltis": {}}, "penaltis"),
        ({"players": ["A", "B", "C", "D"], "evnts": []}, "events"),
        ({"scores": {"A": "one"}}, "scores.A"),
    ],
)
def test_unreadable_input_is_bad_usage(tmp_path: Path, value: object, said: str) -> None:
    result = run(tmp_path, value)
    assert result.exit_code == 2
    assert said in result.output


def test_a_missing_file_is_reported_on_standard_error(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["deal", str(tmp_path / "none.json")])
    assert (result.exit_code, result.stdout) == (1, "")
    assert "none.json: No such file" in result.stderr
