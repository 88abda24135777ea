"""Answers and questions about a reading under rules, as values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from scoring.hand import Circumstances, Hand


class QuestionKind(Enum):
    """What a question is about."""

    TILE = "tile"
    MELDS = "melds"
    WINNING_TILE = "winning_tile"
    CIRCUMSTANCE = "circumstance"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a hand comes to: its total in the rule set's unit, whether the win is legal, and what the winner receives."""

    total: int
    legal: bool
    receives: int


@dataclass(frozen=True, slots=True)
class AnswerOption:
    """One answer to a question.

    Attributes:
        value: tile code, hand in notation, or value of the circumstance (``true``, ``false``, ``E``, a number).
        label_en: how to show it.
        label_zh: the same in Chinese.
        probability: of this answer.
        outcomes: what the hand would come to, likeliest first; more than one where other questions stay open.
        hands: the hands that remain with this answer; empty for a circumstance.
    """

    value: str
    label_en: str
    label_zh: str
    probability: float
    outcomes: tuple[Outcome, ...]
    hands: tuple[Hand, ...] = ()


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
        bits: how much of the doubt about the outcome the answer removes, in bits.
    """

    kind: QuestionKind
    subject: str
    tiles: tuple[int, ...]
    text_en: str
    text_zh: str
    options: tuple[AnswerOption, ...]
    bits: float


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a reading comes to under rules.

    Attributes:
        outcome: the common outcome if every likely hand agrees, else that of the likeliest; None where there is no hand.
        agreed: nothing that is open changes the outcome.
        text_en: in words, e.g. ``24 fan either way``.
        text_zh: the same in Chinese.
        question: the one question that decides most; None if nothing open matters.
        further: other questions that matter, the most deciding first.
    """

    outcome: Outcome | None
    agreed: bool
    text_en: str
    text_zh: str
    question: Question | None = None
    further: tuple[Question, ...] = ()


@dataclass(frozen=True, slots=True)
class Possibility:
    """A hand with its winning tile decided, and its probability among the possibilities."""

    hand: Hand
    source: Hand
    probability: float


@dataclass(frozen=True, slots=True)
class Setting:
    """One value of an open circumstance, how likely it is, and the circumstances with it."""

    value: str
    label_en: str
    label_zh: str
    probability: float
    circumstances: Circumstances
