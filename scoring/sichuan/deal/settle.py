"""Settling a deal: the event log in, every payment out (T/TFMJ 01-2024, 9.3, 10.2, 10.4, 11.2).

An event that cannot have happened as logged is skipped, with a problem that says why; the rest is
settled.
"""

from __future__ import annotations

from dataclasses import dataclass

from hupai.scoring.checks.catalogue import problem
from hupai.scoring.result import Problem, Severity
from hupai.scoring.sichuan.deal.checks import event_problems, placed, seating_problems
from hupai.scoring.sichuan.deal.ladder import MISCONDUCT
from hupai.scoring.sichuan.deal.log import (
    OFFENCE_RULES,
    Deal,
    Discard,
    Draw,
    Event,
    Fine,
    Kong,
    KongKind,
    Offence,
    PassedWin,
    Pung,
    WallEnd,
    Win,
    Winner,
)
from hupai.scoring.sichuan.deal.payments import Entry, EntryKind, Ledger
from hupai.scoring.sichuan.deal.state import DealState, KongRecord
from hupai.scoring.sichuan.deal.tile_proof import TileProof
from hupai.scoring.sichuan.deal.trust import trust_note

KONG_POINTS = {
    KongKind.CONCEALED: 2,
    KongKind.FROM_DISCARD: 2,
    KongKind.ADDED: 1,
    KongKind.TIMELY_RAIN: 0,
}
"""What each payer pays for a kong (table 1, 5-7; 8.6.1 c)."""

_KONG_CLAUSES = {
    KongKind.CONCEALED: (
        "table 1, 5",
        "concealed kong: everyone who has not won pays 2",
        "暗杠：场上各家各付2",
    ),
    KongKind.FROM_DISCARD: (
        "table 1, 6",
        "kong of a discard: its discarder alone pays 2",
        "引杠：由打出者一人付2",
    ),
    KongKind.ADDED: (
        "table 1, 7",
        "added kong: everyone who has not won pays 1",
        "绕杠：场上各家各付1",
    ),
    KongKind.TIMELY_RAIN: ("8.6.1 c", "kong made late of a pung: no points", "即时雨：无杠分"),
}


@dataclass(frozen=True, slots=True)
class DealRules:
    """Rulings that a house may decide otherwise.

    Attributes:
        refund_undoes_transfer: when a player who is not ready refunds a kong, points of it that
            went on to a winner (呼叫转移) come back first (9.3.4: such a kong is worth nothing and
            is not transferred).
    """

    refund_undoes_transfer: bool = True


@dataclass(frozen=True, slots=True)
class Settlement:
    """What came of a deal.

    Attributes:
        ledger: every payment.
        winners: the players who won, first to last; those who won on one tile in the order logged.
        finished: the deal is over: all but one have won, or the wall is empty.
        next_dealer: who deals next (3.4); None if it cannot be said from the log.
        problems: what is wrong with the log.
    """

    ledger: Ledger
    winners: tuple[str, ...]
    finished: bool
    next_dealer: str | None
    problems: tuple[Problem, ...]


def settle(deal: Deal, rules: DealRules | None = None) -> Settlement:
    """Settle a deal. Never raises for what the log says: problems name the event that cannot be
    right.
    """
    state = DealState(deal.seating, problems=list(seating_problems(deal.seating)))
    if state.problems:
        return Settlement(Ledger(deal.seating.players), (), False, None, tuple(state.problems))
    proof = TileProof(deal)
    state.problems += proof.dealt_problems()
    for index, event in enumerate(deal.events):
        number = deal.number(index)
        found = event_problems(number, event, state)
        if any(p.severity is Severity.ERROR for p in found):
            proof.dispute(event)
        else:
            proof, event, about_tiles = proof.after(event)
            found += placed(number, about_tiles)
        state.problems += found
        if not any(p.severity is Severity.ERROR for p in found):
            _apply(number, event, state, rules or DealRules())
    state.problems += (*_unfinished(state), *trust_note(deal))
    return Settlement(
        ledger=Ledger(deal.seating.players, tuple(state.entries)),
        winners=tuple(state.winners),
        finished=state.finished,
        next_dealer=_next_dealer(state),
        problems=tuple(state.problems),
    )


def _apply(number: int | None, event: Event, state: DealState, rules: DealRules) -> None:
    match event:
        case Draw():
            _draw(event, state)
        case Discard():
            _discard(event, state)
        case Pung():
            _break_chain(state)
        case Kong():
            _kong(number, event, state)
        case Win():
            _win(number, event, state)
        case PassedWin():
            state.passed[event.player] = max(event.fan, state.passed.get(event.player, 0))
        case Fine():
            _fine(number, event, state)
        case WallEnd():
            _wall_end(number, event, state, rules)


def _draw(event: Draw, state: DealState) -> None:
    state.passed.pop(event.player, None)
    if state.chain_discarded or not state.chain or state.chain[-1].player != event.player:
        _break_chain(state)
    state.last_added = state.last_kong = None


def _discard(event: Discard, state: DealState) -> None:
    if state.chain and not state.chain_discarded and state.chain[-1].player == event.player:
        state.chain_discarded = True
    else:
        _break_chain(state)
    state.last_added = state.last_kong = None


def _break_chain(state: DealState) -> None:
    state.chain = []
    state.chain_discarded = False
    state.last_added = state.last_kong = None


def _kong(number: int | None, event: Kong, state: DealState) -> None:
    state.passed.pop(event.player, None)
    points = KONG_POINTS[event.kind]
    payers = state.payers(event.player)
    if event.kind is KongKind.FROM_DISCARD:
        payers = [p for p in payers if p == event.discarder]
    clause, en, zh = _KONG_CLAUSES[event.kind]
    record = KongRecord(event.player, [(payer, points) for payer in payers if points])
    for payer, paid in record.paid:
        state.entries.append(
            Entry(number, EntryKind.KONG, payer, event.player, paid, clause, en, zh)
        )
    if state.chain_discarded or (state.chain and state.chain[-1].player != event.player):
        _break_chain(state)
    state.chain.append(record)
    state.kongs.append(record)
    state.last_kong = (event.player, event.kind)
    state.last_added = record if event.kind in (KongKind.ADDED, KongKind.TIMELY_RAIN) else None


def _win(number: int | None, event: Win, state: DealState) -> None:
    if state.first_win is None:
        state.first_win = event
    if (
        event.robbing_kong
        and state.last_added is not None
        and state.last_added.player == event.discarder
    ):
        _void_kong(number, state.last_added, state)
    payers = {winner.player: _win_payers(winner, event, state) for winner in event.winners}
    for winner in event.winners:
        _pay_win(number, winner, event, payers[winner.player], state)
    if event.kong_discard and not state.seating.partner_play:
        _transfer(number, event, state)
    state.winners += [winner.player for winner in event.winners]
    for winner in event.winners:
        state.passed.pop(winner.player, None)
    state.last_tile_won = state.last_tile_won or event.last_tile
    _break_chain(state)


def _win_payers(winner: Winner, event: Win, state: DealState) -> list[str]:
    payers = state.payers(winner.player)
    return payers if event.discarder is None else [p for p in payers if p == event.discarder]


def _pay_win(
    number: int | None, winner: Winner, event: Win, payers: list[str], state: DealState
) -> None:
    if event.discarder is None:
        points, clause = winner.base_points + 1, "10.2.4 a"
        en, zh = (
            f"self-drawn: 1 + {winner.base_points} from everyone who has not won",
            f"自摸：底分1＋基本分{winner.base_points}",
        )
    else:
        points, clause = winner.base_points, "10.2.4 b"
        how_en, how_zh = ("robbed kong", "抢杠") if event.robbing_kong else ("discard", "点炮")
        en, zh = (
            f"{how_en}: base points {winner.base_points}",
            f"{how_zh}：基本分{winner.base_points}",
        )
    for payer in payers:
        state.entries.append(
            Entry(number, EntryKind.WIN, payer, winner.player, points, clause, en, zh)
        )


def _void_kong(number: int | None, record: KongRecord, state: DealState) -> None:
    for payer, points in record.paid:
        state.entries.append(
            Entry(
                number,
                EntryKind.KONG_VOID,
                record.player,
                payer,
                points,
                "table 1, 11",
                "the kong was robbed and never made: its points go back",
                "被抢杠，杠不成立，退回杠分",
            )
        )
    state.kongs.remove(record)
    state.chain = [r for r in state.chain if r is not record]


def _transfer(number: int | None, event: Win, state: DealState) -> None:
    """Pay the takings of a chain of kongs to the winners (9.3.3).

    The shares are equal, rounded up at the discarder's cost. Kongs of another player than the
    discarder are not theirs to give.
    """
    assert event.discarder is not None
    n = len(event.winners)
    takings = sum(record.takings for record in state.chain if record.player == event.discarder)
    share = -(-takings // n)
    if not share:
        return
    en = f"the discarder's kong points ({takings}) go to the winner" + (
        f"s, {takings} / {n} rounded up" if n > 1 else ""
    )
    zh = f"呼叫转移：杠分{takings}转给和牌方" + (f"，{n}家均分，余数由点炮者凑整" if n > 1 else "")
    for winner in event.winners:
        state.entries.append(
            Entry(
                number, EntryKind.TRANSFER, event.discarder, winner.player, share, "9.3.3", en, zh
            )
        )
        state.chain[0].transferred.append((winner.player, share))


def _fine(number: int | None, event: Fine, state: DealState) -> None:
    rule = OFFENCE_RULES[event.offence]
    if event.charged:
        clause, en, zh = fine_wording(event)
        state.entries.append(
            Entry(number, EntryKind.FINE, event.player, None, event.charged, clause, en, zh)
        )
    if event.offence is not Offence.OTHER:
        state.offences[event.player] = event.offence
    if rule.leaves_deal:
        state.left.add(event.player)
    if not rule.may_win:
        state.barred.add(event.player)


def fine_wording(event: Fine) -> tuple[str, str, str]:
    """Return the clause of a fine and what it is for, in English and Chinese."""
    rule = OFFENCE_RULES[event.offence]
    points = event.charged
    name, zh, clause = event.offence.value.replace("_", " "), rule.zh, rule.clause
    if event.misconduct:
        what = MISCONDUCT[event.misconduct]
        often = f", time {event.time} in the session" if len(what.steps) > 1 else ""
        often_zh = f"，本局第{event.time}次" if len(what.steps) > 1 else ""
        name, zh, clause = f"{what.en}{often}", f"{what.zh}{often_zh}", what.clause
    if not points:
        return clause, f"warning: {name}", f"{zh}：警告"
    return clause, f"fine of {points}: {name}", f"{zh}：扣{points}分"


def _wall_end(number: int | None, event: WallEnd, state: DealState, rules: DealRules) -> None:
    """Settle 查叫 and 退杠, if two or more have not won (3.27, 9.3.4, 10.4.1 b and c)."""
    state.wall_empty = True
    waiting = [p for p in state.seating.players if p not in state.winners]
    if len(waiting) < 2:
        return
    not_ready = [p for p in waiting if p in event.not_ready or p in event.natural_pigs]
    ready = [r for r in event.ready if r.player in waiting and r.player not in not_ready]
    for loser in not_ready:
        for one in ready:
            if not state.seating.are_partners(loser, one.player):
                _pay_ready(number, loser, one.player, one.points, state)
    for loser in not_ready:
        for record in [r for r in state.kongs if r.player == loser]:
            _refund(number, record, state, rules)


def _pay_ready(number: int | None, payer: str, payee: str, points: int, state: DealState) -> None:
    state.entries.append(
        Entry(
            number,
            EntryKind.READY_CHECK,
            payer,
            payee,
            points,
            "3.27; 10.4.1 b",
            f"not ready pays ready: the best hand still possible, {points}",
            f"查叫：未听牌者付听牌者最大番种{points}",
        )
    )


def _refund(number: int | None, record: KongRecord, state: DealState, rules: DealRules) -> None:
    clause = "9.3.4; 10.4.1 b"
    if rules.refund_undoes_transfer:
        for winner, points in record.transferred:
            en, zh = (
                "the discarder ended not ready: no transfer",
                "退杠：点炮者终局未听牌，转移收回",
            )
            state.entries.append(
                Entry(number, EntryKind.KONG_REFUND, winner, record.player, points, clause, en, zh)
            )
    for payer, points in record.paid:
        en, zh = "not ready at the end: kong points go back", "退杠：终局未听牌，本副杠分退还"
        state.entries.append(
            Entry(number, EntryKind.KONG_REFUND, record.player, payer, points, clause, en, zh)
        )


def _unfinished(state: DealState) -> tuple[Problem, ...]:
    """Say that the deal is not over, and what the log would need to end it."""
    if state.finished:
        return ()
    waiting = [name for name in state.seating.players if name not in state.winners]
    en = zh = ""
    if any(one.severity is Severity.ERROR for one in state.problems):
        en, zh = " What was left out may be why.", "原因可能是有事项未计入。"
    return (
        problem(
            "deal_unfinished",
            f"The deal is not over: {', '.join(waiting)} have not won, and the end of the wall is "
            f"not logged (exhaust). The sums are those so far.{en}",
            f"本副尚未结束：{'、'.join(waiting)} 未和牌，且未记流局（exhaust）。"
            f"以下为至此的得分。{zh}",
        ),
    )


def _next_dealer(state: DealState) -> str | None:
    """Name the next dealer (3.4).

    That is the first winner; the discarder, if several won first on one tile; the same dealer, if
    nobody won. Two against two rotates.
    """
    seating = state.seating
    if seating.partner_play:
        if seating.dealer is None or not state.finished:
            return None
        return seating.players[(seating.players.index(seating.dealer) + 1) % len(seating.players)]
    if state.first_win is not None:
        first = state.first_win
        return first.discarder if len(first.winners) > 1 else first.winners[0].player
    return seating.dealer if state.wall_empty else None
