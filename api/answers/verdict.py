"""The verdict on a hand, as JSON values."""

from __future__ import annotations

from collections.abc import Sequence

from hupai.api.contract.verdict import (
    AnswerChange,
    AnswerIn,
    OutcomeShareOut,
    ScoredHandOut,
    VerdictOptionOut,
    VerdictOut,
    VerdictQuestionOut,
)
from hupai.scoring.notation import format_hand
from hupai.vision.questions.types import AnswerOption, Assessment, OutcomeDistribution, Question

_DIGITS = 4
"""Decimal places of probabilities and bits."""
_LEAST_SHARE = 0.01
"""Outcomes that are less likely are left out."""


def verdict_out(verdict: Assessment, unit: str, unknown: Sequence[str]) -> VerdictOut:
    """Write a verdict; `unit` is that of its totals, `unknown` what nobody stated."""
    return VerdictOut(
        agreed=verdict.agreed,
        unit=unit,
        message=verdict.text_en,
        message_zh=verdict.text_zh,
        outcomes=_outcomes(verdict.outcomes),
        hands=[
            ScoredHandOut(
                notation=format_hand(hand.hand),
                probability=round(hand.probability, _DIGITS + 2),
                outcomes=_outcomes(hand.outcomes),
            )
            for hand in verdict.hands
        ],
        question=None if verdict.question is None else _question(verdict.question),
        further=[_question(question) for question in verdict.further],
        unknown=list(unknown),
    )


def answer_to(question: Question, option: AnswerOption) -> AnswerIn:
    """Write an option as the answer that a client sends back."""
    return AnswerIn(
        about=question.kind.value,
        name=question.subject,
        tiles=list(question.tiles),
        value=option.value,
    )


def _question(question: Question) -> VerdictQuestionOut:
    return VerdictQuestionOut(
        about=question.kind.value,
        name=question.subject,
        tiles=list(question.tiles),
        message=question.text_en,
        message_zh=question.text_zh,
        bits=round(question.bits, _DIGITS),
        options=[
            VerdictOptionOut(
                value=option.value,
                label_en=option.label_en,
                label_zh=option.label_zh,
                probability=round(option.probability, _DIGITS),
                outcomes=_outcomes(option.outcomes),
                change=AnswerChange(answer=answer_to(question, option)),
            )
            for option in question.options
        ],
    )


def _outcomes(found: OutcomeDistribution) -> list[OutcomeShareOut]:
    return [
        OutcomeShareOut(
            total=outcome.total,
            complete=outcome.complete,
            legal=outcome.legal,
            winner_receives=outcome.receives,
            probability=round(share, _DIGITS),
            waits=[(tile.code, total) for tile, total in outcome.waits],
        )
        for outcome, share in found
        if share >= min(_LEAST_SHARE, found[0][1])
    ]
