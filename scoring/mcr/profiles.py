"""The profiles of MCR: one engine, and data for what the texts say differently
(../shared/rules/rulings.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hupai.scoring.mcr.fans import ALL, Fan, Switch


@dataclass(frozen=True)
class Profile:
    """A set of rules for MCR, as data.

    Attributes:
        id: the rule set's id.
        name_en, name_zh: its names.
        text: the rule text it follows, named in clauses.
        base: id of the profile whose points in the fan's own data it starts from; its own id unless
            it is a house variant.
        switches: which of the exclusions differ from 1998.
        points: points of single fan that override all else; 0 switches a fan off.
        minimum: least fan points, flowers apart, that may win (1998: 8).
        base_points: what every loser pays on top (底分, 1998: 8).
        cap: most fan points that are paid; None for no limit.
    """

    id: str
    name_en: str
    name_zh: str
    text: str
    base: str = ""
    switches: frozenset[Switch] = frozenset()
    points: Mapping[str, int] = field(default_factory=dict)
    minimum: int = 8
    base_points: int = 8
    cap: int | None = None

    def points_of(self, fan: Fan) -> int:
        """Return the points of a fan, 0 if it does not exist here or is switched off."""
        return self.points.get(fan.id, fan.points_elsewhere.get(self.base or self.id, fan.points))

    def capped(self, points: int) -> int:
        """Return the fan points, flowers apart, that are paid of these."""
        return points if self.cap is None else min(points, self.cap)

    def clause(self, fan: Fan) -> str:
        """Return the clause of a fan.

        That is the row of 1998, the fan of 2006 where that text has it (otherwise the row of 1998,
        marked as a substitute), or the section of the handbook. If a house rule sets the points,
        the clause names it.
        """
        own = f"; points by house rule {self.id}" if fan.id in self.points else ""
        return self.clause_of_text(fan) + own

    def clause_of_text(self, fan: Fan) -> str:
        """Say where the rule text has the fan, whatever points a house gives it."""
        base = self.base or self.id
        if fan.number == 82:
            return _PRACTICE[base]
        if base == "mcr-handbook":
            return f"handbook {fan.handbook}"
        if base == "mcr-2006" and fan.number <= LAST_ROW_OF_2006:
            return f"MCR 2006, 3.8.1, fan {fan.number}"
        if base in fan.points_elsewhere:
            return "MCR 2006, annex (the available print breaks off; as in practice)"
        lost = " (row lost in print)" if fan.number in ROWS_LOST_IN_1998 else ""
        stands_in = STANDS_IN if base == "mcr-2006" else ""
        return f"MCR 1998, fan {fan.number}{lost}{stands_in}"

    def zh_of(self, fan: Fan) -> str:
        """Return the fan's Chinese name in the profile's own text."""
        return fan.zh_elsewhere.get(self.base or self.id, fan.zh)

    def switched_off(self) -> tuple[Fan, ...]:
        """Return the fan that this profile takes away though its base has them."""
        return tuple(fan for fan in ALL if self.points.get(fan.id) == 0)


LAST_ROW_OF_2006 = 13
"""The text of 2006 at hand breaks off after this fan."""

STANDS_IN = f", standing in: the print of 2006 breaks off after fan {LAST_ROW_OF_2006}"
"""What is added to a clause of 1998 that a profile of 2006 cites."""

ROWS_LOST_IN_1998 = frozenset({5, 17, 77})

_PRACTICE = {
    "mcr-1998": "tournament practice (no row in MCR 1998)",
    "mcr-2006": "MCR 2006, annex (fan 57)",
    "mcr-handbook": "handbook: no such fan",
}

MCR_1998 = Profile(
    id="mcr-1998",
    name_en="Chinese Mahjong Competition Rules, 1998",
    name_zh="中国麻将竞赛规则（1998）",
    text="MCR 1998",
)

MCR_2006 = Profile(
    id="mcr-2006",
    name_en="World Mahjong Organization competition rules, 2006",
    name_zh="世界麻将组织麻将竞赛规则（2006）",
    text="MCR 2006",
    switches=frozenset(
        {
            Switch.SELF_DRAW_FOUR_GREAT,
            Switch.SELF_DRAW_FOUR_OTHER,
            Switch.CONCEALED_KONGS_WITH_FOUR_KONGS,
            Switch.CONCEALED_KONGS_WITH_THREE_KONGS,
            Switch.HALF_FLUSH_WITH_ALL_GREEN,
            Switch.DOUBLE_PUNG_WITH_ALL_TERMINALS,
        }
    ),
)

MCR_HANDBOOK = Profile(
    id="mcr-handbook",
    name_en="MCR players' handbook",
    name_zh="国标麻将规则（玩家手册）",
    text="handbook",
    switches=frozenset(
        {
            Switch.SELF_DRAW_FOUR_GREAT,
            Switch.CONCEALED_KONGS_WITH_FOUR_KONGS,
            Switch.NO_VOIDED_SUIT_WITH_SETS,
            Switch.DOUBLE_PUNG_WITH_ALL_TERMINALS,
            Switch.NO_TERMINAL_PUNG_WITH_NINE_GATES,
        }
    ),
)

PROFILES: tuple[Profile, ...] = (MCR_1998, MCR_2006, MCR_HANDBOOK)
