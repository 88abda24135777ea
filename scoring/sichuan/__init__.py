"""Sichuan mahjong, T/TFMJ 01-2024: finished hands, whole deals of blood battle, and session
standings.
"""

from __future__ import annotations

from hupai.scoring.family import Family
from hupai.scoring.sichuan.house import HOUSE_SCHEMAS
from hupai.scoring.sichuan.rules import SICHUAN_2024

FAMILY = Family("sichuan", "Sichuan", (SICHUAN_2024,), __name__, HOUSE_SCHEMAS, unit="points")
"""The Sichuan rule set."""
