"""Rendered scenes side by side on one picture, with their truth drawn in."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from hupai.datasets.synthetic.truth import SceneTruth, TruthError, read_truth
from hupai.scoring.tiles import Tile

Image = NDArray[np.uint8]

_HAND = (40, 200, 255)
"""Outline of a tile of the hand, BGR."""
_OTHER = (200, 200, 200)
"""Outline of any other tile."""
_BACK = (255, 90, 200)
"""Outline of a tile lying face down."""
_WON = (60, 255, 60)
"""Outline of a winning tile set apart."""


def contact_sheet(
    folder: Path,
    count: int = 24,
    columns: int = 6,
    side: int = 420,
    outlines: bool = True,
    start: int = 0,
) -> Image:
    """Draw scenes of a folder of `hupai.datasets.synthetic.generate`, BGR.

    Args:
        folder: holds ``images/`` and ``truth.jsonl``.
        count, start: number of scenes, and number of the first one.
        columns: scenes in a row.
        side: longest side of a scene on the sheet, pixels.
        outlines: draw each visible tile's outline, thick at its top, and a claimed group's source.

    Raises:
        TruthError: if the folder holds no such scenes, or a picture is missing.
    """
    scenes = islice(read_truth(folder), start, start + count)
    cells = [_cell(scene, side, outlines) for scene in scenes]
    if not cells:
        raise TruthError(f"{folder} has no scene number {start}")
    return tiled(cells, columns)


def tiled(cells: Sequence[Image], columns: int, ground: int = 0) -> Image:
    """Arrange pictures of one size in rows, on a grey background."""
    columns = max(1, min(columns, len(cells)))
    rows = math.ceil(len(cells) / columns)
    filled = [*cells, *[np.full_like(cells[0], ground)] * (rows * columns - len(cells))]
    return np.vstack([np.hstack(filled[r * columns : (r + 1) * columns]) for r in range(rows)])


def _cell(scene: SceneTruth, side: int, outlines: bool) -> Image:
    picture = cv2.imread(str(scene.picture))
    if picture is None:
        raise TruthError(f"{scene.picture} is missing or not a picture: render the folder again")
    scale = side / max(picture.shape[:2])
    small = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    for tile in scene.tiles if outlines else ():
        if tile.visible < 0.3:
            continue
        corners = np.round(tile.quad * scale).astype(np.int32)
        colour = _WON if tile.kind == "winning_tile" else _HAND if tile.in_hand else _OTHER
        colour = _BACK if tile.shown == Tile.BACK.code else colour
        cv2.polylines(small, [corners], True, colour, 1, cv2.LINE_AA)
        a, b = (tuple(int(v) for v in corners[i]) for i in (0, 1))
        cv2.line(small, a, b, colour, 2, cv2.LINE_AA)
        if tile.claimed_from is not None:
            place = tuple(int(v) for v in corners.mean(0))
            letter, font = tile.claimed_from[0].upper(), cv2.FONT_HERSHEY_SIMPLEX
            cv2.putText(small, letter, place, font, 0.35, (0, 0, 255), 1, cv2.LINE_AA)
    cell = np.zeros((side, side, 3), np.uint8)
    cell[: small.shape[0], : small.shape[1]] = small
    return cell
