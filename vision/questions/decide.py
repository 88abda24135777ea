"""What a reading comes to under rules, and the one question that decides most.

Every likely hand is scored. If all agree, doubt about the tiles does not matter and nobody need be
asked. Otherwise the open points (a tile, a hidden kong, which sets were laid down, flowers apart,
which tile won, a circumstance) are compared by how much of the doubt about the outcome their answer
removes, measured as mutual information, and the best is asked, with what each answer would score.
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
from hupai.vision.questions.types import Assessment, Question, ScoredHand
from hupai.vision.questions.wording import agreed_text, open_text
from hupai.vision.types import Reading

_LEAST_BITS = 5e-4


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
        circumstances: what is known of how the hand was won; what that needs to be true is known
            with it.
        unknown: names of `Circumstances` fields that are not known; those the rules do not read are
            passed over.
    """
    given, unknown = implied(circumstances or Circumstances(), unknown)
    if not reading.hands:
        return Assessment(False, (), (), "no hand to score", "没有可计分的手牌")
    cases = hypotheses(reading, rules, given, unknown)
    asked = (
        *tile_questions(reading, cases, given),
        kong_question(reading, cases, given),
        meld_question(cases, given),
        flower_question(reading, cases, given),
        winning_tile_question(reading, cases, given),
        *circumstance_questions(cases, given),
    )
    matter = sorted(
        (q for q in asked if q is not None and q.bits > _LEAST_BITS), key=lambda q: -q.bits
    )
    return _verdict(cases, matter, rules)


def _verdict(cases: Hypotheses, matter: list[Question], rules: RuleSet) -> Assessment:
    outcomes = outcome_distribution((w.outcome, w.weight) for w in cases.all)
    hands = sorted(
        (
            ScoredHand(
                part[0].possibility.source,
                sum(w.weight for w in part),
                outcome_distribution((w.outcome, w.weight) for w in part),
            )
            for part in cases.partition(lambda w: w.possibility.source).values()
        ),
        key=lambda hand: -hand.probability,
    )
    unit = rules.score(cases.all[0].possibility.hand, Circumstances()).unit
    agreed = len({outcome.decides for outcome, _ in outcomes}) == 1 and not cases.open
    if agreed:
        words = agreed_text(outcomes, unit, several=len(cases.all) > 1)
    else:
        words = open_text(outcomes, matter[0] if matter else None, unit)
    return Assessment(
        agreed, outcomes, tuple(hands), *words, matter[0] if matter else None, tuple(matter[1:])
    )
