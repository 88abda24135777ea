"""Stores exported networks in 8 bits: two to three times as fast on CPUs with VNNI.

    python -m hupai.models.training.quantise detector --pictures DIR... [--model FOLDER]
    python -m hupai.models.training.quantise classifier --crops CROPS.npz... [--model FOLDER]
    python -m hupai.models.training.quantise upright --crops CROPS.npz... [--model FOLDER]

See `hupai.models.training.integers` for the method. Of the detector, layers that would cost
accuracy and save little time stay in single precision: the first layers, the branches that score
tiles and give their directions, the last convolution of the branch for boxes, and the decoding. Of
both classifiers the last layer, and the pooled values before it that tile sets are enrolled with,
stay in single precision.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from hupai.models import registry
from hupai.models.registry_writer import write_entry
from hupai.models.training.classifier.crops import central_crops, upright_crops
from hupai.models.training.classifier.network import INPUT
from hupai.models.training.classifier.samples import sample_with_axes
from hupai.models.training.detector.candidates import only_candidates
from hupai.models.training.integers import in_8_bits, is_in_8_bits
from hupai.vision.detection.onnx_session import open_network
from hupai.vision.detection.picture import Picture
from hupai.vision.detection.tile_detector import Letterbox

CROPS = 1024
"""Crops that the limits of the classifier's activations are taken from."""

PICTURES = 32
"""Pictures that the limits of the detector's activations are taken from."""

SIZES = (448, 640, 896)
"""Longer sides to which these are scaled in turn, pixels: as in first and in second passes."""

_SEED = 3
"""Seed of the choice of pictures."""

_CLASSIFIER_TYPES = ["Conv", "Add", "Relu"]
"""Operators of the classifier that are computed in 8 bits."""

_DETECTOR_TYPES = ["Conv", "Sigmoid", "Mul", "Add", "Concat", "Slice", "MaxPool", "Resize"]
"""Operators of the detector that are computed in 8 bits; between convolutions, a step in single
precision takes as long as the convolution."""

SPARED = ("/model.0/", "/model.1/", "/model.2/", "/model.3/", "/model.22/cv3", "/model.22/cv4",
          "/cv2.0/cv2.0.2/", "/cv2.1/cv2.1.2/", "/cv2.2/cv2.2.2/", "/model.22/dfl/",
          "/model.22/Sigmoid", "/model.22/Mul", "/model.22/Add", "/model.22/Concat",
          "/model.22/Slice")  # fmt: skip
"""Parts of the names of Ultralytics' YOLOv8n whose nodes stay in single precision."""

LEAST_BEFORE_SIGMOID = -6.0
"""Lower limit of activations before SiLU, whose value there is -0.015."""


def classifier(
    network: Path,
    out: Path,
    patches: NDArray[np.uint8],
    axes: NDArray[np.floating] | None = None,
) -> float:
    """Write a classifier, or the network for upright crops, in 8 bits; its metadata stay.

    Args:
        network: ONNX file in half or single precision.
        out: ONNX file.
        patches: shape (n, PATCH, PATCH, 3), of all classes.
        axes: shape (n,), radians, by which they are turned upright.

    Returns:
        Share of the patches on which both agree.
    """
    side = open_network(network).get_inputs()[0].shape[2] or INPUT
    crops = central_crops(patches, side) if axes is None else upright_crops(patches, axes, side)
    batches = [crops[i : i + 64] for i in range(0, len(crops), 64)]
    in_8_bits(network, out, batches, _CLASSIFIER_TYPES)
    names = [
        np.concatenate(
            [open_network(file).run(["logits"], {"crops": batch})[0].argmax(1) for batch in batches]
        )
        for file in (network, out)
    ]
    return float((names[0] == names[1]).mean())


def detector(network: Path, out: Path, pictures: Sequence[Path], like: Path | None = None) -> None:
    """Write a detector in 8 bits that decodes boxes of candidates only.

    Args:
        network: ONNX file in half or single precision.
        out: ONNX file.
        pictures: files that the limits of the activations are taken from.
        like: detector in 8 bits that the network was fine-tuned from; its limits are kept.
    """
    in_8_bits(network, out, inputs(pictures), _DETECTOR_TYPES, SPARED, LEAST_BEFORE_SIGMOID, like)
    only_candidates(out, out)


def choose(folders: Sequence[Path], count: int) -> list[Path]:
    """Choose pictures at random, equally many from each folder.

    Args:
        folders: hold pictures, or a folder ``images`` of them.
        count: number of pictures in all.

    Raises:
        ValueError: if a folder holds none.
    """
    rng = np.random.default_rng(_SEED)
    chosen: list[Path] = []
    for k, folder in enumerate(folders):
        inside = folder / "images" if (folder / "images").is_dir() else folder
        files = sorted(p for p in inside.iterdir() if p.suffix.lower() in (".jpg", ".png", ".jpeg"))
        if not files:
            raise ValueError(f"{inside} holds no pictures")
        share = count * (k + 1) // len(folders) - count * k // len(folders)
        chosen += [files[int(i)] for i in rng.permutation(len(files))[:share]]
    return chosen


def inputs(pictures: Sequence[Path], sizes: Sequence[int] = SIZES) -> Iterator[NDArray[np.float32]]:
    """Yield pictures as the network takes them, (1, 3, height, width)."""
    for k, path in enumerate(pictures):
        picture = cv2.imread(str(path))
        if picture is not None:
            image = cv2.cvtColor(picture, cv2.COLOR_BGR2RGB).astype(np.uint8)
            yield Letterbox.of(Picture.of(image), sizes[k % len(sizes)]).pixels


def replace(
    model: str, role: str, version: str | None, quantise: Callable[[Path, Path], float | None]
) -> str:
    """Replace a network of a set of weights by its 8-bit version; return a description of the
    result.

    Raises:
        SystemExit: the network is in 8 bits already.
    """
    entry = registry.find(model)
    files = {one: entry.path(one) for one in entry.roles}
    if is_in_8_bits(files[role]):
        raise SystemExit(f"{files[role].name} is in 8 bits already")
    with tempfile.TemporaryDirectory() as folder:
        before = Path(folder) / "before.onnx"
        shutil.copy(files[role], before)
        alike = quantise(before, files[role])
    write_entry(
        entry.folder, entry.name, version or entry.version, files, entry.settings, entry.about
    )
    named = f", {alike:.4f} named as before" if alike is not None else ""
    return f"{files[role].name}: {files[role].stat().st_size / 1e6:.2f} MB{named}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--model", default=registry.DEFAULT, help="name, or folder of a training")
    common.add_argument("--version", help="of the weights that come out; as before without it")
    roles = parser.add_subparsers(dest="role", required=True)
    one = roles.add_parser("detector", parents=[common])
    one.add_argument("--pictures", type=Path, nargs="+", required=True, metavar="DIR")
    one.add_argument("--count", type=int, default=PICTURES)
    for role in ("classifier", "upright"):
        one = roles.add_parser(role, parents=[common])
        one.add_argument("--crops", type=Path, nargs="+", required=True)
        one.add_argument("--count", type=int, default=CROPS)
    a = parser.parse_args(arguments)

    def quantise(before: Path, out: Path) -> float | None:
        if a.role == "detector":
            detector(before, out, choose(a.pictures, a.count))
            return None
        patches, _, axes = sample_with_axes(a.crops, a.count)
        return classifier(before, out, patches, axes if a.role == "upright" else None)

    print(replace(a.model, a.role, a.version, quantise))


if __name__ == "__main__":
    main()
