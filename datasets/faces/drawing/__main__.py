"""Draws the project's own set into datasets/faces/art.

    python -m hupai.datasets.faces.drawing [--sheet OUT.png [--seed N]]

With ``--sheet`` nothing is written there: all faces are laid out on one picture, those of a random
style with ``--seed``.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from hupai.datasets.faces.drawing import Style, draw, random_style
from hupai.datasets.faces.raster import rasterise
from hupai.scoring.tiles import Tile

FOLDER = Path(__file__).parents[1] / "art"
_COLUMNS = 11
_BODY = (248, 245, 236)


def write_set(folder: Path) -> None:
    """Write one SVG per tile; the back is back.svg.

    Raises:
        FontError: if the font of the set is not installed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for tile in Tile:
        name = "back" if tile is Tile.BACK else tile.code
        (folder / f"{name}.svg").write_text(draw(tile), encoding="utf-8")


def contact_sheet(style: Style, height: int = 200) -> NDArray[np.uint8]:
    """Draw all faces and the back on ivory, RGB, four rows of eleven ``height`` pixels high."""
    cells = []
    for tile in Tile:
        rgba = rasterise(draw(tile, style), height).astype(np.float32)
        alpha = rgba[..., 3:] / 255
        face = rgba[..., :3] * alpha + np.array(_BODY) * (1 - alpha)
        cells.append(
            cv2.copyMakeBorder(face, 4, 4, 4, 4, cv2.BORDER_CONSTANT, value=(120, 120, 120))
        )
    cells += [np.full_like(cells[0], 120)] * (-len(cells) % _COLUMNS)
    rows = [np.hstack(cells[i : i + _COLUMNS]) for i in range(0, len(cells), _COLUMNS)]
    return np.vstack(rows).round().astype(np.uint8)


def main() -> None:
    """Command line of this package."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--sheet", type=Path, help="picture of all faces to write instead of the set"
    )
    parser.add_argument("--seed", type=int, help="show a random style on the sheet")
    args = parser.parse_args()
    if args.sheet is None:
        write_set(FOLDER)
        return
    style = Style() if args.seed is None else random_style(np.random.default_rng(args.seed))
    cv2.imwrite(str(args.sheet), cv2.cvtColor(contact_sheet(style), cv2.COLOR_RGB2BGR))


if __name__ == "__main__":
    main()
