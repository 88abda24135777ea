"""A settled Sichuan deal as JSON. Meaning of the fields: `hupai.scoring.sichuan.deal.settle`."""

from __future__ import annotations

from pydantic import BaseModel, Field

from hupai.api.contract.score import ProblemOut


class LedgerEntryOut(BaseModel):
    """One payment; `event` is the index in the log, `payee` null for a fine that nobody
    receives.
    """

    event: int
    kind: str
    payer: str
    payee: str | None
    points: int
    clause: str
    why_en: str
    why_zh: str


class SettlementOut(BaseModel):
    """What came of a deal."""

    net: dict[str, int] = Field(description="What each player gains or loses.")
    ledger: list[LedgerEntryOut]
    winners: list[str]
    finished: bool
    next_dealer: str | None
    problems: list[ProblemOut]
