"""The Chinese of the commands: every text that the terminal alone has is in the catalogue."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Collection, Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from types import FunctionType
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

import hupai.api
import hupai.models.learning
import hupai.vision.enrolment
from hupai.api.cli.chinese.help import help_text
from hupai.api.cli.chinese.messages import MESSAGES
from hupai.api.cli.chinese.translate import IN_COLUMN, WORDS, cell_in_chinese, in_chinese
from hupai.api.cli.main import COMMANDS, app
from hupai.api.cli.typer_app import LANGUAGE, load
from hupai.scoring.cases.refusals import REFUSALS
from hupai.scoring.errors import HupaiError
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


CHECKS = {"_ok", "_warning", "_failed", "_tried", "BackupError", "StorageError"}
TYPED = {"weights", "https", "photos", "redis", "hupai keys add NAME --scope player"}
"""Names of checks that are none of the words, and what is typed as it stands."""


@pytest.mark.parametrize("name", ["backup.py", "doctor.py"])
def test_every_text_of_backups_and_checks_has_its_chinese(name: str) -> None:
    said: list[str] = []
    for node in ast.walk(ast.parse((ROOT / "api" / "app" / name).read_text("utf-8"))):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in CHECKS:
            said += [text for argument in node.args for text in template(argument)]
        elif isinstance(node, ast.Assign) and "advice" in ast.unparse(node.targets[0]):
            said += template(node.value)
    assert len(said) > 5
    missing = [text for text in said if text not in MESSAGES | WORDS | dict.fromkeys(FREE | TYPED)]
    assert not missing, missing


def errors_of_the_program() -> dict[str, type[HupaiError]]:
    """The errors that come with an English sentence alone, by name."""
    for package in (hupai.api, hupai.models.learning, hupai.vision.enrolment):
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            if "migrations" not in module.name and not module.name.endswith("__main__"):
                import_module(module.name)

    def below(error: type[HupaiError]) -> Iterator[type[HupaiError]]:
        for one in error.__subclasses__():
            yield one
            yield from below(one)

    return {
        one.__name__: one
        for one in below(HupaiError)
        if one.__module__.startswith("hupai.") and not isinstance(one.__init__, FunctionType)
    }


INSIDE = {
    *("CaseMissingError", "NoSuchProposalError", "HandInUseError", "TableExistsError"),
    *("StaleProposalError", "UnknownSeatError", "UnknownTableError", "NothingToUndoError"),
    *("NotCanonicalError", "RulesGoneError", "ReadingFailedError", "FailingError", "StuckError"),
    *("ContainerError", "KeyReusedError", "HandChangedError"),
}
"""Errors that never reach a person: what catches them answers in both languages."""
COMPOSED = {
    "the hand {} has no {} among its concealed tiles{}",
    # A value of a circumstance, which the command line checks itself.
    *("{}={}: give tiles such as '3m5p'", "{}={}: give {} tiles at most"),
    *("{}={}: give a number from {} to {}", "{}={}: give a word such as 'E'"),
    "{}={}: give True or False",
    "{} and {} mean the same: give one of them",
    "a tile is a code such as '7p', and not {}",
}
"""Sentences whose last part has its own Chinese, and those for Python alone."""


def sentences(source: str, errors: Collection[str]) -> Iterator[tuple[int, str]]:
    """Line and English of what the errors made in a module say."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        calls: list[ast.Call] = []
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in errors:
            calls = [node]
        elif isinstance(node, ast.ClassDef) and "_zh" not in ast.unparse(node):
            calls = [
                one
                for one in ast.walk(node)
                if isinstance(one, ast.Call) and ast.unparse(one.func) == "super().__init__"
            ]
            calls = calls if node.name.endswith("Error") and node.name not in INSIDE else []
        for call in calls:
            for argument in call.args[:1]:
                yield from ((call.lineno, text) for text in template(argument))


@pytest.mark.parametrize("folder", ["api", "models/learning", "vision/enrolment"])
def test_every_error_that_a_command_tells_has_its_chinese(folder: str) -> None:
    errors = errors_of_the_program()
    assert {"BulkError", "BadKeyRequestError", "LibraryError", "KeyLostError"} <= set(errors)
    assert "PhotoError" not in errors, "it brings its Chinese"
    known = MESSAGES | REFUSALS | WORDS | dict.fromkeys(FREE | COMPOSED)
    missing: list[str] = []
    for path in sorted((ROOT / folder).rglob("*.py")):
        # Python's callers read the errors of the facade, and no command tells them.
        if "facade" not in path.parts or path.name in ("winning_tile.py", "arguments.py"):
            missing += [
                f"{path.name}:{line}: {text}"
                for line, text in sentences(path.read_text("utf-8"), errors.keys() - INSIDE)
                if text not in known
            ]
    assert not missing, "\n".join(missing)


def test_every_line_that_greets_has_its_chinese() -> None:
    tree = ast.parse((ROOT / "api" / "app" / "welcome.py").read_text("utf-8"))
    yielded = [node.value for node in ast.walk(tree) if isinstance(node, ast.Yield) and node.value]
    said = [text for value in yielded for text in template(value)]
    assert len(said) > 5
    assert not [text for text in said if text not in MESSAGES]


def test_no_text_of_a_command_goes_around_the_catalogue() -> None:
    """What `typer.echo` and the console print as it stands holds no sentence."""
    found = []
    for path in sorted((ROOT / "api" / "cli").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            if ast.unparse(node.func) not in ("typer.echo", "out().print", "err().print", "Grid"):
                continue
            found += [
                f"{path.name}:{node.lineno}: {text}"
                for argument in node.args
                for text in template(argument)
                if re.search("[A-Za-z一-鿿]{3,}", re.sub("hupai {}", "", text))
            ]
    assert not found, "\n".join(found)


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


def helps(command: Any) -> Iterator[str]:
    """Yield the help of a command, of its options and of the commands in it."""
    yield from filter(None, (command.help, command.short_help, command.epilog))
    for parameter in command.params:
        if not getattr(parameter, "hidden", False):
            yield parameter.help or ""
    for inner in getattr(command, "commands", {}).values():
        yield from helps(inner)


def every_help() -> set[str]:
    found = set(helps(get_command(app)))
    for name, command in COMMANDS.items():
        found |= set(helps(load(name, command)))
    return found - {""}


def test_every_text_of_the_help_is_in_chinese_alone() -> None:
    texts = every_help()
    assert len(texts) > 250
    missing = []
    for text in texts:
        shown = help_text(text, "zh").split("\n\n")
        for one in shown:
            prose = re.sub(r"hupai .*|`[^`]*`|\{.*\}|'[^']*'|HUPAI_\w+ 设为 false", "", one)
            words = re.findall(r"(?<![-\w./])[a-z]{3,}(?![-\w./=:])", prose)
            if not re.search("[一-鿿]", one) or set(words) - CODES_IN_HELP:
                missing.append((one, words))
        assert not re.search(
            "[一-鿿]", re.sub("东东东 一二三万 [+]五万|清龙", "", help_text(text, "en"))
        )
    assert not missing, "\n".join(map(str, missing))


CODES_IN_HELP = {
    *("auto", "none", "player", "operator", "referee", "win", "void", "off", "certain", "all"),
    *("push", "shipped", "classifier", "detector", "show", "tar", "bucket", "final", "zip", "toml"),
}
"""Words that the Chinese help names because they are typed."""


@pytest.mark.parametrize(
    ("arguments", "locale"),
    [
        (["--language", "zh", "{}", "--help"], "C.UTF-8"),
        (["{}", "--help", "--language=zh"], "C.UTF-8"),
        (["{}", "-h"], "zh_CN.UTF-8"),
    ],
)
@pytest.mark.parametrize("command", ["score", "session", "dossier", "overlay"])
@pytest.mark.parametrize("width", ["40", "80", "120"])
def test_help_in_chinese(arguments: list[str], locale: str, command: str, width: str) -> None:
    asked = [one.format(command) for one in arguments]
    result = CliRunner().invoke(app, asked, env={"COLUMNS": width, "LANG": locale, "LC_ALL": ""})
    assert result.exit_code == 0
    assert "用法：" in result.output
    assert "选项" in result.output
    for english in ("Usage", "Options", "Arguments", "Commands", "Example", "required"):
        assert english not in result.output
    assert "…" not in result.output


def test_english_help_is_not_truncated_and_the_language_does_not_leak() -> None:
    run = CliRunner()
    run.invoke(app, ["score", "--help", "--language", "zh"])
    english = run.invoke(app, ["score", "--help", "--language", "en"], env={"COLUMNS": "80"})
    assert "Self-drawn: The" in english.output
    both = run.invoke(app, ["score", "--help"], env={"COLUMNS": "80"})
    assert "自摸: The" in both.output
    for shown in (english, both):
        assert "Usage: " in shown.output
        assert "Options" in shown.output
        assert "…" not in shown.output


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["score"], "缺少参数"),
        (["scor", "123m"], "没有命令 'scor'。是否指"),
        (["score", "123m", "--fuo"], "没有选项 --fuo"),
        (["score", "123m", "-r", "mcr"], "没有规则 'mcr'"),
        (["score", "123m"], "请指明规则"),
        (["score", "123m", "-r", "mcr-1998", "--seat", "Q"], "'Q' 不是 E、S、W、N"),
        (["score", "123m", "-r", "mcr-1998", "--flowers", "9"], "不得大于 8"),
        (["dossier", "--language", "zh"], "缺少命令"),
        (["deal", "a", "b"], "多出的参数：b"),
        (["storage", "prune", "--older-than", "x"], "'x' 不是期限"),
    ],
)
def test_a_wrong_command_line_is_explained_in_chinese(arguments: list[str], said: str) -> None:
    result = CliRunner().invoke(app, ["--language", "zh", *arguments], env={"COLUMNS": "200"})
    assert result.exit_code == 2
    assert said in result.output
    assert "Error" not in result.output


def test_every_mistake_of_house_rules_is_reported_in_chinese(tmp_path: Path) -> None:
    file = tmp_path / "club.toml"
    wrong = [
        ('id = "../../etc"', "第1行，id：'../../etc'应为字母、数字"),
        ('base = "mcr-3000"', "第2行，base：'mcr-3000'不是规则：是否想写"),
        ('name_en = "\\u001b[31m"', "第3行，name_en：不能有控制字符"),
        ("cap = 4", "第4行，cap：为4，低于起和的8"),
        ("minimum = 8", ""),
        ("colour = 1", "第6行，colour：没有这一项：请用"),
        ("[points]", ""),
        ("seven_pairs = 3", ""),
        ('"七对" = 5', "第9行，七对：与'seven_pairs'是同一番种：请留其一"),
        ("pure_straight = -1", "第10行，pure_straight：应为0至1000的整数，现为-1"),
        ("[off]", ""),
        ('fans = ["seven_pairs", "nothing"]', "第12行，fans：'nothing'不是番种：名称见"),
    ]
    file.write_text("\n".join(line for line, _ in wrong), encoding="utf-8")
    asked = ["score", "11m", "--rules", str(file), "--language", "zh"]
    shown = CliRunner().invoke(app, asked, env={"COLUMNS": "400"})
    assert shown.exit_code == 2
    for _, said in wrong:
        assert said in shown.output
    assert not re.search(r"did you mean|must be|is the same| line \d", shown.output)


@pytest.mark.parametrize("command", ["deal", "session", "conformance"])
def test_a_missing_file_is_reported_in_chinese(command: str, tmp_path: Path) -> None:
    missing = str(tmp_path / "none.json")
    shown = CliRunner().invoke(app, [command, missing, "--language", "zh"], env={"COLUMNS": "400"})
    assert "没有这个文件或文件夹" in shown.output
    assert "No such file" not in shown.output


def test_differences_from_a_case_are_reported_in_chinese(tmp_path: Path) -> None:
    case = {
        "id": "c1",
        "rules": "sichuan-2024",
        "kind": "hand",
        "concealed": "123456m123789p5p",
        "win_tile": "5p",
        "expected": {"base_points": 8},
        "disputed_by": ["another"],
    }
    file = tmp_path / "cases.jsonl"
    file.write_text(f"{json.dumps(case)}\n[]\n[\n", encoding="utf-8")
    asked = ["conformance", str(file), "--language", "zh"]
    shown = CliRunner().invoke(app, asked).output
    assert "c1 [sichuan-2024]（another不同，见 docs/rulings.md）" in shown
    assert "  不符  base_points：应为8，得到1\n" in shown
    assert "  不符  不是JSON对象" in shown
    assert "  不符  不是JSON：第2行第1列：此处应有值" in shown
    assert not re.search(r"differs|expected|got |line ", shown)


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
                # A third argument is the message in Chinese.
                plain = node.args[-1:] if len(node.args) < 3 else []
                texts = [text for argument in plain for text in template(argument)]
                missing += [text for text in texts if text not in REFUSALS]
    assert not missing, "\n".join(missing)


def test_a_wrong_event_is_named_in_chinese(tmp_path: Path) -> None:
    deal = {"events": [{"type": "win", "player": "B", "from": "C", "base_points": 2}]}
    wrong = {"events": [{"type": "kong", "player": "B"}]}
    file = tmp_path / "session.json"
    log = {"rules": "sichuan-2024", "players": [*"ABCD"], "deals": [deal] * 4 + [wrong]}
    file.write_text(json.dumps(log), encoding="utf-8")
    result = CliRunner().invoke(app, ["session", str(file), "--language", "zh"])
    assert result.exit_code == 2
    assert "第5副第1项：缺少：请用concealed" in result.output


def test_chinese_messages_keep_their_values() -> None:
    for english, chinese in (MESSAGES | REFUSALS).items():
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


def test_the_program_alone_shows_its_help_in_the_language_of_the_locale() -> None:
    result = CliRunner().invoke(app, [], env={"LC_ALL": "zh_CN.UTF-8"})
    assert "命令" in result.output
    assert "Commands" not in result.output
