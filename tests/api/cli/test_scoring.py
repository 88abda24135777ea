"""``hupai score`` and ``hupai compare`` as a shell sees them: output, exit code, JSON."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from hupai.api.cli.main import app
from hupai.scoring import rule_sets as rule_sets

SICHUAN = ("--rules", "sichuan-2024")
PLAIN = "123456789m1144p +4p"


def hupai(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments), env={"COLUMNS": "200"})


def test_a_win_is_printed_with_fan_clause_and_payments_and_ends_with_0() -> None:
    result = hupai("score", PLAIN, *SICHUAN, "--self-drawn")
    assert result.exit_code == 0
    assert "sichuan-2024" in result.stdout
    assert "自摸" in result.stdout
    assert "T/TFMJ 01-2024" in result.stdout
    assert "The winner receives" in result.stdout


def test_the_hand_may_be_given_as_several_words() -> None:
    assert hupai("score", *PLAIN.split(), *SICHUAN).stdout == hupai("score", PLAIN, *SICHUAN).stdout


def test_explain_adds_the_reasons() -> None:
    assert "why" not in hupai("score", PLAIN, *SICHUAN).stdout
    assert "why" in hupai("score", PLAIN, *SICHUAN, "--explain").stdout


def test_json_is_one_line_with_the_score_by_field() -> None:
    result = hupai("score", PLAIN, *SICHUAN, "--json")
    (line,) = result.stdout.splitlines()
    answer = json.loads(line)
    assert answer["rules"] == answer["score"]["rules"] == "sichuan-2024"
    assert answer["score"]["complete"] is answer["score"]["legal"] is True
    assert answer["hand"]["winning_tile"] == "4p"
    assert answer["verdict"]["agreed"] is True
    assert answer["verdict"]["question"] is None


def test_flags_reach_the_rules() -> None:
    discard = json.loads(hupai("score", PLAIN, *SICHUAN, "--json").stdout)["score"]
    drawn = json.loads(
        hupai("score", PLAIN, *SICHUAN, "--json", "--self-drawn", "--opponents", "2").stdout
    )["score"]
    assert [payment["count"] for payment in discard["payments"]] == [1]
    assert [payment["count"] for payment in drawn["payments"]] == [2]


def test_an_illegal_hand_exits_with_1_and_lists_every_problem() -> None:
    result = hupai("score", "11111m EEE 456p 2s +2s", *SICHUAN)
    assert result.exit_code == 1
    assert "five_of_a_kind" in result.stdout
    assert "honour_not_used" in result.stdout


def test_a_winning_tile_that_changes_nothing_is_not_asked_for() -> None:
    result = hupai("score", "123456789m11444p", *SICHUAN)
    assert result.exit_code == 0
    assert "Which tile completed the hand?" not in result.stdout
    assert "the score is the same" in result.stdout
    answer = json.loads(hupai("score", "123456789m11444p", *SICHUAN, "--json").stdout)
    assert (answer["verdict"]["question"], answer["score"]["legal"]) == (None, True)
    named = hupai("score", "123456789m11444p", "--win", "1p", *SICHUAN).stdout
    assert "the score is the same" not in named
    totals = [re.findall(r"\d+(?= 分)", text)[:1] for text in (result.stdout, named)]
    assert totals[0] == totals[1] != []


def test_a_winning_tile_that_is_not_known_is_asked_for_with_the_total_of_each() -> None:
    mcr = ("--rules", "mcr-1998")
    result = hupai("score", "123456789m11444p", *mcr)
    assert result.exit_code == 1
    assert "Which tile completed the hand?" in result.stdout
    assert "--win 1m" in result.stdout
    answer = json.loads(hupai("score", "123456789m11444p", *mcr, "--json").stdout)
    options = answer["verdict"]["question"]["options"]
    assert sorted((option["value"] for option in options), key=lambda code: code[::-1]) == [
        "1m",
        "2m",
        "3m",
        "4m",
        "5m",
        "6m",
        "7m",
        "8m",
        "9m",
        "1p",
        "4p",
    ]


def test_win_names_the_winning_tile() -> None:
    named = json.loads(hupai("score", "123456789m11444p", *SICHUAN, "--win", "4p", "--json").stdout)
    assert named == json.loads(hupai("score", PLAIN, *SICHUAN, "--json").stdout)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("score", PLAIN), "--rules"),
        (("score", PLAIN, "--rules", "mcr-1899"), "mcr-1899"),
        (("score", "12x", *SICHUAN), "x"),
        (("score", PLAIN, *SICHUAN, "--win", "5z"), "5z"),
        (("score", "123456789m11444p", *SICHUAN, "--win", "9s"), "has no 9s"),
        (("score", PLAIN, *SICHUAN, "--win", "1h"), "wins no hand"),
        (("nonsense",), "nonsense"),
    ],
)
def test_bad_usage_exits_with_2_and_advice(arguments: tuple[str, ...], said: str) -> None:
    result = hupai(*arguments)
    assert result.exit_code == 2
    assert said in result.output
    assert not result.stdout


def test_compare_scores_under_every_rule_set() -> None:
    lines = hupai("compare", PLAIN, "--json").stdout.splitlines()
    assert [json.loads(line)["rules"] for line in lines] == [
        rules.id for rules in rule_sets.all_rules()
    ]
    shown = hupai("compare", PLAIN).stdout
    assert all(rules.id in shown for rules in rule_sets.all_rules())


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("read",),
        ("photo",),
        ("score",),
        ("compare",),
        ("conformance",),
        ("waits",),
        ("serve",),
        ("models",),
        ("models", "evaluate"),
        ("models", "list"),
        ("datasets",),
    ],
)
def test_every_command_has_help(words: tuple[str, ...]) -> None:
    result = hupai(*words, "--help")
    assert result.exit_code == 0
    assert "Usage: hupai" in result.stdout


def test_help_names_the_exit_codes_and_version_prints_one() -> None:
    assert "0 done, 1 done with problems, 2 bad usage" in hupai("--help").stdout
    assert hupai("--version").stdout.startswith("hupai")


def test_the_installed_entry_point_writes_utf8_whatever_the_locale() -> None:
    command = [
        sys.executable,
        "-c",
        "from hupai.api.cli.main import main; main()",
        "score",
        PLAIN,
        *SICHUAN,
        "--json",
    ]
    result = subprocess.run(
        command,
        capture_output=True,
        env={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "LC_ALL": "C"},
        check=True,
    )
    assert "平和" in result.stdout.decode("utf-8")


# 清龙 16, 门前清 2, 缺一门 1, 无字 1.
CASE = {
    "rules": "mcr-1998",
    "concealed": "123456789m1144p",
    "win_tile": "4p",
    "self_drawn": False,
    "expected_total": 20,
}


def test_conformance_reports_each_case_that_differs_and_counts_in_the_last_line(
    tmp_path: Path,
) -> None:
    path = tmp_path / "cases.jsonl"
    cases = [
        {"id": "right", **CASE},
        {"id": "wrong", **CASE, "expected_total": 21, "disputed_by": ["somebody"]},
    ]
    path.write_text("\n".join(map(json.dumps, cases)), "utf-8")
    result = hupai("conformance", str(path))
    lines = result.stdout.splitlines()
    assert result.exit_code == 1
    assert lines[-1] == "1 passed, 1 failed"
    assert any("expected 21, got 20" in line for line in lines)
    assert lines[0].startswith("wrong")
    assert not any(line.startswith("right") for line in lines)


def test_conformance_as_json_is_an_object_a_line_and_the_count_last(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps({"id": "right", **CASE}) + "\nno case\n", "utf-8")
    *cases, count = [
        json.loads(line)
        for line in hupai("conformance", str(path), "--json", "--all").stdout.splitlines()
    ]
    assert [(case["id"], case["passed"], case["line"]) for case in cases] == [
        ("right", True, 1),
        ("", False, 2),
    ]
    assert count == {"passed": 1, "failed": 1}
    assert hupai("conformance", str(path), "--json").stdout.count("\n") == 2


def test_conformance_without_a_difference_ends_with_0(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps(CASE), "utf-8")
    result = hupai("conformance", str(path))
    assert (result.exit_code, result.stdout) == (0, "1 passed, 0 failed\n")


def test_conformance_of_a_missing_file_is_reported_on_standard_error(
    tmp_path: Path,
) -> None:
    result = hupai("conformance", str(tmp_path / "none.jsonl"))
    assert (result.exit_code, result.stdout) == (1, "")
    assert "none.jsonl: No such file" in result.stderr


@pytest.mark.parametrize("text", ["", "\n \n"])
@pytest.mark.parametrize(
    ("language", "said"), [("en", "no cases; write one JSON object"), ("zh", "没有用例")]
)
def test_conformance_of_a_file_without_cases_is_a_problem(
    tmp_path: Path, text: str, language: str, said: str
) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text(text, "utf-8")
    for form in ([], ["--json"]):
        result = hupai("conformance", str(path), *form, "--language", language)
        assert (result.exit_code, result.stdout) == (1, "")
        assert said in result.stderr


def test_waits_names_each_tile_with_what_it_scores_and_what_is_left() -> None:
    shown = hupai("waits", "123456789m1144p", "--rules", "mcr-1998", "--seen", "4p")
    assert shown.exit_code == 0
    assert "1p 一饼" in shown.stdout
    answer = json.loads(
        hupai("waits", "123456789m1144p", "--rules", "mcr-1998", "--seen", "4p", "--json").stdout
    )
    assert [(wait["tile"], wait["remaining"]) for wait in answer["waits"]] == [("1p", 2), ("4p", 1)]
    by_way = {way["way"]: way["total"] for way in answer["waits"][1]["ways"]}
    assert by_way["discard"] == 20
    assert by_way["self_drawn"] > 20


def test_waits_of_a_hand_that_is_not_ready_or_not_13_ends_with_1() -> None:
    far = hupai("waits", "1258m1258p1258sE", "--rules", "mcr-1998")
    assert (far.exit_code, "no tile completes" in far.stdout) == (1, True)
    won = hupai("waits", PLAIN, "--rules", "mcr-1998")
    assert (won.exit_code, "not_13_tiles" in won.stdout) == (1, True)


def test_waits_of_a_sichuan_hand_with_a_claimed_chow_end_with_1_and_say_why() -> None:
    command = ["waits", "123456m2255p [678m]", "--rules", "sichuan-2024"]
    shown, as_json = hupai(*command), json.loads(hupai(*command, "--json").stdout)
    assert (shown.exit_code, "chow_not_used" in shown.stdout) == (1, True)
    assert not as_json["ready"]
    assert [problem["code"] for problem in as_json["problems"]] == ["chow_not_used"]


@pytest.mark.parametrize(
    ("hand", "form", "code"),
    [
        ("123456m2255p678s", [], "three_suits"),
        ("123456789m2255p", ["--void-suit", "p"], "void_suit_held"),
    ],
)
def test_waits_of_a_hand_whose_suits_bar_a_win_ends_with_1_and_says_why(
    hand: str, form: list[str], code: str
) -> None:
    command = ["waits", hand, "--rules", "sichuan-2024", *form]
    english, chinese = (hupai(*command, "--language", one) for one in ("en", "zh"))
    assert (english.exit_code, chinese.exit_code) == (1, 1)
    assert "When the wall ends (查叫), the hand is not ready." in " ".join(english.stdout.split())
    assert code in english.stdout
    assert "查叫时按无叫计" in chinese.stdout
    as_json = hupai(*command, "--json")
    answer = json.loads(as_json.stdout)
    assert (as_json.exit_code, answer["ready"]) == (1, False)
    assert [wait["tile"] for wait in answer["waits"]] == ["2p", "5p"]
    assert [problem["code"] for problem in answer["problems"]] == [code]


def test_waits_with_tiles_that_do_not_exist_in_view_is_bad_usage() -> None:
    assert hupai("waits", "123456789m1144p", "--rules", "mcr-1998", "--seen", "4x").exit_code == 2


def test_waits_with_a_fifth_tile_in_view_ends_with_1() -> None:
    result = hupai("waits", "123456789m1144p", "--rules", "mcr-1998", "--seen", "444p")
    assert result.exit_code == 1
    assert "4p occurs 5 times in hand and view" in result.stdout


def test_house_rules_are_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "club.toml"
    path.write_text('id = "club"\nbase = "mcr-1998"\n[points]\npure_straight = 32\n', "utf-8")
    result = hupai("score", PLAIN, "--rules", str(path), "--json")
    score = json.loads(result.stdout)["score"]
    assert (score["rules"], score["total"]) == ("club", 36)


def test_mistakes_in_house_rules_are_bad_usage_and_name_the_line(tmp_path: Path) -> None:
    path = tmp_path / "club.toml"
    path.write_text('id = "club"\nbase = "mcr-1898"\n', "utf-8")
    result = hupai("score", PLAIN, "--rules", str(path))
    assert result.exit_code == 2
    assert "line 2" in result.stderr
    assert hupai("score", PLAIN, "--rules", str(tmp_path / "none.toml")).exit_code == 2


def test_compare_says_which_fan_mcr_profiles_count_differently_and_why() -> None:
    both = ("--rules", "mcr-1998", "--rules", "mcr-2006")
    shown = hupai("compare", "1199m2255p3377s4s +4s", "--self-drawn", *both).stdout
    assert "不求人 Fully Concealed Hand: mcr-1998 0, mcr-2006 4." in shown
    assert "excludes it by name" in shown
    assert "Fully Concealed Hand: " not in hupai("compare", PLAIN, *both).stdout


def test_a_hand_of_13_is_reported_with_its_waits() -> None:
    result = hupai("score", "123456789m1144p", "--rules", "mcr-1998")
    assert result.exit_code == 1
    assert "not_won_yet" in result.stdout
    assert "4p 四饼" in result.stdout
