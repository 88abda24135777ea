"""What cannot be right in the log of a deal. An ERROR leaves the event out of the settlement; a
WARNING does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hupai.scoring.result import Problem, Severity
from hupai.scoring.sichuan.deal.log import (
    OFFENCE_RULES,
    Discard,
    Draw,
    Event,
    Fine,
    Kong,
    KongKind,
    Offence,
    PassedWin,
    Pung,
    Seating,
    WallEnd,
    Win,
    Winner,
)
from hupai.scoring.sichuan.deal.state import DealState
from hupai.scoring.sichuan.deal.win_checks import contradictions, value_problems

BASE_POINTS = (1, 2, 4, 8)
"""The four grades of 10.1.2."""

FINE_GRADES = (1, 2, 4, 8, 16, 24)
"""The fines of 11.1 b 2)."""


def seating_problems(seating: Seating) -> Iterator[Problem]:
    """Find what is wrong with the seating itself."""
    if len(seating.players) not in (3, 4) or len(set(seating.players)) != len(seating.players):
        yield _error(
            "deal_table",
            "A table has three or four different players.",
            "一桌应为三或四名不同的选手。",
        )
    if seating.dealer is not None and seating.dealer not in seating.players:
        yield _error(
            "deal_table",
            f"The dealer {seating.dealer} is not at the table.",
            f"庄家 {seating.dealer} 不在本桌。",
        )
    if seating.partners:
        seated = sorted(player for pair in seating.partners for player in pair)
        if [len(pair) for pair in seating.partners] != [2, 2] or seated != sorted(seating.players):
            yield _error(
                "deal_table",
                "Two against two needs two pairs that together are the four players.",
                "双打须为两队，每队两人，合为本桌四人。",
            )


def event_problems(number: int | None, event: Event, state: DealState) -> tuple[Problem, ...]:
    """Find everything wrong with an event, given what came before."""
    return placed(number, _problems(event, state))


def placed(number: int | None, problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Name the event of some problems: by its number in the log, from 0; None is outside of it."""
    en = "Beside the log" if number is None else f"Event {number + 1}"
    zh = "记录之外的罚分" if number is None else f"第 {number + 1} 项"
    return tuple(
        Problem(
            one.code, one.severity, f"{en}: {one.message}", f"{zh}：{one.message_zh}", one.tiles
        )
        for one in problems
    )


def _problems(event: Event, state: DealState) -> Iterator[Problem]:
    strangers = [name for name in _names(event) if name not in state.seating.players]
    if strangers:
        yield _error(
            "deal_unknown_player",
            f"{', '.join(strangers)} is not at the table.",
            f"{'、'.join(strangers)} 不在本桌。",
        )
        return
    if state.finished and not isinstance(event, (Fine, WallEnd)):
        yield _error(
            "deal_over",
            "the deal was already over; take this event out.",
            "本副已结束，请删去此项。",
        )
        return
    if state.last_tile_won and not isinstance(event, (Fine, WallEnd)):
        yield _error(
            "deal_over",
            "the last tile of the wall is gone: only the end of the wall (exhaust) can follow.",
            "牌墙已无牌，其后只能记流局（exhaust）。",
        )
        return
    match event:
        case Draw() | Discard() | PassedWin():
            yield from _still_in(event.player, state)
        case Pung():
            yield from _pung_problems(event, state)
        case Kong():
            yield from _kong_problems(event, state)
        case Win():
            yield from _win_problems(event, state)
        case Fine():
            yield from _fine_problems(event)
        case WallEnd():
            yield from _wall_problems(event, state)


def _names(event: Event) -> tuple[str, ...]:
    match event:
        case Win():
            winners = tuple(winner.player for winner in event.winners)
            return winners if event.discarder is None else (*winners, event.discarder)
        case WallEnd():
            shown = tuple(name for name, _ in event.hands)
            return (
                *(one.player for one in event.ready),
                *event.not_ready,
                *event.natural_pigs,
                *shown,
            )
        case Kong() | Pung():
            return (event.player,) if event.discarder is None else (event.player, event.discarder)
        case _:
            return (event.player,)


def _still_in(player: str, state: DealState) -> Iterator[Problem]:
    if player in state.winners:
        yield _error(
            "deal_has_won",
            f"{player} has already won and is out of the deal.",
            f"{player} 已和牌退出本副。",
        )
    elif player in state.left:
        yield _error(
            "deal_has_left",
            f"{player} has left the deal after a fine.",
            f"{player} 已被罚退出本副。",
        )


def _kong_problems(event: Kong, state: DealState) -> Iterator[Problem]:
    yield from _still_in(event.player, state)
    if event.kind is KongKind.CONCEALED and event.discarder is not None:
        yield _warning(
            "deal_no_discarder",
            "a concealed kong takes no other player's tile (table 1, 5), so every player pays for "
            "it: remove the field from, or log it as from_discard.",
            "暗杠不用他家的牌（表1，5），故各家均付：请去掉 from，或记为引杠（from_discard）。",
        )
    if event.kind is not KongKind.FROM_DISCARD:
        return
    if event.discarder is None:
        yield _error(
            "deal_no_discarder", "name the player whose discard made the kong.", "请写明引杠者。"
        )
    elif event.discarder == event.player:
        yield _error(
            "deal_no_discarder",
            "a kong of a discard needs another player's discard.",
            "引杠的牌须由他家打出。",
        )
    else:
        yield from _still_in(event.discarder, state)


def _pung_problems(event: Pung, state: DealState) -> Iterator[Problem]:
    yield from _still_in(event.player, state)
    if event.discarder == event.player:
        yield _error(
            "deal_no_discarder",
            "a pung needs another player's discard.",
            "碰的牌须由他家打出。",
        )
    elif event.discarder is not None:
        yield from _still_in(event.discarder, state)


def _win_problems(event: Win, state: DealState) -> Iterator[Problem]:
    names = [winner.player for winner in event.winners]
    if not names or len(set(names)) != len(names):
        yield _error(
            "deal_winners", "a win needs winners, each named once.", "须写明和牌者，且不得重复。"
        )
    if event.discarder is None and len(names) > 1:
        yield _error(
            "deal_winners", "only one player can win on a drawn tile.", "自摸只能有一位和牌者。"
        )
    if event.discarder is None and (event.kong_discard or event.robbing_kong):
        yield _error(
            "deal_no_discarder",
            "name the player whose tile was claimed.",
            "请写明被和者（点炮或被抢杠者）。",
        )
    if event.kong_discard and event.robbing_kong:
        yield _error(
            "contradictory_flags",
            "one tile is not both a discard and a robbed kong.",
            "同一张牌不能既是杠上炮又是抢杠。",
        )
    yield from contradictions(event, state)
    if event.discarder in names:
        yield _error(
            "deal_no_discarder", "a player cannot win on the own discard.", "不能和自己打出的牌。"
        )
    if event.discarder is not None:
        yield from _still_in(event.discarder, state)
    for winner in event.winners:
        yield from _winner_problems(winner, event, state)
    if len(set(names) | set(state.winners)) >= len(state.seating.players):
        yield _error("deal_winners", "not everyone at the table can win.", "不可能全桌都和牌。")
    if (
        event.kong_discard
        and not state.seating.partner_play
        and not _chain_of(event.discarder, state)
    ):
        yield _warning(
            "deal_no_kong_before",
            "no kong of the discarder stands directly before this discard, so nothing is "
            "transferred.",
            "点炮者在此之前没有紧接的开杠，无杠分可转移。",
        )


def _winner_problems(winner: Winner, event: Win, state: DealState) -> Iterator[Problem]:
    yield from _still_in(winner.player, state)
    if winner.player in state.barred and winner.player not in state.left:
        yield _error(
            "deal_barred",
            f"{winner.player} may not win any more in this deal.",
            f"{winner.player} 已被停和。",
        )
    if winner.base_points not in BASE_POINTS:
        yield _error(
            "deal_points",
            f"base points are 1, 2, 4 or 8 (10.1.2), not {winner.base_points}.",
            f"基本分只能是 1、2、4、8（10.1.2），不能是{winner.base_points}。",
        )
        return
    yield from value_problems(winner, event)
    if event.discarder is not None and state.passed_win_blocks(winner.player, winner.base_points):
        yield _error(
            "deal_passed_win",
            f"{winner.player} passed a win of as many fan since the last own draw and may not take "
            "this one (9.3.5).",
            f"{winner.player} 过和后未再摸牌，不能和相同或更低番数的牌（9.3.5）。",
        )


def _chain_of(player: str | None, state: DealState) -> bool:
    return bool(state.chain) and state.chain[-1].player == player


def _fine_problems(event: Fine) -> Iterator[Problem]:
    rule = OFFENCE_RULES[event.offence]
    points = rule.points if event.points is None else event.points
    if points is None:
        if rule.may_win:
            yield _error("deal_points", "say how many points the fine is.", "请写明罚分。")
    elif points < 0:
        yield _error("deal_points", "give a fine as a positive number of points.", "罚分请写正数。")
    elif event.fixed_points is not None and points <= FINE_GRADES[-1]:
        yield _warning(
            "deal_points",
            f"time {event.time} of this offence in the session costs {event.fixed_points}, and "
            f"the log says {points}.",
            f"本局第{event.time}次此项违例应扣{event.fixed_points}分，记录为{points}分。",
        )
    elif points > FINE_GRADES[-1]:
        yield _error(
            "deal_points",
            f"no fine is higher than 24 (11.1 b), and this one is {points}: log each by itself.",
            f"罚分最高24分（11.1 b），此处为{points}：请逐次记录。",
        )
    elif points and points not in FINE_GRADES:
        yield _warning(
            "deal_points",
            f"{points} is none of the fines 1, 2, 4, 8, 16, 24 (11.1 b).",
            "罚分分为 1、2、4、8、16、24 六种（11.1 b）。",
        )


def _wall_problems(event: WallEnd, state: DealState) -> Iterator[Problem]:
    if state.wall_empty:
        yield _error("deal_over", "the wall has already ended.", "牌墙已抓完。")
        return
    ready = [r.player for r in event.ready]
    unready = set(event.not_ready) | set(event.natural_pigs)
    for name in sorted(set(ready) & unready):
        yield _warning(
            "deal_readiness",
            f"{name} is both ready and not: taken as not ready.",
            f"{name} 既列为有叫又列为无叫，按无叫计。",
        )
    if len(set(ready)) != len(ready):
        yield _error("deal_readiness", "a ready player is listed twice.", "有叫者重复。")
    for name in sorted((set(ready) | unready) & set(state.winners)):
        yield _warning(
            "deal_readiness", f"{name} has won and takes no part.", f"{name} 已和牌，不参与查叫。"
        )
    for one in event.ready:
        if one.points not in BASE_POINTS:
            yield _error(
                "deal_points",
                f"{one.player}'s best hand must be 1, 2, 4 or 8 points.",
                f"{one.player} 的查叫分应为 1、2、4、8。",
            )
    for name in ready:
        yield from _odd_readiness(name, state)
    waiting = [p for p in state.seating.players if p not in state.winners]
    missing = [
        p
        for p in waiting
        if p not in ready
        and p not in unready
        and state.offences.get(p) is not Offence.FALSE_WIN  # 11.2.9.1 names no 查叫
    ]
    if missing and len(waiting) > 1:
        yield _warning(
            "deal_readiness",
            f"it is not said who of {', '.join(missing)} is ready: taken to neither pay nor "
            "receive.",
            f"未写明 {'、'.join(missing)} 是否有叫，暂不计其查叫。",
        )


def _odd_readiness(name: str, state: DealState) -> Iterator[Problem]:
    """Find a ready player whose fine says that the hand cannot be ready."""
    offence = state.offences.get(name)
    if offence is Offence.FALSE_WIN:
        yield _warning(
            "deal_readiness",
            f"{name} was fined for a false win, which a ready hand cannot make (3.22): if {name} "
            "is ready, it was a mistaken win (11.2.7.2).",
            f"{name} 已按诈和处罚，而诈和者未下叫（3.22）：若确已下叫，应为错和（11.2.7.2）。",
        )
    elif offence in (Offence.LATE_PIG, Offence.PIG_WIN):
        yield _warning(
            "deal_readiness",
            f"{name} was fined for holding the void suit and is listed as ready: a hand that "
            "still holds it is not (3.24).",
            f"{name} 已按花猪处罚，却列为有叫：手中仍有定缺花色则无叫（3.24）。",
        )


def _error(code: str, en: str, zh: str) -> Problem:
    return Problem(code, Severity.ERROR, en, zh)


def _warning(code: str, en: str, zh: str) -> Problem:
    return Problem(code, Severity.WARNING, en, zh)
