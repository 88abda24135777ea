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

from hupai.api.contract.hand import CircumstancesModel, HandModel, HandOut, Model, TileCode
from hupai.api.contract.refusal import refusal
from hupai.api.contract.values import JSON, TileJson
from hupai.api.contract.verdict import VerdictOut
from hupai.scoring.result import Problem, Score
from hupai.scoring.waits import Wait, WayScore

RulesId = Annotated[
    str, Field(min_length=1, max_length=64, description="Id of a rule set, see GET /v1/rules.")
]


Probability = Annotated[float, Field(ge=0, le=1, strict=True)]

OptionalRules = Annotated[
    str | None, BeforeValidator(lambda value: value or None), WithJsonSchema({"type": "string"})
]
"""A rule set or none, as a form field; an empty one is none."""


class DoubtModel(Model):
    """A tile of `hand` whose face is uncertain; a question is asked if it matters.

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
            raise refusal(
                "give the hand either as notation or as hand, exactly one of the two",
                "手牌请用 notation 或 hand 给出，二者取一",
            )
        return self


class ScoreRequest(HandRequest):
    """A hand to score, either in `notation` or as `hand`."""

    rules: RulesId
    doubts: list[DoubtModel] = Field(default=[], max_length=8, description="Only with `hand`.")
    ask: bool = Field(
        default=False,
        description="Ask about circumstances that are left out, instead of taking their defaults.",
    )

    @model_validator(mode="after")
    def _doubts_need_a_hand(self) -> Self:
        if self.doubts and self.hand is None:
            raise refusal(
                "doubts point into hand: give the hand as hand, not as notation",
                "doubts 指向 hand 中的牌：手牌请用 hand 给出，不用 notation",
            )
        return self


class WayOut(BaseModel):
    """What a wait scores in one way of winning: discard, self_drawn, last_discard and so on; fan as
    Chinese name and count.
    """

    way: str
    total: int
    unit: str
    legal: bool
    fans: list[tuple[str, int]]

    @classmethod
    def of(cls, won: WayScore) -> WayOut:
        """Write what a way of winning scores."""
        score = won.score
        return cls(
            way=won.way.id,
            total=score.total,
            unit=score.unit,
            legal=score.legal,
            fans=[(fan.zh, fan.count) for fan in score.fans],
        )


class WaitOut(BaseModel):
    """A tile that completes a hand of 13.

    `remaining` are those of its kind that the hand does not hold itself, `ways` what it scores in
    each way of winning.
    """

    tile: TileJson
    remaining: int
    ways: list[WayOut]

    @classmethod
    def of(cls, wait: Wait) -> WaitOut:
        """Write a wait."""
        ways = [WayOut.of(way) for way in wait.ways]
        return cls(tile=wait.tile, remaining=wait.remaining, ways=ways)


class ScoreAnswer(BaseModel):
    """The score of a hand; `score` is null while it is open which tile won, if that changes it."""

    rules: str
    notation: str
    hand: HandOut
    circumstances: CircumstancesModel
    score: Annotated[Score, JSON] | None
    waits: list[WaitOut] = Field(
        default=[], description="For a hand of 13: the tiles that complete it."
    )
    bars: tuple[Annotated[Problem, JSON], ...] = Field(
        default=(),
        description="Why a hand of 13 is not ready although some tile completes it, such as three "
        "suits under Sichuan rules.",
    )
    verdict: VerdictOut | None = Field(
        default=None, description="Null only in a hand stored before there were verdicts."
    )

    @model_validator(mode="before")
    @classmethod
    def _with_unit(cls, document: Any) -> Any:
        """Fill in the verdict's unit in older JSON: that of the score or of the options."""
        if not isinstance(document, dict) or "questions" not in document:
            return document
        options = [option for one in document["questions"] for option in one["options"]]
        scored = document["score"] or next(iter(options), None)
        if scored is None or not document.get("verdict"):
            return document
        return document | {"verdict": {"unit": scored["unit"]} | document["verdict"]}
