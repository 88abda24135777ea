"""Draws the project's own set into datasets/faces: ``python -m datasets.face_drawing``."""

from __future__ import annotations

from pathlib import Path

from scoring.tiles import Tile

from . import draw

FOLDER = Path(__file__).parent.parent / "faces"


def main() -> None:
    """Write one SVG a tile; the back is back.svg."""
    FOLDER.mkdir(exist_ok=True)
    for tile in Tile:
        name = "back" if tile is Tile.BACK else tile.code
        (FOLDER / f"{name}.svg").write_text(draw(tile), encoding="utf-8")


if __name__ == "__main__":
    main()
