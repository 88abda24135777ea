"""What a house may change of the KC rules (docs/house-rules-sichuan-kc.md)."""

from __future__ import annotations

from dataclasses import replace

from hupai.scoring.family import House, HouseSchema
from hupai.scoring.kc.decomposition import KcOptions
from hupai.scoring.kc.rules import PATTERNS, KcRules


def _build(house: House) -> KcRules:
    options = replace(KcOptions(), **house.settings, times=house.points, off=house.off)
    return KcRules(id=house.id, name_en=house.name_en, name_zh=house.name_zh, options=options)


HOUSE_SCHEMAS = (
    HouseSchema(
        base="kc-2.5",
        numbers={"minimum": (1, 1000), "payer_cap": (1, 1_000_000), "discard_cap": (1, 1_000_000)},
        switches=("ready_declaration", "kongs_beside_group", "nearest_of_two"),
        fans={name: p.id for p in PATTERNS for name in (p.id, p.zh)},
        points=(1, 1000),
        build=_build,
    ),
)
"""What a house may change."""
