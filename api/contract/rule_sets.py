"""Rule sets and what to ask for under each, as JSON."""

from __future__ import annotations

from pydantic import BaseModel, Field

from hupai.api.contract.circumstances import CircumstanceOut


class RuleSetOut(BaseModel):
    """A rule set."""

    id: str
    name_en: str
    name_zh: str
    minimum: int = Field(description="The least total that may win; 0 if there is none.")
    circumstances: list[CircumstanceOut] = Field(description="What to ask for, in this order.")
    tiles: list[str] = Field(description="Codes of the tiles in play, flowers included.")


class RulesOut(BaseModel):
    """All rule sets."""

    rules: list[RuleSetOut]
