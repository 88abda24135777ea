"""Writes the mean logits by class into an exported classifier.

    python -m hupai.models.training.classifier.mean_logits --crops CROPS.npz... [--model FOLDER]

The mean is over rendered crops (`hupai.models.training.classifier.crops`) that the classifier
names right. `hupai.vision.detection.logit_bias` compares a photo with it. The table is stored in
the file's metadata: the weights do not change, but the file's hash and the registry entry do.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray

from hupai.models import registry
from hupai.models.registry_writer import write_entry
from hupai.models.training.classifier.crops import central_crops
from hupai.models.training.classifier.network import INPUT
from hupai.vision.detection.logit_bias import NAME
from hupai.vision.detection.onnx_session import open_network
from hupai.vision.types import FloatArray

FEWEST = 10
"""Crops of a class that must be classified correctly."""

MOST = 20000
"""Most crops that are evaluated."""


def mean_logits(
    classifier: Path, patches: NDArray[np.uint8], classes: NDArray[np.int64]
) -> FloatArray:
    """Return the mean logits of the crops that are classified correctly, by class, shape (43, 44).

    Args:
        classifier: ONNX file.
        patches: shape (n, PATCH, PATCH, 3), see `hupai.models.training.classifier.crops`.
        classes: shape (n,); 43 stands for no tile.

    Raises:
        ValueError: when a class has fewer than `FEWEST` crops that are classified correctly.
    """
    session = open_network(classifier)
    batches = (central_crops(patches[i : i + 64], INPUT) for i in range(0, len(patches), 64))
    logits = np.concatenate([session.run(["logits"], {"crops": crops})[0] for crops in batches])
    right = logits.argmax(1) == classes
    counts = np.bincount(classes[right], minlength=logits.shape[1])[:-1]
    if counts.min() < FEWEST:
        raise ValueError(
            f"class {int(counts.argmin())} has {counts.min()} crops that are named right: "
            "give more crops"
        )
    rows = [logits[right & (classes == k)].mean(0) for k in range(logits.shape[1] - 1)]
    return np.stack(rows).astype(np.float32)


def sample(files: Sequence[Path], most: int) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Sample patches with their classes evenly from files, reproducibly."""
    patches, classes, _ = sample_with_axes(files, most)
    return patches, classes


def sample_with_axes(
    files: Sequence[Path], most: int
) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.float32]]:
    """Sample patches with their classes and axes evenly from files, reproducibly."""
    rng = np.random.default_rng(0)
    patches, classes, axes = [], [], []
    whole = {file: len(np.load(file)["classes"]) for file in files}
    for file, count in whole.items():
        part, some = np.load(file), min(count, round(most * count / sum(whole.values())))
        rows = np.sort(rng.choice(count, some, replace=False))
        patches.append(part["patches"][rows])
        classes.append(part["classes"][rows])
        axes.append(part["axes"][rows])
    named = np.concatenate(classes).astype(np.int64)
    return np.concatenate(patches), named, np.concatenate(axes).astype(np.float32)


def write(classifier: Path, table: FloatArray) -> None:
    """Write a table into the metadata of an ONNX file, replacing an existing one."""
    model = onnx.load(classifier)
    kept = {entry.key: entry.value for entry in model.metadata_props} | {
        NAME: json.dumps([[round(float(value), 2) for value in row] for row in table])
    }
    onnx.helper.set_model_props(model, kept)
    onnx.save(model, classifier)


def main() -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--crops", type=Path, nargs="+", required=True)
    parser.add_argument("--most", type=int, default=MOST)
    parser.add_argument("--model", default=registry.DEFAULT, help="name, or folder of a training")
    parser.add_argument("--version", help="of the weights that come out; as before without it")
    a = parser.parse_args()
    entry = registry.find(a.model)
    files = {role: entry.path(role) for role in entry.roles}
    patches, classes = sample(a.crops, a.most)
    write(files["classifier"], mean_logits(files["classifier"], patches, classes))
    version = a.version or entry.version
    write_entry(entry.folder, entry.name, version, files, entry.settings, entry.about)
    print(f"{files['classifier'].name}: mean logits of {len(classes)} crops")


if __name__ == "__main__":
    main()
