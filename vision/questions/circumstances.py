"""Questions about circumstances: their wording, the possible values and their probabilities."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from hupai.scoring.hand import Circumstances, Hand
from hupai.scoring.tiles import WINDS, ZH_NAMES
from hupai.vision.questions.types import CircumstanceValue

Values = Callable[[Circumstances, Hand], tuple[CircumstanceValue, ...]]
"""Gives the values of a circumstance, from the other circumstances and the hand."""
_REMEMBERED = 4096
"""Number of changed copies of circumstances that are cached: the hypotheses about a hand combine
the same ones many times, and copying them took most of the time.
"""


@dataclass(frozen=True, slots=True)
class OpenCircumstance:
    """A circumstance that a question may be about.

    Attributes:
        text_en, text_zh: the question.
        values: gives its values.
        needs: values that other circumstances must have for it to be true.
    """

    text_en: str
    text_zh: str
    values: Values
    needs: Mapping[str, bool] = field(default_factory=dict)


@lru_cache(_REMEMBERED)
def with_value(given: Circumstances, name: str, value: object) -> Circumstances:
    """Return the circumstances with another value in the field of this name."""
    change: dict[str, Any] = {name: value}
    return replace(given, **change)


def _choice(name: str, *choices: tuple[object, tuple[str, str, str], float]) -> Values:
    """Make values that do not depend on the hand.

    Each choice is a value, its name as an answer with labels in English and Chinese, and its
    probability.
    """

    @lru_cache(_REMEMBERED)
    def values_beside(given: Circumstances) -> tuple[CircumstanceValue, ...]:
        return tuple(
            CircumstanceValue(*names, share, with_value(given, name, value))
            for value, names, share in choices
        )

    def values(given: Circumstances, _hand: Hand) -> tuple[CircumstanceValue, ...]:
        return values_beside(given)

    return values


def _flag(name: str, share: float) -> Values:
    no, yes = ("false", "no", "否"), ("true", "yes", "是")
    return _choice(name, (False, no, 1 - share), (True, yes, share))


def _wind(name: str) -> Values:
    names = zip(WINDS, ("East", "South", "West", "North"), strict=True)
    return _choice(name, *((wind, (wind.code, en, ZH_NAMES[wind]), 0.25) for wind, en in names))


def _number(name: str, shares: Mapping[int, float]) -> Values:
    return _choice(name, *((n, (str(n),) * 3, share) for n, share in shares.items()))


def _suit(given: Circumstances, hand: Hand) -> tuple[CircumstanceValue, ...]:
    """Return the suits that may have been given up; a winner rarely still holds that one."""
    suits = (("m", "characters", "万"), ("p", "dots", "饼"), ("s", "bamboo", "条"))
    held = {tile.suit.value for tile in hand.all_tiles}
    shares = [0.01 if code in held else 1.0 for code, _, _ in suits]
    return tuple(
        CircumstanceValue(*names, share / sum(shares), replace(given, void_suit=names[0]))
        for names, share in zip(suits, shares, strict=True)
    )


OPEN_CIRCUMSTANCES: dict[str, OpenCircumstance] = {
    "self_drawn": OpenCircumstance(
        "Was the winning tile drawn by the winner?", "是否自摸？", _flag("self_drawn", 0.4)
    ),
    "seat_wind": OpenCircumstance(
        "What is the winner's seat wind?", "和牌者的门风是？", _wind("seat_wind")
    ),
    "round_wind": OpenCircumstance("What is the round wind?", "圈风是？", _wind("round_wind")),
    "last_tile": OpenCircumstance(
        "Was it the last tile of the wall, or the last discard?",
        "是否海底牌？",
        _flag("last_tile", 0.02),
    ),
    "last_of_kind": OpenCircumstance(
        "Were the other three of its kind in view?", "是否和绝张？", _flag("last_of_kind", 0.03)
    ),
    "kong_replacement": OpenCircumstance(
        "Was it the tile drawn for a kong?",
        "是否杠上开花？",
        _flag("kong_replacement", 0.02),
        {"self_drawn": True},
    ),
    "kong_discard": OpenCircumstance(
        "Was it discarded right after a kong?",
        "是否杠上炮？",
        _flag("kong_discard", 0.02),
        {"self_drawn": False},
    ),
    "robbing_kong": OpenCircumstance(
        "Was it taken from another player's added kong?",
        "是否抢杠和？",
        _flag("robbing_kong", 0.01),
        {"self_drawn": False},
    ),
    "dealer": OpenCircumstance(
        "Is the winner the dealer?", "和牌者是庄家吗？", _flag("dealer", 0.28)
    ),
    "dealer_streak": OpenCircumstance(
        "How many hands has the dealer kept the deal?",
        "连庄几次？",
        _number("dealer_streak", {0: 0.7, 1: 0.2, 2: 0.07, 3: 0.03}),
    ),
    "discarder_is_dealer": OpenCircumstance(
        "Did the dealer discard the winning tile?",
        "点炮者是庄家吗？",
        _flag("discarder_is_dealer", 0.25),
        {"self_drawn": False, "dealer": False},
    ),
    "ready_declared": OpenCircumstance(
        "Had the winner declared ready?", "是否报听？", _flag("ready_declared", 0.1)
    ),
    "heavenly_ready": OpenCircumstance(
        "Was the hand ready from the deal on?", "是否天听？", _flag("heavenly_ready", 0.005)
    ),
    "heavenly_win": OpenCircumstance(
        "Did the dealer win with the tiles dealt?",
        "是否天和？",
        _flag("heavenly_win", 0.001),
        {"dealer": True, "self_drawn": True},
    ),
    "opponents": OpenCircumstance(
        "How many players still pay?",
        "还有几家付分？",
        _number("opponents", {3: 0.6, 2: 0.25, 1: 0.15}),
    ),
    "partner_play": OpenCircumstance(
        "Is it two against two?", "是否二对二？", _flag("partner_play", 0.02)
    ),
    "void_suit": OpenCircumstance("Which suit did the winner give up?", "定缺哪一门？", _suit),
    "riichi": OpenCircumstance(
        "Had the winner declared riichi?", "和牌者立直了吗？", _flag("riichi", 0.4)
    ),
    "double_riichi": OpenCircumstance(
        "Was it declared with the first discard?",
        "是第一巡立直吗？",
        _flag("double_riichi", 0.005),
        {"riichi": True},
    ),
    "ippatsu": OpenCircumstance(
        "Was it won within a turn of the riichi?",
        "是一发吗？",
        _flag("ippatsu", 0.06),
        {"riichi": True},
    ),
    "earthly_win": OpenCircumstance(
        "Was it won with the first tile drawn?",
        "是地和吗？",
        _flag("earthly_win", 0.0005),
        {"self_drawn": True},
    ),
    "human_win": OpenCircumstance(
        "Was it won on a discard before the first draw?",
        "是人和吗？",
        _flag("human_win", 0.0005),
        {"self_drawn": False},
    ),
}
"""Circumstances that questions may be about, by field name.

`flowers` and `red_fives` are read from the photo; counters, deposits and indicators lie on the
table and are given.
"""


def implied(given: Circumstances, unknown: Iterable[str]) -> tuple[Circumstances, tuple[str, ...]]:
    """Add unknown circumstances that the given ones require.

    Returns:
        The circumstances, and the names of those that stay unknown.
    """
    left = tuple(unknown)
    for name, about in OPEN_CIRCUMSTANCES.items():
        if name not in left and getattr(given, name) is True:
            for other, needed in about.needs.items():
                if other in left:
                    given = with_value(given, other, needed)
                    left = tuple(one for one in left if one != other)
    return given, left
