"""Rule sets and what to ask for under each, as JSON."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field


class ChoiceOut(BaseModel):
    """One value of a circumstance."""

    value: str | None
    label_en: str
    label_zh: str


class CircumstanceOut(BaseModel):
    """A circumstance to ask for. `needs` names others that must have the given value for this one
    to be true.
    """

    name: str
    type: Literal["boolean", "choice", "integer"]
    label_en: str
    label_zh: str
    help_en: str
    help_zh: str
    default: bool | int | str | None
    choices: list[ChoiceOut] = []
    minimum: int | None = None
    maximum: int | None = None
    needs: dict[str, bool] = {}


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
