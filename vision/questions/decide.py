"""What a reading comes to under rules, and the one question with the greatest information gain.

Every likely hand is scored. If all agree, doubt about the tiles does not matter and nothing is
asked. Otherwise the open points (a tile, a hidden kong, which sets were laid down, flowers apart,
the winning tile, a circumstance) are compared by the mutual information of their answer and the
outcome. The best is asked, with what each answer would score.
"""

from __future__ import annotations

from collections.abc import Iterable

from hupai.scoring.hand import Circumstances
from hupai.scoring.result import RuleSet
from hupai.vision.questions.circumstances import implied
from hupai.vision.questions.hand_questions import (
    circumstance_questions,
    flower_question,
    kong_question,
    meld_question,
    winning_tile_question,
)
from hupai.vision.questions.hypotheses import Hypotheses, hypotheses, outcome_distribution
from hupai.vision.questions.tile_questions import tile_questions
from hupai.vision.questions.types import Assessment, Question, QuestionKind, ScoredHand
from hupai.vision.questions.wording import agreed_text, open_text
from hupai.vision.types import Reading

_MIN_BITS = 5e-4
"""Least information gain of a question that is asked, bits."""


def assess(
    reading: Reading,
    rules: RuleSet,
    circumstances: Circumstances | None = None,
    unknown: Iterable[str] = (),
) -> Assessment:
    """Score a reading's likely hands and find what is worth asking.

    Args:
        reading: of a photo; of one that is certain only the likeliest hand counts.
        rules: rules in play.
        circumstances: what is known of how the hand was won, and with it what that needs.
        unknown: names of `Circumstances` fields that are not known; those the rules do not read are
            passed over.
    """
    given, unknown = implied(circumstances or Circumstances(), unknown)
    if not reading.hands:
        return Assessment(False, (), (), "no hand to score", "没有可计分的手牌")
    cases = hypotheses(reading, rules, given, unknown)
    possible = (
        *tile_questions(reading, cases, given),
        kong_question(reading, cases, given),
        meld_question(cases, given),
        flower_question(reading, cases, given),
        winning_tile_question(reading, cases, given),
        *circumstance_questions(cases, given),
    )
    asked = [question for question in possible if question is not None and _is_open(question)]
    return _assessment(cases, sorted(asked, key=lambda question: -question.bits), rules)


def _is_open(question: Question) -> bool:
    """Tell whether an answer changes the outcome, or names the winning tile that fans need."""
    if question.kind is QuestionKind.WINNING_TILE and len(question.options) > 1:
        return any(
            outcome.complete for option in question.options for outcome, _ in option.outcomes
        )
    return question.bits > _MIN_BITS


def _assessment(cases: Hypotheses, asked: list[Question], rules: RuleSet) -> Assessment:
    outcomes = outcome_distribution(cases.all)
    hands = [
        ScoredHand(source, sum(h.weight for h in part), outcome_distribution(part))
        for source, part in cases.partition(lambda h: h.source).items()
    ]
    hands.sort(key=lambda hand: -hand.probability)
    unit = rules.score(cases.all[0].hand, Circumstances()).unit
    agreed = len({outcome.decides for outcome, _ in outcomes}) == 1 and not cases.open
    first = asked[0] if asked else None
    if agreed:
        words = agreed_text(outcomes, unit, several=len(cases.all) > 1)
    else:
        words = open_text(outcomes, first, unit)
    return Assessment(agreed, outcomes, tuple(hands), *words, first, tuple(asked[1:]))
