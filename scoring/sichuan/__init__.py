"""Sichuan mahjong, T/TFMJ 01-2024: finished hands, whole deals of blood battle, and session
standings.
"""

from __future__ import annotations

from hupai.scoring.family import Convention, Family
from hupai.scoring.sichuan.house import HOUSE_SCHEMAS
from hupai.scoring.sichuan.rules import SICHUAN_2024

MIDDLE_DOWN = (
    ("x??x", 0.7),
    ("????", 0.1),
    ("?xx?", 0.08),
    ("???x", 0.03),
    ("x???", 0.03),
    ("?x??", 0.03),
    ("??x?", 0.03),
)
"""Frequencies of patterns of a concealed kong: its two middle tiles lie face down (8.6.1 b)."""

FAMILY = Family(
    "sichuan",
    "Sichuan",
    (SICHUAN_2024,),
    __name__,
    HOUSE_SCHEMAS,
    convention=Convention(MIDDLE_DOWN, 0.15, chows=False),
    has_sessions=True,
    unit="points",
)
"""The Sichuan rule set."""
