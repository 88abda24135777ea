"""Fan of pungs and kongs by their tiles: shifted and equal pungs, winds, dragons, terminals."""

from __future__ import annotations

from hupai.scoring.decomposition.packed import TILE_KEYS
from hupai.scoring.mcr.decompositions.decomposition import Decomposition
from hupai.scoring.mcr.decompositions.parts import DRAGONS, ENDS, WINDS
from hupai.scoring.mcr.fans.definition import (
    IN_HANDBOOK,
    NONE,
    Arrangement,
    Aspect,
    CombinationFan,
    Occurrences,
    SetsFan,
    Switch,
    by_handbook,
    named,
    on_same_parts,
)
from hupai.scoring.tiles import WINDS as WIND_TILES


def all_at_once(indices: tuple[int, ...], number: int) -> Occurrences:
    """Return one occurrence on these parts if there are exactly so many of them."""
    return (indices,) if len(indices) == number else NONE


def each(indices: tuple[int, ...]) -> Occurrences:
    """Return one occurrence on each of the parts."""
    return tuple((index,) for index in indices)


def with_pair(
    decomposition: Decomposition, indices: tuple[int, ...], number: int, kinds: int
) -> Occurrences:
    """Return one occurrence on so many parts and the pair, if the pair is of these kinds."""
    if len(indices) != number or not decomposition.pair.kinds & kinds:
        return NONE
    return ((*indices, len(decomposition.parts) - 1),)


@SetsFan(
    1,
    "big_four_winds",
    "大四喜",
    "Big Four Winds",
    88,
    Aspect.HONOURS,
    "4.1.2",
    why=("pungs of all four winds: {parts}", "四副风刻：{parts}"),
    zh_elsewhere={"mcr-2006": "四风会"},
    excludes=[
        *named("prevalent_wind", "seat_wind", "big_three_winds", "all_pungs"),
        *by_handbook("pung_of_terminals_or_honours"),
    ],
)
def big_four_winds(decomposition: Decomposition) -> Occurrences:
    return all_at_once(decomposition.pungs_among(WINDS), 4)


@SetsFan(
    2,
    "big_three_dragons",
    "大三元",
    "Big Three Dragons",
    88,
    Aspect.HONOURS,
    "4.1.1",
    why=("pungs of all three dragons: {parts}", "中、发、白三副刻子：{parts}"),
    excludes=[
        *named("dragon_pung"),
        *by_handbook("two_dragon_pungs"),
        *on_same_parts("pung_of_terminals_or_honours"),
    ],
)
def big_three_dragons(decomposition: Decomposition) -> Occurrences:
    return all_at_once(decomposition.pungs_among(DRAGONS), 3)


@SetsFan(
    9,
    "little_four_winds",
    "小四喜",
    "Little Four Winds",
    64,
    Aspect.HONOURS,
    "4.2.3",
    why=(
        "pungs of three winds and a pair of the fourth: {parts}",
        "三副风刻及第四种风作将：{parts}",
    ),
    zh_elsewhere={"mcr-2006": "小四风会"},
    excludes=[*named("big_three_winds"), *by_handbook("pung_of_terminals_or_honours")],
)
def little_four_winds(decomposition: Decomposition) -> Occurrences:
    return with_pair(decomposition, decomposition.pungs_among(WINDS), 3, WINDS)


@SetsFan(
    10,
    "little_three_dragons",
    "小三元",
    "Little Three Dragons",
    64,
    Aspect.HONOURS,
    "4.2.2",
    why=(
        "pungs of two dragons and a pair of the third: {parts}",
        "两副箭刻及第三种箭牌作将：{parts}",
    ),
    excludes=[
        *named("dragon_pung"),
        *by_handbook("two_dragon_pungs"),
        *on_same_parts("pung_of_terminals_or_honours"),
    ],
)
def little_three_dragons(decomposition: Decomposition) -> Occurrences:
    return with_pair(decomposition, decomposition.pungs_among(DRAGONS), 2, DRAGONS)


@CombinationFan(
    15,
    "four_pure_shifted_pungs",
    "一色四节高",
    "Four Pure Shifted Pungs",
    48,
    Aspect.PUNGS,
    "4.3.2",
    size=4,
    why=("{parts} rise by one in one suit", "{parts}：一种花色四副刻子依次递增一位"),
    excludes=[
        *named("pure_triple_chow", "all_pungs"),
        *by_handbook("pure_shifted_pungs"),
        *by_handbook("one_voided_suit", when=Switch.NO_VOIDED_SUIT_WITH_SETS),
    ],
)
def four_pure_shifted_pungs(pungs: Arrangement) -> bool:
    return pungs.one_suit and pungs.steps == (1, 1, 1)


@CombinationFan(
    24,
    "pure_shifted_pungs",
    "一色三节高",
    "Pure Shifted Pungs",
    24,
    Aspect.PUNGS,
    "4.5.6",
    size=3,
    why=("{parts} rise by one in one suit", "{parts}：一种花色三副刻子依次递增一位"),
    excludes=named("pure_triple_chow"),
)
def pure_shifted_pungs(pungs: Arrangement) -> bool:
    return pungs.one_suit and pungs.steps == (1, 1)


@CombinationFan(
    32,
    "triple_pung",
    "三同刻",
    "Triple Pung",
    16,
    Aspect.PUNGS,
    "4.6.5",
    size=3,
    why=("{parts} are of one rank in all three suits", "{parts}：三种花色序数相同的刻子"),
    excludes=by_handbook("double_pung"),
)
def triple_pung(pungs: Arrangement) -> bool:
    return pungs.suits == 3 and pungs.steps == (0, 0)


@SetsFan(
    38,
    "big_three_winds",
    "三风刻",
    "Big Three Winds",
    12,
    Aspect.HONOURS,
    "4.7.5",
    why=("pungs of three winds: {parts}", "三副风刻：{parts}"),
    excludes=[
        *on_same_parts("pung_of_terminals_or_honours"),
        *by_handbook("one_voided_suit", when=Switch.NO_VOIDED_SUIT_WITH_SETS),
    ],
)
def big_three_winds(decomposition: Decomposition) -> Occurrences:
    winds = decomposition.pungs_among(WINDS)
    return (winds,) if len(winds) >= 3 else NONE


@CombinationFan(
    42,
    "mixed_shifted_pungs",
    "三色三节高",
    "Mixed Shifted Pungs",
    8,
    Aspect.PUNGS,
    "4.8.4",
    size=3,
    why=("{parts} rise by one through the three suits", "{parts}：三种花色三副刻子依次递增一位"),
)
def mixed_shifted_pungs(pungs: Arrangement) -> bool:
    return pungs.suits == 3 and pungs.steps == (1, 1)


@SetsFan(
    54,
    "two_dragon_pungs",
    "双箭刻",
    "Two Dragon Pungs",
    6,
    Aspect.HONOURS,
    "4.9.6",
    why=("pungs of two dragons: {parts}", "两副箭刻：{parts}"),
    excludes=[*by_handbook("dragon_pung"), *on_same_parts("pung_of_terminals_or_honours")],
)
def two_dragon_pungs(decomposition: Decomposition) -> Occurrences:
    dragons = decomposition.pungs_among(DRAGONS)
    return (dragons,) if len(dragons) >= 2 else NONE


@SetsFan(
    59,
    "dragon_pung",
    "箭刻",
    "Dragon Pung",
    2,
    Aspect.HONOURS,
    "4.11.1",
    why=("a pung of dragons: {parts}", "箭牌刻子：{parts}"),
    excludes=on_same_parts("pung_of_terminals_or_honours"),
)
def dragon_pung(decomposition: Decomposition) -> Occurrences:
    return each(decomposition.pungs_among(DRAGONS))


@SetsFan(
    60,
    "prevalent_wind",
    "圈风刻",
    "Prevalent Wind",
    2,
    Aspect.HONOURS,
    "4.11.2",
    why=("{parts} is the wind of the round", "{parts}为圈风"),
    excludes=on_same_parts("pung_of_terminals_or_honours", texts=IN_HANDBOOK),
)
def prevalent_wind(decomposition: Decomposition) -> Occurrences:
    wind = decomposition.win.round_wind
    return each(decomposition.pungs_among(TILE_KEYS[wind])) if wind in WIND_TILES else NONE


@SetsFan(
    61,
    "seat_wind",
    "门风刻",
    "Seat Wind",
    2,
    Aspect.HONOURS,
    "4.11.3",
    why=("{parts} is the winner's own wind", "{parts}为本门风"),
    excludes=on_same_parts("pung_of_terminals_or_honours", texts=IN_HANDBOOK),
)
def seat_wind(decomposition: Decomposition) -> Occurrences:
    wind = decomposition.win.seat_wind
    return each(decomposition.pungs_among(TILE_KEYS[wind])) if wind in WIND_TILES else NONE


@CombinationFan(
    65,
    "double_pung",
    "双同刻",
    "Double Pung",
    2,
    Aspect.PUNGS,
    "4.11.7",
    size=2,
    why=("{parts} are of one rank in two suits", "{parts}：两种花色序数相同的刻子"),
)
def double_pung(pungs: Arrangement) -> bool:
    return pungs.suits == 2 and pungs.steps == (0,)


@SetsFan(
    73,
    "pung_of_terminals_or_honours",
    "幺九刻",
    "Pung of Terminals or Honours",
    1,
    Aspect.HONOURS,
    "4.12.5",
    why=("{parts} is of a terminal or an honour", "{parts}为幺九牌的刻子"),
)
def pung_of_terminals_or_honours(decomposition: Decomposition) -> Occurrences:
    return each(decomposition.pungs_among(ENDS))
