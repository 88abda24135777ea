"""Waits and comparisons as JSON. Meaning of the fields: `hupai.scoring.waits`,
`hupai.scoring.compare`.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated

from pydantic import BaseModel, Field

from hupai.api.contract.hand import TileCode
from hupai.api.contract.score import HandRequest, RulesId, WaitOut
from hupai.api.contract.values import JSON
from hupai.scoring.compare import Column, WinStatus
from hupai.scoring.hand import Hand
from hupai.scoring.notation import format_hand
from hupai.scoring.profile_differences import FanDifference, ProfileDifference
from hupai.scoring.result import Problem, Score
from hupai.scoring.waits import Waits


class WaitsRequest(HandRequest):
    """A hand of 13 tiles. How it is won is tried in every way; winds, dealer and the like are taken
    from `circumstances`.
    """

    rules: RulesId
    visible: list[TileCode] = Field(
        default=[],
        max_length=144,
        description="Visible tiles outside the hand: discards, melds of other players.",
    )


class WaitsOut(BaseModel):
    """The tiles that complete a hand; `problems` says why there can be none, or why the hand is not
    `ready` although there are some: it holds three suits, the suit declared void, or a claimed
    chow.
    """

    rules: str
    notation: str
    ready: bool
    remaining: int
    waits: list[WaitOut]
    problems: tuple[Annotated[Problem, JSON], ...]

    @classmethod
    def of(cls, found: Waits) -> WaitsOut:
        """Write the waits of a hand."""
        return cls(
            rules=found.rules,
            notation=format_hand(found.hand),
            ready=found.is_ready,
            remaining=found.remaining,
            waits=[WaitOut.of(wait) for wait in found.waits],
            problems=(*found.problems, *found.bars),
        )


class ComparisonRequest(HandRequest):
    """A hand to score under several rule sets."""

    rules: list[RulesId] | None = Field(
        default=None,
        min_length=1,
        max_length=16,
        description="Ids, in the order wanted; null: all.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnOut(Score):
    """The hand under one rule set. A hand that is `not_allowed` has a winning shape but may not
    win, `problems` says why.
    """

    notation: str
    verdict: WinStatus

    @classmethod
    def of(cls, hand: Hand, column: Column) -> ColumnOut:
        """Write a hand under one of the rule sets it is compared under."""
        score = {field.name: getattr(column.score, field.name) for field in fields(Score)}
        return cls(notation=format_hand(hand), verdict=column.status, **score)


class ProfileDifferenceOut(BaseModel):
    """Two profiles of a family, and the fan that they count differently."""

    left: str
    right: str
    fans: tuple[Annotated[FanDifference, JSON], ...]

    @classmethod
    def of(cls, found: ProfileDifference) -> ProfileDifferenceOut:
        """Write what two profiles count differently."""
        return cls(left=found.left.rules, right=found.right.rules, fans=found.fans)


class ComparisonOut(BaseModel):
    """One hand under several rule sets, and why profiles of one family differ."""

    columns: list[Annotated[ColumnOut, JSON]]
    differences: list[ProfileDifferenceOut] = Field(
        description="One entry for each pair of profiles of a family compared."
    )
