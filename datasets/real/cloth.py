"""Cuts pieces of plain table cloth out of photos, to cover rendered tables.

    python -m hupai.datasets.real.cloth PHOTOS OUT

PHOTOS is a labelled folder (``../shared/photos/train``). A piece is square and so uniform, without
edges or a second colour, that no tile can be on it, labelled or not. The pieces are for training
and are never committed.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]

SIDES = (160, 120, 88)
"""Sides of a piece in pixels, tried in this order."""

MOST_SPREAD = 9.0
"""Greatest standard deviation of the grey levels of a piece shrunk to 8 by 8 pixels; with two
materials it is greater.
"""

MOST_EDGE = 34.0
"""Greatest difference in grey between pixels of a smoothed piece that are three apart."""

PER_PHOTO = 2
"""Maximum number of pieces of a photo."""


def pieces(image: Image, boxes: NDArray[np.float64]) -> list[Image]:
    """Return pieces of plain cloth, uint8 BGR, at most `PER_PHOTO`, the most uniform first.

    Args:
        image: uint8 BGR.
        boxes: shape (n, 4), labelled tiles in pixels; pieces avoid them.
    """
    grey = cv2.GaussianBlur(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), (0, 0), 1.0).astype(np.uint8)
    for side in SIDES:
        found: list[tuple[float, int, int]] = []
        height, width = grey.shape
        for y in range(0, height - side + 1, side // 2):
            for x in range(0, width - side + 1, side // 2):
                low, high = np.array([x, y]) - 4, np.array([x, y]) + side + 4
                if ((boxes[:, :2] < high) & (boxes[:, 2:] > low)).all(1).any():
                    continue
                spread = unevenness(grey[y : y + side, x : x + side])
                if spread is not None:
                    found.append((spread, x, y))
        if found:
            found.sort()
            return [image[y : y + side, x : x + side].copy() for _, x, y in found[:PER_PHOTO]]
    return []


def unevenness(grey: Image) -> float | None:
    """Return how uneven a piece is; None if it is not plain, or is too bright or black."""
    small = cv2.resize(grey, (8, 8), interpolation=cv2.INTER_AREA).astype(np.float64)
    wide = grey.astype(np.int16)
    steps = max(
        int(np.abs(wide[3:] - wide[:-3]).max()), int(np.abs(wide[:, 3:] - wide[:, :-3]).max())
    )
    spread = float(small.std())
    # White and black pieces may also be tiles, racks or shadows.
    if spread > MOST_SPREAD or steps > MOST_EDGE or not 22 < small.mean() < 205:
        return None
    return spread


def read_boxes(path: Path, width: int, height: int) -> NDArray[np.float64]:
    """Read a YOLO label file as corners in pixels, shape (n, 4); a missing file has none."""
    text = path.read_text("utf-8") if path.is_file() else ""
    lines = [line for line in text.splitlines() if line.strip()]
    rows = np.array([[float(v) for v in line.split()[1:5]] for line in lines])
    middle, size = np.hsplit(rows.reshape(-1, 4), 2)
    corners: NDArray[np.float64] = np.hstack([middle - size / 2, middle + size / 2])
    return corners * (width, height, width, height)


def cut(photos: Path, out: Path) -> int:
    """Write the pieces of all photos of a labelled folder to a folder; return how many."""
    out.mkdir(parents=True, exist_ok=True)
    written = 0
    for path in sorted((photos / "images").iterdir()):
        image = cv2.imread(str(path))
        if image is None:
            continue
        height, width = image.shape[:2]
        boxes = read_boxes(photos / "labels" / f"{path.stem}.txt", width, height)
        for piece in pieces(image.astype(np.uint8), boxes):
            cv2.imwrite(str(out / f"{written:05d}.png"), piece)
            written += 1
    return written


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("photos", type=Path)
    parser.add_argument("out", type=Path)
    a = parser.parse_args(arguments)
    print(f"{cut(a.photos, a.out)} pieces of cloth in {a.out}")


if __name__ == "__main__":
    main()
