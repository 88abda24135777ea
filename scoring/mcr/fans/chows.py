"""Fan of two, three or four chows."""

from __future__ import annotations

from hupai.scoring.mcr.fans.definition import (
    Arrangement,
    Aspect,
    CombinationFan,
    Switch,
    by_handbook,
    named,
)


@CombinationFan(
    14,
    "quadruple_chow",
    "一色四同顺",
    "Quadruple Chow",
    48,
    Aspect.CHOWS,
    "4.3.1",
    size=4,
    why=("{parts} is one chow four times", "{parts}：同一顺子四副"),
    excludes=[
        *named("pure_double_chow", "pure_shifted_pungs", "tile_hog"),
        *by_handbook("pure_triple_chow"),
        *by_handbook("one_voided_suit", when=Switch.NO_VOIDED_SUIT_WITH_SETS),
    ],
)
def quadruple_chow(chows: Arrangement) -> bool:
    return chows.one_suit and chows.steps == (0, 0, 0)


@CombinationFan(
    16,
    "four_pure_shifted_chows",
    "一色四步高",
    "Four Pure Shifted Chows",
    32,
    Aspect.CHOWS,
    "4.4.1",
    size=4,
    why=(
        "{parts} rise by the same step of one or two in one suit",
        "{parts}：一种花色四副顺子依次递增",
    ),
    excludes=[
        *by_handbook("pure_shifted_chows"),
        *by_handbook("one_voided_suit", when=Switch.NO_VOIDED_SUIT_WITH_SETS),
    ],
)
def four_pure_shifted_chows(chows: Arrangement) -> bool:
    return chows.one_suit and chows.steps in ((1, 1, 1), (2, 2, 2))


@CombinationFan(
    23,
    "pure_triple_chow",
    "一色三同顺",
    "Pure Triple Chow",
    24,
    Aspect.CHOWS,
    "4.5.5",
    size=3,
    why=("{parts} is one chow three times", "{parts}：同一顺子三副"),
    excludes=[*named("pure_shifted_pungs"), *by_handbook("pure_double_chow")],
)
def pure_triple_chow(chows: Arrangement) -> bool:
    return chows.one_suit and chows.steps == (0, 0)


@CombinationFan(
    28,
    "pure_straight",
    "清龙",
    "Pure Straight",
    16,
    Aspect.CHOWS,
    "4.6.1",
    size=3,
    why=("{parts} run from 1 to 9 in one suit", "{parts}：一种花色一至九相连"),
)
def pure_straight(chows: Arrangement) -> bool:
    return chows.one_suit and chows.steps == (3, 3)


@CombinationFan(
    30,
    "pure_shifted_chows",
    "一色三步高",
    "Pure Shifted Chows",
    16,
    Aspect.CHOWS,
    "4.6.3",
    size=3,
    why=(
        "{parts} rise by the same step of one or two in one suit",
        "{parts}：一种花色三副顺子依次递增",
    ),
)
def pure_shifted_chows(chows: Arrangement) -> bool:
    return chows.one_suit and chows.steps in ((1, 1), (2, 2))


@CombinationFan(
    39,
    "mixed_straight",
    "花龙",
    "Mixed Straight",
    8,
    Aspect.CHOWS,
    "4.8.1",
    size=3,
    why=("{parts} run from 1 to 9 through the three suits", "{parts}：三种花色连成一至九"),
)
def mixed_straight(chows: Arrangement) -> bool:
    return chows.suits == 3 and chows.steps == (3, 3)


@CombinationFan(
    41,
    "mixed_triple_chow",
    "三色三同顺",
    "Mixed Triple Chow",
    8,
    Aspect.CHOWS,
    "4.8.3",
    size=3,
    why=("{parts} are one chow in all three suits", "{parts}：三种花色的同一顺子"),
    excludes=by_handbook("mixed_double_chow"),
)
def mixed_triple_chow(chows: Arrangement) -> bool:
    return chows.suits == 3 and chows.steps == (0, 0)


@CombinationFan(
    50,
    "mixed_shifted_chows",
    "三色三步高",
    "Mixed Shifted Chows",
    6,
    Aspect.CHOWS,
    "4.9.3",
    size=3,
    why=("{parts} rise by one through the three suits", "{parts}：三种花色三副顺子依次递增一位"),
)
def mixed_shifted_chows(chows: Arrangement) -> bool:
    return chows.suits == 3 and chows.steps == (1, 1)


@CombinationFan(
    69,
    "pure_double_chow",
    "一般高",
    "Pure Double Chow",
    1,
    Aspect.CHOWS,
    "4.12.1",
    size=2,
    why=("{parts} is one chow twice", "{parts}：同一顺子两副"),
)
def pure_double_chow(chows: Arrangement) -> bool:
    return chows.one_suit and chows.steps == (0,)


@CombinationFan(
    70,
    "mixed_double_chow",
    "喜相逢",
    "Mixed Double Chow",
    1,
    Aspect.CHOWS,
    "4.12.2",
    size=2,
    why=("{parts} are one chow in two suits", "{parts}：两种花色的同一顺子"),
)
def mixed_double_chow(chows: Arrangement) -> bool:
    return chows.suits == 2 and chows.steps == (0,)


@CombinationFan(
    71,
    "short_straight",
    "连六",
    "Short Straight",
    1,
    Aspect.CHOWS,
    "4.12.3",
    size=2,
    why=("{parts} are six in a row in one suit", "{parts}：一种花色六张相连"),
)
def short_straight(chows: Arrangement) -> bool:
    return chows.one_suit and chows.steps == (3,)


@CombinationFan(
    72,
    "two_terminal_chows",
    "老少副",
    "Two Terminal Chows",
    1,
    Aspect.CHOWS,
    "4.12.4",
    size=2,
    why=("{parts} are both ends of one suit", "{parts}：一种花色的一二三与七八九"),
)
def two_terminal_chows(chows: Arrangement) -> bool:
    return chows.one_suit and chows.steps == (6,)
