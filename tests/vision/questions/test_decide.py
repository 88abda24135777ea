"""Doubt about a photo, weighed by its effect on the score."""

from __future__ import annotations

import pytest

from hupai.scoring import rule_sets
from hupai.scoring.hand import Circumstances
from hupai.scoring.notation import parse_hand
from hupai.scoring.result import RuleSet
from hupai.scoring.tiles import Tile
from hupai.vision.layout.arrange import arrange
from hupai.vision.questions.decide import assess
from hupai.vision.questions.types import AnswerOption, Outcome, QuestionKind
from hupai.vision.reading.read import read
from hupai.vision.types import LikelyHand, Reading
from tests.vision.pictures import detections, table

MCR = rule_sets.get("mcr-1998")


def photo(picture: str, rule_set: RuleSet | None = None) -> Reading:
    return read(arrange(detections(table(picture))), rule_set)


def reading_with(*hands: tuple[str, float]) -> Reading:
    return Reading(hands=tuple(LikelyHand(parse_hand(text), share) for text, share in hands))


def total(text: str, circumstances: Circumstances | None = None) -> int:
    return MCR.score(parse_hand(text), circumstances or Circumstances()).total


def first(option: AnswerOption) -> Outcome:
    """The likeliest outcome of an answer."""
    return option.outcomes[0][0]


def test_one_hand_and_nothing_open() -> None:
    verdict = assess(reading_with(("123m456p789sEEEP +P", 0.99)), MCR)
    assert verdict.agreed
    assert verdict.outcome is not None
    assert verdict.outcome.total == total("123m456p789sEEEP +P")
    assert verdict.text_en == f"{verdict.outcome.total} fan"
    assert verdict.question is None


def test_two_hands_that_score_the_same_need_no_question() -> None:
    verdict = assess(
        reading_with(("123m456p789sEEE5m +5m", 0.55), ("123m456p789sEEE6m +6m", 0.45)), MCR
    )
    assert total("123m456p789sEEE5m +5m") == total("123m456p789sEEE6m +6m") > 0
    assert verdict.agreed
    assert verdict.question is None
    assert "either way" in verdict.text_en


def test_a_tile_that_changes_the_score_is_asked() -> None:
    verdict = assess(
        reading_with(("123m456p789sEEE2m +2m", 0.6), ("123m456p789sPPP2m +2m", 0.4)), MCR
    )
    assert total("123m456p789sEEE2m +2m") != total("123m456p789sPPP2m +2m")
    assert not verdict.agreed
    assert verdict.question is not None
    assert verdict.question.kind is QuestionKind.TILE


MAIN, OTHER, THIRD = "123m456p789sEEE2m +2m", "123m456p789sPPP2m +2m", "123m456p789sEEE3m +3m"


def test_what_hardly_ever_changes_the_score_is_not_asked() -> None:
    verdict = assess(reading_with((MAIN, 0.99), (OTHER, 0.01)), MCR)
    assert total(MAIN) != total(OTHER)
    assert not verdict.agreed, "the other hand stays possible, and is told with its share"
    assert verdict.outcomes[0][1] == pytest.approx(0.99)
    assert verdict.questions == ()
    assert verdict.text_en == f"{total(MAIN)} fan"
    assert assess(reading_with((MAIN, 0.97), (OTHER, 0.03)), MCR).question is not None


def test_a_tile_is_weighed_by_what_it_changes_and_not_by_how_doubtful_it_is() -> None:
    # Three hands in ten have another face, but only one in a hundred another score.
    shares = ((MAIN, 0.69), (THIRD, 0.3), (OTHER, 0.01))
    assert total(MAIN) == total(THIRD)
    verdict = assess(reading_with(*shares), MCR)
    assert verdict.questions == ()
    assert verdict.outcomes[0][1] == pytest.approx(0.99)


def test_what_is_not_asked_changes_the_score_seldom_together() -> None:
    row = photo("1m2m3m4p5p6p7s8s9s:8s40EEE2m2m:P45")

    def asked(first: float, second: float) -> list[set[str]]:
        hands = (
            (row.hands[0].hand, 1 - first - second),
            (parse_hand("123m456p788sEEE22m"), first),
            (parse_hand("123m456p789sEEE2mP"), second),
        )
        likely = tuple(LikelyHand(hand, share) for hand, share in hands)
        questions = assess(Reading(row.tiles, row.groups, likely), MCR).questions
        about = [q for q in questions if q.kind is QuestionKind.TILE]
        return [{option.value for option in question.options} for question in about]

    assert asked(0.009, 0.01) == []
    assert asked(0.012, 0.014) == [{"2m", "P"}], "2.6 in a hundred: the doubt that matters more"
    assert len(asked(0.03, 0.04)) == 2


def test_rare_ways_to_win_are_asked_however_rare() -> None:
    unknown = ["last_tile", "robbing_kong"]
    verdict = assess(reading_with(("123m456p78sEEE55s +9s", 0.99)), MCR, unknown=unknown)
    assert {question.subject for question in verdict.questions} == set(unknown)


def test_the_doubtful_tile_is_pointed_out() -> None:
    reading = photo("1m2m3m4p5p6p7s8s9sEEE2m2m:P45")
    other = parse_hand("123m456p789sEEE2mP")
    doubtful = Reading(reading.tiles, reading.groups, (*reading.hands[:1], LikelyHand(other, 0.3)))
    verdict = assess(doubtful, MCR)
    asked = next(q for q in verdict.questions if q.kind is QuestionKind.TILE)
    assert {option.value for option in asked.options} == {"2m", "P"}
    by_value = {option.value: option for option in asked.options}
    assert first(by_value["2m"]).total > first(by_value["P"]).total == 0
    assert [likely.hand for likely in by_value["P"].hands] == [other]
    tile = next(t for t in reading.tiles if t.id in asked.tiles)
    assert Tile.WHITE in dict(tile.alternatives)


def test_two_tiles_that_look_alike_are_asked_about_at_once() -> None:
    reading = photo("1m2m3m4p5p6p7s8s9sEEE2m:P452m:P45")
    other = LikelyHand(parse_hand("123m456p789sEEEPP"), 0.3)
    verdict = assess(Reading(reading.tiles, reading.groups, (*reading.hands[:1], other)), MCR)
    (asked,) = (q for q in verdict.questions if q.kind is QuestionKind.TILE)
    assert asked.text_en == "Are these tiles 2m?"
    assert asked.tiles == (12, 13)


@pytest.mark.parametrize("self_drawn", [None, True, False])
def test_an_unknown_winning_tile_that_changes_nothing_is_not_asked(
    self_drawn: bool | None,
) -> None:
    unknown = ["self_drawn", "last_tile"] if self_drawn is None else []
    given = Circumstances(self_drawn=bool(self_drawn))
    verdict = assess(reading_with(("1133m5577p2244s66s", 1.0)), MCR, given, unknown)
    assert {question.subject for question in verdict.questions} == set(unknown)
    assert verdict.agreed is not bool(unknown)


def test_an_unknown_winning_tile_is_asked_where_it_matters() -> None:
    verdict = assess(photo("1m2m3m4p5p6p7s8s9sEEEPP"), MCR)
    assert verdict.question is not None
    assert verdict.question.kind is QuestionKind.WINNING_TILE
    assert {option.value for option in verdict.question.options} == {
        "1m",
        "2m",
        "3m",
        "4p",
        "5p",
        "6p",
        "7s",
        "8s",
        "9s",
        "E",
        "P",
    }
    assert sum(option.probability for option in verdict.question.options) == pytest.approx(1.0)
    outcomes = {option.value: first(option).total for option in verdict.question.options}
    assert outcomes["P"] == total("123m456p789sEEEP +P")
    assert outcomes["3m"] == total("12m456p789sEEEPP +3m")


def test_an_unknown_circumstance_is_asked_with_what_it_would_score() -> None:
    reading = reading_with(("123m456p78sEEE55s +9s", 0.99))
    verdict = assess(reading, MCR, unknown=["self_drawn", "seat_wind", "dealer"])
    subjects = {q.subject for q in verdict.questions}
    assert "self_drawn" in subjects
    assert "dealer" not in subjects, "MCR does not read it"
    asked = next(q for q in verdict.questions if q.subject == "self_drawn")
    totals = {option.value: first(option).total for option in asked.options}
    hand = reading.hands[0].hand
    assert totals["true"] == MCR.score(hand, Circumstances(self_drawn=True)).total
    assert totals["false"] == MCR.score(hand, Circumstances()).total


def test_a_circumstance_that_cannot_matter_is_left_out() -> None:
    verdict = assess(
        reading_with(("123m456p789s33p78s +9s", 0.99)), MCR, unknown=["seat_wind", "round_wind"]
    )
    assert verdict.agreed
    asked = assess(
        reading_with(("123m456p78sEEE55s +9s", 0.99)), MCR, unknown=["seat_wind"]
    ).question
    assert asked is not None
    assert asked.subject == "seat_wind"
    totals = {option.value: first(option).total for option in asked.options}
    assert totals["E"] > totals["S"] == totals["W"] == totals["N"]


def test_melds_that_may_be_concealed_are_asked() -> None:
    verdict = assess(
        reading_with(("123m456p55s78s [EEE] +9s", 0.5), ("123m456p55s78sEEE +9s", 0.5)), MCR
    )
    assert verdict.question is not None
    assert verdict.question.kind is QuestionKind.MELDS
    assert verdict.question.bits == pytest.approx(1.0)


def test_a_hand_of_probability_zero_is_passed_over() -> None:
    hand, other = "123m456p789sEEE5m +5m", "123m456p789sEEE6m +6m"
    alone = assess(reading_with((hand, 0.9)), MCR, unknown=("self_drawn",))
    assert assess(reading_with((hand, 0.9), (other, 0.0)), MCR, unknown=("self_drawn",)) == alone
    both = assess(reading_with((hand, 0.0), (other, 0.0)), MCR)
    assert [one.probability for one in both.hands] == [0.5, 0.5]


def test_no_hand() -> None:
    verdict = assess(Reading(), MCR)
    assert verdict.outcome is None
    assert not verdict.agreed
    assert verdict.question is None


@pytest.mark.parametrize("rule_set", rule_sets.all_rules(), ids=lambda r: r.id)
def test_every_rule_set_can_be_asked_about(rule_set: RuleSet) -> None:
    reading = photo("1m2m3m4m5m6m7s8s9s5s5s5s2s _ 2s", rule_set)
    verdict = assess(reading, rule_set, unknown=rule_set.circumstances)
    assert verdict.outcome is not None
    assert verdict.text_en
    assert verdict.text_zh
    names = [q.subject for q in verdict.questions if q.subject]
    assert set(names) <= set(rule_set.circumstances)
    bits = [q.bits for q in verdict.questions]
    assert bits == sorted(bits, reverse=True)
