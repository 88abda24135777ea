"""One hand under several rule sets: a verdict and reasons for each."""

from __future__ import annotations

import pytest

from hupai.scoring import rule_sets
from hupai.scoring.compare import WinStatus, compare
from hupai.scoring.hand import Circumstances, Hand
from hupai.scoring.notation import parse_hand
from hupai.scoring.rule_sets import UnknownRuleSetError
from hupai.scoring.tiles import Tile


def test_every_rule_set_answers_in_the_order_of_the_registry() -> None:
    found = compare(parse_hand("123456789m55p67s +8s"), Circumstances())
    assert [column.rules for column in found.columns] == [
        rule_set.id for rule_set in rule_sets.all_rules()
    ]


def test_what_a_rule_set_cannot_use_is_a_reason_in_its_own_words() -> None:
    """A half flush with a claimed chow and honours: twice the stake in KC, impossible in
    Sichuan.
    """
    found = compare(
        parse_hand("4567mEEE [123m] [CCC] +7m"),
        Circumstances(seat_wind=Tile.EAST, round_wind=Tile.EAST),
    )
    by_id = {column.rules: column for column in found.columns}
    assert by_id["kc-2.5"].status is WinStatus.WIN
    assert by_id["kc-2.5"].score.total == 2
    sichuan = by_id["sichuan-2024"]
    assert sichuan.status is WinStatus.NOT_ALLOWED
    assert {p.code for p in sichuan.reasons} == {"honour_not_used", "chow_not_used"}
    assert all("Sichuan" in p.message for p in sichuan.reasons)
    assert set(found.wins()) >= {"kc-2.5"}
    assert "sichuan-2024" not in found.wins()


def test_a_shape_of_one_rule_set_only() -> None:
    found = compare(parse_hand("147m258p39sESWNC +F"), Circumstances(), ("sichuan-2024", "kc-2.5"))
    assert [column.status for column in found.columns] == [WinStatus.NO_WIN, WinStatus.WIN]
    assert {p.code for p in found.columns[0].reasons} == {
        "honour_not_used",
        "three_suits",
        "not_complete",
    }


def test_a_hand_below_the_minimum_is_reported() -> None:
    found = compare(
        parse_hand("678m67s222p99s [345m] +8s"), Circumstances(), ("mcr-1998", "kc-2.5")
    )
    assert [column.status for column in found.columns] == [
        WinStatus.NOT_ALLOWED,
        WinStatus.NOT_ALLOWED,
    ]
    assert [[p.code for p in column.reasons] for column in found.columns] == [
        ["below_minimum"],
        ["no_fan"],
    ]


def test_remarks_are_what_does_not_forbid_the_win() -> None:
    found = compare(
        parse_hand("123456789m22p56p +4p"), Circumstances(dealer=True), ("sichuan-2024",)
    )
    assert found.columns[0].status is WinStatus.WIN
    assert found.columns[0].reasons == ()
    assert [p.code for p in found.columns[0].remarks] == ["flag_not_used"]


def test_an_impossible_hand_is_answered_by_all() -> None:
    found = compare(Hand((Tile.BACK, Tile.SPRING)), Circumstances())
    assert all(column.status is WinStatus.NO_WIN and column.reasons for column in found.columns)


def test_an_unknown_rule_set_is_named() -> None:
    with pytest.raises(UnknownRuleSetError):
        compare(parse_hand("123m"), Circumstances(), ("taiwan",))
