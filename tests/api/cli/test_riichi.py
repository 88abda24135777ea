"""Riichi on the command line: a tile beside the hand is offered as an indicator, never counted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hupai.api.answers.hand_belief import HandBelief
from hupai.api.answers.score_answer import score_answer
from hupai.api.cli.commands.photo_score import show_beside
from hupai.api.contract.hand import CircumstancesModel
from hupai.scoring import rule_sets
from hupai.scoring.tiles import Tile
from hupai.vision.types import Reading, ReadTile
from tests.api.service import recorded_reading


def beside() -> Reading:
    """A reading with a tile of the dead wall beside the hand."""
    reading = recorded_reading()
    tile = ReadTile(99, Tile.P4, (500.0, 20.0, 526.0, 60.0), 0.99, in_hand=False)
    return replace(reading, tiles=(*reading.tiles, tile))


@pytest.mark.parametrize(
    ("rules", "given", "said"),
    [
        ("riichi-ema", CircumstancesModel(), "--dora 4p"),
        ("riichi-ema", CircumstancesModel(dora_indicators=["4p"]), ""),
        ("mcr-1998", CircumstancesModel(), ""),
    ],
)
def test_a_tile_beside_the_hand_is_offered_as_an_indicator(
    capsys: pytest.CaptureFixture[str], rules: str, given: CircumstancesModel, said: str
) -> None:
    reading, chosen = beside(), rule_sets.get(rules)
    answer = score_answer(chosen, HandBelief.of_reading(reading, given))
    show_beside(reading, chosen, answer)
    shown = capsys.readouterr().out
    assert said in shown
    assert bool(shown.strip()) is bool(said)
