"""Answers and questions about a reading under rules, as values."""

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
    """What a hand comes to.

    Attributes:
        total: in the rule set's unit; 0 where it is no winning hand.
        legal: the win is allowed.
        receives: what the winner receives.
        complete: it is a winning shape.
        waits: of 13 tiles, what completes them, with the total on a discard.
    """

    total: int
    legal: bool
    receives: int
    complete: bool = True
    waits: tuple[tuple[Tile, int], ...] = ()

    @property
    def decides(self) -> tuple[object, ...]:
        """What of it matters: of a hand that may not win only that, and what it waits for."""
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
        outcomes: what the hand would come to; more than one where other questions stay open.
        hands: the hands that remain with this answer, their probabilities summing to 1.
        circumstances: those that hold with this answer.
        settles: names of the circumstances that are known with it and were not before.
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
    """A question whose answer changes what a hand comes to.

    Attributes:
        kind: what it is about.
        subject: name of the `Circumstances` field; empty for the other kinds.
        tiles: ids of the tiles it is about.
        text_en: the question.
        text_zh: the same in Chinese.
        options: its answers, likeliest first.
        bits: how much of the doubt about the outcome the answer removes on average (mutual
            information), in bits.
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
    """A likely hand, as read, with what it may come to."""

    hand: Hand
    probability: float
    outcomes: OutcomeDistribution


@dataclass(frozen=True, slots=True)
class Assessment:
    """What a reading comes to under rules.

    Attributes:
        agreed: nothing that is open changes the outcome.
        outcomes: what the hand may come to; none where there is no hand. If `agreed` one, or
            several that may not win.
        hands: each likely hand, likeliest first, probabilities summing to 1.
        text_en: in words, e.g. ``24 fan either way``.
        text_zh: the same in Chinese.
        question: the one question that decides most; None if nothing open matters.
        further: other questions that matter, the most deciding first.
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
        """The common outcome, or the likeliest; None where there is no hand."""
        return self.outcomes[0][0] if self.outcomes else None

    @property
    def questions(self) -> tuple[Question, ...]:
        """All questions that matter, the most deciding first."""
        return () if self.question is None else (self.question, *self.further)


@dataclass(frozen=True, slots=True)
class ResolvedHand:
    """A hand with nothing about its tiles left open.

    Attributes:
        hand: with its winning tile and every kong's face decided.
        source: the likely hand it is a case of.
        probability: among the resolved_hands.
    """

    hand: Hand
    source: Hand
    probability: float


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A possibility with circumstances, what it comes to, and its probability among the worlds.

    `tried` names the circumstances whose values were tried on the possibility; others are as given.
    """

    possibility: ResolvedHand
    circumstances: Circumstances
    outcome: Outcome
    weight: float
    tried: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CircumstanceValue:
    """One value of an open circumstance, how likely it is, and the circumstances with it."""

    value: str
    label_en: str
    label_zh: str
    probability: float
    circumstances: Circumstances
