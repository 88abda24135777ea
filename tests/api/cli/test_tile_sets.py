"""``hupai tile-sets``: what it says where a set is not learnt."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from hupai.api.cli.main import app
from hupai.models import registry
from hupai.scoring.tiles import PLAYABLE, Tile
from tests.vision.enrolment.tile_sets import Rings, photo


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder, and a reader that does not know two faces."""
    monkeypatch.setenv("HUPAI_DATA_DIR", str(tmp_path / "data"))
    reader = Rings(blind=[Tile.S9, Tile.GREEN], hint=False)
    monkeypatch.setattr(registry, "load", lambda name="default", threads=0: reader)
    return tmp_path


def add(folder: Path, shown: list[Tile], *options: str) -> Result:
    path = folder / "row.png"
    path.write_bytes(photo(shown))
    arguments = ["tile-sets", "add", "club", str(path), *options]
    return CliRunner().invoke(app, arguments, env={"COLUMNS": "200"})


def test_doubtful_tiles_are_reported_with_the_answer_for_no_tile(folder: Path) -> None:
    result = add(folder, list(PLAYABLE))
    assert (result.exit_code, result.stdout) == (1, "")
    assert "--is 1:27=" in result.stderr
    assert "answer with a hyphen: --is 1:1=-" in result.stderr
    assert "3 tiles are in doubt" in result.stderr


def test_a_tile_too_many_is_named_with_the_answer_that_leaves_it_out(folder: Path) -> None:
    order = ("--order", "123456789m")
    result = add(folder, [*PLAYABLE[:4], Tile.WHITE, *PLAYABLE[4:9]], *order)
    assert result.exit_code == 1
    assert "If tile 5 of row.png is not a tile of the set: --is 1:5=-" in result.stderr
    assert "shows 10 tiles, and 9 were named; tile 5 at " in result.stderr
    assert "no tile shows 1m" not in result.stderr


def test_sets_are_taught_listed_shown_and_forgotten(folder: Path) -> None:
    answers = ("--is", "1:27=9s", "--is", "1:33=F")
    assert add(folder, list(PLAYABLE), *answers).exit_code == 0
    run = CliRunner().invoke
    assert "club" in run(app, ["tile-sets", "list"]).stdout
    assert "9s" in run(app, ["tile-sets", "show", "club"]).stdout
    assert run(app, ["tile-sets", "show", "dub"]).exit_code == 2
    assert run(app, ["tile-sets", "remove", "club"]).exit_code == 0
    assert "no tile sets yet" in run(app, ["tile-sets", "list"]).stderr
