"""Photos of a set side by side, with their labels drawn in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from hupai.datasets.from_hands.labels import HandLabel
from hupai.datasets.from_hands.tables import Place
from hupai.datasets.real.check import Suspicion
from hupai.datasets.synthetic.contact_sheet import tiled

Image = NDArray[np.uint8]

WIDTH, HEIGHT, COLUMNS, PER_SHEET = 460, 345, 4, 24
"""Room for a photo on a sheet in pixels, photos in a row, photos on a sheet."""

_KEPT, _CHANGED = (40, 200, 60), (0, 140, 255)
"""Outlines of labels, BGR: as read by the model, and as changed by a person."""
_SUSPICIOUS, _UNCHECKED, _STRUCK = (30, 30, 255), (170, 170, 170), (255, 60, 220)
"""Outlines of labels to review, of unchecked tiles, and of what is not a tile."""
_FONT = cv2.FONT_HERSHEY_SIMPLEX


def sheets(
    photos: Sequence[HandLabel], places: Sequence[Place], found: Sequence[Suspicion]
) -> Iterator[Image]:
    """Draw the photos, `PER_SHEET` to a sheet, BGR."""
    cells = [_cell(photo, place, found) for photo, place in zip(photos, places, strict=True)]
    for start in range(0, len(cells), PER_SHEET):
        yield tiled(cells[start : start + PER_SHEET], COLUMNS)


def _cell(photo: HandLabel, place: Place, found: Sequence[Suspicion]) -> Image:
    cell = np.full((HEIGHT + 44, WIDTH, 3), 24, np.uint8)
    picture = cv2.imdecode(np.frombuffer(photo.load(), np.uint8), cv2.IMREAD_COLOR)
    mine = [one for one in found if one.photo == photo.name]
    if picture is not None:
        scale = min(HEIGHT / picture.shape[0], WIDTH / picture.shape[1])
        resized = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        small: Image = np.asarray(np.ascontiguousarray(resized[:HEIGHT, :WIDTH]), np.uint8)
        # Labels are in pixels of the upright photo; OpenCV applies the orientation, too.
        _draw(small, photo, small.shape[1] / photo.size[0], {one.box for one in mine})
        cell[: small.shape[0], : small.shape[1]] = small
    lines = [
        f"{photo.name} {place.table} {place.part}",
        f"{photo.hand}" + (f"   {len(mine)} suspicious: {mine[0].kind}" if mine else ""),
    ]
    for row, text in enumerate(lines):
        colour = (0, 170, 255) if mine and row else (230, 230, 230)
        at = (4, HEIGHT + 17 + 18 * row)
        cv2.putText(cell, text[:74], at, _FONT, 0.38, colour, 1, cv2.LINE_AA)
    return np.asarray(cell, np.uint8)


def _draw(picture: Image, photo: HandLabel, scale: float, wrong: set[int | None]) -> None:
    """Draw outlines and faces; a label's number counts the checked ones."""
    number = 0
    for tile in photo.tiles:
        if not tile.checked:
            colour = _UNCHECKED
        else:
            changed = tile.tile is not tile.read
            colour = _SUSPICIOUS if number in wrong else _CHANGED if changed else _KEPT
            number += 1
        quad = np.round(np.array(tile.quad) * scale).astype(np.int32)
        cv2.polylines(picture, [quad], True, colour, 1, cv2.LINE_AA)
        if tile.checked:
            x, y = quad.min(0).tolist()
            cv2.putText(picture, tile.tile.code, (x, y + 9), _FONT, 0.34, colour, 1, cv2.LINE_AA)
    for corners in photo.struck_out:
        quad = np.round(np.array(corners) * scale).astype(np.int32)
        cv2.polylines(picture, [quad], True, _STRUCK, 1, cv2.LINE_AA)
        cv2.line(picture, tuple(quad[0].tolist()), tuple(quad[2].tolist()), _STRUCK, 1, cv2.LINE_AA)
