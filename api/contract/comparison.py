"""Waits and comparisons as JSON. Meaning of the fields: `hupai.scoring.waits`,
`hupai.scoring.compare`.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from hupai.api.contract.hand import TileCode
from hupai.api.contract.score import HandRequest, ProblemOut, RulesId, ScoreOut, WaitOut


class WaitsRequest(HandRequest):
    """A hand of 13 tiles. How it is won is tried in every way; winds, dealer and the like are taken
    from `circumstances`.
    """

    rules: RulesId
    visible: list[TileCode] = Field(
        default=[],
        max_length=144,
        description="Tiles in view that are not the hand's own: discards, others' sets.",
    )


class WaitsOut(BaseModel):
    """The tiles that complete a hand; `problems` says why there can be none."""

    rules: str
    notation: str
    ready: bool
    remaining: int
    waits: list[WaitOut]
    problems: list[ProblemOut]


class ComparisonRequest(HandRequest):
    """A hand to score under several rule sets."""

    rules: list[RulesId] | None = Field(
        default=None,
        min_length=1,
        max_length=16,
        description="Ids, in the order wanted; null: all.",
    )


class ColumnOut(ScoreOut):
    """The hand under one rule set. A hand that is `not_allowed` has a winning shape but may not
    win, `problems` says why.
    """

    notation: str
    verdict: Literal["win", "not_allowed", "no_win"]


class FanDifferenceOut(BaseModel):
    """A fan that two profiles count differently: (points, count) under each, null where it does not
    count.
    """

    id: str
    zh: str
    en: str
    left: tuple[int, int] | None
    right: tuple[int, int] | None
    reason_en: str
    reason_zh: str


class ProfileDifferenceOut(BaseModel):
    """Two MCR profiles, and the fan that they count differently."""

    left: str
    right: str
    fans: list[FanDifferenceOut]


class ComparisonOut(BaseModel):
    """One hand under several rule sets, and why the MCR profiles among them differ."""

    columns: list[ColumnOut]
    differences: list[ProfileDifferenceOut] = Field(
        description="One entry for each pair of MCR profiles compared."
    )
