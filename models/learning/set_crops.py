"""Crops of the tiles of a labelled data set for training the classifier."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from hupai.datasets.real.labels import LabelError
from hupai.datasets.synthetic.scene import axis_of
from hupai.models.training.classifier.crops import NONE, Patches
from hupai.scoring.tiles import Tile

PARTS = ("train", "held-out-photos", "held-out-table")
"""Parts of a set; training uses the first alone."""


@dataclass(frozen=True, slots=True)
class SetCrops:
    """Crops, and the photo that each comes from.

    Attributes:
        patches: as the training stores them.
        photos: name of the photo of each crop.
    """

    patches: Patches
    photos: tuple[str, ...]


def parts_of(folder: Path) -> dict[str, frozenset[str]]:
    """Read which photos belong to which part.

    Raises:
        LabelError: the folder is not an export of `hupai datasets from-hands`.
    """
    try:
        table: dict[str, list[str]] = json.loads((folder / "splits.json").read_text("utf-8"))
        return {part: frozenset(table.get(part, ())) for part in PARTS}
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise LabelError(
            f"{folder} is not a set of `hupai datasets from-hands`: splits.json ({error})"
        ) from None


def crops_of(folder: Path, names: Iterable[str]) -> SetCrops:
    """Cut the checked tiles of some photos, and the boxes marked as no tile.

    Raises:
        LabelError: coco.json or a photo cannot be read.
    """
    wanted = frozenset(names)
    document = _read(folder / "coco.json")
    by_image: dict[int, list[dict[str, Any]]] = {}
    for annotation in document["annotations"]:
        if annotation["checked"]:
            by_image.setdefault(annotation["image_id"], []).append(annotation)
    patches, photos = Patches(), []
    for row in document["images"]:
        name = Path(row["file_name"]).stem
        if name not in wanted:
            continue
        picture = cv2.imread(str(folder / "images" / row["file_name"]))
        if picture is None:
            raise LabelError(f"{row['file_name']} cannot be decoded by the trainer")
        image = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2RGB), np.uint8)
        patches.picture = row["id"]
        for annotation in by_image.get(row["id"], ()):
            quad = np.array(annotation["segmentation"][0], np.float64).reshape(4, 2)
            patches.add(image, _box(quad), _class(annotation["category_id"]), axis_of(quad))
            photos.append(name)
        for corners in row["no_tiles"]:
            patches.add(image, _box(np.array(corners, np.float64).reshape(4, 2)), NONE)
            photos.append(name)
    return SetCrops(patches, tuple(photos))


def _box(quad: np.ndarray) -> np.ndarray:
    return np.concatenate([quad.min(0), quad.max(0)])


def _class(number: int) -> int:
    return int(Tile(number))


def _read(path: Path) -> dict[str, Any]:
    try:
        document: dict[str, Any] = json.loads(path.read_text("utf-8"))
        document["images"], document["annotations"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise LabelError(f"{path} is not a COCO file of `from-hands` ({error})") from None
    return document
