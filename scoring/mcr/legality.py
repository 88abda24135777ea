"""What keeps a hand from being scored, or from winning, under MCR: everything at once."""

from __future__ import annotations

from collections.abc import Iterator

from scoring.hand import Circumstances, Hand
from scoring.hand_checks import (
    count_problems,
    errors_first,
    flag_problems,
    flags_not_used,
    meld_problems,
    tile_problems,
)
from scoring.mcr.profiles import Profile
from scoring.problems import chow_source_problems, flower_problems, wind_problems, winning_tile_problems
from scoring.result import Problem, Severity
from scoring.tiles import Tile

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
"""Problems with which there is no hand to read; with any other the fan are counted all the same."""


def find_problems(hand: Hand, circumstances: Circumstances, profile: Profile) -> tuple[Problem, ...]:
    """Everything found, errors first."""
    return errors_first(_all_problems(hand, circumstances, profile))


def _all_problems(hand: Hand, circumstances: Circumstances, profile: Profile) -> Iterator[Problem]:
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
    """The tiles make no winning shape."""
    return Problem(
        "not_complete",
        Severity.ERROR,
        "The tiles make no winning shape: neither four sets and a pair, nor seven pairs, thirteen orphans or a knitted hand; "
        "check the tiles.",
        "不成和牌牌型：既非四副加一对将，也非七对、十三幺、全不靠或组合龙；请核对牌张。",
    )


def below_minimum(points: int, profile: Profile) -> Problem:
    """Complete, but not worth enough."""
    return Problem(
        "below_minimum",
        Severity.WARNING,
        f"The hand is complete but counts {points} fan without flowers, and {profile.minimum} are needed to win.",
        f"牌型已成，但不计花牌只有 {points} 番，未达 {profile.minimum} 番起和。",
    )
