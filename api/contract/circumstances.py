"""How to ask for each circumstance: type, words in English and Chinese, bounds, and what it
needs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class ChoiceOut:
    """One value of a circumstance."""

    value: str | None
    label_en: str
    label_zh: str


@dataclass(frozen=True, slots=True)
class CircumstanceOut:
    """A circumstance to ask for. `needs` names others that must have the given value for this one
    to be true; of `tiles`, `maximum` is the most that can be given.
    """

    name: str
    type: Literal["boolean", "choice", "integer", "tiles"]
    label_en: str
    label_zh: str
    help_en: str
    help_zh: str
    default: bool | int | str | tuple[str, ...] | None
    choices: tuple[ChoiceOut, ...] = ()
    minimum: int | None = None
    maximum: int | None = None
    needs: Mapping[str, bool] = field(default_factory=dict)


_WINDS = (
    ChoiceOut("E", "East", "东"),
    ChoiceOut("S", "South", "南"),
    ChoiceOut("W", "West", "西"),
    ChoiceOut("N", "North", "北"),
)
_SUITS = (
    ChoiceOut(None, "not known", "不清楚"),
    ChoiceOut("m", "Characters", "万"),
    ChoiceOut("p", "Dots", "饼"),
    ChoiceOut("s", "Bamboo", "条"),
)


def _flag(
    name: str, en: str, zh: str, help_en: str, help_zh: str, **needs: bool
) -> CircumstanceOut:
    return CircumstanceOut(
        name=name,
        type="boolean",
        label_en=en,
        label_zh=zh,
        help_en=help_en,
        help_zh=help_zh,
        default=False,
        needs=needs,
    )


def _wind(name: str, en: str, zh: str, help_en: str, help_zh: str) -> CircumstanceOut:
    return CircumstanceOut(
        name=name,
        type="choice",
        label_en=en,
        label_zh=zh,
        help_en=help_en,
        help_zh=help_zh,
        default=None,
        choices=_WINDS,
    )


def _number(
    name: str,
    en: str,
    zh: str,
    help_en: str,
    help_zh: str,
    default: int | None,
    low: int,
    high: int,
) -> CircumstanceOut:
    return CircumstanceOut(
        name=name,
        type="integer",
        label_en=en,
        label_zh=zh,
        help_en=help_en,
        help_zh=help_zh,
        default=default,
        minimum=low,
        maximum=high,
    )


def _tiles(name: str, en: str, zh: str, help_en: str, help_zh: str, most: int) -> CircumstanceOut:
    return CircumstanceOut(
        name=name,
        type="tiles",
        label_en=en,
        label_zh=zh,
        help_en=help_en,
        help_zh=help_zh,
        default=(),
        minimum=0,
        maximum=most,
    )


DESCRIPTIONS: dict[str, CircumstanceOut] = {
    item.name: item
    for item in (
        _flag(
            "self_drawn",
            "Self-drawn",
            "自摸",
            "The winning tile was drawn, not claimed.",
            "和牌张是自己摸到的。",
        ),
        _flag(
            "last_tile",
            "Last tile",
            "最后一张",
            "Last tile of the wall, or the discard after it.",
            "牌墙最后一张，或其后打出的一张。",
        ),
        _flag(
            "last_of_kind",
            "Last of its kind",
            "和绝张",
            "The other three of this tile lie face up.",
            "另外三张同样的牌都已亮明。",
        ),
        _flag(
            "kong_replacement",
            "Kong replacement tile",
            "杠上开花",
            "Won with the tile drawn after a kong.",
            "用开杠后补的牌和牌。",
            self_drawn=True,
        ),
        _flag(
            "kong_discard",
            "On the discard after a kong",
            "杠上炮",
            "The tile was discarded right after a kong.",
            "和别人开杠后打出的牌。",
            self_drawn=False,
        ),
        _flag(
            "robbing_kong",
            "Robbing a kong",
            "抢杠和",
            "The tile was being added to an exposed pung.",
            "和别人加杠的那张牌。",
            self_drawn=False,
        ),
        _wind("seat_wind", "Seat wind", "门风", "The winner's wind.", "和牌者的门风。"),
        _wind("round_wind", "Round wind", "圈风", "The wind of the round.", "本圈的圈风。"),
        _number(
            "flowers",
            "Flowers",
            "花牌",
            "How many flowers; empty: those of the hand count.",
            "花牌张数；不填则按手牌中的花牌计。",
            None,
            0,
            8,
        ),
        _flag("dealer", "Dealer", "庄家", "The winner is the dealer.", "和牌者是庄家。"),
        _number(
            "dealer_streak",
            "Dealer's streak",
            "连庄",
            "Hands the dealer kept before this one.",
            "本局之前连庄的次数。",
            0,
            0,
            100,
        ),
        _flag(
            "ready_declared",
            "Ready declared",
            "报听",
            "The player declared ready.",
            "和牌前已报听。",
        ),
        _flag(
            "heavenly_ready",
            "Ready from the deal",
            "天听",
            "Declared ready before the first draw.",
            "起手即听并在摸牌前报听。",
        ),
        _flag(
            "heavenly_win",
            "Won with the dealt tiles",
            "天和",
            "The dealer won with the tiles dealt.",
            "庄家起手即和。",
            dealer=True,
            self_drawn=True,
        ),
        _number(
            "opponents",
            "Players who pay",
            "付分人数",
            "Players still in the hand besides the winner.",
            "除和牌者外还在局中的人数。",
            3,
            1,
            3,
        ),
        _flag(
            "partner_play",
            "Two against two",
            "二对二",
            "Partners; no suit has to be void.",
            "两两搭档，不必定缺。",
        ),
        CircumstanceOut(
            name="void_suit",
            type="choice",
            label_en="Suit given up",
            label_zh="定缺",
            help_en="The suit the player declared void.",
            help_zh="定缺的花色。",
            default=None,
            choices=_SUITS,
        ),
        _flag(
            "discarder_is_dealer",
            "The dealer discarded",
            "庄家点炮",
            "The discard, or the robbed kong, was the dealer's.",
            "点炮者或被抢杠者是庄家。",
            self_drawn=False,
            dealer=False,
        ),
        _flag(
            "riichi",
            "Riichi",
            "立直",
            "The player declared riichi with a closed hand.",
            "门清听牌时宣告立直。",
        ),
        _flag(
            "double_riichi",
            "Double riichi",
            "两立直",
            "Riichi with the first discard.",
            "第一巡打牌时立直。",
        ),
        _flag(
            "ippatsu",
            "Ippatsu",
            "一发",
            "Won within one uninterrupted turn of the riichi.",
            "立直后一巡内无人鸣牌而和牌。",
        ),
        _flag(
            "earthly_win",
            "Won with the first draw",
            "地和",
            "A player other than the dealer won with the first tile drawn.",
            "闲家第一张自摸即和。",
            dealer=False,
            self_drawn=True,
        ),
        _flag(
            "human_win",
            "Won before the first draw",
            "人和",
            "A player other than the dealer won on a discard before the first draw.",
            "闲家在第一巡摸牌前和别人打出的牌。",
            dealer=False,
            self_drawn=False,
        ),
        _number(
            "honba",
            "Counters",
            "本场",
            "Counters (honba) on the table.",
            "桌上的本场数。",
            0,
            0,
            99,
        ),
        _number(
            "riichi_sticks",
            "Riichi deposits",
            "立直棒",
            "Deposits on the table that the winner takes, including their own.",
            "桌上由和牌者收取的立直棒，含自己的。",
            0,
            0,
            99,
        ),
        _tiles(
            "dora_indicators",
            "Dora indicators",
            "宝牌指示牌",
            "The indicators that lie open, those of kongs included.",
            "翻开的宝牌指示牌，含杠后翻开的。",
            5,
        ),
        _tiles(
            "ura_indicators",
            "Ura dora indicators",
            "里宝牌指示牌",
            "The indicators below, uncovered after a riichi.",
            "立直和牌后翻开的里指示牌。",
            5,
        ),
        _number(
            "red_fives",
            "Red fives",
            "赤五",
            "How many red fives; empty: those of the hand count.",
            "赤五张数；不填则按手牌中的赤五计。",
            None,
            0,
            12,
        ),
    )
}
"""One description for each field of `Circumstances`."""
