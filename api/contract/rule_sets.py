"""Rule sets and what to ask for under each, as JSON."""

from __future__ import annotations

from dataclasses import replace

from pydantic import BaseModel, Field

from hupai.api.contract.circumstances import DESCRIPTIONS, CircumstanceOut
from hupai.scoring.result import RuleSet
from hupai.scoring.rule_sets import family_for


class RuleSetOut(BaseModel):
    """A rule set."""

    id: str
    name_en: str
    name_zh: str
    minimum: int = Field(description="The least total that may win; 0 if there is none.")
    circumstances: list[CircumstanceOut] = Field(description="What to ask for, in this order.")
    tiles: list[str] = Field(description="Codes of the tiles in play, flowers included.")
    family: str = Field(description="The family of rule sets it belongs to.")
    unit: str = Field(description="Unit of a total.")
    figures: list[str] = Field(
        default=[], description="Details of a score that stand beside its total, e.g. han and fu."
    )
    words: dict[str, tuple[str, str]] = Field(
        default={}, description="The family's own words for terms, English and Chinese."
    )

    @classmethod
    def of(cls, rules: RuleSet) -> RuleSetOut:
        """Describe a rule set in its family's words."""
        family = family_for(rules)
        own = {} if family is None else family.circumstance_words
        return cls(
            id=rules.id,
            name_en=rules.name_en,
            name_zh=rules.name_zh,
            minimum=rules.minimum,
            circumstances=[_described(name, own.get(name)) for name in rules.circumstances],
            tiles=[tile.code for tile in sorted(rules.tiles)],
            family="" if family is None else family.id,
            unit="fan" if family is None else family.unit,
            figures=[] if family is None else list(family.figures),
            words={} if family is None else dict(family.words),
        )


def _described(name: str, words: tuple[str, str, str, str] | None) -> CircumstanceOut:
    about = DESCRIPTIONS[name]
    if words is None:
        return about
    label_en, help_en, label_zh, help_zh = words
    return replace(about, label_en=label_en, help_en=help_en, label_zh=label_zh, help_zh=help_zh)


class RulesOut(BaseModel):
    """All rule sets."""

    rules: list[RuleSetOut]
