"""What keeps a KC hand from winning: each problem in its own words, all at once, never an
exception.
"""

from __future__ import annotations

import pytest

from hupai.scoring.checks.catalogue import CODES
from hupai.scoring.hand import Circumstances, Hand, Meld, MeldKind
from hupai.scoring.kc.rules import KC_2_5
from hupai.scoring.notation import parse_hand
from hupai.scoring.result import Severity
from hupai.scoring.tiles import Tile

STRAIGHT = "456789m55p67s [123m] +8s"
CONCEALED = "123m567p345s99s67m +8m"
HEAVENLY: dict[str, bool | int] = {"heavenly_win": True, "dealer": True, "self_drawn": True}


def codes(hand: str, **flags: bool | int) -> list[str]:
    answer = KC_2_5.score(parse_hand(hand), Circumstances(**flags))  # type: ignore[arg-type]
    return [p.code for p in answer.problems if p.severity is Severity.ERROR]


@pytest.mark.parametrize(
    ("hand", "flags", "expected"),
    [
        (STRAIGHT, {}, []),
        ("678m67s222p99s [345m] +8s", {}, ["no_fan"]),
        ("456789m55p67s1h [123m] +8s", {}, ["flower_not_used"]),
        ("456789m55p67s55p [123m] +8s", {}, ["wrong_count"]),
        ("456789m55p67s [123m]", {}, ["not_won_yet"]),
        ("456789m55p69s [123m] +8s", {}, ["not_complete"]),
        ("11112344m55p [111m] +4m", {}, ["no_fan", "five_of_a_kind"]),
        (STRAIGHT, {"kong_replacement": True, "self_drawn": True}, ["contradictory_flags"]),
        (STRAIGHT, {"robbing_kong": True, "self_drawn": True}, ["contradictory_flags"]),
        (STRAIGHT, {"robbing_kong": True, "last_tile": True}, ["contradictory_flags"]),
        ("456789m67s88s [123m] +8s", {"robbing_kong": True}, ["contradictory_flags"]),
        (STRAIGHT, {"dealer": True, "discarder_is_dealer": True}, ["contradictory_flags"]),
        (STRAIGHT, {"self_drawn": True, "discarder_is_dealer": True}, ["contradictory_flags"]),
        (STRAIGHT, {"dealer_streak": -1}, ["contradictory_flags"]),
        (CONCEALED, HEAVENLY, []),
        (CONCEALED, {"heavenly_win": True, "self_drawn": True}, ["contradictory_flags"]),
        (CONCEALED, {"heavenly_win": True, "dealer": True}, ["contradictory_flags"]),
        (CONCEALED, HEAVENLY | {"heavenly_ready": True}, ["contradictory_flags"]),
        (STRAIGHT, HEAVENLY, ["contradictory_flags"]),
        (STRAIGHT, {"heavenly_ready": True}, ["contradictory_flags"]),
        ("123m567p99s67m (3333s) +8m", {"heavenly_ready": True}, []),
        ("456789m55p67s8s [123m]", {"last_of_kind": True}, ["winning_tile_unknown"]),
        ("456789m55p67s8s [123m]", {}, []),
        ("456789m67s88s [123m] +8s", {"last_of_kind": True}, ["contradictory_flags"]),
    ],
)
def test_problems(hand: str, flags: dict[str, bool | int], expected: list[str]) -> None:
    assert codes(hand, **flags) == expected


def test_all_problems_at_once() -> None:
    found = codes(
        "11111m45678pEE 1h +C",
        dealer=True,
        discarder_is_dealer=True,
        heavenly_win=True,
        heavenly_ready=True,
    )
    assert {"flower_not_used", "five_of_a_kind", "contradictory_flags", "wrong_count"} == set(found)
    assert found.count("contradictory_flags") == 3


def test_notes_name_what_the_rules_do_not_read() -> None:
    answer = KC_2_5.score(
        parse_hand(STRAIGHT), Circumstances(seat_wind=Tile.EAST, flowers=2, void_suit="m")
    )
    assert answer.legal
    assert [p.code for p in answer.problems] == ["flag_not_used"] * 3


@pytest.mark.parametrize(
    "hand",
    [
        Hand(()),
        Hand((Tile.BACK,) * 14),
        Hand((Tile.M1,) * 13, (), Tile.M1),
        Hand((), (Meld(MeldKind.CHOW, ()),)),
        Hand((), (Meld(MeldKind.KONG, (Tile.M1, Tile.P1, Tile.BACK)),) * 5, Tile.SPRING),
        Hand(
            (Tile.EAST,), (Meld(MeldKind.CHOW, (Tile.EAST, Tile.SOUTH, Tile.WEST)),) * 4, Tile.EAST
        ),
    ],
)
def test_a_nonsense_hand_is_answered(hand: Hand) -> None:
    answer = KC_2_5.score(hand, Circumstances())
    assert not answer.legal
    assert answer.problems
    assert {p.code for p in answer.problems} <= CODES.keys()
