"""House rules from a file, and what is said of a file that is wrong."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hupai.scoring.house_rules import HouseRuleError, load_house_rules, parse_house_rules
from tests.scoring.mcr.examples import excluded, fans, score
from tests.shared import ROOT

CLUB = """
id = "club"
base = "mcr-1998"
name_en = "Our club"
name_zh = "俱乐部"
minimum = 6
base_points = 5
cap = 24

[points]
"双暗杠" = 8
all_chows = 3

[off]
fans = ["无番和", "short_straight"]

[switches]
half_flush_with_all_green = true
"""


def test_points_minimum_base_and_names_are_taken_over() -> None:
    club = parse_house_rules(CLUB)
    assert (club.id, club.name_en, club.name_zh, club.minimum) == ("club", "Our club", "俱乐部", 6)
    found = score("33m88s[456p](8888m)(4444m) +3m", rules=club)
    assert {line.zh: line.points for line in found.fans} == {"双暗杠": 8, "断幺": 2}
    assert [line.clause for line in found.fans] == [
        "MCR 1998, fan 53; points by house rule club",
        "MCR 1998, fan 68",
    ]
    assert [(p.payer, p.amount) for p in found.payments] == [("discarder", 15), ("others", 5)]


def test_a_fan_switched_off_is_left_out_by_the_house() -> None:
    club = parse_house_rules(CLUB)
    assert score("34sEE[123m][567p][888s] +5s", rules=club).total == 0
    without_chows = parse_house_rules('id = "x"\nbase = "mcr-1998"\n[off]\nfans = ["all_chows"]')
    found = score("123m5567p678s[456s] +5p", rules=without_chows)
    assert excluded(found)["平和"] == "house"
    assert fans(found) == {"无字": 1}


def test_a_fan_switched_off_is_named_only_where_the_hand_has_it() -> None:
    rules = parse_house_rules(
        'id = "x"\nbase = "mcr-1998"\n[off]\nfans = ["清龙", "七对", "无番和", "五门齐"]'
    )
    assert excluded(score("123456789m12p55s +3p", rules=rules))["清龙"] == "house"
    assert not {"七对", "五门齐"} & set(excluded(score("123456789m12p55s +3p", rules=rules)))
    assert score("34sEE[123m][567p][888s] +5s", rules=rules).total == 0
    pairs = score("336677m77p8sEENN +8s", rules=rules)
    assert fans(pairs) == {"门前清": 1, "单钓将": 1}
    assert excluded(pairs) == {"七对": "house"}


def test_a_cap_limits_payments() -> None:
    found = score("1122334455667m +7m", rules=parse_house_rules(CLUB))
    assert found.total == 24


def test_the_runner_up_is_capped_as_the_total_is() -> None:
    """Else it would seem to score more than the decomposition that counts; flowers come on top."""
    found = score("111222333567m9m1h +9m", rules=parse_house_rules(CLUB))
    assert found.runner_up is not None
    assert (found.total, found.runner_up.total) == (24 + 1, 24 + 1)


def test_switches_change_exclusions() -> None:
    assert fans(score("223344668888sF +F", rules=parse_house_rules(CLUB)))["混一色"] == 1


def test_every_mistake_is_named_with_its_line() -> None:
    text = """id = "mcr-1998"
base = "mcr-1998"
minimun = 6
cap = "x"
[points]
two_concealed_kong = 8
seven_pairs = -1
[off]
fans = ["chicken_hand",
  "chiken"]
extra = 1
[switches]
half_flush = true
half_flush_with_all_green = 1
"""
    with pytest.raises(HouseRuleError) as caught:
        parse_house_rules(text, "club.toml")
    assert [mistake.line for mistake in caught.value.mistakes] == [1, 3, 4, 6, 7, 10, 11, 13, 14]
    assert (
        "club.toml, line 6: two_concealed_kong: 'two_concealed_kong' is no fan; "
        "did you mean 'two_concealed_kongs'?" in str(caught.value)
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('id = "a"\nbase = ', "line 2: not TOML"),
        ('base = "mcr-1998"', "line 1: id: is missing"),
        (
            'id = "a"\nbase = "mcr-98"',
            "line 2: base: 'mcr-98' is no rule set; did you mean 'mcr-1998'?",
        ),
        ('id = "a"\nbase = "mcr-1998"\npoints = 3', "line 3: points: must be a table"),
        ('id = "a"\nbase = "mcr-1998"\n[off]\nfans = 3', "line 4: fans: must be a list"),
        ('id = 3\nbase = "mcr-1998"', "line 1: id: must be a text"),
    ],
)
def test_a_file_of_another_form(text: str, said: str) -> None:
    with pytest.raises(HouseRuleError, match=re.escape(said)):
        parse_house_rules(text)


def test_the_examples_in_the_documentation_work(tmp_path: Path) -> None:
    blocks = re.findall(
        r"```toml\n(.*?)```", (ROOT / "docs" / "house-rules.md").read_text(encoding="utf-8"), re.S
    )
    assert len(blocks) >= 3
    for number, block in enumerate(blocks):
        path = tmp_path / f"{number}.toml"
        path.write_text(block, encoding="utf-8")
        rules = load_house_rules(path)
        assert score("123456789m45p77s +6p", rules=rules).complete
