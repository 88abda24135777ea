"""Pictures and labels for the tile detector, in Ultralytics' folder form.

Two classes: 0 a tile's face, 1 the back of a tile lying face down. On a photo only the hand or row
that is its subject is labelled, not the discards and walls around it: `real_photos` crops such a
photo to its labelled part, so that unlabelled tiles do not count as background.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from hupai.datasets.real.patches import Split, clutter_places
from hupai.datasets.synthetic.truth import read_truth
from hupai.models.evaluation.labelled_folder import read_folder
from hupai.models.training.detector import quads as outlines
from hupai.scoring.tiles import Tile
from hupai.vision.geometry.boxes import around, corners, sizes

WHOLE_FROM = 30
"""Number of labels from which a photo counts as a tray or grid without unlabelled tiles."""

MIN_VISIBLE = 0.4
"""Share of a face that has to be visible for a label."""

LEAST_SIDE = 0.006
"""Shorter side of a labelled box, as a share of the picture's longer side."""

_Boxes = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class LabelledPicture:
    """A picture, BGR, with the tiles on it.

    Attributes:
        image: shape (height, width, 3).
        quads: shape (n, 4, 2), corners of the tiles in pixels; the first two are an end of the
            tile, where `directed`.
        classes: shape (n,), 0 a face, 1 a back.
        directed: shape (n,), whether the corners give the tile's direction; None: all do.
    """

    image: np.ndarray
    quads: _Boxes
    classes: NDArray[np.int_]
    directed: NDArray[np.bool_] | None = None

    @property
    def boxes(self) -> _Boxes:
        """The smallest boxes (n, 4) around the tiles."""
        return around(self.quads)

    @property
    def size(self) -> _Boxes:
        """Width, height, width, height."""
        return np.tile(np.array(self.image.shape[1::-1], np.float64), 2)

    def write(self, out: Path, name: str, longest: int) -> None:
        """Write OUT/images/NAME.jpg, its labels, and the outlines of its tiles.

        Args:
            out: the folder.
            name: name of the picture, without extension.
            longest: maximum longer side of the picture, pixels.
        """
        for part in ("images", "labels"):
            (out / part).mkdir(parents=True, exist_ok=True)
        image, scale = self.image, longest / max(self.image.shape[:2])
        if scale < 1:
            image = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        file = str(out / "images" / f"{name}.jpg")
        cv2.imwrite(file, image, [cv2.IMWRITE_JPEG_QUALITY, 92])
        low, high = np.hsplit(self.boxes / self.size, 2)
        rows = np.hstack([(low + high) / 2, high - low])
        text = "".join(
            f"{c} " + " ".join(f"{value:.6f}" for value in row) + "\n"
            for c, row in zip(self.classes, rows, strict=True)
        )
        (out / "labels" / f"{name}.txt").write_text(text)
        directed = np.ones(len(rows), bool) if self.directed is None else self.directed
        shares = (self.quads / self.size[:2]).astype(np.float32)
        tiles = outlines.Outlines(shares, self.classes, directed)
        outlines.write(out / outlines.FOLDER / f"{name}.txt", tiles)

    def cut(self, x0: int, y0: int, x1: int, y1: int) -> LabelledPicture:
        """Return the part between two corners; its tiles lie inside."""
        return replace(self, image=self.image[y0:y1, x0:x1], quads=self.quads - (x0, y0))

    def turned(self, turns: int) -> LabelledPicture:
        """Return the picture after a number of quarter turns to the left."""
        width, height = self.image.shape[1::-1]
        quads = self.quads
        for _ in range(turns % 4):
            quads = np.stack([quads[..., 1], width - quads[..., 0]], 2)
            width, height = height, width
        image = np.ascontiguousarray(np.rot90(self.image, turns))
        return replace(self, image=image, quads=quads)

    def stretched(self, across: float, down: float) -> LabelledPicture:
        """Return the picture with its width and height scaled by these factors."""
        image = cv2.resize(self.image, None, fx=across, fy=down, interpolation=cv2.INTER_AREA)
        by = np.array(image.shape[1::-1]) / self.size[:2]
        return replace(self, image=image, quads=self.quads * by)

    def tilted(self, degrees: float) -> LabelledPicture:
        """Return the picture rotated, with the corners filled in its median colour."""
        height, width = self.image.shape[:2]
        turn = cv2.getRotationMatrix2D((width / 2, height / 2), degrees, 1.0)
        c, s = abs(turn[0, 0]), abs(turn[0, 1])
        across, down = round(width * c + height * s), round(width * s + height * c)
        turn[:, 2] += (across / 2 - width / 2, down / 2 - height / 2)
        ground = tuple(float(v) for v in np.median(self.image.reshape(-1, 3), axis=0))
        image = cv2.warpAffine(
            self.image, turn, (across, down), flags=cv2.INTER_AREA, borderValue=ground
        )
        return replace(self, image=image, quads=self.quads @ turn[:, :2].T + turn[:, 2])


def synthetic(scenes: Path, out: Path, longest: int = 640) -> int:
    """Convert rendered scenes, with pictures reduced to `longest` pixels; return how many."""
    count = 0
    for scene in read_truth(scenes):
        image = cv2.imread(str(scene.picture))
        if image is None:
            continue
        size = (scene.width, scene.height)
        seen = [tile for tile in scene.tiles if tile.visible >= MIN_VISIBLE]
        whole = np.array([tile.quad for tile in seen]).reshape(-1, 4, 2)
        quads = np.clip(whole, 0, size)
        boxes = around(quads)
        backs = np.array([tile.shown == Tile.BACK.code for tile in seen], int)
        kept = sizes(boxes).min(1) >= LEAST_SIDE * max(size)
        # Clipping a corner to the edge changes the direction of the sides that meet there.
        directed = (quads == whole).all((1, 2))
        picture = LabelledPicture(image, quads[kept], backs[kept], directed[kept])
        picture.write(out, f"{scenes.name}_{scene.picture.stem}", longest)
        count += 1
    return count


def real_photos(folder: Path, out: Path, longest: int = 640, rng_seed: int = 5) -> int:
    """Convert a labelled folder; trays stay whole, other photos are cropped to the labelled part.

    Every photo is written three times: upright, turned by a quarter, and stretched. If its tiles
    lie along the picture's edges, it is also written turned by a random angle.

    Args:
        folder: has the photos and their labels, which are boxes.
        out: the folder to write to.
        longest: maximum longer side of the written pictures, pixels.
        rng_seed: seed of rotations, stretches and margins.

    Returns:
        The number of photos.
    """
    rng = np.random.default_rng(rng_seed)
    count = 0
    for photo in read_folder(folder):
        image = cv2.imread(str(photo.path))
        if image is None or not photo.tiles:
            continue
        size = np.tile(np.array(image.shape[1::-1], np.float64), 2)
        backs = np.array([tile is Tile.BACK for tile in photo.tiles], int)
        picture = boxed(image, photo.boxes * size, backs)
        if photo.hand is not None or len(photo.tiles) < WHOLE_FROM:
            picture = labelled_part(picture, rng)
        write_views(picture, out, f"{folder.name}_{photo.path.stem}", longest, rng)
        count += 1
    return count


SQUARE = (0.85, 1.18)
"""Aspect ratios between which a box does not determine the direction of its tile."""


def boxed(image: np.ndarray, boxes: _Boxes, classes: NDArray[np.int_]) -> LabelledPicture:
    """Return a photo whose tiles are known only by their boxes (n, 4), pixels.

    Rows run along the edges of photos, so a box that is clearly longer one way gives the direction.
    """
    quads = corners(boxes)
    width, height = sizes(boxes).T
    ratio = width / np.maximum(height, 1e-6)
    sideways = ratio > SQUARE[1]
    quads[sideways] = np.roll(quads[sideways], 1, axis=1)
    return LabelledPicture(image, quads, classes, sideways | (ratio < SQUARE[0]))


def write_views(
    picture: LabelledPicture, out: Path, name: str, longest: int, rng: np.random.Generator
) -> None:
    """Write a photo upright, turned by a quarter, stretched and, where that is possible, tilted.

    Args:
        picture: the photo.
        out: the folder to write to.
        name: name of the photo; the other views add a suffix.
        longest: maximum longer side of the written pictures, pixels.
        rng: draws turn, stretch and angle.
    """
    picture.write(out, name, longest)
    # Photos show rows along the picture's lower edge; a quarter turn shows them along its side.
    turns = 1 + 2 * int(rng.integers(2))
    picture.turned(turns).write(out, f"{name}_turned", longest)
    picture.stretched(*_stretch(rng)).write(out, f"{name}_stretched", longest)
    if _along_edges(picture.boxes):
        degrees = float(rng.uniform(8, 82)) * float(rng.choice([-1, 1]))
        picture.tilted(degrees).write(out, f"{name}_tilted", longest)


def labelled_part(
    picture: LabelledPicture, rng: np.random.Generator, also: _Boxes | None = None
) -> LabelledPicture:
    """Crop a photo to its labels, and to further boxes (n, 4), with a small margin."""
    low, high = np.hsplit(picture.boxes, 2)
    side = np.median(high - low, axis=0)
    if also is not None:
        low, high = np.concatenate([low, also[:, :2]]), np.concatenate([high, also[:, 2:]])
    x0, y0 = np.maximum(low.min(0) - side * rng.uniform(0.15, 0.5, 2), 0).astype(int).tolist()
    far = np.minimum(high.max(0) + side * rng.uniform(0.15, 0.5, 2), picture.size[:2])
    x1, y1 = far.astype(int).tolist()
    return picture.cut(x0, y0, x1, y1)


def clutter(split: Split, folder: Path, out: Path, longest: int = 640, rng_seed: int = 6) -> int:
    """Crop pictures without a tile out of labelled photos, around former false detections.

    A cropped picture holds no label and none of the unlabelled tiles that
    `hupai.datasets.real.patches.clutter_places` lists.

    Returns:
        The number of pictures.
    """
    rng = np.random.default_rng(rng_seed)
    photos = {photo.path.stem: photo for photo in read_folder(folder, corrected=False)}
    count = 0
    for name, places in clutter_places(split).items():
        image = cv2.imread(str(photos[name].path)) if name in photos else None
        if image is None:
            continue
        size = np.tile(np.array(image.shape[1::-1]), 2)
        unlabelled = np.array([*places.unlabelled_tiles, *places.backs]).reshape(-1, 4)
        tiles = np.concatenate([photos[name].boxes, unlabelled]) * size
        for number, place in enumerate(places.clutter):
            cut = free_cut(rng, np.array(place) * size, tiles, size[:2])
            if cut is not None:
                x0, y0, x1, y1 = cut
                piece = LabelledPicture(image[y0:y1, x0:x1], np.zeros((0, 4, 2)), np.zeros(0, int))
                piece.write(out, f"clutter_{name}_{number}", longest)
                count += 1
    return count


def free_cut(
    rng: np.random.Generator, place: np.ndarray, tiles: np.ndarray, size: np.ndarray
) -> Sequence[int] | None:
    """Find the largest of some random rectangles around a place that contain no tile, if any.

    Args:
        rng: draws the rectangles.
        place: box (4,), pixels.
        tiles: boxes (n, 4) of all known tiles.
        size: width and height of the picture.
    """
    side = float((place[2:] - place[:2]).max())
    best: Sequence[int] | None = None
    largest = 0
    for _ in range(40):
        grown = place + np.array([-1, -1, 1, 1]) * rng.uniform(0.2, 6, 4) * side
        low, high = np.maximum(grown[:2], 0).astype(int), np.minimum(grown[2:], size).astype(int)
        meets = ((np.minimum(high, tiles[:, 2:]) - np.maximum(low, tiles[:, :2])) > 0).all(1).any()
        if not meets and (best is None or (high - low).prod() > largest):
            best, largest = [*low.tolist(), *high.tolist()], int((high - low).prod())
    return best


def _stretch(rng: np.random.Generator) -> tuple[float, float]:
    """Draw factors of width and height, one of them 1."""
    factor = float(np.exp(-rng.uniform(0.2, 0.65)))
    return (factor, 1.0) if rng.random() < 0.5 else (1.0, factor)


def _along_edges(boxes: _Boxes) -> bool:
    """Return whether tiles lie along the picture's edges.

    Their boxes are then of one shape, clearly longer one way.
    """
    width, height = sizes(boxes).T
    shape = np.log(width / np.maximum(height, 1e-6))
    typical = float(np.median(shape))
    return abs(typical) > 0.15 and float(np.median(np.abs(shape - typical))) < 0.08
