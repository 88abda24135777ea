"""The Chinese of the commands: every text that the terminal alone has is in the catalogue."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hupai.api.cli.chinese.logs import LOG_MESSAGES
from hupai.api.cli.chinese.messages import MESSAGES
from hupai.api.cli.chinese.translate import IN_COLUMN, WORDS, cell_in_chinese, in_chinese
from hupai.api.cli.main import app
from hupai.api.cli.typer_app import LANGUAGE
from tests.shared import ROOT

SAID = {"fail", "note", "tell", "in_chinese"}
FREE = {"", "{}", "{}: {}", "{}: {}; {}", "--{}: {}", "{}{}", "{}{}{}", "{} {}", "{}  {}  {}"}
"""Texts that hold nothing to translate but what they are filled with."""
BILINGUAL = {"规则", "牌", "日本語", "10.4.4"}


def template(node: ast.AST) -> list[str]:
    """Return the texts that an expression can be, what fills them as ``{}``."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    if isinstance(node, ast.JoinedStr):
        texts = [""]
        for value in node.values:
            ends = ["{}"]
            if isinstance(value, ast.Constant):
                ends = [str(value.value)]
            elif isinstance(value, ast.FormattedValue) and isinstance(value.value, ast.IfExp):
                ends = template(value.value) or ends
            texts = [text + end for text in texts for end in ends]
        return texts
    if isinstance(node, ast.IfExp):
        return template(node.body) + template(node.orelse)
    return []


def texts_of_commands() -> list[tuple[str, str]]:
    found = []
    for path in sorted((ROOT / "api" / "cli").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = node.func.id if isinstance(node.func, ast.Name) else ""
            if name in SAID and node.args:
                found += [(path.name, text) for text in template(node.args[0])]
            elif name == "Rows":
                cells = [
                    cell
                    for argument in node.args
                    for cell in (
                        argument.value.elts
                        if isinstance(argument, ast.Starred)
                        and isinstance(argument.value, ast.Tuple)
                        else [argument]
                    )
                ]
                cells += [key.value for key in node.keywords if key.arg == "title"]
                found += [(path.name, text) for cell in cells for text in template(cell)]
    return found


def test_every_text_of_a_command_has_its_chinese() -> None:
    texts = texts_of_commands()
    assert len(texts) > 120
    token = LANGUAGE.set("zh")
    try:
        missing = [
            f"{where}: {text}"
            for where, text in texts
            if text not in FREE | BILINGUAL
            and text not in WORDS
            and text not in MESSAGES
            # A text of the catalogue may be put together from others.
            and in_chinese(text) == text
        ]
    finally:
        LANGUAGE.reset(token)
    assert not missing, "\n".join(missing)


def test_every_refusal_of_a_log_has_its_chinese() -> None:
    missing = []
    for path in sorted((ROOT / "scoring").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            name = (
                node.func.id
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
                else ""
            )
            if name in ("CaseFormatError", "StandingError") and isinstance(node, ast.Call):
                texts = [text for argument in node.args[-1:] for text in template(argument)]
                missing += [text for text in texts if text not in LOG_MESSAGES]
    assert not missing, "\n".join(missing)


def test_a_wrong_event_is_named_in_chinese(tmp_path: Path) -> None:
    deal = {"events": [{"type": "win", "player": "B", "from": "C", "base_points": 2}]}
    wrong = {"events": [{"type": "kong", "player": "B"}]}
    file = tmp_path / "session.json"
    log = {"rules": "sichuan-2024", "players": [*"ABCD"], "deals": [deal] * 4 + [wrong]}
    file.write_text(json.dumps(log), encoding="utf-8")
    result = CliRunner().invoke(app, ["session", str(file), "--language", "zh"])
    assert result.exit_code == 2
    assert "第5副第1项：缺少，应为文字" in result.output


def test_chinese_keeps_what_a_message_was_filled_with() -> None:
    for english, chinese in (MESSAGES | LOG_MESSAGES).items():
        fields = english.count("{}")
        filled = chinese.format(*[f"<{i}>" for i in range(fields)])
        kept = [i for i in range(fields) if f"<{i}>" in filled]
        assert len(kept) == fields, english


def test_nothing_is_translated_unless_asked_for() -> None:
    token = LANGUAGE.set("")
    try:
        assert in_chinese("Next dealer: A") == "Next dealer: A"
    finally:
        LANGUAGE.reset(token)
    token = LANGUAGE.set("zh")
    try:
        assert in_chinese("Next dealer: A") == "下一副庄家：A"
        assert in_chinese("a text of nobody") == "a text of nobody"
        assert cell_in_chinese("player", "left") == "left"
        assert cell_in_chinese("claimed from", "left") == "上家"
        assert IN_COLUMN["claimed from", "left"] != WORDS["left"]
    finally:
        LANGUAGE.reset(token)


@pytest.mark.parametrize(
    ("arguments", "english"),
    [
        (["waits", "123456789m1144p", "--rules", "mcr-1998"], "tiles left"),
        (["compare", "123456789m1144p +4p"], "winner receives"),
        (["score", "123456789m11444p", "--rules", "mcr-1998"], "Which tile"),
        (["models", "list"], "about"),
        (["doctor"], "weights"),
        (["read", "examples/pungs.jpg"], "Likeliest"),
        (["photo", "examples/pungs.jpg", "--rules", "mcr-1998"], "claimed from"),
    ],
)
def test_a_command_answers_in_chinese_alone(
    arguments: list[str], english: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HUPAI_DATA_DIR", str(tmp_path))
    arguments = [str(ROOT / one) if one.startswith("examples/") else one for one in arguments]
    wide = {"COLUMNS": "250"}
    shown = CliRunner().invoke(app, [*arguments, "--language", "zh"], env=wide).output
    assert english not in shown
    assert any("一" <= character <= "鿿" for character in shown)
    assert english in CliRunner().invoke(app, [*arguments, "--language", "en"], env=wide).output
