"""The flags of the circumstances: one for each field, the same words as HTTP, checked values."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from hupai.api.cli.circumstance_flags import GivenCircumstances, circumstance_flags, flags_of
from hupai.api.contract.circumstances import DESCRIPTIONS
from hupai.scoring.hand import Circumstances
from hupai.scoring.tiles import Tile


@pytest.fixture
def run() -> Any:
    """Run a command that has the flags; returns its exit code, what it printed, and the
    circumstances it was given.
    """
    given: list[GivenCircumstances] = []

    @circumstance_flags
    def command(hand: str, circumstances: GivenCircumstances, loud: bool = False) -> None:
        given.append(circumstances)

    app = typer.Typer(add_completion=False)
    app.command()(command)

    def invoke(*arguments: str) -> tuple[int, str, Circumstances | None]:
        given.clear()
        result = CliRunner().invoke(app, ["hand", *arguments], env={"COLUMNS": "200"})
        return result.exit_code, result.output, given[0].to_circumstances() if given else None

    return invoke


def test_every_circumstance_has_a_description_and_a_flag_of_its_own(run: Any) -> None:
    names = [field.name for field in fields(Circumstances)]
    assert set(DESCRIPTIONS) == set(names)
    flags = [flag for name in names for flag in flags_of(name)]
    assert len(flags) == len(set(flags))
    shown = run("--help")[1]
    assert all(flags_of(name)[0] in shown for name in names)


def test_without_flags_the_defaults_hold(run: Any) -> None:
    assert run() == (0, "", Circumstances())


def test_flags_set_their_fields(run: Any) -> None:
    _, _, given = run(
        *(
            "--self-drawn",
            "--seat",
            "E",
            "--round",
            "S",
            "--last-tile",
            "--last-of-kind",
            "--kong-replacement",
            "--flowers",
            "2",
        ),
        *("--void", "m", "--opponents", "2", "--dealer", "--dealer-streak", "3"),
    )
    assert given == Circumstances(
        self_drawn=True,
        seat_wind=Tile.EAST,
        round_wind=Tile.SOUTH,
        last_tile=True,
        last_of_kind=True,
        kong_replacement=True,
        flowers=2,
        void_suit="m",
        opponents=2,
        dealer=True,
        dealer_streak=3,
    )


@pytest.mark.parametrize("word", ["W", "w", "西"])
def test_a_wind_may_be_written_in_either_case_or_in_chinese(run: Any, word: str) -> None:
    assert run("--seat", word)[2].seat_wind is Tile.WEST


def test_the_long_form_of_a_short_flag_is_accepted(run: Any) -> None:
    assert run("--seat-wind", "N")[2].seat_wind is Tile.NORTH


def test_flowers_zero_is_not_the_same_as_flowers_not_given(run: Any) -> None:
    assert run("--flowers", "0")[2].flowers == 0
    assert run()[2].flowers is None


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--seat", "5m"), "none of E, S, W, N"),
        (("--flowers", "9"), "--flowers"),
        (("--void", "h"), "none of m, p, s"),
        (("--nope",), "--nope"),
    ],
)
def test_a_wrong_value_is_bad_usage(run: Any, arguments: tuple[str, ...], said: str) -> None:
    code, output, given = run(*arguments)
    assert (code, given) == (2, None)
    assert said in output


@pytest.mark.parametrize("flag", ["--dora", "--ura"])
def test_more_indicators_than_there_are_is_bad_usage(run: Any, flag: str) -> None:
    assert run(flag, "12345m")[0] == 0
    code, output, _ = run(flag, "123456m")
    assert code == 2
    assert "5 tiles at most" in output
