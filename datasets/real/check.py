"""Draws labels on photos and lists those that are suspicious.

    python -m hupai.datasets.real.check FOLDER [--split train] [--readings FILE.jsonl] [--draw DIR]

FOLDER holds images/ and labels/. --split applies the project's corrections of the public photos
first. FILE is what ``hupai read FOLDER/images/*.jpg --json`` printed: labels that
contradict a confident reading are listed.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from hupai.datasets.real.labels import LabelError, LabelledPhoto, corners, read_folder
from hupai.scoring.tiles import Tile

OVERLAP = 0.45
"""Minimum IoU of two boxes on one tile; close slanted tiles reach about 0.3."""

ASPECT = 1.8
"""Ratio to the photo's median aspect from which a box is suspicious."""

SIZES = (0.35, 2.6)
"""Range of unsuspicious areas, relative to the median area of the photo's boxes."""

SURE = 0.9
"""Probability from which a differing reading is listed."""


@dataclass(frozen=True, slots=True)
class Suspicion:
    """One label, or a photo, that a person should check.

    Attributes:
        photo: name without extension.
        kind: overlap, aspect, size, outside, copies or reading; of stored hands also hand or
            contradiction (`hupai.datasets.from_hands.suspicions`).
        box: index of the label; None for the whole photo.
        what: description.
    """

    photo: str
    kind: str
    box: int | None
    what: str


@dataclass(frozen=True, slots=True)
class ReadTile:
    """A read tile; the box is [x0, y0, x1, y1] in fractions of the photo."""

    tile: Tile
    confidence: float
    box: tuple[float, float, float, float]


Readings = Mapping[str, Sequence[ReadTile]]


def check(
    photos: Iterable[LabelledPhoto], readings: Readings | None = None, copies: int | None = None
) -> tuple[Suspicion, ...]:
    """List everything suspicious about the labels.

    Args:
        photos: with their labels.
        readings: by photo name, the tiles that were read.
        copies: maximum number of tiles of a face on a photo. None: four of a face and one of a
            flower for each tile set of 144 that the photo's labels would fill.
    """
    found: list[Suspicion] = []
    for photo in photos:
        name, boxes = photo.path.stem, corners(photo.labels)
        found += [Suspicion(name, kind, index, what) for kind, index, what in _shapes(photo, boxes)]
        found += [Suspicion(name, "copies", None, what) for what in _counts(photo, copies)]
        if readings is not None and name in readings:
            found += [
                Suspicion(name, "reading", index, what)
                for index, what in _disagreements(photo, boxes, readings[name])
            ]
    return tuple(found)


def _shapes(photo: LabelledPhoto, boxes: NDArray[np.float64]) -> Iterable[tuple[str, int, str]]:
    """Yield boxes that overlap, are too long, too large, too small, or outside the photo."""
    if not len(boxes):
        return
    sides = (boxes[:, 2:] - boxes[:, :2]) * _size(photo.path)
    areas, lengths = sides.prod(1), sides.max(1) / np.maximum(sides.min(1), 1e-9)
    areas, length = areas / max(float(np.median(areas)), 1e-9), float(np.median(lengths))
    common = overlap(boxes, boxes)
    for i, (tile, _) in enumerate(photo.labels):
        for j in np.nonzero(common[i, :i] >= OVERLAP)[0].tolist():
            other = photo.labels[j][0].code
            yield "overlap", i, f"{tile.code} lies on {other}, IoU {common[i, j]:.2f}"
        if not length / ASPECT <= lengths[i] <= ASPECT * length:
            what = f"{lengths[i]:.2f} times as long as wide, the others {length:.2f}"
            yield "aspect", i, f"{tile.code} is {what}"
        if not SIZES[0] <= areas[i] <= SIZES[1]:
            yield "size", i, f"{tile.code} has {areas[i]:.2f} times the median area"
        if boxes[i].min() < -0.01 or boxes[i].max() > 1.01:
            yield "outside", i, f"{tile.code} reaches beyond the photo"


def _counts(photo: LabelledPhoto, copies: int | None) -> Iterable[str]:
    """Yield faces that occur more often than in a tile set."""
    count = Counter(tile for tile, _ in photo.labels)
    sets = max(1, -(-len(photo.labels) // 144))
    for tile, times in sorted(count.items()):
        most = copies if copies is not None else (1 if tile.is_flower else 4) * sets
        # Any number of tiles may lie face down.
        if times > most and tile is not Tile.BACK:
            yield f"{tile.code} {times} times"


def _disagreements(
    photo: LabelledPhoto, boxes: NDArray[np.float64], read: Sequence[ReadTile]
) -> Iterable[tuple[int, str]]:
    """Yield labels that a confident reading contradicts, and labels without a reading."""
    seen = np.asarray([tile.box for tile in read], np.float64).reshape(-1, 4)
    common = overlap(boxes, seen)
    for i, (tile, _) in enumerate(photo.labels):
        j = int(common[i].argmax()) if len(seen) else -1
        if j < 0 or common[i, j] < 0.3:
            yield i, f"{tile.code}, where no tile was found"
        elif read[j].tile is not tile and read[j].confidence >= SURE:
            yield i, f"{tile.code}, read as {read[j].tile.code} with {read[j].confidence:.2f}"


def overlap(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the IoU of each pair of boxes, shape (n, m); boxes [x0, y0, x1, y1]."""
    low = np.maximum(first[:, None, :2], second[None, :, :2])
    high = np.minimum(first[:, None, 2:], second[None, :, 2:])
    common = np.clip(high - low, 0, None).prod(2)
    one, two = ((b[:, 2:] - b[:, :2]).prod(1) for b in (first, second))
    return np.asarray(common / np.maximum(one[:, None] + two[None] - common, 1e-12))


def _size(path: Path) -> tuple[int, int]:
    """Return an eighth of a picture's width and height; 1 by 1 if it cannot be read."""
    picture = cv2.imread(str(path), cv2.IMREAD_REDUCED_GRAYSCALE_8)
    return (1, 1) if picture is None else (picture.shape[1], picture.shape[0])


def load_readings(path: Path) -> dict[str, tuple[ReadTile, ...]]:
    """Load the output of ``hupai read --json``, by photo name without extension.

    Raises:
        LabelError: if a line is not a reading.
    """
    readings = {}
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        try:
            row = json.loads(line)
            width, height = row["photo"]["width"], row["photo"]["height"]
            tiles = []
            for tile in row["tiles"]:
                x0, y0, x1, y1 = tile["box"]
                box = (x0 / width, y0 / height, x1 / width, y1 / height)
                tiles.append(ReadTile(Tile.from_code(tile["tile"]), float(tile["confidence"]), box))
            readings[Path(row["photo"]["path"]).stem] = tuple(tiles)
        except (ValueError, KeyError, TypeError, ZeroDivisionError) as error:
            raise LabelError(
                f"{path}, line {number}: expected a line of `hupai read --json` ({error})"
            ) from None
    return readings


def drawn(photo: LabelledPhoto, suspicions: Iterable[Suspicion]) -> NDArray[np.uint8] | None:
    """Draw a photo, BGR, with its labels in green and the suspicious ones in red.

    None if it cannot be decoded.
    """
    picture = cv2.imread(str(photo.path))
    if picture is None:
        return None
    picture = cv2.resize(picture, None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC)
    height, width = picture.shape[:2]
    wrong = {one.box for one in suspicions if one.photo == photo.path.stem}
    for i, ((tile, _), box) in enumerate(zip(photo.labels, corners(photo.labels), strict=True)):
        colour = (0, 0, 255) if i in wrong else (0, 200, 0)
        x0, y0, x1, y1 = (round(value) for value in box * (width, height, width, height))
        cv2.rectangle(picture, (x0, y0), (x1, y1), colour, 2)
        cv2.putText(
            picture, f"{tile.code} {i}", (x0 + 2, y0 + 14), cv2.FONT_HERSHEY_SIMPLEX, 0.5, colour, 1
        )
    return np.asarray(picture, np.uint8)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return 1 if something is suspicious, 2 if the folder cannot be read."""
    parser = argparse.ArgumentParser(
        prog="python -m hupai.datasets.real.check", description="List suspicious labels."
    )
    add = parser.add_argument
    add("folder", type=Path)
    add("--split", choices=["train", "dev"], help="apply the project's corrections of it first")
    add("--readings", type=Path, metavar="FILE", help="what `hupai read --json` printed")
    add("--draw", type=Path, metavar="DIR", help="write the suspicious photos, labels drawn")
    add("--copies", type=int, help="most tiles of a face on a photo")
    options = parser.parse_args(arguments)
    try:
        photos = read_folder(options.folder, options.split)
        readings = None if options.readings is None else load_readings(options.readings)
    except (LabelError, OSError) as error:
        parser.error(str(error))
    found = check(photos, readings, options.copies)
    for one in found:
        print(f"{one.photo} {one.kind} {'-' if one.box is None else one.box}: {one.what}")
    labels = sum(len(photo.labels) for photo in photos)
    counts = sorted(Counter(one.kind for one in found).items())
    kinds = ", ".join(f"{count} {kind}" for kind, count in counts) or "nothing"
    print(f"{len(photos)} photos, {labels} labels, suspicious: {kinds}")
    if options.draw is not None:
        options.draw.mkdir(parents=True, exist_ok=True)
        names = {one.photo for one in found}
        for photo in photos:
            picture = drawn(photo, found) if photo.path.stem in names else None
            if picture is not None:
                cv2.imwrite(str(options.draw / f"{photo.path.stem}.jpg"), picture)
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
