"""What keeps a hand from being scored, or from winning, under MCR: everything at once."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from operator import attrgetter

from hupai.scoring.checks.catalogue import (
    chow_source_problems,
    flower_problems,
    problem,
    wind_problems,
    winning_tile_problems,
)
from hupai.scoring.checks.hand import (
    count_problems,
    errors_first,
    flag_problems,
    flags_not_used,
    is_sound,
    meld_problems,
    tile_problems,
)
from hupai.scoring.hand import Circumstances, Hand, MeldKind, Source
from hupai.scoring.mcr.profiles import Profile
from hupai.scoring.result import Problem
from hupai.scoring.tiles import WINDS, Tile

IN_PLAY: frozenset[Tile] = frozenset(Tile(i) for i in range(42))
"""144 tiles, flowers among them (1998, article 4; 2006, 3.5.5)."""

CIRCUMSTANCES: tuple[str, ...] = (
    "self_drawn",
    "seat_wind",
    "round_wind",
    "last_tile",
    "last_of_kind",
    "kong_replacement",
    "robbing_kong",
    "flowers",
)

_READ = frozenset(CIRCUMSTANCES)

UNREADABLE = frozenset(
    {
        "face_down_tile",
        "flower_in_hand",
        "five_of_a_kind",
        "bad_meld",
        "wrong_count",
        "not_won_yet",
        "winning_tile_unknown",
    }
)
"""Problems with which there is not a hand to read; with any other the fan are counted all the same,
but for a flag that the hand contradicts.
"""


def find_problems(
    hand: Hand, circumstances: Circumstances, profile: Profile
) -> tuple[Problem, ...]:
    """Return everything found, errors first."""
    if is_plainly_sound(hand, circumstances):
        return ()
    return errors_first(all_problems(hand, circumstances, profile))


def is_plainly_sound(hand: Hand, circumstances: Circumstances) -> bool:
    """Return True for a common hand, quickly, if nothing is wrong with it and nothing rare about
    it.

    False means only that every check must run.
    """
    return (
        _is_plain(circumstances)
        and is_sound(hand)
        and all(
            meld.claimed_from in _FROM_LEFT for meld in hand.melds if meld.kind is MeldKind.CHOW
        )
    )


_SELDOM_SET = attrgetter(
    *sorted(
        set(Circumstances.__dataclass_fields__)
        - {"self_drawn", "last_tile", "seat_wind", "round_wind", "flowers"}
    )
)
_NOT_SET = _SELDOM_SET(Circumstances())


def _is_plain(circumstances: Circumstances) -> bool:
    """Return True if both winds are given and no flag needs a check.

    Such a flag could contradict the hand, or is not read.
    """
    return (
        _SELDOM_SET(circumstances) == _NOT_SET
        and circumstances.seat_wind in WINDS
        and circumstances.round_wind in WINDS
        and (circumstances.flowers is None or 0 <= circumstances.flowers <= 8)
    )


_FROM_LEFT = (None, Source.LEFT)


def all_problems(hand: Hand, circumstances: Circumstances, profile: Profile) -> Iterator[Problem]:
    """Yield everything found by running every check."""
    yield from tile_problems(hand, IN_PLAY, profile.name_en, profile.name_zh)
    yield from flower_problems(hand, circumstances)
    yield from meld_problems(hand)
    yield from chow_source_problems(hand)
    yield from count_problems(hand)
    yield from winning_tile_problems(hand)
    yield from flag_problems(hand, circumstances, _READ)
    yield from wind_problems(hand, circumstances)
    yield from flags_not_used(circumstances, _READ, profile.name_en, profile.name_zh)


def not_complete() -> Problem:
    """Return the problem of tiles that make no winning shape."""
    return problem(
        "not_complete",
        "The tiles make no winning shape: neither four sets and a pair, nor seven pairs, thirteen "
        "orphans or a knitted hand; "
        "check the tiles.",
        "不成和牌牌型：既非四副加一对将，也非七对、十三幺、全不靠或组合龙；请核对牌张。",
    )


@cache
def below_minimum(points: int, minimum: int) -> Problem:
    """Return the problem of a complete hand of too few points."""
    return problem(
        "below_minimum",
        f"The hand is complete but counts {points} fan without flowers, and {minimum} are needed "
        "to win.",
        f"牌型已成，但不计花牌只有 {points} 番，未达 {minimum} 番起和。",
    )
