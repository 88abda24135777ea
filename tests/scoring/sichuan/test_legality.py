"""What keeps a Sichuan hand from winning: each problem in its own words, all at once, never an
exception.
"""

from __future__ import annotations

import pytest

from hupai.scoring.checks.catalogue import CODES
from hupai.scoring.hand import Circumstances, Hand, Meld, MeldKind
from hupai.scoring.notation import parse_hand
from hupai.scoring.result import Severity
from hupai.scoring.sichuan.rules import SICHUAN_2024
from hupai.scoring.tiles import Tile


def codes(hand: str, **flags: bool | int | str) -> list[str]:
    answer = SICHUAN_2024.score(parse_hand(hand), Circumstances(**flags))  # type: ignore[arg-type]
    return [p.code for p in answer.problems if p.severity is Severity.ERROR]


PLAIN = "123456789m22p56p +4p"


@pytest.mark.parametrize(
    ("hand", "flags", "expected"),
    [
        (PLAIN, {}, []),
        ("123456m789p67s22p +5s", {}, ["three_suits"]),
        ("123456789mEE56p +4p", {}, ["honour_not_used"]),
        ("456789m22p56p [123m] +4p", {}, ["chow_not_used"]),
        (f"{PLAIN[:-3]}1h5h +4p", {}, ["flower_not_used"]),
        (PLAIN, {"void_suit": "s"}, []),
        (PLAIN, {"void_suit": "p"}, ["void_suit_held"]),
        (PLAIN, {"void_suit": "筒"}, ["void_suit_held"]),
        (PLAIN, {"void_suit": "p", "partner_play": True}, []),
        (PLAIN, {"void_suit": "winds"}, ["contradictory_flags"]),
        ("123456m789p67s22p +5s", {"void_suit": "s"}, ["three_suits", "void_suit_held"]),
        (PLAIN, {"opponents": 0}, ["opponents_out_of_range"]),
        (PLAIN, {"opponents": 4}, ["opponents_out_of_range"]),
        ("11111234m567p55p +5p", {}, ["five_of_a_kind"]),
        ("123456789m22p56p44p +4p", {}, ["wrong_count"]),
        ("123456789m22p +2p", {}, ["wrong_count"]),
        ("123456789m22p56p", {}, ["not_won_yet"]),
        ("123456789m22p58p +4p", {}, ["not_complete"]),
        ("123456789mEE58p +4p", {}, ["honour_not_used", "not_complete"]),
        (PLAIN, {"kong_replacement": True, "self_drawn": True}, ["contradictory_flags"]),
        ("345m67p99m [2222p] [888m] +8p", {"kong_replacement": True}, ["contradictory_flags"]),
        (PLAIN, {"kong_discard": True, "self_drawn": True}, ["contradictory_flags"]),
        (PLAIN, {"robbing_kong": True, "self_drawn": True}, ["contradictory_flags"]),
        (PLAIN, {"robbing_kong": True, "kong_discard": True}, ["contradictory_flags"]),
        (PLAIN, {"robbing_kong": True, "last_tile": True}, ["contradictory_flags"]),
        ("123456789m22p45p +3p", {"robbing_kong": True}, []),
        ("123456789m33p45p +3p", {"robbing_kong": True}, ["contradictory_flags"]),
    ],
)
def test_problems(hand: str, flags: dict[str, bool | int | str], expected: list[str]) -> None:
    assert codes(hand, **flags) == expected


@pytest.mark.parametrize(
    ("hand", "said"),
    [
        (
            "22m456m56p777m888p +7p",
            "still holds 5p 6p 8p 8p 8p 7p: no win until they are discarded",
        ),
        ("22m456m56p777m [888p] +7p", "has laid down 8p 8p 8p: check the sets"),
    ],
)
def test_only_tiles_in_the_hand_can_still_be_discarded(hand: str, said: str) -> None:
    # 3.23: a set that lies open cannot be got rid of, so hand or void suit is misread
    answer = SICHUAN_2024.score(parse_hand(hand), Circumstances(void_suit="p"))
    (found,) = [p for p in answer.problems if p.code == "void_suit_held"]
    assert said in found.message


def test_all_problems_at_once() -> None:
    hand = "11111m45678pEE [123s] 1h +C"
    found = codes(hand, void_suit="m", self_drawn=True, kong_discard=True, opponents=7)
    assert {
        "flower_not_used",
        "honour_not_used",
        "five_of_a_kind",
        "chow_not_used",
        "three_suits",
        "void_suit_held",
        "contradictory_flags",
        "opponents_out_of_range",
        "wrong_count",
    } <= set(found)


def test_an_illegal_win_is_not_paid_and_still_says_what_it_would_be_worth() -> None:
    answer = SICHUAN_2024.score(parse_hand("123456m789p67s22p +5s"), Circumstances())
    assert (answer.complete, answer.legal, answer.total) == (True, False, 1)
    assert answer.payments == ()
    assert answer.winner_receives == 0


def test_notes_do_not_make_a_win_illegal() -> None:
    answer = SICHUAN_2024.score(parse_hand(PLAIN), Circumstances(seat_wind=Tile.EAST, dealer=True))
    assert answer.legal
    assert {p.code for p in answer.problems} == {"flag_not_used"}
    assert all(p.severity is Severity.NOTE for p in answer.problems)


@pytest.mark.parametrize(
    "hand",
    [
        Hand(()),
        Hand((Tile.BACK,) * 14),
        Hand((Tile.M1,) * 13, (), Tile.M1),
        Hand((), (Meld(MeldKind.CHOW, ()),)),
        Hand((), (Meld(MeldKind.KONG, (Tile.M1, Tile.P1, Tile.BACK)),) * 5, Tile.SPRING),
        Hand((Tile.SPRING,) * 13, (), Tile.EAST, (Tile.M1,)),
    ],
)
def test_a_nonsense_hand_is_answered(hand: Hand) -> None:
    answer = SICHUAN_2024.score(hand, Circumstances())
    assert not answer.legal
    assert answer.problems


def test_every_code_is_in_the_catalogue_with_text_in_both_languages() -> None:
    answer = SICHUAN_2024.score(
        parse_hand("11111m45678pEE [123s] 1h +C"), Circumstances(void_suit="m", dealer=True)
    )
    assert {p.code for p in answer.problems} <= CODES.keys()
    assert all(p.message.endswith(".") and p.message_zh.endswith("。") for p in answer.problems)
