"""How ``hupai`` starts, helps, completes and fails: what it imports, says and answers."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
import typer
from typer.testing import CliRunner, Result

from hupai.api.cli.main import COMMANDS, app
from hupai.api.cli.typer_app import load
from hupai.scoring import rule_sets

HEAVY = ("numpy", "cv2", "fastapi", "sqlalchemy", "onnxruntime", "PIL", "hupai.vision")
"""What the terminal needs neither to help nor to score; typer itself imports pydantic."""

PLAIN = "123456789m1144p +4p"


def hupai(*arguments: str, columns: int = 100) -> Result:
    return CliRunner().invoke(app, list(arguments), env={"COLUMNS": str(columns)})


def leaves(command: typer.core.TyperGroup) -> list[tuple[str, ...]]:
    """List the words of every command."""
    found: list[tuple[str, ...]] = []
    for name, lazy in COMMANDS.items():
        below = getattr(load(name, lazy), "commands", None)
        found += [(name, other) for other in below] if below else [(name,)]
    return found


EVERY = leaves(typer.main.get_command(app))  # type: ignore[arg-type]


def run_and_list_modules(*arguments: str) -> set[str]:
    """Run the command line in a process of its own; name the modules that it imported."""
    code = (
        "import sys\n"
        "from hupai.api.cli.main import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print('\\n' + ' '.join(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True
    )
    return set(done.stdout.splitlines()[-1].split())


@pytest.mark.parametrize(
    "arguments",
    [("--help",), ("--version",), ("score", PLAIN, "--rules", "mcr-1998"), ("score", "--help")],
    ids=" ".join,
)
def test_help_and_scores_need_no_library_of_vision_or_service(arguments: tuple[str, ...]) -> None:
    modules = run_and_list_modules(*arguments)
    assert "hupai.api.cli.main" in modules
    assert [name for name in HEAVY if name in modules] == []


def test_help_imports_no_command() -> None:
    modules = run_and_list_modules("--help")
    assert [name for name in modules if name.startswith("hupai.api.cli.commands.")] == []
    assert "hupai.scoring.rule_sets" not in modules


def test_the_summaries_of_commands_match_their_help() -> None:
    for name, lazy in COMMANDS.items():
        summary = (load(name, lazy).help or "").partition("\n\n")[0].replace("\n", " ")
        assert summary.startswith(lazy.summary.rstrip(".。")) or name in ("storage", "overlay"), (
            name
        )


@pytest.mark.parametrize("words", EVERY, ids=" ".join)
def test_every_help_has_examples_exit_codes_and_no_types_of_python(words: tuple[str, ...]) -> None:
    result = hupai(*words, "--help")
    assert result.exit_code == 0
    assert f"Example: hupai {' '.join(words)}" in result.stdout
    assert "Exit codes: 0 " in result.stdout
    for kind in ("<bool>", "<str>", "<int", "<float>", "list[", "Path"):
        assert kind not in result.stdout, kind


def test_a_narrow_terminal_gets_whole_rule_ids_and_lines_for_tables() -> None:
    shown = re.sub(r"-\s+", "-", hupai("score", "--help", columns=40).stdout)
    assert all(rules.id in shown for rules in rule_sets.all_rules())
    score = hupai("score", PLAIN, "--rules", "mcr-1998", columns=40).stdout
    assert max(map(len, score.splitlines())) <= 40
    assert "Pure Straight" in score
    assert "┃" not in score
    waits = hupai("waits", "123456789m1144p", "--rules", "mcr-1998", columns=40).stdout
    assert "left 2" in waits


def test_a_missing_or_misspelt_rule_set_is_reported_with_the_known_ones() -> None:
    missing = hupai("score", PLAIN)
    assert (missing.exit_code, missing.stdout) == (2, "")
    assert all(rules.id in missing.stderr for rules in rule_sets.all_rules())
    misspelt = hupai("score", PLAIN, "--rules", "mcr1998")
    assert misspelt.exit_code == 2
    printed = " ".join(misspelt.stderr.replace("│", " ").split())
    assert "did you mean mcr-1998?" in printed


def test_a_misspelt_command_is_reported_with_the_right_one() -> None:
    result = hupai("scor")
    assert result.exit_code == 2
    assert "Did you mean 'score'" in result.stderr


def complete(words: str) -> str:
    """Complete a command line as bash would ask for it."""
    environment = {
        **os.environ,
        "_HUPAI_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split(" ")) - 1),
    }
    command = [sys.executable, "-c", "from hupai.api.cli.main import app; app(prog_name='hupai')"]
    return subprocess.run(
        command, capture_output=True, text=True, env=environment, check=False
    ).stdout


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("hupai sc", ["score"]),
        pytest.param("hupai score --rul", ["--rules"], marks=pytest.mark.nightly),
        ("hupai score --rules mcr", ["mcr-1998", "mcr-2006", "mcr-handbook"]),
        ("hupai score --seat ", ["E", "S", "W", "N"]),
        pytest.param("hupai tile-sets s", ["show"], marks=pytest.mark.nightly),
        pytest.param("hupai photo --tile-set a", ["auto"], marks=pytest.mark.nightly),
    ],
)
def test_the_shell_completes_commands_rules_and_tile_sets(words: str, offered: list[str]) -> None:
    assert complete(words).split() == offered


def test_completion_can_be_shown_and_installed() -> None:
    assert "--install-completion" in hupai("--help").stdout
    assert "--show-completion" in hupai("--help").stdout


def test_a_fan_excluded_by_several_others_is_listed_in_one_row() -> None:
    result = hupai(
        "score",
        "88pFFF [222s,1] [777m,2] EE +E",
        "--rules",
        "mcr-1998",
        "--seat",
        "E",
        "--round",
        "E",
        columns=140,
    )
    rows = [line for line in result.stdout.splitlines() if "Pung of Terminals" in line]
    assert len(rows) == 1
    assert "箭刻、圈风刻" in rows[0]
    assert "2 × 1" in rows[0]


def test_the_minimum_is_reported_without_flowers() -> None:
    hand = "23m55pEEE [567m,1] (9999s) 1h +1m"
    shown = hupai("score", hand, "--rules", "mcr-1998", "--seat", "E", "--round", "E").stdout
    assert "(minimum 8 without flowers; this hand has 9)" in shown
    assert "without_flowers" not in shown
    assert "minimum 8)" in hupai("score", PLAIN, "--rules", "mcr-1998").stdout


def test_a_winning_tile_that_is_given_twice_is_reported() -> None:
    result = hupai("score", PLAIN, "--rules", "mcr-1998", "--win", "9s")
    assert result.exit_code == 2
    assert "it says that +4p won" in result.stderr
