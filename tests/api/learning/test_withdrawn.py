"""What was withdrawn or deleted after an export is not trained on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner, Result

from hupai.api.cli.main import app as commands
from hupai.api.learning import consent
from hupai.api.learning.withdrawn import withdrawn
from hupai.api.storage import Storage
from hupai.datasets.real.labels import LabelError
from tests.api.learning.test_export import agree, app, client, corrected, export, storage, stored

__all__ = ["app", "client", "storage"]


@pytest.fixture
def exported(
    client: httpx.Client, storage: Storage, tmp_path: Path
) -> tuple[Path, dict[str, Any], dict[str, Any]]:
    """A set of two confirmed hands."""
    hands = stored(client, 80), stored(client, 81)
    for hand in hands:
        corrected(client, hand, confirmed=True)
    agree(storage, *hands)
    export(storage, tmp_path / "set")
    return tmp_path / "set", *hands


def names_of(*hands: dict[str, Any]) -> set[str]:
    """The names of these hands' photos in a set."""
    return {hand["photos"][0]["sha256"][:20] for hand in hands}


def test_a_withdrawn_and_a_deleted_hand_are_named(
    client: httpx.Client,
    storage: Storage,
    exported: tuple[Path, dict[str, Any], dict[str, Any]],
) -> None:
    folder, first, second = exported
    assert withdrawn(storage, folder) == ()
    client.put(f"/v1/hands/{first['id']}/consent", json={"given": False}).raise_for_status()
    assert set(withdrawn(storage, folder)) == names_of(first)
    client.delete(f"/v1/hands/{second['id']}").raise_for_status()
    assert set(withdrawn(storage, folder)) == names_of(first, second)


def test_without_the_consent_of_the_deployment_all_are_withdrawn(
    storage: Storage, exported: tuple[Path, dict[str, Any], dict[str, Any]]
) -> None:
    folder, *hands = exported
    with storage.database.session() as session:
        consent.say(session, consent.DEPLOYMENT, "anna", given=False)
    assert set(withdrawn(storage, folder)) == names_of(*hands)


def test_a_set_of_another_deployment_has_nothing_withdrawn(
    exported: tuple[Path, dict[str, Any], dict[str, Any]], tmp_path: Path
) -> None:
    other = Storage(tmp_path / "elsewhere")
    other.open()
    try:
        assert withdrawn(other, exported[0]) == ()
        with pytest.raises(LabelError, match=r"manifest\.json"):
            withdrawn(other, tmp_path)
    finally:
        other.close()


def test_the_commands_say_what_to_do_next(
    client: httpx.Client,
    exported: tuple[Path, dict[str, Any], dict[str, Any]],
    tmp_path: Path,
) -> None:
    folder, first, _ = exported

    def hupai(*words: object) -> Result:
        environment = {"HUPAI_DATA_DIR": str(tmp_path / "data"), "COLUMNS": "200"}
        return CliRunner().invoke(commands, list(map(str, words)), env=environment)

    client.put(f"/v1/hands/{first['id']}/consent", json={"given": False}).raise_for_status()
    refused = hupai("models", "finetune", "--data", folder, "--name", "club")
    assert refused.exit_code == 1
    assert "withdrawn or deleted since it was written (1)" in refused.stderr.replace("\n", " ")
    assert f"hupai datasets from-hands --out {folder}" in refused.stderr.replace("\n", "")
    again = hupai("datasets", "from-hands", "--out", folder)
    assert again.exit_code == 0
    assert "No photo is held out" in again.stderr
    withdraw = hupai("datasets", "consent", "--withdraw")
    assert "hupai datasets consent --give" in withdraw.stderr
    empty = hupai("datasets", "from-hands", "--out", folder)
    assert "Nothing to train on yet" in empty.stderr
    assert hupai("datasets", "suggest").stdout == "No stored hand waits to be checked.\n"
    used = hupai("models", "use", "shipped")
    assert "hupai models use --rollback" in used.stderr
