"""What a house may change of the Sichuan rules (docs/house-rules-sichuan-kc.md)."""

from __future__ import annotations

from dataclasses import replace

from hupai.scoring.family import House, HouseSchema
from hupai.scoring.sichuan.patterns import PATTERNS, SichuanOptions
from hupai.scoring.sichuan.rules import SichuanRules


def _build(house: House) -> SichuanRules:
    options = replace(SichuanOptions(), **house.settings, fan=house.points, off=house.off)
    return SichuanRules(id=house.id, name_en=house.name_en, name_zh=house.name_zh, options=options)


HOUSE_SCHEMAS = (
    HouseSchema(
        base="sichuan-2024",
        numbers={"cap": (0, 20), "self_draw_points": (0, 100)},
        switches=("any_single_wait",),
        fans={name: p.id for p in PATTERNS for name in (p.id, p.zh)},
        points=(0, 20),
        build=_build,
    ),
)
"""What a house may change."""
