"""KC payments, worked by hand: shares, 点炮包付, streaks, robbed kongs, caps."""

from __future__ import annotations

import pytest

from hupai.scoring.hand import Circumstances
from hupai.scoring.kc.payments import Caps, payments, share_out
from hupai.scoring.kc.rules import KC_2_5
from hupai.scoring.notation import parse_hand

Flags = dict[str, bool | int]


def paid(multiplier: int, **flags: bool | int) -> list[tuple[str, int, int]]:
    found = payments(multiplier, Circumstances(**flags))  # type: ignore[arg-type]
    return [(p.payer, p.count, p.amount) for p in found]


@pytest.mark.parametrize(
    ("flags", "multiplier", "expected"),
    [
        ({"dealer": True, "self_drawn": True}, 16, [("each", 3, 16)]),
        ({"dealer": True, "self_drawn": True, "dealer_streak": 3}, 16, [("each", 3, 22)]),
        ({"dealer": True, "self_drawn": True, "dealer_streak": 1}, 256, [("each", 3, 200)]),
        ({"self_drawn": True}, 8, [("dealer", 1, 16), ("others", 2, 8)]),
        ({"self_drawn": True, "dealer_streak": 2}, 8, [("dealer", 1, 20), ("others", 2, 8)]),
        ({"self_drawn": True}, 128, [("dealer", 1, 200), ("others", 2, 128)]),
        ({"dealer": True}, 4, [("discarder", 1, 12), ("others", 2, 0)]),
        ({"dealer": True, "dealer_streak": 1}, 4, [("discarder", 1, 18), ("others", 2, 0)]),
        ({}, 4, [("discarder", 1, 16), ("others", 2, 0)]),
        ({"dealer_streak": 5}, 4, [("discarder", 1, 16), ("others", 2, 0)]),
        ({"discarder_is_dealer": True}, 4, [("discarder", 1, 16), ("others", 2, 0)]),
        (
            {"discarder_is_dealer": True, "dealer_streak": 5},
            4,
            [("discarder", 1, 26), ("others", 2, 0)],
        ),
        ({"dealer": True}, 128, [("discarder", 1, 300), ("others", 2, 0)]),
        ({"robbing_kong": True, "dealer": True}, 4, [("robbed", 1, 16), ("others", 2, 0)]),
        ({"robbing_kong": True}, 4, [("robbed", 1, 20), ("others", 2, 0)]),
        (
            {"robbing_kong": True, "discarder_is_dealer": True},
            4,
            [("robbed", 1, 24), ("others", 2, 0)],
        ),
        (
            {"heavenly_win": True, "dealer": True, "self_drawn": True, "dealer_streak": 4},
            200,
            [("each", 3, 200)],
        ),
    ],
)
def test_payments(flags: Flags, multiplier: int, expected: list[tuple[str, int, int]]) -> None:
    assert paid(multiplier, **flags) == expected


def test_the_formula_shows_shares_streak_and_cap() -> None:
    def formula(multiplier: int, **flags: bool | int) -> str:
        return payments(multiplier, Circumstances(**flags))[0].formula  # type: ignore[arg-type]

    assert formula(16, dealer=True, self_drawn=True, dealer_streak=3) == "16 + 6"
    assert formula(8, self_drawn=True, dealer_streak=2) == "2 × 8 + 4"
    assert formula(4) == "(2 × 4) + 4 + 4"
    assert formula(256, dealer=True, self_drawn=True) == "256 = 256, at most 200"


def test_a_house_may_set_other_caps() -> None:
    found = payments(256, Circumstances(dealer=True), Caps(payer=50, discarder=100))
    assert found[0].amount == 100


@pytest.mark.parametrize(
    ("claims", "cap", "expected"),
    [
        ((100, 100), 300, (100, 100)),
        ((150, 150, 150), 300, (100, 100, 100)),
        ((100, 200, 300), 300, (50, 100, 150)),
        ((100, 100, 250), 300, (67, 67, 166)),
        ((1, 1, 1), 2, (1, 1, 0)),
        ((), 300, ()),
    ],
)
def test_claims_are_cut_in_proportion(
    claims: tuple[int, ...], cap: int, expected: tuple[int, ...]
) -> None:
    assert share_out(claims, cap) == expected
    assert sum(share_out(claims, cap)) == min(cap, sum(claims))


def test_the_score_carries_payments_and_their_sum() -> None:
    answer = KC_2_5.score(
        parse_hand("123456789m55p67s +8s"),
        Circumstances(self_drawn=True, dealer=True, dealer_streak=3),
    )
    assert answer.total == 16
    assert answer.winner_receives == 66
    assert dict(answer.details) == {"multiplier": 16, "streak_bonus": 6}
