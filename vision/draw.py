"""A reading drawn on its photo.

Each tile of the hand has a box, green where it is sure, amber and red where it is less, with its code beside it; each group is
outlined in the colour of its kind and labelled with it. Other tiles are outlined faintly. Line and letter sizes follow the
tiles, so that a drawing is as legible at 640 pixels as at 4,000.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.types import Group, GroupKind, Image, Reading, ReadTile

Colour = tuple[int, int, int]

SURE: Colour = (20, 170, 60)
FAIR: Colour = (235, 160, 0)
DOUBTFUL: Colour = (220, 40, 40)
INFERRED: Colour = (160, 60, 220)
OUTSIDE: Colour = (150, 150, 150)
_PAPER: Colour = (255, 255, 255)

GROUP_COLOURS: dict[GroupKind, Colour] = {
    GroupKind.CONCEALED: (30, 110, 220),
    GroupKind.CHOW: (0, 150, 150),
    GroupKind.PUNG: (190, 90, 0),
    GroupKind.KONG: (150, 30, 130),
    GroupKind.ADDED_KONG: (150, 30, 130),
    GroupKind.CONCEALED_KONG: (90, 50, 160),
    GroupKind.FLOWERS: (215, 70, 140),
    GroupKind.WINNING_TILE: (200, 0, 0),
}

_FONT = cv2.FONT_HERSHEY_SIMPLEX


def annotate(image: Image, reading: Reading) -> Image:
    """A copy of the photo with the reading drawn on it.

    Args:
        image: upright RGB, shape (height, width, 3), uint8, the one the reading was made from.
        reading: boxes in its pixels.
    """
    canvas: Image = np.ascontiguousarray(image.copy())
    if not reading.tiles:
        return canvas
    side = _tile_side(reading)
    line = max(1, round(side / 28))
    _draw_outside(canvas, [t for t in reading.tiles if not t.in_hand], line)
    for tile in reading.tiles:
        if tile.in_hand:
            cv2.rectangle(canvas, _corner(tile, 0), _corner(tile, 2), colour_of(tile), line, cv2.LINE_AA)
    tiles = {t.id: t for t in reading.tiles}
    for group in reading.groups:
        _draw_group(canvas, group, [tiles[i] for i in group.tiles if i in tiles], side, line)
    for tile in reading.tiles:
        if tile.in_hand:
            _write(canvas, label(tile), _name_place(tile, side), side * 0.30, colour_of(tile))
    return canvas


def colour_of(tile: ReadTile) -> Colour:
    """Green for a sure face, amber for a fair one, red for a doubtful one, violet for one that was inferred."""
    if tile.inferred:
        return INFERRED
    if tile.confidence >= 0.97:
        return SURE
    return FAIR if tile.confidence >= 0.85 else DOUBTFUL


def label(tile: ReadTile) -> str:
    """The tile's code, with an asterisk where it was inferred and a question mark where it is doubtful."""
    mark = "*" if tile.inferred else "?" if tile.confidence < 0.85 and tile.tile.code != "?" else ""
    return tile.tile.code + mark


def _tile_side(reading: Reading) -> float:
    """Usual short side of the tiles to be written on, pixels."""
    tiles = [t for t in reading.tiles if t.in_hand] or list(reading.tiles)
    return float(np.median([min(t.box[2] - t.box[0], t.box[3] - t.box[1]) for t in tiles]))


def _corner(tile: ReadTile, first: int) -> tuple[int, int]:
    return round(tile.box[first]), round(tile.box[first + 1])


def _draw_outside(canvas: Image, tiles: list[ReadTile], line: int) -> None:
    """Faint outlines, mixed half and half with the photo."""
    if not tiles:
        return
    layer = canvas.copy()
    for tile in tiles:
        cv2.rectangle(layer, _corner(tile, 0), _corner(tile, 2), OUTSIDE, max(1, line // 2), cv2.LINE_AA)
    cv2.addWeighted(layer, 0.5, canvas, 0.5, 0, dst=canvas)


def _draw_group(canvas: Image, group: Group, tiles: list[ReadTile], side: float, line: int) -> None:
    """Outline around the group's boxes and its kind beyond the outline."""
    if not tiles:
        return
    colour = GROUP_COLOURS[group.kind]
    outline = _outline(tiles, side * 0.10)
    cv2.polylines(canvas, [outline], True, colour, max(2, line * 2), cv2.LINE_AA)
    text = group.kind.value.replace("_", " ")
    if group.claimed_from is not None:
        text += f" < {group.claimed_from.value}"
    low = outline[:, 1].max()
    left = outline[:, 0].min()
    _write(canvas, text, (int(left), int(low + side * 0.12)), side * 0.26, colour)


def _outline(tiles: list[ReadTile], margin: float) -> NDArray[np.int32]:
    """Smallest hull around the boxes, widened, shape (n, 2), pixels."""
    corners = [
        (x, y) for t in tiles for x in (t.box[0] - margin, t.box[2] + margin) for y in (t.box[1] - margin, t.box[3] + margin)
    ]
    hull = cv2.convexHull(np.asarray(corners, np.float32))
    return np.asarray(hull.reshape(-1, 2).round(), np.int32)


def _name_place(tile: ReadTile, side: float) -> tuple[int, int]:
    """Upper left corner of the name: inside the box, at its top."""
    return round(tile.box[0] + side * 0.04), round(tile.box[1] + side * 0.04)


def _write(canvas: Image, text: str, place: tuple[int, int], height: float, colour: Colour) -> None:
    """Text of about this height in pixels on a light plate, moved into the picture where it would leave it."""
    scale = max(height, 9.0) / 22.0
    weight = max(1, round(scale * 1.7))
    (width, tall), base = cv2.getTextSize(text, _FONT, scale, weight)
    pad = max(1, round(scale * 3))
    rows, columns = canvas.shape[:2]
    x = min(max(place[0], 0), max(columns - width - 2 * pad, 0))
    y = min(max(place[1], 0), max(rows - tall - base - 2 * pad, 0))
    plate = canvas[y : y + tall + base + 2 * pad, x : x + width + 2 * pad]
    plate[:] = (plate.astype(np.float32) * 0.25 + np.asarray(_PAPER, np.float32) * 0.75).astype(np.uint8)
    cv2.putText(canvas, text, (x + pad, y + pad + tall), _FONT, scale, colour, weight, cv2.LINE_AA)
