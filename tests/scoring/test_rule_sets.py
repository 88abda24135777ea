"""The registry of rule sets."""

from __future__ import annotations

import pytest

from hupai.scoring import rule_sets
from hupai.scoring.checks.catalogue import CODES
from hupai.scoring.hand import Circumstances, Hand
from hupai.scoring.tiles import Tile


def test_the_default_comes_first_and_every_id_is_found() -> None:
    ids = [rule_set.id for rule_set in rule_sets.all_rules()]
    assert ids[:5] == ["mcr-1998", "mcr-2006", "mcr-handbook", "sichuan-2024", "kc-2.5"]
    assert ids[5:] == ["riichi-ema", "riichi-wrc", "riichi-jpml-a", "riichi-online"]
    assert [rule_sets.get(name).id for name in ids] == ids


def test_an_unknown_id_is_answered_with_those_there_are() -> None:
    with pytest.raises(
        rule_sets.UnknownRuleSetError, match=r"no rule set 'taiwan': use mcr-1998, .*kc-2\.5"
    ):
        rule_sets.get("taiwan")


def test_a_family_is_found_by_the_beginning_of_an_id() -> None:
    for family in rule_sets.FAMILIES:
        assert family.rules
        assert all(rule_sets.family_of(rules.id) is family for rules in family.rules)
        assert {schema.base for schema in family.house_schemas} == {r.id for r in family.rules}
        assert "hand" in family.case_kinds
    assert rule_sets.family_of("taiwan") is None


@pytest.mark.parametrize("rules_id", [rule_set.id for rule_set in rule_sets.all_rules()])
def test_every_rule_set_answers_a_bad_hand_with_problems_of_the_catalogue(rules_id: str) -> None:
    bad = [
        Hand(()),
        Hand((Tile.BACK,) * 14),
        Hand((Tile.M1,) * 13, winning_tile=Tile.M1),
        Hand((Tile.EAST, Tile.SPRING) * 7),
        Hand((Tile.M1, Tile.P1, Tile.S1) * 4 + (Tile.M5,), winning_tile=Tile.M5),
    ]
    contradictory = Circumstances(
        robbing_kong=True, self_drawn=True, kong_replacement=True, last_of_kind=True, flowers=12
    )
    for hand in bad:
        score = rule_sets.get(rules_id).score(hand, contradictory)
        assert not score.legal
        assert score.problems
        assert {problem.code for problem in score.problems} <= set(CODES)
        assert all(problem.message and problem.message_zh for problem in score.problems)
