"""Stores an exported classifier in 8 bits, which takes a third of the time on CPUs with VNNI.

    python -m hupai.models.training.classifier.quantise --crops CROPS.npz... [--model FOLDER]

`hupai.models.training.integers` says how. The last layer, and the pooled values before it that tile
sets are enrolled with, stay in single precision.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hupai.models import registry
from hupai.models.registry_writer import write_entry
from hupai.models.training.classifier.mean_logits import central_crops, sample
from hupai.models.training.classifier.network import INPUT
from hupai.models.training.integers import in_8_bits, is_in_8_bits
from hupai.vision.detection.onnx_session import open_network

COUNT = 1024
"""Crops that the limits of the activations are taken from."""

_TYPES = ["Conv", "Add", "Relu"]
"""Operators that are computed in 8 bits."""


def quantise(classifier: Path, out: Path, patches: NDArray[np.uint8]) -> float:
    """Write a classifier in 8 bits; its metadata stay.

    Args:
        classifier: ONNX file in half or single precision.
        out: ONNX file.
        patches: shape (n, PATCH, PATCH, 3), of all classes.

    Returns:
        Share of the patches that both name alike.
    """
    side = open_network(classifier).get_inputs()[0].shape[2]
    crops = central_crops(patches, side or INPUT)
    batches = [crops[i : i + 64] for i in range(0, len(crops), 64)]
    in_8_bits(classifier, out, batches, _TYPES)
    names = [
        np.concatenate(
            [open_network(file).run(["logits"], {"crops": batch})[0].argmax(1) for batch in batches]
        )
        for file in (classifier, out)
    ]
    return float((names[0] == names[1]).mean())


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--crops", type=Path, nargs="+", required=True)
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--model", default=registry.DEFAULT, help="name, or folder of a training")
    parser.add_argument("--version", help="of the weights that come out; as before without it")
    a = parser.parse_args(arguments)
    entry = registry.find(a.model)
    files = {role: entry.path(role) for role in entry.roles}
    if is_in_8_bits(files["classifier"]):
        raise SystemExit(f"{files['classifier'].name} is in 8 bits already")
    with tempfile.TemporaryDirectory() as folder:
        before = Path(folder) / "before.onnx"
        shutil.copy(files["classifier"], before)
        alike = quantise(before, files["classifier"], sample(a.crops, a.count)[0])
    version = a.version or entry.version
    write_entry(entry.folder, entry.name, version, files, entry.settings, entry.about)
    size = files["classifier"].stat().st_size / 1e6
    print(f"{files['classifier'].name}: {size:.2f} MB, {alike:.4f} named as before")


if __name__ == "__main__":
    main()
