"""Stored sessions as JSON."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from hupai.api.contract.session import SessionOut

MOST_DEALS = 500


class TableHand(BaseModel):
    """A hand that was won in a deal, for lists and to find it again; scores follow from the log."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    player: str = Field(max_length=100)
    source: str | None = Field(
        default=None,
        alias="from",
        max_length=100,
        description="Who discarded the winning tile; null if it was drawn.",
    )
    total: Annotated[int, Field(ge=-(2**31), lt=2**31)] | None = None
    unit: str | None = Field(default=None, max_length=16)
    tiles: list[Annotated[str, Field(max_length=2)]] = Field(
        default=[], max_length=40, description="Codes; an empty one is a gap between sets."
    )
    entry: str | None = Field(
        default=None, max_length=64, description="The client's own name for the hand."
    )
    hand: str | None = Field(default=None, max_length=36, description="Id of the stored hand.")


class SessionChange(BaseModel):
    """A session as the client has it after a change."""

    model_config = ConfigDict(extra="forbid")

    log: dict[str, Any] = Field(
        description="Rules, players and deals, as POST /v1/sessions takes them."
    )
    hands: list[Annotated[list[TableHand], Field(max_length=8)]] = Field(
        default=[], max_length=MOST_DEALS, description="The hands won in each deal of the log."
    )


class ChangeOut(BaseModel):
    """A change that was made."""

    version: int = Field(description="The version that it made.")
    key: str | None = Field(description="The Idempotency-Key of its request.")
    at: datetime


class StoredSession(BaseModel):
    """A session that the service keeps, with its sums."""

    id: str
    version: int
    created: datetime
    updated: datetime
    share: str = Field(
        description="Token of the link; who has it may see and continue the session."
    )
    log: dict[str, Any]
    hands: list[list[TableHand]]
    sheet: SessionOut
    changes: list[ChangeOut] = Field(description="The latest changes, oldest first, at most 100.")


class SessionSummary(BaseModel):
    """A line of the list of sessions."""

    id: str
    version: int
    created: datetime
    updated: datetime
    share: str
    rules: str
    players: list[str]
    deals: int


class SessionList(BaseModel):
    """Sessions, the newest first."""

    sessions: list[SessionSummary]
