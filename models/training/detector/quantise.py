"""Stores an exported detector in 8 bits, which takes half of the time on CPUs with VNNI.

    python -m hupai.models.training.detector.quantise --pictures DIR... [--model FOLDER]

Only convolutions are computed in 8 bits, see `hupai.models.training.integers`. What would cost
accuracy and saves little time is spared: the first layers, the branch that scores tiles, the last
convolution of each branch and the decoding of the boxes.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from hupai.models import registry
from hupai.models.registry_writer import write_entry
from hupai.models.training.integers import in_8_bits, is_in_8_bits
from hupai.vision.detection.tile_detector import Letterbox

COUNT = 32
"""Pictures that the limits of the activations are taken from."""

SIZES = (448, 640, 896)
"""Longer sides to which these are brought in turn, pixels: of first and of second passes."""

_SEED = 3
"""Of the choice of pictures."""

SPARED = ("/model.0/", "/model.1/", "/model.2/", "/model.3/", "/model.22/cv3",
          "/cv2.0/cv2.0.2/", "/cv2.1/cv2.1.2/", "/cv2.2/cv2.2.2/", "/dfl/")  # fmt: skip
"""Parts of the names of Ultralytics' YOLOv8n whose nodes stay in single precision."""

LEAST_BEFORE_SIGMOID = -6.0
"""Lower limit of activations before SiLU, which makes -0.015 of it."""


def choose(folders: Sequence[Path], count: int) -> list[Path]:
    """Choose pictures at random, as many from each folder.

    Args:
        folders: hold pictures, or a folder ``images`` of them.
        count: of all pictures.

    Raises:
        ValueError: when a folder holds none.
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
            yield Letterbox.of(image, sizes[k % len(sizes)]).pixels


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pictures", type=Path, nargs="+", required=True, metavar="DIR")
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--model", default=registry.DEFAULT, help="name, or folder of a training")
    parser.add_argument("--version", help="of the weights that come out; as before without it")
    a = parser.parse_args(arguments)
    entry = registry.find(a.model)
    files = {role: entry.path(role) for role in entry.roles}
    if is_in_8_bits(files["detector"]):
        raise SystemExit(f"{files['detector'].name} is in 8 bits already")
    with tempfile.TemporaryDirectory() as folder:
        before = Path(folder) / "before.onnx"
        shutil.copy(files["detector"], before)
        pictures = choose(a.pictures, a.count)
        in_8_bits(
            before, files["detector"], inputs(pictures), ["Conv"], SPARED, LEAST_BEFORE_SIGMOID
        )
    version = a.version or entry.version
    write_entry(entry.folder, entry.name, version, files, entry.settings, entry.about)
    size = files["detector"].stat().st_size / 1e6
    print(f"{files['detector'].name}: {size:.2f} MB")


if __name__ == "__main__":
    main()
