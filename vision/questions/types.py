"""The values of questions and outcomes for a reading under rules."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from hupai.scoring.hand import Circumstances, Hand
from hupai.scoring.tiles import Tile
from hupai.vision.types import LikelyHand


class QuestionKind(Enum):
    """What a question is about."""

    TILE = "tile"
    KONG = "kong"
    MELDS = "melds"
    FLOWERS = "flowers"
    WINNING_TILE = "winning_tile"
    CIRCUMSTANCE = "circumstance"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a hand.

    Attributes:
        total: total in the rule set's unit; 0 if it is not a winning hand.
        legal: whether the win is allowed.
        receives: what the winner receives.
        complete: whether it is a winning shape.
        waits: for 13 tiles that are ready, those that complete them, with the total on a discard.
    """

    total: int
    legal: bool
    receives: int
    complete: bool = True
    waits: tuple[tuple[Tile, int], ...] = ()

    @property
    def decides(self) -> tuple[object, ...]:
        """The key for comparing outcomes: total and payment of a legal win, else only the waits."""
        return (self.total, self.receives) if self.legal else (self.waits,)


OutcomeDistribution = tuple[tuple[Outcome, float], ...]
"""Distinct outcomes with their probabilities, likeliest first, summing to 1."""


@dataclass(frozen=True, slots=True)
class AnswerOption:
    """One answer to a question.

    Attributes:
        value: tile code, hand, melds or flowers in notation, or value of the circumstance
            (``true``, ``false``, ``E``, a number).
        label_en: how to show it.
        label_zh: the same in Chinese.
        probability: of this answer; those of a question's options sum to 1.
        outcomes: what the hand would score; several if other questions stay open.
        hands: the hands that remain with this answer, their probabilities summing to 1.
        circumstances: those that hold with this answer.
        settles: names of the circumstances that become known with it.
    """

    value: str
    label_en: str
    label_zh: str
    probability: float
    outcomes: OutcomeDistribution
    hands: tuple[LikelyHand, ...]
    circumstances: Circumstances
    settles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """A question whose answer changes the outcome of a hand.

    Attributes:
        kind: what it is about.
        subject: name of the `Circumstances` field; empty for the other kinds.
        tiles: ids of the tiles it is about.
        text_en: the question.
        text_zh: the same in Chinese.
        options: its answers, likeliest first.
        bits: expected information gain: mutual information of answer and outcome, bits.
    """

    kind: QuestionKind
    subject: str
    tiles: tuple[int, ...]
    text_en: str
    text_zh: str
    options: tuple[AnswerOption, ...]
    bits: float


@dataclass(frozen=True, slots=True)
class ScoredHand:
    """A likely hand, as read, with its possible outcomes."""

    hand: Hand
    probability: float
    outcomes: OutcomeDistribution


@dataclass(frozen=True, slots=True)
class Assessment:
    """The assessment of a reading under rules.

    Attributes:
        agreed: whether nothing that is open changes the outcome.
        outcomes: what the hand may score; none without a hand. If `agreed`, there is one, or
            several that are not legal wins.
        hands: each likely hand, likeliest first, probabilities summing to 1.
        text_en: the outcome in words, e.g. ``24 fan either way``.
        text_zh: the same in Chinese.
        question: the question with the greatest information gain; None if nothing open matters
            often enough to be asked. An open winning tile also matters if it changes only the fans,
            not the total.
        further: other questions that matter, those with the greatest gain first.
    """

    agreed: bool
    outcomes: OutcomeDistribution
    hands: tuple[ScoredHand, ...]
    text_en: str
    text_zh: str
    question: Question | None = None
    further: tuple[Question, ...] = ()

    @property
    def outcome(self) -> Outcome | None:
        """The common outcome, or the likeliest; None if there is no hand."""
        return self.outcomes[0][0] if self.outcomes else None

    @property
    def questions(self) -> tuple[Question, ...]:
        """All questions that matter, those with the greatest gain first."""
        return () if self.question is None else (self.question, *self.further)


@dataclass(frozen=True, slots=True)
class ResolvedHand:
    """A hand whose tiles are fully determined.

    Attributes:
        hand: with its winning tile and every kong's face decided.
        source: the likely hand from which it was resolved.
        probability: among all resolved hands.
    """

    hand: Hand
    source: Hand
    probability: float


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A resolved hand with its circumstances and outcome.

    Attributes:
        resolved: the hand.
        circumstances: how it was won.
        outcome: its outcome.
        weight: its probability among the hypotheses.
        tried: names of the circumstances whose values were tried on the hand.
    """

    resolved: ResolvedHand
    circumstances: Circumstances
    outcome: Outcome
    weight: float
    tried: tuple[str, ...] = ()

    @property
    def hand(self) -> Hand:
        """The fully determined hand."""
        return self.resolved.hand

    @property
    def source(self) -> Hand:
        """The likely hand as read."""
        return self.resolved.source


@dataclass(frozen=True, slots=True)
class CircumstanceValue:
    """One value of an open circumstance.

    Attributes:
        value: as an answer's value.
        label_en, label_zh: how to show it.
        probability: how likely it is.
        circumstances: those that hold with it.
    """

    value: str
    label_en: str
    label_zh: str
    probability: float
    circumstances: Circumstances
