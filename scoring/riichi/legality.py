"""What keeps a hand from winning under riichi rules, all at once, and what cannot be seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from hupai.scoring.checks.catalogue import (
    chow_source_problems,
    codes,
    names,
    problem,
    wind_problems,
    winning_tile_problems,
)
from hupai.scoring.checks.hand import (
    contradiction,
    count_problems,
    errors_first,
    flag_problems,
    flags_not_used,
    is_sound,
    meld_problems,
    tile_problems,
)
from hupai.scoring.result import Problem
from hupai.scoring.riichi.profiles import HumanWin, RiichiOptions
from hupai.scoring.riichi.reading import Win
from hupai.scoring.tiles import FIVES, PLAYABLE, Tile

IN_PLAY: frozenset[Tile] = frozenset(PLAYABLE)
"""136 tiles; riichi knows no flowers."""

MOST_INDICATORS = 5
"""Indicators that can lie open: one, and one more for each of four kongs."""

_ALWAYS = (
    "self_drawn",
    "seat_wind",
    "round_wind",
    "riichi",
    "double_riichi",
    "ippatsu",
    "kong_replacement",
    "robbing_kong",
    "last_tile",
    "heavenly_win",
    "earthly_win",
    "human_win",
    "honba",
    "riichi_sticks",
    "dora_indicators",
    "ura_indicators",
    "red_fives",
)


def circumstances_read(options: RiichiOptions) -> tuple[str, ...]:
    """Return what rules with these options read, in the order to ask for it."""
    unused = {
        "ippatsu": not options.ippatsu,
        "ura_indicators": not options.ura_dora,
        "red_fives": not any(options.red_fives),
        "human_win": options.human_win is HumanWin.NOT_USED,
    }
    return tuple(name for name in _ALWAYS if not unused.get(name))


def find_problems(win: Win, name_en: str, name_zh: str) -> tuple[Problem, ...]:
    """Return everything found, errors first."""
    return errors_first(_all_problems(win, name_en, name_zh))


def _all_problems(win: Win, name_en: str, name_zh: str) -> Iterator[Problem]:
    hand, circumstances = win.hand, win.circumstances
    if not is_sound(hand):
        yield from tile_problems(hand, IN_PLAY, name_en, name_zh)
        yield from meld_problems(hand)
        yield from count_problems(hand)
    yield from winning_tile_problems(hand)
    yield from chow_source_problems(hand)
    yield from wind_problems(hand, circumstances)
    read = frozenset(circumstances_read(win.options))
    yield from flag_problems(hand, circumstances, read)
    yield from _riichi_problems(win)
    yield from _first_turn_problems(win)
    yield from _dealer_problems(win)
    yield from _indicator_problems(win)
    yield from _red_five_problems(win)
    yield from flags_not_used(circumstances, read | {"dealer"}, name_en, name_zh)


def not_seen(win: Win) -> Iterator[Problem]:
    """Yield notes on what a complete hand does not show, though its points depend on it."""
    if win.seat is None:
        yield problem(
            "dealer_unknown",
            "The seat wind is not given: the points are those of a player who is not the dealer.",
            "未给出自风：按闲家计点。",
        )
    if not win.circumstances.self_drawn and win.hand.winning_tile is not None:
        yield problem(
            "furiten_not_seen",
            "Whether the winner was furiten (a tile of the wait among the own discards, or one let "
            "pass) cannot be seen in the hand: a furiten hand may not win on a discard.",
            "振听（自己打过所听的牌，或见逃）无法从手牌看出：振听不能荣和。",
        )


def _riichi_problems(win: Win) -> Iterator[Problem]:
    circumstances = win.circumstances
    if win.has_riichi and win.is_open:
        yield contradiction(
            "Riichi needs a closed hand, and the hand shows claimed sets: take the riichi away or "
            "correct the melds.",
            "立直须门清，而手牌有副露：请取消立直或更正副露。",
        )
    if circumstances.ippatsu and not win.has_riichi:
        yield contradiction(
            "Ippatsu needs a riichi: set riichi too, or take ippatsu away.",
            "一发须先立直：请同时选立直，或取消一发。",
        )
    if circumstances.ippatsu and circumstances.kong_replacement:
        yield contradiction(
            "A kong ends ippatsu, so the tile drawn after it cannot be one shot: take one of the "
            "two away.",
            "开杠后一发即失效，岭上开花不能同时计一发：请取消其一。",
        )
    if circumstances.last_tile and circumstances.kong_replacement:
        yield contradiction(
            "The tile drawn after a kong comes from the dead wall and is not the last of the wall: "
            "take one of the two away.",
            "岭上牌来自王牌，不是牌墙最后一张：请取消其一。",
        )
    if circumstances.ura_indicators and win.options.ura_dora and not win.has_riichi:
        yield contradiction(
            "Ura dora are uncovered after a riichi only: set riichi, or take the ura indicators "
            "away.",
            "里宝牌只在立直和牌后翻开：请选立直，或去掉里指示牌。",
        )


_FIRST_TURN = (
    ("heavenly_win", "Tenhou", "天和", True),
    ("earthly_win", "Chiihou", "地和", True),
    ("human_win", "Renhou", "人和", False),
)


def _first_turn_problems(win: Win) -> Iterator[Problem]:
    circumstances = win.circumstances
    given = [row for row in _FIRST_TURN if getattr(circumstances, row[0])]
    if len(given) > 1:
        yield contradiction(
            f"A hand is won once: {' and '.join(row[1] for row in given)} exclude each other.",
            f"{'、'.join(row[2] for row in given)}不能并存：请取消其一。",
        )
    for name, en, zh, drawn in given:
        if circumstances.self_drawn is not drawn:
            how = ("a self-drawn win", "自摸") if drawn else ("a win on a discard", "荣和")
            yield contradiction(
                f"{en} is {how[0]}: change self-drawn, or take it away.",
                f"{zh}为{how[1]}：请更改自摸一项，或取消。",
            )
        if win.hand.melds:
            yield contradiction(
                f"{en} comes before any claim or kong, but the hand shows melds.",
                f"{zh}之前不可能有吃碰杠，而手牌有副露。",
            )
        if circumstances.robbing_kong and not drawn:
            yield contradiction(
                f"{en} comes before any claim, so nobody has a pung to which the robbed tile could "
                "be added: take one of the two away.",
                f"{zh}之前不可能有碰，也就没有可抢的加杠：请取消其一。",
            )
        if win.has_riichi:
            yield contradiction(
                f"{en} comes before a riichi can be declared: take one of the two away.",
                f"{zh}时尚不能立直：请取消其一。",
            )
        if circumstances.last_tile:
            yield contradiction(
                f"{en} comes in the first turn, long before the last tile of the wall: take one of "
                "the two away.",
                f"{zh}在第一巡，离牌墙最后一张尚远：请取消其一。",
            )
        if win.seat is not None and win.is_dealer != (name == "heavenly_win"):
            only = (
                ("only the dealer, seat wind east, can have it", "只有庄家（自风东）才有")
                if name == "heavenly_win"
                else ("the dealer cannot have it", "庄家不能有")
            )
            yield contradiction(f"{en}: {only[0]}.", f"{zh}{only[1]}。")


def _dealer_problems(win: Win) -> Iterator[Problem]:
    circumstances = win.circumstances
    if circumstances.dealer and circumstances.seat_wind not in (None, Tile.EAST):
        yield contradiction(
            "The dealer's seat wind is east: correct the seat wind, or take dealer away.",
            "庄家的自风为东：请更正自风，或取消庄家。",
        )
    for name, en, zh in (("honba", "counters", "本场"), ("riichi_sticks", "deposits", "立直棒")):
        if getattr(circumstances, name) < 0:
            yield contradiction(
                f"{getattr(circumstances, name)} {en} cannot be: give 0 or more.",
                f"{zh}不能为负：请给 0 或以上。",
            )


def _indicator_problems(win: Win) -> Iterator[Problem]:
    circumstances = win.circumstances
    for en, zh, shown in (
        ("dora", "宝牌", circumstances.dora_indicators),
        ("ura dora", "里宝牌", circumstances.ura_indicators),
    ):
        wrong = tuple(tile for tile in shown if not tile.is_playable)
        if wrong:
            yield problem(
                "bad_indicator",
                f"{codes(wrong)} cannot be an indicator of {en}: name one of the 34 tiles.",
                f"{names(wrong)}不能作{zh}指示牌：请给 34 种牌之一。",
                wrong,
            )
        if len(shown) > MOST_INDICATORS:
            yield problem(
                "bad_indicator",
                f"{len(shown)} indicators of {en} are given, and there are five at most.",
                f"给出 {len(shown)} 张{zh}指示牌，最多五张。",
            )
    if circumstances.dora_indicators and len(circumstances.ura_indicators) > len(
        circumstances.dora_indicators
    ):
        yield problem(
            "bad_indicator",
            "More indicators of ura dora than of dora: one lies below each.",
            "里指示牌多于表指示牌：每张表指示牌下只有一张。",
        )
    if len(circumstances.dora_indicators) > 1 and not win.options.kan_dora:
        yield problem(
            "flag_not_used",
            "These rules turn no further indicator for a kong: only the first counts.",
            "本规则没有杠宝牌：只计第一张指示牌。",
        )
    together = Counter(
        (*win.hand.all_tiles, *circumstances.dora_indicators, *circumstances.ura_indicators)
    )
    fifth = tuple(
        tile
        for tile, count in together.items()
        if count > 4 and win.hand.all_tiles.count(tile) <= 4 and tile.is_playable
    )
    if fifth:
        yield problem(
            "bad_indicator",
            f"The hand and the indicators together hold more than four {codes(fifth)}.",
            f"手牌与指示牌中的{names(fifth)}合计多于四张：请核对。",
            fifth,
        )


def _red_five_problems(win: Win) -> Iterator[Problem]:
    hand, circumstances, in_set = win.hand, win.circumstances, win.options.red_fives
    red = hand.all_red_fives
    for five, exist in zip(FIVES, in_set, strict=True):
        count, held = red.count(five), hand.all_tiles.count(five)
        most = min(held, exist) if any(in_set) else held
        if count > most:
            yield problem(
                "too_many_red_fives",
                f"{count} red {five.code} are given, but the hand holds {held} {five.code} and the "
                f"set has {exist if any(in_set) else 'none'} red: correct the hand.",
                f"给出 {count} 张赤{names((five,))}，而手牌有 {held} 张{names((five,))}，"
                f"一副牌有 {exist} 张赤五：请更正。",
                (five,),
            )
    given = circumstances.red_fives
    if given is None or not any(in_set):
        return
    most = sum(
        min(exist, hand.all_tiles.count(five)) for five, exist in zip(FIVES, in_set, strict=True)
    )
    if not 0 <= given <= most:
        yield problem(
            "too_many_red_fives",
            f"{given} red fives are given, and this hand can hold {most}: correct the number.",
            f"给出 {given} 张赤五，而此手牌最多 {most} 张：请更正。",
        )
    elif red and given != len(red):
        yield contradiction(
            f"The hand shows {len(red)} red five(s), but {given} were given: correct one of the "
            "two.",
            f"手牌示有 {len(red)} 张赤五，而给出 {given} 张：请更正其一。",
        )


def not_complete() -> Problem:
    """Return the problem of tiles that make no winning shape."""
    return problem(
        "not_complete",
        "The tiles make no winning shape: four sets and a pair, seven different pairs, or thirteen "
        "orphans. Check the tiles.",
        "手牌不成和牌牌型（四组面子加雀头、七对子、国士无双）：请核对。",
    )
