"""A worked hand for each fan (fans.jsonl beside this file), and what the table of fan has to be."""

from __future__ import annotations

from pathlib import Path

import pytest

from hupai.scoring.conformance import CaseResult, run_file
from hupai.scoring.mcr.fan_table import markdown
from hupai.scoring.mcr.fans import ALL, FANS
from hupai.scoring.mcr.profiles import PROFILES
from tests.shared import ROOT

REPORT = run_file(Path(__file__).parent / "fans.jsonl")


@pytest.mark.parametrize("result", REPORT.results, ids=lambda result: result.id)
def test_a_worked_hand_for_the_fan(result: CaseResult) -> None:
    assert list(result.outcome.differences) == []
    assert any(line.startswith(f"{FANS[result.id].zh} x") for line in result.outcome.actual)


def test_every_fan_has_its_hand() -> None:
    assert [result.id for result in REPORT.results] == [fan.id for fan in ALL]


def test_the_table_of_1998() -> None:
    grades = {88: 7, 64: 6, 48: 2, 32: 3, 24: 9, 16: 6, 12: 5, 8: 9, 6: 7, 4: 4, 2: 10, 1: 13}
    assert [fan.number for fan in ALL] == list(range(1, 83))
    assert {points: sum(fan.points == points for fan in ALL[:81]) for points in grades} == grades
    assert len({fan.zh for fan in ALL}) == len({fan.en for fan in ALL}) == 82


def test_every_exclusion_names_a_fan_of_no_more_points_and_not_itself() -> None:
    for fan in ALL:
        for excludes in fan.excludes:
            assert excludes.fan != fan.id
            assert FANS[excludes.fan].points <= fan.points or {fan.id, excludes.fan} == {
                "four_pure_shifted_pungs",
                "pure_triple_chow",
            }


def test_every_clause_is_cited_from_the_text_of_the_profile() -> None:
    for profile in PROFILES:
        assert all(profile.clause(fan) for fan in ALL)
    assert PROFILES[0].clause(FANS["four_kongs"]) == "MCR 1998, fan 5 (row lost in print)"
    assert (
        PROFILES[1].clause(FANS["all_simples"])
        == "MCR 1998, fan 68, standing in: the print of 2006 breaks off after fan 13"
    )
    assert PROFILES[1].clause(FANS["four_kongs"]) == "MCR 2006, 3.8.1, fan 5"
    assert PROFILES[2].clause(FANS["four_kongs"]) == "handbook 4.1.5"


def test_the_documented_table_is_the_codes() -> None:
    assert (ROOT / "docs" / "fans.md").read_text(encoding="utf-8") == markdown()
