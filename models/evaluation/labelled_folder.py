"""Labelled folders: photos with YOLO labels, class names, whole-hand truth and table names.

A folder holds ``images/`` and ``labels/`` (one text file a photo, lines ``class x y width height``
as fractions of the photo), ``hands.jsonl`` (``{"photo", "tiles"}``, optional), and in itself or in
the folder above it ``classes.txt`` (a tile code a line) and ``photos.csv`` (columns ``photo`` and
``table``, optional).

Some labels of the public photos are wrong. For their folders, ``train`` and ``dev``, the
corrections of `hupai.datasets.real.patches` are applied unless the labels are wanted as they are.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, zip_longest
from pathlib import Path

import numpy as np

from hupai.datasets.real.patches import Box, Split, correct_boxes, correct_hand
from hupai.scoring.tiles import Tile, UnknownTileError
from hupai.vision.types import FloatArray

Labels = tuple[tuple[Tile, Box], ...]
"""Faces with their boxes as a label file has them: centre, width and height as fractions."""

TrueGroup = tuple[str, tuple[Tile, ...], str | None]
"""Kind, tiles ascending, and from whom it was claimed, as `hupai.vision.types.GroupKind` and
`hupai.scoring.hand.Source` name them.
"""

PHOTO_SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".webp", ".heic", ".heif"})


class LabelledFolderError(ValueError):
    """The folder is not a labelled one, or a file in it cannot be read; the message says which and
    what was expected.
    """


@dataclass(frozen=True, slots=True, eq=False)
class LabelledPhoto:
    """One photo with its truth.

    Attributes:
        path: the picture.
        table: the table and tile set it was taken at; photos of one table resemble each other.
        tiles: the labelled faces, one a box.
        boxes: shape (n, 4), fractions of the photo's width and height, ``[x0, y0, x1, y1]``.
        hand: the tiles of the whole hand, sorted; None where the labelled tiles are no hand. In a
            photo with a hand, tiles outside the hand carry no label.
        corrections: how many of its labels were corrected.
        groups: the groups of the hand; None where they are not known.
    """

    path: Path
    table: str
    tiles: tuple[Tile, ...]
    boxes: FloatArray
    hand: tuple[Tile, ...] | None = None
    corrections: int = 0
    groups: tuple[TrueGroup, ...] | None = None


def read_folder(folder: Path, corrected: bool = True) -> tuple[LabelledPhoto, ...]:
    """The labelled photos of a folder, by name. A photo without a label file is left out.

    Args:
        folder: holds ``images`` and ``labels``.
        corrected: apply the known corrections of the public photos' labels.

    Raises:
        LabelledFolderError: when there is no ``images`` or ``labels`` folder, no ``classes.txt``,
            or a malformed line.
    """
    images, labels = folder / "images", folder / "labels"
    for needed in (images, labels):
        if not needed.is_dir():
            raise LabelledFolderError(
                f"{needed} is missing: a labelled folder holds images/, labels/ and classes.txt"
            )
    classes = _classes(_beside(folder, "classes.txt"))
    hands = _hands(_beside(folder, "hands.jsonl", above=False))
    tables = _tables(_beside(folder, "photos.csv"))
    split = _split(folder) if corrected else None
    photos = []
    for path in sorted(images.iterdir()):
        label = labels / f"{path.stem}.txt"
        if path.suffix.lower() in PHOTO_SUFFIXES and label.is_file():
            labels_of_photo = read_labels(label, classes)
            table = tables.get(path.stem) or _table(path.stem)
            photos.append(_labelled(path, table, labels_of_photo, hands.get(path.stem), split))
    return tuple(photos)


def _split(folder: Path) -> Split | None:
    """Which folder of the public photos this is, by its name."""
    name = folder.resolve().name
    return "train" if name == "train" else "dev" if name == "dev" else None


def _labelled(
    path: Path, table: str, labels: Labels, hand: tuple[Tile, ...] | None, split: Split | None
) -> LabelledPhoto:
    right = labels if split is None else correct_boxes(split, path.stem, labels)
    if split is not None and hand is not None:
        hand = correct_hand(split, path.stem, hand)
    corrections = len(labels) - sum((Counter(labels) & Counter(right)).values())
    return LabelledPhoto(
        path, table, tuple(tile for tile, _ in right), _corners(right), hand, corrections
    )


def _corners(labels: Labels) -> FloatArray:
    """Boxes by their corners, shape (n, 4)."""
    boxes = [(x - w / 2, y - h / 2, x + w / 2, y + h / 2) for _, (x, y, w, h) in labels]
    return np.asarray(boxes, np.float32).reshape(-1, 4)


def from_every_table(photos: Sequence[LabelledPhoto], count: int) -> tuple[LabelledPhoto, ...]:
    """At most `count` photos, the tables taking turns and photos with a whole hand first: a quick
    look that leaves no table out.
    """
    waiting = [
        sorted(
            (photo for photo in photos if photo.table == table),
            key=lambda photo: photo.hand is None,
        )
        for table in sorted({photo.table for photo in photos})
    ]
    turns = (photo for turn in zip_longest(*waiting) for photo in turn if photo is not None)
    return tuple(islice(turns, count))


def read_labels(path: Path, classes: tuple[Tile, ...]) -> Labels:
    """Face and box of each line of a YOLO label file; further columns, as of polygons, are refused.

    Raises:
        LabelledFolderError: for a line that is not five numbers or names a class that does not
            exist.
    """
    labels = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            index, x, y, width, height = line.split()
            labels.append(
                (
                    classes[_class_index(index, len(classes))],
                    (float(x), float(y), float(width), float(height)),
                )
            )
        except ValueError as error:
            raise LabelledFolderError(
                f"{path}, line {number}: expected 'class x y width height', got {line!r} ({error})"
            ) from None
    return tuple(labels)


def _class_index(text: str, count: int) -> int:
    index = int(text)
    if not 0 <= index < count:
        raise ValueError(f"class {index} of {count}")
    return index


def _beside(folder: Path, name: str, above: bool = True) -> Path | None:
    """A file of the folder, or of the one above it."""
    places = (folder, folder.resolve().parent) if above else (folder,)
    return next((place / name for place in places if (place / name).is_file()), None)


def _classes(path: Path | None) -> tuple[Tile, ...]:
    if path is None:
        raise LabelledFolderError(
            "classes.txt is missing: one tile code a line, in the order of the label indices"
        )
    try:
        return tuple(
            Tile.from_code(line.strip())
            for line in path.read_text("utf-8").splitlines()
            if line.strip()
        )
    except UnknownTileError as error:
        raise LabelledFolderError(f"{path}: {error}") from None


def _hands(path: Path | None) -> dict[str, tuple[Tile, ...]]:
    if path is None:
        return {}
    hands = {}
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            hands[Path(row["photo"]).name.partition(".")[0]] = tuple(
                sorted(Tile.from_code(code) for code in row["tiles"])
            )
        except (ValueError, KeyError, TypeError) as error:
            raise LabelledFolderError(
                f'{path}, line {number}: expected {{"photo": …, "tiles": […]}} ({error})'
            ) from None
    return hands


def _tables(path: Path | None) -> dict[str, str]:
    if path is None:
        return {}
    with path.open(encoding="utf-8", newline="") as lines:
        return {
            row["photo"]: row["table"]
            for row in csv.DictReader(lines)
            if row.get("photo") and row.get("table")
        }


def _table(stem: str) -> str:
    """The table by the photo's name: what follows the last underscore."""
    return stem.rpartition("_")[2]
