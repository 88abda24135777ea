"""The referee's guide: its example case holds, its pictures are those that the program makes, its
commands exist.

``SCREENSHOTS=1`` makes the pictures.
"""

from __future__ import annotations

import io
import os
import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image as Pillow
from typer.testing import CliRunner

from hupai.api.cli import main
from hupai.api.dossier.bundle.verify import STEPS
from tests.api.dossier import guide_pictures
from tests.api.dossier.guide_pictures import (
    EXAMPLE,
    FINGERPRINT,
    FOLDER,
    encoded,
    opened,
    pictures,
    verified,
)

GUIDE = "docs/referee-guide.md"


@pytest.fixture(scope="module")
def made() -> dict[str, bytes]:
    found = {name: encoded(name, image) for name, image in pictures().items()}
    if os.environ.get("SCREENSHOTS") == "1":
        FOLDER.mkdir(parents=True, exist_ok=True)
        for name, data in found.items():
            (FOLDER / name).write_bytes(data)
    return found


def test_the_example_case_verifies() -> None:
    found = verified()
    assert found.fault is None
    assert found.fingerprint == FINGERPRINT
    assert found.case is not None
    assert [one.tile.code for one in guide_pictures.reading().tiles if one.inferred] == ["N", "N"]


@pytest.mark.nightly
def test_the_pictures_are_those_that_the_program_makes(made: dict[str, bytes]) -> None:
    assert sorted(path.name for path in FOLDER.iterdir()) == sorted(made)
    for name, data in made.items():
        target = FOLDER / name
        fresh = np.asarray(Pillow.open(io.BytesIO(data)).convert("RGB"), np.float32)
        kept = opened(target).astype(np.float32)
        assert fresh.shape == kept.shape, (
            f"run: SCREENSHOTS=1 pytest tests/api/dossier/test_guide.py ({name})"
        )
        # Letters may be smoothed a little differently by other versions of the libraries; another
        # text or picture differs by more.
        assert np.abs(fresh - kept).mean() < 1.0, (
            f"run: SCREENSHOTS=1 pytest tests/api/dossier/test_guide.py ({name})"
        )


def test_every_picture_of_the_guide_is_there_and_every_picture_is_shown(root: Path) -> None:
    text = (root / GUIDE).read_text(encoding="utf-8")
    shown = re.findall(r"\]\(([^)#]+\.(?:png|jpg|md|zip))\)", text)
    assert all((root / "docs" / path).is_file() for path in shown), shown
    assert {path.name for path in FOLDER.iterdir()} <= {Path(path).name for path in shown}


@pytest.mark.nightly
def test_the_commands_of_the_guide_work(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (root / GUIDE).read_text(encoding="utf-8")
    lines = [
        line.strip()
        for block in re.findall(r"```sh\n(.*?)```", text, re.S)
        for line in block.splitlines()
        if line.strip()
    ]
    assert len(lines) >= 8
    assert any(FINGERPRINT in line for line in lines)
    monkeypatch.chdir(tmp_path)
    for line in lines:
        words = line.split()
        assert words[:2] == ["hupai", "dossier"], line
        if str(EXAMPLE.name) in line:
            arguments = [
                str(EXAMPLE) if word.endswith(EXAMPLE.name) else word for word in words[1:]
            ]
            result = CliRunner().invoke(main.app, arguments)
            assert result.exit_code == 0, (line, result.output)
        else:
            help_text = CliRunner().invoke(
                main.app, [*words[1:3], "--help"], env={"COLUMNS": "200"}
            )
            assert help_text.exit_code == 0, line
            flags = [word for word in words if word.startswith("--")]
            assert all(flag in help_text.output for flag in flags), line


def test_steps_of_the_verification_are_named_in_the_guide(root: Path) -> None:
    text = (root / GUIDE).read_text(encoding="utf-8")
    assert all(f"`{step}`" in text for step, _, _ in STEPS)
