"""Which circumstances are asked, and what an answer about one settles."""

from __future__ import annotations

from hupai.scoring.hand import Circumstances
from hupai.vision.questions.decide import assess
from tests.vision.questions.cases import (
    KC,
    MCR,
    SICHUAN,
    Case,
    answered,
    asked_names,
    hands,
    picture,
)


def test_irrelevant_circumstances_are_not_asked() -> None:
    chows = hands(("123m456p789s33p78s +6s", 0.99))
    assert asked_names(chows, MCR, ("seat_wind", "round_wind")) == set()
    assert "last_of_kind" not in asked_names(
        hands(("123m456p78s33p99s +9s", 0.99)), MCR, ("last_of_kind",)
    ), "two are held"
    assert "kong_replacement" not in asked_names(chows, MCR, ("kong_replacement", "self_drawn")), (
        "no kong"
    )
    assert asked_names(hands(("123m456p789sEEEP +F", 0.99)), MCR, MCR.circumstances) == set(), (
        "no win either way"
    )
    assert (
        asked_names(hands(("123m456p789sEEEP +P", 0.99)), SICHUAN, SICHUAN.circumstances) == set()
    ), "no winds are played"
    assert not asked_names(
        picture("1m2m3m4p5p6p7p8p9p2m2m2m5p _ 5p", SICHUAN), SICHUAN, ("seat_wind", "dealer")
    ), "not read"
    drawn = Circumstances(self_drawn=True)
    assert "robbing_kong" not in {
        q.subject for q in assess(chows, MCR, drawn, ("robbing_kong", "last_tile")).questions
    }


def test_a_circumstance_that_changes_the_score_is_asked() -> None:
    assert {"self_drawn"} <= asked_names(
        hands(("123m456p789s33p78s +6s", 0.99)), MCR, ("self_drawn",)
    )
    assert {"seat_wind", "round_wind"} <= asked_names(
        hands(("123m456p78s33p [SSS] +9s", 0.99)), MCR, MCR.circumstances
    )
    assert {"kong_replacement"} <= asked_names(
        hands(("123m456p78sPP (EEEE) +9s", 0.99)), MCR, ("self_drawn", "kong_replacement")
    )
    assert {"dealer", "self_drawn"} <= asked_names(
        hands(("123m456p78s33p [SSS] +9s", 0.99)), KC, KC.circumstances
    )
    assert {"opponents"} <= asked_names(
        hands(("123m456m789m33m78m +9m", 0.99)), SICHUAN, SICHUAN.circumstances
    )


def test_a_circumstance_may_lift_a_hand_above_the_minimum() -> None:
    reading = hands(("234m567p345s22m78p +9p", 0.99))
    (asked,) = [
        q for q in assess(reading, MCR, None, ("last_tile",)).questions if q.subject == "last_tile"
    ]
    won = {option.value: option.outcomes[0][0] for option in asked.options}
    assert not won["false"].legal
    assert won["false"].total < MCR.minimum
    assert won["true"].legal
    verdict = assess(reading, MCR, None, ("last_tile",))
    assert "not allowed" in verdict.text_en
    assert "不能和" in verdict.text_zh


def test_a_kong_that_replaces_a_tile_was_drawn() -> None:
    """Circumstances that an answer requires become known with it, so the score is consistent."""
    case = Case(
        "", hands(("123m456p78sPP (EEEE) +9s", 0.9)), MCR, ("self_drawn", "kong_replacement")
    )
    asked = next(q for q in case.verdict().questions if q.subject == "kong_replacement")
    yes = next(option for option in asked.options if option.value == "true")
    assert yes.circumstances == Circumstances(self_drawn=True, kong_replacement=True)
    assert answered(case, yes).verdict().agreed


def test_circumstances_that_matter_only_together_are_both_asked() -> None:
    given = Circumstances(self_drawn=False, dealer=False)
    verdict = assess(
        hands(("123m456p789sEEPP +E", 0.98)), KC, given, ("dealer_streak", "discarder_is_dealer")
    )
    assert {question.subject for question in verdict.questions} == {
        "dealer_streak",
        "discarder_is_dealer",
    }
    assert not verdict.agreed
