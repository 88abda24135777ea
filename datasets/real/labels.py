"""Labelled folders: ``images/`` and ``labels/``, one YOLO text file per photo.

Classes are in the order of the project's tile codes unless a folder says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hupai.datasets.real.patches import Box, Split, correct_boxes
from hupai.scoring.errors import HupaiError
from hupai.scoring.tiles import CODES, Tile

SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".webp", ".heic", ".heif"})
"""File extensions of photos."""

Label = tuple[Tile, Box]
"""A face and its box: centre, width and height as fractions of the photo."""


class LabelError(HupaiError, ValueError):
    """A folder or a line that cannot be read as labels.

    The message says where it is and what was expected.
    """


@dataclass(frozen=True, slots=True)
class LabelledPhoto:
    """A photo and its labels."""

    path: Path
    labels: tuple[Label, ...]


def read_folder(folder: Path, split: Split | None = None) -> tuple[LabelledPhoto, ...]:
    """Read all photos of a folder that have a label file, by name.

    Args:
        folder: holds ``images`` and ``labels``.
        split: apply the corrections of `hupai.datasets.real.patches` for this folder.

    Raises:
        LabelError: if ``images`` or ``labels`` is missing, or a line is malformed.
    """
    for needed in (folder / "images", folder / "labels"):
        if not needed.is_dir():
            raise LabelError(f"{needed} is missing: a labelled folder holds images/ and labels/")
    return tuple(_photos(folder, split))


def _photos(folder: Path, split: Split | None) -> Iterator[LabelledPhoto]:
    for path in sorted((folder / "images").iterdir()):
        file = folder / "labels" / f"{path.stem}.txt"
        if path.suffix.lower() in SUFFIXES and file.is_file():
            labels = parse(file.read_text("utf-8"), str(file))
            yield LabelledPhoto(
                path, labels if split is None else correct_boxes(split, path.stem, labels)
            )


def parse(text: str, name: str = "", classes: Sequence[Tile] = tuple(Tile)) -> tuple[Label, ...]:
    """Read faces and boxes of a YOLO label file.

    Args:
        text: one line per box: class, centre x, centre y, width, height.
        name: for messages.
        classes: the face of each class.

    Raises:
        LabelError: if a line is not five numbers, or a class does not exist.
    """
    return tuple((classes[index], box) for index, box in parse_indices(text, name, len(classes)))


def parse_indices(text: str, name: str, count: int) -> Iterator[tuple[int, Box]]:
    """Yield class index and box of each line of a YOLO label file; for the rest see `parse`."""
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            index, x, y, w, h = line.split()
            if not 0 <= int(index) < count:
                raise ValueError(f"class {index} of {count}")
            yield int(index), (float(x), float(y), float(w), float(h))
        except ValueError as error:
            raise LabelError(
                f"{name}, line {number}: expected 'class x y width height', got {line!r} ({error})"
            ) from None


def corners(labels: Iterable[Label]) -> NDArray[np.float64]:
    """Return the boxes of labels by their corners, shape (n, 4), fractions of the photo."""
    boxes = [(x - w / 2, y - h / 2, x + w / 2, y + h / 2) for _, (x, y, w, h) in labels]
    return np.asarray(boxes, np.float64).reshape(-1, 4)


def write(labels: Iterable[Label]) -> str:
    """Write labels as the text of a YOLO label file."""
    return "".join(
        f"{int(tile)} " + " ".join(f"{value:.6f}" for value in box) + "\n" for tile, box in labels
    )


def classes_text() -> str:
    """Write the file classes.txt that goes with `write`."""
    return "\n".join(CODES) + "\n"
