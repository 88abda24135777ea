"""The network of a family learns faces that it is shown, and is exported and resumed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hupai.datasets.faces.from_sources import drawn
from hupai.scoring.tiles import Tile
from hupai.vision.detection.families import CHARACTERS, FLOWERS, Family, FamilyClassifier
from hupai.vision.detection.onnx_session import open_network
from hupai.vision.detection.picture import Picture

torch = pytest.importorskip(
    "torch", reason="the train extra is not installed: pip install .[train]"
)
pytest.importorskip("onnx", reason="the train extra is not installed: pip install .[train]")
from hupai.models.training.classifier.crops import CONTEXT  # noqa: E402
from hupai.models.training.classifier.network import Shape  # noqa: E402
from hupai.models.training.families import patches, train  # noqa: E402

pytestmark = pytest.mark.filterwarnings("default")

COUNT = 128


@pytest.fixture
def flowers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Patches of two flowers, light and dark, and of a tile between them that is no flower."""
    monkeypatch.setattr(train, "SHAPE", Shape((8, 8, 16, 16), (1, 1, 1)))
    rng = np.random.default_rng(2)
    classes = rng.choice([int(Tile.SPRING), int(Tile.ORCHID), int(Tile.M1)], COUNT)
    light = np.select([classes == Tile.SPRING, classes == Tile.M1], [60, 130], 200)
    light = light[:, None, None, None]
    noise = rng.normal(0, 10, (COUNT, 144, 144, 3))
    axes = np.where(rng.random(COUNT) < 0.5, np.pi / 2, np.nan)
    np.savez(
        tmp_path / "flowers.npz",
        patches=np.clip(light + noise, 0, 255).astype(np.uint8),
        classes=classes.astype(np.int16),
        axes=axes.astype(np.float32),
    )
    return tmp_path / "flowers.npz"


def test_a_short_training_resumes_and_is_exported_in_8_bits(
    flowers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = train.FamilyPatches(flowers, FLOWERS)
    assert set(shown.classes) == {0, 5}, "the other tile is left out"
    others = train.FamilyPatches(flowers, FLOWERS, others=True)
    assert set(others.classes) == {8}
    assert len(shown.classes) + len(others.classes) == COUNT
    run = tmp_path / "run"

    class Stopped(Exception):
        pass

    measure = train.accuracy

    def stopped(*values: Any) -> float:
        if (run / "last.pt").exists():
            raise Stopped
        return measure(*values)

    def trained(resume: bool = False) -> Path:
        return train.train(FLOWERS, run, [shown, others], [0.5, 0.5], {"check": shown}, epochs=3,
                           per_epoch=384, batch=32, rate=0.01, resume=resume)  # fmt: skip

    with monkeypatch.context() as patch:
        patch.setattr(train, "accuracy", stopped)
        with pytest.raises(Stopped):
            trained()
    out = trained(resume=True)
    history = json.loads((run / "history.json").read_text())
    assert [row["epoch"] for row in history] == [0, 1, 2]
    assert history[-1]["loss"] < history[0]["loss"]
    assert out.name == "flowers.onnx"
    network = FamilyClassifier(FLOWERS, open_network(out, 1))
    place = np.array([[[0, 0], [90, 0], [90, 90], [0, 90]]], float)
    logits = network.logits(Picture.of(np.full((90, 90, 3), 60, np.uint8)), place)
    assert logits.shape == (1, 9)
    assert logits[0, [0, 5, 8]].min() > np.delete(logits[0], [0, 5, 8]).max(), "never seen"


@pytest.mark.parametrize("family", [FLOWERS, CHARACTERS], ids=lambda family: family.name)
def test_patches_of_drawn_sets_are_made_for_training_and_for_measuring(
    family: Family, tmp_path: Path
) -> None:
    few = tmp_path / "few"
    drawn(few, 1, tiles=family.tiles[:3])
    some = sorted(few.iterdir())
    assert patches.folders_with(family, some) == []
    with pytest.raises(ValueError, match=f"holds half of the {family.name}"):
        patches.make(family, tmp_path / "none", some, [], styles=4, pictures=4)
    files = patches.make(family, tmp_path / "out", [], [], styles=4, pictures=4)
    kinds, judges = ("wide", "drawn"), family.judged_from is not None
    shown = ("", "others-") if judges else ("",)
    assert [f.stem for f in files] == [f"{some}{kind}" for kind in kinds for some in shown]
    for name in kinds if judges else ():
        stored = np.load(tmp_path / "out" / f"others-{name}.npz")["classes"]
        others = train.FamilyPatches(tmp_path / "out" / f"others-{name}.npz", family, others=True)
        assert len(others.classes) == len(stored) > 0, "no face of the family"
        assert set(stored) <= set(patches.outside(family))
    for name in (*kinds, "wide-check", "drawn-check"):
        stored = np.load(tmp_path / "out" / f"{name}.npz")["classes"]
        made = train.FamilyPatches(tmp_path / "out" / f"{name}.npz", family)
        assert len(made.classes) == len(stored) > 0, "faces of the family only"
        assert set(stored) == set(family.classes[made.classes])
        side = round(CONTEXT * family.side)
        assert made.patches.shape[1:] == (side, side, 3)
