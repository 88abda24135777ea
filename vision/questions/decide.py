"""What a reading scores under rules, and the one question with the greatest information gain.

Every likely hand is scored. If all agree, doubt about the tiles does not matter and nothing is
asked. Otherwise the open points (a tile, a hidden kong, which sets were laid down, flowers apart,
the winning tile, a circumstance) are compared by the mutual information of their answer and the
outcome. The best is asked, with what each answer would score. Doubts about the photo that hardly
ever change the score are ignored.
"""

from __future__ import annotations

from collections.abc import Iterable

from hupai.scoring.hand import Circumstances, Hand
from hupai.scoring.result import RuleSet
from hupai.scoring.waits import (
    common_score,
    leaves_winning_tile_open,
    scores_by_winning_tile,
)
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
from hupai.vision.questions.types import (
    Assessment,
    OutcomeDistribution,
    Question,
    QuestionKind,
    ScoredHand,
)
from hupai.vision.questions.wording import agreed_text, open_text
from hupai.vision.types import Reading

_MIN_BITS = 5e-4
"""Least information gain of a question that is asked, bits."""
_MAX_UNASKED = 0.02
"""Greatest total probability that the unasked doubts about the photo change the score.

Circumstances are not counted here: a player knows how the hand was won, but not what the camera may
have mistaken.
"""
_MOST_DIFFERENT = 1e-4
"""Probability up to which an outcome is ignored when outcomes agree and nothing is asked."""
_KNOWN_TO_THE_WINNER = frozenset({QuestionKind.CIRCUMSTANCE, QuestionKind.WINNING_TILE})
"""What is asked whenever it matters, however rarely."""


def assess(
    reading: Reading,
    rules: RuleSet,
    circumstances: Circumstances | None = None,
    unknown: Iterable[str] = (),
) -> Assessment:
    """Score a reading's likely hands and find what is worth asking.

    Args:
        reading: the reading of a photo; if it is certain, only the likeliest hand counts.
        rules: rules in play.
        circumstances: what is known of how the hand was won; what that requires is then also known.
        unknown: names of `Circumstances` fields that are not known; those the rules do not use are
            ignored.
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
    asked = [
        question
        for question in possible
        if question is not None and _is_open(question, cases, rules, given)
    ]
    worth_asking = _without_negligible(asked)
    return _assessment(cases, sorted(worth_asking, key=lambda question: -question.bits), rules)


def _is_open(question: Question, cases: Hypotheses, rules: RuleSet, given: Circumstances) -> bool:
    """Return whether an answer changes the outcome, or names the winning tile that fans need."""
    if question.kind is QuestionKind.WINNING_TILE and len(question.options) > 1:
        return _winner_decides_outcome(cases) or any(
            _winner_decides_score(source, rules, given) for source in {h.source for h in cases.all}
        )
    return question.bits > _MIN_BITS


def _winner_decides_outcome(cases: Hypotheses) -> bool:
    """Return whether the winning tile changes the outcome of a hand won in a given way."""
    open_cases = cases.where(lambda h: leaves_winning_tile_open(h.source))
    ways = open_cases.partition(
        lambda h: (h.source, tuple(meld.tiles for meld in h.hand.melds), h.circumstances)
    )
    return any(len({h.outcome.decides for h in way}) > 1 for way in ways.values())


def _winner_decides_score(source: Hand, rules: RuleSet, given: Circumstances) -> bool:
    """Return whether the score of a hand depends on its winning tile."""
    scored = scores_by_winning_tile(rules, source, given)
    return bool(scored) and common_score(scored) is None


def _without_negligible(questions: Iterable[Question]) -> list[Question]:
    """Drop the questions about the photo that least often change the score.

    As many are dropped as together change it with a probability of at most `_MAX_UNASKED`.
    """
    kept, unasked = [], 0.0
    for question in sorted(questions, key=_chance_of_another_score):
        if question.kind not in _KNOWN_TO_THE_WINNER:
            unasked += _chance_of_another_score(question)
            if unasked <= _MAX_UNASKED:
                continue
        kept.append(question)
    return kept


def _chance_of_another_score(question: Question) -> float:
    """Return the probability that assuming the likeliest answer gives a wrong score."""
    assumed = question.options[0]
    return sum(
        option.probability * _distance(option.outcomes, assumed.outcomes)
        for option in question.options[1:]
    )


def _distance(first: OutcomeDistribution, second: OutcomeDistribution) -> float:
    """Return the total variation distance between two distributions of `decides`, 0 to 1."""
    differences: dict[tuple[object, ...], float] = {}
    for sign, outcomes in ((1, first), (-1, second)):
        for outcome, share in outcomes:
            before = differences.get(outcome.decides, 0.0)
            differences[outcome.decides] = before + sign * share
    return sum(map(abs, differences.values())) / 2


def _assessment(cases: Hypotheses, asked: list[Question], rules: RuleSet) -> Assessment:
    outcomes = outcome_distribution(cases.all)
    hands = [
        ScoredHand(source, sum(h.weight for h in part), outcome_distribution(part))
        for source, part in cases.partition(lambda h: h.source).items()
    ]
    hands.sort(key=lambda hand: -hand.probability)
    unit = rules.score(cases.all[0].hand, Circumstances()).unit
    first = asked[0] if asked else None
    least = _MOST_DIFFERENT if first is None else 0.0
    common = tuple(one for one in outcomes if one[1] > least)
    same = len({outcome.decides for outcome, _ in common}) == 1
    agreed = same and (first is None or not cases.open)
    if agreed:
        words = agreed_text(common, unit, several=len(cases.all) > 1)
    else:
        words = open_text(outcomes, first, unit, _MAX_UNASKED)
    return Assessment(agreed, outcomes, tuple(hands), *words, first, tuple(asked[1:]))
