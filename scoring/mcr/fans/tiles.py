"""Fan that ask only which kinds of tile the hand is made of."""

from __future__ import annotations

from hupai.scoring.mcr.decompositions.decomposition import Decomposition, Shape
from hupai.scoring.mcr.decompositions.parts import (
    DRAGONS,
    ENDS,
    EVENS,
    HONOURS,
    SUITED,
    TERMINALS,
    WINDS,
    kinds_of,
    ranks,
)
from hupai.scoring.mcr.fans.definition import (
    FOUR_SETS,
    Aspect,
    HandFan,
    Switch,
    by_1998,
    by_handbook,
    implied,
    named,
)
from hupai.scoring.tiles import tiles_from_codes

ONE_TO_THREE, FOUR_TO_SIX, SEVEN_TO_NINE = ranks(1, 2, 3), ranks(4, 5, 6), ranks(7, 8, 9)
ONE_TO_FOUR, SIX_TO_NINE = ranks(1, 2, 3, 4), ranks(6, 7, 8, 9)
GREEN = kinds_of(tiles_from_codes("23468sF"))
REVERSIBLE = kinds_of(tiles_from_codes("1234589p245689sP"))
"""Tiles whose picture looks the same upside down (1998 row 40)."""


SETS_OR_PAIRS = frozenset({Shape.STANDARD, Shape.SEVEN_PAIRS})
"""The shapes on which tournament practice counts fan that a text defines by pungs of terminals or
honours.
"""


@HandFan(
    3,
    "all_green",
    "绿一色",
    "All Green",
    88,
    Aspect.TILES,
    "4.1.6",
    why=("only 2 3 4 6 8 of bamboo and green dragons", "只有二三四六八条与发"),
    excludes=[
        *by_1998("half_flush", unless=Switch.HALF_FLUSH_WITH_ALL_GREEN),
        *implied("one_voided_suit"),
    ],
)
def all_green(decomposition: Decomposition) -> bool:
    return decomposition.only(GREEN)


@HandFan(
    8,
    "all_terminals",
    "清幺九",
    "All Terminals",
    64,
    Aspect.TILES,
    "4.2.1",
    why=("only ones and nines", "只有序数牌一、九"),
    excludes=[
        *named("all_pungs", "no_honours"),
        *by_handbook("outside_hand", "pung_of_terminals_or_honours"),
        *by_1998("double_pung", unless=Switch.DOUBLE_PUNG_WITH_ALL_TERMINALS),
    ],
)
def all_terminals(decomposition: Decomposition) -> bool:
    return decomposition.only(TERMINALS)


@HandFan(
    11,
    "all_honours",
    "字一色",
    "All Honours",
    64,
    Aspect.TILES,
    "4.2.4",
    why=("only winds and dragons", "只有字牌"),
    excludes=[
        *named("all_pungs"),
        *by_handbook(
            "all_terminals_and_honours",
            "outside_hand",
            "pung_of_terminals_or_honours",
            "one_voided_suit",
        ),
    ],
)
def all_honours(decomposition: Decomposition) -> bool:
    return decomposition.only(HONOURS)


@HandFan(
    18,
    "all_terminals_and_honours",
    "混幺九",
    "All Terminals and Honours",
    32,
    Aspect.TILES,
    "4.4.3",
    why=("only terminals and honours, and both of them", "只有幺九牌，序数牌与字牌兼有"),
    excludes=[*named("all_pungs"), *by_handbook("outside_hand", "pung_of_terminals_or_honours")],
    shapes=SETS_OR_PAIRS,
)
def all_terminals_and_honours(decomposition: Decomposition) -> bool:
    return (
        decomposition.only(ENDS)
        and not decomposition.only(TERMINALS)
        and not decomposition.only(HONOURS)
    )


@HandFan(
    21,
    "all_even_pungs",
    "全双刻",
    "All Even Pungs",
    24,
    Aspect.SETS,
    "4.5.3",
    why=("only pungs of 2, 4, 6, 8 and such a pair", "刻子与将全为二、四、六、八"),
    excludes=[*named("all_pungs", "all_simples"), *by_handbook("no_honours")],
    shapes=FOUR_SETS,
)
def all_even_pungs(decomposition: Decomposition) -> bool:
    return len(decomposition.pungs) == 4 and decomposition.only(EVENS)


@HandFan(
    22,
    "full_flush",
    "清一色",
    "Full Flush",
    24,
    Aspect.TILES,
    "4.5.4",
    why=("all tiles of one suit", "全为一种花色的序数牌"),
    excludes=[*named("no_honours"), *by_handbook("one_voided_suit")],
)
def full_flush(decomposition: Decomposition) -> bool:
    return decomposition.suits == 1 and not decomposition.has_honours


@HandFan(
    25,
    "upper_tiles",
    "全大",
    "Upper Tiles",
    24,
    Aspect.TILES,
    "4.5.7",
    why=("only 7, 8 and 9", "只有七、八、九"),
    excludes=[*named("no_honours"), *by_handbook("upper_four")],
)
def upper_tiles(decomposition: Decomposition) -> bool:
    return decomposition.only(SEVEN_TO_NINE)


@HandFan(
    26,
    "middle_tiles",
    "全中",
    "Middle Tiles",
    24,
    Aspect.TILES,
    "4.5.8",
    why=("only 4, 5 and 6", "只有四、五、六"),
    excludes=[*named("all_simples"), *by_handbook("no_honours")],
)
def middle_tiles(decomposition: Decomposition) -> bool:
    return decomposition.only(FOUR_TO_SIX)


@HandFan(
    27,
    "lower_tiles",
    "全小",
    "Lower Tiles",
    24,
    Aspect.TILES,
    "4.5.9",
    why=("only 1, 2 and 3", "只有一、二、三"),
    excludes=[*named("no_honours"), *by_handbook("lower_four")],
)
def lower_tiles(decomposition: Decomposition) -> bool:
    return decomposition.only(ONE_TO_THREE)


@HandFan(
    36,
    "upper_four",
    "大于五",
    "Upper Four",
    12,
    Aspect.TILES,
    "4.7.3",
    why=("only 6 to 9", "只有六至九"),
    excludes=named("no_honours"),
)
def upper_four(decomposition: Decomposition) -> bool:
    return decomposition.only(SIX_TO_NINE)


@HandFan(
    37,
    "lower_four",
    "小于五",
    "Lower Four",
    12,
    Aspect.TILES,
    "4.7.4",
    why=("only 1 to 4", "只有一至四"),
    excludes=named("no_honours"),
)
def lower_four(decomposition: Decomposition) -> bool:
    return decomposition.only(ONE_TO_FOUR)


@HandFan(
    40,
    "reversible_tiles",
    "推不倒",
    "Reversible Tiles",
    8,
    Aspect.TILES,
    "4.8.2",
    why=("only tiles that look the same upside down", "牌面图形没有上下之分"),
    excludes=named("one_voided_suit"),
)
def reversible_tiles(decomposition: Decomposition) -> bool:
    return decomposition.only(REVERSIBLE)


@HandFan(
    49,
    "half_flush",
    "混一色",
    "Half Flush",
    6,
    Aspect.TILES,
    "4.9.2",
    why=("one suit and honours", "一种花色与字牌"),
    excludes=by_handbook("one_voided_suit"),
)
def half_flush(decomposition: Decomposition) -> bool:
    return decomposition.suits == 1 and decomposition.has_honours


@HandFan(
    51,
    "all_types",
    "五门齐",
    "All Types",
    6,
    Aspect.TILES,
    "4.9.4",
    why=("all three suits, winds and dragons", "万、饼、条、风、箭齐全"),
)
def all_types(decomposition: Decomposition) -> bool:
    return (
        decomposition.suits == 3
        and bool(decomposition.kinds & WINDS)
        and bool(decomposition.kinds & DRAGONS)
    )


@HandFan(
    68,
    "all_simples",
    "断幺",
    "All Simples",
    2,
    Aspect.TILES,
    "4.11.10",
    why=("no terminal and no honour", "没有一、九及字牌"),
    excludes=by_handbook("no_honours"),
)
def all_simples(decomposition: Decomposition) -> bool:
    return not decomposition.kinds & ENDS


@HandFan(
    75,
    "one_voided_suit",
    "缺一门",
    "One Voided Suit",
    1,
    Aspect.TILES,
    "4.12.7",
    why=("a suit is missing", "缺少一种花色"),
)
def one_voided_suit(decomposition: Decomposition) -> bool:
    return decomposition.suits < 3


@HandFan(
    76,
    "no_honours",
    "无字",
    "No Honours",
    1,
    Aspect.TILES,
    "4.12.8",
    why=("no winds and no dragons", "没有风牌与箭牌"),
)
def no_honours(decomposition: Decomposition) -> bool:
    return decomposition.only(SUITED)
