"""What a house may change of an MCR profile (docs/house-rules.md)."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from hupai.scoring.family import House, HouseSchema
from hupai.scoring.mcr.fans import FANS, Switch
from hupai.scoring.mcr.profiles import PROFILES, Profile
from hupai.scoring.mcr.rules import McrRules

_NUMBERS = {"minimum": (0, 88), "base_points": (0, 1000), "cap": (1, 1000)}
"""Numbers that a house may set, with the least and the most: fields of `Profile`."""


def _build(base: Profile, house: House) -> McrRules:
    settings = house.settings
    changes: dict[str, Any] = {
        "switches": frozenset(s for s in Switch if settings.get(s.value, s in base.switches)),
        "points": {**base.points, **dict(house.points), **dict.fromkeys(house.off, 0)},
        **{name: settings[name] for name in _NUMBERS if name in settings},
    }
    return McrRules(
        replace(
            base,
            id=house.id,
            base=base.base or base.id,
            name_en=house.name_en,
            name_zh=house.name_zh,
            **changes,
        )
    )


HOUSE_SCHEMAS = tuple(
    HouseSchema(
        base=profile.id,
        numbers=_NUMBERS,
        switches=tuple(switch.value for switch in Switch),
        fans={name: fan.id for fan in FANS.values() for name in (fan.id, fan.zh)},
        points=(0, 1000),
        build=partial(_build, profile),
    )
    for profile in PROFILES
)
"""What a house may change, for each profile; a fan of 0 points is switched off."""
