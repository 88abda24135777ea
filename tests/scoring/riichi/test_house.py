"""House rules for riichi."""

from __future__ import annotations

from pathlib import Path

import pytest

from hupai.scoring.hand import Circumstances
from hupai.scoring.house_rules import HouseRuleError, parse_house_rules
from hupai.scoring.notation import parse_hand
from hupai.scoring.result import Principle
from hupai.scoring.riichi.rules import RiichiRules
from hupai.scoring.tiles import Tile
from tests.shared import ROOT

SEAT = Circumstances(seat_wind=Tile.SOUTH, round_wind=Tile.EAST)


def house(text: str) -> RiichiRules:
    rules = parse_house_rules(f'id = "club"\nbase = "riichi-ema"\n{text}')
    assert isinstance(rules, RiichiRules)
    return rules


def test_a_switch_and_a_number() -> None:
    open_simples = parse_hand("34567p88s678s [234m,1] +2p")
    assert house("").score(open_simples, SEAT).total == 1000
    closed_only = house("[switches]\nopen_tanyao = false").score(open_simples, SEAT)
    assert closed_only.problems[0].code == "no_yaku"
    assert closed_only.excluded[0].id == "tanyao"
    red = house("red_fives = 1").score(parse_hand("34067p88s678s [234m,1] +2p"), SEAT)
    assert red.total == 2000


def test_a_yaku_worth_more_or_nothing() -> None:
    pairs = parse_hand("1122m3355p7799sE +E")
    assert house('[points]\n"七対子" = 4').score(pairs, SEAT).total == 6400
    off = house('[off]\nfans = ["七对子"]').score(pairs, SEAT)
    assert not off.legal
    assert [(one.id, one.principle) for one in off.excluded] == [("chiitoitsu", Principle.HOUSE)]


def test_the_end_of_a_game() -> None:
    placing = house("start = 25000\numa_1 = 20000\numa_4 = -20000").options.placing
    assert (placing.start, placing.return_points) == (25_000, 30_000)
    assert placing.uma == (20_000, 5_000, -5_000, -20_000)


def test_the_example_of_the_page() -> None:
    page = Path(ROOT / "docs" / "house-rules-riichi.md").read_text("utf-8")
    text = page.partition("```toml\n")[2].partition("```")[0]
    rules = parse_house_rules(text)
    assert isinstance(rules, RiichiRules)
    assert rules.options.double_yakuman
    assert rules.options.red_fives == (1, 1, 1)


def test_mistakes_are_named() -> None:
    with pytest.raises(HouseRuleError, match=r"double_wind_pair_fu.*2 to 4"):
        house("double_wind_pair_fu = 6")
    with pytest.raises(HouseRuleError, match="no fan"):
        house('[off]\nfans = ["清龙"]')
