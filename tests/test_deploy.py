"""The files of a deployment name what exists: settings, commands, folders, libraries."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from hupai.api.web.settings import Settings
from tests.shared import ROOT

FILES = [
    ROOT / "Dockerfile",
    ROOT / "compose.yaml",
    ROOT / "docs" / "deployment.md",
    *sorted((ROOT / "deploy").iterdir()),
]
TEXTS = {path.name: path.read_text(encoding="utf-8") for path in FILES if path.is_file()}
OTHERS = {"HUPAI_DOMAIN", "HUPAI_UPSTREAM"}
"""Variables of Caddy and Compose, not of the service."""


@pytest.mark.parametrize("name", TEXTS)
def test_every_setting_exists(name: str) -> None:
    known = {f"HUPAI_{field.upper()}" for field in Settings.model_fields} | OTHERS
    assert set(re.findall(r"HUPAI_[A-Z_]+", TEXTS[name])) <= known


@pytest.mark.parametrize("name", TEXTS)
def test_every_command_exists(name: str) -> None:
    commands = re.findall(
        r"(?:`|bin/|exec hupai |\"|^)hupai\"?,? \"?([a-z][a-z-]*)(?: ([a-z]+))?",
        TEXTS[name],
        re.MULTILINE,
    )
    for command, word in commands:
        part = {"serve", "doctor", "keys", "storage", "models"}
        assert command in part, f"hupai {command}"
        if command == "keys" and word:
            assert f'"{word}"' in (ROOT / "api" / "cli" / "commands" / "keys.py").read_text(
                encoding="utf-8"
            )


def test_the_image_copies_what_exists_and_leaves_nothing_out() -> None:
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", TEXTS["Dockerfile"], re.MULTILINE)
    sources = {source for line in copied for source in line.split()}
    assert all((ROOT / source).exists() for source in sources)
    assert {"scoring", "vision", "datasets", "models", "api"} <= sources
    let_through = {
        line[1:]
        for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
        if line.startswith("!")
    }
    assert sources <= let_through
    assert re.search(r"^USER \d+$", TEXTS["Dockerfile"], re.MULTILINE), (
        "the service must not run as root"
    )


def test_the_image_installs_the_libraries_of_the_project() -> None:
    spec = importlib.util.spec_from_file_location(
        "requirements", ROOT / "deploy" / "requirements.py"
    )
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    lines = module.requirements(project, ["postgres"])
    assert any(line.startswith("fastapi") for line in lines)
    assert any(line.startswith("psycopg") for line in lines)
    assert not any(line.startswith(("torch", "pytest")) for line in lines)
    with pytest.raises(KeyError):
        module.requirements(project, ["nothing"])


def test_the_services_wait_for_requests_longer_than_the_process_does() -> None:
    allowed = Settings(preload=False).shutdown_seconds
    for name, pattern in (
        ("compose.yaml", r"stop_grace_period: (\d+)s"),
        ("hupai.service", r"TimeoutStopSec=(\d+)"),
    ):
        found = re.search(pattern, TEXTS[name])
        assert found
        assert int(found[1]) > allowed


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd here")
def test_systemd_understands_the_unit(tmp_path: Path) -> None:
    unit = tmp_path / "hupai.service"
    unit.write_text(
        TEXTS["hupai.service"].replace("/opt/hupai/bin/hupai", shutil.which("true") or "/bin/true"),
        encoding="utf-8",
    )
    done = subprocess.run(
        ["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert not [line for line in done.stderr.splitlines() if "hupai.service" in line], done.stderr
