"""Rendered scenes side by side on one picture, with their truth drawn in."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

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
    """Draw the scenes `start` to `start + count` of a folder of `hupai.datasets.synthetic.generate`, BGR.

    Args:
        folder: holds ``images/`` and ``truth.jsonl``.
        side: longest side of a scene on the sheet, pixels.
        outlines: draw each visible tile's outline, thick at its top, and a claimed group's source.

    Raises:
        FileNotFoundError: when the folder holds no scenes, or a picture is missing.
    """
    truth = folder / "truth.jsonl"
    if not truth.is_file():
        raise FileNotFoundError(
            f"{folder} holds no truth.jsonl: name a folder made by `hupai datasets render`"
        )
    records = [
        json.loads(line) for line in truth.read_text("utf-8").splitlines()[start : start + count]
    ]
    cells = [_cell(folder, record, side, outlines) for record in records]
    if not cells:
        raise FileNotFoundError(f"{folder} has no scene number {start}")
    return tiled(cells, columns)


def tiled(cells: Sequence[Image], columns: int, ground: int = 0) -> Image:
    """Lay pictures of one size out in rows, on a ground of this grey."""
    columns = max(1, min(columns, len(cells)))
    rows = math.ceil(len(cells) / columns)
    filled = [*cells, *[np.full_like(cells[0], ground)] * (rows * columns - len(cells))]
    return np.vstack([np.hstack(filled[r * columns : (r + 1) * columns]) for r in range(rows)])


def _cell(folder: Path, record: dict[str, Any], side: int, outlines: bool) -> Image:
    path = folder / "images" / str(record["image"])
    picture = cv2.imread(str(path))
    if picture is None:
        raise FileNotFoundError(f"{path} is missing or no picture: render the folder again")
    scale = side / max(picture.shape[:2])
    small = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    for _, shown, quad, visible, _, in_hand, _, kind, source in record["tiles"] if outlines else ():
        if visible < 0.3:
            continue
        corners = np.round(np.array(quad).reshape(4, 2) * scale).astype(np.int32)
        colour = _WON if kind == "winning_tile" else _HAND if in_hand else _OTHER
        colour = _BACK if shown == Tile.BACK.code else colour
        cv2.polylines(small, [corners], True, colour, 1, cv2.LINE_AA)
        a, b = (tuple(int(v) for v in corners[i]) for i in (0, 1))
        cv2.line(small, a, b, colour, 2, cv2.LINE_AA)
        if source is not None:
            place = tuple(int(v) for v in corners.mean(0))
            letter, font = str(source)[0].upper(), cv2.FONT_HERSHEY_SIMPLEX
            cv2.putText(small, letter, place, font, 0.35, (0, 0, 255), 1, cv2.LINE_AA)
    cell = np.zeros((side, side, 3), np.uint8)
    cell[: small.shape[0], : small.shape[1]] = small
    return cell
