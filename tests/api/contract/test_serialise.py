"""The JSON of the outside contract."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Annotated

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from hupai.api.contract import to_dict, to_json
from hupai.api.contract.reading import reading_of_json
from hupai.api.contract.values import JSON
from hupai.scoring import rule_sets
from hupai.scoring.hand import Circumstances, Hand, Meld, MeldKind, Source
from hupai.scoring.notation import parse_hand
from hupai.scoring.result import (
    ExcludedFan,
    FanLine,
    Payment,
    Principle,
    Problem,
    RunnerUp,
    Score,
    SetKind,
    SetPart,
    Severity,
)
from hupai.scoring.tiles import Tile, tiles_from_codes
from hupai.scoring.waits import waits
from hupai.vision.types import (
    Group,
    GroupKind,
    LikelyHand,
    ModelInfo,
    PhotoInfo,
    PhotoProblem,
    PhotoReading,
    Reading,
    ReadTile,
    Timing,
)

HAND = Hand(
    tiles_from_codes("23m55pEEE"),
    (
        Meld(MeldKind.CHOW, tiles_from_codes("567m"), Source.LEFT),
        Meld(MeldKind.CONCEALED_KONG, tiles_from_codes("9999s")),
    ),
    Tile.M1,
    (Tile.SPRING,),
)


def photo_reading(reading: Reading) -> PhotoReading:
    model, photo = (
        ModelInfo("tiles", "2026.11", "ab" * 32),
        PhotoInfo("table.jpg", "cd" * 32, 1200, 900),
    )
    return PhotoReading(photo, model, reading, Timing(1.04, 2.06, 3, 4, 10.14))


def test_a_reading_has_the_form_of_the_contract() -> None:
    tile = ReadTile(
        7, Tile.M5, (1.04, 2, 3.06, 4), 0.912345, ((Tile.M4, 0.031),), sideways=True, group=2
    )
    problem = PhotoProblem("wrong_count", Severity.WARNING, "One tile too few.", "少一张。", (7,))
    groups = (Group(2, GroupKind.CHOW, (7,), Source.LEFT),)
    answer = to_dict(
        photo_reading(Reading((tile,), groups, (LikelyHand(HAND, 0.91),), True, (problem,)))
    )
    assert answer == {
        "photo": {"path": "table.jpg", "sha256": "cd" * 32, "width": 1200, "height": 900},
        "model": {"name": "tiles", "version": "2026.11", "sha256": "ab" * 32, "tile_set": None},
        "tiles": [
            {
                "id": 7,
                "tile": "5m",
                "box": [1.0, 2.0, 3.1, 4.0],
                "quad": [[1.0, 2.0], [3.1, 2.0], [3.1, 4.0], [1.0, 4.0]],
                "confidence": 0.9123,
                "alternatives": [["4m", 0.031]],
                "sideways": True,
                "in_hand": True,
                "group": 2,
                "inferred": False,
                "red": False,
            }
        ],
        "groups": [{"id": 2, "kind": "chow", "tiles": [7], "claimed_from": "left"}],
        "hands": [
            {
                "notation": "23m55pEEE [567m,1] (9999s) 1h +1m",
                "probability": 0.91,
                "concealed": ["2m", "3m", "5p", "5p", "E", "E", "E"],
                "melds": [
                    {"kind": "chow", "tiles": ["5m", "6m", "7m"], "claimed_from": "left"},
                    {"kind": "concealed_kong", "tiles": ["9s"] * 4, "claimed_from": None},
                ],
                "winning_tile": "1m",
                "flowers": ["1h"],
            }
        ],
        "certain": True,
        "problems": [
            {
                "code": "wrong_count",
                "severity": "warning",
                "message": "One tile too few.",
                "message_zh": "少一张。",
                "tiles": [7],
            }
        ],
        "timing_ms": {"decode": 1.0, "detect": 2.1, "layout": 3.0, "read": 4.0, "total": 10.1},
    }


@given(st.lists(st.floats(0.00001, 1), min_size=1, max_size=8))
def test_rounded_probabilities_of_hands_still_sum_to_at_most_one(weights: list[float]) -> None:
    total = sum(weights)
    hands = tuple(LikelyHand(HAND, weight / total) for weight in weights)
    shown = [hand["probability"] for hand in to_dict(photo_reading(Reading(hands=hands)))["hands"]]
    assert sum(round(10_000 * probability) for probability in shown) <= 10_000


def test_a_score_names_every_field_of_every_part() -> None:
    part = SetPart(SetKind.PUNG, tiles_from_codes("EEE"), concealed=True)
    score = Score(
        rules="mcr-1998",
        complete=True,
        legal=True,
        total=9,
        unit="fan",
        fans=(
            FanLine(
                "prevalent_wind",
                "圈风刻",
                "Prevalent Wind",
                2,
                1,
                (0,),
                "MCR 1998, fan 60",
                "why",
                "为何",
            ),
        ),
        excluded=(
            ExcludedFan(
                "a",
                "幺九刻",
                "Terminal Pung",
                1,
                1,
                "MCR 1998, fan 73",
                Principle.NON_REPEAT,
                "prevalent_wind",
                "r",
                "因",
            ),
        ),
        split=(part,),
        payments=(Payment("each", 3, 17, "8 + 9"),),
        winner_receives=51,
        problems=(Problem("wind_unknown", Severity.WARNING, "m", "说", (Tile.EAST,)),),
        runner_up=RunnerUp((part,), 8, (("圈风刻", 1),)),
        details=(("fan_sum", 9),),
    )
    answer = to_dict(score)
    assert list(answer) == [field.name for field in fields(Score) if field.name != "steps"]
    assert list(answer["fans"][0]) == [
        field.name for field in fields(FanLine) if field.name != "ja"
    ]
    assert set(answer["excluded"][0]) == {field.name for field in fields(ExcludedFan)} - {"ja"}
    assert answer["excluded"][0]["principle"] == "non_repeat"
    assert answer["split"][0] == {
        "kind": "pung",
        "tiles": ["E", "E", "E"],
        "concealed": True,
        "melded": False,
        "has_winning_tile": False,
    }
    assert answer["payments"] == [{"payer": "each", "count": 3, "amount": 17, "formula": "8 + 9"}]
    assert answer["problems"][0]["tiles"] == ["E"]
    assert answer["runner_up"]["fans"] == [["圈风刻", 1]]
    assert answer["details"] == {"fan_sum": 9}


def test_a_line_is_one_line_and_keeps_chinese() -> None:
    line = to_json({"zh": "和牌\n", "n": 1.5})
    assert "\n" not in line
    assert "和牌" in line
    assert json.loads(line) == {"zh": "和牌\n", "n": 1.5}


def test_one_entry_writes_every_value_of_the_contract() -> None:
    hand = parse_hand("123456789m11p23s")
    rules = rule_sets.get("mcr-1998")
    score = rules.score(HAND, Circumstances())
    assert TypeAdapter(Annotated[Score, JSON]).validate_python(to_dict(score)) == score
    assert to_dict(photo_reading(Reading()))["timing_ms"]["total"] == 10.1
    assert to_dict(HAND)["winning_tile"] == "1m"
    assert [wait["tile"] for wait in to_dict(waits(hand, rules))["waits"]] == ["1s", "4s"]
    assert to_json(HAND).startswith('{"concealed": ["2m", "3m"')
    with pytest.raises(TypeError, match="no JSON for Tile"):
        to_dict(Tile.M1)


def test_a_reading_keeps_the_red_fives_of_its_hands() -> None:
    hand = parse_hand("123406m11p234s [340p,1] 88s +8s")
    reading = Reading(hands=(LikelyHand(hand, 0.5), LikelyHand(HAND, 0.25)))
    document = to_dict(photo_reading(reading))
    assert document["hands"][0]["red_fives"] == ["5m"]
    assert "red_fives" not in document["hands"][1]
    assert reading_of_json(document).hands == reading.hands
