"""Labelled folders: ``images/`` and ``labels/`` with a YOLO text file a photo, classes in the order
of the project's tile codes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hupai.datasets.real.patches import Box, Split, correct_boxes
from hupai.scoring.tiles import CODES, Tile

SUFFIXES = (".jpg", ".jpeg", ".png", ".webp")
Label = tuple[Tile, Box]
"""A face and its box: centre, width and height as fractions of the photo."""


class LabelError(ValueError):
    """A folder or a line that cannot be read as labels; the message says where and what was
    expected.
    """


@dataclass(frozen=True, slots=True)
class LabelledPhoto:
    """A photo and its labels."""

    path: Path
    labels: tuple[Label, ...]


def read_folder(folder: Path, split: Split | None = None) -> tuple[LabelledPhoto, ...]:
    """All photos of a folder that have a label file, by name; with `split`, corrected by
    `hupai.datasets.real.patches`.

    Raises:
        LabelError: no ``images`` or ``labels`` folder, or a malformed line.
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


def parse(
    text: str, name: str = "", classes: Sequence[Tile | None] = tuple(Tile)
) -> tuple[Label, ...]:
    """Faces and boxes of a YOLO label file.

    Args:
        text: a line a box: class, centre x, centre y, width, height.
        name: for messages.
        classes: the face of each class; None leaves its boxes out.

    Raises:
        LabelError: for a line that is not five numbers, or a class that does not exist.
    """
    labels = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            index, x, y, w, h = line.split()
            face = classes[_index(index, len(classes))]
            box = (float(x), float(y), float(w), float(h))
        except ValueError as error:
            raise LabelError(
                f"{name}, line {number}: expected 'class x y width height', got {line!r} ({error})"
            ) from None
        if face is not None:
            labels.append((face, box))
    return tuple(labels)


def _index(text: str, count: int) -> int:
    index = int(text)
    if not 0 <= index < count:
        raise ValueError(f"class {index} of {count}")
    return index


def write(labels: Iterable[Label]) -> str:
    """The labels as a YOLO label file."""
    return "".join(
        f"{int(tile)} " + " ".join(f"{value:.6f}" for value in box) + "\n" for tile, box in labels
    )


def classes_text() -> str:
    """The file classes.txt that goes with `write`."""
    return "\n".join(CODES) + "\n"
