"""The five counting principles, on hands where each of them decides."""

from __future__ import annotations

import pytest

from hupai.scoring.result import Principle
from tests.scoring.mcr.examples import excluded, fans, score

HIGH_NOT_LOW, NON_REPEAT = Principle.HIGH_NOT_LOW, Principle.NON_REPEAT


def test_implied_fan_are_not_counted() -> None:
    """不重复: all green cannot help missing a suit, though no text says so."""
    found = score("22334466888s44s +6s")
    assert fans(found) == {
        "绿一色": 1,
        "清一色": 1,
        "门前清": 1,
        "四归一": 1,
        "断幺": 1,
        "一般高": 1,
    }
    assert excluded(found) == {"缺一门": "non_repeat", "无字": "excluded"}


def test_sets_of_a_straight_are_not_taken_apart() -> None:
    """不拆移: 123 456 789 make 清龙 and then neither 连六 nor 老少副."""
    found = score("123456789m12p55s +3p", "self_drawn")
    assert fans(found) == {"清龙": 1, "不求人": 1, "平和": 1, "喜相逢": 1, "边张": 1}
    assert excluded(found)["连六"] == excluded(found)["老少副"] == "non_separation"


def test_a_set_is_not_used_twice_for_the_same_fan() -> None:
    """不得相同: 456m makes 喜相逢 with one 456p and not with the other as well."""
    found = score("456m456456pWWW5s +5s")
    assert fans(found) == {"门前清": 1, "一般高": 1, "喜相逢": 1, "幺九刻": 1, "单钓将": 1}
    assert excluded(found) == {"喜相逢": "non_identical"}


def test_the_higher_scoring_decomposition_counts_and_the_other_is_the_runner_up() -> None:
    """就高不就低: three pungs in a row are three equal chows as well."""
    found = score("222333444m67p99s +5p", "self_drawn")
    assert fans(found) == {"一色三节高": 1, "三暗刻": 1, "不求人": 1, "无字": 1}
    assert found.runner_up is not None
    assert (found.total, found.runner_up.total) == (45, 30)
    assert found.runner_up.fans == (("一色三同顺", 1), ("不求人", 1), ("平和", 1))
    assert excluded(found)["一色三同顺"] == "high_not_low"


def test_the_fan_that_a_dearer_decomposition_brings_is_named() -> None:
    """就高不就低: 清一色 counts in both decompositions, so it is not why 一色三同顺 does not."""
    found = score("111222333567m9m +9m")
    assert fans(found)["清一色"] == fans(found)["一色三节高"] == 1
    lost = {line.zh: line.by for line in found.excluded if line.principle is HIGH_NOT_LOW}
    assert lost == {"一色三同顺": "pure_shifted_pungs", "平和": "pure_shifted_pungs"}


def test_what_a_decomposition_shows_is_not_said_to_be_only_in_another() -> None:
    """不重复: 一般高 is part of 一色三同顺 here, though the runner-up counts it."""
    found = score("3455667788p [678p] +2p")
    assert found.runner_up is not None
    assert ("一般高", 1) in found.runner_up.fans
    assert [line.principle for line in found.excluded if line.zh == "一般高"] == [NON_REPEAT]


def test_sets_left_over_are_combined_once() -> None:
    """套算一次: four chows give three fan of two, though they make four."""
    found = score("234567m234567p5s +5s")
    assert fans(found) == {"门前清": 1, "平和": 1, "断幺": 1, "喜相逢": 2, "连六": 1, "单钓将": 1}
    assert excluded(found)["连六"] == "combine_once"


def test_a_fourth_set_joins_three_that_are_combined() -> None:
    found = score("123456789p123s5m +5m")
    assert (fans(found)["清龙"], fans(found)["喜相逢"]) == (1, 1)


def test_a_pung_left_over_joins_as_well() -> None:
    found = score("22m333p77s[222s][444s] +2m")
    assert fans(found) == {"碰碰和": 1, "三色三节高": 1, "双同刻": 1, "断幺": 1}


@pytest.mark.parametrize(
    ("hand", "expected"),
    [
        ("5677m[EEE][SSS][WWW] +7m", {"三风刻": 1, "混一色": 1, "圈风刻": 1, "门风刻": 1}),
        ("1112345678999m +5m", {"九莲宝灯": 1, "双暗刻": 1, "幺九刻": 1}),
        (
            "34m99pEEE[999s][CCC] +5m",
            {"五门齐": 1, "圈风刻": 1, "门风刻": 1, "箭刻": 1, "幺九刻": 1},
        ),
    ],
)
def test_pungs_of_terminals_and_honours_are_left_out_set_by_set(
    hand: str, expected: dict[str, int]
) -> None:
    assert fans(score(hand)) == expected


def test_a_pung_completed_by_a_discard_is_exposed_unless_the_tile_fits_a_chow() -> None:
    """Rulings: 5m completes 555m in the first hand, but 345m in the second."""
    assert "双暗刻" not in fans(score("55678m222p44s[678s] +5m"))
    assert "双暗刻" in fans(score("55534m222p44s[678s] +5m"))


def test_a_kong_is_no_part_of_a_tile_hog() -> None:
    assert "四归一" in fans(score("111123s55p67m[345m] +8m"))
    assert "四归一" not in fans(score("456s55p67m[345m][1111s] +8m"))


def test_an_exclusion_cites_the_text_that_names_it() -> None:
    """1998 names 碰碰和 beside 混幺九, only the handbook 全带幺; nothing 缺一门 beside 绿一色."""
    reasons = {line.zh: line.reason_en for line in score("11m99pEEE[999m][111s] +1m").excluded}
    assert reasons["碰碰和"] == "All Terminals and Honours excludes it by name (MCR 1998, fan 18)."
    assert reasons["全带幺"] == "All Terminals and Honours contains it, so it is not counted again."
    by_handbook = {
        line.zh: line.reason_en
        for line in score("11m99pEEE[999m][111s] +1m", rules="mcr-handbook").excluded
    }
    assert (
        by_handbook["碰碰和"] == "All Terminals and Honours excludes it by name (handbook 4.4.3)."
    )
