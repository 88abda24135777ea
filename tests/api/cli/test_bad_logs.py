"""Logs and hands that once passed unnoticed, or broke the command, through the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from hupai.api.cli.main import app

PLAYERS = [*"ABCD"]


def kong(player: str, tile: str) -> dict[str, object]:
    return {"type": "kong", "player": player, "kong": "concealed", "tile": tile}


def win(player: str, points: int, **more: object) -> dict[str, object]:
    source = {} if "self_drawn" in more else {"from": "A"}
    return {"type": "win", "player": player, "base_points": points, **source, **more}


def settled(tmp_path: Path, log: object, *more: str) -> Result:
    file = tmp_path / "deal.json"
    file.write_text(json.dumps(log), encoding="utf-8")
    return CliRunner().invoke(app, ["deal", str(file), *more], env={"COLUMNS": "400"})


@pytest.mark.parametrize(
    ("events", "said"),
    [
        (
            [kong("A", f"{rank}m") for rank in range(1, 7)],
            "Event 5: that makes 5 sets on the table of A",
        ),
        ([kong("A", "4m"), kong("B", "4m")], "Event 2: that makes 8 of 4m, and there are four"),
        ([kong("A", "E")], "Event 1: E is not in play"),
        (
            [kong("A", "4m"), win("B", 2, robbing_kong=True)],
            "Event 2: a concealed kong cannot be robbed",
        ),
        ([win("B", 1, kong_discard=True)], "Event 1: kong_discard doubles"),
        (
            [win("B", 2, last_tile=True), win("C", 2)],
            "Event 2: the last tile of the wall is gone",
        ),
        (
            [win("B", 2, self_drawn=True, kong_draw=True)],
            "Event 1: no kong of the winner stands directly before this draw",
        ),
        ([{"type": "fine", "player": "A", "points": 10**30}], "Event 1: no fine is higher than 24"),
    ],
)
def test_an_impossible_event_is_reported_with_its_number(
    tmp_path: Path, events: list[object], said: str
) -> None:
    result = settled(tmp_path, {"players": PLAYERS, "events": events})
    assert result.exit_code == 1
    assert said in result.stdout


@pytest.mark.parametrize(
    ("log", "said"),
    [
        ({"players": PLAYERS, "evnts": []}, "did you mean 'events'?"),
        ({"players": PLAYERS, "events": [{"type": "dance", "player": "A"}]}, "'dance' is no event"),
    ],
)
def test_a_misspelt_log_is_refused(tmp_path: Path, log: object, said: str) -> None:
    result = settled(tmp_path, log)
    assert result.exit_code == 2
    assert said in result.output


@pytest.mark.parametrize(
    ("log", "field", "said"),
    [
        (
            {"players": PLAYERS, "events": [{"type": "pass", "player": "A", "fan": -1}]},
            "events[0].fan",
            "第1项：至少为0，现为-1",
        ),
        (
            {"players": PLAYERS, "events": [win("B", 1, fan_sum=-1)]},
            "events[0].fan_sum",
            "第1项：至少为0，现为-1",
        ),
        (
            {"players": PLAYERS, "events": [win("B", 2, hand="123m +1m")]},
            "events[0].hand",
            "第1项：手牌共 4 张",
        ),
        (
            {"players": PLAYERS, "events": [win("B", 2, hand="123x")]},
            "events[0].hand",
            "第1项：第1个字符",
        ),
        ({"players": ["A", "", "C", "D"], "events": []}, "players", "应为按行牌次序的姓名列表"),
        ({"players": [*"ABC", "\x1b[31mD"], "events": []}, "players", "应为按行牌次序的姓名列表"),
        (
            {"scores": dict.fromkeys(PLAYERS, 0), "standard_points": [4, 3, 2, float("nan")]},
            "standard_points[3]",
            "应为数，现为nan",
        ),
    ],
)
def test_an_error_in_chinese_contains_no_english(
    tmp_path: Path, log: object, field: str, said: str
) -> None:
    result = settled(tmp_path, log, "--language", "zh")
    assert result.exit_code == 2
    assert f"{field}: {said}" in result.output


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (
            {"type": "kong", "player": "B", "kind": "concealed"},
            "events[0].kong: event 1: is missing: use concealed, from_discard, added, "
            "timely_rain; kind is no field of a kong",
        ),
        (
            {"type": "kong", "player": "B"},
            "events[0].kong: event 1: is missing: use concealed, from_discard, added, timely_rain",
        ),
        (
            {"player": "B"},
            "events[0].type: event 1: is missing: use kong, pung, win, multi_win, exhaust, pass, "
            "draw, discard, fine",
        ),
        ({"type": "draw", "player": None}, "events[0].player: event 1: is missing"),
    ],
)
def test_a_missing_field_is_said_to_be_missing(
    tmp_path: Path, event: dict[str, object], said: str
) -> None:
    result = settled(tmp_path, {"players": PLAYERS, "events": [event]})
    assert result.exit_code == 2
    assert said in result.output.splitlines()
    chinese = settled(tmp_path, {"players": PLAYERS, "events": [event]}, "--language", "zh").output
    assert "第1项：缺少" in chinese
    assert "missing" not in chinese


def test_a_name_cannot_command_the_terminal(tmp_path: Path) -> None:
    """An escape sequence in a name that is nobody's is written out."""
    events = [{"type": "fine", "player": "\x1b]0;title\x07", "points": 4}]
    result = settled(tmp_path, {"players": PLAYERS, "events": events})
    assert "\x1b" not in result.output
    assert r"\x1b]0;title\x07 is not at the table" in result.stdout


@pytest.mark.parametrize("command", ["deal", "session"])
def test_files_as_editors_write_them(tmp_path: Path, command: str) -> None:
    """A byte order mark is ignored; another encoding is reported with its position."""
    log = {
        "rules": "sichuan-2024",
        "players": PLAYERS,
        ("events" if command == "deal" else "deals"): [],
    }
    marked, other = tmp_path / "marked.json", tmp_path / "other.json"
    marked.write_bytes(b"\xef\xbb\xbf" + json.dumps(log).encode())
    other.write_bytes('{"players": ["王"]}'.encode("gbk"))
    assert CliRunner().invoke(app, [command, str(marked)]).exit_code < 2
    result = CliRunner().invoke(
        app, [command, str(other), "--language", "zh"], env={"COLUMNS": "300"}
    )
    assert result.exit_code == 2
    assert "不是UTF-8文本，见第15字节" in result.output


def test_truncated_json_is_reported_in_chinese(tmp_path: Path) -> None:
    file = tmp_path / "deal.json"
    file.write_text('{"players": ["A",', encoding="utf-8")
    result = CliRunner().invoke(
        app, ["deal", str(file), "--language", "zh"], env={"COLUMNS": "300"}
    )
    assert "不是JSON：第1行第18列：此处应有值（第17个字符）" in result.output


def test_scores_that_do_not_balance_are_reported(tmp_path: Path) -> None:
    scores = {"A": 5, "B": 5, "C": 0, "D": 0}
    result = settled(tmp_path, {"players": PLAYERS, "scores": scores})
    assert result.exit_code == 1
    assert "the difference is +10 (10.2.3)" in result.stdout


def test_json_nested_too_deeply_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "deep.json"
    file.write_text("[" * 100_000, encoding="utf-8")
    result = CliRunner().invoke(app, ["deal", str(file)])
    assert result.exit_code == 2
    assert "nested too deeply" in result.output


def test_eight_deals_with_a_mistake_in_the_fifth(tmp_path: Path) -> None:
    """The message names deal, event and reason in Chinese."""
    good = {
        "events": [win("B", 2), {"type": "exhaust", "ready": {"A": 2}, "not_ready": ["C", "D"]}]
    }
    fifth = {"events": [kong("B", "4m"), {**win("C", 2), "from": "C"}]}
    log = {"rules": "sichuan-2024", "players": PLAYERS, "deals": [*[good] * 4, fifth, *[good] * 3]}
    file = tmp_path / "session.json"
    file.write_text(json.dumps(log), encoding="utf-8")
    wide = {"COLUMNS": "300"}
    result = CliRunner().invoke(app, ["session", str(file), "--language", "zh"], env=wide)
    assert result.exit_code == 1
    errors = [line for line in result.stdout.splitlines() if line.startswith("错误")]
    assert errors == ["错误：第 5 副：第 2 项：不能和自己打出的牌。 [deal_no_discarder]"]


@pytest.mark.parametrize(
    "hand",
    [
        "23m55pEEE ??? (9999s) +1m",
        "?",
        "[???,1]",
        "11112222333344445555666677778888999m +5m",
        "5p [111m] [222m] [333m] [444m] [555m] [666m] [777m] [888m] [999m] +5m",
    ],
)
@pytest.mark.parametrize("rules", ["mcr-1998", "sichuan-2024", "riichi-ema"])
def test_an_impossible_hand_has_problems_and_no_traceback(hand: str, rules: str) -> None:
    result = CliRunner().invoke(app, ["score", hand, "--rules", rules])
    assert result.exit_code == 1
    assert isinstance(result.exception, SystemExit)
    assert "error" in result.stdout


def test_a_referee_reads_in_chinese_why_no_honours_does_not_count() -> None:
    hand = "一二三四五六万 二三四饼 六七条 五饼五饼 +八条"
    asked = ["score", hand, "--rules", "mcr-1998", "--explain", "--language", "zh"]
    result = CliRunner().invoke(app, asked, env={"COLUMNS": "200"})
    assert "平和已包含无字，不重复计。" in result.stdout
