"""A settled Sichuan deal as JSON. Meaning of the fields: `hupai.scoring.sichuan.deal.settle`."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from hupai.api.contract.values import JSON
from hupai.scoring.result import Problem
from hupai.scoring.sichuan.deal.payments import Entry
from hupai.scoring.sichuan.deal.settle import Settlement


class SettlementOut(BaseModel):
    """What came of a deal."""

    net: dict[str, int] = Field(description="What each player gains or loses.")
    ledger: tuple[Annotated[Entry, JSON], ...]
    winners: tuple[str, ...]
    finished: bool
    next_dealer: str | None
    problems: tuple[Annotated[Problem, JSON], ...]

    @classmethod
    def of(cls, settlement: Settlement) -> SettlementOut:
        """Write a settlement with every entry of its ledger."""
        return cls(
            net=dict(settlement.ledger.nets()),
            ledger=settlement.ledger.entries,
            winners=settlement.winners,
            finished=settlement.finished,
            next_dealer=settlement.next_dealer,
            problems=settlement.problems,
        )
