"""Whole deals, worked by hand: kongs, wins, transfers, the end of the wall, fines, the next
dealer.
"""

from __future__ import annotations

from typing import Any

import pytest

from hupai.scoring.result import Severity
from hupai.scoring.sichuan.deal.log import (
    Deal,
    Discard,
    Draw,
    Event,
    Fine,
    Kong,
    KongKind,
    Offence,
    PassedWin,
    Ready,
    Seating,
    WallEnd,
    Win,
    Winner,
)
from hupai.scoring.sichuan.deal.payments import EntryKind
from hupai.scoring.sichuan.deal.settle import DealRules, Settlement, settle

A, B, C, D = "ABCD"
SEATING = Seating((A, B, C, D), dealer=A)
PAIRS = Seating((A, B, C, D), dealer=A, partners=((A, C), (B, D)))

CONCEALED, ADDED = KongKind.CONCEALED, KongKind.ADDED
FROM_DISCARD, RAIN = KongKind.FROM_DISCARD, KongKind.TIMELY_RAIN


def win(player: str, points: int, discarder: str | None = None, **flags: Any) -> Win:
    return Win((Winner(player, points),), discarder, **flags)


def several(discarder: str, *winners: tuple[str, int], **flags: Any) -> Win:
    return Win(tuple(Winner(player, points) for player, points in winners), discarder, **flags)


def wall_end(ready: dict[str, int] | None = None, not_ready: str = "", pigs: str = "") -> WallEnd:
    return WallEnd(
        tuple(Ready(p, n) for p, n in (ready or {}).items()), tuple(not_ready), tuple(pigs)
    )


def settled(
    *events: Event, seating: Seating = SEATING, rules: DealRules | None = None
) -> Settlement:
    result = settle(Deal(seating, events), rules)
    assert result.ledger.faults() == ()
    return result


def nets(*events: Event, seating: Seating = SEATING) -> tuple[int, ...]:
    return tuple(net for _, net in settled(*events, seating=seating).ledger.nets())


WORKED: list[tuple[str, tuple[Event, ...], tuple[int, ...]]] = [
    ("table 1, 5: concealed kong, 2 from each", (Kong(A, CONCEALED),), (6, -2, -2, -2)),
    (
        "table 1, 6: kong of a discard, 2 from its discarder alone",
        (Kong(A, FROM_DISCARD, B),),
        (2, -2, 0, 0),
    ),
    ("table 1, 7: added kong, 1 from each", (Kong(C, ADDED),), (-1, -1, 3, -1)),
    ("8.6.1 c: kong made late of a pung, nothing", (Kong(C, RAIN),), (0, 0, 0, 0)),
    ("a winner pays no later kong", (win(D, 1, C), Kong(A, CONCEALED)), (4, -2, -3, 1)),
    ("a winner keeps an earlier kong", (Kong(D, ADDED), win(D, 1, C)), (-1, -1, -2, 4)),
    ("10.2.4 a: self-drawn, 1 + base from each", (win(B, 4),), (-5, 15, -5, -5)),
    ("10.2.4 a: after one win two pay", (win(B, 1, A), win(C, 8)), (-10, 1, 18, -9)),
    ("10.2.4 a: after two wins one pays", (win(B, 1, A), win(C, 2, A), win(D, 4)), (-8, 1, 2, 5)),
    ("10.2.4 b: discard, base from the discarder", (win(B, 8, D),), (0, 8, 0, -8)),
    (
        "robbed kong pays like a discard, its kong logged and undone",
        (Kong(D, ADDED), win(B, 2, D, robbing_kong=True)),
        (0, 2, 0, -2),
    ),
    ("robbed kong, not logged as a kong", (win(B, 2, D, robbing_kong=True),), (0, 2, 0, -2)),
    (
        "9.4: several winners on one tile are each paid",
        (several(A, (B, 1), (C, 4), (D, 2)),),
        (-7, 1, 4, 2),
    ),
    (
        "9.3.3: the kong goes to the winner, whole",
        (Kong(D, CONCEALED), win(A, 2, D, kong_discard=True)),
        (-2 + 6 + 2, -2, -2, 6 - 6 - 2),
    ),
    (
        "9.3.3: a kong of a discard goes too",
        (Kong(D, FROM_DISCARD, B), win(A, 2, D, kong_discard=True)),
        (2 + 2, -2, 0, 2 - 2 - 2),
    ),
    (
        "9.3.3: a chain of kongs goes together",
        (Kong(D, FROM_DISCARD, B), Kong(D, CONCEALED), win(A, 2, D, kong_discard=True)),
        (-2 + 8 + 2, -4, -2, 8 - 8 - 2),
    ),
    (
        "9.3.3: a chain ends with the discard between two kongs",
        (
            Kong(D, CONCEALED),
            Discard(D),
            Draw(A),
            Discard(A),
            Draw(D),
            Kong(D, ADDED),
            Discard(D),
            win(A, 2, D, kong_discard=True),
        ),
        (-2 - 1 + 3 + 2, -3, -3, 9 - 3 - 2),
    ),
    (
        "9.3.3: another player's kong between ends the chain",
        (Kong(D, CONCEALED), Kong(B, ADDED), Kong(D, ADDED), win(A, 2, D, kong_discard=True)),
        (-2 - 1 - 1 + 3 + 2, -2 + 3 - 1, -2 - 1 - 1, 6 - 1 + 3 - 3 - 2),
    ),
    (
        "9.3.3: two winners share equally",
        (Kong(D, CONCEALED), several(D, (A, 2), (B, 2), kong_discard=True)),
        (3, 3, -2, -4),
    ),
    (
        "9.3.3: a share is rounded up at the discarder's cost",
        (Kong(D, ADDED), several(D, (A, 2), (B, 4), kong_discard=True)),
        (-1 + 2 + 2, -1 + 2 + 4, -1, 3 - 4 - 6),
    ),
    (
        "9.3.3: three winners, two points become one each",
        (Kong(D, FROM_DISCARD, B), several(D, (A, 2), (B, 2), (C, 2), kong_discard=True)),
        (3, 1, 3, 2 - 3 - 6),
    ),
    (
        "a kong without points transfers nothing",
        (Kong(D, RAIN), win(A, 2, D, kong_discard=True)),
        (2, 0, 0, -2),
    ),
    (
        "a winner's kong money of an earlier deal phase stays when a later discard is won",
        (Kong(A, CONCEALED), win(A, 1, B), Kong(D, CONCEALED), win(C, 2, D, kong_discard=True)),
        (6 + 1, -2 - 1 - 2, -2 - 2 + 4 + 2, -2 + 4 - 4 - 2),
    ),
    (
        "3.27, 10.4.1 b: each who is not ready pays each who is",
        (wall_end({A: 4, B: 1}, not_ready="CD"),),
        (8, 2, -5, -5),
    ),
    (
        "everyone ready: nothing is paid",
        (Kong(A, ADDED), wall_end({A: 1, B: 1, C: 2, D: 8})),
        (3, -1, -1, -1),
    ),
    (
        "9.3.4: kongs of who is not ready go back",
        (Kong(A, CONCEALED), Kong(B, ADDED), wall_end({B: 2, C: 1, D: 1}, "A")),
        (-5, 5, 0, 0),
    ),
    (
        "nobody ready: all kongs go back",
        (Kong(A, CONCEALED), Kong(B, FROM_DISCARD, C), wall_end({}, "ABCD")),
        (0, 0, 0, 0),
    ),
    (
        "9.3.4: a winner gets back what was paid for a refunded kong",
        (Kong(A, ADDED), win(D, 1, B), wall_end({B: 2, C: 1}, "A")),
        (3 - 3 - 3, 1 - 1 - 1 + 2, -1 + 1 + 1, -1 + 1 + 1),
    ),
    (
        "10.4.1 b: winners keep their kongs and take no part",
        (Kong(D, ADDED), win(D, 1, C), wall_end({A: 4}, "BC")),
        (7, -5, -6, 4),
    ),
    (
        "10.4.1 c: three have won, the fourth keeps the kong and pays nothing",
        (Kong(A, CONCEALED), win(B, 1, A), win(C, 1, A), win(D, 1, A), wall_end({}, "A")),
        (6 - 3, -1, -1, -1),
    ),
    (
        "9.3.4: no transfer from a kong that is refunded",
        (Kong(D, CONCEALED), win(A, 2, D, kong_discard=True), wall_end({B: 1, C: 1}, "D")),
        (2, 1, 1, -4),
    ),
    (
        "11.2.10.2: never cleared, no fine, not ready",
        (wall_end({A: 2, B: 1, C: 1}, pigs="D"),),
        (2, 1, 1, -4),
    ),
    (
        "11.2.10.1: void suit drawn again, 24 and 查叫 as usual",
        (Fine(D, Offence.LATE_PIG), wall_end({A: 2, B: 1, C: 1}, "D")),
        (2, 1, 1, -28),
    ),
    (
        "11.2.10.1: the fined player pays wins and kongs on",
        (Fine(D, Offence.LATE_PIG), Kong(A, CONCEALED), win(B, 1)),
        (4, 4, -4, -28),
    ),
    (
        "11.2.9.1: false win, 24 and out: pays nothing later",
        (Fine(D, Offence.FALSE_WIN), Kong(A, CONCEALED), win(B, 1)),
        (2, 2, -4, -24),
    ),
    (
        "11.2.7.2: win called by mistake, 8, out, 查叫 as usual",
        (Fine(D, Offence.MISTAKEN_WIN), win(B, 1), wall_end({A: 2, C: 1}, "D")),
        (0, 4, -1, -11),
    ),
    (
        "11.2.10.3: win with the void suit, 24, out, 查叫 as usual",
        (Fine(D, Offence.PIG_WIN), wall_end({A: 2, B: 1, C: 1}, "D")),
        (2, 1, 1, -28),
    ),
    ("11.1 b: any other fine", (Fine(C, Offence.OTHER, 4), win(A, 1, C)), (1, 0, -5, 0)),
    (
        "11.2.1.2: barred from winning, pays on",
        (Fine(C, Offence.BARRED), win(A, 1)),
        (6, -2, -2, -2),
    ),
]


@pytest.mark.parametrize(
    ("events", "expected"), [case[1:] for case in WORKED], ids=[case[0] for case in WORKED]
)
def test_worked_deal(events: tuple[Event, ...], expected: tuple[int, ...]) -> None:
    result = settled(*events)
    assert [p for p in result.problems if p.severity is Severity.ERROR] == []
    assert tuple(net for _, net in result.ledger.nets()) == expected
    fines = sum(sum(result.ledger.fines(player)) for player in SEATING.players)
    assert sum(expected) == -fines


def test_a_house_may_keep_the_transfer_of_a_refunded_kong() -> None:
    events = (Kong(D, CONCEALED), win(A, 2, D, kong_discard=True), wall_end({B: 1, C: 1}, "D"))
    result = settled(*events, rules=DealRules(refund_undoes_transfer=False))
    assert tuple(net for _, net in result.ledger.nets()) == (2 + 6, 1, 1, -10)


def test_every_entry_names_its_clause_and_why() -> None:
    for _, events, _ in WORKED:
        for entry in settled(*events).ledger.entries:
            assert entry.clause
            assert entry.why_en
            assert entry.why_zh


def test_the_ledger_can_be_read_by_kind() -> None:
    ledger = settled(Kong(D, CONCEALED), win(A, 2, D, kong_discard=True)).ledger
    assert ledger.net(A, (EntryKind.TRANSFER,)) == 6
    assert ledger.net(A, (EntryKind.WIN,)) == 2
    assert ledger.net(D, (EntryKind.KONG, EntryKind.TRANSFER)) == 0


PARTNERS: list[tuple[str, tuple[Event, ...], tuple[int, ...]]] = [
    ("10.4.1 d: partners pay no kong", (Kong(A, CONCEALED),), (4, -2, 0, -2)),
    (
        "10.4.1 d: a kong of the partner's discard is worth nothing",
        (Kong(A, FROM_DISCARD, C),),
        (0, 0, 0, 0),
    ),
    ("10.4.1 d: a win on the partner is worth nothing", (win(A, 8, C),), (0, 0, 0, 0)),
    ("10.4.1 d: self-drawn, both opponents pay", (win(A, 1),), (4, -2, 0, -2)),
    (
        "9.3.3: no transfer in two against two",
        (Kong(D, ADDED), win(A, 2, D, kong_discard=True)),
        (-1 + 2, 0, -1, 2 - 2),
    ),
    ("查叫 between opponents only", (wall_end({A: 2, B: 1}, "CD"),), (2, 1, -1, -2)),
]


@pytest.mark.parametrize(
    ("events", "expected"), [case[1:] for case in PARTNERS], ids=[case[0] for case in PARTNERS]
)
def test_two_against_two(events: tuple[Event, ...], expected: tuple[int, ...]) -> None:
    assert nets(*events, seating=PAIRS) == expected


def test_three_players() -> None:
    seating = Seating((A, B, C), dealer=A)
    assert nets(Kong(A, CONCEALED), win(B, 4), seating=seating) == (4 - 5, -2 + 10, -2 - 5)
    over = settled(win(A, 1, B), win(B, 1, C), wall_end({}, "C"), seating=seating)
    assert over.finished
    assert over.ledger.nets() == ((A, 1), (B, 0), (C, -1))


@pytest.mark.parametrize(
    ("events", "dealer"),
    [
        ((win(C, 1, B), win(A, 1, B)), C),
        ((win(D, 1),), D),
        ((several(B, (C, 1), (D, 1)), win(A, 1, B)), B),
        ((win(C, 1, B), several(B, (A, 1), (D, 1))), C),
        ((wall_end({A: 1}, "BCD"),), A),
        ((Kong(A, ADDED),), None),
    ],
)
def test_next_dealer_3_4(events: tuple[Event, ...], dealer: str | None) -> None:
    assert settled(*events).next_dealer == dealer


def test_next_dealer_in_two_against_two_rotates() -> None:
    end = (win(C, 1, B), win(D, 1, B), win(A, 1, B))
    assert settled(*end, seating=PAIRS).next_dealer == B
    assert settled(*end, seating=Seating(PAIRS.players, D, PAIRS.partners)).next_dealer == A


def test_passed_win_binds_until_the_next_draw_9_3_5() -> None:
    refused = settle(Deal(SEATING, (PassedWin(A, 1), win(A, 2, B))))
    assert [p.code for p in refused.problems if p.severity is Severity.ERROR] == ["deal_passed_win"]
    assert refused.winners == ()
    assert nets(PassedWin(A, 1), win(A, 4, B)) == (4, -4, 0, 0)
    assert nets(PassedWin(A, 1), Draw(A), win(A, 2, B)) == (2, -2, 0, 0)
    assert nets(PassedWin(A, 1), win(A, 1)) == (6, -2, -2, -2)
    assert nets(PassedWin(A, 1), Kong(A, RAIN), win(A, 2, B)) == (2, -2, 0, 0)
    assert nets(PassedWin(A, 1), win(A, 2, B), seating=PAIRS) == (2, -2, 0, 0)


def test_a_passed_win_binds_only_its_player() -> None:
    assert nets(PassedWin(C, 3), win(A, 1, B)) == (1, -1, 0, 0)


BAD: list[tuple[str, tuple[Event, ...], str]] = [
    ("unknown player", (win("X", 1, B),), "deal_unknown_player"),
    ("wins twice", (win(A, 1, B), win(A, 1, C)), "deal_has_won"),
    ("a winner discards", (win(A, 1, B), win(C, 1, A)), "deal_has_won"),
    ("a winner makes a kong", (win(A, 1, B), Kong(A, ADDED)), "deal_has_won"),
    ("own discard", (win(A, 1, A),), "deal_no_discarder"),
    ("kong of nobody's discard", (Kong(A, FROM_DISCARD),), "deal_no_discarder"),
    ("kong of the own discard", (Kong(A, FROM_DISCARD, A),), "deal_no_discarder"),
    (
        "kong discard without a discarder",
        (Win((Winner(A, 1),), None, kong_discard=True),),
        "deal_no_discarder",
    ),
    ("both flags", (win(A, 1, B, kong_discard=True, robbing_kong=True),), "contradictory_flags"),
    ("two winners self-drawn", (Win((Winner(A, 1), Winner(B, 1))),), "deal_winners"),
    ("no winner", (Win(()),), "deal_winners"),
    ("the same winner twice", (several(D, (A, 1), (A, 1)),), "deal_winners"),
    ("three points", (win(A, 3, B),), "deal_points"),
    ("sixteen points", (win(A, 16, B),), "deal_points"),
    (
        "play after three wins",
        (win(A, 1, D), win(B, 1, D), win(C, 1, D), Kong(D, ADDED)),
        "deal_over",
    ),
    ("win after the wall's end", (wall_end({A: 1, B: 1, C: 1, D: 1}), win(A, 1, B)), "deal_over"),
    ("two ends of the wall", (wall_end({A: 1, B: 1, C: 1, D: 1}),) * 2, "deal_over"),
    ("barred player wins", (Fine(A, Offence.LATE_PIG), win(A, 1, B)), "deal_barred"),
    ("player who left wins", (Fine(A, Offence.FALSE_WIN), win(A, 1, B)), "deal_has_left"),
    ("player who left discards", (Fine(A, Offence.FALSE_WIN), win(B, 1, A)), "deal_has_left"),
    ("fine without points", (Fine(A, Offence.OTHER),), "deal_points"),
    ("negative fine", (Fine(A, Offence.OTHER, -2),), "deal_points"),
    ("ready for three points", (wall_end({A: 3}, "BCD"),), "deal_points"),
    ("ready twice", (WallEnd((Ready(A, 1), Ready(A, 2)), (B, C, D)),), "deal_readiness"),
]


@pytest.mark.parametrize(
    ("events", "code"), [case[1:] for case in BAD], ids=[case[0] for case in BAD]
)
def test_an_impossible_event_is_left_out_and_named(events: tuple[Event, ...], code: str) -> None:
    result = settle(Deal(SEATING, events))
    errors = [p for p in result.problems if p.severity is Severity.ERROR]
    assert code in {p.code for p in errors}
    assert all(p.message.startswith(f"Event {len(events)}: ") for p in errors)
    assert result.ledger == settle(Deal(SEATING, events[:-1])).ledger


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ((win(A, 2, D, kong_discard=True),), (2, 0, 0, -2)),
        ((Kong(D, ADDED), Draw(B), win(A, 2, D, kong_discard=True)), (-1 + 2, -1, -1, 3 - 2)),
        # 9.3.3: the kong that lies before is not the discarder's, so the winner gets nothing of it
        ((Kong(A, CONCEALED), win(C, 2, B, kong_discard=True)), (6, -2 - 2, -2 + 2, -2)),
        ((Kong(C, ADDED), several(B, (C, 2), (D, 2), kong_discard=True)), (-1, -5, 3 + 2, -1 + 2)),
        ((WallEnd((Ready(A, 2), Ready(B, 1)), (B, C, D)),), (6, -2, -2, -2)),
        ((win(A, 1, B), WallEnd((Ready(A, 8), Ready(B, 1), Ready(C, 1)), (D,))), (1, 0, 1, -2)),
        ((wall_end({A: 2}, "B"),), (2, -2, 0, 0)),
        # table 1, 5: it takes nobody's discard
        ((Kong(A, CONCEALED, B),), (6, -2, -2, -2)),
        # 11.2.7.2, 11.2.10.3: out of the deal, but 查叫 as usual
        ((Fine(D, Offence.MISTAKEN_WIN), wall_end({A: 2}, "BC")), (4, -2, -2, -8)),
        ((Fine(D, Offence.PIG_WIN), wall_end({A: 2}, "BC")), (4, -2, -2, -24)),
        ((Fine(A, Offence.OTHER, 3),), (-3, 0, 0, 0)),
    ],
)
def test_a_doubtful_event_is_settled_with_a_warning(
    events: tuple[Event, ...], expected: tuple[int, ...]
) -> None:
    result = settled(*events)
    assert [p.severity for p in result.problems if p.severity is not Severity.NOTE] != []
    assert all(p.severity is not Severity.ERROR for p in result.problems)
    assert tuple(net for _, net in result.ledger.nets()) == expected


def test_a_false_win_asks_for_no_readiness() -> None:
    # 11.2.9.1 does not name 查叫
    result = settled(Fine(D, Offence.FALSE_WIN), wall_end({A: 2}, "BC"))
    assert "deal_readiness" not in {p.code for p in result.problems}


@pytest.mark.parametrize(
    "seating",
    [
        Seating((A, B)),
        Seating((A, A, B, C)),
        Seating((A, B, C, D), dealer="X"),
        Seating((A, B, C, D), partners=((A, B, C), (D,))),
        Seating((A, B, C), partners=((A, B), (C, D))),
    ],
)
def test_an_impossible_table_settles_nothing(seating: Seating) -> None:
    result = settle(Deal(seating, (Kong(A, ADDED),)))
    assert {p.code for p in result.problems} == {"deal_table"}
    assert result.ledger.entries == ()
