"""``hupai storage``: retention, deletion on request, the check."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import update
from typer.testing import CliRunner

from hupai.api.cli.main import app
from hupai.api.storage.base import now
from hupai.api.storage.rows import HandRow
from hupai.api.web.settings import Settings
from hupai.api.web.storage_access import storage_of
from tests.api.storage.hands import keep

RUNNER = CliRunner()


@pytest.fixture
def ids(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Ids of an old and a new hand in the folder that the settings name."""
    monkeypatch.setenv("HUPAI_DATA_DIR", str(tmp_path))
    storage = storage_of(Settings())
    storage.open()
    found = {"old": keep(storage, b"old").id, "new": keep(storage, b"new").id}
    with storage.database.session() as session:
        session.execute(
            update(HandRow)
            .where(HandRow.id == found["old"])
            .values(created_at=now() - timedelta(days=91))
        )
    storage.close()
    return found


def test_hands_older_than_an_age_are_deleted(ids: dict[str, str]) -> None:
    trial = RUNNER.invoke(app, ["storage", "prune", "--older-than", "90d", "--dry-run"])
    assert (trial.exit_code, trial.stdout) == (0, "1 hands would be deleted.\n")
    assert (
        "0 hands were deleted."
        in RUNNER.invoke(app, ["storage", "prune", "--older-than", "14w"]).stdout
    )
    done = RUNNER.invoke(app, ["storage", "prune", "--older-than", "90d", "--json"])
    assert json.loads(done.stdout) == {
        "deleted": 1,
        "sessions": 0,
        "kept": [],
        "photos_swept": 0,
        "dry_run": False,
    }
    assert RUNNER.invoke(app, ["storage", "delete", ids["old"]]).exit_code == 1
    assert RUNNER.invoke(app, ["storage", "delete", ids["new"]]).exit_code == 0


@pytest.mark.parametrize("age", ["90", "d", "-1d", "90 days", ""])
def test_an_age_needs_number_and_unit(ids: dict[str, str], age: str) -> None:
    assert RUNNER.invoke(app, ["storage", "prune", "--older-than", age]).exit_code == 2


def test_the_check_names_photos_that_are_gone_or_changed(
    ids: dict[str, str], tmp_path: Path
) -> None:
    assert RUNNER.invoke(app, ["storage", "check"]).stdout == "2 photos, 2 intact.\n"
    first, second = sorted(path for path in (tmp_path / "photos").rglob("*") if path.is_file())
    first.unlink()
    second.write_bytes(b"forged")
    done = RUNNER.invoke(app, ["storage", "check", "--json"])
    assert done.exit_code == 1
    assert json.loads(done.stdout.splitlines()[-1]) == {
        "photos": 2,
        "wrong": sorted([first.name, second.name]),
    }


def test_temporary_storage_cannot_be_maintained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HUPAI_DATA_DIR", ":temporary:")
    assert RUNNER.invoke(app, ["storage", "check"]).exit_code == 2
    monkeypatch.setenv("HUPAI_DATABASE_URL", "mysql://x/y")
    assert RUNNER.invoke(app, ["storage", "check"]).exit_code == 1
