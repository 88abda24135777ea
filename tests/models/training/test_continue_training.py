"""Tiny fine-tunings: a stopped one resumes, and one that learns nothing changes nothing."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from hupai.models import registry
from hupai.models.training.classifier.crops import PATCH
from hupai.vision.detection.onnx_session import open_network

for extra in ("torch", "onnx", "ultralytics"):
    pytest.importorskip(extra, reason="needs the train extra: pip install 'hupai[train]'")


def crops(file: Path, count: int) -> Path:
    """Patches of stripes; what they show does not matter here."""
    rng = np.random.default_rng(4)
    np.savez(
        file,
        patches=rng.integers(0, 255, (count, PATCH, PATCH, 3), np.uint8),
        classes=np.arange(count, dtype=np.int16) % 43,
        axes=np.zeros(count, np.float32),
        red=np.full(count, np.nan, np.float32),
    )
    return file


@pytest.mark.filterwarnings("default")
def test_a_killed_training_resumes_after_its_last_complete_epoch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    continue_training: Any = import_module("hupai.models.training.continue_training")
    train: Any = import_module("hupai.models.training.classifier.train")
    shipped = registry.find(registry.DEFAULT).path("classifier")
    digest = registry.sha256(shipped)
    own, old = crops(tmp_path / "own.npz", 60), crops(tmp_path / "old.npz", 60)
    run, out = tmp_path / "run", tmp_path / "out" / "classifier.onnx"
    amount = continue_training.Amount(epochs=2, per_epoch=64)

    def tune() -> None:
        continue_training.classifier(shipped, own, [old], run, out, amount, threads=1)

    whole = train._Training.save

    def killed(self: object, folder: Path) -> None:
        whole(self, folder)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(train._Training, "save", killed)
        with pytest.raises(KeyboardInterrupt):
            tune()
    assert not out.exists(), "nothing half done is there"
    first = json.loads((run / "history.json").read_text())
    assert [row["epoch"] for row in first] == [0]
    tune()
    both = json.loads((run / "history.json").read_text())
    assert both[0] == first[0], "the first pass was not done again"
    assert [row["epoch"] for row in both] == [0, 1]
    assert registry.sha256(out) != digest
    assert registry.sha256(shipped) == digest


@pytest.mark.filterwarnings("default")
def test_a_detector_that_learnt_nothing_scores_as_the_shipped_one(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rounding to half precision and other limits in 8 bits lost 7 of 188 tiles of dark sets."""
    continue_training: Any = import_module("hupai.models.training.continue_training")
    shipped = registry.find(registry.DEFAULT).path("detector")
    data = tmp_path / "run" / "data"
    (data / "images").mkdir(parents=True)
    (data / "data.yaml").write_text("")
    # Scenes, not noise: a rounding that falls the other way changes scores of noise by 0.01.
    for name in ("pungs", "mixed-chows", "sichuan-kongs"):
        scene = cv2.imread(str(root / "examples" / f"{name}.jpg"))
        assert scene is not None
        picture = cv2.resize(scene, (448, 320))
        cv2.imwrite(str(data / "images" / f"{name}.jpg"), picture)
    base = tmp_path / "run" / "base.pt"
    monkeypatch.setattr(continue_training.detector_training, "train", lambda *_, **__: base)
    out = tmp_path / "detector.onnx"
    amount = continue_training.DetectorAmount()
    continue_training.detector(shipped, tmp_path, [], [], tmp_path / "run", out, amount)
    pixels = np.asarray(picture[None, :, :, ::-1].transpose(0, 3, 1, 2) / 255, np.float32)
    both = [open_network(file, 1).run(None, {"images": pixels})[0][0] for file in (shipped, out)]
    best = [np.sort(rows[4:6].max(0))[::-1][:40] for rows in both]
    assert best[0][9] > 0.7, "ten places look like tiles"
    assert np.abs(best[0] - best[1]).max() < 0.002
    before, after = (
        rows[:, rows[4:6].max(0) > least] for rows, least in zip(both, (0.75, 0.7), strict=True)
    )
    away = np.abs(before[:2, :, None] - after[:2, None]).sum(0)
    assert away.min(1).max() < 0.5, "the same places"
    # A few places beside others of nearly the same score differ by the rounding of features.
    off = np.abs(before[6:] - after[6:, away.argmin(1)])
    assert np.quantile(off, 0.98) < 0.03, "and the same directions"
