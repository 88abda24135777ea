"""What a photographed hand comes to, doubt included, and answers to what is asked, as JSON.
Meaning: `hupai.vision.questions.types`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from hupai.api.contract.hand import Model

About = Literal["tile", "kong", "melds", "flowers", "winning_tile", "circumstance"]


class AnswerIn(Model):
    """The answer to one of the questions of `verdict`, as an option's `change` has it."""

    about: About
    name: str = Field(default="", max_length=40, description="Of the circumstance.")
    tiles: list[Annotated[int, Field(ge=0, le=10_000)]] = Field(
        default=[], max_length=60, description="Those of the question."
    )
    value: str = Field(min_length=1, max_length=300)


class AnswerChange(Model):
    """A change that answers a question: the body of PATCH /v1/hands/{id}."""

    answer: AnswerIn


class OutcomeShareOut(BaseModel):
    """Something the hand may come to, and how likely that is; less than 1 % is left out.

    `waits` are those of a ready hand of 13, with the total on a discard.
    """

    total: int
    complete: bool
    legal: bool
    winner_receives: int
    probability: float
    waits: list[tuple[str, int]] = []


class ScoredHandOut(BaseModel):
    """A likely hand and what it may come to."""

    notation: str
    probability: float
    outcomes: list[OutcomeShareOut]


class VerdictOptionOut(BaseModel):
    """An answer, how likely it is, what the hand then comes to; `change` is what to PATCH the hand
    with.
    """

    value: str
    label_en: str
    label_zh: str
    probability: float
    outcomes: list[OutcomeShareOut]
    change: AnswerChange


class VerdictQuestionOut(BaseModel):
    """A question whose answer changes the score. `bits` says how much of the doubt it removes on
    average.

    `name` is that of the circumstance, `tiles` are ids of the reading.
    """

    about: About
    name: str
    tiles: list[int]
    message: str
    message_zh: str
    bits: float
    options: list[VerdictOptionOut]


class VerdictOut(BaseModel):
    """What the hand comes to, whichever of the likely hands it is and however it was won.

    With `agreed` nothing open changes the score. `question` is the one that decides most, `further`
    are the others that matter. Which tile won is asked for even where it changes no total, because
    the fans depend on it. `unknown` names the circumstances that were not stated, those included
    that these rules do not read: under other rules they are asked for.
    """

    agreed: bool
    unit: str = Field(default="fan", description="Unit of every total.")
    message: str
    message_zh: str
    outcomes: list[OutcomeShareOut]
    hands: list[ScoredHandOut]
    question: VerdictQuestionOut | None
    further: list[VerdictQuestionOut]
    unknown: list[str]
