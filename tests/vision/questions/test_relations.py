"""Invariants of an assessment, its questions, their options, and the results of answers.

The information gain of a question is compared with a count over every case.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from hupai.scoring.result import RuleSet
from hupai.scoring.tiles import Tile
from hupai.vision.questions.decide import assess
from hupai.vision.questions.types import (
    QuestionKind,
)
from hupai.vision.reading.certainty.features import looking_alike
from tests.vision.questions.cases import (
    MCR,
    Case,
    answered,
    decided,
    each_case,
    every_rule_set,
    hands,
)
from tests.vision.questions.counting import (
    changed_by,
    circumstance_gain,
    counted,
    entropy,
    gain_of,
    hand_gain,
    winners,
    winning_gain,
)


@each_case
def test_probabilities_are_normalised(case: Case) -> None:
    verdict = case.verdict()
    assert sum(share for _, share in verdict.outcomes) == pytest.approx(1)
    assert sum(hand.probability for hand in verdict.hands) == pytest.approx(1)
    for hand in verdict.hands:
        assert sum(share for _, share in hand.outcomes) == pytest.approx(1)
    for question in verdict.questions:
        assert len(question.options) == len({option.value for option in question.options}) > 1
        assert sum(option.probability for option in question.options) == pytest.approx(1)
        for option in question.options:
            assert sum(share for _, share in option.outcomes) == pytest.approx(1)
            assert sum(likely.probability for likely in option.hands) == pytest.approx(1)


@each_case
def test_every_likely_hand_is_scored(case: Case) -> None:
    found = {hand.hand: hand.probability for hand in case.verdict().hands}
    certain = case.reading.certain
    alike = looking_alike(case.reading.hands) if certain else case.reading.hands
    total = sum(likely.probability for likely in alike)
    for likely in alike:
        share = sum(
            p
            for hand, p in found.items()
            if replace(hand, flowers=likely.hand.flowers) == likely.hand
        )
        assert share == pytest.approx(likely.probability / total)


@each_case
def test_an_answer_has_the_outcome_of_its_option(case: Case) -> None:
    for question in case.verdict().questions:
        for option in question.options:
            after = answered(case, option).verdict()
            said, got = decided(option.outcomes), decided(after.outcomes)
            if not case.unknown:
                assert set(got) == set(said)
            for outcome in {*got, *said}:
                # What is rare is tried on the likeliest hands only.
                within = 1e-6 if not case.unknown else 0.03 if option.probability > 0.05 else 0.1
                assert said.get(outcome, 0) == pytest.approx(got.get(outcome, 0), abs=within)


@each_case
def test_what_was_answered_is_not_asked_again_and_answers_come_to_an_end(case: Case) -> None:
    asked: list[tuple[QuestionKind, str, tuple[int, ...]]] = []
    for _ in range(10):
        verdict = case.verdict()
        if verdict.question is None:
            break
        asked.append((verdict.question.kind, verdict.question.subject, verdict.question.tiles))
        case = answered(case, verdict.question.options[0])
    else:
        pytest.fail("questions without end")
    assert len(asked) == len(set(asked))
    if not verdict.agreed:  # what hardly ever changes the score is not asked
        assert verdict.outcomes[0][1] >= 0.98
        return
    assert len(verdict.outcomes) == 1 or not any(outcome.legal for outcome, _ in verdict.outcomes)


@each_case
def test_the_whole_score_follows_once_all_is_answered(case: Case) -> None:
    """Whichever way it is answered: the rule set agrees with the verdict."""
    for first in range(3):
        at = case
        while (question := at.verdict().question) is not None:
            at = answered(at, question.options[min(first, len(question.options) - 1)])
        (likely, *_) = at.reading.hands
        given = replace(at.given, self_drawn=at.given.self_drawn or at.given.kong_replacement)
        hand = likely.hand
        if hand.winning_tile is None and hand.size == 14:
            hand = winners(hand)[0][0]
        if any(Tile.BACK in meld.tiles for meld in hand.melds):
            continue
        score = at.rules.score(hand, given)
        outcomes = {(o.total, o.legal, o.receives) for o, _ in at.verdict().outcomes}
        assert (score.total, score.legal, score.winner_receives) in outcomes


@each_case
def test_the_question_asked_is_the_one_that_decides_most(case: Case) -> None:
    verdict = case.verdict()
    worlds = counted(case)
    before = entropy(worlds)
    if verdict.agreed:
        assert before == 0
        return
    assert before > 0
    kinds = {QuestionKind.CIRCUMSTANCE: circumstance_gain, QuestionKind.WINNING_TILE: winning_gain}
    gains = {
        question: kinds.get(question.kind, hand_gain)(question, worlds)
        for question in verdict.questions
    }
    for question, gain in gains.items():
        assert question.bits == pytest.approx(gain, abs=0.06), question.text_en
    assert verdict.question is not None
    assert gains[verdict.question] >= max(gains.values()) - 0.02
    for name in case.unknown:
        if (
            name not in {question.subject for question in verdict.questions}
            and name in case.rules.circumstances
        ):
            assert changed_by(name, worlds) < 0.02, name


def test_a_certain_reading_is_not_asked_about_its_tiles() -> None:
    reading = replace(
        hands(("123m456p789sEEEP +P", 0.97), ("123m456p789sEEEP +F", 0.01)), certain=True
    )
    assert assess(reading, MCR).agreed
    assert not assess(replace(reading, certain=False), MCR).agreed


@every_rule_set
def test_words_name_the_outcomes_of_the_options(rule_set: RuleSet) -> None:
    verdict = assess(
        hands(("123m456m789m33m78m +9m", 0.6), ("123m456m789m33m78m +6m", 0.3)),
        rule_set,
        None,
        ("self_drawn",),
    )
    assert verdict.question is not None
    assert verdict.question.text_en in verdict.text_en
    assert verdict.question.text_zh in verdict.text_zh
    assert any(str(outcome.total) in verdict.text_en for outcome, _ in verdict.outcomes)
    for question in verdict.questions:
        for option in question.options:
            assert option.label_en.isascii()
            assert option.label_zh


def test_counting_finds_what_is_known_to_be_so() -> None:
    """The count itself: a hand of two equally likely scores has one bit, and knowing the hand
    removes it.
    """
    case = Case("", hands(("123m456p789sEEEP +P", 0.5), ("123m456p789sEEEP +F", 0.5)), MCR)
    worlds = counted(case)
    assert entropy(worlds) == pytest.approx(1)
    assert gain_of(worlds, lambda world: world.source) == pytest.approx(1)
    assert [share for _, share in case.verdict().outcomes] == [0.5, 0.5]
