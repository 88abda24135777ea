"""``hupai session`` as a shell sees it: sheet, CSV, page, exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from hupai.api.cli.main import app

SESSION: dict[str, object] = {
    "rules": "kc-2.5",
    "players": ["A", "<B>", "C", "D"],
    "deals": [{"type": "win", "player": "A", "multiplier": 8, "from": "<B>"}],
}


def run(tmp_path: Path, value: object, *options: str) -> Result:
    path = tmp_path / "session.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    return CliRunner().invoke(app, ["session", str(path), *options], env={"COLUMNS": "200"})


def test_a_session_is_shown_as_a_table_as_json_and_as_csv(tmp_path: Path) -> None:
    shown = run(tmp_path, SESSION)
    assert shown.exit_code == 0
    assert "+24 (+24)" in shown.stdout
    answer = json.loads(run(tmp_path, SESSION, "--json").stdout)
    assert answer["totals"] == {"A": 24, "<B>": -24, "C": 0, "D": 0}
    assert answer["deals"][0]["running"] == answer["totals"]
    assert run(tmp_path, SESSION, "--csv").stdout.splitlines()[2].startswith("1,A,24,24,-24")


def test_the_page_to_print_escapes_names(tmp_path: Path) -> None:
    page = tmp_path / "sheet.html"
    assert run(tmp_path, SESSION, "--html", str(page)).exit_code == 0
    text = page.read_text(encoding="utf-8")
    assert "&lt;B&gt;" in text
    assert "<B>" not in text
    assert "<script" not in text


def test_several_sessions_end_in_a_ranking(tmp_path: Path) -> None:
    one = {"rules": "mcr-2006", "players": [*"ABCD"], "deals": [{"type": "exhaust"}]}
    shown = run(tmp_path, {"sessions": [one, one], "teams": {"Red": ["A"]}})
    assert shown.exit_code == 0
    assert "Red" in shown.stdout
    assert "10.4.4" in shown.stdout


@pytest.mark.parametrize(
    ("value", "options", "code", "said"),
    [
        ({"rules": "kc-2.5"}, (), 2, "deals"),
        (SESSION, ("--json", "--csv"), 2, "choose one"),
        ({"sessions": [SESSION]}, (), 2, "no standard points"),
        ([], (), 2, "must be an object"),
    ],
)
def test_bad_usage(
    tmp_path: Path, value: object, options: tuple[str, ...], code: int, said: str
) -> None:
    result = run(tmp_path, value, *options)
    assert result.exit_code == code
    assert said in result.output
