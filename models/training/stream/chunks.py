"""Files of pictures, passed from the processes that render to the one that trains."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from hupai.models.training.detector import quads as outlines
from hupai.vision.detection.picture import FILL

SIDE = 640
"""Side of the squares that pictures are padded to, pixels."""

MOST_TILES = 256
"""Tiles of a picture that are kept; whole tables have up to 200."""

Arrays = dict[str, NDArray[np.generic]]
"""The arrays of a file by name."""


def write_pictures(folder: Path, out: Path) -> None:
    """Write the pictures of a folder of `hupai.models.training.detector.data`.

    The file holds ``images`` (n, SIDE, SIDE, 3) RGB, padded at right and below; ``sizes`` (n, 2),
    width and height that are not padding; ``quads`` (n, MOST_TILES, 4, 2), pixels; ``classes``
    (n, MOST_TILES), -1 beyond the last; and ``directed`` (n, MOST_TILES).

    Raises:
        OSError: if a picture cannot be read.
    """
    files = sorted((folder / "images").glob("*.jpg"))
    images = np.full((len(files), SIDE, SIDE, 3), FILL, np.uint8)
    sizes = np.zeros((len(files), 2), np.float32)
    quads = np.zeros((len(files), MOST_TILES, 4, 2), np.float32)
    classes = np.full((len(files), MOST_TILES), -1, np.int8)
    directed = np.zeros((len(files), MOST_TILES), bool)
    for k, file in enumerate(files):
        read = cv2.imread(str(file))
        if read is None:
            raise OSError(f"{file} cannot be read; is the disk full?")
        image = cv2.cvtColor(read, cv2.COLOR_BGR2RGB)
        height, width = image.shape[:2]
        images[k, :height, :width], sizes[k] = image, (width, height)
        tiles = outlines.read(folder / outlines.FOLDER / f"{file.stem}.txt")
        count = min(len(tiles.classes), MOST_TILES)
        quads[k, :count] = tiles.quads[:count] * (width, height)
        classes[k, :count] = tiles.classes[:count]
        directed[k, :count] = tiles.directed[:count]
    arrays: Arrays = {
        "images": images,
        "sizes": sizes,
        "quads": quads,
        "classes": classes,
        "directed": directed,
    }
    _write(out, arrays)


def _write(out: Path, arrays: Arrays) -> None:
    """Write a file that appears only when it is complete."""
    unfinished = out.with_suffix(".unfinished")
    with unfinished.open("wb") as file:
        np.savez(file, allow_pickle=False, **arrays)
    os.replace(unfinished, out)


def arrived(folder: Path, pattern: str, most: int) -> Iterator[tuple[str, Arrays]]:
    """Yield the names and arrays of at most `most` files of a folder, and delete them."""
    for file in sorted(folder.glob(pattern))[:most]:
        with np.load(file) as arrays:
            found = {name: arrays[name] for name in arrays.files}
        file.unlink()
        yield file.name, found
