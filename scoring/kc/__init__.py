"""KC mahjong v2.5: finished hands, payments, false wins, and who deals next."""

from __future__ import annotations

from hupai.scoring.family import Family
from hupai.scoring.kc.house import HOUSE_SCHEMAS
from hupai.scoring.kc.rules import KC_2_5

FAMILY = Family("kc", "KC", (KC_2_5,), __name__, HOUSE_SCHEMAS, has_sessions=True, unit="times")
"""The KC rule set."""
