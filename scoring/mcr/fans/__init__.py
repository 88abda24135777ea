"""The fan of MCR, each a short function with its data; `ALL` lists them in the order of the table
of 1998.
"""

from __future__ import annotations

from hupai.scoring.mcr.fans import chows, kongs, pungs, shapes, tiles, win
from hupai.scoring.mcr.fans.definition import (
    FANS,
    Aspect,
    Excludes,
    Fan,
    Occurrence,
    Occurrences,
    Switch,
)

ALL: tuple[Fan, ...] = tuple(sorted(FANS.values(), key=lambda fan: fan.number))
"""81 fan by number, and 明暗杠 as the 82nd."""

INDEX: dict[str, int] = {fan.id: index for index, fan in enumerate(ALL)}
"""Place of each fan in `ALL`, which is also its bit in a mask of fan."""

__all__ = [
    "ALL",
    "FANS",
    "INDEX",
    "Aspect",
    "Excludes",
    "Fan",
    "Occurrence",
    "Occurrences",
    "Switch",
    "chows",
    "kongs",
    "pungs",
    "shapes",
    "tiles",
    "win",
]
