"""Samples crops from the files of `hupai.models.training.classifier.crops`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


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
