"""Questions about hidden kongs, and hands of 13 tiles."""

from __future__ import annotations

from hupai.scoring.hand import Circumstances
from hupai.scoring.notation import parse_hand
from hupai.scoring.tiles import Tile
from hupai.vision.questions.decide import assess
from hupai.vision.questions.types import (
    QuestionKind,
)
from hupai.vision.reading.certainty.features import looking_alike
from tests.vision.questions.cases import (
    MCR,
    Case,
    answered,
    hands,
    picture,
)


def test_the_face_of_a_hidden_kong_is_asked_and_never_guessed() -> None:
    reading = picture("1m2m3m4p5p6p7s8s9sP _ ???? _ P", MCR)
    verdict = assess(reading, MCR)
    assert [hand.hand for hand in verdict.hands] == [
        likely.hand for likely in looking_alike(reading.hands)
    ]
    assert all(meld.tiles == (Tile.BACK,) * 4 for hand in verdict.hands for meld in hand.hand.melds)
    asked = verdict.question
    assert asked is not None
    assert asked.kind is QuestionKind.KONG
    assert {reading.tiles[i].tile for i in asked.tiles} == {Tile.BACK}
    held = set(reading.hands[0].hand.all_tiles)
    assert {Tile.from_code(option.value) for option in asked.options} == {
        t for t in MCR.tiles if not t.is_flower
    } - held
    assert len({option.probability for option in asked.options}) == 1
    totals = {option.value: option.outcomes[0][0].total for option in asked.options}
    assert (
        totals["E"]
        == MCR.score(parse_hand("123m456p789sP (EEEE) +P"), Circumstances()).total
        > totals["2p"]
    )


def test_two_hidden_kongs_are_asked_one_after_the_other() -> None:
    case = Case("", hands(("123m456pP (????) (????) +P", 0.9)), MCR)
    for _ in range(2):
        asked = case.verdict().question
        assert asked is not None
        assert asked.kind is QuestionKind.KONG
        case = answered(case, asked.options[0])
    assert case.verdict().agreed


def test_thirteen_tiles_wait() -> None:
    verdict = assess(hands(("123m456p789sEEEP", 0.9)), MCR, None, MCR.circumstances)
    assert verdict.agreed
    assert verdict.question is None
    assert verdict.text_en == "not won, waits for P"
    assert verdict.text_zh == "未和牌，听白"
    doubtful = assess(hands(("123m456p789sEEEP", 0.5), ("123m456p789sEEEF", 0.4)), MCR)
    assert doubtful.question is not None, "the waits differ"
