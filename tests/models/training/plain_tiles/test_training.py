"""The plain-tile network learns colours it is shown, and its combination is fitted and stored."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from hupai.datasets.real.patches import Places
from hupai.models import registry
from hupai.models.training.classifier.scene_views import SceneView
from hupai.vision.detection.onnx_session import open_network
from hupai.vision.detection.picture import Picture
from hupai.vision.detection.plain_tiles import classifier as plain_tiles

torch = pytest.importorskip(
    "torch", reason="the train extra is not installed: pip install .[train]"
)
onnx = pytest.importorskip("onnx", reason="the train extra is not installed: pip install .[train]")
from hupai.models.training.plain_tiles import fusion, train  # noqa: E402
from hupai.models.training.plain_tiles.fusion import Case, fit, write  # noqa: E402
from hupai.models.training.plain_tiles.network import from_onnx  # noqa: E402
from hupai.models.training.plain_tiles.places import SIDE  # noqa: E402

pytestmark = pytest.mark.filterwarnings("default")

GREYS = (30, 100, 170, 240)
"""Brightness of the places of each kind."""


@pytest.fixture
def places(tmp_path: Path) -> Path:
    rng = np.random.default_rng(4)
    kinds = np.repeat(np.arange(4), 20).astype(np.int16)
    views = np.clip(
        np.array(GREYS)[kinds][:, None, None, None] + rng.normal(0, 8, (80, SIDE, SIDE, 6)), 0, 255
    ).astype(np.uint8)
    np.savez(tmp_path / "places.npz", views=views, kinds=kinds, pictures=np.arange(80))
    return tmp_path / "places.npz"


def test_a_short_training_is_exported_in_8_bits_and_resumes(
    places: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "run"

    class Stopped(Exception):
        pass

    def measure(*_: object) -> list[float]:
        if (run / "last.pt").exists():
            raise Stopped
        return [0.0] * 4

    with monkeypatch.context() as patch:
        patch.setattr(train, "recalls", measure)
        with pytest.raises(Stopped):
            train.train(run, [places], places, epochs=2, per_epoch=64, batch=32)
    out = train.train(run, [places], places, epochs=2, per_epoch=64, batch=32, resume=True)
    history = json.loads((run / "history.json").read_text())
    assert [row["epoch"] for row in history] == [0, 1]
    assert len(history[1]["recalls"]) == 4
    network = plain_tiles.PlainTileClassifier(open_network(out, 1))
    photo = Picture.of(np.full((120, 120, 3), GREYS[0], np.uint8))
    boxes = np.array([[40, 40, 70, 80], [10, 20, 40, 60]], np.float32)
    kinds = network.kinds(photo, boxes)
    assert kinds.shape == (2, 4)
    assert kinds.sum(1) == pytest.approx(1, abs=1e-5)


def test_an_exported_network_is_trained_on_from_what_it_knows(places: Path, tmp_path: Path) -> None:
    first = train.train(tmp_path / "a", [places], None, epochs=3, per_epoch=512, batch=32)
    network = from_onnx(first).eval()
    views = np.load(places)["views"]
    session = open_network(first, 1, None)
    stored = session.run(["logits"], {"views": train.central(views).numpy()})[0]
    again = network(train.central(views)).detach().numpy()
    assert np.abs(again - stored).max() < 0.1 * np.abs(stored).max(), "but for the 8 bits"
    before = train.recalls(network, views, np.load(places)["kinds"])
    out = train.train(
        tmp_path / "b", [places], places, epochs=1, per_epoch=64, batch=32, rate=1e-5, base=first
    )
    after = json.loads((tmp_path / "b" / "history.json").read_text())[0]["recalls"]
    assert after == pytest.approx(before, abs=0.1)
    assert out.exists()


def test_a_network_of_another_form_is_refused() -> None:
    other = registry.find(registry.DEFAULT).path("classifier")
    with pytest.raises(ValueError, match="is no plain-tile network"):
        from_onnx(other)


def test_marked_backs_and_clutter_of_a_photo_are_cases_of_the_fit() -> None:
    marks = Places(clutter=((0.5, 0.5, 0.6, 0.7),), backs=((0.1, 0.1, 0.2, 0.3),))
    view = SceneView(np.zeros((100, 200, 3), np.uint8), (), np.zeros((0, 4, 2)))
    marked, empty = fusion.with_marks(view, marks)
    assert [tile.shown for tile in marked.tiles] == ["?"]
    assert marked.boxes.tolist() == [pytest.approx([20, 10, 40, 30])]
    assert empty.tolist() == [pytest.approx([100, 50, 120, 70])]


def test_views_keep_their_size_and_range_when_they_are_changed() -> None:
    views = torch.rand(6, 6, SIDE, SIDE)
    changed = train.changed(views, torch.Generator().manual_seed(1))
    assert changed.shape == (6, 6, plain_tiles.SIDE, plain_tiles.SIDE)
    assert float(changed.min()) >= 0
    assert float(changed.max()) <= 1
    assert train.central((views * 255).byte().permute(0, 2, 3, 1).numpy()).shape == changed.shape


def test_the_fit_trusts_the_network_that_is_right(places: Path, tmp_path: Path) -> None:
    """The plain-tile network is always right here, the classifier knows nothing."""
    rng = np.random.default_rng(5)
    same = np.zeros(2, np.float32)
    cases: list[Case] = []
    for true in rng.integers(0, 4, 200).tolist():
        shares = rng.dirichlet(np.ones(44)).astype(np.float32)
        kinds = np.full(4, 0.02, np.float32)
        kinds[true] = 0.94
        cases.append((shares, kinds, 0.5, 0.5, same, true))
    weights, accuracy = fit(cases)
    assert accuracy > 0.99
    assert weights[1] > 3 * abs(weights[0])
    out = train.train(tmp_path / "run", [places], None, epochs=1, per_epoch=32, batch=32)
    write(out, weights)
    stored = plain_tiles.PlainTileClassifier(open_network(out, 1))
    assert stored.weights == np.round(weights, 4).tolist()
