"""Stored hands as JSON: their current state, their corrections, lists, changes, batches."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from hupai.api.contract.hand import (
    CircumstancesModel,
    HandModel,
    Model,
    OptionalTile,
    TileCode,
)
from hupai.api.contract.problem import ProblemDetails
from hupai.api.contract.reading import ReadingOut, TileIds
from hupai.api.contract.refusal import refusal
from hupai.api.contract.score import DoubtModel, RulesId, ScoreAnswer
from hupai.api.contract.verdict import AnswerIn

Pixel = Annotated[float, Field(ge=-4096, le=65_536, allow_inf_nan=False)]
"""A coordinate, pixels of the upright photo."""


Place = Annotated[list[Pixel], Field(min_length=2, max_length=2)]
"""x and y of a point of the upright photo."""


class AddedTile(Model):
    """A tile of the photo that was not found: what it shows and where it lies.

    `tile_ids` may name it by `id`, which is none of the reading's; sent again unchanged, it is not
    added twice.
    """

    id: int = Field(ge=0, le=10_000)
    tile: TileCode
    quad: Annotated[list[Place], Field(min_length=4, max_length=4)] = Field(
        description="Its corners, pixels of the upright photo: top left, top right, bottom right, "
        "bottom left of the tile itself."
    )


class HandChange(Model):
    """A correction: any of these, at least one. What is left out stays as it is.

    The hand comes as `hand` or as `notation`; `winning_tile` alone names the tile that won.
    """

    model_config = ConfigDict(
        json_schema_extra={
            "minProperties": 1,
            "not": {
                "required": ["hand", "notation"],
                "properties": {"hand": {"type": "object"}, "notation": {"type": "string"}},
            },
        }
    )

    rules: RulesId | None = None
    circumstances: CircumstancesModel | None = Field(
        default=None, description="All of them; what is left out has its default."
    )
    hand: HandModel | None = None
    notation: str | None = Field(default=None, min_length=1, max_length=300)
    winning_tile: OptionalTile = None
    answer: AnswerIn | None = Field(
        default=None, description="To a question of `result.verdict`; alone, but for the reason."
    )
    back_to: int | None = Field(
        default=None,
        ge=0,
        le=1_000_000,
        description="Position of the correction after which it stood as it shall again, 0: as "
        "read; alone, but for the reason.",
    )
    tile_ids: TileIds | None = None
    doubts: list[DoubtModel] = Field(
        default=[], max_length=8, description="Tiles of `hand` that are still not sure."
    )
    added_tiles: list[AddedTile] = Field(
        default=[], max_length=40, description="Tiles that lie there and were not found."
    )
    no_tiles: list[Annotated[int, Field(ge=0, le=10_000)]] = Field(
        default=[], max_length=200, description="Ids of the reading's tiles that are no tiles."
    )
    confirmed: bool = Field(
        default=False,
        description="Somebody looked at every tile of the hand, and they are as they stand.",
    )
    reason: str = Field(
        default="", max_length=500, description="Why, in the words of who corrects."
    )

    @model_validator(mode="after")
    def _one_hand(self) -> Self:
        if not self.model_fields_set:
            raise refusal("name at least one thing to change", "请至少写明一处更正")
        if self.hand is not None and self.notation is not None:
            raise refusal(
                "give the hand as hand or as notation, not as both",
                "手牌请用 hand 或 notation 给出，不要两者都写",
            )
        for name in ("answer", "back_to"):
            if getattr(self, name) is not None and self.model_fields_set - {name, "reason"}:
                raise refusal(
                    f"{name} comes alone: give the other changes in a request of their own",
                    f"{name} 须单独发送：其他更正请另发请求",
                )
        if self.doubts and self.hand is None:
            raise refusal(
                "doubts point into hand: give the hand as hand",
                "doubts 指向 hand 中的牌：手牌请用 hand 给出",
            )
        return self


class StoredPhoto(BaseModel):
    """A photo of a hand; GET /v1/hands/{id}/photo gives its bytes."""

    sha256: str
    name: str
    media_type: str
    size: int = Field(description="Bytes.")


class OutcomeOut(BaseModel):
    """A hand and what it scores, in short; null if no hand was read or a question is open."""

    rules: str
    notation: str | None
    total: int | None
    unit: str | None
    complete: bool | None
    legal: bool | None


class CorrectionOut(OutcomeOut):
    """A correction and the outcome after it; `change` as it was sent."""

    position: int = Field(description="1 for the first.")
    author: str
    created: datetime
    reason: str
    change: dict[str, Any]


class StoredHand(BaseModel):
    """A hand as it stands: what was read, every correction since, the score of the last.

    `reading` is what the model saw and never changes; `result` is null while no legal hand is
    known. `version` counts changes and is the ETag. With `store=false` the hand is not kept: `id`
    is null, `version` 0.
    """

    id: str | None
    version: int
    created: datetime
    updated: datetime
    author: str
    photos: list[StoredPhoto]
    rules: str
    circumstances: CircumstancesModel
    reading: ReadingOut
    as_read: OutcomeOut = Field(description="The outcome before any correction.")
    corrections: list[CorrectionOut]
    result: ScoreAnswer | None
    shared: bool = Field(description="Whether a share link exists.")


class HandSummary(OutcomeOut):
    """A line of the list; `photos` are SHA-256."""

    id: str
    version: int
    created: datetime
    updated: datetime
    author: str
    certain: bool
    photos: list[str]


class HandList(BaseModel):
    """Stored hands, newest first; `next` is the cursor of the following page, null on the last."""

    hands: list[HandSummary]
    next: str | None


class ShareOut(BaseModel):
    """A link that shows one hand and its photos to whoever has it."""

    token: str
    path: str = Field(description="Of the hand in this API, with the token.")


class BatchItem(BaseModel):
    """What came of one photo of a batch: a hand, or the problem that a request with this photo
    alone would have had.
    """

    index: int
    name: str
    replayed: bool = False
    hand: StoredHand | None
    problem: ProblemDetails | None


class BatchOut(BaseModel):
    """What came of a batch, in the order of the photos."""

    results: list[BatchItem]
