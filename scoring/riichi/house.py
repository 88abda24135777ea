"""What a house may change of riichi rules (docs/house-rules-riichi.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from hupai.scoring.family import House, HouseSchema
from hupai.scoring.result import RuleSet
from hupai.scoring.riichi.profiles import PROFILES, HumanWin, Placing, Profile
from hupai.scoring.riichi.rules import RiichiRules
from hupai.scoring.riichi.yaku.table import ALL

_SWITCHES = (
    "open_tanyao",
    "ippatsu",
    "ura_dora",
    "kan_dora",
    "rounded_mangan",
    "counted_yakuman",
    "yakuman_add_up",
    "double_yakuman",
    "human_win",
    "several_ron",
)
_NUMBERS = {
    "red_fives": (0, 4),
    "double_wind_pair_fu": (2, 4),
    "start": (0, 1_000_000),
    "return_points": (0, 1_000_000),
    "uma_1": (-1_000_000, 1_000_000),
    "uma_2": (-1_000_000, 1_000_000),
    "uma_3": (-1_000_000, 1_000_000),
    "uma_4": (-1_000_000, 1_000_000),
}


def _build(base: Profile, house: House) -> RuleSet:
    given: dict[str, Any] = dict(house.settings)
    placing = _placing(base.options.placing, given)
    if "red_fives" in given:
        given["red_fives"] = (given["red_fives"],) * 3
    if "human_win" in given:
        given["human_win"] = HumanWin.FIVE_HAN if given["human_win"] else HumanWin.NOT_USED
    if "double_wind_pair_fu" in given:
        given["double_wind_pair_fu"] = 2 if given["double_wind_pair_fu"] < 4 else 4
    options = replace(base.options, **given, placing=placing, han=house.points, off=house.off)
    profile = replace(
        base, id=house.id, name_en=house.name_en, name_zh=house.name_zh, options=options
    )
    return RiichiRules(profile)


def _placing(base: Placing, given: dict[str, Any]) -> Placing:
    """Return the placing with what the house changes, and take that out of `given`."""
    own: Mapping[str, Any] = {
        name: given.pop(name) for name in ("start", "return_points") if name in given
    }
    uma = tuple(given.pop(f"uma_{place + 1}", base.uma[place]) for place in range(4))
    if uma == base.uma:
        return replace(base, **own)
    return replace(base, **own, uma=uma, uma_by_floating=())


HOUSE_SCHEMAS: tuple[HouseSchema, ...] = tuple(
    HouseSchema(
        base=profile.id,
        numbers=_NUMBERS,
        switches=_SWITCHES,
        fans={name: yaku.id for yaku in ALL for name in (yaku.id, yaku.zh, yaku.ja)},
        points=(1, 26),
        build=partial(_build, profile),
    )
    for profile in PROFILES
)
"""What a house may change, one a profile."""
