"""What holds of every hand, and agreement with the library called directly."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from benchmarks.scoring.riichi_agreement import (
    ask_library,
    differences,
    not_expressible,
    riichi_deals,
)
from hupai.scoring.hand import Circumstances, Hand, Meld, MeldKind
from hupai.scoring.result import Principle
from hupai.scoring.riichi.rules import RULES, RiichiRules
from hupai.scoring.tiles import PLAYABLE, WINDS, Tile
from tests.scoring.hands import won_hands

rules = st.sampled_from(RULES)
winds = st.sampled_from(WINDS)
plain = st.builds(Circumstances, self_drawn=st.booleans(), seat_wind=winds, round_wind=winds)


def test_random_hands_score_the_same_as_the_library_called_directly() -> None:
    compared = 0
    for deal in riichi_deals(seed=20261123, number=300):
        score, answer = deal.rules.score(deal.hand, deal.circumstances), ask_library(deal)
        if not not_expressible(deal, answer):
            assert differences(score, answer) == [], (deal.rules.id, str(deal.hand))
            compared += 1
    assert compared > 280


def closed(hand: Hand) -> Hand:
    """The same hand with nothing claimed."""
    concealed = list(hand.concealed)
    melds: list[Meld] = []
    for meld in hand.melds:
        if meld.is_kong:
            melds.append(Meld(MeldKind.CONCEALED_KONG, meld.tiles))
        else:
            concealed += meld.tiles
    return replace(hand, concealed=tuple(concealed), melds=tuple(melds))


@given(rules, won_hands(), plain)
def test_a_closed_hand_is_never_worth_less_than_the_same_open_one(
    rule_set: RiichiRules, hand: Hand, circumstances: Circumstances
) -> None:
    open_ = rule_set.score(hand, circumstances)
    assume(open_.complete)
    assert rule_set.score(closed(hand), circumstances).total >= open_.total


@given(rules, won_hands(), plain, st.lists(st.sampled_from(PLAYABLE), min_size=1, max_size=4))
def test_dora_never_make_a_yaku_and_never_lower_a_score(
    rule_set: RiichiRules, hand: Hand, circumstances: Circumstances, shown: list[Tile]
) -> None:
    without = rule_set.score(hand, circumstances)
    with_dora = rule_set.score(hand, replace(circumstances, dora_indicators=tuple(shown)))
    assert (with_dora.total == 0) is (without.total == 0)
    assert with_dora.total >= without.total


@given(rules, won_hands(), plain)
def test_the_answer_explains_its_own_figures(
    rule_set: RiichiRules, hand: Hand, circumstances: Circumstances
) -> None:
    score = rule_set.score(hand, circumstances)
    assume(score.legal)
    details = dict(score.details)
    steps = {step.id: step for step in score.steps}
    assert sum(line.points * line.count for line in score.fans) == details["han"]
    assert steps["han"].amount == details["han"]
    assert steps["fu"].amount == details["fu"] if details["fu"] else "fu" not in steps
    fu = [step.amount for step in score.steps if step.id.startswith("fu_")]
    assert details["fu"] - 10 < sum(fu) <= details["fu"]
    assert score.total == score.winner_receives
    assert all(line.ja and line.zh and line.en and line.clause for line in score.fans)
    assert all(0 <= part < len(score.split) for line in score.fans for part in line.parts)
    assert sum(part.has_winning_tile for part in score.split) == 1
    counted = {line.id for line in score.fans}
    assert all(
        one.id not in counted for one in score.excluded if one.principle is not Principle.CONDITION
    )
    assert score.runner_up is None or score.runner_up.total <= score.total


@pytest.mark.parametrize("rule_set", RULES, ids=lambda one: one.id)
def test_every_option_of_a_profile_names_its_source(rule_set: RiichiRules) -> None:
    named = [name for name, source in rule_set.profile.sources if source]
    own = set(type(rule_set.options).__dataclass_fields__) - {"han", "off"}
    assert set(named) == own
    assert len(named) == len(own)
