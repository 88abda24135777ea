"""Riichi mahjong on the ``mahjong`` library: EMA, WRC, JPML A and the large servers' rules."""

from __future__ import annotations

from hupai.scoring.family import Family
from hupai.scoring.riichi.house import HOUSE_SCHEMAS
from hupai.scoring.riichi.rules import RULES
from hupai.scoring.riichi.words import CIRCUMSTANCE_WORDS, WORDS

FAMILY = Family(
    "riichi",
    "riichi",
    RULES,
    __name__,
    HOUSE_SCHEMAS,
    compares_profiles=True,
    unit="points",
    figures=("han", "fu"),
    words=WORDS,
    circumstance_words=CIRCUMSTANCE_WORDS,
)
"""The riichi rule sets."""
