"""Variants of an MCR profile: what a house may change (docs/house-rules.md), as
`hupai.scoring.house_rules` reads it from a file.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from hupai.scoring.mcr.fans import FANS, Switch
from hupai.scoring.mcr.profiles import Profile
from hupai.scoring.mcr.rules import McrRules

NUMBERS: Mapping[str, tuple[int, int]] = {
    "minimum": (0, 88),
    "base_points": (0, 1000),
    "cap": (1, 1000),
}
"""Numbers that a house may set, with the least and the most: see `Profile`."""

POINTS: tuple[int, int] = (0, 1000)
"""The least and the most points of a fan; 0 switches it off."""

SWITCHES: tuple[str, ...] = tuple(switch.value for switch in Switch)

FAN_NAMES: Mapping[str, str] = {name: fan.id for fan in FANS.values() for name in (fan.id, fan.zh)}
"""Every name of a fan, id or Chinese, to its id."""


def variant(
    base: Profile,
    names: tuple[str, str, str],
    numbers: Mapping[str, int],
    switches: Mapping[str, bool],
    points: Mapping[str, int],
    off: Collection[str],
) -> McrRules:
    """A rule set that differs from a profile in what is given.

    Args:
        base: the profile.
        names: id, English and Chinese name of the variant.
        numbers: some of `NUMBERS`.
        switches: some of `SWITCHES`, on or off.
        points: points of fan, by id.
        off: ids of fan that do not exist.
    """
    id, name_en, name_zh = names
    kept = {switch for switch in base.switches if switches.get(switch.value, True)}
    added = {switch for switch in Switch if switches.get(switch.value, False)}
    return McrRules(
        replace(
            base,
            id=id,
            base=base.base or base.id,
            name_en=name_en,
            name_zh=name_zh,
            switches=frozenset(kept | added),
            points={**base.points, **points, **dict.fromkeys(off, 0)},
            minimum=numbers.get("minimum", base.minimum),
            base_points=numbers.get("base_points", base.base_points),
            cap=numbers.get("cap", base.cap),
        )
    )
