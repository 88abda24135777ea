"""The fan of T/TFMJ 01-2024, table 1: one record and one short function each.

A fan doubles: `fan` says how many times. The bodies 平和, 大对子, 七对 and 清一色 (1, 2, 4, 4
points) are 0, 1, 2 and 2 fan; every factor of the table doubles once each time it occurs. Fan are
added up, and the sum stops at three (10.1.1).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from hupai.scoring.decomposition.shapes import Counts, Shape, Split
from hupai.scoring.hand import Circumstances, Hand
from hupai.scoring.result import SetKind
from hupai.scoring.tiles import ZH_NAMES, Suit, Tile

SUIT_NAMES: dict[Suit, tuple[str, str]] = {
    Suit.CHARACTERS: ("characters", "万"),
    Suit.DOTS: ("dots", "饼"),
    Suit.BAMBOO: ("bamboo", "条"),
}


@dataclass(frozen=True, slots=True)
class SichuanOptions:
    """What a house may play otherwise; the defaults are T/TFMJ 01-2024 as
    docs/rulings-sichuan-kc.md reads it.

    Attributes:
        cap: the sum of fan stops here (10.1.1).
        self_draw_points: what each payer adds to a self-drawn win (10.2.4 a).
        any_single_wait: 金钩钓 for every hand of pungs won on its pair, not only with four open
            sets.
        fan: other values of fan, by id.
        off: ids of fan that do not count.
    """

    cap: int = 3
    self_draw_points: int = 1
    any_single_wait: bool = False
    fan: tuple[tuple[str, int], ...] = ()
    off: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Decomposition:
    """A won hand split into parts, with what the patterns need; `counts` covers all its tiles."""

    hand: Hand
    circumstances: Circumstances
    options: SichuanOptions
    split: Split
    counts: Counts


@dataclass(frozen=True, slots=True)
class Hit:
    """A fan found in a decomposition: why, how often it counts, and the parts of the split."""

    why_en: str
    why_zh: str
    count: int = 1
    parts: tuple[int, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class Pattern:
    """A fan of the table.

    Attributes:
        id: stable name.
        zh: name in the table.
        en: English name.
        fan: how many times it doubles; 0 for 平和 and for the self-draw point.
        clause: the row of the table.
        find: the function that looks for it.
        only_alone: the least score, which counts only if no other fan does (平和).
        near_miss: the function that says why a hand that comes close does not have it.
    """

    id: str
    zh: str
    en: str
    fan: int
    clause: str
    find: Callable[[Decomposition], Hit | None]
    only_alone: bool = False
    near_miss: Callable[[Decomposition], Hit | None] | None = None


def _pure_suit(decomposition: Decomposition) -> Hit | None:
    families = {i // 9 for i, n in enumerate(decomposition.counts) if n}
    if len(families) != 1 or 3 in families:
        return None
    en, zh = SUIT_NAMES[decomposition.split.parts[0].tiles[0].suit]
    return Hit(f"All tiles are {en}.", f"全部是{zh}。")


def _seven_pairs(decomposition: Decomposition) -> Hit | None:
    if decomposition.split.shape is not Shape.SEVEN_PAIRS:
        return None
    return Hit("The hand is seven pairs.", "手牌由七个对子组成。", parts=tuple(range(7)))


def _all_pungs(decomposition: Decomposition) -> Hit | None:
    sets = _pungs_and_kongs(decomposition)
    if len(sets) != 4:
        return None
    return Hit("All four sets are pungs or kongs.", "四副全是刻子或杠。", parts=sets)


def _pungs_and_kongs(decomposition: Decomposition) -> tuple[int, ...]:
    return tuple(
        i
        for i, part in enumerate(decomposition.split.parts)
        if part.kind in (SetKind.PUNG, SetKind.KONG)
    )


def _plain(_: Decomposition) -> Hit | None:
    return Hit(
        "The hand is complete and has no other fan: the least score.",
        "牌型完成而无其他番种，计最小分。",
    )


def _kong_flower(decomposition: Decomposition) -> Hit | None:
    if not decomposition.circumstances.kong_replacement:
        return None
    return Hit("Won on the tile drawn for a kong.", "以开杠补进的牌自摸和牌。")


def _golden_wait(decomposition: Decomposition) -> Hit | None:
    pair = len(decomposition.split.parts) - 1
    if len(decomposition.hand.melds) == 4:
        return Hit(
            "Four sets lie open and the last single tile was paired.",
            "四副牌均已亮出，单钓最后一张成将。",
            parts=(pair,),
        )
    if decomposition.options.any_single_wait and _pungs_won_on_the_pair(decomposition):
        return Hit("All pungs, won by pairing a single tile.", "大对子单钓将。", parts=(pair,))
    return None


def _golden_wait_missed(decomposition: Decomposition) -> Hit | None:
    if _golden_wait(decomposition) is not None or not _pungs_won_on_the_pair(decomposition):
        return None
    return Hit(
        "The pair was completed by a single wait, but fewer than four sets lie open.",
        "虽为单钓将，但亮出的不足四副。",
    )


def _pungs_won_on_the_pair(decomposition: Decomposition) -> bool:
    return (
        _all_pungs(decomposition) is not None
        and decomposition.hand.winning_tile in decomposition.split.parts[-1].tiles
    )


def _kong_discard(decomposition: Decomposition) -> Hit | None:
    if not decomposition.circumstances.kong_discard:
        return None
    return Hit(
        "Won on a tile discarded right after its player's kong.", "和他人开杠后随即打出的牌。"
    )


def _robbed_kong(decomposition: Decomposition) -> Hit | None:
    if not decomposition.circumstances.robbing_kong:
        return None
    return Hit("Won on the tile another player was adding to a pung.", "和他人正要加杠的那张牌。")


def _root(decomposition: Decomposition) -> Hit | None:
    if 4 not in decomposition.counts:
        return None
    kinds = tuple(Tile(i) for i, n in enumerate(decomposition.counts) if n == 4)
    kongs = tuple(
        i for i, part in enumerate(decomposition.split.parts) if part.kind is SetKind.KONG
    )
    return Hit(
        f"All four of {' and of '.join(t.code for t in kinds)} are in the hand.",
        f"四张{'、四张'.join(ZH_NAMES[t] for t in kinds)}归于一家。",
        count=len(kinds),
        parts=kongs,
    )


def _last_tile(decomposition: Decomposition) -> Hit | None:
    if not decomposition.circumstances.last_tile:
        return None
    if decomposition.circumstances.self_drawn:
        return Hit("Won by drawing the last tile of the wall.", "自摸牌墙上的最后一张。")
    return Hit("Won on the last discard of the deal.", "和全副最后打出的一张。")


def _self_drawn(decomposition: Decomposition) -> Hit | None:
    if not decomposition.circumstances.self_drawn:
        return None
    return Hit(
        "Self-drawn: each payer adds the basic point, outside the cap.",
        "自摸：每个付分者另加底分，不受封顶限制。",
    )


PATTERNS: tuple[Pattern, ...] = (
    Pattern("pure_suit", "清一色", "pure suit", 2, "T/TFMJ 01-2024, table 1, 1", _pure_suit),
    Pattern("seven_pairs", "七对", "seven pairs", 2, "T/TFMJ 01-2024, table 1, 2", _seven_pairs),
    Pattern("all_pungs", "大对子", "all pungs", 1, "T/TFMJ 01-2024, table 1, 3", _all_pungs),
    Pattern(
        "plain", "平和", "plain hand", 0, "T/TFMJ 01-2024, table 1, 4", _plain, only_alone=True
    ),
    Pattern(
        "kong_flower",
        "杠上花",
        "win on a kong's replacement",
        1,
        "T/TFMJ 01-2024, table 1, 8",
        _kong_flower,
    ),
    Pattern(
        "golden_wait",
        "金钩钓",
        "single wait with four open sets",
        1,
        "T/TFMJ 01-2024, table 1, 9",
        _golden_wait,
        near_miss=_golden_wait_missed,
    ),
    Pattern(
        "kong_discard",
        "杠上炮",
        "win on the discard after a kong",
        1,
        "T/TFMJ 01-2024, table 1, 10",
        _kong_discard,
    ),
    Pattern(
        "robbed_kong", "抢杠", "robbing a kong", 1, "T/TFMJ 01-2024, table 1, 11", _robbed_kong
    ),
    Pattern("root", "带根", "four of a kind", 1, "T/TFMJ 01-2024, table 1, 12", _root),
    Pattern("last_tile", "海底", "last tile", 1, "T/TFMJ 01-2024, table 1, 13", _last_tile),
    Pattern(
        "self_drawn", "自摸", "self-drawn", 0, "T/TFMJ 01-2024, table 1, 14; 10.2.4 a", _self_drawn
    ),
)
"""In the order of table 1. The three kinds of kong (rows 5-7) are paid when they are made: see
`hupai.scoring.sichuan.deal.log`.
"""
