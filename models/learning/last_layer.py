"""Refits the classifier's last layer on corrected crops, in seconds and without PyTorch.

The layers below are kept, so a crop is its embedding (384 numbers), and the last layer is a softmax
regression on embeddings: its loss is convex, and L-BFGS finds the minimum (last layers are fitted
in this way by Kornblith et al., Do Better ImageNet Models Transfer Better?, 2019). On crops of
rendered scenes, the targets are the shipped classifier's own outputs (Li and Hoiem, Learning
without Forgetting, 2016), and a penalty keeps all outputs near the shipped ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from hupai.vision.detection.onnx_session import open_network
from hupai.vision.enrolment.discriminant import augmented_crop
from hupai.vision.numeric import log_softmax, softmax
from hupai.vision.types import FloatArray

CLASSES = 44
"""42 faces, the back, and "no tile": the outputs that are fitted."""

BATCH = 64
"""Crops in one run of the network."""

MOST_OWN, MOST_OLD = 20_000, 4_000
"""Number of rows up to which corrected crops get several altered copies; also the maximum number of
old crops, which are sampled if there are more.
"""

_WEIGHTS, _BIAS = "head.weight", "head.bias"
"""Names of the last layer's parameters in the ONNX file."""

Embed = Callable[[FloatArray], FloatArray]
"""Returns the embeddings (n, d) of crops (n, 3, side, side), RGB from 0 to 1."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How the layer is fitted; chosen on rendered tables (docs/notebook/2026-11-learning.md).

    Attributes:
        copies: altered copies of each corrected crop: turned, shifted, blurred, lit differently.
        own_share: weight of the corrected crops in the loss; the rest is that of the old crops.
        stay: weight of half the mean squared change of the old crops' logits.
        rounds: greatest number of L-BFGS steps.
        seed: seed of the alterations.
    """

    copies: int = 6
    own_share: float = 0.6
    stay: float = 0.1
    rounds: int = 60
    seed: int = 29


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """A last layer.

    Attributes:
        weights: shape (CLASSES, d).
        bias: shape (CLASSES,).
    """

    weights: NDArray[np.float64]
    bias: NDArray[np.float64]

    def logits(self, embeddings: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return the logits (n, CLASSES) of embeddings (n, d)."""
        return np.asarray(embeddings @ self.weights.T + self.bias, np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Crops as the last layer sees them.

    Attributes:
        embeddings: shape (n, d).
        classes: labels, shape (n,).
    """

    embeddings: FloatArray
    classes: NDArray[np.int64]


def embedded(
    embed: Embed,
    patches: Sequence[NDArray[np.uint8]] | NDArray[np.uint8],
    classes: NDArray[np.integer],
    side: int,
    copies: int,
    seed: int,
) -> Rows:
    """Embed altered copies of patches (n, PATCH, PATCH, 3); the same arguments give the same rows.

    Args:
        embed: the network below the last layer.
        patches: as the training stores them, see `hupai.models.training.classifier.crops`.
        classes: their labels, shape (n,).
        side: side of the network's input, pixels.
        copies: number of copies of each patch.
        seed: seed of the alterations.
    """
    rng = np.random.default_rng(seed)
    crops = [augmented_crop(patch, side, rng) for _ in range(copies) for patch in patches]
    parts = [
        embed(np.ascontiguousarray(np.stack(crops[i : i + BATCH]).transpose(0, 3, 1, 2)))
        for i in range(0, len(crops), BATCH)
    ]
    return Rows(np.concatenate(parts), np.tile(np.asarray(classes, np.int64), copies))


def refit(
    shipped: Path,
    own: tuple[NDArray[np.uint8], NDArray[np.integer]],
    old: tuple[NDArray[np.uint8], NDArray[np.integer]],
    out: Path,
    settings: Settings,
) -> None:
    """Fit the last layer of a classifier to corrected crops, and write the network.

    Args:
        shipped: ONNX file of the classifier to start from.
        own: patches (n, PATCH, PATCH, 3) and labels (n,) of the corrected crops.
        old: the same of rendered scenes and earlier photos.
        out: ONNX file to write.
        settings: how the layer is fitted.

    Raises:
        ImportError: the library `onnx` is missing.
        OSError: there is no room.
    """
    network = open_network(shipped)
    side = int(network.get_inputs()[0].shape[2])

    def embed(crops: FloatArray) -> FloatArray:
        (found,) = network.run(["embedding"], {"crops": crops})
        return found

    taken = np.random.default_rng(settings.seed).permutation(len(old[1]))[:MOST_OLD]
    copies = max(1, min(settings.copies, MOST_OWN // max(len(own[1]), 1)))
    new_rows = embedded(embed, *own, side, copies, settings.seed)
    old_rows = embedded(embed, old[0][taken], old[1][taken], side, 1, settings.seed)
    write(shipped, fit(layer_of(shipped), new_rows, old_rows, settings), out)


def layer_of(classifier: Path) -> Layer:
    """Read the last layer of a classifier, an ONNX file."""
    onnx: Any = import_module("onnx")
    found = {
        one.name: onnx.numpy_helper.to_array(one) for one in onnx.load(classifier).graph.initializer
    }
    weights, bias = found[_WEIGHTS], found[_BIAS]
    return Layer(weights[:CLASSES].astype(np.float64), bias[:CLASSES].astype(np.float64))


def write(shipped: Path, layer: Layer, out: Path) -> None:
    """Write a classifier with its last layer replaced.

    Args:
        shipped: ONNX file of the classifier.
        layer: the layer to put in.
        out: ONNX file to write.
    """
    onnx: Any = import_module("onnx")
    model = onnx.load(shipped)
    parameters = {one.name: one for one in model.graph.initializer}
    for name, fitted in ((_WEIGHTS, layer.weights), (_BIAS, layer.bias)):
        there = onnx.numpy_helper.to_array(parameters[name])
        values = np.concatenate([fitted.astype(there.dtype), there[CLASSES:]])
        parameters[name].CopyFrom(onnx.numpy_helper.from_array(values, name))
    out.parent.mkdir(parents=True, exist_ok=True)
    new = out.with_suffix(".new")
    onnx.save(model, new)
    new.replace(out)


def fit(shipped: Layer, own: Rows, old: Rows, settings: Settings) -> Layer:
    """Fit the last layer.

    Args:
        shipped: the layer to start from and to stay near.
        own: corrected crops, altered.
        old: crops whose outputs should stay.
        settings: how the layer is fitted.
    """
    own_x, old_x = _with_one(own.embeddings), _with_one(old.embeddings)
    start = np.column_stack([shipped.weights, shipped.bias])
    # Whitened embeddings: L-BFGS then needs tens of steps instead of hundreds.
    moments = old_x.T @ old_x / len(old_x)
    moments += np.eye(len(moments)) * (1e-3 * np.trace(moments) / len(moments))
    white = np.linalg.inv(np.linalg.cholesky(moments)).T
    own_w, old_w = own_x @ white, old_x @ white
    own_start, old_start = own_x @ start.T, old_x @ start.T
    kept = softmax(old_start)
    weight = _even(own.classes) * settings.own_share
    labels = np.eye(CLASSES)[own.classes]
    old_weight = (1 - settings.own_share) / len(old_x)

    def loss(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        change = flat.reshape(CLASSES, -1)
        own_log = log_softmax(own_start + own_w @ change.T)
        moved = old_w @ change.T
        old_log = log_softmax(old_start + moved)
        value = -float(weight @ own_log[np.arange(len(own.classes)), own.classes])
        value -= old_weight * float((kept * old_log).sum())
        value += settings.stay / 2 * float((moved**2).mean(0).sum())
        slope = ((np.exp(own_log) - labels) * weight[:, None]).T @ own_w
        slope += old_weight * (np.exp(old_log) - kept).T @ old_w
        slope += settings.stay / len(old_x) * moved.T @ old_w
        return value, slope.ravel()

    found = minimize(
        loss,
        np.zeros(start.size),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": settings.rounds},
    ).x
    fitted = start + found.reshape(CLASSES, -1) @ white.T
    return Layer(fitted[:, :-1], fitted[:, -1])


def _with_one(values: NDArray[np.floating]) -> NDArray[np.float64]:
    return np.column_stack([np.asarray(values, np.float64), np.ones(len(values))])


def _even(classes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return weights (n,) that sum to 1; frequent faces get less than a proportional weight."""
    times = np.bincount(classes, minlength=CLASSES).astype(np.float64)
    weights = 1 / np.sqrt(times[classes])
    return np.asarray(weights / weights.sum())
