"""Scores and the requests for them, as JSON. Meaning of the fields:
`hupai.scoring.result`.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    Strict,
    WithJsonSchema,
    model_validator,
)

from hupai.api.contract.hand import CircumstancesModel, HandModel, Model, TileCode
from hupai.api.contract.verdict import VerdictOut

RulesId = Annotated[
    str, Field(min_length=1, max_length=64, description="Id of a rule set, see GET /v1/rules.")
]


Probability = Annotated[float, Field(ge=0, le=1, strict=True)]

OptionalRules = Annotated[
    str | None, BeforeValidator(lambda value: value or None), WithJsonSchema({"type": "string"})
]
"""A rule set or none, as a form field; an empty one is none."""


class DoubtModel(Model):
    """A tile of `hand` whose face is not sure, to be asked about if it matters.

    `part` and `index` say where it lies: the index counts within `concealed` or `flowers`, or is
    the meld's, whose tile is then at `position`. `id` is the caller's own name for the tile, given
    back in the question.
    """

    id: int
    part: Literal["concealed", "winning_tile", "meld", "flowers"]
    index: int = Field(default=0, ge=0, le=34)
    position: int = Field(default=0, ge=0, le=3)
    confidence: Probability
    alternatives: list[Annotated[tuple[TileCode, Probability], Strict(False)]] = Field(
        min_length=1, max_length=4
    )


class HandRequest(Model):
    """A hand, either in `notation` or as `hand`, and how it was won."""

    model_config = ConfigDict(
        json_schema_extra={
            "oneOf": [
                {
                    "required": ["notation"],
                    "properties": {"notation": {"type": "string"}, "hand": {"type": "null"}},
                },
                {
                    "required": ["hand"],
                    "properties": {"hand": {"type": "object"}, "notation": {"type": "null"}},
                },
            ]
        }
    )

    notation: str | None = Field(
        default=None, min_length=1, max_length=300, description="e.g. 23m55pEEE[567m,1](9999s)1h+1m"
    )
    hand: HandModel | None = None
    circumstances: CircumstancesModel = CircumstancesModel()

    @model_validator(mode="after")
    def _one_hand(self) -> Self:
        if (self.notation is None) == (self.hand is None):
            raise ValueError("give the hand either as notation or as hand, exactly one of the two")
        return self


class ScoreRequest(HandRequest):
    """A hand to score, either in `notation` or as `hand`."""

    rules: RulesId
    doubts: list[DoubtModel] = Field(default=[], max_length=8, description="Only with `hand`.")

    @model_validator(mode="after")
    def _doubts_need_a_hand(self) -> Self:
        if self.doubts and self.hand is None:
            raise ValueError("doubts point into hand: give the hand as hand, not as notation")
        return self


class ProblemOut(BaseModel):
    """Something wrong with the hand, or worth saying; `tiles` are tile codes."""

    code: str
    severity: Literal["error", "warning", "note"]
    message: str
    message_zh: str
    tiles: list[str] = []


class SetPartOut(BaseModel):
    """One part of the split."""

    kind: str
    tiles: list[str]
    concealed: bool
    melded: bool
    has_winning_tile: bool


class FanOut(BaseModel):
    """A fan that counts; `parts` are indices into `split`, `clause` says where the rule stands."""

    id: str
    zh: str
    en: str
    points: int
    count: int
    parts: list[int]
    clause: str
    why_en: str
    why_zh: str


class ExcludedFanOut(BaseModel):
    """A fan the hand shows that does not count, by which principle and because of which fan."""

    id: str
    zh: str
    en: str
    points: int
    count: int
    clause: str
    principle: str
    by: str | None
    reason_en: str
    reason_zh: str


class PaymentOut(BaseModel):
    """What one player pays; `count` players pay `amount` each."""

    payer: str
    count: int
    amount: int
    formula: str


class WayOut(BaseModel):
    """What a wait scores in one way of winning: discard, self_drawn, last_discard and so on; fan as
    Chinese name and count.
    """

    way: str
    total: int
    unit: str
    legal: bool
    fans: list[tuple[str, int]]


class RunnerUpOut(BaseModel):
    """The best split that was not chosen."""

    split: list[SetPartOut]
    total: int
    fans: list[tuple[str, int]]


class ScoreOut(BaseModel):
    """The answer of a rule set to a hand."""

    rules: str
    complete: bool
    legal: bool
    total: int
    unit: str
    fans: list[FanOut]
    excluded: list[ExcludedFanOut]
    split: list[SetPartOut]
    payments: list[PaymentOut]
    winner_receives: int
    problems: list[ProblemOut]
    runner_up: RunnerUpOut | None
    details: dict[str, Any]


class WaitOut(BaseModel):
    """A tile that completes a hand of 13.

    `remaining` are those of its kind that the hand does not hold itself, `ways` what it scores in
    each way of winning.
    """

    tile: str
    remaining: int
    ways: list[WayOut]


class ScoreAnswer(BaseModel):
    """The score of a hand; `score` is null while it is open which tile won."""

    rules: str
    notation: str
    hand: HandModel
    circumstances: CircumstancesModel
    score: ScoreOut | None
    waits: list[WaitOut] = Field(
        default=[], description="For a hand of 13: the tiles that complete it."
    )
    verdict: VerdictOut | None = Field(
        default=None, description="Null only in a hand stored before there were verdicts."
    )
