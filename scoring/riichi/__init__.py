"""Riichi mahjong on the ``mahjong`` library: EMA, WRC, JPML A and the large servers' rules."""

from __future__ import annotations

from hupai.scoring.family import Convention, Family
from hupai.scoring.riichi.house import HOUSE_SCHEMAS
from hupai.scoring.riichi.rules import RULES
from hupai.scoring.riichi.words import CIRCUMSTANCE_WORDS, WORDS

OUTER_DOWN = (
    ("?xx?", 0.75),
    ("x??x", 0.12),
    ("????", 0.03),
    ("???x", 0.02),
    ("x???", 0.02),
    ("?x??", 0.02),
    ("??x?", 0.02),
)
"""Frequencies of patterns of riichi: a concealed kong shows its two middle tiles."""

FAMILY = Family(
    "riichi",
    "riichi",
    RULES,
    __name__,
    HOUSE_SCHEMAS,
    convention=Convention(OUTER_DOWN, 0.05),
    has_sessions=True,
    compares_profiles=True,
    unit="points",
    figures=("han", "fu"),
    words=WORDS,
    circumstance_words=CIRCUMSTANCE_WORDS,
)
"""The riichi rule sets."""
