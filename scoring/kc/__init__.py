"""KC mahjong v2.5: finished hands, payments, false wins, and who deals next."""

from __future__ import annotations

from hupai.scoring.kc.rules import KC_2_5
from hupai.scoring.result import RuleSet

RULES: tuple[RuleSet, ...] = (KC_2_5,)
"""The rule sets of this package."""
