"""The command ``hupai bulk``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hupai.api.bulk.run import Progress
from hupai.api.bulk.worker import Job
from hupai.api.cli.commands.bulk import commands
from hupai.api.cli.main import app
from hupai.models import registry
from tests.api.bulk.archive import archive

pytest.importorskip("pyarrow", reason="no pyarrow here: pip install 'hupai[bulk]'")


@pytest.mark.nightly
def test_an_archive_is_read_and_summarised(tmp_path: Path) -> None:
    archive(tmp_path / "photos", 4, photos=1)
    out = str(tmp_path / "table")
    runner = CliRunner()
    read = runner.invoke(
        app,
        ["bulk", str(tmp_path / "photos"), "--out", out, "--rules", "mcr-1998", "--workers", "1"],
    )
    assert read.exit_code == 1, "three of the files are no photos"
    assert "4 photos read" in read.stderr
    assert "errors.jsonl" in read.stderr
    report = json.loads(runner.invoke(app, ["bulk", "report", out, "--json"]).stdout)
    assert report["total"] == {"photos": 4, "hands": 1, "certain": 1, "errors": 3}
    assert report["wins"] == {"mcr-1998": 1}
    shown = runner.invoke(app, ["bulk", "report", out])
    assert "4 photos, 4 different" in shown.stdout
    assert runner.invoke(app, ["bulk", str(tmp_path / "photos")]).exit_code == 2
    assert runner.invoke(app, ["bulk", "report", str(tmp_path)]).exit_code == 1
    wrong = runner.invoke(app, ["bulk", "x", "--out", out, "--rules", "nothing"])
    assert wrong.exit_code == 2


def test_the_weights_in_use_read_an_archive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "models" / "club"
    own.mkdir(parents=True)
    (own / registry.FILE).touch()
    (tmp_path / "models" / "in-use.json").write_text('{"history": ["shipped", "club"]}')
    monkeypatch.setenv("HUPAI_DATA_DIR", str(tmp_path))
    jobs: list[Job] = []

    def run(source: str, job: Job, *_: object) -> Progress:
        jobs.append(job)
        return Progress()

    monkeypatch.setattr(commands, "run", run)
    for options in ([], ["--model", "shipped"]):
        done = CliRunner().invoke(app, ["bulk", "photos", "--out", "table", *options])
        assert done.exit_code == 0, done.output
    assert [job.model for job in jobs] == [str(own), registry.DEFAULT]
