"""All yaku, and the names of dora."""

from __future__ import annotations

from hupai.scoring.riichi.yaku.definition import Yaku
from hupai.scoring.riichi.yaku.limit import DOUBLE, YAKUMAN
from hupai.scoring.riichi.yaku.ordinary import FROM_CIRCUMSTANCES, FROM_TILES, HUMAN_WIN

__all__ = [
    "AKA_DORA",
    "ALL",
    "DORA",
    "DOUBLE",
    "FROM_CIRCUMSTANCES",
    "FROM_TILES",
    "HUMAN_WIN",
    "URA_DORA",
    "YAKUMAN",
    "Yaku",
]

ALL: tuple[Yaku, ...] = (*FROM_CIRCUMSTANCES, HUMAN_WIN, *FROM_TILES, *YAKUMAN)
"""Every yaku; dora are not yaku."""

DORA = ("dora", "ドラ", "dora", "宝牌")
AKA_DORA = ("aka_dora", "赤ドラ", "red fives", "赤宝牌")
URA_DORA = ("ura_dora", "裏ドラ", "ura dora", "里宝牌")
"""Id and names of each kind of dora: Japanese, English, Chinese."""
