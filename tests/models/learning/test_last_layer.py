"""The last layer fitted anew: it learns new crops and keeps the answers to old ones."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from hupai.models import registry
from hupai.models.learning.last_layer import CLASSES, Layer, Rows, Settings, fit, refit
from hupai.models.training.classifier.crops import PATCH
from hupai.scoring.tiles import Tile
from hupai.vision.detection.onnx_session import open_network

WIDTH = 48


def clusters(seed: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Embeddings (n, WIDTH) around the mean of their class, and the classes."""
    means = np.random.default_rng(1).normal(0, 1, (CLASSES, WIDTH))
    rng = np.random.default_rng(seed)
    classes = rng.integers(0, CLASSES, count)
    return (means[classes] + rng.normal(0, 0.4, (count, WIDTH))).astype(np.float32), classes


@pytest.fixture(scope="module")
def shipped() -> Layer:
    """A layer that names the clusters."""
    values, classes = clusters(2, 2000)
    means = np.stack([values[classes == k].mean(0) for k in range(CLASSES)]).astype(np.float64)
    return Layer(means, -0.5 * (means**2).sum(1))


def right(layer: Layer, rows: Rows) -> float:
    return float((layer.logits(rows.embeddings).argmax(1) == rows.classes).mean())


def test_a_set_that_looks_different_is_learnt_and_nothing_is_forgotten(shipped: Layer) -> None:
    old, held_out = Rows(*clusters(3, 1500)), Rows(*clusters(4, 1500))
    moved = np.random.default_rng(5).normal(0, 2.5, (CLASSES, WIDTH)).astype(np.float32)

    def shifted(seed: int) -> Rows:
        values, classes = clusters(seed, 500)
        return Rows(values + moved[classes], classes)

    own, measured = shifted(6), shifted(7)
    before, layer = right(shipped, measured), fit(shipped, own, old, Settings())
    assert before < 0.8
    assert right(layer, measured) > before + 0.5 * (1 - before), "half of the misses are gone"
    assert right(layer, held_out) > right(shipped, held_out) - 0.01


def test_a_firm_penalty_leaves_the_layer_as_it_is(shipped: Layer) -> None:
    old, own = Rows(*clusters(3, 400)), Rows(*clusters(6, 50))
    wrong = replace(own, classes=(own.classes + 1) % CLASSES)
    layer = fit(shipped, wrong, old, Settings(stay=1e9))
    np.testing.assert_allclose(layer.weights, shipped.weights, atol=1e-4)
    np.testing.assert_allclose(layer.bias, shipped.bias, atol=1e-4)


def test_the_network_written_reads_the_crops_and_keeps_axes_and_embeddings(tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    rng = np.random.default_rng(8)
    colours = np.array([[210, 40, 40], [40, 180, 60], [50, 60, 200], [240, 240, 240]], np.uint8)
    own = np.broadcast_to(colours[:, None, None], (4, PATCH, PATCH, 3)).repeat(3, 0)
    faces = np.array([Tile.M1, Tile.P5, Tile.EAST, Tile.S9]).repeat(3)
    old = rng.integers(0, 256, (20, PATCH, PATCH, 3), np.uint8)
    path = registry.find(registry.DEFAULT).path("classifier")
    for name in ("a", "b"):
        refit(path, (own, faces), (old, np.full(20, 43)), tmp_path / name, Settings(stay=1e-4))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    middle = own[:, 14:78, 14:78].transpose(0, 3, 1, 2).astype(np.float32) / 255
    outputs = ["logits", "axis", "red", "embedding"]
    was, now = (
        open_network(file).run(outputs, {"crops": np.ascontiguousarray(middle)})
        for file in (path, tmp_path / "a")
    )
    assert (now[0].argmax(1) == faces).mean() > 0.9
    assert (was[0].argmax(1) == faces).mean() < 0.5
    for before, after in zip(was[1:], now[1:], strict=True):
        np.testing.assert_allclose(before, after, atol=1e-5)
