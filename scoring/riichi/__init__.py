"""Riichi mahjong on the ``mahjong`` library: EMA, WRC, JPML A and the large servers' rules."""

from __future__ import annotations

from hupai.scoring.family import Family
from hupai.scoring.riichi.house import HOUSE_SCHEMAS
from hupai.scoring.riichi.rules import RULES

FAMILY = Family("riichi", "riichi", RULES, __name__, HOUSE_SCHEMAS)
"""The riichi rule sets."""
