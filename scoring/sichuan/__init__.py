"""Sichuan mahjong, T/TFMJ 01-2024: finished hands, whole deals of blood battle, and session
standings.
"""

from __future__ import annotations

from hupai.scoring.result import RuleSet
from hupai.scoring.sichuan.rules import SICHUAN_2024

RULES: tuple[RuleSet, ...] = (SICHUAN_2024,)
"""The rule sets of this package."""
