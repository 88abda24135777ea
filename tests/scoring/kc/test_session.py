"""KC at the table: wins by seat, several winners, false wins, and who deals next."""

from __future__ import annotations

import pytest

from hupai.scoring.kc.decomposition import KcOptions
from hupai.scoring.kc.session import (
    HandEnd,
    KcSeating,
    KcWinner,
    dealer_stays,
    end_of,
    next_seating,
    settle_false_win,
    settle_heavenly_win,
    settle_win,
)

A, B, C, D = "ABCD"
TABLE = KcSeating((A, B, C, D), dealer=A)
THIRD = KcSeating((A, B, C, D), dealer=A, streak=3)


def nets(
    seating: KcSeating,
    winner: str,
    multiplier: int,
    discarder: str | None = None,
    robbing_kong: bool = False,
) -> tuple[int, ...]:
    settled = settle_win(
        seating, [KcWinner(winner, multiplier)], discarder, robbing_kong=robbing_kong
    )
    assert settled.problems == ()
    assert sum(net for _, net in settled.nets()) == 0
    return tuple(net for _, net in settled.nets())


@pytest.mark.parametrize(
    ("seating", "winner", "multiplier", "discarder", "expected"),
    [
        (TABLE, A, 16, None, (48, -16, -16, -16)),
        (TABLE, B, 8, None, (-16, 32, -8, -8)),
        (TABLE, A, 4, C, (12, 0, -12, 0)),
        (TABLE, B, 4, C, (0, 16, -16, 0)),
        (TABLE, B, 4, A, (-16, 16, 0, 0)),
        (THIRD, A, 4, C, (30, 0, -30, 0)),
        (THIRD, B, 4, C, (0, 16, -16, 0)),
        (THIRD, B, 4, A, (-22, 22, 0, 0)),
        (THIRD, B, 4, None, (-14, 22, -4, -4)),
        (TABLE, B, 512, None, (-200, 600, -200, -200)),
        (TABLE, B, 512, C, (0, 300, -300, 0)),
    ],
)
def test_one_winner(
    seating: KcSeating,
    winner: str,
    multiplier: int,
    discarder: str | None,
    expected: tuple[int, ...],
) -> None:
    assert nets(seating, winner, multiplier, discarder) == expected


@pytest.mark.parametrize(
    ("winner", "robbed", "expected"),
    [(B, C, (0, 20, -20, 0)), (B, A, (-24, 24, 0, 0)), (A, B, (16, -16, 0, 0))],
)
def test_the_robbed_players_own_share_doubles_again(
    winner: str, robbed: str, expected: tuple[int, ...]
) -> None:
    assert nets(TABLE, winner, 4, robbed, robbing_kong=True) == expected


def test_two_winners_on_one_discard_do_not_count() -> None:
    settled = settle_win(TABLE, [KcWinner(B, 4), KcWinner(D, 8)], C)
    assert settled.winners == ()
    assert settled.transfers == ()
    nearest = settle_win(
        TABLE, [KcWinner(B, 4), KcWinner(D, 8)], C, options=KcOptions(nearest_of_two=True)
    )
    assert nearest.winners == (D,)
    assert dict(nearest.nets()) == {A: 0, B: 0, C: -32, D: 32}


def test_three_winners_on_one_discard_are_all_paid() -> None:
    settled = settle_win(TABLE, [KcWinner(A, 4), KcWinner(B, 2), KcWinner(C, 8)], D)
    assert settled.winners == (A, B, C)
    assert dict(settled.nets()) == {A: 12, B: 8, C: 32, D: -52}


def test_three_winners_share_the_cap_in_proportion() -> None:
    settled = settle_win(TABLE, [KcWinner(A, 64), KcWinner(B, 48), KcWinner(C, 24)], D)
    assert dict(settled.nets()) == {A: 120, B: 120, C: 60, D: -300}
    assert all("cut to" in t.formula for t in settled.transfers)


def test_heavenly_win() -> None:
    assert dict(settle_heavenly_win(TABLE).nets()) == {A: 600, B: -200, C: -200, D: -200}


@pytest.mark.parametrize(
    ("offender", "ready", "expected"),
    [
        (B, [], (4, -8, 2, 2)),
        (A, [], (-6, 2, 2, 2)),
        (B, [KcWinner(A, 4)], (12, -16, 2, 2)),
        (B, [KcWinner(C, 4)], (4, -22, 16, 2)),
        (B, [KcWinner(A, 4), KcWinner(C, 2), KcWinner(D, 2)], (12, -28, 8, 8)),
        (A, [KcWinner(C, 4)], (-20, 2, 16, 2)),
        (B, [KcWinner(A, 256)], (300, -304, 2, 2)),
    ],
)
def test_false_win_section_2(
    offender: str, ready: list[KcWinner], expected: tuple[int, ...]
) -> None:
    assert tuple(net for _, net in settle_false_win(TABLE, offender, ready).nets()) == expected


@pytest.mark.parametrize(
    ("end", "stays"),
    [
        (HandEnd.DEALER_WINS, True),
        (HandEnd.EXHAUSTED, True),
        (HandEnd.NON_DEALER_WINS, False),
        (HandEnd.FALSE_WIN, False),
    ],
)
def test_next_dealer(end: HandEnd, stays: bool) -> None:
    assert dealer_stays(end) is stays
    assert next_seating(THIRD, end) == (
        KcSeating(TABLE.players, A, 4) if stays else KcSeating(TABLE.players, B, 0)
    )


def test_the_dealer_after_the_last_seat_is_the_first() -> None:
    fourth = KcSeating((A, B, C, D), dealer=D, streak=2)
    assert next_seating(fourth, HandEnd.NON_DEALER_WINS).dealer == A


@pytest.mark.parametrize(
    ("winners", "end"),
    [
        ((), HandEnd.EXHAUSTED),
        ((A,), HandEnd.DEALER_WINS),
        ((B,), HandEnd.NON_DEALER_WINS),
        ((A, B, C), HandEnd.DEALER_WINS),
    ],
)
def test_how_a_hand_ended(winners: tuple[str, ...], end: HandEnd) -> None:
    assert end_of(TABLE, winners) is end


@pytest.mark.parametrize(
    ("seating", "winners", "discarder", "robbing", "code"),
    [
        (TABLE, [], None, False, "kc_winners"),
        (TABLE, [KcWinner(A, 2), KcWinner(A, 2)], B, False, "kc_winners"),
        (TABLE, [KcWinner(A, 2), KcWinner(B, 2)], None, False, "kc_winners"),
        (TABLE, [KcWinner(A, 2)], A, False, "kc_winners"),
        (TABLE, [KcWinner(A, 2)], None, True, "kc_winners"),
        (TABLE, [KcWinner("X", 2)], None, False, "kc_unknown_player"),
        (KcSeating((A, B, C, D), dealer="X"), [KcWinner(A, 2)], None, False, "kc_unknown_player"),
        (KcSeating((A, B, C), dealer=A), [KcWinner(A, 2)], None, False, "kc_table"),
    ],
)
def test_a_win_that_cannot_be_settled_is_a_problem(
    seating: KcSeating, winners: list[KcWinner], discarder: str | None, robbing: bool, code: str
) -> None:
    settled = settle_win(seating, winners, discarder, robbing_kong=robbing)
    assert code in {p.code for p in settled.problems}
    assert settled.transfers == ()


def test_a_false_win_that_cannot_be_settled_is_a_problem() -> None:
    assert [p.code for p in settle_false_win(TABLE, "X").problems] == ["kc_unknown_player"]
    assert [p.code for p in settle_false_win(TABLE, A, [KcWinner(A, 2)]).problems] == ["kc_winners"]
