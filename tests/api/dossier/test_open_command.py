"""``hupai dossier open`` reads photos as the service does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from hupai.api.cli import main
from hupai.models import registry
from hupai.vision.enrolment.store import TileSetStore
from hupai.vision.pipeline.recogniser import Recogniser
from hupai.vision.types import PhotoReading
from tests.api.dossier.cases import photo, read
from tests.vision.enrolment.tile_sets import Rings


def test_a_tile_set_that_was_taught_is_recognised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    used: list[Any] = []

    def read_photo(self: Recogniser, data: bytes, name: str, *_: object) -> PhotoReading:
        used.append(self.detector)
        return read(data, name)

    shipped = Rings()
    monkeypatch.setenv("HUPAI_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setattr(registry, "load", lambda *_: shipped)
    monkeypatch.setattr(TileSetStore, "all_fitted", lambda *_: ("a set",))
    monkeypatch.setattr(Recogniser, "read_photo", read_photo)
    path = tmp_path / "hand.jpg"
    path.write_bytes(photo())
    words = ["dossier", "open", str(path), "--rules", "mcr-1998", "--self-drawn"]
    done = CliRunner().invoke(main.app, words)
    assert done.exit_code == 0, done.output
    (detector,) = used
    assert isinstance(detector, Rings)
    assert detector is not shipped, "with the sets"
