"""``--language``: each language alone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from hupai.api.cli.main import app
from tests.shared import ROOT

HAND = "一二三四五六万 二三四饼 六七条 五饼五饼 +八条"


def hupai(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments), env={"COLUMNS": "200"})


@pytest.mark.parametrize(
    ("hand", "rules"),
    [
        (HAND, "mcr-1998"),
        (HAND, "mcr-2006"),
        ("一一二二三三四四五五五五六万 +六万", "sichuan-2024"),
    ],
)
def test_an_answer_in_one_language(hand: str, rules: str) -> None:
    asked = ("score", hand, "--rules", rules, "--explain", "--language")
    chinese, english = (hupai(*asked, language).stdout for language in ("zh", "en"))
    body = "\n".join(chinese.splitlines()[1:])
    assert not re.search(
        r"[A-Za-z]", re.sub(r"T/TFMJ|10[.]2[.]4 a|\\[\\w+\\]|\[\w+\]", "", body)
    ), body
    assert "不计" in chinese or rules == "sichuan-2024"
    assert "why" in english
    assert "缘由" not in english


@pytest.mark.parametrize(
    "asked",
    [
        ("compare", "1133557m226688p +7m"),
        ("compare", "1199m2255p3377s4s +4s", "--self-drawn"),
        ("score", "88pFFF[222s,1][777m,2]EEE", "--rules", "mcr-1998", "--seat", "E"),
        ("score", "112233m112233p1s +1s", "--rules", "mcr-1998", "--explain"),
        ("score", "112233m112233p1s +1s", "--rules", "riichi-ema", "--explain"),
        ("score", "1112223334m99p +4m", "--rules", "sichuan-2024", "--explain"),
        ("score", "11335577m226689p", "--rules", "kc-2.5"),
        ("waits", "123456789m1144p", "--rules", "mcr-1998"),
        ("photo", "examples/seven-pairs.jpg", "--rules", "mcr-1998", "--also", "riichi-ema"),
    ],
)
def test_english_alone_has_no_chinese(asked: tuple[str, ...]) -> None:
    words = [str(ROOT / word) if word.endswith(".jpg") else word for word in asked]
    shown = hupai(*words, "--language", "en").stdout
    assert shown
    assert not re.search(r"[\u3000-\u9fff\uff00-\uffef]", shown), shown


VERIFY = ("dossier", "verify", str(ROOT / "docs" / "example-case.zip"))
KEY = "5915541815c8298acbbbfc3ed2b99a1352de0061e0b4398bbf70d4b8159d3f43"


@pytest.mark.parametrize(
    ("asked", "english", "chinese"),
    [
        ((*VERIFY, "--key", KEY), "5 scores recomputed", "重算5个得分"),
        ((*VERIFY, "--any-key"), "signer unknown", "签署人未核对"),
        ((*VERIFY, "--key", "0" * 32), "FAILED", "不成立"),
        (("keys", "revoke", "nobody"), "no active key", "没有名称或编号为"),
        (("keys", "add", "a", "--scope", "god"), "is not a scope", "不是权限"),
        (("bulk", "report", "examples"), "contains no table", "没有 `hupai bulk` 的表"),
        (("tile-sets", "show", "none"), "no tile set called", "没有名为"),
    ],
)
def test_what_a_command_says_is_in_one_language(
    asked: tuple[str, ...], english: str, chinese: str, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv("HUPAI_DATA_DIR", str(tmp_path))
    shown = hupai(*asked, "--language", "en").output
    assert english in shown
    assert not re.search(r"[\u3000-\u9fff\uff00-\uffef]", shown), shown
    translated = hupai(*asked, "--language", "zh").output
    assert chinese in translated
    for line in translated.splitlines():
        assert re.search(r"[\u4e00-\u9fff]", line), line


def test_both_languages_by_default() -> None:
    shown = hupai("score", HAND, "--rules", "mcr-1998", "--explain").stdout
    assert "平和已包含无字" in shown
    assert "All Chows contains it" in shown


def test_unreadable_notation_is_reported_in_chinese() -> None:
    result = hupai("score", "一二三万四 二三四饼", "--rules", "mcr-1998", "--language", "zh")
    assert result.exit_code == 2
    assert "第5个字符“四”" in result.output


def test_another_language_is_bad_usage() -> None:
    assert hupai("score", HAND, "--rules", "mcr-1998", "--language", "fr").exit_code == 2
