"""Fan of the hand's shape, and of what every set has in common."""

from __future__ import annotations

from hupai.scoring.decomposition.packed import TILE_KEYS, tiles_in
from hupai.scoring.mcr.decompositions.decomposition import Decomposition, Shape
from hupai.scoring.mcr.decompositions.parts import (
    DRAGONS,
    HAS_END,
    HAS_FIVE,
    SUITED,
    WINDS,
    kinds_of,
)
from hupai.scoring.mcr.fans.definition import (
    FOUR_SETS,
    IN_HANDBOOK,
    NONE,
    Aspect,
    Excludes,
    HandFan,
    Occurrences,
    SetsFan,
    Switch,
    by_1998,
    by_handbook,
    implied,
    named,
)

SEVEN_IN_A_ROW = kinds_of(range(7))

PAIRS = frozenset({Shape.SEVEN_PAIRS})
ORPHANS = frozenset({Shape.THIRTEEN_ORPHANS})
SINGLES = frozenset({Shape.KNITTED_SINGLES})
KNITTED = frozenset({Shape.KNITTED_SINGLES, Shape.KNITTED_STRAIGHT})
WITH_SETS = frozenset({Shape.STANDARD, Shape.KNITTED_STRAIGHT})


@HandFan(
    4,
    "nine_gates",
    "九莲宝灯",
    "Nine Gates",
    88,
    Aspect.WIN,
    "4.1.3",
    why=(
        "1112345678999 of one suit, concealed, won on any tile of the suit",
        "门清，一一一二三四五六七八九九九，见同花色任何一张即和",
    ),
    excludes=[
        *named("full_flush"),
        *by_handbook("concealed_hand"),
        *implied("no_honours", "one_voided_suit"),
        *implied("fully_concealed_hand", unless=Switch.SELF_DRAW_FOUR_GREAT),
        Excludes(
            "pung_of_terminals_or_honours",
            IN_HANDBOOK,
            at_most=1,
            unless=Switch.NO_TERMINAL_PUNG_WITH_NINE_GATES,
        ),
        *by_handbook("pung_of_terminals_or_honours", when=Switch.NO_TERMINAL_PUNG_WITH_NINE_GATES),
    ],
)
def nine_gates(decomposition: Decomposition) -> bool:
    return decomposition.win.nine_sided


@HandFan(
    6,
    "seven_shifted_pairs",
    "连七对",
    "Seven Shifted Pairs",
    88,
    Aspect.TILES,
    "4.1.4",
    why=("seven pairs in a row in one suit", "一种花色序数相连的七个对子"),
    excludes=[
        *named("full_flush", "single_wait"),
        *by_handbook("seven_pairs", "concealed_hand"),
        *implied("no_honours", "one_voided_suit"),
        *by_1998("fully_concealed_hand", unless=Switch.SELF_DRAW_FOUR_GREAT),
    ],
    shapes=PAIRS,
)
def seven_shifted_pairs(decomposition: Decomposition) -> bool:
    kinds = decomposition.kinds
    return (
        decomposition.suits == 1
        and not decomposition.has_honours
        and kinds // (kinds & -kinds) == SEVEN_IN_A_ROW
    )


@HandFan(
    7,
    "thirteen_orphans",
    "十三幺",
    "Thirteen Orphans",
    88,
    Aspect.TILES,
    "4.1.7",
    why=("one of each terminal and honour, and one twice", "十三种幺九牌各一张，其中一种成对"),
    excludes=[
        *named("all_types", "single_wait"),
        *by_handbook("concealed_hand", "all_terminals_and_honours"),
        *by_1998("fully_concealed_hand", unless=Switch.SELF_DRAW_FOUR_GREAT),
    ],
    shapes=ORPHANS,
)
def thirteen_orphans(_: Decomposition) -> bool:
    return True


@HandFan(
    13,
    "pure_terminal_chows",
    "一色双龙会",
    "Pure Terminal Chows",
    64,
    Aspect.SETS,
    "4.2.6",
    why=("123 and 789 twice and a pair of fives, all of one suit", "一种花色的两个老少副，五作将"),
    excludes=[
        *named("all_chows", "seven_pairs", "full_flush"),
        *by_handbook("pure_double_chow", "two_terminal_chows", "one_voided_suit", "no_honours"),
    ],
    shapes=FOUR_SETS,
)
def pure_terminal_chows(decomposition: Decomposition) -> bool:
    return _terminal_chows(decomposition) and decomposition.suits == 1


@HandFan(
    19,
    "seven_pairs",
    "七对",
    "Seven Pairs",
    24,
    Aspect.TILES,
    "4.5.1",
    why=("seven pairs", "七个对子"),
    excludes=[
        *named("single_wait"),
        *by_handbook("concealed_hand"),
        *named("fully_concealed_hand", unless=Switch.SELF_DRAW_FOUR_OTHER),
    ],
    shapes=PAIRS,
)
def seven_pairs(_: Decomposition) -> bool:
    return True


@HandFan(
    20,
    "greater_honours_and_knitted_tiles",
    "七星不靠",
    "Greater Honours and Knitted Tiles",
    24,
    Aspect.TILES,
    "4.5.2",
    why=("all seven honours and seven single knitted tiles", "七张不同的字牌与七张不靠的序数牌"),
    excludes=[
        *named("all_types", "single_wait"),
        *by_handbook("concealed_hand", "lesser_honours_and_knitted_tiles"),
        *named("fully_concealed_hand", unless=Switch.SELF_DRAW_FOUR_OTHER),
    ],
    shapes=SINGLES,
)
def greater_honours_and_knitted_tiles(decomposition: Decomposition) -> bool:
    honours = WINDS | DRAGONS
    return decomposition.kinds & honours == honours


@HandFan(
    29,
    "three_suited_terminal_chows",
    "三色双龙会",
    "Three-Suited Terminal Chows",
    16,
    Aspect.SETS,
    "4.6.2",
    why=(
        "123 and 789 in two suits and a pair of fives in the third",
        "两种花色的老少副，另一种花色五作将",
    ),
    excludes=named("mixed_double_chow", "two_terminal_chows", "no_honours", "all_chows"),
    shapes=FOUR_SETS,
)
def three_suited_terminal_chows(decomposition: Decomposition) -> bool:
    return _terminal_chows(decomposition) and decomposition.suits == 3


def _terminal_chows(decomposition: Decomposition) -> bool:
    """Find 123 and 789 in each of two suits, or twice in one, and a pair of fives."""
    if len(decomposition.chows) != 4 or decomposition.pair.rank != 5:
        return False
    low = [chow.suit for chow in decomposition.chows if chow.rank == 1]
    high = [chow.suit for chow in decomposition.chows if chow.rank == 7]
    return len(low) == 2 and low == high


@HandFan(
    31,
    "all_fives",
    "全带五",
    "All Fives",
    16,
    Aspect.SETS,
    "4.6.4",
    why=("a five in every set and the pair", "每副牌及将都有五"),
    excludes=[*named("all_simples"), *by_handbook("no_honours")],
    shapes=FOUR_SETS,
)
def all_fives(decomposition: Decomposition) -> bool:
    return all(part.traits & HAS_FIVE for part in decomposition.parts)


@HandFan(
    34,
    "lesser_honours_and_knitted_tiles",
    "全不靠",
    "Lesser Honours and Knitted Tiles",
    12,
    Aspect.TILES,
    "4.7.1",
    why=(
        "fourteen single tiles of 147, 258, 369 in three suits and the honours",
        "一四七、二五八、三六九与字牌中十四张单牌",
    ),
    excludes=[
        *named("all_types", "single_wait"),
        *by_handbook("concealed_hand"),
        *named("fully_concealed_hand", unless=Switch.SELF_DRAW_FOUR_OTHER),
    ],
    shapes=SINGLES,
)
def lesser_honours_and_knitted_tiles(_: Decomposition) -> bool:
    return True


@SetsFan(
    35,
    "knitted_straight",
    "组合龙",
    "Knitted Straight",
    12,
    Aspect.TILES,
    "4.7.2",
    why=(
        "{parts}: 147, 258 and 369, each in another suit",
        "{parts}：三种花色的一四七、二五八、三六九",
    ),
    shapes=KNITTED,
)
def knitted_straight(decomposition: Decomposition) -> Occurrences:
    if decomposition.shape is Shape.KNITTED_SINGLES:
        return ((0,),) if (decomposition.kinds & SUITED).bit_count() == 9 else NONE
    return ((0, 1, 2),)


@HandFan(
    48,
    "all_pungs",
    "碰碰和",
    "All Pungs",
    6,
    Aspect.SETS,
    "4.9.1",
    why=("four pungs or kongs and a pair", "四副刻子（杠）与将"),
    shapes=FOUR_SETS,
)
def all_pungs(decomposition: Decomposition) -> bool:
    return len(decomposition.pungs) == 4


@HandFan(
    55,
    "outside_hand",
    "全带幺",
    "Outside Hand",
    4,
    Aspect.SETS,
    "4.10.1",
    why=("a terminal or an honour in every set and the pair", "每副牌及将都有幺九牌"),
    shapes=FOUR_SETS,
)
def outside_hand(decomposition: Decomposition) -> bool:
    return all(part.traits & HAS_END for part in decomposition.parts)


@HandFan(
    63,
    "all_chows",
    "平和",
    "All Chows",
    2,
    Aspect.SETS,
    "4.11.5",
    why=("four chows and a pair of a suit", "四副顺子与序数牌作将"),
    why_knitted=(
        "no pung: a chow and a pair of a suit beside the knitted straight",
        "没有刻子：组合龙以外为一副顺子与序数牌的将",
    ),
    excludes=by_handbook("no_honours"),
    shapes=WITH_SETS,
)
def all_chows(decomposition: Decomposition) -> bool:
    chows = len(decomposition.chows) + (3 if decomposition.shape is Shape.KNITTED_STRAIGHT else 0)
    return chows == 4 and decomposition.pair.suit < 3


@SetsFan(
    64,
    "tile_hog",
    "四归一",
    "Tile Hog",
    2,
    Aspect.FOURS,
    "4.11.6",
    why=("four of a tile that make no kong, in {parts}", "四张相同的牌未开杠，在{parts}中"),
)
def tile_hog(decomposition: Decomposition) -> Occurrences:
    parts = list(enumerate(decomposition.parts))
    return tuple(
        [
            tuple([i for i, part in parts if part.kinds & TILE_KEYS[tile]])
            for tile in tiles_in(decomposition.win.fours)
        ]
    )
