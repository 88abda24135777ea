"""The export of networks takes over settings only where they still hold."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from hupai.models import registry

torch = pytest.importorskip(
    "torch", reason="the train extra is not installed: pip install .[train]"
)
pytest.importorskip("onnx", reason="the train extra is not installed: pip install .[train]")
from hupai.models.training import export  # noqa: E402
from hupai.models.training.classifier.network import INPUT, CropClassifier  # noqa: E402

pytestmark = pytest.mark.filterwarnings("default")


def _export(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.setattr(sys, "argv", ["export", *arguments])
    export.main()


def test_an_export_without_a_new_classifier_keeps_what_was_fitted_to_the_shipped_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _export(monkeypatch, "--out", str(tmp_path / "same"), "--version", "2031.1.1")
    shipped, same = registry.find(registry.DEFAULT), registry.find(str(tmp_path / "same"))
    assert same.settings == shipped.settings
    assert same.version == "2031.1.1"
    assert same.path("classifier").read_bytes() == shipped.path("classifier").read_bytes()


def test_an_export_of_a_new_classifier_starts_with_default_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped = registry.find(registry.DEFAULT)
    torch.manual_seed(1)
    torch.save(CropClassifier().state_dict(), tmp_path / "new.pt")
    arguments = ("--classifier", str(tmp_path / "new.pt"), "--out", str(tmp_path / "new"))
    _export(monkeypatch, *arguments, "--version", "1")
    new = registry.find(str(tmp_path / "new")).settings
    assert (new.temperature, new.crop) == (1.0, INPUT)
    assert new.sure != shipped.settings.sure, "crops in doubt are judged by the temperature"
    registry.load(str(tmp_path / "new"), threads=1)
