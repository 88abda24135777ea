"""The project's own 42 tile faces and the back, as SVG and as pixels.

They are CC0, drawn by `hupai.datasets.faces.drawing`.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hupai.datasets.faces.raster import rasterise
from hupai.scoring.errors import HupaiError
from hupai.scoring.tiles import Tile

FOLDER = Path(__file__).with_name("art")


class MissingFaceError(HupaiError, FileNotFoundError):
    """The file of a face is missing: the installation is incomplete."""

    def __init__(self, tile: Tile) -> None:
        self.tile = tile
        super().__init__(
            f"the drawing of {tile.code} is missing from {FOLDER.name}/: install hupai again"
        )


@cache
def face_svg(tile: Tile) -> str:
    """Read the face of a tile as an SVG document, 300 by 400, transparent around the ink.

    `Tile.BACK` is the filled back.

    Raises:
        MissingFaceError: if the file is not there.
    """
    name = "back" if tile is Tile.BACK else tile.code
    try:
        return (FOLDER / f"{name}.svg").read_text(encoding="utf-8")
    except FileNotFoundError:
        raise MissingFaceError(tile) from None


@cache
def face_rgba(tile: Tile, height: int) -> NDArray[np.uint8]:
    """Rasterise a face as RGBA, shape (height, 3/4 height, 4), alpha not premultiplied.

    The array is shared and read-only.

    Raises:
        MissingFaceError: if the file is not there.
    """
    pixels = rasterise(face_svg(tile), height)
    pixels.flags.writeable = False
    return pixels
