"""The example scenes with the shipped weights, from file to score."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache

import pytest
from typer.testing import CliRunner

from hupai.api.cli.circumstance_flags import flags_of
from hupai.api.cli.main import app
from hupai.scoring import rule_sets
from hupai.scoring.hand import Circumstances, Hand
from hupai.scoring.notation import parse_hand
from hupai.scoring.tiles import Tile
from tests.shared import ROOT

EXAMPLES = sorted(path.stem for path in (ROOT / "examples").glob("*.json"))


@cache
def described(name: str) -> dict[str, object]:
    description: dict[str, object] = json.loads(
        (ROOT / "examples" / f"{name}.json").read_text("utf-8")
    )
    return description


@cache
def answer(name: str) -> dict[str, object]:
    """What ``hupai photo --json`` says to an example under its rules and circumstances."""
    example = described(name)
    arguments = [
        "photo",
        str(ROOT / "examples" / f"{name}.jpg"),
        "--rules",
        str(example["rules"]),
        "--json",
    ]
    circumstances = example["circumstances"]
    assert isinstance(circumstances, dict)
    for field, value in circumstances.items():
        if value is not False:
            arguments += [flags_of(field)[0], *([] if value is True else [str(value)])]
    result: dict[str, object] = json.loads(CliRunner().invoke(app, arguments).stdout)
    return result


def tiles_of(hand: Hand) -> Counter[str]:
    return Counter(tile.code for tile in (*hand.all_tiles, *hand.flowers))


def test_there_are_at_least_six_of_several_rule_sets_and_one_is_no_win() -> None:
    assert len(EXAMPLES) >= 6
    assert len({str(described(name)["rules"]) for name in EXAMPLES}) >= 2
    scores = [
        rule_sets.get(str(described(name)["rules"])).score(
            parse_hand(str(described(name)["notation"])), Circumstances()
        )
        for name in EXAMPLES
    ]
    assert any(not score.complete for score in scores)


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_tile_of_the_hand_is_read(name: str) -> None:
    reading = answer(name)["reading"]
    assert isinstance(reading, dict)
    assert tiles_of(parse_hand(reading["hands"][0]["notation"])) == tiles_of(
        parse_hand(str(described(name)["notation"]))
    )


@pytest.mark.parametrize("name", EXAMPLES)
def test_no_tile_beside_the_hand_is_counted_and_at_most_a_face_down_one_is_missed(
    name: str,
) -> None:
    reading = answer(name)["reading"]
    assert isinstance(reading, dict)
    found = Counter(tile["tile"] for tile in reading["tiles"] if tile["in_hand"])
    true = tiles_of(parse_hand(str(described(name)["notation"])))
    assert found <= true
    assert (true - found).total() <= str(described(name)["notation"]).count("(")


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_score_is_that_of_the_true_hand(name: str) -> None:
    example = described(name)
    given = example["circumstances"]
    assert isinstance(given, dict)
    values = {
        **given,
        **{
            field: Tile.from_code(given[field])
            for field in ("seat_wind", "round_wind")
            if given.get(field)
        },
    }
    true = rule_sets.get(str(example["rules"])).score(
        parse_hand(str(example["notation"])), Circumstances(**values)
    )
    result = answer(name)["result"]
    assert isinstance(result, dict)
    if result["score"] is None:
        verdict = result["verdict"]
        question = next(
            one
            for one in (verdict["question"], *verdict["further"])
            if one["about"] == "winning_tile"
        )
        totals = [
            outcome["total"] for option in question["options"] for outcome in option["outcomes"]
        ]
        assert true.total in totals
    else:
        assert (result["score"]["total"], result["score"]["legal"]) == (true.total, true.legal)
