"""Fan of kongs and of concealed pungs."""

from __future__ import annotations

from hupai.scoring.mcr.decompositions.decomposition import Decomposition
from hupai.scoring.mcr.fans.definition import (
    NONE,
    Aspect,
    Occurrences,
    SetsFan,
    Switch,
    by_handbook,
    implied,
    named,
)
from hupai.scoring.mcr.fans.pungs import all_at_once, each


def kongs(decomposition: Decomposition) -> tuple[int, ...]:
    """Return the indices of all kongs."""
    return tuple(
        i for i, part in enumerate(decomposition.pungs, decomposition.first_pung) if part.is_kong
    )


def concealed_kongs(decomposition: Decomposition) -> tuple[int, ...]:
    """Return the indices of the concealed kongs."""
    return tuple(i for i in kongs(decomposition) if decomposition.parts[i].concealed)


def melded_kongs(decomposition: Decomposition) -> tuple[int, ...]:
    """Return the indices of the exposed and added kongs."""
    return tuple(i for i in kongs(decomposition) if not decomposition.parts[i].concealed)


def concealed_pungs(decomposition: Decomposition) -> tuple[int, ...]:
    """Return the indices of the concealed pungs, concealed kongs among them."""
    return tuple(
        i for i, part in enumerate(decomposition.pungs, decomposition.first_pung) if part.concealed
    )


@SetsFan(
    5,
    "four_kongs",
    "四杠",
    "Four Kongs",
    88,
    Aspect.KONGS,
    "4.1.5",
    why=("four kongs: {parts}", "四副杠：{parts}"),
    excludes=[
        *by_handbook("single_wait", "all_pungs"),
        *implied("two_melded_kongs", "melded_kong", "concealed_and_melded_kong"),
        *implied(
            "two_concealed_kongs", "concealed_kong", unless=Switch.CONCEALED_KONGS_WITH_FOUR_KONGS
        ),
    ],
)
def four_kongs(decomposition: Decomposition) -> Occurrences:
    return all_at_once(kongs(decomposition), 4)


@SetsFan(
    12,
    "four_concealed_pungs",
    "四暗刻",
    "Four Concealed Pungs",
    64,
    Aspect.KONGS,
    "4.2.5",
    why=("four concealed pungs: {parts}", "四副暗刻（暗杠）：{parts}"),
    excludes=[
        *named("all_pungs", "concealed_hand"),
        *by_handbook("three_concealed_pungs", "two_concealed_pungs"),
        *by_handbook("fully_concealed_hand", unless=Switch.SELF_DRAW_FOUR_OTHER),
    ],
)
def four_concealed_pungs(decomposition: Decomposition) -> Occurrences:
    return all_at_once(concealed_pungs(decomposition), 4)


@SetsFan(
    17,
    "three_kongs",
    "三杠",
    "Three Kongs",
    32,
    Aspect.KONGS,
    "4.4.2",
    why=("three kongs: {parts}", "三副杠：{parts}"),
    excludes=[
        *by_handbook("two_melded_kongs", "melded_kong", "concealed_and_melded_kong"),
        *by_handbook(
            "two_concealed_kongs", "concealed_kong", unless=Switch.CONCEALED_KONGS_WITH_THREE_KONGS
        ),
    ],
)
def three_kongs(decomposition: Decomposition) -> Occurrences:
    return all_at_once(kongs(decomposition), 3)


@SetsFan(
    33,
    "three_concealed_pungs",
    "三暗刻",
    "Three Concealed Pungs",
    16,
    Aspect.KONGS,
    "4.6.6",
    why=("three concealed pungs: {parts}", "三副暗刻：{parts}"),
    excludes=by_handbook("two_concealed_pungs"),
)
def three_concealed_pungs(decomposition: Decomposition) -> Occurrences:
    return all_at_once(concealed_pungs(decomposition), 3)


@SetsFan(
    53,
    "two_concealed_kongs",
    "双暗杠",
    "Two Concealed Kongs",
    6,
    Aspect.KONGS,
    "4.8.10",
    points_elsewhere={"mcr-2006": 8, "mcr-handbook": 8},
    why=("two concealed kongs: {parts}", "两副暗杠：{parts}"),
    excludes=[*by_handbook("two_concealed_pungs"), *implied("concealed_kong")],
)
def two_concealed_kongs(decomposition: Decomposition) -> Occurrences:
    return all_at_once(concealed_kongs(decomposition), 2)


@SetsFan(
    57,
    "two_melded_kongs",
    "双明杠",
    "Two Melded Kongs",
    4,
    Aspect.KONGS,
    "4.10.3",
    why=("two exposed kongs: {parts}", "两副明杠：{parts}"),
    excludes=by_handbook("melded_kong"),
)
def two_melded_kongs(decomposition: Decomposition) -> Occurrences:
    return all_at_once(melded_kongs(decomposition), 2)


@SetsFan(
    66,
    "two_concealed_pungs",
    "双暗刻",
    "Two Concealed Pungs",
    2,
    Aspect.KONGS,
    "4.11.8",
    why=("two concealed pungs: {parts}", "两副暗刻：{parts}"),
)
def two_concealed_pungs(decomposition: Decomposition) -> Occurrences:
    pungs = concealed_pungs(decomposition)
    return (pungs,) if len(pungs) >= 2 else NONE


@SetsFan(
    67,
    "concealed_kong",
    "暗杠",
    "Concealed Kong",
    2,
    Aspect.KONGS,
    "4.11.9",
    why=("a concealed kong: {parts}", "暗杠：{parts}"),
)
def concealed_kong(decomposition: Decomposition) -> Occurrences:
    found = concealed_kongs(decomposition)
    return each(found) if len(found) <= 2 else NONE


@SetsFan(
    74,
    "melded_kong",
    "明杠",
    "Melded Kong",
    1,
    Aspect.KONGS,
    "4.12.6",
    why=("an exposed kong: {parts}", "明杠：{parts}"),
)
def melded_kong(decomposition: Decomposition) -> Occurrences:
    return each(melded_kongs(decomposition))


@SetsFan(
    82,
    "concealed_and_melded_kong",
    "明暗杠",
    "Concealed Kong and Melded Kong",
    5,
    Aspect.KONGS,
    "",
    points_elsewhere={"mcr-2006": 6, "mcr-handbook": 0},
    why=("one exposed and one concealed kong: {parts}", "明杠、暗杠各一：{parts}"),
    excludes=implied("concealed_kong", "melded_kong"),
)
def concealed_and_melded_kong(decomposition: Decomposition) -> Occurrences:
    found = kongs(decomposition)
    return all_at_once(found, 2) if len(concealed_kongs(decomposition)) == 1 else NONE
