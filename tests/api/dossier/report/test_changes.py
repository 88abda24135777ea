"""What differs between two results, in words."""

from __future__ import annotations

import pytest

from hupai.api.contract.hand import CircumstancesModel
from hupai.api.dossier.chain.events import ResultRecord
from hupai.api.dossier.recorded_scores import result_of
from hupai.api.dossier.report.changes import changes
from hupai.scoring.notation import parse_hand
from hupai.scoring.rule_sets import get

RON = CircumstancesModel(seat_wind="E")


def result(notation: str, won_how: CircumstancesModel = RON) -> ResultRecord:
    return result_of(get("mcr-1998"), parse_hand(notation), won_how)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (
            "123sEENNNPPP99s+9s",
            "123sEE[NNN]PPP99s+9s",
            ["N N N: concealed in the hand → claimed pung"],
        ),
        (
            "123sEE[NNN,1]PPP99s+9s",
            "123sEE[NNN,3]PPP99s+9s",
            ["N N N: claimed pung from the left → claimed pung from the right"],
        ),
        (
            "123sEE(NNNN)PPP99s+9s",
            "123sEE[NNNN,2]PPP99s+9s",
            ["N N N N: concealed kong → claimed kong from across"],
        ),
        (
            "123sEE[NNN,1]PPP99s+9s",
            "123sEENNN[999s,2]PP+P",
            [
                "N N N: claimed pung from the left → concealed in the hand",
                "9s 9s 9s: concealed in the hand → claimed pung from across",
                "winning tile: 9s → P",
            ],
        ),
        (
            "11p[123m,1]456m789mEE+E",
            "11p[234m,1]456m789mEE+E",
            ["tile: 1m → 4m", "1m 2m 3m: claimed chow from the left → 2m 3m 4m claimed chow from"],
        ),
        ("123sEENNNPPP99s1h+9s", "123sEENNNPPP99s2h+9s", ["flowers: 1h → 2h"]),
        ("123m406p789sEEE5s+5s", "123m456p789sEEE5s+5s", ["red fives: 5p → –"]),
    ],
)
def test_every_difference_is_named(before: str, after: str, said: list[str]) -> None:
    found = [change.en for change in changes(result(before), result(after))]
    assert len(found) == len(said), found
    assert all(line.startswith(words) for line, words in zip(found, said, strict=True)), found


def test_how_it_was_won_is_named_in_both_languages() -> None:
    now = RON.model_copy(update={"self_drawn": True, "seat_wind": "N"})
    hand = "123sEENNNPPP99s+9s"
    assert [(one.en, one.zh) for one in changes(result(hand), result(hand, now))] == [
        ("Self-drawn: no → yes", "自摸：否 → 是"),
        ("Seat wind: East → North", "门风：东 → 北"),
    ]


def test_a_first_hand_is_compared_with_nothing() -> None:
    assert changes(None, result("123sEENNNPPP99s+9s")) == ()
