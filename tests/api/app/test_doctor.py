"""``hupai doctor``: well where all is well, and what it says of each thing that is not."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from sqlalchemy import text
from typer.testing import CliRunner

from hupai.api.app.cluster_checks import cluster_findings
from hupai.api.app.doctor import State, examine
from hupai.api.auth.keys import KeyStore
from hupai.api.cli.main import app
from hupai.api.storage import Storage
from hupai.api.storage.database import Database
from hupai.api.web.settings import Settings
from hupai.api.web.storage_access import storage_of
from hupai.models import registry
from hupai.models.learning.library import Library
from tests.api import postgres
from tests.api.redis_server import Redis
from tests.api.s3_server import S3
from tests.models.learning.test_library import made


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data folder that the settings name; not there yet."""
    monkeypatch.setenv("HUPAI_DATA_DIR", str(tmp_path / "data"))
    return tmp_path / "data"


def started(folder: Path) -> Storage:
    """What a service leaves that was started once."""
    storage = Storage(folder)
    storage.open()
    storage.close()
    return storage


def looked() -> tuple[int, dict[str, dict[str, Any]]]:
    """Exit code and checks by name."""
    result = CliRunner().invoke(app, ["doctor", "--json"])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, {
        check["name"]: check for check in map(json.loads, result.stdout.splitlines())
    }


def states(checks: dict[str, dict[str, Any]]) -> set[str]:
    return {check["state"] for check in checks.values()}


def test_before_the_first_start_all_checks_pass_and_nothing_is_created(folder: Path) -> None:
    code, checks = looked()
    assert (code, states(checks)) == (0, {"ok"})
    assert "not there yet" in checks["database"]["detail"]
    assert not folder.exists()


def test_after_a_start_schema_write_access_and_photos_are_checked(folder: Path) -> None:
    started(folder)
    code, checks = looked()
    assert (code, states(checks)) == (0, {"ok"})
    assert {"database", "schema", "writing", "photos", "room", "fonts", "model"} <= checks.keys()
    for entry in registry.available():
        for _, file, digest in entry.files:
            assert entry.name != "default" or digest in checks[f"weights {file}"]["detail"]
    with Database(f"sqlite:///{folder / 'hupai.sqlite3'}").session(write=False) as session:
        assert (
            session.scalar(
                text("select count(*) from sqlite_master where name like 'hupai_doctor%'")
            )
            == 0
        )
    assert not [path for path in (folder / "photos").rglob("*") if path.is_file()], (
        "the probe was left behind"
    )


def test_damaged_weights_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = tmp_path / "weights"
    shutil.copytree(registry.FOLDER / "weights", copy / "weights")
    shutil.copy(registry.FOLDER / registry.FILE, copy)
    files = {role: file for role, file, _ in registry.available()[0].files}
    with (copy / "weights" / files["detector"]).open("r+b") as file:
        file.seek(5000)
        file.write(b"\0\1\2\3")
    (copy / "weights" / files["classifier"]).unlink()
    monkeypatch.setattr(registry, "FOLDER", copy)
    code, checks = looked()
    assert code == 1
    assert checks[f"weights {files['detector']}"]["state"] == "failed"
    assert checks[f"weights {files['classifier']}"]["detail"] == "missing"
    assert checks["model"]["state"] == "failed"


def test_the_weights_that_are_in_use_are_checked(folder: Path, tmp_path: Path) -> None:
    library = Library(folder / "models")
    entry = library.add(made(tmp_path / "made", "club"), "club")
    library.use("club")
    code, checks = looked()
    assert code == 0
    assert checks["model"]["detail"].startswith(f"club {entry.version}, ")
    entry.path("detector").unlink()
    code, checks = looked()
    assert code == 1
    assert checks["weights detector.onnx"]["detail"] == "missing"
    assert "hupai models use" in checks["weights detector.onnx"]["advice"]


def test_an_unknown_model_is_reported_with_the_known_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HUPAI_MODEL", "none")
    code, checks = looked()
    assert code == 1
    assert "default" in checks["weights"]["advice"]


def test_an_older_schema_is_migrated_by_the_next_start_and_a_newer_one_is_refused(
    folder: Path,
) -> None:
    database = started(folder).database
    for revision, code, state in (("0001_hands", 0, "warning"), ("9999_later", 1, "failed")):
        with database.session() as session:
            session.execute(
                text("update alembic_version set version_num = :revision"), {"revision": revision}
            )
        database.close()
        found, checks = looked()
        assert (found, checks["schema"]["state"]) == (code, state)
        assert revision in checks["schema"]["detail"]


def test_a_file_that_is_not_a_database_is_reported(folder: Path) -> None:
    folder.mkdir()
    (folder / "hupai.sqlite3").write_bytes(b"this is no database at all, it is a letter\n" * 100)
    code, checks = looked()
    assert code == 1
    assert checks["database"]["state"] == "failed"


def test_a_folder_that_cannot_be_created_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv("HUPAI_DATA_DIR", str(tmp_path / "file" / "data"))
    code, checks = looked()
    assert code == 1
    assert checks["database"]["state"] == checks["photos"]["state"] == "failed"


def test_a_password_is_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HUPAI_DATABASE_URL", "postgresql://hupai:hush-hush@127.0.0.1:9/hupai")
    result = CliRunner().invoke(app, ["doctor"])
    assert result.exit_code == 1
    assert "FAILED database" in result.stdout
    assert "hush-hush" not in result.output


class Usage(NamedTuple):
    """What the operating system says of a disk."""

    total: int
    used: int
    free: int


def test_too_little_disk_space_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    for free, code, state in (
        (50_000_000, 1, "failed"),
        (1_000_000_000, 0, "warning"),
        (9_000_000_000, 0, "ok"),
    ):
        monkeypatch.setattr(
            shutil, "disk_usage", lambda _path, free=free: Usage(10**10, 10**10 - free, free)
        )
        found, checks = looked()
        assert (found, checks["room"]["state"]) == (code, state)


def test_a_service_on_the_network_should_require_keys(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HUPAI_HOST", "0.0.0.0")
    _, checks = looked()
    assert (checks["keys"]["state"], checks["https"]["state"]) == ("warning", "warning")
    monkeypatch.setenv("HUPAI_REQUIRE_KEYS", "true")
    store = started(folder).database
    assert looked()[1]["keys"]["state"] == "warning", "keys are asked for, and there is none"
    KeyStore(store).add("club", ["player"])
    store.close()
    assert looked()[1]["keys"] == {
        "name": "keys",
        "state": "ok",
        "detail": "1 active",
        "advice": "",
    }


def test_a_wrong_setting_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HUPAI_TRUSTED_PROXIES", '["not an address"]')
    result = CliRunner().invoke(app, ["doctor"])
    assert result.exit_code == 1
    assert "HUPAI_TRUSTED_PROXIES" in result.stderr


@pytest.mark.nightly
def test_redis_and_ray_are_checked(
    postgresql: str, redis: Redis, s3: S3, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in s3.environment.items():
        monkeypatch.setenv(name, value)
    settings = Settings(
        data_dir=str(tmp_path),
        database_url=postgres.fresh(postgresql),
        redis_url=redis.url,
        photos_url=f"{s3.bucket()}/photos",
    )
    storage = storage_of(settings)
    storage.open()
    storage.close()
    found = {check.name: check for check in examine(settings)}
    assert {found[name].state for name in ("database", "schema", "writing", "photos", "redis")} == {
        State.OK
    }, found
    away = settings.model_copy(
        update={"redis_url": "redis://127.0.0.1:9/0", "photos_url": "s3://not-there/photos"}
    )
    found = {check.name: check for check in examine(away)}
    for name in ("photos", "redis"):
        assert found[name].state is State.FAILED
        assert found[name].advice, name


def test_an_unreachable_ray_cluster_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:9")
    monkeypatch.setenv("RAY_gcs_rpc_server_reconnect_timeout_s", "1")
    (ray,) = cluster_findings(Settings())
    assert ray.name == "ray"
    assert ray.advice
