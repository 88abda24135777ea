"""A new rule family is a folder: once registered, everything knows it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

import hupai
from hupai.api.cli.main import app
from hupai.scoring import rule_sets
from hupai.scoring.session import rules_with_sessions, session_sheet
from hupai.vision.conventions import GENERAL, convention
from tests.scoring.toy_family import FAMILY

WON = "123456789m123456p1s +1s"


@pytest.fixture
def toy() -> Iterator[None]:
    rule_sets.register(FAMILY)
    yield
    rule_sets.unregister(FAMILY)


def hupai_says(*arguments: str) -> tuple[int, str]:
    answer = CliRunner().invoke(app, arguments)
    return answer.exit_code, answer.stdout


@pytest.mark.usefixtures("toy")
def test_a_hand_is_scored_under_the_new_family() -> None:
    code, said = hupai_says("score", WON, "--rules", "toy-16", "--json")
    assert code == 0
    assert json.loads(said)["score"]["total"] == 5
    code, said = hupai_says("score", WON, "--rules", "toy-16")
    assert "5 玩具分 toy points, win" in said
    code, said = hupai_says("compare", WON, "--json")
    columns = [json.loads(line) for line in said.splitlines()]
    totals = {column["rules"]: column["total"] for column in columns}
    assert totals["toy-16"] == 5
    assert totals["mcr-1998"] == 0
    assert hupai.score(WON, "toy-16").total == 5


@pytest.mark.usefixtures("toy")
def test_a_session_is_settled_under_the_new_family(tmp_path: Path) -> None:
    session = {
        "rules": "toy-16",
        "players": ["A", "B", "C", "D"],
        "deals": [{"winner": "B", "from": "A"}, {"winner": "B", "from": "C"}],
    }
    assert "toy-16" in rules_with_sessions()
    assert [place.player for place in session_sheet(session).places] == ["B", "D", "A", "C"]
    file = tmp_path / "session.json"
    file.write_text(json.dumps(session), encoding="utf-8")
    code, said = hupai_says("session", str(file), "--json")
    assert code == 0
    assert json.loads(said)["totals"]["B"] == 10


@pytest.mark.usefixtures("toy")
def test_its_convention_for_laying_melds_is_used() -> None:
    habits = convention("toy-16")
    assert habits.sizes == (16, 17)
    assert habits.sets == 5
    assert habits.pattern_share("xxxx") > GENERAL.pattern_share("xxxx")


@pytest.mark.usefixtures("toy")
def test_its_cases_are_run(tmp_path: Path) -> None:
    cases = tmp_path / "toy.jsonl"
    lines = [
        {"id": f"toy-{n}", "rules": "toy-16", "hand": WON, "expected": {"total": n}} for n in (5, 6)
    ]
    cases.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    code, said = hupai_says("conformance", str(cases))
    assert code == 1
    assert said.strip().endswith("1 passed, 1 failed")


def test_nothing_knows_it_before_it_is_registered() -> None:
    assert convention("toy-16") is GENERAL
    assert "toy-16" not in rules_with_sessions()
    with pytest.raises(rule_sets.UnknownRuleSetError):
        rule_sets.get("toy-16")


def test_a_family_is_registered_once_and_built_in_ones_cannot_be_removed() -> None:
    with pytest.raises(ValueError, match="there is a family 'mcr' already"):
        rule_sets.register(rule_sets.FAMILIES[0])
    with pytest.raises(ValueError, match="comes with the program"):
        rule_sets.unregister(rule_sets.FAMILIES[0])
