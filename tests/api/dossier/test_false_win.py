"""What was missing, and the fines that a referee may choose from."""

from __future__ import annotations

import re

import pytest

from hupai.api.dossier.false_win import FalseWinHelp, Lack, OthersReady, Paid, help_with, to_ready
from hupai.scoring.decomposition.shapes import Shape
from hupai.scoring.hand import Circumstances, Hand
from hupai.scoring.mcr.citations import clause_zh
from hupai.scoring.notation import parse_hand
from hupai.scoring.rule_sets import all_rules, get

CLAIMED, DRAWN = Circumstances(), Circumstances(self_drawn=True)
SHAPES = frozenset(
    {Shape.STANDARD, Shape.SEVEN_PAIRS, Shape.THIRTEEN_ORPHANS, Shape.KNITTED_SINGLES}
)


def fitting(found: FalseWinHelp) -> list[tuple[str, int | None]]:
    return [(choice.offence, choice.points) for choice in found.choices if choice.fits]


def helped(rules: str, hand: str, how: Circumstances = CLAIMED) -> FalseWinHelp:
    return help_with(get(rules), parse_hand(hand), how)


def test_a_win_has_no_false_win_help() -> None:
    found = helped("mcr-1998", "123456789m111p5s+5s", DRAWN)
    assert found.wins
    assert (found.missing, found.choices) == ((), ())


@pytest.mark.parametrize(
    ("hand", "lack", "code"),
    [
        ("123456789m111p5s+6s", Lack.SHAPE, "not_complete"),
        ("123456789m111p+5s", Lack.COUNT, "wrong_count"),
        ("123456789m1111p55s+5s", Lack.COUNT, "wrong_count"),
        ("123m45p22s[789s,1][345m,1]+9p", Lack.SHAPE, "not_complete"),
        ("234m567p2s[789s,1][345m,1]+2s", Lack.MINIMUM, "below_minimum"),
        ("123456789m111p55s", Lack.UNKNOWN, "winning_tile_unknown"),
    ],
)
def test_what_was_missing_is_named(hand: str, lack: Lack, code: str) -> None:
    found = helped("mcr-1998", hand)
    assert not found.wins
    assert (found.missing[0].lack, found.missing[0].code) == (lack, code)
    assert found.missing[0].message_zh


def test_nothing_is_offered_while_the_winning_tile_is_not_known() -> None:
    assert helped("mcr-1998", "123456789m111p55s").choices == ()


def test_mcr_leaves_the_points_to_the_referee() -> None:
    found = helped("mcr-2006", "123456789m111p5s+6s")
    assert fitting(found) == [("false_win", None)]
    assert "3.4.31" in found.choices[0].clause
    assert fitting(helped("mcr-2006", "123456789m111p+5s")) == [("wrong_count", None)]


@pytest.mark.parametrize(
    ("hand", "how", "fits"),
    [
        # One tile short on a discard, ready for another tile: announced by mistake.
        ("1233456789m11p2m+5m", CLAIMED, [("mistaken_win", 8)]),
        # Claimed while not ready.
        ("123456789m12p48p+5p", CLAIMED, [("false_win", 24)]),
        # Self-drawn and not ready: 11.2.9.1 speaks of another player's discard.
        ("123456789m12p48p+5p", DRAWN, [("mistaken_win", 8)]),
        # Three tiles from being ready, claimed.
        ("147m258m147p258p9p+5p", CLAIMED, [("false_win", 24), ("intended_false_win", None)]),
        # The void suit is still held.
        ("123456789m11p23s+1s", Circumstances(void_suit="s"), [("pig_win", 24)]),
        ("123456789m11p+1p", CLAIMED, [("wrong_count", None)]),
    ],
)
def test_sichuan_fines_by_what_the_hand_was(
    hand: str, how: Circumstances, fits: list[tuple[str, int | None]]
) -> None:
    found = helped("sichuan-2024", hand, how)
    assert fitting(found) == fits
    assert found.choices[: len(fits)] == tuple(choice for choice in found.choices if choice.fits)
    assert all(choice.clause.startswith("T/TFMJ 01-2024, 11.2.") for choice in found.choices)


def test_a_sichuan_hand_with_a_third_suit_is_not_ready() -> None:
    rules = get("sichuan-2024")
    three = parse_hand("123456789m1p23s1p+1s")
    assert to_ready(rules, three, CLAIMED) == 2
    assert to_ready(get("mcr-1998"), three, CLAIMED) == 0
    assert to_ready(rules, three, Circumstances(void_suit="m")) == 9


def test_kc_pays_the_others() -> None:
    hand = parse_hand("123456789m111p5s+6s")
    plain = help_with(get("kc-2.5"), hand, CLAIMED).choices[0]
    assert plain.payments == (
        Paid("dealer", 1, 4, "not ready: 4"),
        Paid("other", 2, 2, "not ready: 2"),
    )
    assert plain.points == 8
    dealer = help_with(get("kc-2.5"), hand, CLAIMED, offender_is_dealer=True).choices[0]
    assert dealer.payments == (Paid("other", 3, 2, "not ready: 2"),)
    ready = help_with(get("kc-2.5"), hand, CLAIMED, ready=[OthersReady(False, 8)]).choices[0]
    assert [(paid.payee, paid.count) for paid in ready.payments] == [
        ("other", 1),
        ("dealer", 1),
        ("other", 1),
    ]
    assert ready.payments[0].amount > 8


@pytest.mark.parametrize("rules", [one.id for one in all_rules()])
def test_every_fine_has_its_clause_in_chinese(rules: str) -> None:
    # EMA and WRC are what players call these federations in Chinese, too.
    for choice in helped(rules, "123456789m111p5s+6s").choices:
        assert not re.search(r"[A-Za-z]", re.sub("EMA|WRC", "", clause_zh(choice.clause)))


def test_every_rule_set_answers_every_bad_hand() -> None:
    for rules in all_rules():
        for hand in ("", "1m", "123456789m111p5s+6s", "(1111m)(2222m)(3333m)(4444m)+5s", "123m"):
            found = help_with(rules, parse_hand(hand) if hand else Hand(()), CLAIMED)
            assert not found.wins
            assert found.missing
