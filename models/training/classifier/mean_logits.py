"""Writes into an exported classifier what it usually says about each class, which
`hupai.vision.detection.logit_bias` compares a photo with.

    python -m hupai.models.training.classifier.mean_logits --crops CROPS.npz... --version 2026.11 [--name default] [--most 20000]

The table is the mean of the logits over rendered crops (`hupai.models.training.classifier.crops`)
that the classifier names right, one row a class. It lies in the file's metadata: the weights stay
as they are, the file's hash and the registry entry do not.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray

from hupai.models import registry
from hupai.models.registry_writer import write_entry
from hupai.models.training.classifier.crops import CONTEXT, PATCH
from hupai.models.training.classifier.network import INPUT
from hupai.vision.detection.crops import VIEW, cut_square, stacked
from hupai.vision.detection.logit_bias import NAME
from hupai.vision.detection.onnx_session import open_network
from hupai.vision.types import FloatArray

FEWEST = 10
"""Crops of a class that have to be named right."""


def usual(classifier: Path, patches: NDArray[np.uint8], classes: NDArray[np.int64]) -> FloatArray:
    """Mean logits of the crops that are named right, by class, shape (43, 44).

    Args:
        classifier: ONNX file.
        patches: shape (n, PATCH, PATCH, 3), see `hupai.models.training.classifier.crops`.
        classes: shape (n,); 43 is no tile.

    Raises:
        ValueError: when a class has fewer than `FEWEST` crops that are named right.
    """
    session = open_network(classifier)
    logits = np.concatenate([
        session.run(["logits"], {"crops": middles(patches[i : i + 64])})[0] for i in range(0, len(patches), 64)
    ])  # fmt: skip
    right = logits.argmax(1) == classes
    counts = np.bincount(classes[right], minlength=logits.shape[1])[:-1]
    if counts.min() < FEWEST:
        raise ValueError(
            f"class {int(counts.argmin())} has {counts.min()} crops that are named right: give more crops"
        )
    rows = [logits[right & (classes == k)].mean(0) for k in range(logits.shape[1] - 1)]
    return np.stack(rows).astype(np.float32)


def middles(patches: NDArray[np.uint8]) -> NDArray[np.float32]:
    """What of patches (n, PATCH, PATCH, 3) the classifier sees in use, shape (n, 3, INPUT,
    INPUT).
    """
    side = PATCH / CONTEXT  # longer side of the tile's box, of which the view takes VIEW
    box = np.array([PATCH - side, PATCH - side, PATCH + side, PATCH + side], np.float32) / 2
    return stacked([cut_square(patch, box, INPUT, VIEW) for patch in patches])


def sample(files: list[Path], most: int) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Patches and classes drawn evenly from files of `hupai.models.training.classifier.crops`, at
    most so many; the same each time.
    """
    rng = np.random.default_rng(0)
    patches, classes = [], []
    whole = {file: len(np.load(file)["classes"]) for file in files}
    for file, count in whole.items():
        part, some = np.load(file), min(count, round(most * count / sum(whole.values())))
        rows = np.sort(rng.choice(count, some, replace=False))
        patches.append(part["patches"][rows])
        classes.append(part["classes"][rows])
    return np.concatenate(patches), np.concatenate(classes).astype(np.int64)


def write(classifier: Path, table: FloatArray) -> None:
    """Put a table into the metadata of an ONNX file, in place of one that may be there."""
    model = onnx.load(classifier)
    kept = {entry.key: entry.value for entry in model.metadata_props} | {
        NAME: json.dumps([[round(float(value), 2) for value in row] for row in table])
    }
    onnx.helper.set_model_props(model, kept)
    onnx.save(model, classifier)


def main() -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--crops", type=Path, nargs="+", required=True)
    parser.add_argument("--most", type=int, default=20000)
    parser.add_argument("--name", default=registry.DEFAULT)
    parser.add_argument("--version", required=True)
    a = parser.parse_args()
    entries = {entry.name: entry for entry in registry.available()}
    if a.name not in entries:
        raise registry.UnknownWeightsError(a.name, tuple(entries))
    entry = entries[a.name]
    files = {role: entry.path(role) for role in ("detector", "classifier")}
    patches, classes = sample(a.crops, a.most)
    write(files["classifier"], usual(files["classifier"], patches, classes))
    write_entry(a.name, a.version, files, entry.settings, entry.about)
    print(f"{files['classifier'].name}: usual logits from {len(classes)} crops")


if __name__ == "__main__":
    main()
