"""Which checkpoints of a detector's training are gone on with."""

from __future__ import annotations

import zipfile
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

for extra in ("torch", "ultralytics"):
    pytest.importorskip(extra, reason="needs the train extra: pip install 'hupai[train]'")


class Model:
    """Stands in for Ultralytics' model; `trained` lists how it was trained."""

    epoch = 0
    trained: list[tuple[str, bool]]

    def __init__(self, file: str) -> None:
        self.file, self.ckpt = file, {"epoch": self.epoch}

    def add_callback(self, *_: object) -> None:
        """Take a callback, and never call it."""

    def train(self, **settings: Any) -> None:
        self.trained.append((self.file, bool(settings.get("resume"))))


@pytest.mark.parametrize(
    ("epoch", "whole", "trained"),
    [
        (0, True, [("last.pt", True)]),
        (-1, True, []),
        (2, True, []),
        (0, False, [("base.yaml", False)]),
        (0, None, [("base.yaml", False)]),
    ],
    ids=["interrupted", "finished", "killed after the last epoch", "cut off", "none"],
)
def test_an_interrupted_training_goes_on_and_a_finished_one_stays(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    epoch: int,
    whole: bool | None,
    trained: list[tuple[str, bool]],
) -> None:
    train: Any = import_module("hupai.models.training.detector.train")
    last = tmp_path / "run" / "weights" / "last.pt"
    last.parent.mkdir(parents=True)
    if whole is not None:
        with zipfile.ZipFile(last, "w") as file:
            file.writestr("data.pkl", b"weights" * 100)
        if not whole:
            last.write_bytes(last.read_bytes()[:-40])
    monkeypatch.setattr(Model, "epoch", epoch)
    monkeypatch.setattr(Model, "trained", [], raising=False)
    monkeypatch.setattr(train, "YOLO", Model)
    recipe = train.Recipe(epochs=3, base="base.yaml")
    assert train.train(tmp_path / "data", tmp_path / "run", recipe, resume=True) == last
    assert [(Path(file).name, resumed) for file, resumed in Model.trained] == trained
