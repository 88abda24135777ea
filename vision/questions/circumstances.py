"""How open circumstances are asked: their question, their possible values, and how usual each
is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from hupai.scoring.hand import Circumstances, Hand
from hupai.scoring.tiles import WINDS, ZH_NAMES
from hupai.vision.questions.types import CircumstanceValue

Settings = Callable[[Circumstances, Hand], tuple[CircumstanceValue, ...]]


@dataclass(frozen=True, slots=True)
class OpenCircumstance:
    """A circumstance that may be asked.

    Attributes:
        text_en, text_zh: the question.
        settings: its values, given the other circumstances and the hand.
        needs: values of other circumstances without which it cannot be true.
    """

    text_en: str
    text_zh: str
    settings: Settings
    needs: Mapping[str, bool] = field(default_factory=dict)


def with_value(given: Circumstances, name: str, value: object) -> Circumstances:
    """The circumstances with another value of the field of this name."""
    change: dict[str, Any] = {name: value}
    return replace(given, **change)


def _flag(name: str, share: float) -> Settings:
    def settings(given: Circumstances, hand: Hand) -> tuple[CircumstanceValue, ...]:
        return (
            CircumstanceValue("false", "no", "否", 1 - share, with_value(given, name, False)),
            CircumstanceValue("true", "yes", "是", share, with_value(given, name, True)),
        )

    return settings


def _wind(name: str) -> Settings:
    names = ("East", "South", "West", "North")

    def settings(given: Circumstances, hand: Hand) -> tuple[CircumstanceValue, ...]:
        return tuple(
            CircumstanceValue(wind.code, en, ZH_NAMES[wind], 0.25, with_value(given, name, wind))
            for wind, en in zip(WINDS, names, strict=True)
        )

    return settings


def _number(name: str, shares: tuple[tuple[int, float], ...]) -> Settings:
    def settings(given: Circumstances, hand: Hand) -> tuple[CircumstanceValue, ...]:
        return tuple(
            CircumstanceValue(str(n), str(n), str(n), share, with_value(given, name, n))
            for n, share in shares
        )

    return settings


def _suit(given: Circumstances, hand: Hand) -> tuple[CircumstanceValue, ...]:
    """A winner rarely still holds the suit that was given up."""
    suits = (("m", "characters", "万"), ("p", "dots", "饼"), ("s", "bamboo", "条"))
    held = {tile.suit.value for tile in hand.all_tiles}
    shares = [0.01 if code in held else 1.0 for code, _, _ in suits]
    return tuple(
        CircumstanceValue(code, en, zh, share / sum(shares), replace(given, void_suit=code))
        for (code, en, zh), share in zip(suits, shares, strict=True)
    )


OPEN_CIRCUMSTANCES: dict[str, OpenCircumstance] = {
    "self_drawn": OpenCircumstance(
        "Was the winning tile drawn by the winner?", "是否自摸？", _flag("self_drawn", 0.4)
    ),
    "seat_wind": OpenCircumstance(
        "Which wind is the winner's?", "和牌者的门风是？", _wind("seat_wind")
    ),
    "round_wind": OpenCircumstance("Which wind prevails?", "圈风是？", _wind("round_wind")),
    "last_tile": OpenCircumstance(
        "Was it the last tile of the wall, or the discard after it?",
        "是否海底牌？",
        _flag("last_tile", 0.02),
    ),
    "last_of_kind": OpenCircumstance(
        "Did the other three of its kind lie open?", "是否和绝张？", _flag("last_of_kind", 0.03)
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
        _number("dealer_streak", ((0, 0.7), (1, 0.2), (2, 0.07), (3, 0.03))),
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
        _number("opponents", ((3, 0.6), (2, 0.25), (1, 0.15))),
    ),
    "partner_play": OpenCircumstance(
        "Is it two against two?", "是否二对二？", _flag("partner_play", 0.02)
    ),
    "void_suit": OpenCircumstance("Which suit did the winner give up?", "定缺哪一门？", _suit),
}
"""Circumstances that can be asked, by field name; `flowers` is read from the photo."""


def implied(given: Circumstances, unknown: Iterable[str]) -> tuple[Circumstances, tuple[str, ...]]:
    """What is given with what it needs to be true, as far as that is not known, and what stays
    unknown.
    """
    left = tuple(unknown)
    for name, about in OPEN_CIRCUMSTANCES.items():
        if name not in left and getattr(given, name) is True:
            for other, needed in about.needs.items():
                if other in left:
                    given = with_value(given, other, needed)
                    left = tuple(one for one in left if one != other)
    return given, left
