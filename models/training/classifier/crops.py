"""Patches of single tiles for the crop classifier, cut from rendered scenes and labelled photos.

    python -m hupai.models.training.classifier.crops OUT.npz --scenes DIR [--rectified]
    python -m hupai.models.training.classifier.crops OUT.npz --photos DIR [--outlines MODEL]

A patch is the square around a box, `CONTEXT` times its longer side, resized to `PATCH` pixels: room
for the random shifts, rotations and scales of training. The network sees its centre, as cut by
`hupai.vision.detection.crops` at inference.
"""

from __future__ import annotations

import argparse
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from hupai.datasets.real.patches import clutter_places
from hupai.datasets.synthetic.scene import axis_of
from hupai.models.evaluation.labelled_folder import public_split, read_folder
from hupai.models.training.classifier.photo_outlines import detected_outlines, open_detector
from hupai.models.training.classifier.scene_views import (
    Quads,
    SceneView,
    scene_views,
    shorter_sides,
)
from hupai.scoring.tiles import Tile
from hupai.vision.detection.crops import VIEW, cut_square, stacked
from hupai.vision.detection.picture import Picture
from hupai.vision.detection.tile_detector import DetectorNetwork
from hupai.vision.detection.upright import ASPECT, cut_off, upright_squares
from hupai.vision.geometry import boxes
from hupai.vision.types import Image

PATCH = 96
"""Side of a patch in pixels."""

CONTEXT = 1.5
"""Side of a patch as a multiple of the longer side of its box."""

NONE = 43
"""Class of a patch without a whole tile."""

RECTIFIED_EDGE_NOISE = 0.06
"""Standard deviation of detected from true edges in rectified views, in sides."""

TILE = 0.25
"""Greatest distance of a box's centre from a tile's to show it, in the tile's shorter side."""

GAP = 0.45
"""Least distance of a box's centre from every tile's to show no tile, in shorter sides."""

LEAST_VISIBLE = 0.6
"""Least visible share of a tile for its patch to be labelled."""

SMALLEST = 14
"""Least longer side of a box for a patch, pixels."""

_Box = NDArray[np.float64]


def cut_outline(
    image: Image, quad: NDArray[np.floating], size: int, context: float = VIEW
) -> Image:
    """Cut a tile by its outline: upright or upside down, in its shape, with what surrounds it.

    Args:
        image: RGB.
        quad: corners in pixels, shape (4, 2), clockwise; the first two are an end of the tile.
        size: pixels of the result's side.
        context: side of the crop in heights of the tile.

    Returns:
        Shape (size, size, 3); grey where the photo ends.
    """
    half = np.array([ASPECT, 1.0]) / context
    frame = (np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * half).astype(np.float32)
    onto = cv2.getPerspectiveTransform(frame, np.asarray(quad, np.float32))
    seen = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], np.float32)
    if (seen @ onto[2, :2] + onto[2, 2] <= 1e-6).any():  # beyond the horizon: no margin
        return cut_square(image, np.concatenate([quad.min(0), quad.max(0)]), size, context)
    corners = np.asarray(cv2.perspectiveTransform(seen[None], onto), np.float32)
    crop: Image = Picture.of(image).straightened(corners, (size, size))[0]
    return crop


class Patches:
    """A growing collection of patches with their classes and axes."""

    def __init__(self, side: int = PATCH) -> None:
        """Begin with none.

        Args:
            side: of a patch, pixels.
        """
        self._side = side
        self.patches: list[Image] = []
        self.classes: list[int] = []
        self.axes: list[float] = []
        self.red: list[float] = []
        self.pictures: list[int] = []
        self.picture = 0

    def add(
        self,
        image: Image,
        place: NDArray[Any],
        shown: int = NONE,
        axis: float = float("nan"),
        red: float = float("nan"),
    ) -> None:
        """Cut a patch.

        Args:
            image: the picture.
            place: a box (4,), or an outline (4, 2) whose first two corners are an end of the tile.
            shown: class of the tile.
            axis: its axis on the patch, not a number where it is not known.
            red: 1 for a red five, 0 for a plain one, not a number where it is not known.
        """
        cut = cut_square if place.ndim == 1 else cut_outline
        self.patches.append(cut(image, place, self._side, CONTEXT))
        self.classes.append(shown)
        self.axes.append(axis)
        self.red.append(red)
        self.pictures.append(self.picture)

    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return patches (n, side, side, 3) RGB, classes (n,), axes (n,), red fives (n,)."""
        return (
            np.array(self.patches, np.uint8),
            np.array(self.classes, np.int16),
            np.array(self.axes, np.float32),
            np.array(self.red, np.float32),
        )

    def __str__(self) -> str:
        return f"{len(self.classes)} patches, {self.classes.count(NONE)} of no tile"

    def save(self, out: Path) -> None:
        """Write the patches as OUT.npz."""
        out.parent.mkdir(parents=True, exist_ok=True)
        patches, classes, axes, red = self.arrays()
        pictures = np.array(self.pictures, np.int32)
        np.savez(out, patches=patches, classes=classes, axes=axes, red=red, pictures=pictures)


def central_crops(patches: NDArray[np.uint8], side: int) -> NDArray[np.float32]:
    """Cut the crops that the classifier sees at inference out of patches (n, PATCH, PATCH, 3).

    Returns:
        Shape (n, 3, side, side).
    """
    tile = PATCH / CONTEXT  # longer side of the tile's box, of which the view takes VIEW
    box = np.array([PATCH - tile, PATCH - tile, PATCH + tile, PATCH + tile], np.float32) / 2
    return stacked(np.stack([cut_square(patch, box, side, VIEW) for patch in patches]))


def upright_crops(
    patches: NDArray[np.uint8], axes: NDArray[np.floating], side: int
) -> NDArray[np.float32]:
    """Cut the crops that the upright network sees out of patches (n, PATCH, PATCH, 3).

    Args:
        patches: the patches.
        axes: shape (n,), radians; tiles without a known axis stay as they are.
        side: of a crop, pixels.

    Returns:
        Shape (n, 3, side, side).
    """
    tile = PATCH / CONTEXT
    box = np.array([[PATCH - tile, PATCH - tile, PATCH + tile, PATCH + tile]], np.float32) / 2
    squares = upright_squares(box.repeat(len(axes), 0), np.where(np.isnan(axes), np.pi / 2, axes))
    crops = [
        Picture.of(patch).straightened(square[None], (side, side))[0]
        for patch, square in zip(patches, squares, strict=True)
    ]
    return stacked(np.stack(crops))


def from_scenes(
    folder: Path,
    seed: int = 3,
    keep_backs: float = 0.12,
    longest: tuple[int, int] = (420, 960),
    rectified: bool = False,
    gaps: int = 0,
) -> Patches:
    """Cut patches of the visible tiles of rendered scenes, and of places without a tile.

    Args:
        folder: of `hupai.datasets.synthetic.generate`.
        seed: of the random choices.
        keep_backs: share of the backs that are kept.
        longest: range of the pictures' longer side in pixels, so that the patches have the
            sharpness of near and far tiles.
        rectified: take only scenes seen from the side, in the bird's-eye view.
        gaps: patches a scene of places in and beside its rows, as
            `hupai.vision.layout.missing_tiles` classifies them: between two tiles, half beside one,
            or on one but off its centre.
    """
    rng = np.random.default_rng(seed)
    found = Patches()
    for taken in scene_views(folder, rng, longest):
        view = taken.rectified() if rectified else taken
        if view is None:
            continue
        for tile, quad, box in zip(view.tiles, view.quads, view.boxes, strict=True):
            size = box[2:] - box[:2]
            if tile.visible < LEAST_VISIBLE or size.max() < SMALLEST:
                continue
            if tile.shown == Tile.BACK.code and rng.random() > keep_backs:
                continue
            noise = rng.normal(0, RECTIFIED_EDGE_NOISE if rectified else 0.02, 4) * np.tile(size, 2)
            found.add(view.image, box + noise, int(Tile.from_code(tile.shown)), axis_of(quad))
        for box in _empty_boxes(rng, view):
            found.add(view.image, box)
        for box, at in gap_boxes(rng, view.quads, gaps):
            if at is None:
                found.add(view.image, box)
            elif view.tiles[at].visible >= LEAST_VISIBLE:
                shown = int(Tile.from_code(view.tiles[at].shown))
                found.add(view.image, box, shown, axis_of(view.quads[at]))
    return found


def _empty_boxes(rng: np.random.Generator, view: SceneView) -> Iterator[_Box]:
    """Yield two boxes of tile size that hold no tile or only part of one."""
    if not view.tiles:
        return
    count = 0
    size = np.median(boxes.sizes(view.boxes), axis=0)
    height, width = view.image.shape[:2]
    for _ in range(12):
        low = rng.uniform(0, 1, 2) * np.maximum((width, height) - size, 1)
        side = size * rng.uniform(0.7, 1.6)
        if rng.random() < 0.4:
            pick = view.boxes[int(rng.integers(len(view.tiles)))]
            off = rng.choice([-1, 1], 2) * rng.uniform(0.45, 0.8, 2)
            low = pick[:2] + (pick[2:] - pick[:2]) * off
        box = np.array([*low, *(low + side)])
        if boxes.intersections(box[None], view.boxes).max() < 0.3 * side.prod():
            yield box
            count += 1
            if count == 2:
                return


def gap_boxes(
    rng: np.random.Generator, quads: Quads, count: int
) -> Iterator[tuple[_Box, int | None]]:
    """Yield boxes of a tile moved along its row, each with the tile in it, if any."""
    sides, centres = shorter_sides(quads), quads.mean(1)
    for _ in range(4 * count if len(quads) else 0):
        pick = int(rng.integers(len(quads)))
        steps = rng.choice([-1.5, -1.0, -0.5, 0.5, 1.0, 1.5]) * rng.uniform(0.8, 1.2)
        along = (quads[pick][1] - quads[pick][0]) * steps
        moved = quads[pick] + along + rng.normal(0, 0.05, 2) * sides[pick]
        box = boxes.around(moved[None])[0]
        away = np.hypot(*(centres - moved.mean(0)).T) / sides
        nearest = int(away.argmin())
        if (box[2:] - box[:2]).max() < SMALLEST or TILE < away[nearest] < GAP:
            continue
        yield box, nearest if away[nearest] <= TILE else None
        count -= 1
        if count == 0:
            return


def from_photos(
    folder: Path,
    names: Collection[str] | None = None,
    side: int = PATCH,
    faces: Collection[Tile] | None = None,
    detector: DetectorNetwork | None = None,
) -> Patches:
    """Cut patches of the labelled tiles of a folder, and of its marked clutter.

    Known label errors of the public folders are corrected. With a detector each tile that it finds
    is cut by its box and, unless the edge of the photo cuts it off, by its outline. Otherwise tiles
    are cut by their labels; if a label is clearly longer in one direction, that is the tile's axis,
    because such photos show rows along the picture's edges, and else the axis is unknown.

    Args:
        folder: labelled, see `hupai.models.evaluation.labelled_folder`.
        names: take only these photos.
        side: of a patch, pixels.
        faces: cut tiles with these faces only, and no clutter.
        detector: finds the tiles, see `hupai.models.training.classifier.photo_outlines`.
    """
    split = public_split(folder)
    places = {} if split is None or faces is not None else clutter_places(split)
    found = Patches(side)
    for photo in read_folder(folder):
        if names is not None and photo.path.stem not in names:
            continue
        picture = cv2.imread(str(photo.path))
        if picture is None:
            continue
        image = cv2.cvtColor(picture, cv2.COLOR_BGR2RGB).astype(np.uint8)
        size = np.tile(image.shape[1::-1], 2)
        labels = photo.boxes * size
        outlines = np.full((len(labels), 4, 2), np.nan)
        if detector is not None:
            outlines = detected_outlines(image, labels, detector)
        for tile, box, quad in zip(photo.tiles, labels, outlines, strict=True):
            if faces is not None and tile not in faces:
                continue
            if np.isnan(quad).any():
                found.add(image, box, int(tile), _axis_by_shape(box))
                continue
            detected = boxes.around(quad[None])
            found.add(image, detected[0], int(tile), axis_of(quad))
            if not cut_off(detected, picture.shape[1::-1])[0]:
                found.add(image, quad, int(tile), float(np.pi / 2))
        for place in places[photo.path.stem].clutter if photo.path.stem in places else ():
            x0, y0, x1, y1 = place
            for grown in (0.0, 0.25):
                more = np.array([x0 - x1, y0 - y1, x1 - x0, y1 - y0]) * grown
                found.add(image, (np.array(place) + more) * size)
    return found


def _axis_by_shape(box: NDArray[Any]) -> float:
    width, height = box[2:] - box[:2]
    aspect = float(width / max(float(height), 1e-6))
    return float(np.pi / 2) if aspect < 0.85 else 0.0 if aspect > 1.18 else float("nan")


def main() -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--scenes", type=Path)
    source.add_argument("--photos", type=Path)
    parser.add_argument("--rectified", action="store_true", help="bird's-eye views of scenes")
    parser.add_argument("--gaps", type=int, default=0, help="places a scene, mostly without a tile")
    parser.add_argument("--keep-backs", type=float, default=0.12, help="share of the backs kept")
    parser.add_argument("--outlines", metavar="MODEL", help="weights that find the tiles of photos")
    parser.add_argument("--seed", type=int, default=3)
    a = parser.parse_args()
    if a.scenes:
        found = from_scenes(a.scenes, a.seed, a.keep_backs, rectified=a.rectified, gaps=a.gaps)
    else:
        found = from_photos(a.photos, detector=open_detector(a.outlines) if a.outlines else None)
    found.save(a.out)
    print(found)


if __name__ == "__main__":
    main()
