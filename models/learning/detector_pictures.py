"""Pictures for the detector from a labelled data set: checked tiles and struck-out boxes.

A struck-out box is a negative example: nothing is labelled there. One near the hand is kept in the
picture of the hand; around any other a separate picture without tiles is cut. Tiles that nobody
checked are painted over, since without labels they would count as background.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from hupai.models.training.detector.data import (
    LabelledPicture,
    free_cut,
    labelled_part,
    write_views,
)
from hupai.scoring.tiles import Tile
from hupai.vision.geometry.boxes import around, clipped, corners, intersections, sizes

NEAR = 3.0
"""Greatest distance of a struck-out box from the tiles of the hand for one picture to show both, in
tile sides.
"""

SHADOW = 0.1
"""Share of its sides by which a painted box is larger than the tile."""

LONGEST = 640
"""Maximum longer side of the written pictures, pixels."""

_Boxes = NDArray[np.float64]


def write_pictures(folder: Path, names: Collection[str], out: Path, seed: int = 5) -> int:
    """Write OUT/images and OUT/labels in Ultralytics' format.

    Args:
        folder: written by `hupai datasets from-hands`.
        names: photos to write.
        out: the folder to write to.
        seed: seed of turns, stretches and margins.

    Returns:
        The number of photos written.
    """
    rng = np.random.default_rng(seed)
    document: dict[str, Any] = json.loads((folder / "coco.json").read_text("utf-8"))
    tiles: dict[int, list[dict[str, Any]]] = {}
    for annotation in document["annotations"]:
        tiles.setdefault(annotation["image_id"], []).append(annotation)
    count = 0
    for row in document["images"]:
        name = Path(row["file_name"]).stem
        image = cv2.imread(str(folder / "images" / row["file_name"])) if name in names else None
        mine = [one for one in tiles.get(row["id"], ()) if one["checked"]]
        if image is None or not mine:
            continue
        others = [one for one in tiles[row["id"]] if not one["checked"]]
        backs = np.array([one["category_id"] == int(Tile.BACK) for one in mine], int)
        picture = LabelledPicture(image, corners(_boxes(mine)), backs)
        struck_out = around(np.array(row["no_tiles"], np.float64).reshape(-1, 4, 2))
        _write(picture, _boxes(others), struck_out, out, f"own_{name}", rng)
        count += 1
    return count


def _boxes(annotations: Collection[dict[str, Any]]) -> _Boxes:
    quads = [one["segmentation"][0] for one in annotations]
    return around(np.array(quads, np.float64).reshape(-1, 4, 2))


def _write(
    picture: LabelledPicture,
    others: _Boxes,
    struck_out: _Boxes,
    out: Path,
    name: str,
    rng: np.random.Generator,
) -> None:
    """Write the views of a photo, and a piece for each struck-out box far from the hand."""
    boxes = picture.boxes
    reach = NEAR * float(np.median(sizes(boxes)))
    low, high = boxes[:, :2].min(0) - reach, boxes[:, 2:].max(0) + reach
    near = ((struck_out[:, :2] > low) & (struck_out[:, 2:] < high)).all(1)
    kept = np.concatenate([boxes, struck_out])
    foreign = others[~(intersections(others, kept) > 0).any(1)]
    image = _painted_over(picture.image, foreign, kept)
    clean = LabelledPicture(image, picture.quads, picture.classes)
    write_views(labelled_part(clean, rng, struck_out[near]), out, name, LONGEST, rng)
    known = np.concatenate([boxes, others])
    for number, place in enumerate(struck_out[~near]):
        cut = free_cut(rng, place, known, picture.size[:2])
        if cut is not None:
            x0, y0, x1, y1 = cut
            empty = np.zeros((0, 4, 2)), np.zeros(0, int)
            piece = LabelledPicture(picture.image[y0:y1, x0:x1], *empty)
            piece.write(out, f"{name}_none_{number}", LONGEST)


def _painted_over(image: np.ndarray, boxes: _Boxes, kept: _Boxes) -> np.ndarray:
    """Paint boxes, and what their shadows darken, in the median colour around them.

    The contents of the boxes `kept` are left as they are.
    """
    painted = image.copy()
    grown = boxes + SHADOW * np.hstack([-sizes(boxes), sizes(boxes)])
    for rows, columns in _slices(grown, image):
        part = painted[rows, columns]
        if part.size:
            edges = (part[0], part[-1], part[:, 0], part[:, -1])
            part[:] = np.median(np.concatenate(edges), axis=0)
    for rows, columns in _slices(kept, image):
        painted[rows, columns] = image[rows, columns]
    return painted


def _slices(boxes: _Boxes, image: np.ndarray) -> Iterator[tuple[slice, slice]]:
    """Yield the rows and columns of an image that lie in each box."""
    for x0, y0, x1, y1 in clipped(boxes, *image.shape[1::-1]).astype(int).tolist():
        yield slice(y0, y1), slice(x0, x1)
